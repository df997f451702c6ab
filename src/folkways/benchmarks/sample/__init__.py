"""The sample: questions of our own in every format, to try the tool with and to copy when adding a benchmark."""

from __future__ import annotations

from folkways.benchmarks.base import Task
from folkways.benchmarks.sample.choices import MultipleChoice, TrueFalse
from folkways.benchmarks.sample.sentences import Adaptation, Identification, Prediction
from folkways.benchmarks.sample.short_answers import ShortAnswers

TASKS: tuple[Task, ...] = (ShortAnswers(), MultipleChoice(), TrueFalse(), Identification(), Prediction(), Adaptation())
