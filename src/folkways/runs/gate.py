"""Checks the scores of a run against requirements; with labels, scores that people's labels correct."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

import polars as pl

from folkways.benchmarks.base import Task
from folkways.benchmarks.registry import get_task
from folkways.display import plural
from folkways.errors import DataError, FolkwaysError, UnknownNameError, option
from folkways.evidence.comparison import NothingSharedError
from folkways.evidence.requirements import (
    DEFAULT_COVERAGE,
    Check,
    Minimum,
    Status,
    check_drop,
    check_minimum,
    check_range,
    failed,
    group_of,
    lost_task,
    parse_drop,
    parse_minimum,
    unknown_drop,
)
from folkways.records import LOST, Metric, Schema
from folkways.runs.judging.calibration import Cases
from folkways.runs.results.compare import NotJudgedError, common_tasks, compare, metric_of
from folkways.runs.results.completeness import lacking
from folkways.runs.results.find_models import find_models
from folkways.runs.results.model_names import choose_models
from folkways.runs.scores.scoring import stored_scores
from folkways.stats.raters.judge_quality import noisy_but_valid
from folkways.text_tables import read_replies
from folkways.workspace import results
from folkways.workspace.database import Workspace, opened
from folkways.workspace.run_records import RunRecord, find_asked_run, run_tasks

REPLY = ("item", "language", "variant", "sample")
"""What tells the replies of a model to a task apart."""

NEEDED = (
    "task",
    "endpoint",
    "question",
    "culture",
    *REPLY,
    "judge",
    "response",
    "lexical",
    "verdict",
    "ended",
    "label",
)
NUMBERS = ("lexical", "verdict", "label")
ONE_SIDED = 0.025
"""As the 95 % interval leaves out on either side."""

SCORES: Schema = {
    **dict.fromkeys(("task", "endpoint", "metric", "facet", "value"), pl.String),
    **dict.fromkeys(("score", "low", "high", "coverage", "above", "below"), pl.Float64),
    **dict.fromkeys(("questions", "left_out", "labels"), pl.Int64),
}
"""What ``gate.check_minimum`` reads, and of the requirement: one-sided p that the score is above it, and
below, and labels."""


def read_verdicts(path: Path) -> pl.DataFrame:
    """What ``judge-by-model --out`` wrote, of one judge. DataError for a missing column, no labels, or
    several judges."""
    table = read_replies(path)
    missing = [name for name in NEEDED if name not in table.columns]
    if missing:
        raise DataError(
            f"lacks the column {missing[0]!r}; give what folkways judge-by-model --out wrote", file=path
        )
    numbers = [
        pl.col(name).cast(pl.String).replace("", None).cast(pl.Float64, strict=False) for name in NUMBERS
    ]
    verdicts = table.select(NEEDED).with_columns(numbers)
    judges = verdicts["judge"].unique(maintain_order=True).to_list()
    if len(judges) > 1:
        raise DataError(
            f"has verdicts of {len(judges)} judges ({', '.join(judges)}); a gate decides by one: leave the "
            "rest out",
            file=path,
        )
    if verdicts["label"].is_null().all():
        raise DataError("has no labels of people; write it with folkways judge-by-model --labels", file=path)
    return verdicts


def check_judged(
    verdicts: pl.DataFrame,
    wanted: Minimum,
    metric: str,
    endpoints: Sequence[str],
    *,
    strict: bool = False,
    coverage: float = DEFAULT_COVERAGE,
    part: Sequence[str] = (),
) -> Iterator[Check]:
    """One check for each of the ``endpoints``, decided as ``check_minimum`` decides, on the rate that
    people's labels correct the judge's to.

    verdicts: on the task, as ``read_verdicts`` gives them, with the ``state`` in which the run has each item.
    wanted: the requirement, and the name of the ``metric`` that it is on. strict: a check passes only if
    ``noisy_but_valid`` passes as well. coverage, part: as ``check_minimum`` has them. FolkwaysError where an
    endpoint has no labels on the task.
    """
    for endpoint in endpoints:
        of_endpoint = verdicts.filter(pl.col("endpoint") == endpoint)
        if of_endpoint["label"].is_null().all():
            raise FolkwaysError(
                f"no labels of {endpoint} on {wanted.task}: labels of another model cannot correct its "
                "verdicts"
            )
        rows = [
            {
                **_score(group, wanted),
                "task": wanted.task,
                "endpoint": endpoint,
                "metric": metric,
                "facet": facet,
                "value": value,
            }
            for facet, value, group in _groups(of_endpoint)
        ]
        scores = pl.DataFrame(rows, schema=SCORES)
        facet, value = group_of(scores, wanted)
        row = scores.filter(facet=facet, value=value).row(0, named=True)
        if row["score"] is None:
            labels = plural(row["labels"], "label is", "labels are")
            message = f"found nothing: {labels} too few to correct by, on fewer than two questions"
            yield Check(wanted.name, endpoint, Status.FAIL, message)
            continue
        for check in check_minimum(scores, wanted, metric, strict=strict, coverage=coverage, part=part):
            yield _also_noisy_but_valid(check, row, strict=strict)


def _groups(own: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    yield "all", "all", own
    for facet in (["culture"], ["culture", "language"]):
        for values, part in own.group_by(facet, maintain_order=True):
            yield "+".join(facet), "+".join(map(str, values)), part


def _score(part: pl.DataFrame, wanted: Minimum) -> dict[str, object]:
    cases = Cases.of(part)
    rate = cases.corrected()
    score, low, high = (
        None if math.isnan(value) else 100 * value
        for value in (rate.rate, rate.interval.low, rate.interval.high)
    )
    above, below = noisy_but_valid(
        cases.verdicts, cases.labels, cases.cultures, cases.questions, wanted.bound / 100
    )
    replied = (~part["state"].is_in(LOST)).mean()
    bounds = {"score": score, "low": low, "high": high, "coverage": replied, "above": above, "below": below}
    return {**bounds, "questions": part["question"].n_unique(), "left_out": 0, "labels": rate.labelled}


def _also_noisy_but_valid(check: Check, row: dict[str, float], *, strict: bool) -> Check:
    """A check on SCORES with the p of the second test; with ``strict``, a pass that it does not bear out
    fails."""
    p = row["above"] if check.status is Status.PASS else min(row["above"], row["below"])
    message = f"{check.message} ({row['labels']:,} labels; noisy-but-valid p = {p:.3f})"
    if strict and check.status is Status.PASS and p > ONE_SIDED:
        return replace(
            check,
            status=Status.FAIL,
            message=f"{message}; that test does not bear it out: label more, or take a better judge",
        )
    return replace(check, message=message)


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
    coverage: float = DEFAULT_COVERAGE,
    judged: Path | None = None,
) -> Checks:
    """Whether the scores of a run of the ``workspace``, by name or number, meet the requirements.

    minimums: ``TASK=X`` or ``TASK:CULTURE=X``, scores that must be reached: at least X, or at most X where
        less is better.
    drops: ``RUN=Y``, points that a score may be below that run's.
    models: only these of the run.
    metric, profile: those of each task if None.
    strict: what is unsure fails.
    coverage: percent of the items that need a reply.
    judged: a file of verdicts of ``folkways judge-by-model``, corrected by its labels, instead of the run's
        own scores. FolkwaysError for anything unknown.
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
    reached = _minimums(
        workspace,
        run,
        endpoints,
        minimums,
        metric=metric,
        profile=profile,
        strict=strict,
        coverage=coverage,
        judged=judged,
    )
    dropped = _drops(
        workspace, run, endpoints, drops, metric=metric, profile=profile, strict=strict, coverage=coverage
    )
    return Checks([*reached, *dropped], run.name)


