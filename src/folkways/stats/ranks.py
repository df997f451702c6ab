"""Ranks with the range that resampling gives them: a leaderboard says first, second, third; the questions may not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from folkways.stats.bootstrap import resampled_means
from folkways.stats.intervals import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Floats


@dataclass(frozen=True, slots=True)
class Ranks:
    """One entry per model: its rank (1 is best; ties share the better one), the range of ranks, and how often it came first.

    low, high: the ranks that the middle ``confidence`` of resamples gave it, low being the better. first: share of resamples in
    which no model was above it; models that tie for it each count.
    """

    rank: list[int]
    low: list[int]
    high: list[int]
    first: list[float]


def rank_intervals(
    sums: Floats, counts: Floats, *, confidence: float = DEFAULT_CONFIDENCE, resamples: int = DEFAULT_RESAMPLES, seed: int = 0
) -> Ranks:
    """Ranks by mean, with bootstrap ranges: every model is scored on the same drawn questions.

    sums: shape (questions, models), each question's sum of a model's values; counts: rows of each question. Higher is better.
    ValueError without questions.
    """
    if not len(sums):
        raise ValueError("ranks need at least one question that all models were asked")
    means = resampled_means(sums, counts, resamples, seed)
    ranks = np.stack([_ranks(row) for row in np.round(means, 12)])
    tail = (1 - confidence) / 2
    low, high = np.quantile(ranks, [tail, 1 - tail], axis=0, method="closest_observation")
    found = _ranks(np.round(sums.sum(axis=0) / counts.sum(), 12))
    return Ranks(found.tolist(), low.astype(int).tolist(), high.astype(int).tolist(), (ranks == 1).mean(axis=0).tolist())


def _ranks(scores: Floats) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """1 for the highest; models with the same score share the better rank."""
    _, codes, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - counts + 1)[codes].astype(np.int64)
