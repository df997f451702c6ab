"""Files written completely or not at all, and the folders that they are written to."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from folkways.errors import FolkwaysError, option

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class WrittenFiles:
    """The files that were written, and what a person must know of them."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there; FolkwaysError where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolkwaysError(f"the folder {folder} cannot be made: {_reason(error)}") from error


def write_bytes(path: Path, content: bytes) -> Path:
    """Write a file completely or not at all, and its folder with it; FolkwaysError where that cannot be.
    Returns the path."""
    return write_lines(path, [content])


def write_lines(path: Path, lines: Iterable[bytes]) -> Path:
    """``write_bytes`` of a file that is made piece by piece and may be larger than memory. Raises
    FolkwaysError."""
    with whole_file(path) as unfinished, unfinished.open("wb") as stream:
        stream.writelines(lines)
    return path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write what becomes the file at the end of the block, and is removed if the block fails. Makes
    the folder. FolkwaysError, with the file and the reason, where it cannot be written.

    A link stays, and the file that it names is replaced. ``/dev/stdout`` and pipes are written to directly.
    """
    make_folder(path.resolve().parent)
    direct = path.exists() and not path.is_file() and not path.is_dir()
    try:
        with nullcontext(path) if direct else atomic_file(path) as unfinished:
            yield unfinished
    except OSError as error:
        raise FolkwaysError(f"{path} cannot be written: {_reason(error)}") from error


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """``whole_file`` for callers with words of their own for errors of the disk: OSError where the file
    cannot be written. Its folder has to be there."""
    target = path.resolve()
    # The name is random, so that two processes that write one file never share a draft.
    unfinished = target.with_name(f".{target.name}.{os.urandom(4).hex()}.part")
    try:
        yield unfinished
        unfinished.replace(target)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise


FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)


def _reason(error: OSError) -> str:
    """Why something cannot be written, and what to do."""
    if error.errno in FULL_DISK:
        return (
            "the disk is full, or the file is larger than is allowed here; free some space, or name another "
            "place"
        )
    reason = "read-only for you" if error.errno in READ_ONLY else error.strerror or error
    return f"{reason}; name another place"


def json_bytes(document: Mapping[str, Any]) -> bytes:
    """An indented JSON document."""
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def packed(frame: pl.DataFrame, kind: str) -> bytes:
    """A frame as ``parquet`` or ``jsonl``; ValueError for another kind."""
    if kind not in ("jsonl", "parquet"):
        raise ValueError(f"kind is jsonl or parquet, got {kind!r}")
    buffer = io.BytesIO()
    (frame.write_parquet if kind == "parquet" else frame.write_ndjson)(buffer)
    return buffer.getvalue()


OF_FILES = (
    ".bib",
    ".csv",
    ".html",
    ".json",
    ".jsonl",
    ".md",
    ".parquet",
    ".tex",
    ".tsv",
    ".txt",
    ".xlsx",
    ".yaml",
    ".yml",
)
"""Endings that nobody means as part of a folder's name."""


def check_several(out: Path, written: Callable[[str], str] = lambda name: option("out", name)) -> None:
    """FolkwaysError where ``out`` has the name of a file; for what writes several files, into a folder.

    written: how a name is given there; as the option ``out`` if left out.
    """
    if out.suffix.lower() in OF_FILES and not out.exists():
        raise FolkwaysError(
            f"{written(str(out))} is the name of a file, but several files are written; name a folder: "
            f"{written(str(out.with_suffix('')))}"
        )


def check_folder(path: Path) -> None:
    """FolkwaysError unless a folder is there, or can be made there; to be called before any work is done."""
    nearest = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
    if not nearest.is_dir():
        raise FolkwaysError(f"{path} cannot be a folder: {nearest} is a file; name another folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise FolkwaysError(f"{path} cannot be written: {nearest} is read-only; name another folder")
