"""Two factors of several items that people answered, where some items are missing, and the place of a person
in them.

Components are those of probabilistic principal components (Tipping and Bishop 1999), whose likelihood needs
no item that is missing; they are rotated by varimax, which for two has a closed form (Kaiser 1958), so that
no tolerance decides where it stops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import Floats, Ints

FACTORS = 2

CONVERGED = 1e-9
"""Largest change of a loading at which the fit ends."""

MOST_STEPS = 10_000


@dataclass(frozen=True)
class TwoFactors:
    """What a fit leaves, with which anybody's answers are placed.

    mean, scale: of each item, shape (items,): answers are standardised by these. intercept: of the
    standardised items. loadings: shape (items, 2). noise: variance that the factors leave, of each item
    alike. score_mean, score_scale: of the scores of the people of the fit, which have mean 0 and variance 1
    after it, shape (2,). steps: until the fit converged.
    """

    mean: Floats
    scale: Floats
    intercept: Floats
    loadings: Floats
    noise: float
    score_mean: Floats
    score_scale: Floats
    steps: int = 0

    def scores(self, answers: Floats, fewest: int = 1) -> Floats:
        """Shape (people, 2): each person's expected factors. answers: shape (people, items), NaN where
        missing; NaN for people with less than ``fewest`` items."""
        seen = ~np.isnan(answers)
        standard = np.where(seen, (answers - self.mean) / self.scale - self.intercept, 0.0)
        patterns, parts = _patterns(seen)
        projections = _projections(self.loadings, self.noise, patterns)
        raw = np.empty((len(answers), FACTORS))
        for rows, projection in zip(parts, projections, strict=True):
            raw[rows] = standard[rows] @ projection.T
        placed = (raw - self.score_mean) / self.score_scale
        placed[seen.sum(axis=1) < fewest] = math.nan
        return placed

    def turned(self, rotation: Floats) -> TwoFactors:
        """The same with factors that are exchanged or change their signs. rotation: shape (2, 2), with one 1
        or -1 in each row and column."""
        return replace(
            self,
            loadings=self.loadings @ rotation,
            score_mean=self.score_mean @ rotation,
            score_scale=self.score_scale @ np.abs(rotation),
        )

    @property
    def explained(self) -> Floats:
        """Share of the items' variance that each factor explains, shape (2,)."""
        return np.asarray((self.loadings**2).sum(axis=0) / len(self.loadings))


def fit_factors(answers: Floats, weights: Floats) -> TwoFactors:
    """Two factors, rotated by varimax with Kaiser's normalisation; which is first and which way each points
    is left open.

    answers: shape (people, items), NaN where missing; people with few items are left out by the caller.
    weights: of the people, positive. ValueError for fewer than three items, an item that nobody answered, or
    one that all answered alike.
    """
    if answers.ndim != 2 or answers.shape[1] <= FACTORS:
        raise ValueError(f"two factors need three items or more, got an array of shape {answers.shape}")
    seen = ~np.isnan(answers)
    mass = weights @ seen
    if (mass <= 0).any():
        raise ValueError(f"nobody answered item {int(np.argmax(mass <= 0))}")
    mean = weights @ np.where(seen, answers, 0.0) / mass
    scale = np.sqrt(weights @ np.where(seen, answers - mean, 0.0) ** 2 / mass)
    if (scale == 0).any():
        raise ValueError(f"all answered item {int(np.argmax(scale == 0))} alike")
    standard = np.where(seen, (answers - mean) / scale, 0.0)
    intercept, loadings, noise, steps = _Moments.of(standard, seen, weights).fit()
    left, sizes, _ = np.linalg.svd(loadings, full_matrices=False)
    loadings = left * sizes
    communality = np.sqrt((loadings**2).sum(axis=1, keepdims=True))
    loadings = loadings @ varimax(loadings / np.where(communality > 0, communality, 1.0))
    zero, one = np.zeros(FACTORS), np.ones(FACTORS)
    unscaled = TwoFactors(mean, scale, intercept, loadings, noise, zero, one, steps)
    raw = unscaled.scores(answers)
    middle = np.average(raw, axis=0, weights=weights)
    spread = np.sqrt(np.average((raw - middle) ** 2, axis=0, weights=weights))
    return replace(unscaled, score_mean=middle, score_scale=spread)


def varimax(loadings: Floats) -> Floats:
    """The rotation, shape (2, 2), after which the squared loadings of each of two factors vary most.
    loadings: shape (items, 2)."""
    first, second = loadings.T
    difference, product = first**2 - second**2, 2 * first * second
    items = len(loadings)
    sine = 2 * (difference @ product) - 2 * difference.sum() * product.sum() / items
    cosine = difference @ difference - product @ product
    cosine -= (difference.sum() ** 2 - product.sum() ** 2) / items
    angle = math.atan2(sine, cosine) / 4
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def _patterns(seen: npt.NDArray[np.bool_]) -> tuple[Floats, list[Ints]]:
    """Which items people answered, shape (patterns, items), and the rows of the people of each pattern."""
    # One number for each pattern: sorting rows of flags takes half a minute for 400,000 people.
    numbers = seen @ (1 << np.arange(seen.shape[1], dtype=np.int64))
    order = np.argsort(numbers, kind="stable")
    _, starts = np.unique(numbers[order], return_index=True)
    parts = np.split(order, starts[1:])
    return seen[[part[0] for part in parts]].astype(np.float64), parts


