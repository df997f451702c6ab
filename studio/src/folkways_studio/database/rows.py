"""Access to rows by the values of their columns, none of them NULL. Statements are built once, because
building one costs more than running it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal, TypeVar

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import NotFoundError
from folkways_studio.records import StudyState, from_row

T = TypeVar("T")

Lock = Literal["no", "row", "key"]
"""``row`` protects a row from changes until the transaction ends; ``key`` does too, but lets others refer to
it."""

_BY = "by_"  # a change names columns both to find rows and to set them


@contextmanager
def changing(workspace: Workspace, study_id: int) -> Iterator[sa.Connection]:
    """``Workspace.write`` for what is added to a study (study_id) of the workspace. NotFoundError where
    somebody has deleted it since it was looked up: nothing would delete the new rows."""
    with workspace.write() as connection:
        require_study(connection, study_id)
        yield connection


def require_study(connection: sa.Connection, study_id: int) -> None:
    """NotFoundError for a study (study_id) that was deleted, also while its rows are still there. connection:
    the caller's transaction."""
    state = get_value(connection, schema.studies.c.state, id=study_id)
    if state in (None, StudyState.DELETED):
        raise NotFoundError("there is no such study")


def find_row(
    connection: sa.Connection, table: sa.Table, *, lock: Lock = "no", **values: Any
) -> sa.Row[Any] | None:
    """The first row with these values; None for none."""
    return connection.execute(_selection(table, tuple(values), lock), values).first()


def get_row(connection: sa.Connection, table: sa.Table, *, lock: Lock = "no", **values: Any) -> sa.Row[Any]:
    """The only row with these values; sqlalchemy's NoResultFound for none."""
    return connection.execute(_selection(table, tuple(values), lock), values).one()


def get_value(connection: sa.Connection, column: sa.Column[Any], **values: Any) -> Any:
    """The value of ``column`` in the first row with these values; None for none."""
    return connection.scalar(_value(column, tuple(values)), values)


def change_rows(connection: sa.Connection, table: sa.Table, where: Mapping[str, Any], **values: Any) -> None:
    """Set columns of the rows with the values ``where``."""
    conditions = {f"{_BY}{name}": value for name, value in where.items()}
    connection.execute(_update(table, tuple(where), tuple(values)), {**conditions, **values})


def delete_rows(connection: sa.Connection, table: sa.Table, **values: Any) -> None:
    """Delete the rows with these values."""
    connection.execute(_deletion(table, tuple(values)), values)


def inserted_id(connection: sa.Connection, table: sa.Table, row: Mapping[str, Any]) -> int:
    """Insert one row and return its id."""
    key = connection.execute(_insertion(table), dict(row)).inserted_primary_key
    assert key is not None  # noqa: S101 - every table of the studio that this is used for has an integer key
    return int(key[0])


def inserted(connection: sa.Connection, record: type[T], table: sa.Table, row: Mapping[str, Any]) -> T:
    """Insert a row into the table and return it as a record. connection: the caller's transaction."""
    return from_row(record, get_row(connection, table, id=inserted_id(connection, table, row)))


def changed(connection: sa.Connection, record: type[T], table: sa.Table, number: int, **values: Any) -> T:
    """Set columns of the table's row with the id ``number`` and return it as a record. connection: the
    caller's transaction."""
    change_rows(connection, table, {"id": number}, **values)
    return from_row(record, get_row(connection, table, id=number))


def read_all(workspace: Workspace, record: type[T], query: sa.Select[Any]) -> tuple[T, ...]:
    """The rows of a query as records, in their own transaction."""
    with workspace.read() as connection:
        return tuple(from_row(record, row) for row in connection.execute(query))


def read_first(workspace: Workspace, record: type[T], query: sa.Select[Any]) -> T | None:
    """The first row of a query as a record; None for none."""
    return next(iter(read_all(workspace, record, query.limit(1))), None)


def read_values(workspace: Workspace, query: sa.Select[Any]) -> list[Any]:
    """The first column of a query, in its own transaction."""
    with workspace.read() as connection:
        return list(connection.scalars(query))


def count(connection: sa.Connection, rows: sa.FromClause, *where: sa.ColumnElement[bool]) -> int:
    """The number of rows for which all of ``where`` holds."""
    return connection.scalars(sa.select(sa.func.count()).select_from(rows).where(*where)).one()


@cache
def _selection(table: sa.Table, names: tuple[str, ...], lock: Lock) -> sa.Select[Any]:
    query = sa.select(table).where(*(table.c[name] == sa.bindparam(name) for name in names))
    return query if lock == "no" else query.with_for_update(key_share=lock == "key")


@cache
def _value(column: sa.Column[Any], names: tuple[str, ...]) -> sa.Select[Any]:
    return sa.select(column).where(*(column.table.c[name] == sa.bindparam(name) for name in names))


@cache
def _deletion(table: sa.Table, names: tuple[str, ...]) -> sa.Delete:
    return sa.delete(table).where(*(table.c[name] == sa.bindparam(name) for name in names))


@cache
def _insertion(table: sa.Table) -> sa.Insert:
    return sa.insert(table)


@cache
def _update(table: sa.Table, where: tuple[str, ...], names: tuple[str, ...]) -> sa.Update:
    query = sa.update(table).where(*(table.c[name] == sa.bindparam(f"{_BY}{name}") for name in where))
    return query.values({name: sa.bindparam(name) for name in names})
