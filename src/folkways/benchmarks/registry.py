"""Finds benchmarks, their tasks, results, published figures and builders: the built-in ones, and those of
other packages."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cache, partial

import polars as pl

from folkways.benchmarks.base import Benchmark, Task, has_free_answers
from folkways.benchmarks.build import Builder
from folkways.benchmarks.contract import declared_problems
from folkways.benchmarks.published import FIGURES, PrintedPrompt
from folkways.benchmarks.studies import StudyExport
from folkways.benchmarks.suites import Suite, TaskSettings, joined, narrowed, split_task, suites
from folkways.errors import DataError, FolkwaysError, FolkwaysWarning, UnknownNameError
from folkways.plugins import BENCHMARKS, entries, error_text, load, warn
from folkways.records import empty


@cache
def load_benchmark(name: str) -> Benchmark | None:
    """The Benchmark that the entry point of this name names; None where there is none, and after a
    FolkwaysWarning for one that cannot be loaded."""
    entry = entries(BENCHMARKS).get(name)
    loaded: Benchmark | None = None if entry is None else load(entry, partial(_check_benchmark, name))
    return loaded


def _check_benchmark(name: str, loaded: object) -> None:
    if not isinstance(loaded, Benchmark):
        raise TypeError(f"it names {type(loaded).__name__}, and a Benchmark is needed")
    if loaded.name != name:
        raise ValueError(f"its name is {loaded.name!r}, and that of its entry point another")


@cache
def sound_benchmark(name: str) -> Benchmark | None:
    """``load_benchmark``, and None after a FolkwaysWarning for one whose declarations break the contract."""
    benchmark = load_benchmark(name)
    if benchmark is None:
        return None
    try:
        first = next(declared_problems(benchmark), None)
    except Exception as error:  # noqa: BLE001 - whatever attributes of another package's classes raise
        first = error_text(error, entries(BENCHMARKS)[name].value)
    if first is not None:
        warn(entries(BENCHMARKS)[name], first)
    return benchmark if first is None else None


@cache
def benchmarks() -> dict[str, Benchmark]:
    """Every benchmark by name, in the order of the names.

    One that cannot be loaded, or whose declarations break the contract, is left out with a FolkwaysWarning.
    Imports all their packages: what asks for one benchmark takes ``sound_benchmark``.
    """
    sound = {name: sound_benchmark(name) for name in entries(BENCHMARKS)}
    return {name: benchmark for name, benchmark in sound.items() if benchmark is not None}


@cache
def tasks() -> dict[str, Task]:
    """Every task by name, in the order of the benchmarks."""
    return {task.name: task for benchmark in benchmarks().values() for task in benchmark.tasks}


@cache
def published_figures(*, of_data: bool = False, of: frozenset[str] | None = None) -> pl.DataFrame:
    """FIGURES of all benchmarks that have any, or of those named, paper by paper, in the order of their
    tables; figures of the data, which have no task, only where ``of_data``.

    Figures that cannot be read are left out with a FolkwaysWarning.
    """
    parts = [empty(FIGURES)]
    chosen = benchmarks() if of is None else {name: sound_benchmark(name) for name in sorted(of)}
    for name, benchmark in chosen.items():
        try:
            figures = benchmark.published.figures() if benchmark and benchmark.published else empty(FIGURES)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the files of another package
            why = (
                error if isinstance(error, DataError) else error_text(error, entries(BENCHMARKS)[name].value)
            )
            warnings.warn(
                f"the published figures of the benchmark {name!r} are left out: {why}",
                FolkwaysWarning,
                stacklevel=1,
            )
            continue
        parts.append(
            figures.filter(pl.lit(of_data) | pl.col("task").is_not_null())
            .with_columns(paper=pl.lit(name))
            .select(list(FIGURES))
        )
    return pl.concat(parts)


def printed_prompts(benchmark: str | None = None) -> tuple[PrintedPrompt, ...]:
    """The prompts that the papers of all benchmarks, or of one, print and folkways does not ship."""
    chosen = benchmarks().values() if benchmark is None else [sound_benchmark(benchmark)]
    return tuple(prompt for each in chosen if each and each.published for prompt in each.published.prompts)


@cache
def builders() -> dict[str, Builder]:
    """Every builder by name. One whose name is taken by another benchmark is left out with a
    FolkwaysWarning."""
    by_name: dict[str, Builder] = {}
    for benchmark in benchmarks().values():
        for builder in benchmark.builders:
            if by_name.setdefault(builder.name, builder) is not builder:
                message = (
                    f"the builder {builder.name!r} of the benchmark {benchmark.name!r} is left out: "
                    "another one has that name"
                )
                warnings.warn(message, FolkwaysWarning, stacklevel=2)
    return by_name


def study_exports() -> dict[str, tuple[StudyExport, ...]]:
    """Benchmark -> its exports of studies, for the benchmarks that have any."""
    return {name: benchmark.exports for name, benchmark in benchmarks().items() if benchmark.exports}


def labels_of(kind: str) -> Mapping[str, Sequence[str]]:
    """Field -> the labels that releases know for a kind of stage, over all benchmarks."""
    by_field: dict[str, dict[str, None]] = {}
    for export in (
        export for exports in study_exports().values() for export in exports if export.kind == kind
    ):
        for field, labels in export.labels.items():
            by_field.setdefault(field, {}).update(dict.fromkeys(labels))
    return {field: tuple(labels) for field, labels in by_field.items()}


@cache
def all_suites() -> dict[str, Suite]:
    """Every suite by name: ours, then those of benchmarks. One whose name is taken is left out with a
    FolkwaysWarning."""
    by_name = dict(suites())
    for benchmark in benchmarks().values():
        for suite in benchmark.suites:
            if (
                suite.name in tasks()
                or suite.name in benchmarks()
                or by_name.setdefault(suite.name, suite) is not suite
            ):
                message = (
                    f"the suite {suite.name!r} of the benchmark {benchmark.name!r} is left out: "
                    "something else has that name"
                )
                warnings.warn(message, FolkwaysWarning, stacklevel=2)
    return by_name


def get_task(name: str) -> Task:
    """The task of that name, or of an earlier name of its benchmark. Raises UnknownNameError with the valid
    names."""
    present = present_name(name)
    for task in _tasks_near(name):
        if task.name == present:
            return task
    raise UnknownNameError("task", name, tasks())


def _tasks_near(name: str) -> Sequence[Task]:
    """The tasks of the benchmark that ``name`` begins with; all tasks where it begins with another word."""
    benchmark = sound_benchmark(name.partition("/")[0])
    return tuple(tasks().values()) if benchmark is None else benchmark.tasks


def present_name(name: str) -> str:
    """The name of a task or benchmark under its benchmark's present name."""
    first, slash, rest = name.partition("/")
    if sound_benchmark(first) is not None:  # an alias of another package's cannot take it
        return name
    return (
        next((benchmark.name for benchmark in benchmarks().values() if first in benchmark.aliases), first)
        + slash
        + rest
    )


