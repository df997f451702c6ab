"""Which of several groups are hit, where it is known how many are: the chance of each."""

from __future__ import annotations

import numpy as np

from folkways.stats.intervals import Floats, Ints


def inclusion_chances(weights: Floats, drawn: Ints) -> Floats:
    """The chance that each of several things is in a set that is drawn, each set in proportion to the product
    of its weights.

    weights: shape (rows, things), not negative, 0 for what cannot be drawn. drawn: how large the set of each
    row is; ValueError where fewer things have a weight. Rows of the result sum to ``drawn``. This is also the
    mean over every way to deal marked and blank cards to hands of sizes ``weights`` in which no hand gets two
    marked ones: the expectation of a permutation test, for which nothing has to be drawn (Chen, Dempster and
    Liu 1994, Biometrika 81, equation 5).
    """
    if (drawn > (weights > 0).sum(axis=1)).any() or (drawn < 0).any():
        raise ValueError("more things are drawn than there are with a weight")
    chances = np.zeros_like(weights, dtype=np.float64)
    for size in range(1, int(drawn.max(initial=0)) + 1):
        rows = drawn >= size
        left = weights[rows] * (1 - chances[rows])
        chances[rows] = np.clip(size * left / left.sum(axis=1, keepdims=True), 0.0, 1.0)
    return chances
