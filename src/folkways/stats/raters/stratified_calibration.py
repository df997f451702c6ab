"""Corrects a judge's rate by people's labels culture by culture, and the difference of two models, each by
its own labels.

Stratified prediction-powered inference (Fisch, Maynez, Hofer, Dhingra, Globerson and Cohen, NeurIPS 2024) in
the tuned form PPI++ (Angelopoulos, Duchi and Zrnic, 2023): a judge that is too kind to one culture is
corrected there, and cultures may have any numbers of labels. Labels of one culture are few, so that its
variances and the judge's weight lean on those of others; its correction does not.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats, Interval, Ints, wilson
from folkways.stats.raters.calibration import PSEUDO_LABELS, PSEUDO_VERDICTS, CorrectedRate

PRIOR_LABELS = 4.0
"""Weight, in labels, of the mean variance of all strata in the variance of each (as Smyth 2004 shrinks
variances of few values)."""

PSEUDO_CASES = 1.0
"""Pseudo-cases of each way in which judge and person can agree or not, over all strata. Where n labels show
no error, the rate of errors may still be 3 / n; half a case of each (Agresti and Min, 2005) would allow for 2
/ n.
"""

FEWEST = 2
"""Minimum labels per stratum to estimate its variance; smaller strata are pooled."""


@dataclass(frozen=True, slots=True)
class PPIEstimate:
    """A corrected rate with what the difference of two rates needs.

    variance: of the rate. df: degrees of freedom of its Student's quantile. influence: by how much each
    cluster moves the rate, (highest cluster + 1,). joined: strata that had fewer than FEWEST labels and were
    taken as one, perhaps with another.
    """

    corrected: CorrectedRate
    variance: float
    df: int
    influence: Floats
    joined: tuple[int, ...]


def stratified_ppi(
    verdicts: Floats,
    labels: Floats,
    strata: Ints,
    clusters: Ints,
    *,
    tuning: float | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
) -> PPIEstimate:
    """The rate that people would have found, from a judge's verdicts on all cases and people's labels on some
    of every stratum.

    verdicts: 0 to 1 per case; NaN where there was nothing to judge, which counts as 0 and as known.
    labels: 0 to 1 where a person judged a case, else NaN; in each stratum a random sample of those with a
        verdict.
    strata: a number from 0 per case (its culture). Each weighs as much as it has cases.
    clusters: a number from 0 per case; cases that share one (variants of a question, in whatever strata) may
        depend on each other.

    tuning: weight of the judge; None takes for each stratum the one with the smallest variance in all others.
    confidence: of the interval.

    The variance is linearised over clusters. Residuals' variances are those of the stratum, leaning on the
    mean of all strata's as if on PRIOR_LABELS labels, with PSEUDO_CASES cases of
    each kind of agreement added once.
    The interval is Wilson's of as many independent zeros and ones as would know the rate as well, widened as
    Student's quantile is with as many degrees of freedom as there are labelled clusters in strata, less
    strata. NaN with fewer than FEWEST labelled clusters. ValueError for labels on cases without a verdict.
    """
    method = f"stratified prediction-powered {confidence:.0%} by question"
    judged, labelled = ~np.isnan(verdicts), ~np.isnan(labels)
    if (labelled & ~judged).any():
        raise ValueError("a case without a verdict has a label")
    n, groups = int(labelled.sum()), np.unique(clusters[labelled]).size
    size = int(clusters.max(initial=-1)) + 1
    if groups < FEWEST:
        return PPIEstimate(
            CorrectedRate(math.nan, Interval(math.nan, math.nan, method), n), math.nan, 0, np.zeros(size), ()
        )
    places, joined = _joined(strata, labelled)
    count = int(places.max()) + 1

    def per_stratum(values: Floats | npt.NDArray[np.bool_], where: npt.NDArray[np.bool_]) -> Floats:
        return np.bincount(places[where], weights=values[where], minlength=count).astype(np.float64)

    ones = np.ones(verdicts.size)
    cases, seen, unseen = (
        per_stratum(ones, part) for part in (judged | ~judged, labelled, judged & ~labelled)
    )
    share = (seen + unseen) / cases
    others = judged & ~labelled
    weight = (
        _tuning(verdicts, labels, places, labelled, seen, unseen)
        if tuning is None
        else np.where(unseen > 0, tuning, 0.0)
    )
    residuals = labels - weight[places] * verdicts
    correction = per_stratum(residuals, labelled) / seen
    elsewhere = np.divide(per_stratum(verdicts, others), unseen, out=np.zeros(count), where=unseen > 0)
    of_judged = correction + weight * elsewhere
    rate = float(cases @ (share * of_judged)) / verdicts.size

    scale = cases * share / verdicts.size
    from_labels, rest = np.zeros(verdicts.size), of_judged[places] * (judged - share[places]) / verdicts.size
    from_labels[labelled] = (scale / seen)[places[labelled]] * (residuals - correction[places])[labelled]
    rest[others] += (scale * weight / np.maximum(unseen, 1))[places[others]] * (verdicts - elsewhere[places])[
        others
    ]
    freely = from_labels + rest
    influence = np.bincount(clusters, weights=freely, minlength=size).astype(np.float64)
    together = max(0.0, float(influence @ influence - freely @ freely))
    squares = per_stratum((residuals - correction[places]) ** 2, labelled)
    variances = (squares + PRIOR_LABELS * (squares / (seen - 1)).mean()) / (seen - 1 + PRIOR_LABELS)
    variances += _pseudo_squares(weight, correction, seen) / n
    variance = float(scale**2 @ (variances / seen)) + float(rest @ rest) + together
    pairs = np.unique(np.stack([places[labelled], clusters[labelled]]), axis=1).shape[1]
    df = max(1, min(groups - 1, pairs - count))
    interval = effective_wilson(rate, variance, df, n, confidence, method)
    tuning = float(seen @ weight) / n
    return PPIEstimate(
        CorrectedRate(min(1.0, max(0.0, rate)), interval, n, tuning), variance, df, influence, joined
    )


def ppi_difference(
    first: PPIEstimate, second: PPIEstimate, *, confidence: float = DEFAULT_CONFIDENCE
) -> tuple[float, Interval, float]:
    """The first rate minus the second, its interval, and p (two-sided, for no difference); clusters have the
    same numbers in both.

    What both have in common, the same questions and labels of the same replies, is taken off the variance.
    NaN where either has no rate.
    """
    method = f"stratified prediction-powered {confidence:.0%} by question"
    if math.isnan(first.variance) or math.isnan(second.variance):
        return math.nan, Interval(math.nan, math.nan, method), math.nan
    common = min(first.influence.size, second.influence.size)
    shared = float(first.influence[:common] @ second.influence[:common])
    variance = max(
        first.variance + second.variance - 2 * shared,
        (math.sqrt(first.variance) - math.sqrt(second.variance)) ** 2,
    )
    difference = first.corrected.rate - second.corrected.rate
    df = min(first.df, second.df)
    from scipy.special import stdtr, stdtrit  # takes longer to import than everything else here

    half = float(stdtrit(df, 0.5 + confidence / 2)) * math.sqrt(variance)
    p = 2 * float(stdtr(df, -abs(difference) / math.sqrt(variance))) if variance else float(difference == 0)
    return difference, Interval(max(-1.0, difference - half), min(1.0, difference + half), method), p


def effective_wilson(
    rate: float, variance: float, df: int, n: int, confidence: float, method: str
) -> Interval:
    """Wilson's interval for the effective number of answers that gives the same variance.

    rate: below 0 or above 1 it counts as 0 or 1. variance: of the rate, with df degrees of
    freedom. n: answers. confidence, method: of the interval.
    """
    from scipy.special import stdtrit

    quantile = 0.5 + confidence / 2
    spread = variance * (float(stdtrit(df, quantile)) / NormalDist().inv_cdf(quantile)) ** 2
    rate = min(1.0, max(0.0, rate))
    middle = (rate * n + 1) / (n + 2)
    n_effective = middle * (1 - middle) / spread
    interval = wilson(rate * n_effective, n_effective, confidence)
    return Interval(interval.low, interval.high, method)


def _joined(strata: Ints, labelled: npt.NDArray[np.bool_]) -> tuple[Ints, tuple[int, ...]]:
    """Strata, renumbered so that each has FEWEST labels, and those that were joined: strata with fewer are
    one, with the smallest of the others if need be."""
    names, stratum_of = np.unique(strata, return_inverse=True)
    seen = np.bincount(stratum_of[labelled], minlength=names.size)
    few = seen < FEWEST
    if not few.any():
        return stratum_of, ()
    small = tuple(int(name) for name in names[few])
    for stratum in np.argsort(np.where(few, np.inf, seen), kind="stable"):
        if seen[few].sum() >= FEWEST:
            break
        few[stratum] = True
    return np.unique(np.where(few[stratum_of], -1, stratum_of), return_inverse=True)[1], small


def _tuning(
    verdicts: Floats,
    labels: Floats,
    places: Ints,
    labelled: npt.NDArray[np.bool_],
    seen: Floats,
    unseen: Floats,
) -> Floats:
    """PPI++'s weight for each stratum, between 0 and 1, by the labels of all others: a weight that a
    stratum's own labels had chosen would be correlated with what they correct.
    """
    where, count = places[labelled], seen.size
    f, y = verdicts[labelled], labels[labelled]
    mean_f, mean_y = (np.bincount(where, weights=values, minlength=count) / seen for values in (f, y))
    f, y = f - mean_f[where], y - mean_y[where]
    covariances, variances = (np.bincount(where, weights=f * values, minlength=count) for values in (y, f))
    if count > 1:
        covariances, variances = (values.sum() - values for values in (covariances, variances))
    pseudo = PSEUDO_VERDICTS - PSEUDO_VERDICTS.mean()
    slope = (covariances + PSEUDO_CASES * float(pseudo @ PSEUDO_LABELS)) / (
        variances + PSEUDO_CASES * float(pseudo @ pseudo)
    )
    return np.clip(slope * unseen / (unseen + seen), 0.0, 1.0)


def _pseudo_squares(weight: Floats, correction: Floats, seen: Floats) -> float:
    of_all, middle = float(seen @ weight) / seen.sum(), float(seen @ correction) / seen.sum()
    residuals = PSEUDO_LABELS - of_all * PSEUDO_VERDICTS - middle
    return PSEUDO_CASES * float(residuals @ residuals)


PRIOR = 4.0
"""Weight, in labels, of the doubts about a judge as an estimate of its errors."""


def errors_to_expect(wrong: Any, labels: Any, doubt: Any) -> Any:
    """The share of a judge's verdicts that are wrong in a stratum: ``wrong`` of its ``labels``, leaning on
    the share of verdicts that other judges or a rule differ with (``doubt``), which is all there is before
    labels. Numbers, arrays or expressions.
    """
    return (wrong + PRIOR * doubt) / (labels + PRIOR)


def allocate(gains: Sequence[float], labelled: Sequence[int], waiting: Sequence[int]) -> Iterator[int]:
    """The stratum of each label to come, until nothing waits.

    gains: of each stratum, its share of all cases, squared, times its variance. labelled, waiting: its cases
    with a label, and those that could get one. First every stratum gets FEWEST; then the next label goes
    where it takes most off the variance of the whole: gains times 1/n less 1/(n + 1), where n have a label.
    """

    def rank(stratum: int, more: int) -> tuple[int, float, int, int]:
        n = labelled[stratum] + more
        return min(n, FEWEST), -gains[stratum] / (n * (n + 1) if n else 1), stratum, more

    queue = [rank(stratum, 0) for stratum, cases in enumerate(waiting) if cases]
    heapq.heapify(queue)
    while queue:
        *_, stratum, more = heapq.heappop(queue)
        yield stratum
        if more + 1 < waiting[stratum]:
            heapq.heappush(queue, rank(stratum, more + 1))
