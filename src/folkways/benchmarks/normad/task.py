"""normad/acceptable: is what happens acceptable, at four levels of context?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.itemwise import Row
from folkways.benchmarks.multiple_choice.declaration import ACCURACY
from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.benchmarks.normad import release as stories
from folkways.benchmarks.summary import BASE_GROUPINGS, summarise_means
from folkways.benchmarks.templates import Template, wordings
from folkways.records import Metric, Schema
from folkways.releases.release_records import Release
from folkways.text.labels import settled_word

FACETS = ("axis", "subaxis", "gold_label")
LEVELS = ("story", "country", "value", "rule")
"""The variants, from no context to the rule itself."""

WORDS = {"yes": "Yes", "no": "No", "neither": "Neither", "neutral": "Neither"}


class NormAd(ChoiceTask):
    """The four levels of context are variants. Chance is 33 %; saying Yes to everything is right about every
    second time."""

    name: ClassVar[str] = "normad/acceptable"
    release: ClassVar[str] = "normad"
    title: ClassVar[str] = "NormAd-Eti"
    about: ClassVar[str] = (
        "Stories about etiquette in 75 countries: is what is done acceptable? Asked with the story alone, "
        "with the country, with what is valued there, and with the rule of thumb (arXiv 2404.12464)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "accuracy",
            "Accuracy",
            "The reply settles on the right one of Yes, No and Neither.",
            accuracy=True,
        ),
    )
    permutes_options: ClassVar[bool] = False  # no options are listed
    labels: ClassVar[tuple[str, ...]] = ("Yes", "No", "Neither")
    facets: ClassVar[tuple[str, ...]] = FACETS
    variants: ClassVar[tuple[str, ...]] = LEVELS
    places: ClassVar[tuple[str, ...]] = ("story",)
    item_columns: ClassVar[Schema] = {
        **ChoiceTask.item_columns,
        **dict.fromkeys((*FACETS, "country", "value", "rule"), pl.String),
    }

    def rows(self, release: Release) -> Iterator[Row]:
        seen: Counter[str] = Counter()
        for entry in stories.entries(release):
            seen[entry["ID"]] += 1
            gold = stories.LABELS.get(entry["gold"], entry["gold"])
            yield {
                "item": entry["ID"] + (f"-{seen[entry['ID']]}" if seen[entry["ID"]] > 1 else ""),
                "release_id": entry["ID"],
                "culture": entry["code"],
                "text": entry["Story"],
                "gold": gold,
                "options": list(self.labels),
                "local_language": "en",
                "gold_letter": gold,
                "axis": entry["Axis"] or None,
                "subaxis": entry["Subaxis"] or None,
                "gold_label": entry["gold"],
                "country": entry["told"],
                "value": entry["Value"],
                "rule": entry["Rule"],
            }

    def wordings(self, language: str) -> Mapping[str, Template]:
        return {
            level: Template(text, "folkways")
            for level, text in wordings("folkways.benchmarks.normad").items()
        }

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {
            "story": item["text"],
            "question": item["text"],
            **{name: item[name] for name in ("country", "value", "rule")},
        }

    def why_uncounted(self, item: Row, profile: str) -> str | None:
        return self.why_no_option(item)

    def read(self, item: Row, response: Row, profile: str) -> str | None:
        return settled_word(response["response"], WORDS)

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, also by level and label together."""
        groupings = [*BASE_GROUPINGS, ("variant", "gold_label")]
        return summarise_means(judgements, self.name, (ACCURACY,), self.facets, groupings).filter(
            pl.col("n") > 0
        )
