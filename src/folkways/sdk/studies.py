"""What people said, as benchmarks take it: a study, its items and votes (``Benchmark.exports``)."""

from __future__ import annotations

from folkways.benchmarks.studies import (
    IDK,
    NO_OPINIONS,
    OTHER,
    Study,
    StudyItem,
    StudyPeople,
    Vote,
    answers_by_person,
    count_people,
    shown_in_reverse,
)

__all__ = [
    "IDK",
    "NO_OPINIONS",
    "OTHER",
    "Study",
    "StudyItem",
    "StudyPeople",
    "Vote",
    "answers_by_person",
    "count_people",
    "shown_in_reverse",
]
