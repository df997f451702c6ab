"""Intervals of shares, and how far people agree."""

from __future__ import annotations

from folkways.stats.intervals import Interval, wilson
from folkways.stats.raters import agreement
from folkways.stats.raters.agreement import Coefficient
from folkways.stats.raters.graded import fitting

__all__ = ["Coefficient", "Interval", "agreement", "fitting", "wilson"]
