"""CulturalBench as released: reading it (``culturalbench_reading``) and saying what is odd about it (``culturalbench_check``)."""

from folkways.releases.culturalbench_check import check
from folkways.releases.culturalbench_reading import LETTERS, easy, hard, is_multi_mode, looks_like, read_easy, read_hard

__all__ = ["LETTERS", "check", "easy", "hard", "is_multi_mode", "looks_like", "read_easy", "read_hard"]
