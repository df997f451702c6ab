"""What a reader of released data has to offer, and where the package of each benchmark lies."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from folkways.plugins import BENCHMARKS, BROKEN, OURS, entries, package_of, warn
from folkways.records import DataIssue
from folkways.releases.release_records import Release


class Reader(Protocol):
    """What knows the released data of a benchmark; a module will do.

    One that finds files by itself, and does not ask the release for each by its path, also has
    ``files(folder)``: the paths of all that it reads there. A folder with more than a release has is not that
    release.
    """

    def looks_like(self, folder: Path, /) -> bool:
        """Whether there is something in ``folder`` that it can read."""

    def check(self, release: Release, /) -> list[DataIssue]:
        """Everything odd about the release. DataError, with file and row, if it cannot be read."""


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
