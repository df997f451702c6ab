"""What reads Global PIQA, one file per language variety, and says what is odd about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from folkways.benchmarks.choosing.check import ChoiceReader, Repeats, check_question
from folkways.benchmarks.global_piqa.task import TASK
from folkways.records import DataIssue
from folkways.releases.base import Release
from folkways.toml_files import packaged_toml

PER_VARIETY = 100
VARIETIES_BEFORE = 116
"""Varieties in the state before June 2026; 136 since."""


def countries() -> Mapping[str, str]:
    """Variety -> the culture that it is at home in."""
    return packaged_toml("folkways.benchmarks.global_piqa", "varieties.toml")


class Reader(ChoiceReader):
    """Of every multiple choice, with what is odd about varieties."""

    def check(self, release: Release) -> list[DataIssue]:
        """Every data issue: cells, solutions and labels; what repeats; varieties that are unknown or have not
        100 situations."""
        issues: list[DataIssue] = []
        repeats = Repeats("duplicate-prompt", "the same situation with the same solutions")
        counts: Counter[str] = Counter()
        of: dict[str, str] = {}
        for entry in self.declared.entries(release):
            file, row, variety = entry["file"], entry["row"], entry["variety"]
            counts[variety] += 1
            of[variety] = file
            issues += check_question(
                file, row, entry["text"], entry["shown_options"], entry["gold_letter"], self.labels
            )
            issues += repeats.issues(
                file, row, (variety, entry["text"], *sorted(entry["shown_options"])), entry["text"][:80]
            )
        for variety, count in counts.items():
            if variety not in countries():
                issues.append(
                    DataIssue(
                        of[variety],
                        "unknown-variety",
                        "a variety that folkways puts in no country",
                        key=variety,
                    )
                )
            if count != PER_VARIETY:
                told = f"{count} situations in place of {PER_VARIETY}"
                issues.append(DataIssue(of[variety], "variety-count", told, key=variety))
        if len(counts) == VARIETIES_BEFORE:
            told = (
                "116 varieties, as before June 2026: the data have changed since, and newer scores "
                "cannot be compared"
            )
            issues.append(DataIssue(of[min(of)], "older-state", told))
        return issues


READER = Reader(TASK)
