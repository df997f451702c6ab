"""Paired permutation tests: what would differences look like if it were chance which of two answers came from which model?

Where two models are alike, each question's difference is as likely to have the other sign; the test counts how often signs drawn at
random give a difference as large as the one found. All rows of a question change sign together.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import Floats

DEFAULT_PERMUTATIONS = 9999

EXACT_UP_TO = 12
"""Questions up to which every pattern of signs is counted: 4,096 of them."""

BLOCK = 4_000_000
"""Numbers that are in memory at a time."""

_SLACK = 1e-9
"""Sums that differ by rounding alone are as large as each other."""


def permutation_p(differences: Floats, *, permutations: int = DEFAULT_PERMUTATIONS, seed: int = 0) -> Floats:
    """Two-sided p of each column of ``differences``, for a sum of zero: shape (questions, columns).

    differences: one row per question, the sum over its rows of first minus second. Exact up to EXACT_UP_TO questions; beyond, the
    share of ``permutations`` drawn patterns and the one found, so that p is never below 1 / (permutations + 1). 1 of no questions.
    """
    columns = np.eye(differences.shape[1])
    return pairwise_permutation_p(differences, columns, permutations=permutations, seed=seed)


def pairwise_permutation_p(sums: Floats, contrasts: Floats, *, permutations: int = DEFAULT_PERMUTATIONS, seed: int = 0) -> Floats:
    """The same for many contrasts of a few columns: a pair of models is one with 1 and -1.

    sums: shape (questions, models); contrasts: shape (models, contrasts). Signs are drawn once for all of them.
    """
    found = np.abs(sums.sum(axis=0) @ contrasts)
    n = len(sums)
    if n == 0:
        return np.ones(contrasts.shape[1])
    scale = _SLACK * np.maximum(1.0, found)
    exact = n <= EXACT_UP_TO
    signs = _patterns(n) if exact else _drawn_signs(n, permutations, seed)
    as_large = np.zeros(contrasts.shape[1])
    step = max(1, BLOCK // max(n, contrasts.shape[1], 1))
    for start in range(0, len(signs), step):
        totals = np.abs((signs[start : start + step].astype(np.float64) @ sums) @ contrasts)
        as_large += (totals >= found - scale).sum(axis=0)
    p: Floats = as_large / len(signs) if exact else (as_large + 1) / (len(signs) + 1)
    return p


def _patterns(n: int) -> npt.NDArray[np.int8]:
    """Every pattern of signs, one per row."""
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return (1 - 2 * bits).astype(np.int8)


@lru_cache(maxsize=2)
def _drawn_signs(n: int, permutations: int, seed: int) -> npt.NDArray[np.int8]:
    rng = np.random.default_rng([abs(seed), int(seed < 0), n])
    bits = np.unpackbits(rng.integers(0, 256, size=(permutations, (n + 7) // 8), dtype=np.uint8), axis=1)[:, :n]
    return (1 - 2 * bits.astype(np.int8)).astype(np.int8)
