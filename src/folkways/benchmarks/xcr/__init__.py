"""XCR-Bench: finding, predicting and adapting what is specific to a culture in everyday English sentences."""

from __future__ import annotations

from folkways.benchmarks.base import Task
from folkways.benchmarks.xcr.adaptation import Adaptation
from folkways.benchmarks.xcr.analyses import ANALYSES
from folkways.benchmarks.xcr.identification import Identification
from folkways.benchmarks.xcr.prediction import Prediction

__all__ = ["ANALYSES", "TASKS"]

TASKS: tuple[Task, ...] = (Identification(), Prediction(), Adaptation())
