"""Which right answers of a task's own items pass for one of the options: a label, a label and a text, or an option."""

from __future__ import annotations

from copy import copy

import polars as pl
import pytest

from folkways.benchmarks.contract import items_of
from folkways.benchmarks.frame_checks import item_problems
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release


@pytest.mark.parametrize(
    ("gold", "is_option"),
    [
        ("C", True),
        ("c", True),
        ("C. Thanksgiving", True),
        ("c) yes", True),
        ("Thanksgiving", True),
        (" Labor Day ", True),
        ("Cat", False),  # begins with a label, as a word does
        ("Thanks", False),
        ("E", False),
        ("", False),
        (None, False),
    ],
)
def test_a_right_answer_for_people_names_an_option(gold: str | None, is_option: bool) -> None:
    task = copy(get_task("demo/mcq"))
    task.gold_label = ""  # type: ignore[attr-defined]
    items = pl.concat(items_of(task, open_release("demo"))).filter(item="US/holidays-1")
    problems = list(item_problems(task, items.with_columns(gold=pl.lit(gold, pl.String))))
    assert (problems == []) is is_option
    assert is_option or f"gold {gold!r} is not one of the options A, B, C, D" in problems[0]
