"""Whether a folder can be written to, found out before any work is done."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from folkways.errors import FolkwaysError, option

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
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not there.is_dir():
        raise FolkwaysError(f"{path} cannot be a folder: {there} is a file; name another folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise FolkwaysError(f"{path} cannot be written: {there} is read-only; name another folder")
