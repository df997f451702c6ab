"""Intervals of shares and means, and how far people agree."""

from __future__ import annotations

from folkways.stats.clusters import clustered_mean
from folkways.stats.intervals import Interval, cluster_totals, wilson
from folkways.stats.raters import agreement
from folkways.stats.raters.agreement import Coefficient
from folkways.stats.raters.graded import fitting
from folkways.stats.two_way import TwoWayDifference, TwoWayMean, two_way_difference, two_way_mean

__all__ = [
    "Coefficient",
    "Interval",
    "TwoWayDifference",
    "TwoWayMean",
    "agreement",
    "cluster_totals",
    "clustered_mean",
    "fitting",
    "two_way_difference",
    "two_way_mean",
    "wilson",
]
