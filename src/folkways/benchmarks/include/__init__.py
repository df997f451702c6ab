"""INCLUDE: questions of local exams in 44 languages, asked in the language of the exam (arXiv 2411.19799)."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.include.data import READER
from folkways.benchmarks.include.task import TASK
from folkways.benchmarks.published import Published

BENCHMARK = Benchmark(
    "include",
    "INCLUDE",
    (TASK,),
    reader=READER,
    results=(consistency("include/mcq", "accuracy"),),
    published=Published("folkways.benchmarks.include.published"),
)
