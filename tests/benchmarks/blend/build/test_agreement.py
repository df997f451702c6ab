"""Agreement of two builds, against counts made by hand."""

from __future__ import annotations

import json

import polars as pl

from folkways.benchmarks.blend.build.items import RELEASED, agreement


def items(*rows: tuple[str, str, str, str]) -> pl.DataFrame:
    """Rows of question, country, options (one letter each, in the order of A, B, ...) and right letter."""
    table = []
    for number, (question, country, options, letter) in enumerate(rows):
        choices = dict(zip("ABCD", options, strict=True))
        table.append(
            (f"{question}_{number}", question, country, "?", json.dumps(choices), json.dumps(choices), letter)
        )
    return pl.DataFrame(table, schema=dict.fromkeys(RELEASED, pl.String), orient="row")


def test_ids_letters_and_repetitions_do_not_matter() -> None:
    first = items(("Q-1", "UK", "abcd", "A"), ("Q-1", "UK", "abce", "A"), ("Q-2", "UK", "abcd", "B"))
    second = items(
        ("Q-2", "UK", "bacd", "A"),
        ("Q-1", "UK", "dcba", "D"),
        ("Q-1", "UK", "abcd", "A"),
        ("Q-3", "UK", "abcd", "A"),
    )
    found = agreement(first, second)
    assert (found.first, found.second, found.common) == (3, 3, 2)
    assert (found.questions, found.equal_questions, found.jaccard) == (3, 1, 0.5)
    assert found.by_question.rows() == [("Q-1", 2, 1, 1), ("Q-2", 1, 1, 1), ("Q-3", 0, 1, 0)]


def test_another_right_answer_is_another_item() -> None:
    assert agreement(items(("Q-1", "UK", "abcd", "A")), items(("Q-1", "UK", "abcd", "B"))).common == 0


def test_two_empty_builds_agree() -> None:
    assert agreement(items(), items()).jaccard == 1.0
