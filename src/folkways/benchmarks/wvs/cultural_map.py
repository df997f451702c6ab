"""The Inglehart-Welzel cultural map: people's countries and models in two dimensions of ten items.

As in Tao et al. (2024): two principal components of people's answers where items may be missing, rotated by
varimax once, on people alone; scores of variance 1, stretched and moved by the association's constants.
Models are placed with the same fit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from folkways.benchmarks.wvs.map_people import (
    AIMS,
    CODES,
    FEWEST_ITEMS,
    ITEMS,
    QUALITIES,
    SIGNS,
    MapItem,
    aims_index,
)
from folkways.stats.factors import TwoFactors, bootstrap_means, fit_factors
from folkways.stats.intervals import Floats

STRETCH = np.array([1.81, 1.61])

SHIFTS: Mapping[str, tuple[float, float]] = {
    "Tao et al.": (0.38, -0.01),
    "the association's SPSS text": (0.038, -0.1),
}
"""What is added to both dimensions, in the two versions that are in use. The first is taken, with which
models have been published; distances are the same with both."""

SHIFT = "Tao et al."

DRAWS = 500
SEED = 0


@dataclass(frozen=True)
class CulturalMap:
    """The fit, and where it places people's answers: to the right self-expression against survival, upwards
    secular against traditional values."""

    factors: TwoFactors

    @classmethod
    def of(cls, answers: Floats, weights: Floats) -> CulturalMap:
        """answers: shape (people, ITEMS). ValueError where an item has no answers, or no two different."""
        factors = fit_factors(answers, weights)
        god, homosexuality = CODES.index("F063"), CODES.index("F118")
        upwards = int(np.argmax(np.abs(factors.loadings[god])))
        order = [1 - upwards, upwards]
        rotation = np.zeros((2, 2))
        rotation[order[0], 0] = 1.0 if factors.loadings[homosexuality, order[0]] >= 0 else -1.0
        rotation[order[1], 1] = 1.0 if factors.loadings[god, order[1]] <= 0 else -1.0
        return cls(factors.turned(rotation))

    def points(self, answers: Floats) -> Floats:
        """Shape (people, 2). answers: shape (people, ITEMS), NaN where missing."""
        return np.asarray(self.factors.scores(answers, FEWEST_ITEMS) * STRETCH + np.array(SHIFTS[SHIFT]))


@dataclass(frozen=True)
class MapPoint:
    """A point of the map, with its covariance, shape (2, 2), and draws with this, shape (DRAWS, 2)."""

    point: Floats
    covariance: Floats
    draws: Floats

    def distance(self, other: MapPoint) -> tuple[float, Floats]:
        """From another point, and the same of their draws."""
        apart = float(np.hypot(*(self.point - other.point)))
        return apart, np.hypot(*(self.draws - other.draws).T)


def country_point(
    points: Floats, weights: Floats, years: Sequence[int], rng: np.random.Generator
) -> MapPoint:
    """The mean over years of weighted means of people; people of a year are drawn again.

    points: shape (people, 2). weights, years: of the people. rng: draws.
    """
    of_years = np.asarray(years)
    parts = [of_years == year for year in np.unique(of_years)]
    means = [np.average(points[part], axis=0, weights=weights[part]) for part in parts]
    draws = [bootstrap_means(points[part], weights[part], DRAWS, rng) for part in parts]
    mean_draws = np.mean(draws, axis=0)
    return MapPoint(np.mean(means, axis=0), np.cov(mean_draws, rowvar=False), mean_draws)


@dataclass(frozen=True, slots=True, eq=False)
class AnswersInForm:
    """A model's replies to a question in one form.

    wording, labels, order: of the form. shares: shape (samples, options).
    """

    wording: str
    labels: str
    order: str
    shares: Floats

    @property
    def mean(self) -> Floats:
        """Over samples, shape (options,)."""
        return np.asarray(self.shares.mean(axis=0))


Question = Sequence[AnswersInForm]


def model_point(
    fit: CulturalMap, questions: Mapping[str, Question], rng: np.random.Generator
) -> tuple[MapPoint, int] | None:
    """A model's point and the number of items that it rests on; None with less than FEWEST_ITEMS.

    fit: of people. questions: name in the trend files or in wave 7 -> replies with an opinion. rng: draws.

    Each order counts as much as the other. The covariance is that of samples, drawn again in each form, and
    what wordings, labels and orders differ by more than samples do: with two of each, forms drawn again would
    count the chance of samples once more for every factor.
    """
    forms = [form for question in questions.values() for form in question]
    means = {name: _mean_shares(question, rng) for name, question in questions.items() if question}
    values = _all_values(means)
    points = fit.points(values)
    if not forms or np.isnan(points[0]).any():
        return None
    of_samples = np.cov(points[1:], rowvar=False)
    excess = np.zeros((2, 2))
    for factor in ("wording", "labels", "order"):
        levels = sorted({getattr(form, factor) for form in forms})
        if len(levels) > 1:
            of_levels = np.vstack([_point_of(fit, questions, factor, level) for level in levels])
            excess += np.cov(of_levels, rowvar=False) / len(levels) - of_samples
    sizes, axes = np.linalg.eigh(excess)
    covariance = of_samples + (axes * np.maximum(sizes, 0.0)) @ axes.T
    draws = rng.multivariate_normal(points[0], covariance, DRAWS, method="eigh")
    return MapPoint(points[0], covariance, draws), int((~np.isnan(values[0])).sum())


def _point_of(fit: CulturalMap, questions: Mapping[str, Question], factor: str, level: str) -> Floats:
    """The point by the forms of one wording, labels or order alone; all of a question that has none."""
    means = {}
    for name, question in questions.items():
        of_level = [form for form in question if getattr(form, factor) == level]
        if question:
            means[name] = _balanced(
                of_level or question, np.stack([form.mean for form in of_level or question])
            )
    return fit.points(_all_values({name: shares[None] for name, shares in means.items()}))


def _all_values(means: Mapping[str, Floats]) -> Floats:
    """The mean code of each item, shape (rows of ``means``, ITEMS)."""
    rows = max((len(shares) for shares in means.values()), default=1)
    return np.column_stack([_values(item, means, rows) for item in ITEMS])


def _mean_shares(question: Question, rng: np.random.Generator) -> Floats:
    """Shares of a question's options, shape (1 + DRAWS, options): as they are, then of samples drawn
    again."""
    forms = [np.vstack([form.mean, resampled_means(form.shares, rng)]) for form in question]
    return _balanced(question, np.stack(forms))


def _balanced(question: Question, shares: Floats) -> Floats:
    """The mean over forms, the first axis of ``shares``, each order as much as the other."""
    orders = [form.order for form in question]
    weights = np.array([1 / orders.count(order) for order in orders])
    return np.asarray(np.tensordot(weights / weights.sum(), shares, axes=1))


def resampled_means(shares: Floats, rng: np.random.Generator) -> Floats:
    """Means of samples drawn again, shape (DRAWS, options), which vary as the mean of such samples does.

    shares: of each sample, shape (samples, options).
    """
    samples = len(shares)
    if samples == 1:
        return np.broadcast_to(shares, (DRAWS, shares.shape[1]))
    counts = rng.multinomial(samples - 1, np.full(samples, 1 / samples), size=DRAWS)
    return np.asarray(counts @ shares / (samples - 1))


def _values(item: MapItem, means: Mapping[str, Floats], rows: int) -> Floats:
    """The mean code of an item, shape (rows,); NaN where it was not asked."""
    if item.code == "Y002" and (pair := _first(AIMS, means)):
        first, second = (means[name] for name in pair)
        chances = first[:, :, None] * second[:, None, :] * (1 - np.eye(4))
        index = [[aims_index(i, j) if i != j else 0 for j in range(1, 5)] for i in range(1, 5)]
        total = chances.sum(axis=(1, 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((chances * np.array(index)).sum(axis=(1, 2)) / total)
    if item.code == "Y003" and (names := _first(QUALITIES, means)):
        return np.asarray(sum(sign * means[name][:, 0] for sign, name in zip(SIGNS, names, strict=True)))
    codes = np.arange(item.low, item.high + 1)
    for name in (item.code, item.wave7):
        if name in means and means[name].shape[1] == len(codes):
            return np.asarray(means[name] @ codes)
    return np.full(rows, math.nan)


def _first(names: Mapping[str, tuple[str, ...]], means: Mapping[str, Floats]) -> tuple[str, ...] | None:
    return next((group for group in names.values() if all(name in means for name in group)), None)


def answers_of(people: pl.DataFrame) -> tuple[Floats, Floats]:
    """Answers and weights of the fit, from ``map_people.read_people``."""
    answers = people.select(CODES).to_numpy().astype(np.float64)
    return answers, people["weight"].to_numpy().astype(np.float64)


def country_points(
    fit: CulturalMap, people: pl.DataFrame
) -> Iterator[tuple[str, str, int, list[int], MapPoint]]:
    """Code, name, number of people, years and place of each country, by name."""
    answers, weights = answers_of(people)
    points = fit.points(answers)
    numbered = people.select("culture", "country", "year", row=pl.int_range(pl.len()))
    for (country, culture), part in numbered.sort("country").group_by(
        "country", "culture", maintain_order=True
    ):
        rows = part["row"].to_numpy()
        years = part["year"].to_list()
        # A seed of its own, so that a country's draws do not depend on which others are there.
        rng = np.random.default_rng([SEED, *str(culture).encode()])
        where = country_point(points[rows], weights[rows], years, rng)
        yield str(culture), str(country), len(rows), sorted(set(years)), where
