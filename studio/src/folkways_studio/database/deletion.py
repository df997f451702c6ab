"""Deletes rows and everything that refers to them in small batches, so that people who answer wait only
briefly.

References come from the tables' foreign keys, so new tables need no change here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.schema import metadata

AT_ONCE = 50
"""Items per transaction."""

KEPT = frozenset({schema.events, schema.participants, schema.accounts})
"""Tables that only grow: the audit trail, and the people whom it names."""


def delete_items(workspace: Workspace, *where: sa.ColumnElement[bool]) -> int:
    """Delete the items for which all of ``where`` holds, with everything that belongs to them, and return
    their number.

    Each transaction checks the conditions again, so an item that somebody begins meanwhile stays.
    """
    items, deleted = schema.items, 0
    query = sa.select(items.c.id).where(*where).order_by(items.c.id.desc()).limit(AT_ONCE)
    while True:
        began = time.monotonic()
        with workspace.write() as connection:
            # Lock, then check again: on PostgreSQL somebody may be claiming one of the slots.
            candidates = list(connection.scalars(query.with_for_update()))
            slots = schema.assignments
            connection.execute(
                sa.select(slots.c.id).where(slots.c.item_id.in_(candidates)).with_for_update()
            ).all()
            numbers = list(connection.scalars(query.where(items.c.id.in_(candidates)))) if candidates else []
            if numbers:
                delete_with_all(connection, items, numbers)
        if not candidates:
            return deleted
        deleted += len(numbers)
        time.sleep(time.monotonic() - began)  # leave half of the time to others


def delete_with_all(connection: sa.Connection, table: sa.Table, numbers: Sequence[int]) -> None:
    """Delete these rows of a table and, before them, all rows that refer to them, and so on, except KEPT.

    Rows that refer to rows of the same table must be among them.
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
    """Delete the rows whose ``column`` refers to these, with everything that refers to them."""
    if "id" in table.c:
        ids = list(connection.scalars(sa.select(table.c.id).where(column.in_(numbers))))
        if ids:
            delete_with_all(connection, table, ids)
    else:
        connection.execute(sa.delete(table).where(column.in_(numbers)))
