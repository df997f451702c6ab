"""Finds tasks and analyses: the built-in ones, and those of other packages in the entry point group ``folkways.tasks``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType

from folkways.benchmarks.analyses import Analysis
from folkways.benchmarks.base import Task
from folkways.errors import FolkwaysError, UnknownNameError

GROUP = "folkways.tasks"


@cache
def _packages() -> dict[str, ModuleType]:
    """Every benchmark's module by the name of its entry point. It has a tuple ``TASKS``, and may have a tuple ``ANALYSES``."""
    found: dict[str, ModuleType] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            module = import_module(entry.value)
            module.TASKS  # noqa: B018 - a module without tasks is no benchmark
        except Exception as error:  # whatever a package of somebody else raises while it is imported
            package = f"the package {entry.dist.name}" if entry.dist is not None else "a package"
            raise FolkwaysError(
                f"the benchmark {entry.name!r} of {package} cannot be loaded from {entry.value} "
                f"({type(error).__name__}: {error}); mend or uninstall that package"
            ) from error
        found[entry.name] = module
    return found


@cache
def tasks() -> dict[str, Task]:
    """Every task by name, in the order of the entry points."""
    return {task.name: task for module in _packages().values() for task in module.TASKS}


@cache
def analyses() -> dict[str, tuple[Analysis, ...]]:
    """Benchmark -> its analyses, for the benchmarks that have any; their names are unique within a benchmark."""
    found = {name: tuple(getattr(module, "ANALYSES", ())) for name, module in _packages().items()}
    return {name: members for name, members in found.items() if members}


def get_task(name: str) -> Task:
    """The task of that name; UnknownNameError with the valid names otherwise."""
    try:
        return tasks()[name]
    except KeyError:
        raise UnknownNameError("task", name, tasks()) from None


def expand_tasks(names: Sequence[str]) -> list[Task]:
    """Tasks for names that may be tasks (``blend/saq``) or benchmarks (``xcr``: all its tasks), without repeats, in order."""
    known = tasks()
    chosen: dict[str, Task] = {}
    for name in names:
        members = [task for task in known.values() if name in (task.name, task.benchmark)]
        if not members:
            raise UnknownNameError("task or benchmark", name, {*known, *(task.benchmark for task in known.values())})
        chosen.update({task.name: task for task in members})
    return list(chosen.values())
