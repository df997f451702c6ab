"""Global PIQA, parallel: the same everyday physical questions, translated into many language varieties (arXiv
2510.24081)."""

from __future__ import annotations

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.multiple_choice.release import ChoiceReader
from folkways.benchmarks.multiple_choice.task import ChoiceTask

TASK = ChoiceTask.from_toml("folkways.benchmarks.global_piqa_parallel", "mcq.toml")


BENCHMARK = Benchmark(
    "global-piqa-parallel",
    "Global PIQA, parallel",
    (TASK,),
    reader=ChoiceReader(TASK),
    results=(consistency(TASK.name, "accuracy", same=("question",)),),
    caution="Translated from English: it tells what a language costs, not what a model knows of a culture.",
)
