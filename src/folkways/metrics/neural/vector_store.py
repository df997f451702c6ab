"""Vectors on disk, so that a model encodes a text once, for this process, later ones and those that run at
the same time.

A folder holds shards, each written whole by one process and then renamed into place, so nothing is ever
locked or half there: ``NAME.npy`` with the vectors one after the other, ``NAME.npz`` with whose they are.
Vectors are mapped into memory, not read.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np

from folkways.metrics.neural.encoder import TokenVectors

LARGEST = 20 * 10**9  # bytes under one root; beyond, what was not used for longest goes


def text_key(text: str) -> bytes:
    """A key of 16 bytes for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class VectorStore:
    """The vectors of one model, layer and precision, in the folder ``root``/``name``; both are made when
    something is stored."""

    def __init__(self, root: Path, name: str, largest: int = LARGEST) -> None:
        self.root = root
        self.folder = root / name
        self._largest = largest
        self._read: set[str] = set()
        self._known: dict[bytes, TokenVectors] = {}

    def find(self, texts: Sequence[str]) -> dict[str, TokenVectors]:
        """The vectors of those of the texts that are stored."""
        for shard in sorted(self.folder.glob("*.npz")) if self.folder.is_dir() else ():
            if shard.stem not in self._read:
                self._read.add(shard.stem)
                self._known.update(_read_shard(shard))
        return {text: self._known[key] for text in texts if (key := text_key(text)) in self._known}

    def add(self, vectors: Mapping[str, TokenVectors]) -> None:
        """Store vectors. A full or read-only disk does not raise: the vectors are then not kept."""
        if not vectors:
            return
        name = f"{os.getpid()}-{uuid4().hex[:12]}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write_shard(self.folder, name, vectors)
            _prune(self.root, self._largest, keep=name)
        except OSError:
            for left in self.folder.glob(f"{name}*"):
                left.unlink(missing_ok=True)


def _write_shard(folder: Path, name: str, vectors: Mapping[str, TokenVectors]) -> None:
    keys = np.array([text_key(text) for text in vectors], dtype="V16")
    lengths = np.array([len(one.words) for one in vectors.values()], dtype=np.int64)
    words = np.concatenate([one.words for one in vectors.values()])
    states = np.concatenate([one.states for one in vectors.values()])
    np.save(folder / f"{name}.part.npy", states)
    np.savez(folder / f"{name}.part", keys=keys, lengths=lengths, words=words)
    # the index comes last: a shard with one is whole
    (folder / f"{name}.part.npy").rename(folder / f"{name}.npy")
    (folder / f"{name}.part.npz").rename(folder / f"{name}.npz")


def _read_shard(index: Path) -> Iterator[tuple[bytes, TokenVectors]]:
    """What a shard holds; nothing where it was damaged, or went away while it was read."""
    data = index.with_suffix(".npy")
    if index.stem.endswith(".part"):
        return
    try:
        with np.load(index) as arrays:
            keys, lengths, words = arrays["keys"], arrays["lengths"], arrays["words"]
        # still mapped, and sent to other processes as any array
        states = np.load(data, mmap_mode="r").view(np.ndarray)
        os.utime(data)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return
    if states.ndim != 2 or len(keys) != len(lengths) or not len(states) == len(words) == lengths.sum():
        return
    ends = np.cumsum(lengths)
    for key, start, end in zip(keys, ends - lengths, ends, strict=True):
        yield key.tobytes(), TokenVectors(states[start:end], words[start:end])


def _prune(root: Path, largest: int, keep: str) -> None:
    shards = [(data.stat(), data) for data in root.rglob("*.npy")]
    total = sum(stat.st_size for stat, _ in shards)
    for stat, data in sorted(shards, key=lambda shard: shard[0].st_mtime):
        if total <= largest:
            return
        if data.stem != keep:
            data.with_suffix(".npz").unlink(missing_ok=True)
            data.unlink(missing_ok=True)
            total -= stat.st_size
