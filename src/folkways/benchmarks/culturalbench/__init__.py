"""CulturalBench: questions of 45 countries and regions, as four options (Easy) and as four judgements each (Hard)."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.culturalbench import data
from folkways.benchmarks.culturalbench.analyses import ANALYSES
from folkways.benchmarks.culturalbench.easy import Easy
from folkways.benchmarks.culturalbench.export import EXPORT
from folkways.benchmarks.culturalbench.hard import Hard

BENCHMARK = Benchmark("culturalbench", "CulturalBench", (Easy(), Hard()), reader=data, analyses=ANALYSES, exports=(EXPORT,))
