"""A run whose model cannot be asked here leaves nothing, unless another process has gone on with it."""

from __future__ import annotations

import pytest

import folkways
from folkways.endpoints.base import EndpointOptions
from folkways.errors import FolkwaysError
from folkways.runs.execute import execute, plan_run
from folkways.runs.models import open_models
from folkways.runs.options import AskOptions, RunOptions
from folkways.runs.planning.tasks import make_plan
from folkways.workspace import run_records
from folkways.workspace.database import Workspace

OPTIONS = RunOptions(tasks=("demo",), limit=2)


@pytest.mark.parametrize("another", [False, True])
def test_who_cannot_ask_forgets_what_nobody_else_goes_on_with(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, another: bool
) -> None:
    model = folkways.model(lambda prompt: "rice", name="cook")

    def check() -> None:
        if another:
            plan_run(OPTIONS, models=[model], workspace=workspace)
        raise FolkwaysError("it is not here")

    plan = make_plan(OPTIONS, open_models([model], EndpointOptions()))
    monkeypatch.setattr(plan.models[0].endpoint, "check", check, raising=False)
    with pytest.raises(FolkwaysError, match="it is not here"):
        execute(workspace, plan, AskOptions())
    assert [run.state for run in run_records.list_runs(workspace)] == ["planned"] * another
