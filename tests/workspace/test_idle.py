"""A server that was away is no error for the next who asks, and connections in use are not asked before."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from folkways.workspace import database
from folkways.workspace.database import Workspace, open_workspace

pytestmark = pytest.mark.postgres
END = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND "
    "pid <> pg_backend_pid()"
)


def count(workspace: Workspace) -> int:
    with workspace.read() as connection:
        return int(connection.scalar(sa.text("SELECT 7")) or 0)


def test_a_connection_that_the_server_has_ended_is_replaced(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "IDLE_SECONDS", 0.0)
    workspace, other = open_workspace(postgres_url), open_workspace(postgres_url)
    assert count(workspace) == 7
    with other.write() as connection:
        connection.execute(sa.text(END))
    assert count(workspace) == 7
    workspace.close()
    other.close()


def test_connections_in_use_are_not_asked(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = open_workspace(postgres_url)
    asked: list[object] = []
    monkeypatch.setattr(
        workspace.engine.dialect, "do_ping", lambda connection: asked.append(connection) or True
    )
    for _ in range(3):
        count(workspace)
    assert asked == []
    monkeypatch.setattr(database, "IDLE_SECONDS", 0.0)
    count(workspace)
    assert len(asked) == 1
    workspace.close()
