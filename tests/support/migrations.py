"""Compares what migrations create, one after the other, with what a new database gets at once."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from folkways.workspace.table_sets import TableSet

Columns = dict[str, list[tuple[str, str, bool, str | None]]]


def scripts_of(tables: TableSet) -> list[str]:
    """The revisions of the migration scripts, oldest first."""
    config = Config()
    config.set_main_option("script_location", tables.migrations)
    return [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()][::-1]


def digests_of(tables: TableSet) -> dict[str, str]:
    """Revision -> the first letters of the SHA-256 of its script, whatever its white space."""
    config = Config()
    config.set_main_option("script_location", tables.migrations)
    scripts = ScriptDirectory.from_config(config).walk_revisions()
    texts = {each.revision: Path(each.path).read_text(encoding="utf-8") for each in scripts}
    return {name: sha256("".join(text.split()).encode()).hexdigest()[:16] for name, text in texts.items()}


def shape(connection: sa.Connection, tables: TableSet) -> tuple[Columns, list[str], list[str | None]]:
    """Columns (name, type, nullable, default), constraints and indexes, and triggers of the tables."""
    inspector = sa.inspect(connection)
    names = sorted({*inspector.get_table_names()} & {*tables.metadata.tables, tables.version_table})
    columns = {
        name: [
            (each["name"], str(each["type"]), each["nullable"], each["default"])
            for each in inspector.get_columns(name)
        ]
        for name in names
    }
    rules = sorted(
        f"{name}: {each}"
        for name in tables.metadata.tables
        for each in (
            inspector.get_pk_constraint(name),
            *({**each, "name": ""} for each in inspector.get_foreign_keys(name)),  # SQLite drops none by it
            *inspector.get_unique_constraints(name),
            *inspector.get_check_constraints(name),
            *inspector.get_indexes(name),
        )
    )
    query = (
        "SELECT name || sql FROM sqlite_master WHERE type = 'trigger'"
        if connection.dialect.name == "sqlite"
        else "SELECT trigger_name || event_manipulation FROM information_schema.triggers"
    )
    return columns, rules, sorted(connection.exec_driver_sql(query).scalars())


def check_migrations(created: sa.Engine, empty: sa.Engine, tables: TableSet) -> None:
    """Assert that a new workspace (``created``) has the tables as declared, and that the migrations create
    them in ``empty``."""
    assert scripts_of(tables) == list(tables.revisions)
    with empty.begin() as connection:
        tables.migrate(connection)
    shapes = []
    options = {
        "version_table": tables.version_table,
        "include_name": lambda name, kind, _: kind != "table" or name in tables.metadata.tables,
    }
    for engine in (created, empty):
        with engine.connect() as connection:
            shapes.append(shape(connection, tables))
            assert (
                compare_metadata(MigrationContext.configure(connection, opts=options), tables.metadata) == []
            )
            assert tables.revision(connection, "") == tables.head
    assert shapes[0] == shapes[1]
    assert set(shapes[0][0]) == {*tables.metadata.tables, tables.version_table}
