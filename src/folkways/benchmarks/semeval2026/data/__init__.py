"""SemEval-2026 Task 7 as released: the competition's data (``reading``), the trial data, and what is odd in
them (``check``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from folkways.benchmarks.semeval2026.data import reading, trial
from folkways.benchmarks.semeval2026.data.check import check
from folkways.benchmarks.semeval2026.data.reading import Entry, people_answered, ways_to_put
from folkways.releases.release_records import Release

__all__ = [
    "check",
    "looks_like",
    "people_answered",
    "questions_file",
    "read_answers",
    "read_letters",
    "ways_to_put",
]


def looks_like(folder: Path) -> bool:
    """Whether a folder has the gold of one of the tasks, or the trial data."""
    return any(
        (folder / name).is_file() for name in (reading.ANSWERS, reading.LETTERS, trial.ANSWERS, trial.LETTERS)
    )


def read_answers(release: Release) -> Iterator[Entry]:
    """The short-answer questions of a release: of its gold, or of the trial data where there is no gold."""
    return trial.read_answers(release) if trial.is_trial(release) else reading.read_answers(release)


def read_letters(release: Release) -> Iterator[Entry]:
    """The multiple-choice questions in the same way."""
    return trial.read_letters(release) if trial.is_trial(release) else reading.read_letters(release)


def questions_file(release: Release, *, options: bool) -> str:
    """The file without which nothing can be asked: of the questions with options, or of those without."""
    if trial.is_trial(release):
        return trial.LETTERS if options else trial.ANSWERS
    return reading.CHOICES if options else reading.QUESTIONS
