"""Confidence sequences: intervals that may be looked at after every answer, for a benchmark that is asked in
random order.

An ordinary interval holds if the number of questions is fixed beforehand. Who looks at it after each answer
and stops once it is narrow gets it wrong more often than stated. A confidence sequence holds at all times at
once: with the stated confidence, the truth never leaves it, whenever one stops. The truth here is the mean
over a finite population (every item of a culture), drawn without replacement, so that the sequence closes on
it when everything has been drawn.

The method bets (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, Journal of
the Royal Statistical Society B, 2024; without replacement in section 5): were the mean m, no way of betting
on the next answer makes a fortune. Values m against which a bet has made 2 / (1 - confidence) times its stake
are ruled out.
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

BLOCK = 32
"""Draws that are reckoned with at a time; what they rule out is left out of the next."""

DEFAULT_TARGET = 0.05
"""Half a width to aim at, where nobody says which is wanted."""


@dataclass(frozen=True, slots=True)
class ConfidenceSequence:
    """Bounds of the mean after each draw, between 0 and 1; they only ever narrow."""

    low: Floats
    high: Floats


def betting_sequence(
    values: Floats,
    population: int,
    confidence: float = DEFAULT_CONFIDENCE,
    *,
    target: float = DEFAULT_TARGET,
    shares: Floats | None = None,
    grid: int = GRID,
) -> ConfidenceSequence:
    """The confidence sequence of the mean of a population, from values drawn one by one, each uniformly among
    those left.

    values: between 0 and 1, in the order of drawing; population: how many there are in all. target: half a
    width that is wanted: bets are sized to rule out means that far off, which makes the sequence narrowest
    about when it gets there; it is as valid with any other. shares: how much of each draw counts, from 0 (the
    mean is not of such) to 1, and no less than its value; the mean is then the sum of the values over that of
    the shares, in the whole population. None for 1 each. grid: as GRID. ValueError where values lie outside,
    or are more than there are.
    """
    shares = np.ones_like(values) if shares is None else shares
    if values.size > population or not ((values >= 0) & (values <= shares) & (shares <= 1)).all():
        raise ValueError(
            f"at most {population} values between 0 and 1 can be drawn, got {values.size} of them, or others"
        )
    fortune = 2 / (1 - confidence)
    bets = bet_sizes(values, population, target, shares)[:, None]
    least, most = possible_means(values, shares, population)
    # Were the mean m, what does not count might as well have the value m: neither bettor wins or loses by it.
    idle = (1 - shares)[:, None]
    left = (population - np.arange(values.size))[:, None]
    means, seen, idled = np.linspace(0.0, 1.0, grid + 1), before(values)[:, None], before(1 - shares)[:, None]
    up, down = np.ones(means.size), np.ones(means.size)  # times the stake
    # for draws after which nothing on the grid is left: all that is possible
    low, high = (least.copy(), most.copy())
    for first in range(0, values.size, BLOCK):
        part = slice(first, first + BLOCK)
        expected = np.clip((means * (population - idled[part]) - seen[part]) / left[part], 1e-9, 1 - 1e-9)
        gain = values[part, None] + idle[part] * means - expected
        ups = 1 + np.minimum(bets[part], BOLDNESS / expected) * gain
        downs = 1 - np.minimum(bets[part], BOLDNESS / (1 - expected)) * gain
        ups[0] *= up
        downs[0] *= down
        np.cumprod(ups, axis=0, out=ups)
        np.cumprod(downs, axis=0, out=downs)
        alive = np.logical_and.accumulate((ups < fortune) & (downs < fortune), axis=0)
        low[part], high[part] = ends(alive, means, 1 / grid, least[part], most[part])
        remaining = alive[-1]
        means, up, down = means[remaining], ups[-1, remaining], downs[-1, remaining]
        if not means.size:
            break
    return ConfidenceSequence(np.maximum.accumulate(low), np.minimum.accumulate(high))


def bet_sizes(values: Floats, population: int, target: float, shares: Floats) -> Floats:
    """What is staked on each draw, per unit of surprise: decided before the draw, from earlier ``values`` and
    ``shares`` alone, for a ``population`` of this many.

    A mean that is off by ``target`` is off by more among what is left, the less is left: this is what bets
    grow with.
    """
    return target * growth(values.size, population) / known_variance(values, shares)


def growth(drawn: int, population: int) -> Floats:
    """By how much more than the mean of all the mean of what is left is off, before each draw."""
    return population / (population - np.arange(drawn))


def known_variance(values: Floats, shares: Floats) -> Floats:
    """How much values vary, as known before each draw: half an observation of the most there is, and those so
    far."""
    ratio = (0.5 + np.cumsum(values)) / (1 + np.cumsum(shares))
    return (0.25 + before((values - shares * ratio) ** 2)) / (np.arange(values.size) + 1)


def possible_means(values: Floats, shares: Floats, population: int) -> tuple[Floats, Floats]:
    """The lowest and the highest mean after each draw that what is left could still lead to."""
    total, counted = np.cumsum(values), np.cumsum(shares)
    left = population - 1.0 - np.arange(values.size)
    in_all = counted + left
    with np.errstate(invalid="ignore"):
        least, most = total / in_all, (total + left) / in_all
    return np.where(in_all > 0, least, 0.0), np.where(in_all > 0, most, 1.0)


def ends(
    alive: npt.NDArray[np.bool_], means: Floats, step: float, least: Floats, most: Floats
) -> tuple[Floats, Floats]:
    """The ends of what each row has not ruled out, one step of the grid outwards, within what is possible
    (``least`` to ``most``).

    alive: rows by ``means``, which lie on the grid. A row in which nothing is left was ruled out between two
    points of the grid: all that is left is what is possible.
    """
    some = alive.any(axis=1)
    low = means[alive.argmax(axis=1)] - step
    high = means[means.size - 1 - alive[:, ::-1].argmax(axis=1)] + step
    return np.where(some, np.clip(low, least, most), least), np.where(some, np.clip(high, least, most), most)


def before(values: Floats) -> Floats:
    """The sum of the values before each one."""
    return np.cumsum(values) - values


NARROWEST = 100
"""The number of values at which ``at_any_time`` is narrowest, fixed beforehand; it hardly matters from a
quarter to four times of that."""


def at_any_time(n: int, confidence: float = DEFAULT_CONFIDENCE) -> float:
    """How many standard errors on either side hold a mean at all numbers n of independent values at once, for
    large n.

    The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Time-uniform
    central limit theory and asymptotic confidence sequences, Annals of Statistics 52, 2024, with Robbins'
    mixture), narrowest at NARROWEST. For means whose strata make ``anytime_mean`` too wide. ValueError for n
    below 1.
    """
    if n < 1:
        raise ValueError(f"a mean needs at least one value, got {n}")
    errors = 1 - confidence
    room = -2 * math.log(errors)
    times = n * (room + math.log1p(room)) / NARROWEST
    return math.sqrt(2 * (times + 1) / times * math.log(math.sqrt(times + 1) / errors))
