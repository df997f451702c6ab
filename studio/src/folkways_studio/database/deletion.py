"""Deleting rows with all that belongs to them, a few at a time: nobody who answers meanwhile waits for long.

What belongs to what is read from the tables' own references, so that a new table needs nothing here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.schema import metadata

AT_ONCE = 50
"""Items that one transaction deletes."""

KEPT = frozenset({schema.events, schema.participants, schema.accounts})
"""Tables that only grow: the audit trail, and the people whom it names."""


def delete_items(workspace: Workspace, *where: sa.ColumnElement[bool]) -> int:
    """Delete the items for which all of ``where`` holds, with everything that belongs to them; returns how
    many there were.

    Whether it still holds is looked at again in each transaction: an item that somebody takes up meanwhile
    stays.
    """
    items, deleted = schema.items, 0
    query = sa.select(items.c.id).where(*where).order_by(items.c.id.desc()).limit(AT_ONCE)
    while True:
        began = time.monotonic()
        with workspace.write() as connection:
            # Locked, then looked at again: on PostgreSQL somebody may be taking one of the slots at this
            # moment.
            found = list(connection.scalars(query.with_for_update()))
            slots = schema.assignments
            connection.execute(
                sa.select(slots.c.id).where(slots.c.item_id.in_(found)).with_for_update()
            ).all()
            numbers = list(connection.scalars(query.where(items.c.id.in_(found)))) if found else []
            if numbers:
                delete_with_all(connection, items, numbers)
        if not found:
            return deleted
        deleted += len(numbers)
        time.sleep(time.monotonic() - began)  # half of the time is everybody else's


def delete_with_all(connection: sa.Connection, table: sa.Table, numbers: Sequence[int]) -> None:
    """Delete these rows of a table and, before them, every row that refers to one of them, and so on; KEPT
    stay.

    A row that refers to one of its own table is expected to be among them.
    """
    for each in metadata.sorted_tables:
        if each is table or each in KEPT:
            continue
        for column in each.columns:
            if column.references(table.c.id):
                _delete(connection, each, column, numbers)
    connection.execute(sa.delete(table).where(table.c.id.in_(numbers)))


def _delete(
    connection: sa.Connection, table: sa.Table, column: sa.Column[int], numbers: Sequence[int]
) -> None:
    """Delete the rows that refer by ``column`` to these, with what refers to them."""
    if "id" in table.c:
        found = list(connection.scalars(sa.select(table.c.id).where(column.in_(numbers))))
        if found:
            delete_with_all(connection, table, found)
    else:
        connection.execute(sa.delete(table).where(column.in_(numbers)))
