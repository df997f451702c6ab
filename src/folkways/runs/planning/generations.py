"""Asking afresh: a number in the key of each request, so that replies of before are kept and not used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from folkways.runs.models import Model
from folkways.runs.planning.plan import TaskPlan, config_of
from folkways.workspace import run_records
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord


def of_generation(
    workspace: Workspace,
    planned: Sequence[TaskPlan],
    models: Sequence[Model],
    name: str | None,
    absent: Mapping[str, str] | None,
) -> list[TaskPlan]:
    """The plans with the generation that they are asked in; as they are where nobody asks afresh.

    It is that of the run which the same command has begun and not ended, or of which requests failed, or
    which has this name: a run that goes on asks nothing a third time. Otherwise it is one that no run has
    used.
    """
    if not planned[0].options.afresh:
        return list(planned)
    wanted = _apart(config_of(planned, models, absent))
    runs = [run for run in run_records.list_runs(workspace) if run.command == run_records.RUN]
    same = [run for run in runs if _apart(run.config) == wanted and _generation(run.config)]
    number = 1 + max((_generation(run.config) for run in runs), default=0)
    if same:
        goes_on = same[-1].state != "finished" or run_records.any_failed(workspace, same[-1])
        named = next((run for run in same if run.name == name), None)
        number = (
            _generation(named.config)
            if named is not None
            else _generation(same[-1].config)
            if goes_on
            else number
        )
    return [replace(plan, options=replace(plan.options, generation=number)) for plan in planned]


def asked_afresh_since(workspace: Workspace, run: RunRecord) -> RunRecord | None:
    """The newest run that asks the same afresh, where this one uses the replies of before; None where there
    is none."""
    if _generation(run.config):
        return None
    wanted = _apart(run.config)
    runs = [
        one
        for one in run_records.list_runs(workspace)
        if one.command == run_records.RUN and _generation(one.config)
    ]
    return next((one for one in reversed(runs) if _apart(one.config) == wanted), None)


def _generation(config: Mapping[str, Any]) -> int:
    return int(config.get("options", {}).get("generation", 0))


def _apart(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration without its generation."""
    return {
        **config,
        "options": {key: value for key, value in config.get("options", {}).items() if key != "generation"},
    }
