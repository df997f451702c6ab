"""Scores of small cultures, shrunk towards the other cultures: a hierarchical beta-binomial model.

Differences from a mean have a normal one (``shrink_differences``).

Each culture's true rate is taken for a draw from one beta distribution, whose mean and spread the cultures
themselves tell (empirical Bayes). A culture with few questions is drawn towards the mean of all, one with
many stays where it is. How well the mean and the spread are known is part of the answer: both are weighted
over a grid by their likelihood, instead of being taken for certain at their most likely values, which would
make intervals too narrow. The spread is weighted by itself as well (its measure is the square root of the
correlation within a culture), the mean is not: with a flat prior of the spread only 91 of 100 intervals held
the truth where cultures differ a little.

A shrunken score is the better guess of a culture's own rate, and a worse summary of what was measured: it is
shown next to the raw score, never in its place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import polars as pl

from folkways.records import SCORES, Metric, Schema, require_columns
from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats

FEWEST_GROUPS = 3
"""Of fewer groups nothing can be said about how groups vary."""

_SPREADS = np.linspace(0.005, 0.98, 40)
_STEPS = np.linspace(-3.5, 3.5, 15)
_SPREAD_STEPS, _WIDEST = 81, 3.0

SHRUNK: Schema = {
    **{
        name: SCORES[name]
        for name in ("endpoint", "task", "profile", "metric", "facet", "value", "score", "low", "high", "n")
    },
    "questions": pl.Int64,
    "effective_n": pl.Float64,  # independent questions that would give as wide an interval as the score's own
    "shrunk": pl.Float64,  # in the unit of the score, like the next two
    "shrunk_low": pl.Float64,
    "shrunk_high": pl.Float64,
    "weight": pl.Float64,  # of the group's own score, from 0 (all from the other groups) to 1 (all its own)
}


@dataclass(frozen=True, slots=True)
class ShrunkenEstimates:
    """Posterior of the rates of groups, one entry per group: mean, bounds, and the weight of the group's own
    rate."""

    mean: Floats
    low: Floats
    high: Floats
    weight: Floats


def shrink(successes: Floats, n: Floats, confidence: float = DEFAULT_CONFIDENCE) -> ShrunkenEstimates:
    """Posterior means of the groups' rates with equal-tailed intervals, between 0 and 1.

    successes, n: of each group, also fractional (effective sample sizes). The posterior, a mixture of beta
    distributions, is put down as the beta distribution of the same mean and variance. ValueError with fewer
    than FEWEST_GROUPS, or impossible counts.
    """
    from scipy.special import betaincinv

    if successes.size < FEWEST_GROUPS:
        raise ValueError(
            f"at least {FEWEST_GROUPS} groups are needed to tell how groups vary, got {successes.size}"
        )
    if not ((n > 0) & (successes >= 0) & (successes <= n)).all():
        raise ValueError("every group needs observations, and no more successes than these")
    means, totals, weights = _grid(successes, n)
    weight = n[:, None] / (n[:, None] + totals)
    centres = weight * (successes / n)[:, None] + (1 - weight) * means
    mean = centres @ weights
    variance = (centres * (1 - centres) / (n[:, None] + totals + 1)) @ weights + (
        (centres - mean[:, None]) ** 2
    ) @ weights
    size = mean * (1 - mean) / variance - 1
    tail = (1 - confidence) / 2
    low, high = (betaincinv(mean * size, (1 - mean) * size, level) for level in (tail, 1 - tail))
    return ShrunkenEstimates(mean, low, high, weight @ weights)


def _grid(successes: Floats, n: Floats) -> tuple[Floats, Floats, Floats]:
    """Means and totals (alpha + beta) of beta distributions that the rates may come from, and how likely each
    of them is.

    For every spread, means are laid out around the most likely one, as far as it may be off.
    """
    from scipy.special import betaln

    rates = successes / n
    correlation = _SPREADS**2
    information = n / (1 + (n - 1) * correlation[:, None])
    centre = (information @ rates) / information.sum(axis=1)
    centre = np.clip(centre, 0.5 / n.sum(), 1 - 0.5 / n.sum())
    error = np.sqrt(centre * (1 - centre) / information.sum(axis=1))
    means = centre[:, None] + error[:, None] * _STEPS
    inside = ((means > 0) & (means < 1)).ravel()
    totals = np.repeat((1 - correlation) / correlation, _STEPS.size)[inside]
    widths = np.repeat(error, _STEPS.size)[inside]
    means = means.ravel()[inside]
    alpha, beta = means * totals, (1 - means) * totals
    failures = n - successes
    likelihood = (betaln(alpha + successes[:, None], beta + failures[:, None]) - betaln(alpha, beta)).sum(
        axis=0
    )
    weights = np.exp(likelihood - likelihood.max()) * widths * np.repeat(_SPREADS, _STEPS.size)[inside]
    likely = weights > 1e-6 * weights.max()
    return means[likely], totals[likely], weights[likely] / weights[likely].sum()


def shrink_differences(
    found: Floats, variance: Floats, confidence: float = DEFAULT_CONFIDENCE
) -> ShrunkenEstimates:
    """Posterior means of groups' true differences from 0 with equal-tailed intervals, in the unit of
    ``found``.

    found: each group's difference from a mean of all groups; variance: the square of its standard error. True
    differences are taken for draws from a normal distribution around 0 (Efron and Morris 1975) whose spread
    is weighted by its likelihood over a grid, instead of being taken for certain, and by the spread itself:
    few groups that happen to be alike do not pass for equal (Chung and others 2013 keep off the boundary so),
    and intervals hold as often as stated. ValueError with fewer than FEWEST_GROUPS, or a variance of 0.
    """
    if found.size < FEWEST_GROUPS:
        raise ValueError(
            f"at least {FEWEST_GROUPS} groups are needed to tell how groups vary, got {found.size}"
        )
    if not (variance > 0).all():
        raise ValueError("the difference of every group needs an error above 0")
    spreads = (
        np.linspace(1 / _SPREAD_STEPS, 1.0, _SPREAD_STEPS)
        * _WIDEST
        * math.sqrt(float(np.mean(found**2 + variance)))
    )
    total = spreads**2 + variance[:, None]
    likelihood = -0.5 * (np.log(total) + found[:, None] ** 2 / total).sum(axis=0)
    weights = spreads * np.exp(likelihood - likelihood.max())
    weights /= weights.sum()
    weight = spreads**2 / total
    centres = weight * found[:, None]
    errors = np.sqrt(weight * variance[:, None])
    tail = (1 - confidence) / 2
    low, high = (_quantiles(level, centres, errors, weights) for level in (tail, 1 - tail))
    return ShrunkenEstimates(centres @ weights, low, high, weight @ weights)


def _quantiles(level: float, centres: Floats, errors: Floats, weights: Floats) -> Floats:
    """Of a mixture of normal distributions for each group, by halving."""
    from scipy.special import ndtr

    reach = 12 * errors.max(axis=1)
    low, high = centres.min(axis=1) - reach, centres.max(axis=1) + reach
    for _ in range(60):
        middle = (low + high) / 2
        under = ndtr((middle[:, None] - centres) / errors) @ weights < level
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    quantiles: Floats = (low + high) / 2
    return quantiles


def shrunk_scores(
    scores: pl.DataFrame, metrics: Mapping[str, Sequence[Metric]], facet: str = "culture"
) -> pl.DataFrame:
    """SHRUNK of the scores of one facet (records.SCORES), the groups of each endpoint, task, profile and
    metric by themselves.

    metrics: task -> its metrics; those without bounds from 0 to 1 (counts, differences) are left out, and so
    are scores of nothing. Where there are fewer than FEWEST_GROUPS groups, the shrunken columns are null.
    """
    require_columns(scores, SCORES, "scores")
    scale = {
        (task, metric.name): metric.scale
        for task, its_metrics in metrics.items()
        for metric in its_metrics
        if metric.bounds == (0.0, 1.0)
    }
    key = ["endpoint", "task", "profile", "metric"]
    rows = scores.filter((pl.col("facet") == facet) & pl.col("score").is_not_nan())
    parts = []
    for (_, task, _, metric), group in rows.group_by(key, maintain_order=True):
        if (task, metric) in scale:
            parts.append(_shrunk_group(group, scale[str(task), str(metric)]))
    return pl.concat(parts) if parts else pl.DataFrame(schema=dict(SHRUNK))


def _shrunk_group(group: pl.DataFrame, scale: float) -> pl.DataFrame:
    rates = np.clip(group["score"].to_numpy() / scale, 0.0, 1.0)
    n = _effective_sizes(group, rates, scale)
    columns = dict.fromkeys(("shrunk", "shrunk_low", "shrunk_high", "weight"), pl.lit(None, dtype=pl.Float64))
    if group.height >= FEWEST_GROUPS:
        posterior = shrink(rates * n, n)
        values = (posterior.mean * scale, posterior.low * scale, posterior.high * scale, posterior.weight)
        columns = {name: pl.Series(name, value) for name, value in zip(columns, values, strict=True)}  # type: ignore[misc]
    return group.with_columns(pl.Series("effective_n", n), **columns).select(list(SHRUNK))


def _effective_sizes(group: pl.DataFrame, rates: Floats, scale: float) -> Floats:
    """Effective sample sizes, p (1 - p) over the squared standard error in the interval: rows of one question
    are not independent observations.

    At most the number of rows; the number of questions where nothing varies, or the interval is not known.
    """
    z = 2 * NormalDist().inv_cdf(0.5 + DEFAULT_CONFIDENCE / 2)
    rows = (group["n"] - group["left_out"]).to_numpy().astype(np.float64)
    questions = group["questions"].to_numpy().astype(np.float64)
    independent = group["interval"].str.contains("wilson").to_numpy() & (rows == questions)
    error = (group["high"].to_numpy() - group["low"].to_numpy()) / scale / z
    with np.errstate(divide="ignore", invalid="ignore"):
        implied = rates * (1 - rates) / error**2
    finite = np.isfinite(implied) & (implied > 0)
    sizes = np.where(independent, rows, np.where(finite, np.minimum(implied, rows), questions))
    at_least_one: Floats = np.maximum(sizes, 1.0)
    return at_least_one
