"""The history of the tables of folkways: the migrations, one after the other, create what a new workspace
has."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from folkways.workspace import schema
from folkways.workspace.database import open_workspace
from tests.support.migrations import check_migrations, digests_of


def test_migrations_create_what_a_new_workspace_has(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "new.db")
    check_migrations(
        workspace.engine, sa.create_engine(f"sqlite:///{tmp_path / 'migrated.db'}"), schema.TABLES
    )
    with workspace.read() as connection:
        assert set(sa.inspect(connection).get_table_names()) == {*schema.metadata.tables, "alembic_version"}
    workspace.close()


def test_a_migration_is_never_changed() -> None:
    """Databases that were made of it would lack what it got later. Write another one, and add its digest."""
    assert digests_of(schema.TABLES) == {
        "0100": "fbdc583ab1659f07",
        "0101": "ef4dae09fc4f3576",
        "0102": "5e9b85fc5c98c5ab",
    }


@pytest.mark.postgres
def test_migrations_create_what_a_new_workspace_has_on_postgresql(
    postgres_url: str, second_postgres_url: str
) -> None:
    workspace = open_workspace(postgres_url)
    empty = sa.create_engine(second_postgres_url)
    check_migrations(workspace.engine, empty, schema.TABLES)
    workspace.close()
    empty.dispose()
