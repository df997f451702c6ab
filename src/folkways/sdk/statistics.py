"""Intervals of shares and means, how far people agree, and how two samples differ."""

from __future__ import annotations

from folkways.evidence.samples import (
    Course,
    Rows,
    SampleDifference,
    compare_samples,
    course_of,
    mean_of_units,
)
from folkways.stats.clusters import clustered_mean
from folkways.stats.intervals import Interval, cluster_totals, wilson
from folkways.stats.raters import agreement
from folkways.stats.raters.agreement import Coefficient
from folkways.stats.raters.graded import fitting
from folkways.stats.two_way import two_way_difference, two_way_mean

__all__ = [
    "Coefficient",
    "Course",
    "Interval",
    "Rows",
    "SampleDifference",
    "agreement",
    "cluster_totals",
    "clustered_mean",
    "compare_samples",
    "course_of",
    "fitting",
    "mean_of_units",
    "two_way_difference",
    "two_way_mean",
    "wilson",
]
