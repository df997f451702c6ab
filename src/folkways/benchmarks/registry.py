"""Finds tasks: the built-in ones and those that other packages bring through the entry point group ``folkways.tasks``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from folkways.benchmarks.base import Task
from folkways.errors import FolkwaysError, UnknownNameError

GROUP = "folkways.tasks"


@cache
def tasks() -> dict[str, Task]:
    """Every task by name, in the order of the entry points. An entry point is a module with a tuple ``TASKS``."""
    found: dict[str, Task] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            members = import_module(entry.value).TASKS
        except Exception as error:  # whatever a package of somebody else raises while it is imported
            package = f"the package {entry.dist.name}" if entry.dist is not None else "a package"
            raise FolkwaysError(
                f"the benchmark {entry.name!r} of {package} cannot be loaded from {entry.value} "
                f"({type(error).__name__}: {error}); mend or uninstall that package"
            ) from error
        found.update({task.name: task for task in members})
    return found


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
