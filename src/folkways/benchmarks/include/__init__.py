"""INCLUDE: questions of local exams in 44 languages, asked in the language of the exam (arXiv 2411.19799)."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.include import data
from folkways.benchmarks.include.task import Include
from folkways.benchmarks.published import Published

BENCHMARK = Benchmark(
    "include",
    "INCLUDE",
    (Include(),),
    reader=data,
    results=(consistency("include/mcq", "accuracy"),),
    published=Published("folkways.benchmarks.include.published"),
)
