"""What people said, as benchmarks take it: a study, its items and votes (``Benchmark.exports``)."""

from __future__ import annotations

from folkways.benchmarks.studies import (
    IDK,
    NO_SPECIFIC_ANSWER,
    NOT_APPLICABLE,
    OTHER,
    Study,
    StudyItem,
    Vote,
    answers_by_person,
    count_people,
)

__all__ = [
    "IDK",
    "NOT_APPLICABLE",
    "NO_SPECIFIC_ANSWER",
    "OTHER",
    "Study",
    "StudyItem",
    "Vote",
    "answers_by_person",
    "count_people",
]
