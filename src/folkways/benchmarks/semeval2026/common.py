"""What both tasks share: the release, the facets, and that questions may be absent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from folkways.benchmarks.base import ShownOptions
from folkways.benchmarks.itemwise import ItemwiseTask, Row
from folkways.benchmarks.semeval2026.data import questions_file
from folkways.benchmarks.semeval2026.data.reading import Entry
from folkways.cultures import get_culture
from folkways.records import State
from folkways.releases.release_records import Release


class SemEvalTask(ItemwiseTask):
    """A task on the competition's data, which can be judged without its questions and not asked."""

    release: ClassVar[str] = "semeval2026"
    facets: ClassVar[tuple[str, ...]] = ("locale", "region", "asked_in")
    variants: ClassVar[tuple[str, ...]] = ("plain",)
    has_options: ClassVar[bool]

    def languages(self, item: Row) -> tuple[str, ...]:
        return (item["spoken"],)

    def check_askable(self, release: Release) -> None:
        release.path(questions_file(release, options=self.has_options))

    def options_of(self, item: Mapping[str, Any]) -> ShownOptions:
        return replace(super().options_of(item), order_key=str(item["number"]))

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        return {"correct": 0.0}


def shared_columns(entry: Entry, question: str) -> Row:
    """What the items of both tasks have. ``asked_in`` tells English about a region from the region's own
    language.

    question: what is sampled, which items about several regions share (``templates``).
    """
    culture = get_culture(entry.culture)
    return {
        "item": entry.id,
        "question": question,
        "number": entry.number,
        "culture": entry.culture,
        "spoken": entry.language,
        "text": entry.text,
        "locale": entry.locale,
        "region": culture.region,
        "asked_in": "local language" if entry.language in culture.languages else "English",
    }
