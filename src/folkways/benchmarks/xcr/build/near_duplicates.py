"""Finds facts that say nearly the same in nearly the same words, in memory that grows by 128 bytes per fact
and bands of hashes.

Signatures are datasketch's MinHash. Its index keeps a dictionary entry per fact and band, four gigabytes for
a million facts; here each band is one column of hashes that is sorted, and facts with equal hashes are
neighbours.
"""

from __future__ import annotations

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
    made = minhash.generator(_sets(words), num_perm=PERMUTATIONS, seed=seed + 1, hashfunc=_hash)
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
        _match(found, np.ascontiguousarray(found[:, band * values : (band + 1) * values]), like, similarity)
    return _roots(like)


def _sets(words: pl.Series) -> Iterator[list[str]]:
    """The distinct words of each fact, some thousand facts at a time."""
    for start in range(0, len(words), CHUNK):
        yield from words.slice(start, CHUNK).list.unique().to_list()


def _hash(word: str) -> int:
    """32 bits, the same on every machine; datasketch's own SHA-1 takes four times as long."""
    return crc32(word.encode())


def _match(found: Signatures, band: Signatures, like: Ints, similarity: float) -> None:
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


def _roots(like: Ints) -> Ints:
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
