"""The demo: questions of our own in every format, to try the tool with and to copy when adding a
benchmark."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.demo.sentences import Adaptation, Identification, Prediction
from folkways.benchmarks.demo.tasks import EverydayLife, MultipleChoice, ShortAnswers, TrueFalse

BENCHMARK = Benchmark(
    "demo",
    "Demo",
    (
        ShortAnswers(),
        MultipleChoice(),
        TrueFalse(),
        Identification(),
        Prediction(),
        Adaptation(),
        EverydayLife(),
    ),
    results=(consistency("demo/saq", "correct", chosen=None), consistency("demo/mcq", "correct")),
    caution="The demo questions were written by the developers of folkways and not checked by people of "
    "these cultures. They show what the tool does; they do not measure a model.",
    aliases=("sample",),
)
