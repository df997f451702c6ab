"""The sample: questions of our own in every format, to try the tool with and to copy when adding a benchmark."""

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.sample.choices import MultipleChoice, TrueFalse
from folkways.benchmarks.sample.sentences import Adaptation, Identification, Prediction
from folkways.benchmarks.sample.short_answers import ShortAnswers

BENCHMARK = Benchmark(
    "sample",
    "Sample",
    (ShortAnswers(), MultipleChoice(), TrueFalse(), Identification(), Prediction(), Adaptation()),
    caution="The sample questions were written by the developers of folkways and not checked by people of these cultures. "
    "They show what the tool does; they do not measure a model.",
)
