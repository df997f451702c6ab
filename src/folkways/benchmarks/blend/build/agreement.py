"""How far two builds of the same questions agree, item by item."""

from __future__ import annotations

from dataclasses import dataclass

import orjson
import polars as pl

ITEM = ("ID", "country", "answer", "options")
"""What an item is, whatever its id: question, country, the right answer, and the options in any order."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Items of two builds.

    first, second, common: numbers of distinct items. questions: in either. equal_questions: with the same
    items in both. by_question: ID, first, second, common.
    """

    first: int
    second: int
    common: int
    questions: int
    equal_questions: int
    by_question: pl.DataFrame

    @property
    def jaccard(self) -> float:
        """Share of common items among those of either build; 1 where neither has any."""
        either = self.first + self.second - self.common
        return self.common / either if either else 1.0


def agreement(first: pl.DataFrame, second: pl.DataFrame) -> Agreement:
    """Compare two tables of items.RELEASED."""
    one, other = canonical(first), canonical(second)
    common = one.join(other, on=list(ITEM), how="inner")
    counts = [
        frame.group_by("ID").agg(pl.len().alias(name))
        for name, frame in (("first", one), ("second", other), ("common", common))
    ]
    by_question = counts[0]
    for count in counts[1:]:
        by_question = by_question.join(count, on="ID", how="full", coalesce=True)
    by_question = by_question.fill_null(0).sort("ID")
    equal = by_question.filter(pl.col("first") == pl.col("common"), pl.col("second") == pl.col("common"))
    return Agreement(one.height, other.height, common.height, by_question.height, equal.height, by_question)


def canonical(items: pl.DataFrame) -> pl.DataFrame:
    """The distinct items as ITEM, the options as one sorted JSON list."""
    rows = set()
    for question, country, choices, letter in items.select(
        "ID", "country", "choices", "answer_idx"
    ).iter_rows():
        options = orjson.loads(choices)
        rows.add((question, country, options[letter], orjson.dumps(sorted(options.values())).decode()))
    return pl.DataFrame(sorted(rows), schema=dict.fromkeys(ITEM, pl.String), orient="row")
