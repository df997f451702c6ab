"""Where a model is weakest: the groups of questions whose score lies below its own mean beyond chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

from folkways.display import bound
from folkways.evidence.answers import ENOUGH_REPLIES
from folkways.evidence.contrasts import ALPHA
from folkways.evidence.sentences import unit_words
from folkways.names import facet_title, value_name
from folkways.records import LOST, Metric, is_baseline
from folkways.stats.differences import Difference, gaps_of_groups
from folkways.stats.hypotheses.corrections import holm
from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats
from folkways.stats.pairwise import FEWEST_QUESTIONS

COMPARABLE = (
    pl.col("low").is_not_null()
    & (pl.col("questions") >= FEWEST_QUESTIONS)
    & (pl.sum_horizontal(*LOST) <= (1 - ENOUGH_REPLIES) * pl.col("n"))
)
"""Of records.SCORES: groups that a model may be called worse or better on than on others. Where replies are
lost, which count as wrong, a low score says nothing of the model."""


@dataclass(frozen=True, slots=True)
class WeakSpot:
    """A group of questions on which a model is worse than over all groups of that facet.

    gap, low, high: how far the group's score is worse than the unweighted mean over the groups, in the unit
        of the scores, with its 95 % interval; more is worse, also where less of the metric is better.
    p_holm: corrected for all groups of all facets and tasks of the model (``looks``).
    groups: how many groups with enough questions the mean is over.
    """

    model: str
    task: str
    facet: str
    value: str
    score: float
    gap: float
    low: float
    high: float
    p_holm: float
    groups: int
    looks: int

    @property
    def name(self) -> str:
        """The group as people read it: ``Ethiopia``, ``Amharic``, ``Food (topic)``."""
        name = value_name(self.facet, self.value)
        return name if self.facet in ("culture", "language") else f"{name} ({facet_title(self.facet)})"

    def words(self, metric: Metric) -> str:
        """How far it is below the model's own mean: ``12.3 points worse than its mean over 16 cultures
        (between 4.0 and 20.1)``. metric: that of the task."""
        groups = {"culture": "cultures", "language": "languages"}.get(self.facet, "groups")
        size = f"{bound(self.gap)}{unit_words(metric.scale == 100)}"
        between = f"(between {bound(self.low)} and {bound(self.high)})"
        return f"{size} worse than its mean over {self.groups} {groups} {between}"


def weak_spots(
    scores: Sequence[tuple[pl.DataFrame, Metric, Sequence[str]]],
) -> dict[str, tuple[WeakSpot, ...]]:
    """Model -> the weakest group of each task in which it is worse than its own mean (Holm, 5 %), the worst
    first; empty where none is.

    scores: for each task records.SCORES of one profile and metric, the metric, and the facets whose groups
    are looked at. Those of COMPARABLE are, but of metrics without bounds none.
    """
    gaps: dict[str, list[tuple[dict[str, Any], int, Difference]]] = {}
    for of_task, metric, facets in scores:
        groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in of_task.filter(pl.col("facet").is_in(list(facets)), COMPARABLE).iter_rows(named=True):
            if not is_baseline(row["endpoint"]):
                groups.setdefault((row["endpoint"], row["facet"]), []).append(row)
        for (endpoint, _), rows in groups.items():
            gaps.setdefault(endpoint, []).extend(_gaps(rows, metric))
    return {endpoint: tuple(_worst(of_model)) for endpoint, of_model in gaps.items()}


def _worst(gaps: Sequence[tuple[dict[str, Any], int, Difference]]) -> list[WeakSpot]:
    """The worst significant gap of each task, from all gaps of a model."""
    corrected = holm([gap.p for *_, gap in gaps])
    worst: dict[str, WeakSpot] = {}
    for (row, groups, gap), p_holm in zip(gaps, corrected, strict=True):
        if p_holm < ALPHA and gap.difference > 0:
            spot = WeakSpot(
                model=row["endpoint"],
                task=row["task"],
                facet=row["facet"],
                value=row["value"],
                score=row["score"],
                gap=gap.difference,
                low=gap.low,
                high=gap.high,
                p_holm=p_holm,
                groups=groups,
                looks=len(gaps),
            )
            worst[spot.task] = max(spot, worst.get(spot.task, spot), key=_severity)
    return sorted(worst.values(), key=_severity, reverse=True)


def _severity(spot: WeakSpot) -> tuple[float, str, str]:
    return spot.gap, spot.facet, spot.value


def _gaps(rows: Sequence[dict[str, Any]], metric: Metric) -> Iterator[tuple[dict[str, Any], int, Difference]]:
    """Each group of a facet, how many there are, and how far it is worse than their mean."""
    sign = 1 if metric.lower_is_better else -1
    for row, gap in zip(rows, gaps_to_mean(rows, metric), strict=False):  # none without bounds
        least, most = sorted((sign * gap.low, sign * gap.high))
        yield row, len(rows), Difference(sign * gap.difference, least, most, gap.p)


def gaps_to_mean(rows: Sequence[Mapping[str, Any]], metric: Metric) -> list[Difference]:
    """Each group's score less the unweighted mean over the groups, in the unit of the scores.

    rows: score, low and high of each group, as in records.SCORES. Each counts as many answers as its interval
    says (its effective number of answers). Empty for fewer than two groups, and for a metric without bounds.
    """
    if len(rows) < 2 or metric.bounds is None:
        return []
    span = (metric.bounds[1] - metric.bounds[0]) * metric.scale
    ends = np.array([[row[name] for name in ("score", "low", "high")] for row in rows])
    shares, low, high = shares_of(ends, metric).T
    return [
        Difference(span * gap.difference, span * gap.low, span * gap.high, gap.p)
        for gap in gaps_of_groups(shares, answers_behind(shares, low, high))
    ]


def shares_of(scores: Floats, metric: Metric) -> Floats:
    """Scores of a metric with bounds as shares of the way from the lower to the upper one."""
    assert metric.bounds is not None  # noqa: S101 - asked by the callers
    lowest, highest = (bound * metric.scale for bound in metric.bounds)
    return np.clip((scores - lowest) / (highest - lowest), 0.0, 1.0)


def answers_behind(shares: Floats, low: Floats, high: Floats) -> Floats:
    """The effective number of answers whose Wilson interval these are: both limits x solve
    (x - share)² = z² x (1 - x) / n. The limit on the side of one half counts, which is never modified unless
    the answers are few."""
    z = NormalDist().inv_cdf(0.5 + DEFAULT_CONFIDENCE / 2)
    limit = np.where(shares <= 0.5, high, low)
    with np.errstate(divide="ignore", invalid="ignore"):
        answers = z * z * limit * (1 - limit) / (limit - shares) ** 2
    return np.where(np.isfinite(answers) & (answers > 0), answers, 1.0)
