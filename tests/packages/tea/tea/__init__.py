"""Tea: a benchmark with all that a benchmark can have, in a package of its own."""

from __future__ import annotations

from folkways.benchmarks.base import Benchmark
from tea import data
from tea.build import BUILDERS
from tea.results import PUBLISHED, RESULTS
from tea.task import Tea

BENCHMARK = Benchmark(
    "tea", "Teas of the world", (Tea(),), reader=data, results=RESULTS, published=PUBLISHED, builders=BUILDERS
)
