"""What people said, as benchmarks take it: a study, its items and votes (``Benchmark.exports``)."""

from __future__ import annotations

from folkways.benchmarks.studies import IDK, OTHER, Study, StudyItem, Vote, answers_by_person, count_people

__all__ = ["IDK", "OTHER", "Study", "StudyItem", "Vote", "answers_by_person", "count_people"]
