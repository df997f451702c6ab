"""Opens released data by name or folder and reports what is odd about them, with the readers of the
benchmarks."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from folkways.benchmarks.registry import load_benchmark
from folkways.errors import FolkwaysError, FolkwaysWarning
from folkways.plugins import BENCHMARKS, entries, error_text
from folkways.records import DataIssue
from folkways.releases.layout import recognise
from folkways.releases.readers import Reader
from folkways.releases.registry import get_record, release_names
from folkways.releases.release_records import Release
from folkways.releases.stored_releases import locate

T = TypeVar("T")


def open_release(name_or_dir: str | Path, benchmark: str | None = None) -> Release:
    """A release by name or alias, or the one in a folder.

    A known name wins over a folder of the same name; write ``./blend`` for the folder. A folder whose
    contents are those of a known release is that release, verified; any other one that is laid out like a
    benchmark's data, and one with more that is read (a country of one's own), becomes ``dir:<name>``, not
    verified.

    benchmark: the only one whose releases are accepted; None for any.

    Raises FolkwaysError for a release of another benchmark or a folder without data, and UnknownNameError
    for an unknown name.
    """
    text = str(name_or_dir)
    if isinstance(name_or_dir, str) and text in release_names():
        release = locate(text)
    else:
        folder = Path(text).expanduser()
        is_path = (
            isinstance(name_or_dir, Path)
            or folder.exists()
            or text.startswith((".", "~"))
            or "/" in text
            or os.sep in text
        )
        if not is_path:
            get_record(text)  # raises, with the valid names
        release = recognise(folder, can_read, files_read, benchmark)
    if benchmark is not None and release.record.benchmark != benchmark:
        valid = ", ".join(name for name in release_names() if get_record(name).benchmark == benchmark)
        beside = (
            f" (the folder of that name is ./{text})" if release.name != text and Path(text).is_dir() else ""
        )
        raise FolkwaysError(
            f"release {release.name} is data of {release.record.benchmark}, but {benchmark} is needed\n"
            f"valid: {valid}, or a folder with its data{beside}"
        )
    return release


def can_read(benchmark: str, folder: Path) -> bool:
    """Whether the benchmark's reader finds something in ``folder``; False for a benchmark without a reader,
    or if it fails."""
    return _ask_reader(benchmark, folder, lambda reader: bool(reader.looks_like(folder)), otherwise=False)


def files_read(benchmark: str, folder: Path) -> Iterable[Path]:
    """The files in ``folder`` that the benchmark's reader finds by itself; none where it asks the release for
    each by its path, or if it fails."""
    nothing: tuple[Path, ...] = ()
    return _ask_reader(
        benchmark, folder, lambda reader: getattr(reader, "files", lambda _: nothing)(folder), nothing
    )


def _ask_reader(benchmark: str, folder: Path, question: Callable[[Reader], T], otherwise: T) -> T:
    reader = _reader_of(benchmark)
    try:
        return otherwise if reader is None else question(reader)
    except Exception as error:  # noqa: BLE001 - a reader of another package, asked about a folder that may not be meant for it
        what = (
            f"the reader of the benchmark {benchmark!r} is not asked about {folder}: it failed "
            f"({_in_one_line(benchmark, error)})"
        )
        warnings.warn(what, FolkwaysWarning, stacklevel=3)
        return otherwise


def data_issues(release: Release) -> list[DataIssue]:
    """Everything odd about the release, in the reader's order; empty for a benchmark without a reader (the
    demo).

    Raises DataError, with file and row, if the release cannot be read, and FolkwaysError if the reader fails.
    """
    benchmark = release.record.benchmark
    reader = _reader_of(benchmark)
    try:
        return [] if reader is None else list(reader.check(release))
    except FolkwaysError:
        raise
    except Exception as error:
        message = (
            f"the reader of the benchmark {benchmark!r} failed in check() on {release.name}: "
            f"{_in_one_line(benchmark, error)}"
        )
        raise FolkwaysError(message) from error


def _in_one_line(benchmark: str, error: Exception) -> str:
    """The exception in one line, with its place in the package of the benchmark."""
    entry = entries(BENCHMARKS).get(benchmark)
    return error_text(error, entry.value if entry is not None else "")


def _reader_of(benchmark: str) -> Reader | None:
    loaded = load_benchmark(benchmark)
    return None if loaded is None else loaded.reader
