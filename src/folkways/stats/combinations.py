"""Weighted sums of means (some cultures less others, or the mean over cultures), where the means may share
questions."""

from __future__ import annotations

import math

import numpy as np

from folkways.stats.differences import Difference
from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats, Ints

FEWEST_QUESTIONS = 10
"""Effective questions below which a combination has no interval."""


def combination_of_means(
    values: Floats, means: Ints, questions: Ints, weights: Floats, confidence: float = DEFAULT_CONFIDENCE
) -> Difference:
    """The sum of weighted means with interval and test, clustered by question.

    values, means, questions: of each row its value, the mean that it belongs to and its question, numbered
        from 0.
    weights: of each mean.
    confidence: of the interval.

    The variance is linearised: a question's share in the sum is that of its rows' distances from their means,
    each mean with its correction n / (n - 1). Student's interval, with as many degrees of freedom as
    questions of equal share would have (Kish), less one. NaN below FEWEST_QUESTIONS, or where nothing varies.
    """
    counts = np.bincount(means, minlength=weights.size).astype(np.float64)
    each = np.bincount(means, weights=values, minlength=weights.size) / counts
    estimate = float(weights @ each)
    corrected = weights / counts * np.sqrt(counts / np.maximum(counts - 1, 1))
    parts = np.bincount(questions, weights=corrected[means] * (values - each[means]))
    shares = np.bincount(questions, weights=(weights / counts)[means] ** 2)
    effective = float(shares.sum() ** 2 / (shares @ shares))
    error = math.sqrt(float(parts @ parts))
    if effective < FEWEST_QUESTIONS or error == 0.0:
        return Difference(estimate, math.nan, math.nan, math.nan)
    from scipy.special import stdtr, stdtrit

    half = float(stdtrit(effective - 1, 0.5 + confidence / 2)) * error
    return Difference(
        estimate, estimate - half, estimate + half, 2 * float(stdtr(effective - 1, -abs(estimate) / error))
    )
