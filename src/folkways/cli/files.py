"""Writes a frame to the file that a user names."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from folkways.errors import FolkwaysError

SUFFIXES = (".csv", ".jsonl", ".json", ".parquet")


def check_folder(path: Path) -> None:
    """FolkwaysError unless a folder is there, or can be made there; to be called before any work is done."""
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not there.is_dir():
        raise FolkwaysError(f"{path} cannot be a folder: {there} is a file; name another folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise FolkwaysError(f"{path} cannot be written: {there} is read-only; name another folder")


def check_text_target(path: Path) -> None:
    """FolkwaysError unless a text of any name can be written there; to be called before any work is done."""
    if path.is_dir():
        raise FolkwaysError(f"{path} is a folder; name a file in it, or another place")
    if not path.parent.is_dir():
        raise FolkwaysError(f"the folder {path.parent} does not exist; create it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise FolkwaysError(f"{path} cannot be written: it or its folder is read-only")


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write ``frame`` as CSV, JSON lines, JSON or Parquet, by the file's ending (one of SUFFIXES); complete or not at all.

    CSV gets an apostrophe before what a spreadsheet would run as a formula (``folkways.spreadsheet``); the other formats are exact.
    What is not a number is null.
    """
    from folkways.files import packed, write_bytes
    from folkways.records import without_nan
    from folkways.spreadsheet import for_csv

    frame = without_nan(frame)
    match path.suffix.lower():
        case ".csv":
            content = for_csv(frame).write_csv().encode()
        case ".json":
            content = frame.write_json().encode()
        case ending:
            content = packed(frame, ending.removeprefix("."))
    write_bytes(path, content)
