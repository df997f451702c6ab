"""The divergence between two samples of answers without what chance adds to it.

Chance alone sets a sample of answers apart from the distribution that it was drawn from, by about
(options - 1) / (8 n ln 2) bits. The jackknife over single answers estimates this for both sides and subtracts
it. This works for the divergence and not for its root, so means over questions are made of divergences;
``root_mean`` turns such a mean, or an end of its interval, into a similarity. Student's interval over
questions covers the chance in people and replies as well, because it differs from question to question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from folkways.stats.distributions import js_divergence

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SampledAnswers:
    """Answers to one question: shares of the options, and of how many answers; None for likelihoods, and
    where nobody says how many people there were."""

    shares: Floats
    n: int | None = None


def corrected_divergence(first: SampledAnswers, second: SampledAnswers) -> float:
    """The divergence in bits without what chance adds; below 0 where the two are nearer than chance
    allows."""
    raw = float(js_divergence(first.shares, second.shares))
    return raw - _bias(first, second.shares, raw) - _bias(second, first.shares, raw)


def _bias(side: SampledAnswers, other: Floats, raw: float) -> float:
    """What the chance of one side adds, by leaving out each of its answers."""
    if side.n is None or side.n < 2:
        return 0.0
    present = np.flatnonzero(side.shares)
    without = (side.n * side.shares - np.eye(side.shares.size)[present]) / (side.n - 1)
    left = js_divergence(np.maximum(without, 0.0), other)
    return (side.n - 1) * (float(side.shares[present] @ left) - raw)


def root_mean(divergence: float) -> float:
    """1 - the root of a mean divergence: a similarity."""
    return 1 - math.sqrt(max(divergence, 0.0))


def corrected_divergences(pairs: Sequence[tuple[SampledAnswers, SampledAnswers]]) -> Floats:
    """``corrected_divergence`` of each question."""
    return np.array([corrected_divergence(first, second) for first, second in pairs])
