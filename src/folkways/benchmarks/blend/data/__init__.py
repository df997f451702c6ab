"""BLEnD as released: its annotations, questions, prompts and ready-made multiple-choice questions, and what
is odd about them.

Each function that reads takes a release and gives one frame for all its cultures, in the benchmark's fixed
order (GB, US, KR, ...) and within a culture in file order. A release need not have every part; ``has`` tells.
Nothing is corrected while reading: ``check`` lists what is odd about the data.
"""

from folkways.benchmarks.blend.data.check import check
from folkways.benchmarks.blend.data.files import files, has, looks_like
from folkways.benchmarks.blend.data.release import (
    ANNOTATIONS,
    MCQ,
    QUESTIONS,
    country_in_english,
    is_counted,
    read_annotations,
    read_mcq,
    read_mcq_batches,
    read_prompts,
    read_questions,
)

__all__ = [
    "ANNOTATIONS",
    "MCQ",
    "QUESTIONS",
    "check",
    "country_in_english",
    "files",
    "has",
    "is_counted",
    "looks_like",
    "read_annotations",
    "read_mcq",
    "read_mcq_batches",
    "read_prompts",
    "read_questions",
]
