"""A survey in a folder of one's own is recognised by name and without one; the example in the package is no such
folder."""

from __future__ import annotations

import shutil
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from folkways.api import run
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.survey.results import PERMUTATIONS, PeoplesAnswers, permutation_test
from folkways.errors import FolkwaysError


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The example with another text, so that no checksum is that of a release."""
    folder = tmp_path / "own"
    shutil.copytree(str(files("folkways.benchmarks.survey").joinpath("data")), folder)
    questions = folder / "questions.jsonl"
    questions.write_text(questions.read_text("utf-8").replace("How often", "Tell me how often", 1), "utf-8")
    return folder


@pytest.mark.filterwarnings("error")
def test_a_folder_of_ones_own_is_a_survey(own: Path) -> None:
    for text in (own, str(own)):
        release = open_release(text)
        assert release.record.benchmark == "survey" and not release.verified
    done = run("survey", models=["baseline/first"], releases={"survey": str(own)}, workspace=own / "w.db")
    assert done.scores().height


def test_other_packages_data_are_none(own: Path) -> None:
    with pytest.raises(FolkwaysError, match="unknown benchmark with data in folders 'demo'"):
        run("demo/mcq", models=["baseline/first"], releases={"demo": str(own)}, workspace=own / "w.db")


def test_every_analysis_has_a_name_of_its_own_in_its_benchmark() -> None:
    counts = Counter(
        (name, one.name) for name, benchmark in benchmarks().items() for one in benchmark.results
    )
    assert not [name for name, count in counts.items() if count > 1]


def test_the_world_is_everybody_else() -> None:
    items = get_task("survey/opinions").items(open_release("survey-example"))
    people = PeoplesAnswers(items)
    item = items.row(0, named=True)
    others = items.filter(pl.col("question") == item["question"], pl.col("culture") != item["culture"])
    assert others.height == 3
    assert np.array(people.others(item)) == pytest.approx(np.array(others["shares"].to_list()))


def test_no_permutation_test_is_certain() -> None:
    one, other = np.tile([0.9, 0.1], (4, 1)), np.tile([0.1, 0.9], (4, 1))
    distance, chance, p = permutation_test([(one, other)] * 10)
    assert distance > chance and p == pytest.approx(1 / (PERMUTATIONS + 1))
