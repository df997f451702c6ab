"""What a workspace is like, without changing it."""

from __future__ import annotations

from pathlib import Path

from folkways.workspace import run_records
from folkways.workspace.database import open_workspace
from folkways.workspace.health import Health, workspace_health
from folkways.workspace.schema import TABLES
from tests.support.planned_runs import plan_prompts


def test_a_sound_file_passes_the_check_of_sqlite_and_its_runs_are_counted(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    for number in range(3):
        run, _ = plan_prompts(workspace, f"m{number}", ["a"], config=number)
    run_records.set_state(workspace, run, "interrupted")
    workspace.close()
    health = workspace_health(str(tmp_path / "w.db"))
    assert health == Health(TABLES.head, "ok", {"running": 2, "interrupted": 1})
