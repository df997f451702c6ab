"""Kinds of columns that many tables have: JSON, an id, a reference to another table's."""

from __future__ import annotations

from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy import Column, ForeignKey, Integer, Text


class Json(sa.types.TypeDecorator[Any]):
    """JSON as text with sorted keys; no character of a person's text is lost, and none that PostgreSQL's text
    refuses is left."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> str | None:
        """To text."""
        return None if value is None else orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Any:
        """From text."""
        return None if value is None else orjson.loads(value)


def id_column() -> Column[int]:
    """The column ``id``: a number that the database gives."""
    return Column("id", Integer, primary_key=True)


def reference(table: str, name: str, *, nullable: bool = False, index: bool = False) -> Column[int]:
    """A column that refers to the ``id`` of another table."""
    return Column(name, Integer, ForeignKey(f"{table}.id"), nullable=nullable, index=index)
