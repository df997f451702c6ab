"""What packages bring by entry points, our own and those of others: one that cannot be loaded costs a line of
warning."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple

from folkways.errors import FolkwaysWarning


class ExtensionPoint(NamedTuple):
    """What a package can add by an entry point. group: of the entry point. name: what its name is. value:
    what it names."""

    group: str
    name: str
    value: str


BENCHMARKS = "folkways.benchmarks"
ENDPOINTS = "folkways.endpoints"
TEXT_TOOLS = "folkways.text_tools"
COMMANDS = "folkways.commands"

EXTENSION_POINTS = (
    # Tasks, reader, results, builders, suites, exports of studies, submissions: the fields of Benchmark say
    # what each takes.
    ExtensionPoint(BENCHMARKS, "the benchmark's name", "folkways.benchmarks.base:Benchmark"),
    ExtensionPoint(
        ENDPOINTS, "what stands before the slash of a model's name", "folkways.endpoints.base:EndpointKind"
    ),
    ExtensionPoint(TEXT_TOOLS, "a language's code", "folkways.text.tools:TextTool"),
    # `folkways --help` shows the summary of the package.
    ExtensionPoint(COMMANDS, "the command's name", "click:Command"),
)
"""Everything that a package can add; folkways' own benchmarks and endpoints come the same way. A package that
needs tables of its own passes a ``TableSet`` to ``open_workspace``; what it may import is in
``folkways.sdk``. Kinds of stages are the studio's (``folkways_studio.stages.registry``)."""

OURS = "folkways"

BROKEN = (Exception, SystemExit)
"""Whatever a package of somebody else raises while it is imported; a few end the program."""


@cache
def installed() -> Any:  # of one class in Python 3.11, and of another from 3.12 on
    """The entry points of all installed packages; ``select(group=...)`` gives those of a group. They are
    looked up once: that reads a file of each package."""
    return entry_points()


@cache
def entries(group: str) -> dict[str, EntryPoint]:
    """Name -> entry point, in the order of the names. If two packages claim a name, ours has it, or else the
    first by name.

    A FolkwaysWarning names each entry point that is left out.
    """
    chosen: dict[str, EntryPoint] = {}
    for entry in sorted(
        installed().select(group=group), key=lambda entry: (package_of(entry) != OURS, package_of(entry))
    ):
        other = chosen.setdefault(entry.name, entry)
        if other != entry or package_of(other) != package_of(entry):
            warn(
                entry,
                f"the package {package_of(other)} has one of that name",
                "rename it, or uninstall one of the two packages",
            )
    return dict(sorted(chosen.items()))


def package_of(entry: EntryPoint) -> str:
    """The name of the distribution that brings an entry point; empty if its metadata do not tell it."""
    return "" if entry.dist is None else _name_of(entry.dist)


@cache
def _name_of(distribution: Distribution) -> str:
    try:
        return distribution.name or ""
    except Exception:  # noqa: BLE001 - metadata that are not there, or are damaged
        return ""


def load(entry: EntryPoint, check: Callable[[Any], None] = lambda _loaded: None) -> Any:
    """What the entry point names; None, after a FolkwaysWarning, if it cannot be loaded or ``check``
    raises."""
    try:
        loaded = entry.load()
        check(loaded)
    except BROKEN as error:
        warn(entry, error)
        return None
    return loaded


def warn(
    entry: EntryPoint, why: BaseException | str, remedy: str = "repair or uninstall that package"
) -> None:
    """Say that a benchmark, an endpoint or a command is left out, whose package that is, and why, in one
    line."""
    package = f"the package {package_of(entry)}" if package_of(entry) else "a package"
    reason = why if isinstance(why, str) else why_not_loaded(entry, why)
    warnings.warn(
        f"the {_kind(entry)} {entry.name!r} of {package} is left out: {reason}; {remedy}",
        FolkwaysWarning,
        stacklevel=1,  # one place, so that a package which is asked for twice is warned of once
    )


def why_not_loaded(entry: EntryPoint, error: BaseException) -> str:
    """Why an entry point gave nothing, in one line."""
    if entry.pattern.match(entry.value) is None:
        return f"its entry point {entry.value!r} is not MODULE:NAME"
    return f"{entry.value} cannot be loaded ({error_text(error, entry.value)})"


def error_text(error: BaseException, module: str) -> str:
    """An exception in one line: its type, what it says, and where in the package of ``module`` (or entry
    point) it was raised."""
    words = " ".join(str(error).split())
    where = place_of(error, module)
    return f"{type(error).__name__}{': ' if words else ''}{words}{f', {where}' if where else ''}"


def place_of(error: BaseException, module: str) -> str:
    """``markets/task.py, line 34``: the innermost line of the top package of ``module`` in the traceback;
    empty if none is its."""
    top = module.partition(":")[0].partition(".")[0]
    lines = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] == top
    ]
    return f"{short(lines[-1][0])}, line {lines[-1][1]}" if lines else ""


def short(file: str | Path) -> str:
    """A file with the folder it lies in: enough to find it, and short enough for a message."""
    return "/".join(Path(file).parts[-2:])


def _kind(entry: EntryPoint) -> str:
    return entry.group.rpartition(".")[2].removesuffix("s")
