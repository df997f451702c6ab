"""What planning, judging and summing up cost per reply, task by task, in this process and on a workspace in a
file."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from folkways.endpoints.baselines import BaselineEndpoint
from folkways.runs.execute import execute
from folkways.runs.models import Model
from folkways.runs.options import AskOptions, RunOptions
from folkways.runs.planning.plan import begin
from folkways.runs.planning.tasks import make_plan
from folkways.runs.scores.scoring import score_run
from folkways.workspace.archives.moving import archive_run
from folkways.workspace.database import open_workspace
from folkways.workspace.run_records import find_run


@dataclass(frozen=True)
class JudgingCost:
    """Microseconds of the processor per reply, and bytes of its archived row."""

    task: str
    replies: int
    plan: float
    score: float
    archive: float


def judged(task: str, release: Path, limit: int, folder: Path) -> JudgingCost:
    """Plan, answer and score so many items of a task, or as many as it has."""
    endpoint = BaselineEndpoint(
        "made/judged", "made/judged", lambda request: f"It is {request.key[:3]} bread, or B."
    )
    model = Model(endpoint)
    options = RunOptions(tasks=(task,), releases={task.partition("/")[0]: str(release)}, limit=limit)
    workspace = open_workspace(folder / f"{task.replace('/', '-')}.db")
    plan = make_plan(options, [model])
    planned = time.process_time()
    begin(workspace, plan, "one", {})
    planned = time.process_time() - planned
    session = execute(workspace, plan, AskOptions(), name="one")
    count = sum(progress.total + progress.stored for progress in session.progresses)
    scored = time.process_time()
    score_run(workspace, session.run)
    scored = time.process_time() - scored
    archived = archive_run(
        workspace, find_run(workspace, "one"), folder / f"{task.replace('/', '-')}-archive"
    )
    workspace.close()
    return JudgingCost(task, count, planned / count * 1e6, scored / count * 1e6, archived.size / count)
