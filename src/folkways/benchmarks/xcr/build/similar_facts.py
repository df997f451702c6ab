"""Finds facts that say nearly the same in nearly the same words, in memory that grows by 128 bytes per fact
and bands of hashes.

Signatures are datasketch's MinHash. Its index keeps a dictionary entry per fact and band, four gigabytes for
a million facts; here each band is one column of hashes that is sorted, and facts with equal hashes are
neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.errors import of_extra

PERMUTATIONS = 64
BANDS = 16
"""Sixteen bands of four values: two facts of similarity .8 meet in one with a chance of .9998, of .5 with
.64, of .2 with .03."""

CHUNK = 20_000
"""Facts whose words are in memory at a time."""

Ints = npt.NDArray[np.int64]
Signatures = npt.NDArray[np.uint16]


def signatures(words: pl.Series, seed: int = 0) -> Signatures:
    """The signature of each fact, (facts, PERMUTATIONS): the low 16 bits of each minimum, enough to tell
    minima apart.

    words: List(String), the words of each fact. MissingExtraError without datasketch.
    """
    minhash = _minhash()
    found: Signatures = np.empty((len(words), PERMUTATIONS), dtype=np.uint16)
    made = minhash.generator(_sets(words), num_perm=PERMUTATIONS, seed=seed + 1, hashfunc=_word_hash)
    for place, one in enumerate(made):
        found[place] = one.hashvalues.astype(np.uint64) & np.uint64(0xFFFF)
    return found


def repeated(found: Signatures, similarity: float) -> Ints:
    """For each fact with these signatures the place of the earliest fact found that it repeats, or -1.

    similarity: estimated Jaccard similarity of the sets of words from which two facts count as the same; the
    estimate's standard error is at most 1/16.
    """
    like = np.full(len(found), -1, dtype=np.int64)
    values = PERMUTATIONS // BANDS
    for band in range(BANDS):
        _match_band(
            found, np.ascontiguousarray(found[:, band * values : (band + 1) * values]), like, similarity
        )
    return _chain_ends(like)


def _sets(words: pl.Series) -> Iterator[list[str]]:
    """The distinct words of each fact, some thousand facts at a time."""
    for start in range(0, len(words), CHUNK):
        yield from words.slice(start, CHUNK).list.unique().to_list()


def _word_hash(word: str) -> int:
    """32 bits, the same on every machine; datasketch's own SHA-1 takes four times as long."""
    return crc32(word.encode())


def _match_band(found: Signatures, band: Signatures, like: Ints, similarity: float) -> None:
    """Compare facts that are equal in a band with the first of them and with their neighbour; the earlier one
    stands for both."""
    keys = band.view(np.uint64).ravel()
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.r_[True, keys[order][1:] != keys[order][:-1]])
    first = np.repeat(order[starts], np.diff(np.r_[starts, order.size]))
    neighbour = np.r_[order[:1], order[:-1]]
    same_as_first = first != order
    for others, together in ((first, same_as_first), (neighbour, same_as_first & (neighbour != first))):
        later, earlier = order[together], others[together]
        for start in range(0, later.size, CHUNK):
            part = slice(start, start + CHUNK)
            alike = (found[later[part]] == found[earlier[part]]).mean(axis=1) >= similarity
            again, stands = later[part][alike], earlier[part][alike]
            like[again] = np.where(like[again] < 0, stands, np.minimum(like[again], stands))


def _chain_ends(like: Ints) -> Ints:
    """Where a fact repeats one that repeats another, the last of that chain."""
    found = like.copy()
    for place in np.flatnonzero(like >= 0):  # in order: what a place points to lies before it and is settled
        before = found[like[place]]
        found[place] = before if before >= 0 else like[place]
    return found


def _minhash() -> Any:
    with of_extra("building", "folkways build csi"):
        from datasketch import MinHash
    return MinHash


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
