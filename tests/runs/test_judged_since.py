"""Whether a session that had to wait for its turn to judge still has something to judge."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import sqlalchemy as sa

import folkways
from folkways.engine.progress import ModelProgress
from folkways.runs.execute import RunSession, judged_since, score_session
from folkways.runs.planning.plan import Plan, stored_plans
from folkways.runs.scores.scoring import score_each
from folkways.workspace import results, schema
from folkways.workspace.queue import judging_turn
from tests.support.blend_data import write_mcq
from tests.support.planned_runs import plan_prompts


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


@pytest.mark.parametrize(("state", "waited", "judges"), [
    ("finished", True, False),
    ("interrupted", True, True),
    ("finished", False, True),
])  # fmt: skip
def test_who_waited_for_the_turn_judges_what_the_other_left(
    done: folkways.Run, state: str, waited: bool, judges: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other, if one had to be waited for, ends its turn at the first look."""
    with done.workspace.write() as connection:
        connection.execute(sa.update(schema.runs).values(state=state))
    plan = cast(Plan, SimpleNamespace(tasks=stored_plans(done.workspace, done.record)))
    judged: list[str] = []

    def watched(*args: Any) -> Any:
        judged.append(state)
        return score_each(*args)

    with ExitStack() as other:
        if waited:
            other.enter_context(judging_turn.turn_to_judge(done.workspace, done.record.id))
        clock = SimpleNamespace(time=time.time, sleep=lambda _: other.close())
        monkeypatch.setattr(judging_turn, "time", clock)
        session = RunSession(done.record, plan, (ModelProgress("m"),), unscored=True)
        score_session(done.workspace, session, score_all=watched)
    assert bool(judged) is judges


def test_replies_to_another_run_are_no_newer_replies_of_this_one(done: folkways.Run) -> None:
    other, _ = plan_prompts(done.workspace, "python/m", ["never asked"])
    found = [results.has_newer_replies(done.workspace, run, 0.0) for run in (done.record, other)]
    assert found == [True, False]
