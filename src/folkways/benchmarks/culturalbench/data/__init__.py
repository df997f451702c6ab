"""CulturalBench as released: reading it (``release``) and saying what is odd about it (``check``)."""

from folkways.benchmarks.culturalbench.data.check import check
from folkways.benchmarks.culturalbench.data.release import LETTERS, easy, hard, is_multi_mode, looks_like

__all__ = ["LETTERS", "check", "easy", "hard", "is_multi_mode", "looks_like"]
