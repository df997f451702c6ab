"""Tables of scores on the terminal: what stands in each row and column, of scores written by hand."""

from __future__ import annotations

import polars as pl
import pytest
from rich.console import Console
from rich.table import Table

from folkways.benchmarks.registry import get_task
from folkways.errors import UnknownNameError
from folkways.records import SCORES
from folkways.reports.views.scores import facet_table, scores_table

TASK = get_task("blend/saq")
HEADLINE, OTHER, *_ = TASK.metrics


def row(metric: str, facet: str = "all", value: str = "all", **numbers: object) -> dict[str, object]:
    """A score of 40 expected answers: 36 answered, 3 refused, one unreadable."""
    states = {"answered": 36, "refused": 3, "unreadable": 1, "truncated": 0, "failed": 0, "missing": 0}
    known = {
        "score": 51.239,
        "low": 40.04,
        "high": None,
        "n": 40,
        "questions": 40,
        "left_out": 0,
        "coverage": 1.0,
    }
    about = {"endpoint": "m", "task": TASK.name, "metric": metric, "facet": facet, "value": value}
    return {**about, **states, **known, **numbers}


def lines(table: Table) -> list[list[str]]:
    """The cells of what is printed, line by line."""
    console = Console(width=200)
    with console.capture() as captured:
        console.print(table)
    return [
        [cell.strip() for cell in line.split("  ") if cell.strip()] for line in captured.get().splitlines()
    ]


def frame(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCORES)


def test_a_table_of_scores_has_the_states_that_occur_and_says_what_is_left_out() -> None:
    scores = frame(
        row(
            OTHER.name,
            low=40.04,
            high=61.26,
            n=1000,
            left_out=400,
            coverage=0.6,
            why_left_out='{"unreadable": 400}',
        ),
        row(HEADLINE.name, high=62.0, effective_questions=9.2, why_left_out='{"unreadable": 400}'),
        row(HEADLINE.name, "culture", "KR", score=1.0),
        row(TASK.metrics[2].name, n=0),
    )
    title, heading, first, second, caption = lines(scores_table(TASK, scores))
    assert title == [TASK.title]
    assert heading == ["metric", "score", "95 % interval", "n", "coverage", "not answered"]
    assert first == [
        HEADLINE.label, "51.24", "40.0 – 62.0", "40 (worth 9 questions)", "100\u202f%", "3 refused, 1 unreadable",
    ]  # fmt: skip
    assert second == [
        OTHER.label,
        "51.24",
        "40.0 – 61.3",
        "600 of 1,000",
        "60.0\u202f%",
        "3 refused, 1 unreadable",
    ]
    assert caption == [f"{HEADLINE.label}, {OTHER.label}: the profile leaves out 400 unreadable"]


def test_a_headline_by_a_facet_has_a_row_for_each_of_its_groups_in_place_of_the_whole() -> None:
    by = HEADLINE.headline_by
    assert by is not None
    groups = [
        row(metric.name, by, value, score=score)
        for metric in (HEADLINE, OTHER)
        for value, score in (("local language", 12.0), ("English", 34.0))
    ]
    _, _, *shown = lines(scores_table(TASK, frame(row(HEADLINE.name), row(OTHER.name), *groups)))
    assert [cells[:2] for cells in shown] == [
        [f"{HEADLINE.label}, local language", "12.00"],
        [f"{HEADLINE.label}, English", "34.00"],
        [OTHER.label, "51.24"],
    ]


def test_a_table_by_a_facet_has_the_headline_of_each_group() -> None:
    scores = frame(
        row(OTHER.name, "culture", "KR", score=1.0),
        row(HEADLINE.name, "culture", "KR", high=60.0, left_out=10, coverage=0.75),
        row(HEADLINE.name, "culture", "ET", score=None, low=None, effective_questions=1.0),
        row(HEADLINE.name, "language", "ko"),
        row(HEADLINE.name),
    )
    heading, *shown = lines(facet_table(TASK, scores, "culture"))
    assert heading == ["culture", HEADLINE.label, "95 % interval", "n", "coverage"]
    assert shown == [
        ["South Korea", "51.24", "40.0 – 60.0", "30 of 40", "75.0\u202f%"],
        ["Ethiopia", "–", "–", "40 (worth 1 question)", "100\u202f%"],
    ]
    (second,) = lines(facet_table(TASK, scores.filter(metric=OTHER.name), "culture"))[1:]
    assert second[:2] == ["South Korea", "1.00"], "the first metric that has scores"
    with pytest.raises(
        UnknownNameError, match=r"unknown facet of blend/saq in these replies: 'topic'"
    ) as error:
        facet_table(TASK, scores, "topic")
    assert str(error.value).endswith("valid: culture, language")


def test_a_narrow_terminal_shows_every_state() -> None:
    states = {"refused": 1, "unreadable": 58, "truncated": 41, "failed": 12, "missing": 7}
    of_task = row(HEADLINE.name, high=62.0, n=15500, **states)
    console = Console(width=80)
    with console.capture() as captured:
        console.print(scores_table(TASK, frame(of_task)))
    shown = " ".join(captured.get().split())
    for state, amount in states.items():
        assert f"{amount} {state}" in shown, state
    assert all(len(line) <= 80 for line in captured.get().splitlines())
