"""What a process reads of a release once: a run plans, judges and scores from it."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from functools import lru_cache, wraps
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import TypeVar

import polars as pl

from folkways.releases.release_records import Release

KEPT = 2
"""Releases whose tables a reader keeps: a run has its own, and perhaps one that people's answers come
from."""

IN_MEMORY = 4 * 1024 * 1024
"""Bytes of packed batches that are kept in memory; more go into a temporary file."""


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


Table = TypeVar("Table", pl.DataFrame, pl.DataFrame | None)


def read_once(reader: Callable[[Release], Table]) -> Callable[[Release], Table]:
    """The reader of a small table, which reads a release of the same contents once; what it raises is raised
    each time."""
    read = lru_cache(maxsize=KEPT)(lambda key: reader(key.release))

    @wraps(reader)
    def kept(release: Release) -> Table:
        return read(_ByContents(release))

    return kept


class KeptBatches:
    """Tables that come in batches and are read once: a single batch stays in memory; several are packed into
    a temporary file, which goes with this object."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, list[pl.DataFrame] | _PackedBatches] = {}

    def of(self, key: Hashable, read: Callable[[], Iterator[pl.DataFrame]]) -> Iterator[pl.DataFrame]:
        """The batches that ``read`` gives, which is called anew where no earlier call for this key came to
        its end."""
        if key in self._kept:
            yield from self._kept[key]
            return
        batches = read()
        head = list(islice(batches, 2))
        if len(head) < 2:
            self._kept[key] = head
            yield from head
            return
        packed = _PackedBatches()
        while head or (head := list(islice(batches, 1))):
            packed.add(head[0])
            yield head.pop(0)
        if packed.is_whole:
            self._kept[key] = packed


class _PackedBatches:
    """Batches in a temporary file, or in memory while they are few. is_whole: whether there was room for
    all."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - deleted with this object
        self._sizes: list[int] = []
        self.is_whole = True

    def add(self, batch: pl.DataFrame) -> None:
        """Keep one batch more, unless the disk is full."""
        if not self.is_whole:
            return
        packed = io.BytesIO()
        batch.write_ipc(packed, compression="lz4")
        try:
            self._file.seek(0, os.SEEK_END)
            self._file.write(packed.getbuffer())
        except OSError:
            self.is_whole = False
            with suppress(OSError):
                self._file.close()
            return
        self._sizes.append(packed.getbuffer().nbytes)

    def __iter__(self) -> Iterator[pl.DataFrame]:
        start = 0
        for size in self._sizes:
            self._file.seek(start)
            yield pl.read_ipc(io.BytesIO(self._file.read(size)))
            start += size