def free_answer_tasks() -> list[str]:
    """The tasks whose replies a model or a person can judge by the accepted answers."""
    return [name for name, task in tasks().items() if has_free_answers(task)]


def asked_tasks(names: Sequence[str]) -> list[tuple[Task, TaskSettings]]:
    """Tasks with their own settings, in order and without repeats.

    names: tasks (``blend/saq?limit=400``), benchmarks (``xcr``: all its tasks) or suites (``culture-suite``).

    Raises UnknownNameError for any other name, and FolkwaysError for a task that is named in two ways.
    """
    chosen: dict[str, tuple[Task, TaskSettings]] = {}
    for text in without_suites(names):
        name, settings = split_task(text)
        members = [task for task in _tasks_near(name) if present_name(name) in (task.name, task.benchmark)]
        if not members:
            by_name = tasks()
            raise UnknownNameError(
                "task or benchmark",
                name,
                {*by_name, *(task.benchmark for task in by_name.values()), *all_suites()},
            )
        for task in members:
            if chosen.setdefault(task.name, (task, settings))[1] != settings:
                ways = " and ".join(joined(task.name, way) for way in (chosen[task.name][1], settings))
                raise FolkwaysError(
                    f"a run asks a task in one way, and {task.name} is named in two ({ways}); name it once"
                )
    return list(chosen.values())


def without_suites(names: Sequence[str]) -> list[str]:
    """The names with suites replaced by their tasks."""
    expanded: list[str] = []
    for text in names:
        name, settings = split_task(text)
        suite = suites().get(name)
        if suite is None and not any(name in (task.name, task.benchmark) for task in _tasks_near(name)):
            suite = all_suites().get(name)
        members = None if suite is None else [split_task(member) for member in suite.tasks]
        expanded += (
            [text]
            if members is None
            else [joined(member, narrowed(of_member, settings)) for member, of_member in members]
        )
    return expanded


def expand_tasks(names: Sequence[str]) -> list[Task]:
    """The tasks of ``asked_tasks`` alone."""
    return [task for task, _ in asked_tasks(names)]
