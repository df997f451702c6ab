"""Whether people have labelled enough: an interval of the corrected rate that may be looked at after every label.

Who looks after each batch of labels and stops once an ordinary interval is narrow has looked too often. This one is wider, so that
the rate stays inside at all looks together (``stats.sequences.at_any_time``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from folkways.runs.judging.calibrated import Cases, Finding
from folkways.stats.raters.calibration import Corrected
from folkways.stats.raters.stratified_calibration import stratified_powered
from folkways.stats.sequences import at_any_time
