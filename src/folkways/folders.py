"""Whether a folder can be written to, found out before any work is done."""

from __future__ import annotations

import os
from pathlib import Path

from folkways.errors import FolkwaysError

OF_FILES = (".bib", ".csv", ".html", ".json", ".jsonl", ".md", ".parquet", ".tex", ".tsv", ".txt", ".xlsx", ".yaml", ".yml")
"""Endings that nobody means as part of a folder's name."""


def check_several(out: Path, option: str = "--out") -> None:
    """FolkwaysError where ``out`` has the name of a file; for commands that write several files, into a folder."""
    if out.suffix.lower() in OF_FILES and not out.exists():
        raise FolkwaysError(
            f"{option} {out} is the name of a file, but several files are written; name a folder: {option} {out.with_suffix('')}"
        )


def check_folder(path: Path) -> None:
    """FolkwaysError unless a folder is there, or can be made there; to be called before any work is done."""
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not there.is_dir():
        raise FolkwaysError(f"{path} cannot be a folder: {there} is a file; name another folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise FolkwaysError(f"{path} cannot be written: {there} is read-only; name another folder")
