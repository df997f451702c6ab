"""CulturalBench: questions of 45 countries and regions, as four options (Easy) and as four judgements each
(Hard)."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.culturalbench import data
from folkways.benchmarks.culturalbench.build.commands import BUILDERS
from folkways.benchmarks.culturalbench.export import EXPORT
from folkways.benchmarks.culturalbench.published import PUBLISHED
from folkways.benchmarks.culturalbench.results import RESULTS
from folkways.benchmarks.culturalbench.tasks import Easy, Hard

BENCHMARK = Benchmark(
    "culturalbench",
    "CulturalBench",
    (Easy(), Hard()),
    reader=data,
    results=RESULTS,
    published=PUBLISHED,
    builders=BUILDERS,
    exports=(EXPORT,),
)
