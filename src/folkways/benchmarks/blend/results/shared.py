"""What BLEnD's tables share: the tasks, the order of topics and cultures, and the mean over questions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import Interval, clustered_normal

SAQ, MCQ = "blend/saq", "blend/mcq"
ENGLISH = "en"

TOPICS = ("Food", "Sport", "Family", "Education", "Holidays/Celebration/Leisure", "Work life")
"""The release's names of the topics, in the paper's order."""

CULTURES = (
    "US",
    "GB",
    "ES",
    "MX",
    "ID",
    "CN",
    "KR",
    "DZ",
    "GR",
    "IR",
    "KP",
    "AZ",
    "ID-JB",
    "IN-AS",
    "NG-N",
    "ET",
)
"""The cultures in the order of the paper's tables."""

EVERY = "all"
"""The category over all topics."""


def mean_over_questions(values: npt.NDArray[np.float64]) -> tuple[float, Interval]:
    """The mean of one value per question, and its normal interval; NaN of nothing."""
    mean = float(values.mean()) if values.size else float("nan")
    return mean, clustered_normal(values, np.arange(values.size))
