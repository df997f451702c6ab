"""Whether a session that had to wait for its turn to judge still has something to judge."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import sqlalchemy as sa

import folkways
from folkways.engine.progress import ModelProgress
from folkways.runs.execute import RunSession, judged_since
from folkways.runs.planning.plan import Plan, stored_plans
from folkways.workspace import schema
from tests.support.blend_data import write_mcq


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> folkways.Run:
    folder: Path = tmp_path_factory.mktemp("judged")
    model = folkways.model(lambda prompt: "The answer is B", name="m")
    releases = {"blend": str(write_mcq(folder / "data"))}
    return folkways.run("blend/mcq", models=[model], releases=releases, workspace=folder / "w.db", name="r")


@pytest.mark.parametrize(
    ("state", "began", "failed", "profile", "judged"),
    [
        ("finished", 60.0, (0, 0), None, True),
        ("finished", 60.0, (0, 0), "paper", True),
        ("finished", 60.0, (0, 0), "strict", False),  # nobody has judged by that rule
        ("finished", -60.0, (0, 0), None, False),  # replies came since the other process began
        ("finished", 60.0, (0, 1), None, False),  # what failed is known to this process alone
        ("interrupted", 60.0, (0, 0), None, False),
    ],
)
def test_what_another_process_judged_is_all_or_is_judged_again(
    done: folkways.Run, state: str, began: float, failed: tuple[int, int], profile: str | None, judged: bool
) -> None:
    """began: seconds from now. failed: requests of two models."""
    with done.workspace.write() as connection:
        connection.execute(sa.update(schema.runs).values(state=state))
    plan = cast(Plan, SimpleNamespace(tasks=stored_plans(done.workspace, done.record)))
    progresses: Any = tuple(ModelProgress("m", failed=number) for number in failed)
    session = RunSession(done.record, plan, progresses, unscored=True)
    assert judged_since(done.workspace, session, time.time() + began, profile, None) is judged
