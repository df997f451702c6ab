"""Finds benchmarks, their tasks and analyses: the built-in ones, and those of other packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from folkways.benchmarks.analyses import Analysis
from folkways.benchmarks.base import Benchmark, Task
from folkways.benchmarks.studies import StudyExport
from folkways.errors import UnknownNameError
from folkways.releases.readers import load_benchmarks


def benchmarks() -> dict[str, Benchmark]:
    """Every benchmark by name, in the order of the names. One that cannot be loaded is left out with a FolkwaysWarning."""
    return load_benchmarks()


@cache
def tasks() -> dict[str, Task]:
    """Every task by name, in the order of the benchmarks."""
    return {task.name: task for benchmark in benchmarks().values() for task in benchmark.tasks}


@cache
def analyses() -> dict[str, tuple[Analysis, ...]]:
    """Benchmark -> its analyses, for the benchmarks that have any; their names are unique within a benchmark."""
    return {name: benchmark.analyses for name, benchmark in benchmarks().items() if benchmark.analyses}


def study_exports() -> dict[str, tuple[StudyExport, ...]]:
    """Benchmark -> the releases that it makes of studies, for the benchmarks that make any."""
    return {name: benchmark.exports for name, benchmark in benchmarks().items() if benchmark.exports}


def labels_of(kind: str) -> Mapping[str, Sequence[str]]:
    """Field -> the labels that releases know for a kind of stage, those of all benchmarks together."""
    found: dict[str, dict[str, None]] = {}
    for export in (export for exports in study_exports().values() for export in exports if export.kind == kind):
        for field, labels in export.labels.items():
            found.setdefault(field, {}).update(dict.fromkeys(labels))
    return {field: tuple(labels) for field, labels in found.items()}


def get_task(name: str) -> Task:
    """The task of that name, or of an earlier name of its benchmark; UnknownNameError with the valid names otherwise."""
    try:
        return tasks()[_present(name)]
    except KeyError:
        raise UnknownNameError("task", name, tasks()) from None


def _present(name: str) -> str:
    """The name of a task or benchmark, with the name that its benchmark has now."""
    first, slash, rest = name.partition("/")
    return next((found.name for found in benchmarks().values() if first in found.aliases), first) + slash + rest


def free_answer_tasks() -> list[str]:
    """The tasks whose replies a model, or a person, can judge by the accepted answers."""
    return [name for name, task in tasks().items() if task.has_free_answers]


def expand_tasks(names: Sequence[str]) -> list[Task]:
    """Tasks for names that may be tasks (``blend/saq``) or benchmarks (``xcr``: all its tasks), without repeats, in order."""
    known = tasks()
    chosen: dict[str, Task] = {}
    for name in names:
        members = [task for task in known.values() if _present(name) in (task.name, task.benchmark)]
        if not members:
            raise UnknownNameError("task or benchmark", name, {*known, *(task.benchmark for task in known.values())})
        chosen.update({task.name: task for task in members})
    return list(chosen.values())
