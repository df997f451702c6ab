"""Confidence sequences: intervals that may be looked at after every answer, for a benchmark that is asked in random order.

An ordinary interval holds if the number of questions is fixed beforehand. Who looks at it after each answer and stops once it is
narrow gets it wrong more often than stated. A confidence sequence holds at all times at once: with the stated confidence, the truth
never leaves it, whenever one stops. The truth here is the mean over a finite population (every item of a culture), drawn without
replacement, so that the sequence closes on it when everything has been drawn.

The method bets (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, Journal of the Royal Statistical
Society B, 2024; without replacement in section 5): were the mean m, no way of betting on the next answer makes a fortune. Values m
against which a bet has made 2 / (1 - confidence) times its stake are ruled out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats

GRID = 1000
"""Means between 0 and 1 that are bet against, evenly apart; bounds are rounded outwards to them."""

BOLDNESS = 0.75
"""Share of the stake that a bet may lose at most."""

DEFAULT_TARGET = 0.05
"""Half a width to aim at, where nobody says which is wanted."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """Bounds of the mean after each draw, between 0 and 1; they only ever narrow."""

    low: Floats
    high: Floats

    @property
    def half_width(self) -> float:
        """Half the width of the last interval; 0.5 before the first draw."""
        return float(self.high[-1] - self.low[-1]) / 2 if self.low.size else 0.5


def betting_sequence(
    values: Floats, population: int, confidence: float = DEFAULT_CONFIDENCE, *, target: float = DEFAULT_TARGET
) -> Sequence:
    """The confidence sequence of the mean of a population, from values drawn one by one, each uniformly among those left.

    values: between 0 and 1, in the order of drawing; population: how many there are in all. target: half a width that is wanted:
    bets are sized to rule out means that far off, which makes the sequence narrowest about when it gets there; it is as valid with
    any other. ValueError where values lie outside, or are more than there are.
    """
    if values.size > population or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"at most {population} values between 0 and 1 can be drawn, got {values.size} of them, or others")
    means = np.linspace(0.0, 1.0, GRID + 1)
    stake = math.log(2 / (1 - confidence))
    drawn = np.arange(values.size)
    seen = np.concatenate([[0.0], np.cumsum(values)])
    # How much values vary, as it was known before each draw: half an observation of the most there is, and those so far.
    running = (0.5 + seen[1:]) / (drawn + 2)
    squares = np.concatenate([[0.0], np.cumsum((values - running) ** 2)])[:-1]
    variance = (0.25 + squares) / (drawn + 1)
    # A mean that is off by so much is off by more among what is left, the less is left: this is what bets grow with.
    bets = target * population / (population - drawn) / variance
    up, down = np.zeros(means.size), np.zeros(means.size)
    alive = np.ones(means.size, dtype=bool)
    low, high = np.zeros(values.size), np.ones(values.size)
    for number, (value, bet) in enumerate(zip(values.tolist(), bets.tolist(), strict=True)):
        expected = np.clip((population * means - seen[number]) / (population - number), 1e-9, 1 - 1e-9)
        up += np.log1p(np.minimum(bet, BOLDNESS / expected) * (value - expected))
        down += np.log1p(-np.minimum(bet, BOLDNESS / (1 - expected)) * (value - expected))
        alive &= (up < stake) & (down < stake)
        left = population - number - 1
        low[number], high[number] = _ends(alive, seen[number + 1] / population, (seen[number + 1] + left) / population)
    return Sequence(np.maximum.accumulate(low), np.minimum.accumulate(high))


def _ends(alive: npt.NDArray[np.bool_], least: float, most: float) -> tuple[float, float]:
    """The ends of what is not ruled out, one grid step outwards, within what the values so far leave possible."""
    places = np.flatnonzero(alive)
    if not places.size:  # ruled out between two points of the grid: all that is left is what is possible
        return least, most
    low, high = (int(places[0]) - 1) / GRID, (int(places[-1]) + 1) / GRID
    return min(max(low, least), most), max(min(high, most), least)
