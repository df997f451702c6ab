"""SemEval-2026 Task 7 (Ousidhoum et al., 2026): BLEnD grown to 61 locales, as short answers and as multiple
choice."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.published import PublishedFigures
from folkways.benchmarks.semeval2026 import data
from folkways.benchmarks.semeval2026.choices import MultipleChoice
from folkways.benchmarks.semeval2026.predictions import SUBMISSIONS
from folkways.benchmarks.semeval2026.results import RESULTS
from folkways.benchmarks.semeval2026.short_answers import ShortAnswers

BENCHMARK = Benchmark(
    "semeval2026",
    "SemEval-2026 Task 7",
    (ShortAnswers(), MultipleChoice()),
    reader=data,
    published=PublishedFigures("folkways.benchmarks.semeval2026.published"),
    results=RESULTS,
    submissions=SUBMISSIONS,
)
