"""Readers whose tables a process keeps: a run plans, judges and scores from what it read once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps

import polars as pl

from folkways.releases.release_records import Release

KEPT = 2
"""Releases whose tables a reader keeps: a run has its own, and perhaps one that people's answers come
from."""


class _ByContents:
    """A release as a key: two of equal files in one folder are the same, and one whose files have changed is
    another."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self._key = (str(release.root), release.name, release.fingerprint)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByContents) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def read_once(reader: Callable[[Release], pl.DataFrame]) -> Callable[[Release], pl.DataFrame]:
    """The reader of a small table, which reads a release of the same contents once; what it raises is raised
    each time."""
    read = lru_cache(maxsize=KEPT)(lambda key: reader(key.release))

    @wraps(reader)
    def kept(release: Release) -> pl.DataFrame:
        return read(_ByContents(release))

    return kept
