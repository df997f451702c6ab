"""The order of models that their paired contrasts allow: a leaderboard says first, second, third; the
questions may not.

A model is above another where their contrast is significant after Holm's correction over all pairs, the same
that a comparison prints. All ranges of ranks hold the true ranks at once wherever no contrast errs (Klein,
Wright and Wieczorek 2020; Mohamad, Goeman and van Zwet 2019). A bootstrap of ranks, or of the largest
difference, tells too many models apart below fifty questions. No mean win rate is made: it changes with the
models that happen to be compared, and counts a win by chance as one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from folkways.stats.intervals import Floats


@dataclass(frozen=True, slots=True)
class Ranks:
    """One entry per model: its rank (1 is best; ties share the better one), and the ranks that it may have.

    low, high: one more than the models that are significantly better, and how many models less those that are
    significantly worse; low is the better. level: whether no contrast tells it apart from a model of rank 1.
    """

    rank: list[int]
    low: list[int]
    high: list[int]
    level: list[bool]


def ranks_of_pairs(difference: Floats, p: Floats, alpha: float = 0.05) -> Ranks:
    """Ranks from the contrasts of all pairs (``pairwise.Contrasts.matrix``), each on the rows that the two
    share.

    difference: shape (models, models), first minus second, NaN on the diagonal and where two share nothing;
    p: the same of the two-sided p, corrected for all pairs (``corrections.holm``), NaN where it cannot be
    told. A model's rank is that of its mean difference from the models that it shares rows with, itself
    included: where all share the same rows, that of its score.
    """
    with np.errstate(invalid="ignore"):
        told = p < alpha
        better, worse = (told & (difference < 0)).sum(axis=1), (told & (difference > 0)).sum(axis=1)
    known = ~np.isnan(difference)
    scores = np.round(np.where(known, difference, 0.0).sum(axis=1) / (known.sum(axis=1) + 1), 12)
    low, high = 1 + better, len(scores) - worse
    rank = np.clip([1 + (scores > score).sum() for score in scores], low, high)
    first = rank == rank.min()
    level = first | (~told[:, first]).any(axis=1)
    return Ranks(rank.tolist(), low.tolist(), high.tolist(), level.tolist())
