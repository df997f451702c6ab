"""SemEval-2026 Task 7 (Ousidhoum et al., 2026): BLEnD in 61 locales, as short answers and multiple choice."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.free_answers.matching import StrictMatcher
from folkways.benchmarks.published import PublishedFigures
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.semeval2026 import release
from folkways.benchmarks.semeval2026.predictions import SUBMISSIONS
from folkways.benchmarks.semeval2026.release import people_answered, read_answers
from folkways.benchmarks.semeval2026.tasks import MultipleChoice, ShortAnswers
from folkways.benchmarks.semeval2026.templates import sampled_questions
from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.whose_culture.matching import ROW, Wording, of_answers
from folkways.benchmarks.whose_culture.result import whose_culture

SAQ, MCQ = "semeval2026/saq", "semeval2026/mcq"
NEEDED = (*ROW, "endpoint", "culture", "language", "question", "state", "answer", "counted", "correct")


def _matches(inputs: Inputs) -> pl.DataFrame:
    """Replies are compared with the answers of the regions that were asked in the same language."""
    judged = inputs.of(SAQ, columns=NEEDED)
    entries = list(read_answers(inputs.releases[SAQ]))
    if not any(entry.english for entry in entries):
        raise NotAvailableError(
            f"needs the questions' texts, which tell which questions about two regions are the same ({SAQ})"
        )
    questions = sampled_questions(entries)
    answers: dict[tuple[str, str], dict[str, Sequence[Sequence[Wording]]]] = {}
    for entry in entries:
        groups = [((answer, entry.language),) for answer in people_answered(entry.answers)]
        if groups:
            answers.setdefault((questions[entry.number], entry.language), {}).setdefault(
                entry.culture, groups
            )
    matcher = StrictMatcher("simple")

    def same(answer: str, reply: str, language: str) -> bool:
        return matcher.compare(answer, reply, language) is not None

    return of_answers(
        judged, "correct", pl.col("question").cast(pl.String), lambda *asked: answers.get(asked, {}), same
    )


RESULTS = (
    whose_culture(SAQ, _matches),
    consistency(SAQ, "correct", chosen=None, same=("culture", "question")),
    consistency(MCQ, "correct"),
)


BENCHMARK = Benchmark(
    "semeval2026",
    "SemEval-2026 Task 7",
    (ShortAnswers(), MultipleChoice()),
    reader=release,
    published=PublishedFigures("folkways.benchmarks.semeval2026.published"),
    results=RESULTS,
    submissions=SUBMISSIONS,
)
