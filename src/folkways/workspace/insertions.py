"""Inserts many rows at once: in one statement whose text is made once, by the quickest way into each
database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

if TYPE_CHECKING:  # each is loaded where a database of its kind is written: no command needs both
    from sqlalchemy.dialects import postgresql, sqlite

ROWS_PER_STATEMENT = 500
"""Rows of one INSERT on PostgreSQL, where every statement is a round trip."""

Rows = Sequence[Mapping[str, Any]] | Sequence[tuple[Any, ...]]
"""Rows of a table: all of them give the same columns; tuples give all columns, in the table's order."""

Insertion = TypeVar("Insertion", "postgresql.Insert", "sqlite.Insert")


def insert(connection: Connection, table: sa.Table, rows: Rows, *, replace: bool) -> None:
    """Insert rows into ``table`` over ``connection``. Rows whose primary key exists are left out; with
    ``replace`` they replace it."""
    if not rows:
        return
    first = rows[0]
    columns = _columns(table) if isinstance(first, tuple) else tuple(first)
    if connection.dialect.name == "postgresql":
        statement = _postgres_insertion(table, columns, replace)
        for start in range(0, len(rows), ROWS_PER_STATEMENT):
            part = rows[start : start + ROWS_PER_STATEMENT]
            named = [dict(zip(columns, row, strict=True)) if isinstance(row, tuple) else row for row in part]
            connection.exec_driver_sql(statement, (orjson.dumps(named).decode(),))
        return
    # Tuples straight to the driver cost half of what named parameters cost, and this is the path of every
    # reply.
    statement, order = _sqlite_insertion(table, columns, replace)
    if not isinstance(first, tuple):
        values = itemgetter(*order) if len(order) > 1 else lambda row: (row[order[0]],)
        rows = [values(row) for row in rows]
    connection.exec_driver_sql(statement, list(rows))


@cache
def _columns(table: sa.Table) -> tuple[str, ...]:
    """The names of all columns, as plain text: SQLAlchemy has a kind of its own for some, which JSON takes
    for no text."""
    return tuple(f"{name}" for name in table.columns.keys())  # noqa: SIM118 - not a dict


def _on_conflict(insertion: Insertion, table: sa.Table, *, replace: bool) -> Insertion:
    """What becomes of rows whose primary key is there already: they take its place, or are left out."""
    if not replace:
        return insertion.on_conflict_do_nothing()
    values = {
        column.name: insertion.excluded[column.name] for column in table.columns if not column.primary_key
    }
    return insertion.on_conflict_do_update(index_elements=list(table.primary_key), set_=values)


@cache
def _postgres_insertion(table: sa.Table, columns: tuple[str, ...], replace: bool) -> str:
    """The statement, whose one parameter is the rows as JSON.

    With a parameter for each value, making the statement took longer than all the rest of planning and
    storing: its text is as long as its rows are many.
    """
    from sqlalchemy.dialects import postgresql

    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    row_type = dialect.identifier_preparer.format_table(table)
    names = ", ".join(dialect.identifier_preparer.quote(name) for name in columns)
    rows = sa.text(f"SELECT {names} FROM json_populate_recordset(NULL::{row_type}, $1::json)")  # noqa: S608 - names of our schema
    insertion = postgresql.insert(table).from_select(
        list(columns), rows.columns(*(table.c[name] for name in columns))
    )
    compiled = _on_conflict(insertion, table, replace=replace).compile(dialect=dialect)
    return compiled.string.replace("$1", "%s")


@cache
def _sqlite_insertion(
    table: sa.Table, columns: tuple[str, ...], replace: bool
) -> tuple[str, tuple[str, ...]]:
    """The statement, and the columns in the order of its parameters."""
    from sqlalchemy.dialects import sqlite

    insertion = _on_conflict(sqlite.insert(table).values(dict.fromkeys(columns)), table, replace=replace)
    compiled = insertion.compile(dialect=sqlite.dialect(paramstyle="qmark"))
    return compiled.string, tuple(compiled.positiontup or columns)
