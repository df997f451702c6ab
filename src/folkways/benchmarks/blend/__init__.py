"""BLEnD (Myung et al., 2024): everyday questions of 16 cultures, as short answers and as multiple choice."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.blend import data
from folkways.benchmarks.blend.analyses import ANALYSES
from folkways.benchmarks.blend.choices import MultipleChoice
from folkways.benchmarks.blend.export import EXPORT
from folkways.benchmarks.blend.short_answers import ShortAnswers

BENCHMARK = Benchmark("blend", "BLEnD", (ShortAnswers(), MultipleChoice()), reader=data, analyses=ANALYSES, exports=(EXPORT,))
