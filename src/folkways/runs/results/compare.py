"""Compares models of a workspace: finds their judgements, and says where they were not asked alike."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypedDict

import polars as pl

from folkways.benchmarks.base import Task
from folkways.benchmarks.registry import expand_tasks, get_task
from folkways.display import named, plural
from folkways.errors import FolkwaysError, UnknownNameError, option, quoted
from folkways.evidence.answers import MANY_UNREADABLE
from folkways.evidence.comparison import Comparison, compare_judgements
from folkways.evidence.conditions import AskedPart, signature_together, unlike_notes, unlike_parts
from folkways.names import WHOLE
from folkways.records import Metric, headline_of
from folkways.reports.formats.comparison_tables import Comparisons
from folkways.runs.results.completeness import lacking
from folkways.runs.results.find_models import StoredModel, find_models, judgements_of
from folkways.runs.results.model_names import at_runs
from folkways.runs.results.notes import other_language_warnings
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace, open_workspace


class NotJudgedError(FolkwaysError):
    """The judgements of a task lack the metric that it would be compared by."""


class CompareKeywords(TypedDict, total=False):
    """Options of ``compare``, apart from the models, their runs and the workspace."""

    tasks: Sequence[str] | str | None
    metric: str | None
    profile: str | None
    by: str
    tell: Callable[[str], object]


def compare(
    *models: str,
    runs: Sequence[str] | str = (),
    workspace: str | Path | Workspace = "folkways.db",
    tasks: Sequence[str] | str | None = None,
    metric: str | None = None,
    profile: str | None = None,
    by: str = "culture",
    tell: Callable[[str], object] = warnings.warn,
) -> Comparisons:
    """Compare two models or more on each task that all of them were asked. Nothing is asked or judged.

    models: names as in the run, or the part after the last slash, ``MODEL RUN`` for one run's in particular;
        every model of the runs if none is named.
    runs: names or numbers of runs to look in; the newest if none is given.
    workspace: where the runs are.
    tasks: names of tasks or benchmarks; all in common if none is given.
    metric: a metric of the tasks; each task's headline otherwise.
    profile: ``paper``, ``strict``, ...; each task's default.
    by: what differences are shown for besides the whole: ``culture`` or another facet of the tasks.
    tell: called with a sentence on each task that cannot be compared; a warning by default. A task that is
        named is an error instead.

    FolkwaysError for anything the caller can put right: unknown names, nothing in common, a profile that was
    not judged.
    """
    database = workspace if isinstance(workspace, Workspace) else open_workspace(workspace, create=False)
    stored_models = find_models(database, models, (runs,) if isinstance(runs, str) else runs)
    if len(stored_models) < 2:
        raise FolkwaysError(
            "a comparison needs two models or more, got "
            f"{', '.join(map(_of_runs, stored_models)) or 'none'}\n"
            f"Name two models, MODEL@RUN for one of another run, or more runs with {option('runs')}"
            + "".join(map(_apart, stored_models))
        )
    named = (tasks,) if isinstance(tasks, str) else tuple(tasks or ())
    comparisons: list[Comparison] = []
    failures: list[tuple[str, FolkwaysError]] = []
    for task in common_tasks(stored_models, tasks):
        try:
            comparisons.append(_compared(database, stored_models, task, metric, profile, by))
        except FolkwaysError as error:
            if task.name in named:
                raise
            failures.append((task.name, error))
    if not comparisons:
        raise failures[0][1]
    for name, reason in failures:
        tell(f"left out: {name} ({reason})")
    return Comparisons(comparisons)


def _of_runs(model: StoredModel) -> str:
    return f"{model.label} of {named([one.run.name for one in model.by_run])}"


def _apart(model: StoredModel) -> str:
    """How to compare what several runs asked the model with each other; empty for one run."""
    names = " ".join(quoted(at_runs(one.endpoint, [one.run.name])) for one in model.by_run)
    return f". To compare its runs with each other, name them: {names}" if model.earlier else ""


def _compared(
    database: Workspace,
    asked: Sequence[StoredModel],
    task: Task,
    metric: str | None,
    profile: str | None,
    by: str,
) -> Comparison:
    resolved = task.resolve_profile(profile)
    judged = {one.label: judgements_of(database, one, task.name, resolved) for one in asked}
    chosen = metric_of(task, metric, set.intersection(*(set(frame.columns) for frame in judged.values())))
    check_measured([*judged.values()], chosen, task)
    check_facet(by, task, judged, scored_facets(database, asked, task))
    signatures = {one.label: _signature(database, one, task.name, resolved) for one in asked}
    notes = [
        *unlike_notes(signatures),
        *_partial(database, asked, task.name),
        *_cut(database, asked, task.name, resolved),
    ]
    notes += _together(chosen, [*judged.values()], by)
    notes += [note for one in asked for note in _other_language(database, one, task, resolved)]
    return compare_judgements(
        judged, task.name, resolved, chosen, by=by, unlike=unlike_parts(signatures), notes=notes
    )


def _together(metric: Metric, judged: Sequence[pl.DataFrame], by: str) -> Iterator[str]:
    """Where reports show the metric in parts alone (``headline_by``): that the whole is of all of them that
    two models share."""
    facet = metric.headline_by
    if facet and facet != by and all(facet in frame.columns for frame in judged):
        counts = Counter(part for frame in judged for part in frame[facet].drop_nulls().unique())
        parts = sorted(part for part, models in counts.items() if models > 1)
        if len(parts) > 1:
            quoted_parts = [f'"{part}"' for part in parts]
            how = option("by", facet)
            yield f"The whole is of {named(quoted_parts)} together; folkways compare has each with {how}."


def common_tasks(asked: Sequence[StoredModel], names: Sequence[str] | str | None) -> list[Task]:
    """The tasks that all of the models were asked, of those named if there are names; FolkwaysError without
    any."""
    common = [name for name in asked[0].tasks if all(name in one.tasks for one in asked)]
    if names is not None:
        wanted = [task.name for task in expand_tasks([names] if isinstance(names, str) else names)]
        common = [name for name in wanted if name in common]
    if not common:
        tasks_of_each = "; ".join(f"{one.label}: {', '.join(one.tasks)}" for one in asked)
        raise FolkwaysError(
            f"these models have no {'such ' if names else ''}task in common ({tasks_of_each})"
        )
    return [get_task(name) for name in common]


def metric_of(task: Task, name: str | None, measured: Container[str] = ()) -> Metric:
    """The metric of that name or label, or for None the headline of the task among those that were
    ``measured``; UnknownNameError otherwise."""
    if name is None:
        return headline_of(task.metrics, measured)
    for metric in task.metrics:
        if name in (metric.name, metric.label):
            return metric
    raise UnknownNameError(f"metric of {task.name}", name, [metric.name for metric in task.metrics])


def check_measured(judged: Sequence[pl.DataFrame], metric: Metric, task: Task) -> None:
    """NotJudgedError, with the metrics that there are, if the judgements of a task have no column of the
    ``metric``, or none of them a value and no rule leaves it out."""
    has_values = {
        column.name: any(frame[column.name].count() for frame in judged)
        for column in task.metrics
        if all(column.name in frame.columns for frame in judged)
    }
    if not has_values.get(metric.name, False) and not (metric.leaves_out and metric.name in has_values):
        raise NotJudgedError(
            f"the metric {metric.name} is not in the judgements of {task.name}: it is computed from several "
            "of them, or was not computed; compare by one of "
            f"{', '.join(name for name, there in has_values.items() if there)}"
        )


def scored_facets(workspace: Workspace, asked: Sequence[StoredModel], task: Task) -> frozenset[str]:
    """The facets that the runs of these models have scores of a task by: its own, and those of replies."""
    runs = [each.run for one in asked for each in one.by_run]
    scores = [results.load_scores(workspace, run).filter(task=task.name)["facet"] for run in runs]
    return frozenset(chain.from_iterable(scores))


def check_facet(
    by: str, task: Task, judged: Mapping[str, pl.DataFrame], scored: Collection[str] = ()
) -> None:
    """UnknownNameError for a facet (by) of the task, or one that it is ``scored`` by, that not all judgements
    have. judged: by model."""
    valid = {
        name
        for name in ("culture", "language", "variant", *task.facets, *scored)
        if all(name in f.columns for f in judged.values())
    }
    if by not in valid:
        again = "runs judged by an older version have it once judged again: folkways score RUN"
        raise UnknownNameError(f"facet of {task.name}", by, valid, hint=again if by in scored else "")


def _signature(workspace: Workspace, asked: StoredModel, task: str, profile: str) -> Mapping[str, str]:
    parts = []
    for one in asked.by_run:
        scores = _scores(workspace, one, task, profile)
        if scores.height:
            made = results.load_signatures(workspace, one.run)[scores["signature"][0]].parts
            parts.append(AskedPart(one.run.name, one.endpoint, task, profile, made))
    return parts[0].made if len(parts) == 1 else signature_together(parts).parts


def _scores(workspace: Workspace, asked: StoredModel, task: str, profile: str) -> pl.DataFrame:
    """records.SCORES of a model that one run asked."""
    scores = results.load_scores(workspace, asked.run)
    return scores.filter(endpoint=asked.endpoint, task=task, profile=profile)


def _in_runs(asked: StoredModel) -> Iterator[tuple[StoredModel, str]]:
    """The model as each run asked it, and its name with that run where there are several."""
    for one in asked.by_run:
        yield one, at_runs(one.endpoint, [one.run.name]) if asked.earlier else asked.label


def _other_language(workspace: Workspace, asked: StoredModel, task: Task, profile: str) -> list[str]:
    return [
        warning
        for one, label in _in_runs(asked)
        for warning in other_language_warnings(
            _scores(workspace, one, task.name, profile).with_columns(endpoint=pl.lit(label)),
            results.load_signatures(workspace, one.run),
            {task.name: task},
        )
    ]


def _partial(workspace: Workspace, asked: Sequence[StoredModel], task: str) -> Iterator[str]:
    """One sentence for each run that asked a part of the task."""
    for run in {each.run.id: each.run for one in asked for each in one.by_run}.values():
        of_task = next((entry for entry in run_records.run_tasks(workspace, run) if entry.task == task), None)
        if of_task and (parts := lacking(workspace, run, of_task)):
            yield f"Run {run.name} asked {'; '.join(parts)}."


def _cut(workspace: Workspace, asked: Sequence[StoredModel], task: str, profile: str) -> Iterator[str]:
    """One sentence for each model whose replies the token limit often cut, readable or not."""
    for one, label in chain.from_iterable(map(_in_runs, asked)):
        rows = _scores(workspace, one, task, profile).filter(facet=WHOLE)
        for row in rows.filter(metric=headline_of(get_task(task).metrics, {*rows["metric"]}).name).iter_rows(
            named=True
        ):
            replies = row["n"] - row["failed"] - row["missing"]
            if row["cut"] > MANY_UNREADABLE * replies:
                yield (
                    f"{label}: the token limit cut {row['cut']:,} of {plural(replies, 'reply', 'replies')}."
                )
