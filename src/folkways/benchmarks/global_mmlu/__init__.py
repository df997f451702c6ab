"""Global-MMLU in full: MMLU's exam questions in 42 languages, some of them culturally sensitive (arXiv
2412.03304)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import polars as pl

from folkways.benchmarks.base import Benchmark, Scoring
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.multiple_choice.release import ChoiceReader
from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.releases.release_records import Release


class _LargeTask(ChoiceTask):
    """590,000 questions: judged a page at a time."""

    scoring: ClassVar[Scoring] = Scoring(aliases={"lenient": "strict"}, per_reply=True)

    def item_batches(self, release: Release) -> Iterator[pl.DataFrame]:
        return self.batches_of_rows(release)


TASK = _LargeTask.from_toml("folkways.benchmarks.global_mmlu", "mcq.toml")


BENCHMARK = Benchmark(
    "global-mmlu",
    "Global-MMLU",
    (TASK,),
    reader=ChoiceReader(TASK),
    results=(consistency(TASK.name, "accuracy", same=("question",)),),
    caution=(
        "The questions are MMLU's, translated, most of them by machine: about 6.5 % of MMLU's answers are "
        "wrong (Gema et al. 2024), so that no honest model reaches 100 %, and old enough to be in what "
        "models have read."
    ),
)
