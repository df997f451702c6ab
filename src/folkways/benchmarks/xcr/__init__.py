"""XCR-Bench: finding, predicting and adapting what is specific to a culture in everyday English sentences."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.xcr import release
from folkways.benchmarks.xcr.adaptation import Adaptation
from folkways.benchmarks.xcr.build.commands import BUILDERS
from folkways.benchmarks.xcr.build.corpus import EXPORT
from folkways.benchmarks.xcr.published import PUBLISHED
from folkways.benchmarks.xcr.results import RESULTS
from folkways.benchmarks.xcr.tasks import Identification, Prediction

BENCHMARK = Benchmark(
    "xcr",
    "XCR-Bench",
    (Identification(), Prediction(), Adaptation()),
    reader=release,
    results=RESULTS,
    published=PUBLISHED,
    builders=BUILDERS,
    exports=(EXPORT,),
)
