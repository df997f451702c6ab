"""Finds benchmarks, their tasks, results, published figures and builders: the built-in ones, and those of other packages."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cache

import polars as pl

from folkways.benchmarks.base import Benchmark, Task
from folkways.benchmarks.build import Builder
from folkways.benchmarks.published import FIGURES
from folkways.benchmarks.studies import StudyExport
from folkways.errors import DataError, FolkwaysWarning, UnknownNameError
from folkways.records import empty
from folkways.releases.readers import load_benchmarks


def benchmarks() -> dict[str, Benchmark]:
    """Every benchmark by name, in the order of the names. One that cannot be loaded is left out with a FolkwaysWarning."""
    return load_benchmarks()


@cache
def tasks() -> dict[str, Task]:
    """Every task by name, in the order of the benchmarks."""
    return {task.name: task for benchmark in benchmarks().values() for task in benchmark.tasks}


@cache
def published_figures() -> pl.DataFrame:
    """FIGURES of all benchmarks that have any, paper by paper, in the order of their tables; without figures of the data.

    Those that cannot be read are left out with a FolkwaysWarning.
    """
    parts = [empty(FIGURES)]
    for name, known in benchmarks().items():
        try:
            found = known.published.figures() if known.published else empty(FIGURES)
        except DataError as error:
            warnings.warn(f"the published figures of the benchmark {name!r} are left out: {error}", FolkwaysWarning, stacklevel=1)
            continue
        parts.append(found.filter(pl.col("task").is_not_null()).with_columns(paper=pl.lit(name)).select(list(FIGURES)))
    return pl.concat(parts)


@cache
def builders() -> dict[str, Builder]:
    """Every builder by name. One whose name another benchmark has taken already is left out with a FolkwaysWarning."""
    found: dict[str, Builder] = {}
    for benchmark in benchmarks().values():
        for builder in benchmark.builders:
            if found.setdefault(builder.name, builder) is not builder:
                told = f"the builder {builder.name!r} of the benchmark {benchmark.name!r} is left out: another one has that name"
                warnings.warn(told, FolkwaysWarning, stacklevel=2)
    return found


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
        return tasks()[present_name(name)]
    except KeyError:
        raise UnknownNameError("task", name, tasks()) from None


def present_name(name: str) -> str:
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
        members = [task for task in known.values() if present_name(name) in (task.name, task.benchmark)]
        if not members:
            raise UnknownNameError("task or benchmark", name, {*known, *(task.benchmark for task in known.values())})
        chosen.update({task.name: task for task in members})
    return list(chosen.values())
