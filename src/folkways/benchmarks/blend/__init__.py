"""BLEnD (Myung et al., 2024): everyday questions of 16 cultures, as short answers and as multiple choice."""

from folkways.benchmarks.blend.analyses import ANALYSES
from folkways.benchmarks.blend.choices import MultipleChoice
from folkways.benchmarks.blend.short_answers import ShortAnswers

__all__ = ["ANALYSES", "TASKS"]

TASKS = (ShortAnswers(), MultipleChoice())
