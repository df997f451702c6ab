"""What chance adds to the distance between two samples of answers, and the similarity without it.

Chance alone sets a sample of answers apart from the distribution that it was drawn from, so that a similarity of
few answers is too low. A parametric bootstrap draws people and replies anew from what they said: what that adds
to a distance is what chance has added already, and is taken off. The mean of the corrected values has Student's
interval over questions, which has the chance of people and replies in it too, as they differ by question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from folkways.stats.distributions import js_distance

Floats = npt.NDArray[np.float64]

REPLICATES = 200
CELLS = 2_000_000
"""Numbers in memory at a time."""


@dataclass(frozen=True, slots=True)
class SampledAnswers:
    """Answers to one question: shares of the options, and of how many answers; None where they are no sample
    (likelihoods), or nobody says how many people there were."""

    shares: Floats
    n: int | None = None


def corrected_similarities(
    pairs: Sequence[tuple[SampledAnswers, SampledAnswers]], seed: int = 0, replicates: int = REPLICATES
) -> Floats:
    """The similarity of the two sides of each question without what chance adds; may exceed 1 where they are
    nearer than chance allows.

    pairs: each side's shares over the same options.
    """
    rng = np.random.default_rng(seed)
    width = max(len(one.shares) for one, _ in pairs)
    first, second = (
        np.stack([np.pad(pair[side].shares, (0, width - len(pair[side].shares))) for pair in pairs])
        for side in (0, 1)
    )
    distance = js_distance(first, second)
    total = np.zeros(len(pairs))
    step = max(1, CELLS // first.size)
    for start in range(0, replicates, step):
        many = min(step, replicates - start)
        one = _drawn(first, [pair[0].n for pair in pairs], many, rng)
        other = _drawn(second, [pair[1].n for pair in pairs], many, rng)
        total += js_distance(one, other).sum(axis=0)
    return np.asarray(1 - distance + (total / replicates - distance))


def _drawn(shares: Floats, numbers: Sequence[int | None], many: int, rng: np.random.Generator) -> Floats:
    """The shares of ``many`` samples of each question, (many, questions, options)."""
    drawn = np.broadcast_to(shares, (many, *shares.shape)).copy()
    for number in sorted({number for number in numbers if number}):
        rows = [row for row, one in enumerate(numbers) if one == number]
        drawn[:, rows] = rng.multinomial(number, shares[rows], (many, len(rows))) / number
    return drawn
