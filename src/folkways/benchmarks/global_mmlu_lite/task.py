"""global-mmlu-lite/mcq: culturally sensitive and culturally agnostic questions, told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.choosing.task import ACCURACY, ChoiceTask
from folkways.benchmarks.global_mmlu_lite import data
from folkways.benchmarks.itemwise import Row
from folkways.benchmarks.judging.letters import LETTER_METRICS
from folkways.records import Metric, Schema
from folkways.releases.base import Release

FACETS = ("sensitivity", "subject_category", "asked_region", "gold_letter")


class GlobalMMLULite(ChoiceTask):
    """The headline is the accuracy on culturally sensitive questions; that on agnostic ones stands beside it. Chance is 25 %.

    One question in several languages is one question: intervals are clustered by it.
    """

    name: ClassVar[str] = "global-mmlu-lite/mcq"
    release: ClassVar[str] = "global-mmlu-lite"
    title: ClassVar[str] = "Global-MMLU-Lite"
    about: ClassVar[str] = (
        "MMLU's exam questions in 23 languages, 200 that ask for knowledge of a culture, region or dialect and 200 that do not "
        "(arXiv 2412.03304): how much worse a model is where culture matters."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("cs_accuracy", "Accuracy, culturally sensitive", "The right letter, over culturally sensitive questions."),
        Metric("ca_accuracy", "Accuracy, culturally agnostic", "The right letter, over culturally agnostic questions."),
        Metric("accuracy", "Accuracy, both kinds", "The right letter, over all questions: what others publish, half of each kind."),
        *LETTER_METRICS,
    )
    facets: ClassVar[tuple[str, ...]] = FACETS
    item_columns: ClassVar[Schema] = {**ChoiceTask.item_columns, **dict.fromkeys(FACETS, pl.String)}

    def rows(self, release: Release) -> Iterator[Row]:
        for entry in data.entries(release):
            gold = entry["answer"]
            yield {
                "item": f"{entry['language']}/{entry['sample_id']}",
                "release_id": entry["sample_id"],
                "question": entry["sample_id"],
                "culture": entry["code"],
                "text": entry["question"],
                "gold": f"{gold}. {dict(zip(self.labels, entry['options'], strict=True)).get(gold, '')}",
                "options": entry["options"],
                "local_language": entry["language"],
                "gold_letter": gold,
                "sensitivity": entry["cultural_sensitivity_label"],
                "subject_category": entry["subject_category"] or None,
                "asked_region": region_of(data.annotated(entry["region"])),
            }

    def values(self, item: Row, right: float) -> Mapping[str, float | None]:
        kind = item["sensitivity"]
        return {
            "cs_accuracy": right if kind == "CS" else None,
            "ca_accuracy": right if kind == "CA" else None,
            ACCURACY.name: right,
        }


def region_of(named: list[str]) -> str | None:
    """The region that annotators name; ``several`` where they name more than one, null for none."""
    return named[0] if len(named) == 1 else "several" if named else None
