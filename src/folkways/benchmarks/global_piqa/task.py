"""global-piqa/mcq: which of two solutions works, in the variety that it was written in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.choosing.task import ChoiceTask
from folkways.benchmarks.global_piqa import data
from folkways.benchmarks.itemwise import Row
from folkways.benchmarks.judging.letters import LETTER_METRICS
from folkways.benchmarks.templates import Template, wordings
from folkways.records import Metric, Schema
from folkways.releases.base import Release
from folkways.text.labels import first_label

FACETS = ("variety", "gold_letter")
FINAL_LINE = "final-line"


class GlobalPIQA(ChoiceTask):
    """The score is the unweighted mean over varieties; the share of all situations stands beside it. Chance is 50 %.

    The variant ``final-line`` lets a model think first and reads the last answer that it states. Published figures were made so,
    with a temperature of 0.8, top-p 0.95 and 2,048 tokens.
    """

    name: ClassVar[str] = "global-piqa/mcq"
    release: ClassVar[str] = "global-piqa"
    title: ClassVar[str] = "Global PIQA"
    about: ClassVar[str] = (
        "Which of two ways to go on works, in everyday physical situations that people wrote in 136 language varieties (arXiv "
        "2510.24081, non-parallel): more than half of them name local food, customs or things."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "accuracy", "Accuracy", "The reply settles on the solution that works; the mean over varieties.", mean_over="variety"
        ),
        *LETTER_METRICS,
    )
    labels: ClassVar[tuple[str, ...]] = data.LETTERS
    facets: ClassVar[tuple[str, ...]] = FACETS
    item_columns: ClassVar[Schema] = {**ChoiceTask.item_columns, **dict.fromkeys(FACETS, pl.String)}

    def rows(self, release: Release) -> Iterator[Row]:
        for entry in data.entries(release):
            gold, variety = entry["letter"], entry["variety"]
            yield {
                "item": f"{variety}/{entry['row']}",
                "culture": data.culture_of(variety),
                "text": entry["prompt"],
                "gold": f"{gold}. {dict(zip(self.labels, entry['options'], strict=True)).get(gold, '')}",
                "options": entry["options"],
                "local_language": data.language_of(variety),
                "variety": variety,
                "gold_letter": gold,
            }

    def wordings(self, language: str) -> Mapping[str, Template]:
        return {
            **super().wordings(language),
            FINAL_LINE: Template(wordings("folkways.benchmarks.global_piqa")[FINAL_LINE], "folkways"),
        }

    def read(self, item: Row, reply: str, variant: str) -> str | None:
        if variant == FINAL_LINE:
            stated = (first_label(line, self.labels) for line in reversed(reply.splitlines()) if line.strip())
            if (last := next(stated, None)) is not None:
                return last
        return super().read(item, reply, variant)
