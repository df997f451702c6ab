"""What models replied, kept outside memory: the texts of a million take more of it than all that a report
makes of them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from tempfile import TemporaryFile

import polars as pl

IN_MEMORY = 4 * 1024 * 1024
"""Bytes of packed replies that are kept in memory; more go into a temporary file."""

TOGETHER = 50_000
"""Replies that are packed together."""


@dataclass(frozen=True)
class _Piece:
    """The texts from ``start`` to before ``end``, packed: the bytes, or their place in the file and their
    number."""

    start: int
    end: int
    packed: bytes | tuple[int, int]


class Replies:
    """Texts in the order in which they are added, packed into a temporary file, which goes with this object;
    in memory where they are few, or the disk is full."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._file: io.FileIO | None = None
        self._in_memory = self._in_file = 0

    def __len__(self) -> int:
        return self._pieces[-1].end if self._pieces else 0

    def add(self, texts: pl.Series) -> None:
        """Keep further texts."""
        for part in texts.alias("response").to_frame().iter_slices(TOGETHER):
            packed = io.BytesIO()
            part.write_ipc(packed, compression="zstd")
            self._pieces.append(_Piece(len(self), len(self) + part.height, self._kept(packed.getvalue())))

    def between(self, start: int, end: int) -> pl.Series:
        """The texts from one number to before another."""
        parts = [pl.Series("response", [], dtype=pl.String)]
        parts += [texts[max(start - at, 0) : end - at] for at, texts in self._overlapping(start, end)]
        return pl.concat(parts)

    def of(self, rows: pl.Series) -> pl.Series:
        """The texts of these numbers, in the order in which these come."""
        wanted = rows.alias("row").to_frame().with_row_index("turn")
        parts = [pl.DataFrame(schema={"turn": pl.UInt32, "response": pl.String})]
        for start, texts in self._overlapping(0, len(self)):
            chosen = wanted.filter(pl.col("row").is_between(start, start + texts.len(), closed="left"))
            parts.append(chosen.select("turn", response=texts[chosen["row"].cast(pl.Int64) - start]))
        return pl.concat(parts).sort("turn")["response"]

    def only(self, rows: pl.Series) -> Replies:
        """Those of these numbers alone, which must ascend, as texts of their own."""
        replies = Replies()
        for start, texts in self._overlapping(0, len(self)):
            within = rows.filter(rows.is_between(start, start + texts.len(), closed="left"))
            replies.add(texts[within.cast(pl.Int64) - start])
        return replies

    def _kept(self, packed: bytes) -> bytes | tuple[int, int]:
        """These bytes, or where in the file they are now."""
        if self._in_memory + len(packed) <= IN_MEMORY:
            self._in_memory += len(packed)
            return packed
        offset, rest = self._in_file, memoryview(packed)
        try:
            if self._file is None:
                self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - deleted with this object
            self._file.seek(offset)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:  # the disk is full
            return packed
        self._in_file += len(packed)
        return offset, len(packed)

    def _overlapping(self, start: int, end: int) -> Iterator[tuple[int, pl.Series]]:
        """The pieces that have some of these numbers, each with its first."""
        for piece in self._pieces:
            if piece.start < end and piece.end > start:
                yield piece.start, pl.read_ipc(self._packed(piece))["response"]

    def _packed(self, piece: _Piece) -> io.BytesIO:
        if isinstance(piece.packed, bytes):
            return io.BytesIO(piece.packed)
        assert self._file is not None  # noqa: S101 - it has what is not in memory
        offset, size = piece.packed
        self._file.seek(offset)
        return io.BytesIO(self._file.read(size))
