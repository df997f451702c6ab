"""XCR-Bench: finding, predicting and adapting what is specific to a culture in everyday English sentences."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.xcr import data
from folkways.benchmarks.xcr.adaptation import Adaptation
from folkways.benchmarks.xcr.build.commands import BUILDERS
from folkways.benchmarks.xcr.export import EXPORT
from folkways.benchmarks.xcr.identification import Identification
from folkways.benchmarks.xcr.prediction import Prediction
from folkways.benchmarks.xcr.published import PUBLISHED
from folkways.benchmarks.xcr.results import RESULTS

BENCHMARK = Benchmark(
    "xcr",
    "XCR-Bench",
    (Identification(), Prediction(), Adaptation()),
    reader=data,
    results=RESULTS,
    published=PUBLISHED,
    builders=BUILDERS,
    exports=(EXPORT,),
)
