"""The reader of a benchmark's released data, found by its entry point: whatever a benchmark is made of comes
from one object."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache, partial
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from folkways.errors import FolkwaysError, FolkwaysWarning
from folkways.plugins import BENCHMARKS, BROKEN, OURS, entries, load, package_of, told, warn
from folkways.records import DataIssue
from folkways.releases.base import Release


class Reader(Protocol):
    """What knows the released data of a benchmark; a module will do."""

    def looks_like(self, folder: Path, /) -> bool:
        """Whether there is something in ``folder`` that it can read."""

    def check(self, release: Release, /) -> list[DataIssue]:
        """Everything odd about the release. DataError, with file and row, if it cannot be read."""


@cache
def load_benchmarks() -> dict[str, Any]:
    """Name -> what its entry point names, without those that cannot be loaded: a FolkwaysWarning names each
    of them."""
    loaded = {name: load(entry, partial(_check_name, name)) for name, entry in entries(BENCHMARKS).items()}
    return {name: benchmark for name, benchmark in loaded.items() if benchmark is not None}


def _check_name(name: str, benchmark: Any) -> None:
    if not hasattr(benchmark, "name"):
        raise TypeError(f"it names {type(benchmark).__name__}, and a Benchmark is needed")
    if benchmark.name != name:
        raise ValueError(f"its name is {benchmark.name!r}, and that of its entry point another")


def benchmark_folders() -> Iterator[Path]:
    """The folder of every benchmark's package, ours first, without importing it: ``records`` lie there, and
    data that it brings."""
    for entry in sorted(entries(BENCHMARKS).values(), key=lambda entry: package_of(entry) != OURS):
        try:
            yield _folder(entry)
        except BROKEN as error:
            warn(entry, error)


def benchmark_folder(name: str) -> Path:
    """The folder of one benchmark's package; ModuleNotFoundError, or what its parent raises, if it is not
    there."""
    return _folder(entries(BENCHMARKS)[name])


def _folder(entry: EntryPoint) -> Path:
    spec = find_spec(entry.module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"No module named {entry.module!r}")  # as importing it says
    return Path(spec.origin).parent


def can_read(benchmark: str, folder: Path) -> bool:
    """Whether the benchmark's reader finds something in ``folder``; False for a benchmark without one, or if
    its reader fails."""
    reader = _reader(benchmark)
    try:
        return reader is not None and bool(reader.looks_like(folder))
    except Exception as error:  # noqa: BLE001 - a reader of another package, asked about a folder that may not be meant for it
        what = (
            f"the reader of the benchmark {benchmark!r} is not asked about {folder}: it failed "
            f"({_told(benchmark, error)})"
        )
        warnings.warn(what, FolkwaysWarning, stacklevel=2)
        return False


def data_issues(release: Release) -> list[DataIssue]:
    """Everything odd about the release, in the reader's order; empty for a benchmark without a reader (the
    demo).

    DataError, with file and row, if the release cannot be read; FolkwaysError if the reader fails.
    """
    benchmark = release.record.benchmark
    reader = _reader(benchmark)
    try:
        return [] if reader is None else list(reader.check(release))
    except FolkwaysError:
        raise
    except Exception as error:
        message = (
            f"the reader of the benchmark {benchmark!r} failed in check() on {release.name}: "
            f"{_told(benchmark, error)}"
        )
        raise FolkwaysError(message) from error


def _told(benchmark: str, error: Exception) -> str:
    """The exception in one line, with its place in the package of the benchmark."""
    entry = entries(BENCHMARKS).get(benchmark)
    return told(error, entry.value if entry is not None else "")


def _reader(benchmark: str) -> Reader | None:
    return getattr(load_benchmarks().get(benchmark), "reader", None)
