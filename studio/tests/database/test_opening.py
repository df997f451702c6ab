"""The studio's tables in a workspace: created when the studio first opens it, with a history of their own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from folkways.workspace import database, schema
from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways_studio.database import schema as tables
from folkways_studio.database.opening import TABLES, open_workspace
from folkways_studio.database.schema import metadata
from studio.tests.support.studies import QUESTION, open_study, stored
from tests.support.migrations import check_migrations, digests_of, shape


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


def test_a_migration_is_never_changed() -> None:
    """Databases that were made of it would lack what it got later. Write another one, and add its digest."""
    assert digests_of(TABLES) == {"0001": "89d870a5f57cb8c0", "0002": "90b05a763ce39821"}


@pytest.mark.parametrize("location", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
@pytest.mark.parametrize("part", ["none", "tables", "columns", "all"])
def test_a_workspace_of_0001_gets_what_it_lacks_and_keeps_what_it_holds(
    request: pytest.FixtureRequest, workspace: Workspace, tmp_path: Path, location: str, part: str
) -> None:
    """0001 was changed while databases were made of it: some have a part of 0002."""
    made = open_study(workspace, [{"name": "vote", "kind": "vote", "answers": 3, "majority": 2}])
    made.add("vote", [QUESTION])
    made.answer(made.person(), {"choices": [0]})
    place = tmp_path / "old.db" if location == "sqlite" else request.getfixturevalue("postgres_url")
    with closing(database.open_workspace(place)) as old, old.write() as connection:
        TABLES.migrate(connection, "0002" if part == "all" else "0001")
        if part == "tables":
            for table in (tables.filters, tables.allocations):
                table.create(connection)
        elif part == "columns":
            connection.exec_driver_sql("ALTER TABLE studio_standings ADD COLUMN training TEXT")
        for table in metadata.sorted_tables:
            if rows := stored(workspace, table):
                columns = {each["name"] for each in sa.inspect(connection).get_columns(table.name)}
                values = [{name: row[name] for name in row if name in columns} for row in rows]
                connection.execute(sa.insert(table), values)
        connection.exec_driver_sql("UPDATE studio_alembic_version SET version_num = '0001'")
    with closing(open_workspace(place, create=False)) as opened:
        with opened.read() as connection, workspace.read() as new:
            assert TABLES.revision(connection, "") == "0002"
            if location == "sqlite":
                assert shape(connection, TABLES) == shape(new, TABLES)
            options = {"include_name": lambda name, kind, _: kind != "table" or name in metadata.tables}
            context = MigrationContext.configure(connection, opts=options)
            assert compare_metadata(context, metadata) == []
        for table in (tables.items, tables.judgements, tables.events):
            assert stored(opened, table) == stored(workspace, table)


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


@pytest.mark.parametrize("revision", ["0000", "0003"])
def test_tables_of_another_version_are_left_alone(tmp_path: Path, revision: str) -> None:
    path = tmp_path / "other.db"
    open_workspace(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE studio_alembic_version SET version_num = ?", (revision,))
    words = "before 0.2" if revision == "0000" else "newer folkways-studio.*pip install -U folkways-studio"
    with pytest.raises(WorkspaceError, match=words):
        open_workspace(path)
    database.open_workspace(path).close()
