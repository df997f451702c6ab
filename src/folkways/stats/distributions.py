"""Distances between distributions over the options of a question, and how much of one is chance.

Distributions are arrays whose last axis is the options; each sums to 1. Leading axes are broadcast.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DRAWS = 200
"""Samples that an expectation over samples is estimated from, where it has no closed form."""


def js_divergence(first: Floats, second: Floats) -> Floats:
    """Jensen-Shannon divergence in bits, from 0 (equal) to 1 (no option in common)."""
    middle = (first + second) / 2
    return np.asarray(np.clip((_relative(first, middle) + _relative(second, middle)) / 2, 0.0, 1.0))


def js_distance(first: Floats, second: Floats) -> Floats:
    """The square root of the divergence in bits, a metric from 0 to 1. scipy's ``jensenshannon`` is this only
    with ``base=2``: its default has another range."""
    return np.sqrt(js_divergence(first, second))


def wasserstein(first: Floats, second: Floats, positions: Floats) -> Floats:
    """1-Wasserstein distance on an ordered scale, from 0 to 1: how far answers move, as a share of the scale.

    positions: of the options, increasing or decreasing, on any scale with two ends that differ.
    """
    order = np.argsort(positions)
    steps = np.diff(positions[order])
    gaps = np.abs(np.cumsum((first - second)[..., order], axis=-1))[..., :-1]
    return np.asarray((gaps * steps).sum(axis=-1) / steps.sum())


def scale_mean(shares: Floats, positions: Floats) -> Floats:
    """The mean on an ordered scale, from 0 (its lowest end) to 1."""
    low, high = positions.min(), positions.max()
    return np.asarray(shares @ ((positions - low) / (high - low)))


def similarity_of_draws(shares: Floats, n: int, seed: int) -> float:
    """1 - distance that ``n`` answers drawn from ``shares`` have from them, on average over DRAWS samples:
    what a model with as many answers can hope for. shares: of one question."""
    drawn = np.random.default_rng(seed).multinomial(n, shares, DRAWS) / n
    return float(1 - js_distance(drawn, shares).mean())


def similarity_of_halves(counts: Ints, seed: int) -> float:
    """1 - distance between the two halves of the people who answered, on average over DRAWS random halves;
    NaN for fewer than two people. counts: people by option."""
    n = int(counts.sum())
    if n < 2:
        return math.nan
    one = np.random.default_rng(seed).multivariate_hypergeometric(counts, n // 2, DRAWS, method="marginals")
    return float(1 - js_distance(one / (n // 2), (counts - one) / (n - n // 2)).mean())


def _relative(first: Floats, second: Floats) -> Floats:
    """Kullback-Leibler divergence in bits of ``first`` from ``second``, which has every option of it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(first > 0, first * np.log2(first / second), 0.0)
    return np.asarray(terms.sum(axis=-1))
