"""BLEnD (Myung et al., 2024): everyday questions of 16 cultures, as short answers and as multiple choice."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.blend import data
from folkways.benchmarks.blend.build.commands import BUILDERS
from folkways.benchmarks.blend.choices import MultipleChoice
from folkways.benchmarks.blend.export import EXPORT
from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.blend.results import RESULTS
from folkways.benchmarks.blend.short_answers import ShortAnswers

BENCHMARK = Benchmark(
    "blend",
    "BLEnD",
    (ShortAnswers(), MultipleChoice()),
    reader=data,
    results=RESULTS,
    published=PUBLISHED,
    builders=BUILDERS,
    exports=(EXPORT,),
)
