"""Groups facts that are about the same things, so that models are asked about different ones: k-means on
hashed, weighted words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.errors import of_extra

FEATURES = 2**12
MOST = 1000
"""Clusters of one culture at most: their middles are dense, 16 kB each."""

LEARNT_FROM = 10
"""Facts per cluster that its middle is learnt from, drawn at random; all facts are then sorted to the
middles."""

BATCH = 4096

Floats = npt.NDArray[np.float32]


def learnt_from(facts: int, size: int, seed: int = 0) -> tuple[int, npt.NDArray[np.int64]]:
    """How many clusters of ``size`` facts on average there are to be, MOST at most, and the places to learn
    them from, in order."""
    count = min(MOST, math.ceil(facts / size))
    return count, np.sort(np.random.default_rng(seed).permutation(facts)[: count * LEARNT_FROM])


class Clusters:
    """Middles of clusters; facts are sorted to the nearest.

    words: List(String), the words of facts to learn ``count`` clusters from. Same words and seed, same
    clusters. MissingExtraError without scikit-learn.
    """

    def __init__(self, words: pl.Series, count: int, seed: int = 0) -> None:
        self._learn = _learn()
        self._middles: Floats | None = None
        if count < 2:
            return
        self._rarity = self._learn.text.TfidfTransformer().fit(self._hashed(words))
        model = self._learn.cluster.MiniBatchKMeans(
            count,
            init="random",
            n_init=1,
            batch_size=BATCH,
            max_iter=3,
            reassignment_ratio=0,
            compute_labels=False,
            random_state=seed,
        )
        self._middles = model.fit(self._vectors(words)).cluster_centers_

    def sort(self, words: pl.Series) -> tuple[npt.NDArray[np.int64], Floats]:
        """The cluster of each fact, and how far it lies from the middle of it (0 to 2)."""
        if self._middles is None:
            return np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.float32)
        return _nearest(self._vectors(words), self._middles)

    def _hashed(self, words: pl.Series) -> Any:
        hasher = self._learn.text.HashingVectorizer(
            analyzer=str.split, n_features=FEATURES, alternate_sign=False, norm=None, dtype=np.float32
        )
        return hasher.transform(words.list.join(" "))

    def _vectors(self, words: pl.Series) -> Any:
        """Sparse rows of length 1: words weighted by how rare they are in the facts that were learnt from."""
        return self._rarity.transform(self._hashed(words), copy=False)


def _nearest(vectors: Any, middles: Floats) -> tuple[npt.NDArray[np.int64], Floats]:
    """The nearest middle to each row and its distance; one sparse product per batch, several times faster
    than ``predict``."""
    squares = np.einsum("ij,ij->i", middles, middles)
    across = np.ascontiguousarray(middles.T)
    labels, distances = (
        np.empty(vectors.shape[0], dtype=np.int64),
        np.empty(vectors.shape[0], dtype=np.float32),
    )
    for start in range(0, labels.size, BATCH):
        part = vectors[start : start + BATCH]
        further = squares - 2 * (part @ across)  # the square of the distance, but for the row's own length
        own = further.argmin(axis=1)
        length = np.asarray(part.multiply(part).sum(axis=1)).ravel()
        labels[start : start + BATCH] = own
        distances[start : start + BATCH] = np.sqrt(np.maximum(0, length + further[np.arange(own.size), own]))
    return labels, distances


def _learn() -> Any:
    with of_extra("building", "folkways build csi"):
        from types import SimpleNamespace

        from sklearn import cluster, feature_extraction

        return SimpleNamespace(cluster=cluster, text=feature_extraction.text)
