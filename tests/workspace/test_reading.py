"""Reading on one connection: fewer of them, the same answers, and always what this thread has written."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from folkways.workspace import schema
from folkways.workspace.database import Workspace, WorkspaceError, open_workspace

COUNT = sa.select(sa.func.count()).select_from(schema.endpoints)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def workspace(request: pytest.FixtureRequest, tmp_path) -> Iterator[Workspace]:
    opened = open_workspace(
        tmp_path / "w.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    )
    yield opened
    opened.close()


def count(workspace: Workspace) -> int:
    with workspace.read() as connection:
        return int(connection.scalar(COUNT) or 0)


def add(workspace: Workspace) -> None:
    with workspace.write() as connection:
        connection.execute(sa.insert(schema.endpoints).values(identity=uuid.uuid4().hex, name="m"))


def test_blocks_share_a_connection_and_give_it_back(workspace: Workspace) -> None:
    taken: list[object] = []
    sa.event.listen(workspace.engine, "checkout", lambda *arguments: taken.append(arguments))
    with workspace.reading_together():
        for _ in range(5):
            count(workspace)
        with workspace.reading_together():
            count(workspace)
        count(workspace)
    assert len(taken) == 1
    count(workspace)
    assert len(taken) == 2
    assert workspace.engine.pool.checkedout() == 0


def test_what_this_thread_wrote_is_read(workspace: Workspace) -> None:
    with workspace.reading_together():
        assert count(workspace) == 0
        add(workspace)
        assert count(workspace) == 1
        add(workspace)
        assert count(workspace) == 2


def test_a_block_inside_another_and_a_write_inside_it_leave_it_its_connection(workspace: Workspace) -> None:
    with workspace.reading_together(), workspace.read() as connection:
        connection.scalar(COUNT)
        assert count(workspace) == 0
        add(workspace)
        assert connection.scalar(sa.text("SELECT 7")) == 7


def test_reading_goes_on_after_a_question_that_failed(workspace: Workspace) -> None:
    with workspace.reading_together():
        with pytest.raises(WorkspaceError), workspace.read() as connection:
            connection.execute(sa.text("SELECT nothing FROM nowhere"))
        assert count(workspace) == 0


def test_threads_do_not_share(workspace: Workspace) -> None:
    found: list[int] = []
    with workspace.reading_together():
        assert count(workspace) == 0
        other = threading.Thread(target=lambda: (add(workspace), found.append(count(workspace))))
        other.start()
        other.join()
    assert found == [1]


def test_what_is_read_together_is_of_one_moment(workspace: Workspace) -> None:
    with workspace.reading_together():
        assert count(workspace) == 0
        other = threading.Thread(target=add, args=(workspace,))
        other.start()
        other.join()
        assert count(workspace) == 0
        add(workspace)
        assert count(workspace) == 2
