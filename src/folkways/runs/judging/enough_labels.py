"""Whether people have labelled enough: an interval of the corrected rate that may be looked at after every
label.

Who looks after each batch of labels, and stops once an ordinary interval is narrow, has looked too often.
This one is wider, so that the rate stays inside at all looks together (``stats.sequences.at_any_time``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import polars as pl

from folkways.runs.judging.calibrated import Cases, Finding
from folkways.stats.intervals import DEFAULT_CONFIDENCE, Interval
from folkways.stats.raters.calibration import CorrectedRate
from folkways.stats.raters.stratified_calibration import stratified_ppi
from folkways.stats.sequences import at_any_time


@dataclass(frozen=True, slots=True)
class Stop:
    """Whether one model's labels are enough. target: half the width that is wanted, a share; rows:
    counted items; replies: those that have a reply; in_order: whether the labels are those
    that ``next_labels`` lists first in each culture.
    """

    endpoint: str
    found: CorrectedRate
    target: float
    rows: int
    replies: int
    questions: int
    in_order: bool

    @property
    def half(self) -> float:
        """Half the interval's width, a share; NaN without one."""
        return (self.found.interval.high - self.found.interval.low) / 2

    def finding(self, judge: str) -> Finding:
        """In percent."""
        low, high = (100 * bound for bound in (self.found.interval.low, self.found.interval.high))
        interval = Interval(low, high, self.found.interval.method)
        size = (self.rows, self.questions)
        return Finding(
            self.endpoint, judge, None, "corrected_at_any_time", 100 * self.found.rate, interval, *size
        )

    @property
    def words(self) -> str:
        """For the person who labels."""
        wanted, n = f"±{100 * self.target:g} points", self.found.labelled
        drawn = (
            ""
            if self.in_order
            else "; the labels are not those that --label-next lists: this holds if they are a random draw"
        )
        if math.isnan(self.half):
            return f"{self.endpoint}: not enough labels yet to say how many it takes to reach {wanted}"
        reached = f"±{100 * self.half:.1f} points by {n:,} labels, whenever you look"
        if self.half <= self.target:
            return f"{self.endpoint}: labels are enough for {wanted} ({reached}){drawn}"
        missing = min(math.ceil(n * ((self.half / self.target) ** 2 - 1)), self.replies - n)
        more = (
            f"some {missing:,} more may be"
            if missing < self.replies - n
            else f"not even all {self.replies:,} replies may be"
        )
        return f"{self.endpoint}: labels are not enough for {wanted} ({reached}); {more}{drawn}"


def enough_labels(verdicts: pl.DataFrame, target: float) -> list[Stop]:
    """One for each model of a task: VERDICTS of one judge with ``_order``
    (replies_to_judge.drawing_order)."""
    stops = []
    for (endpoint,), part in verdicts.group_by(["endpoint"], maintain_order=True):
        cases = Cases.of(part)
        n = int(part["label"].count())
        confidence = 2 * NormalDist().cdf(at_any_time(n, DEFAULT_CONFIDENCE)) - 1 if n else DEFAULT_CONFIDENCE
        found = stratified_ppi(
            cases.verdicts, cases.labels, cases.cultures, cases.questions, confidence=confidence
        ).corrected
        named = Interval(
            found.interval.low,
            found.interval.high,
            f"stratified prediction-powered, anytime {DEFAULT_CONFIDENCE:.0%}",
        )
        of_culture = part.filter(pl.col("ended") != "no reply").sort("culture", "_order")
        before = pl.col("label").is_not_null().cast(pl.Int8).diff().over("culture")
        in_order = not of_culture.select((before > 0).any()).item()
        found = CorrectedRate(found.rate, named, found.labelled, found.tuning)
        stops.append(
            Stop(
                str(endpoint),
                found,
                target,
                part.height,
                of_culture.height,
                part["question"].n_unique(),
                in_order,
            )
        )
    return stops