def _texts(required: Required) -> list[str]:
    if isinstance(required, Mapping):
        return [f"{name}={value:.15g}" for name, value in required.items()]
    return required.split(",") if isinstance(required, str) else list(required)


def _endpoints(workspace: Workspace, run: RunRecord, models: Sequence[str]) -> list[str]:
    endpoints = [*dict.fromkeys(part.endpoint for part in results.parts(workspace, run))]
    try:
        return choose_models(models, endpoints, run.name) if models else endpoints
    except UnknownNameError as error:
        hint = "a gate checks one run; name another one before the options: folkways gate RUN"
        raise UnknownNameError(error.kind, error.name, error.valid, hint=hint) from None


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
    judged: Path | None,
) -> Iterator[Check]:
    wanted = [minimum for text in texts for minimum in parse_minimum(text)]
    scores = stored_scores(workspace, run) if wanted else results.load_scores(workspace, run)
    scores = scores.filter(pl.col("endpoint").is_in(endpoints))
    measured = {task: {*scores.filter(task=task)["metric"]} for task in {one.task for one in wanted}}
    metrics = {task: metric_of(get_task(task), metric, names) for task, names in measured.items()}
    for minimum in wanted:
        task, of_task = get_task(minimum.task), metrics[minimum.task]
        if judged is not None and of_task.lower_is_better:
            raise FolkwaysError(
                f"{option('judged')} decides on the share of right answers, not on {of_task.label}; leave "
                f"{option('metric')} out"
            )
        check_range(minimum.bound, option("min", minimum.name), task, of_task)
    verdicts = read_verdicts(judged) if judged is not None else None
    for minimum in wanted:
        task, of_task = get_task(minimum.task), metrics[minimum.task]
        resolved = task.resolve_profile(profile)
        profiles = scores.filter(task=task.name)["profile"]
        if profiles.len() and resolved not in profiles:
            raise FolkwaysError(
                f"run {run.name} has not been judged in the profile {resolved}; do it (no model is asked): "
                f"{workspace.command('score', run.name, '--profile', resolved)}"
            )
        run_task = next((one for one in run_tasks(workspace, run) if one.task == task.name), None)
        lacks = lacking(workspace, run, run_task) if run_task is not None else []
        part = [f"the run asked {'; '.join(lacks)}"] if lacks else []
        if verdicts is not None:
            of_replies, unjudged = _of_replies(workspace, run, task, resolved, verdicts, endpoints, judged)
            yield from check_judged(
                of_replies,
                minimum,
                of_task.name,
                endpoints,
                strict=strict,
                coverage=coverage,
                part=[*part, *unjudged],
            )
            continue
        in_profile = scores.filter((pl.col("profile") == resolved) | (pl.col("task") != task.name))
        yield from check_minimum(
            _as_far_as_replied(in_profile, metric_of(task, None, measured[task.name])),
            minimum,
            of_task.name,
            lower_is_better=of_task.lower_is_better,
            part=part,
            strict=strict,
            coverage=coverage,
        )


