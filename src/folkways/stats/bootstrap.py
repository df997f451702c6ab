"""Resamples of whole clusters, all taken at once: how ranks would come out with other questions (``ranks``).

A resample is the number of times that it draws each cluster. These numbers depend on how many clusters there are and on the seed
alone, so they are drawn once and shared by every task and group with as many clusters.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import Floats

Counts = npt.NDArray[np.uint8]

REMEMBERED = 1024
"""Up to this many clusters the drawn numbers are kept for the next group: a byte for each resample and cluster."""

BLOCK = 150_000
"""Draws that are made or multiplied at a time, so that they stay within the processor's cache."""


def resampled_means(sums: Floats, counts: Floats, resamples: int, seed: int) -> Floats:
    """Means of resamples of clusters, shape (resamples, columns of ``sums``)."""
    n = len(sums)
    columns = np.ascontiguousarray(np.column_stack([counts, sums]).T)
    means = np.empty((resamples, sums.shape[1]))
    drawn = draws(n, resamples, seed)
    for block in _blocks(n, resamples):
        # Not "@": a matrix this thin is not worth the threads that it would wake and wait for.
        totals = np.einsum("mn,nb->mb", columns, drawn[:, block].astype(np.float64))
        means[block] = (totals[1:] / totals[0]).T
    return means


def draws(n: int, resamples: int, seed: int) -> Counts:
    """How often each of ``n`` clusters is drawn in each resample: shape (n, resamples), columns sum to n."""
    return _remembered(n, resamples, seed) if n <= REMEMBERED else _drawn(n, resamples, seed)


def _drawn(n: int, resamples: int, seed: int) -> Counts:
    rng = np.random.default_rng([abs(seed), int(seed < 0), 0])
    found = np.empty((n, resamples), dtype=np.uint8)  # one cluster is not drawn 256 times: the chance is below 10^-500
    for block in _blocks(n, resamples):
        size = block.stop - block.start
        cells = rng.integers(0, n, size=(size, n)) * size + np.arange(size)[:, None]
        found[:, block] = np.bincount(cells.ravel(), minlength=size * n).reshape(n, size)
    return found


def _blocks(n: int, resamples: int) -> list[slice]:
    step = max(1, BLOCK // n)
    return [slice(start, min(start + step, resamples)) for start in range(0, resamples, step)]


_remembered = lru_cache(_drawn)
