"""Whether a workspace takes writes, as a monitor is told."""

from __future__ import annotations

import pytest

from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways_studio.database import health, schema
from folkways_studio.database.health import WriteCheck
from studio.tests.support.studies import ON_A_FILE, ON_BOTH, failing, stored


@ON_BOTH
def test_one_row_is_written_and_answers_for_a_while(
    studio_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, written = WriteCheck(studio_workspace), []
    for seconds in (health.SECONDS, health.SECONDS, 0.0):
        monkeypatch.setattr(health, "SECONDS", seconds)
        check.check()
        (row,) = stored(studio_workspace, schema.attempts)
        written.append(row["at"])
    assert written[0] == written[1] < written[2]


@ON_A_FILE
def test_a_workspace_that_takes_no_writes_is_told_each_time(studio_workspace: Workspace) -> None:
    check = WriteCheck(studio_workspace)
    with failing(studio_workspace, schema.attempts, 0):
        for _ in range(2):
            with pytest.raises(WorkspaceError, match="the disk has failed"):
                check.check()
    check.check()
