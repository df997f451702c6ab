"""How the models of a run differ: made of its judgements when it is scored, and stored with its scores, so
that a display of scores alone need not read every judgement again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple
from functools import partial

import polars as pl

from folkways.benchmarks.base import Task
from folkways.benchmarks.treatments import without_treatments
from folkways.evidence.answers import ASKING
from folkways.evidence.contrasts import CULTURE
from folkways.evidence.order import ModelContrasts, Rank, model_contrasts
from folkways.records import JUDGED_ITEMS, Metric, empty
from folkways.reports.data import ReportData
from folkways.reports.views.views import ReportView
from folkways.workspace import results
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord

COMPARED = ("item", "question", CULTURE, *ASKING, "counted", "state")
"""Columns by which models are compared, besides their metric."""

TEXTS = ("answer", "reason", "response")


def make_contrasts(
    workspace: Workspace,
    run: RunRecord,
    scored: pl.DataFrame,
    tasks: Iterable[Task],
    profiles: Mapping[str, str],
) -> None:
    """Store the contrasts of the models of a ``run`` of the ``workspace``, for each of its ``tasks`` that two
    models were asked. scored: its stored scores. profiles: task -> the one that it was scored in."""
    parts: list[results.Part] = []
    for task in tasks:
        profile = profiles.get(task.name)
        of_task = scored.filter(pl.col("task") == task.name, pl.col("profile") == profile)
        if profile is None or of_task.is_empty():
            continue
        data = ReportData("", "", (), of_task, empty(JUDGED_ITEMS), metrics={task.name: task.metrics})
        (view,) = ReportView(data).tasks  # the order of the models is that of a report
        if len(view.models) < 2:
            continue  # nothing is read
        parts = parts or results.parts(workspace, run)
        metric = view.metric
        of_model = {part.endpoint: part for part in parts if part.task == task.name}
        frames = {
            model: partial(_compared_by, workspace, run, profile, of_model[model], metric)
            for model in view.models
            if model in of_model
        }
        if len(frames) > 1:
            made = model_contrasts(frames, metric, (CULTURE,))
            ranks = [(model, *astuple(rank)) for model, rank in made.ranks.items()]
            results.save_contrasts(workspace, run, (task.name, profile, metric.name), made.contrasts, ranks)


def _compared_by(
    workspace: Workspace, run: RunRecord, profile: str, part: results.Part, metric: Metric
) -> pl.DataFrame:
    """COMPARED and the metric of the prompts as they are, in one part of a run, with the column of the groups
    that it is averaged over."""
    details = (metric.name, *([metric.mean_over] if metric.mean_over else []))
    rows = results.load_judgements(workspace, run, profile, part, small=True, without=TEXTS, details=details)
    absent = [] if metric.name in rows.columns else [pl.lit(None, pl.Float64).alias(metric.name)]
    return without_treatments(rows.with_columns(absent).select(*dict.fromkeys((*COMPARED, *details))))


def stored_contrasts(workspace: Workspace, run: RunRecord) -> dict[tuple[str, str, str], ModelContrasts]:
    """(task, profile, metric) -> the contrasts of the models of a ``run`` of the ``workspace``, where they
    are stored."""
    return {
        key: ModelContrasts(
            pairs, {model: Rank(value, low, high, level) for model, value, low, high, level in ranks}
        )
        for key, pairs, ranks in results.load_contrasts(workspace, run)
    }
