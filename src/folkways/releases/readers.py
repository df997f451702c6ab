"""The reader of a benchmark's released data, found by its entry point: whatever a benchmark is made of comes from one object."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from folkways.errors import FolkwaysWarning
from folkways.records import DataIssue
from folkways.releases.base import Release

GROUP = "folkways.benchmarks"
"""The entry point group of benchmarks, our own and those of other packages: ``name = "package:BENCHMARK"``."""


class Reader(Protocol):
    """What knows the released data of a benchmark; a module will do."""

    def looks_like(self, folder: Path, /) -> bool:
        """Whether there is something in ``folder`` that it can read."""

    def check(self, release: Release, /) -> list[DataIssue]:
        """Everything odd about the release. DataError, with file and row, if it cannot be read."""


def benchmark_entries() -> list[EntryPoint]:
    """The entry point of every benchmark, by name."""
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


@cache
def load_benchmarks() -> dict[str, Any]:
    """Name -> what its entry point names, without those that cannot be loaded: a FolkwaysWarning names each of them."""
    found: dict[str, Any] = {}
    for entry in benchmark_entries():
        try:
            benchmark = entry.load()
            if benchmark.name != entry.name:
                raise ValueError(f"its name is {benchmark.name!r}, and that of its entry point another")
            found[entry.name] = benchmark
        except Exception as error:  # noqa: BLE001 - whatever a package of somebody else raises while it is imported
            _warn(entry, error)
    return found


def benchmark_folders() -> Iterator[Path]:
    """The folder of every benchmark's package, without importing it: ``records`` lie there, and data that come with it."""
    for entry in benchmark_entries():
        try:
            spec = find_spec(entry.module)
            if spec is None or spec.origin is None:
                raise ModuleNotFoundError(f"No module named {entry.module!r}")  # as importing it says
            yield Path(spec.origin).parent
        except Exception as error:  # noqa: BLE001 - whatever its parent raises while it is imported
            _warn(entry, error)


def _warn(entry: EntryPoint, error: Exception) -> None:
    """Say that a benchmark is left out, whose package that is, and why."""
    package = f"the package {entry.dist.name}" if entry.dist is not None else "a package"
    warnings.warn(
        f"the benchmark {entry.name!r} of {package} is left out: {entry.value} cannot be loaded "
        f"({type(error).__name__}: {error}); mend or uninstall that package",
        FolkwaysWarning,
        stacklevel=1,  # one place, so that a package which is asked for twice is warned of once
    )


def can_read(benchmark: str, folder: Path) -> bool:
    """Whether the benchmark's reader finds something in ``folder``; False for a benchmark without one."""
    reader = _reader(benchmark)
    return reader is not None and reader.looks_like(folder)


def data_issues(release: Release) -> list[DataIssue]:
    """Everything odd about the release, in the reader's order; empty for a benchmark without a reader (the sample).

    DataError, with file and row, if the release cannot be read.
    """
    reader = _reader(release.record.benchmark)
    return [] if reader is None else list(reader.check(release))


def _reader(benchmark: str) -> Reader | None:
    return getattr(load_benchmarks().get(benchmark), "reader", None)
