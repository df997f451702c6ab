"""How well a judge tells right from wrong, whether it does so equally well for two models, and a test that
knows that it errs.

Youden's J is sensitivity plus specificity less 1: 1 for a judge that never errs, 0 for one that does not
look. Where it differs between two models, the judge's shares of them cannot be compared, and a correction
learned from one model is wrong for the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from folkways.stats.clusters import clustered_mean
from folkways.stats.differences import Difference, difference_of_shares
from folkways.stats.intervals import Floats, Ints, cluster_totals


@dataclass(frozen=True, slots=True)
class Youden:
    """J with its interval, from -1 to 1.

    sensitivity, false_alarms: of the cases that people call right, and of those that they call wrong, the
    share that the judge calls right. right, wrong: how many independent cases they rest on.
    """

    index: Difference
    sensitivity: float
    false_alarms: float
    right: float
    wrong: float


def youden_index(verdicts: Floats, labels: Floats, clusters: Ints) -> Youden | None:
    """J from a judge's verdicts and people's labels (both 0 or 1, one per case); None where people call all
    cases the same.

    Cases of a cluster (variants of a question) count for fewer. The interval puts Wilson's of the two shares
    together.
    """
    sides = [_share(verdicts[labels == value], clusters[labels == value]) for value in (1.0, 0.0)]
    if not all(n_effective for _, n_effective in sides):
        return None
    (sensitivity, right), (false_alarms, wrong) = sides
    first, second = ((np.array([share]), np.array([n_effective])) for share, n_effective in sides)
    index = difference_of_shares(*first, *second)
    return Youden(index, sensitivity, false_alarms, right, wrong)


def youden_difference(first: Youden, second: Youden) -> Difference:
    """The first J minus the second, from -2 to 2, put together from the four shares as if they were
    independent.

    A judge that errs on the same questions of both models makes them less so, and the interval too wide.
    """
    difference = difference_of_shares(
        np.array([first.sensitivity, second.false_alarms]),
        np.array([first.right, second.wrong]),
        np.array([first.false_alarms, second.sensitivity]),
        np.array([first.wrong, second.right]),
    )
    return Difference(2 * difference.difference, 2 * difference.low, 2 * difference.high, difference.p)


def _share(values: Floats, clusters: Ints) -> tuple[float, float]:
    if not values.size:
        return math.nan, 0.0
    estimate = clustered_mean(*cluster_totals(values, clusters), float(values @ values))
    return estimate.mean, estimate.n_effective


def noisy_but_valid(
    verdicts: Floats, labels: Floats, strata: Ints, clusters: Ints, required: float
) -> tuple[float, float]:
    """One-sided p that the true rate is above ``required``, and that it is below: from all verdicts, and how
    the judge errs.

    The test of Feng, Shen, Balashankar, Gerner-Beuerle and Rodrigues (Noisy but valid, ICLR 2026): if the
    rate were ``required``, the judge would call a share of ``required`` times its sensitivity, and of the
    rest times its false alarms, right. What it does call right is compared with that, with the variance of
    all three. verdicts, labels, strata and clusters are those of ``stratified_ppi``; a label weighs as many
    cases as its stratum has for each. Half a case of either kind is added to the variance of sensitivity and
    false alarms (twice). 1 for both where people call all alike, or the judge does not beat chance.
    """
    judged, labelled = ~np.isnan(verdicts), ~np.isnan(labels)
    names, stratum_of = np.unique(strata, return_inverse=True)
    in_all, seen = (np.bincount(stratum_of[part], minlength=names.size) for part in (judged, labelled))
    weights = (in_all[stratum_of] / np.maximum(seen[stratum_of], 1))[labelled]
    f, y = verdicts[labelled], labels[labelled]
    sums = [float(weights @ side) for side in (y, 1 - y)]
    if not judged.any() or min(sums) == 0:
        return 1.0, 1.0
    rates = [float(weights @ (side * f)) / total for side, total in zip((y, 1 - y), sums, strict=True)]
    if rates[0] <= rates[1]:
        return 1.0, 1.0
    wanted = required * verdicts.size / float(judged.sum())
    parts = (wanted, 1 - wanted)
    variance = _variance_of_mean(verdicts[judged], clusters[judged])
    for part, rate, side, total in zip(parts, rates, (y, 1 - y), sums, strict=True):
        n_effective = total**2 / float(weights**2 @ side)
        likely = (rate * n_effective + 1) / (n_effective + 2)
        variance += part**2 * likely * (1 - likely) / (n_effective + 2)
    expected = sum(part * rate for part, rate in zip(parts, rates, strict=True))
    from scipy.special import stdtr  # takes longer to import than everything else here

    above = float(
        stdtr(max(1, f.size - 2), -(float(verdicts[judged].mean()) - expected) / math.sqrt(variance))
    )
    return above, 1 - above


def _variance_of_mean(values: Floats, clusters: Ints) -> float:
    sums, _ = cluster_totals(values - values.mean(), clusters)
    return float(sums @ sums) / values.size**2 * sums.size / max(1, sums.size - 1)
