"""The multiple-choice scorer of the organisers, run beside ours on random and hostile prediction files.

Their script is read from the reference data and run where it is; it is no part of this project.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.errors import FolkwaysError
from folkways.runs.judging.external_responses import judge_file
from tests.support.semeval_data import LETTERS, write_tsv

DATA = "data/semeval2026-task7"
HEADER = ("id", "A", "B", "C", "D")
ODD = (
    "",
    "2",
    "-1",
    "0.5",
    "1.0",
    "0.0",
    " 1",
    "01",
    "+1",
    "1e0",
    "1e400",
    "x",
    "True",
    "False",
    "TRUE",
    "yes",
    "NA",
    "nan",
    "None",
    "١",
    "½",
)
"""Cells that are no plain 0 or 1: what one of them makes of its whole column is pandas' business."""


@cache
def script(shared: Path) -> str:
    return (shared / DATA / "mcq_scoring_by_the_organisers.py.txt").read_text(encoding="utf-8")


def theirs(shared: Path, folder: Path) -> Mapping[str, float]:
    """What the script writes for folder/ref and folder/res; whatever it raises comes out."""
    moved = (
        script(shared)
        .replace("'/app/input', '", f"{str(folder)!r}, '")
        .replace("'/app/output'", repr(str(folder)))
    )
    assert "/app/" not in moved
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(moved, "the organisers' script", "exec"), {})
    found: dict[str, float] = json.loads((folder / "scores.json").read_text())
    return found


def ours(folder: Path, file: Path) -> Mapping[str, float]:
    scores = judge_file(get_task("semeval2026/mcq"), open_release(folder, "semeval2026"), file).scores
    by_locale = (
        scores.filter(facet="locale", metric="correct")
        if scores["facet"].is_in(["locale"]).any()
        else scores.clear()
    )
    overall = scores.filter(metric="correct", facet="all")["score"].item()
    return {
        **dict(by_locale.select("value", pl.col("score").fill_null(0)).iter_rows()),
        "overall": overall or 0.0,
    }


@pytest.fixture(scope="module")
def few(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders for gold and predictions, with the gold of some questions of four locales, unequally many."""
    folder = tmp_path_factory.mktemp("few")
    gold = [line.split("\t") for line in (shared / DATA / LETTERS).read_text().split("\n")[1:] if line]
    rows = []
    for number, locale in enumerate(("en-GB", "ga-IE", "su-JB", "ha-NG"), 1):
        rows += [tuple(row) for row in gold if row[0].startswith(locale)][: 3 * number]
    for name in ("ref", "res/prediction"):
        (folder / name).mkdir(parents=True)
    write_tsv(folder / "ref" / LETTERS, ("id", "answer"), rows)
    return folder


def keys(folder: Path) -> list[str]:
    return [line.split("\t")[0] for line in (folder / "ref" / LETTERS).read_text().splitlines()[1:]]


@st.composite
def prediction_rows(draw: st.DrawFn, known: list[str]) -> list[tuple[str, ...]]:
    """Rows in any order, some missing, some twice, some of unknown ids; most cells plain, in some columns odd
    ones."""
    ids = draw(
        st.lists(
            st.sampled_from([*known, "xx-XX_0001", "en-GB", "none"]), min_size=1, max_size=2 * len(known)
        )
    )
    odd = draw(st.lists(st.sampled_from(ODD), max_size=2)) if draw(st.booleans()) else []
    plain = st.sampled_from(
        [("1", "0", "0", "0"), ("0", "1", "0", "0"), ("0", "0", "1", "0"), ("0", "0", "0", "1")]
    )
    rows = [list(draw(plain)) for _ in ids]
    for cell in odd:
        rows[draw(st.integers(0, len(rows) - 1))][draw(st.integers(0, 3))] = cell
    if draw(st.integers(0, 4)) == 0:  # whole columns of truth values, or of numbers with a point
        yes, no = draw(st.sampled_from([("True", "False"), ("1.0", "0.0"), ("true", "FALSE")]))
        rows = [[{"1": yes, "0": no}.get(cell, cell) for cell in row] for row in rows]
    return [(key, *row) for key, row in zip(ids, rows, strict=True)]


@pytest.mark.shared
@settings(max_examples=settings().max_examples * 3 // 10)  # each runs two whole programs
@given(data=st.data())
def test_random_and_hostile_files_get_the_organisers_scores(
    shared: Path, few: Path, data: st.DataObject
) -> None:
    rows = data.draw(prediction_rows(keys(few)))
    header = data.draw(st.permutations(HEADER)) if data.draw(st.booleans()) else HEADER
    order = [HEADER.index(name) for name in header]
    file = write_tsv(
        few / "res/prediction/track_2_mcq_prediction.tsv",
        tuple(header),
        [tuple(row[at] for at in order) for row in rows],
    )
    assert ours(few / "ref", file) == pytest.approx(theirs(shared, few))


@pytest.mark.shared
def test_a_file_without_a_column_is_refused_by_both(shared: Path, few: Path) -> None:
    file = write_tsv(
        few / "res/prediction/track_2_mcq_prediction.tsv", HEADER[:4], [(keys(few)[0], "1", "0", "0")]
    )
    with pytest.raises(ValueError, match="must contain"):
        theirs(shared, few)
    with pytest.raises(FolkwaysError, match="no column 'response'"):
        ours(few / "ref", file)


@pytest.mark.shared
@pytest.mark.nightly
def test_the_whole_gold_and_a_file_of_guesses(shared: Path, tmp_path: Path) -> None:
    """All 47,014 questions: accuracy of 30 locales, and their unweighted mean."""
    for name in ("ref", "res/prediction"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "ref" / LETTERS).write_bytes((shared / DATA / LETTERS).read_bytes())
    draw = random.Random(3)
    rows = [
        (key, *("1" if label == draw.choice("ABCD") else "0" for label in "ABCD")) for key in keys(tmp_path)
    ]
    file = write_tsv(tmp_path / "res/prediction/track_2_mcq_prediction.tsv", HEADER, rows)
    found = ours(tmp_path / "ref", file)
    assert len(found) == 31
    assert found == pytest.approx(theirs(shared, tmp_path))
