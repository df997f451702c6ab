"""culturalbench/easy: four options, one letter (section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import polars as pl

from folkways.benchmarks.culturalbench import wordings
from folkways.benchmarks.culturalbench.common import CulturalBenchTask, Row
from folkways.metrics.labels import exact_label, first_label
from folkways.records import Metric, Schema
from folkways.releases import culturalbench
from folkways.releases.base import Release


class Easy(CulturalBenchTask):
    """Right when the reply gives the letter of the gold option. Chance is 25 %."""

    name: ClassVar[str] = "culturalbench/easy"
    title: ClassVar[str] = "CulturalBench-Easy"
    about: ClassVar[str] = "Choose one of four options to a question about a country or region (sections 3.3 and 5)."
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("right", "Right", "The reply gives the letter of the gold option (section 5)."),
    )
    labels: ClassVar[tuple[str, ...]] = culturalbench.LETTERS
    wordings: ClassVar[Mapping[str, str]] = wordings.EASY
    own_columns: ClassVar[Schema] = {"options": pl.List(pl.String)}

    def rows(self, release: Release) -> list[Row]:
        seen: dict[str, int] = {}
        rows = []
        for entry in culturalbench.easy(release).iter_rows(named=True):
            number = seen[entry["question_idx"]] = seen.get(entry["question_idx"], 0) + 1
            options = dict(zip(self.labels, entry["options"], strict=True))
            rows.append(
                {
                    "item": f"easy/{entry['question_idx']}" + (f"-{number}" if number > 1 else ""),
                    "release_id": entry["question_idx"],
                    "question": entry["question_idx"],
                    "culture": entry["culture"],
                    "text": entry["question"],
                    "gold": f"{entry['answer']}. {options.get(entry['answer'], '')}",
                    "mode": entry["mode"],
                    "region": entry["region"],
                    "answer": entry["answer"],
                    "options": entry["options"],
                }
            )
        return rows

    def parts(self, item: Row) -> Mapping[str, str]:
        return {"question": item["text"], **dict(zip("abcd", item["options"], strict=True))}

    def read(self, reply: str, profile: str) -> str | None:
        return exact_label(reply, self.labels) if profile == "paper" else first_label(reply, self.labels)
