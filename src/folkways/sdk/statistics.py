"""Intervals of shares and means, and how far people agree."""

from __future__ import annotations

from folkways.stats.clusters import clustered_mean
from folkways.stats.intervals import Interval, cluster_totals, wilson
from folkways.stats.raters import agreement
from folkways.stats.raters.agreement import Coefficient
from folkways.stats.raters.graded import fitting

__all__ = ["Coefficient", "Interval", "agreement", "cluster_totals", "clustered_mean", "fitting", "wilson"]
