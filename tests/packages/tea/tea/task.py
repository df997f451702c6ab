"""tea/mcq: the task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.itemwise import ItemwiseTask, ReplyScore, Row, unparsed
from folkways.benchmarks.templates import PromptOptions, Template, choose_templates
from folkways.records import Metric, Schema
from folkways.releases.release_records import Release
from folkways.text.labels import chosen_label
from tea.data import read

PLAIN = Template("{question}\nA. {a}\nB. {b}\nC. {c}\nAnswer with one letter.", "tea")


class Tea(ItemwiseTask):
    """Right when the reply settles on the right letter. Chance is 33 %."""

    name: ClassVar[str] = "tea/mcq"
    release: ClassVar[str] = "tea"
    title: ClassVar[str] = "Tea"
    about: ClassVar[str] = "How people drink tea, as three options."
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("correct", "Accuracy", "The reply settles on the right letter."),
    )
    facets: ClassVar[tuple[str, ...]] = ()
    variants: ClassVar[tuple[str, ...]] = ("plain",)
    labels: ClassVar[tuple[str, ...]] = ("A", "B", "C")
    item_columns: ClassVar[Schema] = {"options": pl.List(pl.String)}
    max_tokens: ClassVar[int] = 8

    def rows(self, release: Release) -> Iterator[Row]:
        """Each id once."""
        for row in {row["id"]: row for row in reversed(list(read(release)))}.values():
            yield {
                "item": row["id"],
                "culture": row["culture"],
                "text": row["question"],
                "options": row["options"].split("|"),
                "gold": row["answer"],
            }

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        """One."""
        return choose_templates(
            self.name, options, {"plain": lambda: PLAIN}, self.variants, needed=("question", "a", "b", "c")
        )

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        """Question and options."""
        return {"question": item["text"], **dict(zip("abc", item["options"], strict=True))}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        """By the first letter."""
        letter = chosen_label(response["response"], dict(zip(self.labels, item["options"], strict=True)))
        if letter is None:
            return unparsed(response["response"], "en", "no letter in the reply")
        return ReplyScore(letter, f"the answer is {item['gold']}", {"correct": float(letter == item["gold"])})
