"""Exact tests of pairs: Wilcoxon's signed ranks, for the few pairs that categories or cultures give, and
McNemar's test of two models on the same questions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

Alternative = Literal["greater", "less", "two-sided"]
Zeros = Literal["wilcox", "pratt"]

EXACT_UP_TO = 200
"""Pairs up to which p is counted out; beyond, the normal approximation with its tie correction agrees to
three digits."""

DECIMALS = 10
"""Differences are rounded to so many decimals before they are ranked: 54.3 - 54.1 and 33.5 - 33.3 are a tie,
although binary fractions differ, and 0.3 - (0.1 + 0.2) is zero."""


@dataclass(frozen=True, slots=True)
class Wilcoxon:
    """A signed-rank test of paired differences.

    statistic: sum of the ranks of the positive differences (W+).
    p: chance of a statistic at least this far towards ``alternative``, were either sign as likely for each
        difference.
    alternative: what is tested for: differences lie above zero (``greater``), below it (``less``), or either
        (``two-sided``).
    n: differences that take part in it: those that are not zero.
    zeros: differences of exactly zero; they have no sign.
    smallest_p: the smallest p that n differences can give, whatever they are: 2^-n one-sided, so below .05
        from five pairs on (from six two-sided). 1 without any.
    effect: matched-pairs rank-biserial correlation, from -1 (every difference below zero) to 1 (above); NaN
        without any.
    method: ``exact``, or ``normal`` (see EXACT_UP_TO).
    """

    statistic: float
    p: float
    alternative: Alternative
    n: int
    zeros: int
    smallest_p: float
    effect: float
    method: str


def exact_wilcoxon(
    differences: npt.ArrayLike, alternative: Alternative = "two-sided", *, zeros: Zeros = "wilcox"
) -> Wilcoxon:
    """Wilcoxon's signed-rank test of paired differences (first minus second), exact with ties too.

    differences: one per pair; NaN is left out. Ties share the mean of their ranks, and p counts
    the sign patterns of these very ranks. zeros: ``wilcox`` leaves differences of zero out before ranking,
    ``pratt`` ranks them with the others and leaves them out afterwards. p is 1 where no difference is left.
    ValueError for an unknown alternative or way with zeros, and for infinite or nested differences.
    """
    if alternative not in get_args(Alternative):
        raise ValueError(
            f"alternative must be one of {', '.join(get_args(Alternative))}; got {alternative!r}"
        )
    if zeros not in get_args(Zeros):
        raise ValueError(f"zeros must be one of {', '.join(get_args(Zeros))}; got {zeros!r}")
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or np.isinf(values).any():
        raise ValueError("differences must be a flat sequence of finite numbers")
    values = np.round(values[~np.isnan(values)], DECIMALS)
    n_zeros = int((values == 0).sum())
    if zeros == "wilcox":
        values = values[values != 0]
    doubled = _doubled_ranks(np.abs(values))[values != 0]
    values = values[values != 0]
    n = values.size
    if n == 0:
        return Wilcoxon(0.0, 1.0, alternative, 0, n_zeros, 1.0, math.nan, "exact")
    positive, total = int(doubled[values > 0].sum()), int(doubled.sum())
    exact = n <= EXACT_UP_TO
    above, below = _exact_tails(doubled, positive) if exact else _normal_tails(doubled, positive)
    p = {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]
    smallest = 2.0**-n if alternative != "two-sided" else min(1.0, 2.0 ** (1 - n))
    return Wilcoxon(
        positive / 2,
        p,
        alternative,
        n,
        n_zeros,
        smallest,
        (2 * positive - total) / total,
        "exact" if exact else "normal",
    )


def _doubled_ranks(sizes: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Twice the mid-rank of each size: a whole number also where ties share a rank."""
    _, codes, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: npt.NDArray[np.int64] = (2 * last - counts + 1)[codes].astype(np.int64)
    return ranks


def _exact_tails(doubled: npt.NDArray[np.int64], positive: int) -> tuple[float, float]:
    """Chances of a sum of at least, and of at most, ``positive``: how many of all sign patterns give each
    sum, rank by rank."""
    total = int(doubled.sum())
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    reached = 0
    for rank in doubled.tolist():
        chance[rank : reached + rank + 1] += chance[: reached + 1].copy()
        chance[: reached + rank + 1] /= 2
        reached += rank
    return min(1.0, float(chance[positive:].sum())), min(1.0, float(chance[: positive + 1].sum()))


def _normal_tails(doubled: npt.NDArray[np.int64], positive: int) -> tuple[float, float]:
    """The same by the normal approximation with a continuity correction of half a rank; mid-ranks carry their
    ties into it."""
    mean, error = float(doubled.sum()) / 4, math.sqrt(float((doubled.astype(np.float64) ** 2).sum()) / 16)
    at = positive / 2

    def beyond(distance: float) -> float:
        return 0.5 * math.erfc((distance - 0.5) / error / math.sqrt(2))

    return min(1.0, beyond(at - mean)), min(1.0, beyond(mean - at))


@lru_cache(maxsize=4096)  # contrasts of many pairs have few different counts
def exact_mcnemar(first_better: int, second_better: int) -> float:
    """The two-sided p of McNemar's exact test of paired questions (McNemar 1947); 1 where no question
    differs.

    first_better, second_better: questions on which the one has the higher mean. With one right or wrong
    answer per question this is McNemar's test. Where a question has several rows, or shares between 0 and 1,
    it is the sign test, which is the same: rows of a question do not count as independent.
    """
    from scipy.special import bdtr  # scipy.stats takes a second to import

    n = first_better + second_better
    return min(1.0, 2 * float(bdtr(min(first_better, second_better), n, 0.5))) if n else 1.0
