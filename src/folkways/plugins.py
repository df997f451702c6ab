"""What packages bring by entry points, our own and those of others: one that cannot be loaded costs a line of warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from folkways.errors import FolkwaysWarning

BENCHMARKS = "folkways.benchmarks"
ENDPOINTS = "folkways.endpoints"
COMMANDS = "folkways.commands"


@cache
def entries(group: str) -> dict[str, EntryPoint]:
    """Name -> entry point, in the order of the names."""
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}


def load(entry: EntryPoint, check: Callable[[Any], None] = lambda _found: None) -> Any:
    """What the entry point names; None, after a FolkwaysWarning, if it cannot be loaded or ``check`` raises."""
    try:
        found = entry.load()
        check(found)
    except Exception as error:  # noqa: BLE001 - whatever a package of somebody else raises while it is imported
        warn(entry, error)
        return None
    return found


def warn(entry: EntryPoint, error: Exception) -> None:
    """Say that a benchmark, an endpoint or a command is left out, whose package that is, and why."""
    package = f"the package {entry.dist.name}" if entry.dist is not None else "a package"
    what = entry.group.rpartition(".")[2].removesuffix("s")
    warnings.warn(
        f"the {what} {entry.name!r} of {package} is left out: {entry.value} cannot be loaded "
        f"({type(error).__name__}: {error}); repair or uninstall that package",
        FolkwaysWarning,
        stacklevel=1,  # one place, so that a package which is asked for twice is warned of once
    )