def _as_far_as_replied(scores: pl.DataFrame, headline: Metric) -> pl.DataFrame:
    """The scores with a coverage of at most the share of items that got a reply, as the ``headline`` has it:
    a metric of replies alone, such as the share of refusals, has no row of an item without one."""
    group = ("endpoint", "task", "profile", "facet", "value")
    lost = pl.sum_horizontal(pl.col(name) for name in LOST)
    replied = scores.filter(metric=headline.name).select(*group, _replied=1 - lost / pl.col("n"))
    return scores.join(replied, on=group, how="left", maintain_order="left").with_columns(
        pl.min_horizontal("coverage", "_replied").alias("coverage")
    )


def _of_replies(
    workspace: Workspace,
    run: RunRecord,
    task: Task,
    profile: str,
    verdicts: pl.DataFrame,
    endpoints: Sequence[str],
    file: Path | None,
) -> tuple[pl.DataFrame, list[str]]:
    """The ``verdicts`` of a ``file`` on what the ``endpoints`` replied to a ``task``, with the ``state`` in
    which the run has each, and in words how many replies have none.

    DataError where the task was not judged, or the run has other replies.
    """
    of_task = verdicts.filter(pl.col("task") == task.name)
    if of_task.is_empty():
        names = ", ".join(verdicts["task"].unique().sort())
        raise FolkwaysError(f"{task.name} was not judged; the verdicts are of: {names}")
    parts = [
        part
        for part in results.parts(workspace, run)
        if part.task == task.name and part.endpoint in endpoints
    ]
    states = pl.concat(
        results.load_judgements(workspace, run, profile, part, without=("answer", "reason"), details=())
        .filter("counted")
        .select("endpoint", "state", *(pl.col(name).cast(pl.String) for name in REPLY), _here="response")
        for part in parts
    )
    joined = of_task.filter(pl.col("endpoint").is_in(endpoints)).join(
        states, on=("endpoint", *REPLY), how="left", maintain_order="left"
    )
    theirs, ours = (
        pl.col(name).fill_null("").str.replace_all(r"\s+", " ").str.strip_chars()
        for name in ("response", "_here")
    )
    other = joined.filter(pl.col("state").is_null() | ours.ne_missing(theirs))
    if other.height:
        raise DataError(
            f"is not on run {run.name}: {other.height:,} of its {plural(joined.height, 'verdict')} on "
            f"{task.name} are on other replies, the first on item {other['item'][0]!r}; write it with "
            f"{workspace.command('judge-by-model', run.name)}",
            file=file,
        )
    if joined.height >= states.height:
        return joined, []
    return joined, [f"the judge was asked about {joined.height:,} of {states.height:,} replies"]


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
        tasks_of = {stored.endpoint: stored.tasks for stored in find_models(workspace, [], [before])}
        for endpoint in endpoints:
            if endpoint not in tasks_of and not (len(tasks_of) == len(endpoints) == 1):
                raise FolkwaysError(
                    f"run {before} has no model {endpoint} to compare with; it has: {', '.join(tasks_of)}"
                )
            other = endpoint if endpoint in tasks_of else next(iter(tasks_of))
            names = (f"{endpoint}@{run.name}", f"{other}@{before}")
            common = common_tasks(find_models(workspace, names), None)
            model = endpoint if other == endpoint else f"{endpoint} against {other}"
            for task in common:
                check_range(most, option("max_drop_vs", text), task, metric_of(task, metric), drop=True)
            shared_tasks = [task.name for task in common]
            yield from (
                lost_task(name, most, before, model) for name in tasks_of[other] if name not in shared_tasks
            )
            for name in shared_tasks:
                try:
                    (comparison,) = compare(
                        *names, workspace=workspace, tasks=name, metric=metric, profile=profile
                    )
                except NothingSharedError as error:  # nothing was measured
                    yield unknown_drop(name, most, before, model, Status.FAIL, f"found nothing: {error}")
                except NotJudgedError as error:
                    if metric is not None:  # it was asked for by name
                        raise
                    status = Status.FAIL if strict else Status.UNSURE
                    yield unknown_drop(name, most, before, model, status, f"not compared: {error}")
                else:
                    yield check_drop(comparison, most, before, model, strict=strict, coverage=coverage)
