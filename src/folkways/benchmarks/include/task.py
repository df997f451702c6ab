"""include/mcq: exam questions in the language of the exam."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.choosing.task import ACCURACY, ChoiceTask
from folkways.benchmarks.include import data
from folkways.benchmarks.itemwise import Row
from folkways.benchmarks.judging.letters import LETTER_METRICS
from folkways.records import LEFT_OUT, Metric, Schema, State
from folkways.releases.base import Release

FACETS = ("domain", "regional_feature", "level", "gold_letter")
UNREAD = "no readable answer"


class Include(ChoiceTask):
    """Accuracy over all questions; the paper's second number, over replies that could be read, stands beside it. Chance is 25 %."""

    name: ClassVar[str] = "include/mcq"
    release: ClassVar[str] = "include"
    title: ClassVar[str] = "INCLUDE"
    about: ClassVar[str] = (
        "Questions of local exams and tests in 44 languages, asked in the language of the exam (arXiv 2411.19799): knowledge of a "
        "region, from its history to its driving licence."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        ACCURACY,
        Metric(
            "answer_accuracy",
            "Accuracy of readable replies",
            "The same without the replies that could not be read: what a model knows where it answers, and no score.",
            leaves_out=True,
        ),
        *LETTER_METRICS,
    )
    facets: ClassVar[tuple[str, ...]] = FACETS
    item_columns: ClassVar[Schema] = {**ChoiceTask.item_columns, **dict.fromkeys(FACETS, pl.String)}
    judgement_columns: ClassVar[Schema] = {**ChoiceTask.judgement_columns, LEFT_OUT: pl.String}

    def rows(self, release: Release) -> Iterator[Row]:
        numbers: Counter[str] = Counter()
        for entry in data.entries(release):
            numbers[entry["folder"]] += 1
            if len(entry["options"]) != len(self.labels):  # named by the check; there is nothing to ask
                continue
            item = f"{entry['folder']}/{numbers[entry['folder']]}"
            gold = entry["letter"]
            yield {
                "item": item,
                "culture": entry["code"],
                "text": entry["question"],
                "gold": f"{gold}. {dict(zip(self.labels, entry['options'], strict=True)).get(gold, '')}",
                "options": entry["options"],
                "local_language": entry["language"],
                "gold_letter": gold,
                **{facet: entry[facet] or None for facet in ("domain", "regional_feature", "level")},
            }

    def values(self, item: Row, right: float) -> Mapping[str, float | None]:
        return {"accuracy": right, "answer_accuracy": right}

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """As for every task; replies without a readable answer are left out of ``answer_accuracy`` alone."""
        judged = super().judge(items, responses, profile)
        unread = pl.col("counted") & pl.col("state").is_in([State.REFUSED, State.UNREADABLE])
        return judged.with_columns(
            pl.when(unread).then(None).otherwise("answer_accuracy").alias("answer_accuracy"),
            pl.when(unread).then(pl.lit(UNREAD)).alias(LEFT_OUT),
        )