def _projections(loadings: Floats, noise: float, patterns: Floats) -> Floats:
    """What turns standardised answers (0 where missing) into expected factors, for each pattern of items that
    were answered: shape (patterns, 2, items)."""
    of_pattern = loadings[None] * patterns[:, :, None]
    inner = np.einsum("pia,pib->pab", of_pattern, of_pattern) + noise * np.eye(FACTORS)
    return np.linalg.solve(inner, of_pattern.transpose(0, 2, 1))


@dataclass(frozen=True)
class _Moments:
    """Sums over people who answered the same items, which are all that a fit needs, however many people there
    are.

    seen: shape (patterns, items). weight: of each pattern's people. first, second: weighted sums of their
    answers and of the products of these, 0 where missing.
    """

    seen: Floats
    weight: Floats
    first: Floats
    second: Floats

    @classmethod
    def of(cls, standard: Floats, seen: npt.NDArray[np.bool_], weights: Floats) -> _Moments:
        patterns, parts = _patterns(seen)
        weighted = standard * weights[:, None]
        return cls(
            patterns,
            np.array([weights[part].sum() for part in parts]),
            np.array([weighted[part].sum(axis=0) for part in parts]),
            np.array([weighted[part].T @ standard[part] for part in parts]),
        )

    def fit(self) -> tuple[Floats, Floats, float, int]:
        """Intercept, loadings, noise and the number of steps, by expectation and maximisation."""
        items = self.seen.shape[1]
        values, vectors = np.linalg.eigh(self._correlations())
        noise = max(float(values[:-FACTORS].mean()), 0.05)
        loadings = vectors[:, -FACTORS:] * np.sqrt(np.maximum(values[-FACTORS:] - noise, 0.05))
        intercept = np.zeros(items)
        steps, change = 0, math.inf
        while change >= CONVERGED and steps < MOST_STEPS:
            before, steps = loadings, steps + 1
            intercept, loadings, noise = self._step(intercept, loadings, noise)
            change = float(np.abs(loadings - before).max())
        return intercept, loadings, noise, steps

    def _correlations(self) -> Floats:
        """Of each two items over the people who answered both; 0 where nobody did."""
        both = np.einsum("p,pi,pj->ij", self.weight, self.seen, self.seen)
        return np.asarray(self.second.sum(axis=0) / np.where(both > 0, both, 1.0))

    def _step(self, intercept: Floats, loadings: Floats, noise: float) -> tuple[Floats, Floats, float]:
        projections = _projections(loadings, noise, self.seen)
        middle = intercept * self.seen
        inner = np.einsum("pai,ib->pab", projections, loadings)
        spread = np.eye(FACTORS) - inner  # of the factors, given the answers
        centred = self.first - self.weight[:, None] * middle
        factors = np.einsum("pai,pi->pa", projections, centred)
        # Sums of products of answers with factors, and of factors with factors.
        crossed = self.second - self.first[:, :, None] * middle[:, None, :]
        answers_factors = np.einsum("pij,paj->pia", crossed, projections)
        squared = crossed - middle[:, :, None] * centred[:, None, :]
        factors_factors = np.einsum("pai,pij,pbj->pab", projections, squared, projections)
        factors_factors += self.weight[:, None, None] * spread
        size = FACTORS + 1
        left = np.zeros((len(self.weight), size, size))
        left[:, :FACTORS, :FACTORS] = factors_factors
        left[:, :FACTORS, FACTORS] = left[:, FACTORS, :FACTORS] = factors
        left[:, FACTORS, FACTORS] = self.weight
        right = np.concatenate([answers_factors, self.first[:, :, None]], axis=2) * self.seen[:, :, None]
        of_item = np.einsum("pi,pab->iab", self.seen, left)
        solved = np.linalg.solve(of_item, right.sum(axis=0)[:, :, None])[:, :, 0]
        total = np.einsum("pii,pi->", self.second, self.seen)
        explained = 2 * (solved * right.sum(axis=0)).sum() - np.einsum("ia,iab,ib->", solved, of_item, solved)
        noise = float((total - explained) / (self.weight @ self.seen.sum(axis=1)))
        return solved[:, FACTORS], solved[:, :FACTORS], max(noise, 1e-12)


def bootstrap_means(values: Floats, weights: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Weighted means of people drawn with replacement, shape (draws, columns).

    values: shape (people, columns). weights: of the people. rng: draws.
    """
    chosen = rng.integers(len(values), size=(draws, len(values)))
    drawn = weights[chosen]
    sums = [np.einsum("dp,dp->d", drawn, column[chosen]) for column in np.ascontiguousarray(values.T)]
    return np.asarray(np.column_stack(sums) / drawn.sum(axis=1, keepdims=True))
