"""XCR-Bench as released: reading it (``reading``) and saying what is odd about it (``check``)."""

from folkways.benchmarks.xcr.data.check import check
from folkways.benchmarks.xcr.data.reading import (
    ADAPTATION_FILES,
    BASE_FILE,
    PROMPT_FILES,
    adaptations,
    corpus,
    is_non_transferable,
    looks_like,
    normal_form,
    read_adaptation,
    read_base,
    read_prompt,
)

__all__ = [
    "ADAPTATION_FILES",
    "BASE_FILE",
    "PROMPT_FILES",
    "adaptations",
    "check",
    "corpus",
    "is_non_transferable",
    "looks_like",
    "normal_form",
    "read_adaptation",
    "read_base",
    "read_prompt",
]
