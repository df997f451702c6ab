"""Corrects a rate that a fallible judge found by means of some cases that people judged too.

Two corrections. *Prediction-powered inference* takes the labelled cases for a random sample of all, and adds
to the judge's rate what it is wrong by there (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Science 382,
2023; weighted as in PPI++: Angelopoulos, Duchi and Zrnic, 2023). *Rogan and Gladen* (American Journal of
Epidemiology 107, 1978) divide by how well the judge tells right from wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats, Interval, Ints

PSEUDO_VERDICTS = np.array([0.0, 0.0, 1.0, 1.0])
PSEUDO_LABELS = np.array([0.0, 1.0, 0.0, 1.0])
PSEUDO_WEIGHT = 0.5
"""Half a case for each way in which judge and person can agree or not, as Agresti and Min (Statistics in
Medicine 24, 2005) add to matched pairs: a judge that was never wrong in thirty labels is not known to be
never wrong."""


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A corrected rate between 0 and 1 with its interval, both NaN where there is nothing to correct by.

    labelled: cases that people judged.
    tuning: weight of the judge in the estimate, from 0 (people's labels alone) to 1; NaN where the method has
        no such weight.
    """

    rate: float
    interval: Interval
    labelled: int
    tuning: float = math.nan


def prediction_powered(
    verdicts: Floats,
    labels: Floats,
    clusters: Ints,
    *,
    tuning: float | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
) -> CorrectedRate:
    """The rate that people would have found, from the judge's verdicts on all cases and people's labels on
    some.

    verdicts: 0 to 1 per case; NaN where there was nothing to judge, which counts as 0 and as known.
    labels: 0 to 1 where a person judged a case, else NaN. They must be a random sample of the cases that have
        a verdict.
    clusters: a number per case; cases that share one (variants of a question) may depend on each other.
    tuning: weight of the judge; None takes the one with the smallest variance.
    confidence: of the interval.

    The variance is linearised over clusters; the quantile is Student's with one degree of freedom less than
    there are labelled clusters. NaN with fewer than two of those. ValueError for labels on cases without a
    verdict.
    """
    method = f"prediction-powered {confidence:.0%} by question"
    judged = ~np.isnan(verdicts)
    labelled = ~np.isnan(labels)
    if (labelled & ~judged).any():
        raise ValueError("a case without a verdict has a label")
    n, groups = int(labelled.sum()), np.unique(clusters[labelled]).size
    if groups < 2:
        return CorrectedRate(math.nan, Interval(math.nan, math.nan, method), n)
    others = judged & ~labelled
    verdict, label = verdicts[labelled], labels[labelled]
    unseen = int(others.sum())
    # of nothing unseen, 0
    weight = tuning if tuning is not None and unseen else _best_tuning(verdict, label, unseen)
    residuals = label - weight * verdict
    of_judged = correction = float(residuals.mean())
    share = float(judged.mean())

    influence = np.zeros(verdicts.size)
    influence[labelled] = (residuals - correction) / n
    if unseen:
        elsewhere = float(verdicts[others].mean())
        of_judged += weight * elsewhere
        influence[others] = weight * (verdicts[others] - elsewhere) / unseen
    influence = share * influence + of_judged * (judged - share) / verdicts.size
    sums = np.bincount(np.unique(clusters, return_inverse=True)[1], weights=influence)
    pseudo = PSEUDO_LABELS - weight * PSEUDO_VERDICTS - correction
    unknown = PSEUDO_WEIGHT * float(pseudo @ pseudo) / n**2
    variance = float(sums @ sums) * sums.size / (sums.size - 1) + share**2 * unknown

    from scipy.special import stdtrit  # takes longer to import than everything else here

    half = float(stdtrit(groups - 1, 0.5 + confidence / 2)) * math.sqrt(variance)
    rate = share * of_judged
    interval = Interval(max(0.0, rate - half), min(1.0, rate + half), method)
    return CorrectedRate(min(1.0, max(0.0, rate)), interval, n, weight)


def _best_tuning(verdict: Floats, label: Floats, unseen: int) -> float:
    """PPI++'s weight, between 0 and 1: covariance of label and verdict over the verdicts' variance, less for
    many labels."""
    f, y = np.append(verdict, PSEUDO_VERDICTS), np.append(label, PSEUDO_LABELS)
    weights = np.append(np.ones(verdict.size), np.full(4, PSEUDO_WEIGHT))
    covariance = np.cov(f, y, aweights=weights)
    return float(np.clip(covariance[0, 1] / covariance[0, 0] * unseen / (unseen + verdict.size), 0.0, 1.0))


def rogan_gladen(
    positive: int,
    cases: int,
    *,
    true_positive: int,
    labelled_positive: int,
    true_negative: int,
    labelled_negative: int,
    confidence: float = DEFAULT_CONFIDENCE,
) -> CorrectedRate:
    """The true rate, given ``positive`` verdicts in ``cases`` and how the judge did on labelled cases; all
    cases are independent.

    true_positive of labelled_positive cases that people call right were called right by the judge
    (sensitivity), and true_negative of labelled_negative wrong ones wrong (specificity). confidence: of the
    interval, which is that of Lang and Reiczigel (Preventive Veterinary Medicine 113, 2014): it allows for
    both being estimates. NaN with an interval from 0 to 1 where a judge does no better than chance, or people
    called all cases right or all wrong.
    """
    method = f"lang-reiczigel {confidence:.0%}"
    labelled = labelled_positive + labelled_negative
    unknown = CorrectedRate(math.nan, Interval(0.0, 1.0, method), labelled)
    if not (labelled_positive and labelled_negative and cases):
        return unknown
    sensitivity, specificity = true_positive / labelled_positive, true_negative / labelled_negative
    if sensitivity + specificity <= 1:
        return unknown
    rate = (positive / cases + specificity - 1) / (sensitivity + specificity - 1)

    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    n, n_positive, n_negative = cases + z * z, labelled_positive + 2, labelled_negative + 2
    p, se, sp = (positive + z * z / 2) / n, (true_positive + 1) / n_positive, (true_negative + 1) / n_negative
    youden = se + sp - 1
    if youden <= 0:
        return unknown
    centre = (p + sp - 1) / youden
    by_sensitivity, by_specificity = se * (1 - se) / n_positive, sp * (1 - sp) / n_negative
    spread = (
        math.sqrt(p * (1 - p) / n + centre**2 * by_sensitivity + (1 - centre) ** 2 * by_specificity) / youden
    )
    middle = centre + 2 * z * z * (centre * by_sensitivity - (1 - centre) * by_specificity)
    low, high = (min(1.0, max(0.0, middle + side * z * spread)) for side in (-1, 1))
    return CorrectedRate(min(1.0, max(0.0, rate)), Interval(low, high, method), labelled)
