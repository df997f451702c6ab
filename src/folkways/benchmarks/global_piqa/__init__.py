"""Global PIQA, non-parallel: everyday physical situations, written by people in their own language variety
(arXiv 2510.24081)."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.global_piqa.data import READER
from folkways.benchmarks.global_piqa.results import RESULTS
from folkways.benchmarks.global_piqa.task import TASK
from folkways.benchmarks.published import Published

BENCHMARK = Benchmark(
    "global-piqa",
    "Global PIQA",
    (TASK,),
    reader=READER,
    results=RESULTS,
    published=Published("folkways.benchmarks.global_piqa.published"),
    caution=(
        "The data changed in June 2026: scores of before cannot be compared. A variety has 100 "
        "situations, and is good to "
        "6 to 10 points: read the shrunk ones (folkways analyse RUN varieties). For evaluation only, "
        "never for training."
    ),
)
