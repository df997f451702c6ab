"""BLEnD-Vis in its formats of text: a region's thing, and a thing's region (arXiv 2510.11178). Its pictures
are not asked."""

from __future__ import annotations

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.multiple_choice.release import ChoiceReader
from folkways.benchmarks.multiple_choice.task import ChoiceTask
from folkways.records import DataIssue
from folkways.releases.release_records import Release

ORIGINAL, REPHRASED = TASKS = tuple(
    ChoiceTask.from_toml("folkways.benchmarks.blend_vis", f"{name}.toml")
    for name in ("original", "rephrased")
)


class VisReader(ChoiceReader):
    """Checks the rows of both formats."""

    def check(self, release: Release) -> list[DataIssue]:
        return [issue for task in TASKS for issue in ChoiceReader(task).check(release)]


READER = VisReader(ORIGINAL)


BENCHMARK = Benchmark(
    "blend-vis",
    "BLEnD-Vis",
    TASKS,
    reader=READER,
    results=tuple(consistency(task.name, "accuracy") for task in TASKS),
    caution=(
        "Things and regions as options are not comparable as levels: see the analysis format-consistency. "
        "folkways has not been run on the released files yet."
    ),
)
