"""Decides on the scores of a run: requirements in, checks out. No model is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

import polars as pl

from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError, UnknownNameError, option
from folkways.evidence.comparison import NothingSharedError
from folkways.evidence.requirements import (
    Check,
    Status,
    check_drop,
    check_minimum,
    check_range,
    failed,
    lost_task,
    parse_drop,
    parse_minimum,
    unknown_drop,
)
from folkways.runs.judging.judged_scores import check_judged, read_verdicts
from folkways.runs.reading.compare import NotJudgedError, compare, metric_of
from folkways.runs.reading.completeness import lacking
from folkways.runs.reading.find_models import find_models
from folkways.runs.scores.scoring import stored_scores
from folkways.workspace import results
from folkways.workspace.database import Workspace, opened
from folkways.workspace.run_records import RunRecord, find_asked_run, run_tasks


class Checks(list[Check]):
    """The checks of a gate, one per requirement and model; ``run`` is the name of the run that was
    checked."""

    def __init__(self, checks: Iterable[Check], run: str) -> None:
        super().__init__(checks)
        self.run = run

    @property
    def passed(self) -> bool:
        """Whether nothing failed; what is unsure passes, unless the gate was strict."""
        return not failed(self)

    def __repr__(self) -> str:
        return "\n".join(
            f"{check.status.value}: {check.model}: {check.name}: {check.message}" for check in self
        )


Required = str | Sequence[str] | Mapping[str, float]
"""What is required: ``{"demo/mcq": 40}``, or the same as texts, ``demo/mcq=40``, of which one text may hold
several."""


class GateKeywords(TypedDict, total=False):
    """How scores are checked; see ``check_run``."""

    metric: str | None
    profile: str | None
    strict: bool
    coverage: float
    judged: Path | None


def check_run(
    name: str | int = "last",
    workspace: str | Path | Workspace = "folkways.db",
    *,
    minimums: Required = (),
    drops: Required = (),
    models: str | Sequence[str] = (),
    metric: str | None = None,
    profile: str | None = None,
    strict: bool = False,
    coverage: float = 95.0,
    judged: Path | None = None,
) -> Checks:
    """Whether the scores of a run, by name or number, meet what is required of them.

    minimums: ``TASK=X`` or ``TASK:CULTURE=X``, scores that must be reached; drops: ``RUN=Y``, points that a
    score may be below that run's. models: only these of the run. coverage: percent of the items that need a
    reply. judged: a file of verdicts of ``folkways judge-by-model``, corrected by its labels, in place of the
    run's own scores. FolkwaysError for anything unknown.
    """
    if not (minimums or drops):
        least, most = option("min", {"TASK[:CULTURE]": "X"}), option("max_drop_vs", {"RUN": "Y"})
        raise FolkwaysError(f"nothing is required; add {least} or {most}")
    if judged is not None and drops:
        raise FolkwaysError(
            f"{option('judged')} goes with {option('min')}; what two models differ by is told by folkways "
            "judge-by-model --labels"
        )
    minimums, drops = _texts(minimums), _texts(drops)
    workspace = opened(workspace)
    run = find_asked_run(workspace, str(name))
    endpoints = _endpoints(workspace, run, [models] if isinstance(models, str) else models)
    if judged is None:
        reached = _minimums(
            workspace,
            run,
            endpoints,
            minimums,
            metric=metric,
            profile=profile,
            strict=strict,
            coverage=coverage,
        )
    else:
        reached = _judged(judged, endpoints, minimums, metric=metric, strict=strict)
    dropped = _drops(
        workspace, run, endpoints, drops, metric=metric, profile=profile, strict=strict, coverage=coverage
    )
    return Checks([*reached, *dropped], run.name)


def _texts(required: Required) -> list[str]:
    if isinstance(required, Mapping):
        return [f"{name}={value:g}" for name, value in required.items()]
    return required.split(",") if isinstance(required, str) else list(required)


def _endpoints(workspace: Workspace, run: RunRecord, models: Sequence[str]) -> list[str]:
    try:
        return [
            asked.endpoint
            for asked in find_models(workspace, [f"{model}@{run.name}" for model in models], [run.name])
        ]
    except UnknownNameError as error:  # whose hint is for those who compare runs
        hint = "a gate checks one run; name another one before the options: folkways gate RUN"
        raise UnknownNameError(f"model of run {run.name}", error.name, error.valid, hint=hint) from None


def _judged(
    file: Path, endpoints: list[str], texts: Sequence[str], *, metric: str | None, strict: bool
) -> Iterator[Check]:
    verdicts = read_verdicts(file)
    for minimum in (minimum for text in texts for minimum in parse_minimum(text)):
        task = get_task(minimum.task)
        named = metric_of(task, metric)
        check_range(minimum.at_least, option("min", minimum.name), task, named)
        yield from check_judged(verdicts, minimum, named.name, endpoints, strict=strict)


def _minimums(
    workspace: Workspace,
    run: RunRecord,
    endpoints: list[str],
    texts: Sequence[str],
    *,
    metric: str | None,
    profile: str | None,
    strict: bool,
    coverage: float,
) -> Iterator[Check]:
    wanted = [minimum for text in texts for minimum in parse_minimum(text)]
    for minimum in wanted:
        task = get_task(minimum.task)
        check_range(minimum.at_least, option("min", minimum.name), task, metric_of(task, metric))
    scores = stored_scores(workspace, run) if wanted else results.load_scores(workspace, run)
    scores = scores.filter(pl.col("endpoint").is_in(endpoints))
    for minimum in wanted:
        task = get_task(minimum.task)
        resolved = task.resolve_profile(profile)
        of_task = scores.filter(pl.col("task") == task.name)
        if of_task.height and resolved not in of_task["profile"]:
            raise FolkwaysError(
                f"run {run.name} is not scored so; do it: folkways score {run.name} --profile {resolved}"
            )
        known = scores.filter((pl.col("profile") == resolved) | (pl.col("task") != task.name))
        asked = next((one for one in run_tasks(workspace, run) if one.task == task.name), None)
        part = lacking(workspace, run, asked) if asked is not None else []
        yield from check_minimum(
            known, minimum, metric_of(task, metric).name, part=part, strict=strict, coverage=coverage
        )


def _drops(
    workspace: Workspace,
    run: RunRecord,
    endpoints: list[str],
    texts: Sequence[str],
    *,
    metric: str | None,
    profile: str | None,
    strict: bool,
    coverage: float,
) -> Iterator[Check]:
    for text in texts:
        before, most = parse_drop(text)
        if find_asked_run(workspace, before).name == run.name:
            raise FolkwaysError(
                f"run {run.name} cannot have dropped against itself; name an earlier run: "
                f"{option('max_drop_vs', {'RUN': 'Y'})}"
            )
        there = {asked.endpoint: asked.tasks for asked in find_models(workspace, [], [before])}
        here = {asked.endpoint: asked.tasks for asked in find_models(workspace, [], [run.name])}
        for endpoint in endpoints:
            if endpoint not in there and not (len(there) == len(endpoints) == 1):
                raise FolkwaysError(
                    f"run {before} has no model {endpoint} to compare with; it has: {', '.join(there)}"
                )
            other = endpoint if endpoint in there else next(iter(there))
            names = (f"{endpoint}@{run.name}", f"{other}@{before}")
            common = [task for task in here[endpoint] if task in there[other]]
            model = endpoint if other == endpoint else f"{endpoint} against {other}"
            for known in map(get_task, common):
                check_range(most, option("max_drop_vs", text), known, metric_of(known, metric), drop=True)
            yield from (
                lost_task(task, most, before, model) for task in there[other] if common and task not in common
            )
            tasks: list[str | None] = [*common] or [
                None
            ]  # with none in common, the comparison says what each has
            for task in tasks:
                try:
                    (comparison,) = compare(
                        *names, workspace=workspace, tasks=task, metric=metric, profile=profile
                    )
                except NothingSharedError as error:  # nothing was measured
                    yield unknown_drop(str(task), most, before, model, Status.FAIL, f"found nothing: {error}")
                except NotJudgedError as error:
                    if metric is not None:  # it was asked for by name
                        raise
                    status = Status.FAIL if strict else Status.UNSURE
                    yield unknown_drop(str(task), most, before, model, status, f"not compared: {error}")
                else:
                    yield check_drop(comparison, most, before, model, strict=strict, coverage=coverage)
