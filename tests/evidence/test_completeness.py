"""What a run asked against what its task asks: counted, whatever the options were called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import sqlalchemy as sa

from folkways.api import run
from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError
from folkways.evidence.completeness import Completeness, asked_apart, items_asked
from folkways.runs.planning.plan import release_of
from folkways.runs.results.completeness import completeness_of, default_rows, if_data_are_here, lacking
from folkways.workspace import results, run_records, schema


def cells(*rows: tuple[str, str, str, int]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["culture", "language", "variant", "rows"], orient="row")


DEFAULT = cells(("KR", "ko", "plain", 10), ("KR", "en", "plain", 10), ("ET", "am", "plain", 4))


@pytest.mark.parametrize(
    ("asked", "sentences"),
    [
        (DEFAULT, []),
        (pl.concat([DEFAULT, cells(("KR", "ko", "other", 10))]), []),
        (
            cells(("KR", "ko", "plain", 10), ("KR", "en", "plain", 3)),
            [
                "13 of the 24 rows that the task asks by default",
                "nothing about the culture Ethiopia",
                "nothing in the language Amharic",
            ],
        ),
        (
            cells(("KR", "en", "plain", 50), ("ET", "en", "plain", 4)),
            [
                "10 of the 24 rows that the task asks by default",
                "nothing in the languages Amharic and Korean",
            ],
        ),
        (
            DEFAULT.with_columns(variant=pl.lit("other")),
            ["0 of the 24 rows that the task asks by default", "nothing with the variant plain"],
        ),
        (
            cells(("KR", "ko", "own", 10)),
            [
                "0 of the 24 rows that the task asks by default",
                "nothing about the culture Ethiopia",
                "nothing in the languages Amharic and English",
                "nothing with the variant plain",
            ],
        ),
    ],
)
def test_what_is_lacking_is_counted_and_named(asked: pl.DataFrame, sentences: list[str]) -> None:
    completeness = Completeness.of(DEFAULT, asked)
    assert list(completeness.sentences()) == sentences
    assert completeness.whole is (not sentences)


@pytest.mark.parametrize(
    ("options", "share"),
    [
        ({}, 1.0),
        ({"limit": 200}, 1.0),
        ({"limit": 3}, None),
        ({"languages": ("en",)}, None),
        ({"cultures": ("KR",)}, None),
        ({"samples": 2}, 1.0),
        ({"permute_options": 2}, 1.0),
    ],
)
def test_a_limit_of_more_than_there_is_asks_everything_and_one_language_does_not(
    tmp_path: Path, options: dict[str, object], share: float | None
) -> None:
    task = "demo/mcq" if "permute_options" in options else "demo/saq"
    done = run([task], models=["baseline/first"], workspace=tmp_path / "w.db", name="r", **options)
    (asked,) = run_records.run_tasks(done.workspace, done.record)
    completeness = completeness_of(done.workspace, done.record, asked, get_task(task))
    assert completeness.by_default == default_rows(get_task(task), release_of(asked))["rows"].sum()
    assert completeness.whole is (share == 1.0)
    assert lacking(done.workspace, done.record, asked) == list(completeness.sentences())


def test_a_row_that_was_asked_twice_counts_once(tmp_path: Path) -> None:
    counts = []
    for samples in (1, 2):
        where, name = tmp_path / f"{samples}.db", "r"
        done = run(
            ["demo/saq"], models=["baseline/first"], workspace=where, name=name, limit=3, samples=samples
        )
        (asked,) = run_records.run_tasks(done.workspace, done.record)
        counts.append(completeness_of(done.workspace, done.record, asked, get_task("demo/saq")).asked)
    assert counts[0] == counts[1] > 0


def test_what_a_finished_run_used_and_lacks_is_known_when_its_replies_are_no_longer_read(
    tmp_path: Path,
) -> None:
    """It was stored with the scores, and each task has its own."""
    tasks = ["demo/saq", "demo/mcq"]
    done = run(tasks, models=["baseline/first"], workspace=tmp_path / "w.db", name="r", limit=3)
    before = [
        lacking(done.workspace, done.record, asked)
        for asked in run_records.run_tasks(done.workspace, done.record)
    ]
    used = results.usage(done.workspace, done.record)
    with done.workspace.write() as connection:
        connection.execute(sa.delete(schema.judgements))
        connection.execute(sa.update(schema.responses).values(attempts=5))
    assert (
        results.usage(done.workspace, done.record)
        == used
        != results.read_usage(done.workspace, [done.record])
    )
    finished, unscored = done.record, replace(done.record, state="asked")
    for asked, sentences in zip(run_records.run_tasks(done.workspace, finished), before, strict=True):
        assert lacking(done.workspace, finished, asked) == sentences != []
        assert lacking(done.workspace, unscored, asked) != sentences
    assert before[0] != before[1]


def test_a_part_that_cannot_be_counted_any_more_fits_the_sentence_around_it() -> None:
    """What follows "the run asked", where its data have gone since."""

    def gone() -> list[str]:
        raise FolkwaysError("blend is not on this disk\nFetch it")

    assert if_data_are_here(gone) == ["an unknown part of the task (blend is not on this disk)"]


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (["KR/1", "KR/2"], ["KR/2", "KR/1"], False),
        (["KR/1", "KR/1", "KR/2"], ["KR/1", "KR/2", "KR/2"], False),  # by numbers of rows alone
        (["KR/1", "KR/2"], ["KR/1", "KR/3"], True),
        (["KR/1"], ["KR/1", "KR/2"], True),
        (["KR/1"], ["KR/2"], True),
        (["KR/1", "KR/2"], [], False),  # whose judgements are not there
    ],
)
def test_models_that_were_asked_as_many_rows_but_other_items_are_told(
    one: list[str], other: list[str], apart: bool
) -> None:
    pairs = (("a", one), ("b", other))
    asked = [{"task": "t", "endpoint": name, "item": item} for name, items in pairs for item in items]
    judgements = pl.DataFrame(asked).cast({"item": pl.Categorical, "endpoint": pl.Categorical})
    elsewhere = judgements.with_columns(task=pl.lit("u"), item=pl.col("endpoint"))
    scores = pl.DataFrame({"endpoint": ["a", "b"], "task": "t", "facet": "all", "value": "all", "n": 3})
    assert asked_apart(scores, items_asked(pl.concat([judgements, elsewhere]))) is apart
    assert not asked_apart(scores.head(1), items_asked(judgements))
