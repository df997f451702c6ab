"""NormAd-Eti: is what happens in a story acceptable, the more the model is told of the country's rules (arXiv
2404.12464)?"""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.normad import release
from folkways.benchmarks.normad.results import RESULTS
from folkways.benchmarks.normad.task import NormAd
from folkways.benchmarks.published import Published

BENCHMARK = Benchmark(
    "normad",
    "NormAd-Eti",
    (NormAd(),),
    reader=release,
    results=RESULTS,
    published=Published("folkways.benchmarks.normad.published"),
    caution=(
        "The whole is the mean over the levels of context that were asked, from the story alone to its "
        "rule: read the levels "
        "apart (folkways analyse RUN levels). Where the answer is Neither, the country is a foil."
    ),
)
