"""Means over strata (the countries of a region, the cultures of a benchmark), and intervals that know how
they were put together.

The interval of a sample that was looked at while it was drawn (``anytime_mean``) holds at all times at once,
as the confidence sequences of its strata do. Halves of these added up would hold too and be far too wide; put
together in squares they are narrow, and nothing proves that they hold. Instead, all strata bet together:
their supermartingales are multiplied, and a mean is ruled out once every way in which the strata could have
it is (Spertus, Sridhar and Stark, Sequential stratified inference for the mean, 2024). Which supermartingales
is free; with the empirical-Bernstein ones for sampling without replacement (Waudby-Smith and Ramdas,
Confidence sequences for sampling without replacement, NeurIPS 2020), whose logarithm is linear in a stratum's
mean, the worst way is found by a formula. Stakes are in proportion to the strata's weights, so that no way is
much worse than another.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats, Interval
from folkways.stats.sequences import (
    DEFAULT_TARGET,
    GRID,
    before,
    betting_sequence,
    ends,
    growth,
    known_variance,
)

CONTAINED = 0.1
"""Share of the errors allowed that goes to the strata's own sequences, which say how far off the strata may
be at most."""

COARSE = 200
"""Means that are bet against there: what they are rounded by hardly matters, and it takes most of the
time."""

EXACT = 1e-9
"""Numbers that differ by no more are the same."""

ENOUGH = 0.8
"""A stratum stops betting at this share of the stakes that the wanted width takes, so that all come to stake
alike."""


@dataclass(frozen=True, slots=True)
class StratumSample:
    """What was drawn of one stratum: arrays with one entry per unit, in the order of drawing (empty if
    nothing was).

    totals: sum of the unit's values, each between 0 and 1.
    rows: how many values these are; 0 where the mean is not of the unit.
    population: units that the stratum has in all.
    group: of strata; groups with a name count alike in a mean over strata, however many rows they have.
    """

    totals: Floats
    rows: Floats
    population: int
    group: str = ""


def anytime_mean(
    strata: Sequence[StratumSample], confidence: float = DEFAULT_CONFIDENCE, *, target: float = DEFAULT_TARGET
) -> tuple[float, Interval]:
    """The mean that all units of all strata would give, estimated from those drawn, and an interval that may
    be looked at any time.

    Every row of the strata weighs the same, unless they have groups. Of one stratum it is the last of
    ``betting_sequence``, of several see the module: with the stated confidence the mean is inside at all
    times at once, for any stopping rule and any order of drawing. target: half a width that is wanted of each
    stratum; the interval is as valid with any other. NaN where no unit has a row; ValueError for no stratum,
    values outside 0 and 1, or more units than there are.
    """
    parts = _Part.of(strata)
    mean = mean_over_strata(strata)
    method = f"anytime {confidence:.0%} of {sum(one.population for one in strata)}"
    if len(parts) == 1:
        low, high = parts[0].bounds(confidence, target)
    else:
        low, high = _together(parts, confidence, target)
        method += f" in {len(parts)} strata"
    # a sequence that only narrows need not hold the estimate
    return mean, Interval(min(low, mean), max(high, mean), method)


def mean_over_strata(strata: Sequence[StratumSample]) -> float:
    """The same estimate alone, of values in whatever bounds; strata without a draw have no part in it."""
    sampled = [part for part in _Part.of(strata) if part.shares.size]
    counted = sum(part.weight * part.shares.mean() for part in sampled)
    return float(sum(part.weight * part.values.mean() for part in sampled) / counted) if counted else math.nan


@dataclass(frozen=True, slots=True)
class _Part:
    """A stratum in units of its fullest unit: totals and rows over that unit's rows.

    weight: rows that it would have if all its units were as full, or their share of its group's.
    """

    values: Floats
    shares: Floats
    population: int
    weight: float

    @classmethod
    def of(cls, strata: Sequence[StratumSample]) -> list[_Part]:
        """All strata. One without rows yet is taken to be as full as the fullest."""
        if not strata:
            raise ValueError("a mean over strata needs at least one")
        fullest = max(_fullest(one) for one in strata) or 1.0
        rows = [_fullest(one) or fullest for one in strata]
        of_group: dict[str, float] = defaultdict(float)
        for one, most in zip(strata, rows, strict=True):
            of_group[one.group] += most * one.population
        return [
            cls(
                one.totals / most,
                one.rows / most,
                one.population,
                most * one.population / (of_group[one.group] if one.group else 1),
            )
            for one, most in zip(strata, rows, strict=True)
        ]

    def bounds(self, confidence: float, target: float, grid: int = GRID) -> tuple[float, float]:
        """Of its own mean."""
        if not self.values.size:
            return 0.0, 1.0
        sequence = betting_sequence(
            self.values, self.population, confidence, target=target, shares=self.shares, grid=grid
        )
        return float(sequence.low[-1]), float(sequence.high[-1])


def _fullest(one: StratumSample) -> float:
    return float(one.rows.max(initial=0))


def _together(parts: Sequence[_Part], confidence: float, target: float) -> tuple[float, float]:
    """Which means no way of the strata can be ruled out for.

    For each mean m of the grid: what a stratum is off by (its values less m for each share, on the average
    over all units) lies within its own bounds, and the weighted sum over strata is 0. The bets of both sides
    are lost unless ``won``, less the stakes times what strata are off by, is at most ``allowed`` away from 0;
    all values between the least and the most that stakes times offsets can be are possible.
    """
    means = np.linspace(0.0, 1.0, GRID + 1)
    errors = 1 - confidence
    room = math.log(2 / ((1 - CONTAINED) * errors))
    won, allowed = np.zeros(means.size), np.full(means.size, room)
    staked = np.zeros(len(parts))
    lowest, highest = np.empty((2, len(parts), means.size))
    weights = np.array([part.weight for part in parts])
    weights = weights / math.hypot(*weights)
    for index, part in enumerate(parts):
        stake = stakes(
            part.values,
            part.shares,
            part.population,
            weights[index] * target,
            2 * room * weights[index] / target * ENOUGH,
        )
        more = growth(part.values.size, part.population)
        staked[index] = (stake * more).sum()
        # What is left is off by as much the other way as what was seen, spread over fewer.
        for amount, sign in ((part.values, 1.0), (part.shares, -means)):
            won = won + sign * (stake * (amount + before(amount) * more / part.population)).sum()
        numbers = np.arange(1, part.values.size + 1)
        surprise = (
            part.values - (0.5 + before(part.values)) / numbers,
            part.shares - (1 + before(part.shares)) / numbers,
        )
        price = -np.log1p(-stake) - stake
        allowed = allowed + (price * surprise[0] ** 2).sum()
        allowed = (
            allowed
            - 2 * means * (price * surprise[0] * surprise[1]).sum()
            + means**2 * (price * surprise[1] ** 2).sum()
        )
        lowest[index], highest[index] = _offsets(
            part, part.bounds(1 - CONTAINED * errors / len(parts), target, COARSE), means
        )
    least, most, feasible = _extremes(staked, weights, lowest, highest)
    alive = feasible & (won - most <= allowed) & (won - least >= -allowed)
    total, counted, left = np.sum(
        [
            part.weight
            / part.population
            * np.array([part.values.sum(), part.shares.sum(), part.population - part.values.size])
            for part in parts
        ],
        axis=0,
    )
    possible = np.array([total]) / (counted + left), np.array([total + left]) / (counted + left)
    low, high = ends(alive[None, :], means, 1 / GRID, *possible)
    return low.item(), high.item()


def stakes(values: Floats, shares: Floats, population: int, scale: float, goal: float) -> Floats:
    """What a stratum stakes on each draw, decided before it: below 1, and nothing any more once ``goal`` was
    staked in all.

    values, shares: of the draws so far, from a ``population`` of this many.
    scale: how far from the mean values are to be ruled out, times the stratum's part in it.
    """
    more = growth(values.size, population)
    wanted = scale * more / (known_variance(values, shares) + scale * more)
    return np.clip(np.minimum(wanted, (goal - before(wanted * more)) / more), 0.0, None)


def _offsets(part: _Part, bounds: tuple[float, float], means: Floats) -> tuple[Floats, Floats]:
    """Between what and what the stratum may be off each mean: by its own bounds, and by what is left of
    it."""
    low, high = bounds[0] - means, bounds[1] - means
    seen = part.values.sum() - means * part.shares.sum()
    left = part.population - part.values.size
    # The mean of a stratum is over what counts. How much that is in all is known within limits; where all
    # that was drawn counts in full, the sequence is as good a bound of the mean that has m for whatever else
    # may not.
    full = (part.shares == 1).all()
    fewest = 1.0 if full else part.shares.sum() / part.population
    most = 1.0 if full else (part.shares.sum() + left) / part.population
    return (
        np.maximum(np.where(low < 0, most, fewest) * low, (seen - means * left) / part.population),
        np.minimum(np.where(high > 0, most, fewest) * high, (seen + (1 - means) * left) / part.population),
    )


def _extremes(
    staked: Floats, weights: Floats, lowest: Floats, highest: Floats
) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """The least and the most that stakes times offsets can be while weights times offsets is 0; and whether
    they can be at all.

    lowest, highest: of offsets, strata by means. Offsets are raised from the lowest where that costs least
    (or brings most) first.
    """
    per_weight = staked / weights
    width = weights[:, None] * (highest - lowest)
    needed = -(weights[:, None] * lowest).sum(axis=0)
    # A stratum that was drawn completely has no width, give or take the last digit of a number.
    feasible = (width >= -EXACT).all(axis=0) & (needed >= -EXACT) & (needed <= width.sum(axis=0) + EXACT)
    start = (staked[:, None] * lowest).sum(axis=0)
    limits = []
    for order in (np.argsort(per_weight), np.argsort(-per_weight)):
        filled = np.cumsum(width[order], axis=0) - width[order]
        raised = np.clip(needed - filled, 0.0, np.maximum(width[order], 0.0))
        limits.append(start + (per_weight[order, None] * raised).sum(axis=0))
    return limits[0], limits[1], feasible
