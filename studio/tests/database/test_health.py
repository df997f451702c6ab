"""Whether a workspace takes writes, as a monitor is told."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait

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


@ON_A_FILE
def test_one_request_waits_for_a_long_write_and_the_others_serve_pages(
    studio_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = WriteCheck(studio_workspace)
    with ThreadPoolExecutor() as threads:
        with studio_workspace.write():  # such as an import
            first = threads.submit(check.check)
            asked = [threads.submit(check.check) for _ in range(5)]
            assert len(wait([first, *asked], timeout=2).done) == 5
            assert [each.exception() for each in [first, *asked] if each.done()] == [None] * 5
            monkeypatch.setattr(health, "LONGEST", 0.0)
            with pytest.raises(WorkspaceError, match="takes over 0 s"):
                threads.submit(check.check).result(timeout=2)
        first.result(timeout=30)
    check.check()
