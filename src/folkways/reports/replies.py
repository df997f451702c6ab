"""What models replied, kept outside memory: the texts of a million take more of it than all that a report
makes of them."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile

import polars as pl

IN_MEMORY = 4 * 1024 * 1024
"""Bytes of packed replies that are kept in memory; more go into a temporary file."""

TOGETHER = 50_000
"""Replies that are packed together."""


class Replies:
    """Texts in the order in which they are added, packed into a temporary file, which goes with this object;
    in memory where the disk is full."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - deleted with this object
        self._pieces: list[_Piece] = []

    def __len__(self) -> int:
        return self._pieces[-1].end if self._pieces else 0

    def add(self, texts: pl.Series) -> None:
        """Keep further texts."""
        for piece in texts.to_frame("response").iter_slices(TOGETHER):
            packed = io.BytesIO()
            piece.write_ipc(packed, compression="zstd")
            start, place = len(self), self._file.seek(0, os.SEEK_END)
            self._pieces.append(_Piece(start, start + piece.height, place, packed.getbuffer().nbytes))
            try:
                self._file.write(packed.getbuffer())
            except OSError:
                self._pieces[-1].packed = packed.getvalue()
                with suppress(OSError):
                    self._file.truncate(place)

    def between(self, start: int, end: int) -> pl.Series:
        """The texts from one number to before another."""
        parts = [pl.Series("response", [], dtype=pl.String)]
        parts += [text[max(start - at, 0) : end - at] for at, text in self._overlapping(start, end)]
        return pl.concat(parts)

    def of(self, rows: pl.Series) -> pl.Series:
        """The texts of these numbers, in the order in which these come."""
        wanted = rows.to_frame("row").with_row_index("turn")
        found = [pl.DataFrame(schema={"turn": pl.UInt32, "response": pl.String})]
        for start, texts in self._overlapping(0, len(self)):
            here = wanted.filter(pl.col("row").is_between(start, start + texts.len(), closed="left"))
            found.append(here.select("turn", response=texts[here["row"].cast(pl.Int64) - start]))
        return pl.concat(found).sort("turn")["response"]

    def _overlapping(self, start: int, end: int) -> Iterator[tuple[int, pl.Series]]:
        """The pieces that have some of these numbers, each with its first."""
        for piece in self._pieces:
            if piece.start < end and piece.end > start:
                if piece.packed is None:
                    self._file.seek(piece.place)
                packed = self._file.read(piece.size) if piece.packed is None else piece.packed
                yield piece.start, pl.read_ipc(io.BytesIO(packed))["response"]


@dataclass
class _Piece:
    """The texts from ``start`` to before ``end``: where in the file, and how many bytes; or what there was no
    room for there."""

    start: int
    end: int
    place: int
    size: int
    packed: bytes | None = None
