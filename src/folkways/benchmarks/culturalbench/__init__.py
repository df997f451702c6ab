"""CulturalBench: questions of 45 countries and regions, as four options (Easy) and as four judgements each (Hard)."""

from __future__ import annotations

from folkways.benchmarks.base import Task
from folkways.benchmarks.culturalbench.analyses import ANALYSES
from folkways.benchmarks.culturalbench.easy import Easy
from folkways.benchmarks.culturalbench.hard import Hard

TASKS: tuple[Task, ...] = (Easy(), Hard())

__all__ = ["ANALYSES", "TASKS"]
