"""A column that joins records.SCORES: what has to follow fails here, with what to do."""

from __future__ import annotations

import polars as pl
import pytest

from folkways.benchmarks.summary import SCORE_COLUMNS, summarise_means
from folkways.records import LEFT_OUT, SCORE_NUMBERS, SCORES, Metric, State, with_numbers
from folkways.workspace import schema

COUNTS = {
    *("n", "questions", "effective_questions", "cut", "left_out", "why_left_out", "coverage"),
    *(state.value for state in State),
}
KEYS = {"endpoint", "task", "profile", "metric", "facet", "value", "signature"}


def test_a_column_is_a_key_a_count_or_a_number() -> None:
    assert set(SCORES) == KEYS | COUNTS | set(SCORE_NUMBERS), (
        "name it in SCORE_NUMBERS, or here in KEYS or COUNTS"
    )


def test_the_workspace_stores_every_column() -> None:
    lacking = set(SCORES) - set(schema.scores.columns.keys())
    assert not lacking, f"workspace/schema.py and a migration have to add {lacking}"


def test_a_summary_fills_every_column() -> None:
    rows = [("a", None)] * 30 + [("b", None), ("d", None), ("e", None), ("c", "unread")]
    judgements = pl.DataFrame(rows, schema=["question", LEFT_OUT], orient="row").with_columns(
        counted=True,
        state=pl.lit("answered"),
        culture=pl.lit("KR"),
        right=pl.when(pl.col(LEFT_OUT).is_null()).then(1.0),
    )
    metric = Metric("right", "Right", "", leaves_out=True)
    scores = summarise_means(judgements, "t/t", [metric], (), [()])
    empty = [name for name in SCORE_COLUMNS if scores[name].null_count()]
    assert not empty, f"benchmarks/summary.py gives no value of {empty}"


def test_the_numbers_of_another_mean_are_given_all_together() -> None:
    row = dict.fromkeys(SCORES, 1.0)
    numbers = dict.fromkeys(SCORE_NUMBERS, 2.0)
    assert with_numbers(row, numbers) == row | numbers
    for wrong in ({"score": 2.0}, numbers | {"n": 3}):
        with pytest.raises(ValueError, match="SCORE_NUMBERS"):
            with_numbers(row, wrong)
