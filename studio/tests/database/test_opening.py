"""The studio's tables in a workspace: created when the studio first opens it, with a history of their own."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from folkways.workspace import database, schema
from folkways.workspace.database_errors import WorkspaceError
from folkways_studio.database.opening import TABLES, open_workspace
from folkways_studio.database.schema import metadata
from tests.support.migrations import check_migrations


def tables_of(engine: sa.Engine) -> set[str]:
    return set(sa.inspect(engine).get_table_names())


def test_migrations_create_what_a_new_workspace_has(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "new.db")
    check_migrations(workspace.engine, sa.create_engine(f"sqlite:///{tmp_path / 'migrated.db'}"), TABLES)
    workspace.close()


@pytest.mark.postgres
def test_migrations_create_what_a_new_workspace_has_on_postgresql(
    postgres_url: str, second_postgres_url: str
) -> None:
    workspace = open_workspace(postgres_url)
    empty = sa.create_engine(second_postgres_url)
    check_migrations(workspace.engine, empty, TABLES)
    workspace.close()
    empty.dispose()


@pytest.mark.parametrize("create", [True, False])
def test_a_workspace_that_only_measured_gets_the_tables(tmp_path: Path, create: bool) -> None:
    path = tmp_path / "measured.db"
    database.open_workspace(path).close()
    workspace = open_workspace(path, create=create)
    added = {*metadata.tables, "studio_alembic_version"}
    assert tables_of(workspace.engine) == {*schema.metadata.tables, "alembic_version"} | added
    workspace.close()
    again = database.open_workspace(path, create=False)  # and whoever measures goes on as before
    again.close()


def test_no_workspace_is_made_where_none_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="there is no workspace at"):
        open_workspace(tmp_path / "none.db", create=False)
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("revision", ["0000", "0002"])
def test_tables_of_another_version_are_left_alone(tmp_path: Path, revision: str) -> None:
    path = tmp_path / "other.db"
    open_workspace(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE studio_alembic_version SET version_num = ?", (revision,))
    words = "before 0.2" if revision == "0000" else "newer folkways-studio.*pip install -U folkways-studio"
    with pytest.raises(WorkspaceError, match=words):
        open_workspace(path)
    database.open_workspace(path).close()
