"""The PostgreSQL driver with one message to the server for a statement, where pg8000 by itself sends three and waits for each.

pg8000 has a statement read, asks what it returns, and runs it, one after the other; it also looks for parameters in its text letter
by letter each time. A page of the studio needs some twenty statements, and that was most of what it cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import pack
from typing import Any

import sqlalchemy as sa
from pg8000 import DatabaseError, IntegrityError, InterfaceError, ProgrammingError
from pg8000.converters import make_params
from pg8000.core import BIND, DESCRIBE, EXECUTE_MSG, PARSE, QUERY, STATEMENT, SYNC_MSG, Context, _flush, _write
from pg8000.legacy import Connection as LegacyConnection
from pg8000.legacy import Cursor as LegacyCursor
from pg8000.legacy import convert_paramstyle
from sqlalchemy.engine import Engine

BEGIN = "begin transaction"

LONGEST_KEPT = 10_000
"""Characters of a statement that is remembered with its parameters numbered."""

MOST_DESCRIBED = 1_000
"""Sets of columns that a connection remembers."""


def speak_briefly(engine: Engine) -> None:
    """Have ``engine``, of SQLAlchemy's pg8000 dialect, connect with the driver of this module."""

    def connect(_dialect: Any, _record: Any, arguments: Any, named: Any) -> BriefConnection:
        return BriefConnection(*arguments, **named)

    sa.event.listen(engine, "do_connect", connect)


class BriefConnection(LegacyConnection):  # type: ignore[misc]
    """A connection of pg8000 that sends all parts of a statement at once, with the beginning of its transaction if need be."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._described: dict[bytes, tuple[Any, Any]] = {}
        super().__init__(*arguments, **named)

    def cursor(self) -> BriefCursor:
        """A cursor of this connection."""
        return BriefCursor(self)

    def execute_unnamed(self, statement: str, vals: Sequence[Any] = (), oids: Sequence[int] = (), stream: Any = None) -> Context:
        """Run one statement with numbered parameters; raises what pg8000 raises."""
        if stream is not None:
            return super().execute_unnamed(statement, vals, oids, stream)
        return self._run(statement, self._parts(statement, vals, oids))

    def execute_first(self, statement: str, vals: Sequence[Any], oids: Sequence[int]) -> Context:
        """Begin a transaction and run its first statement."""
        parts = self._parts(statement, vals, oids)
        begin = _message(QUERY, self._encoded(BEGIN) + b"\0")
        return self._run(statement, begin + parts, begins=True)

    def handle_ROW_DESCRIPTION(self, data: bytes, context: Context) -> None:  # noqa: N802 - called by this name
        """Take apart what columns a reply has; the same description is taken apart once."""
        known = self._described.get(data)
        if known is None:
            super().handle_ROW_DESCRIPTION(data, context)
            if len(self._described) < MOST_DESCRIBED:
                self._described[data] = (context.columns, context.input_funcs)
            return
        context.columns, context.input_funcs = known
        if context.rows is None:
            context.rows = []

    def handle_messages(self, context: Context) -> None:
        """Read the replies to what was sent; a socket that breaks is an InterfaceError wherever in them that happens."""
        try:
            super().handle_messages(context)
        except OSError as error:
            raise InterfaceError("network error") from error

    def _run(self, statement: str, messages: bytes, *, begins: bool = False) -> Context:
        if self._sock is None:
            raise InterfaceError("connection is closed")
        _write(self._sock, messages)
        _flush(self._sock)
        began = Context(BEGIN)
        context = Context(statement)
        try:
            if begins:
                self.handle_messages(began)
        finally:
            # What was sent is answered, whatever came of the beginning: no reply may be left for the next statement to find.
            self.handle_messages(context)
        return context

    def _parts(self, statement: str, vals: Sequence[Any], oids: Sequence[int]) -> bytes:
        """The unnamed statement as messages of the extended protocol: parse, describe, bind, execute, sync."""
        parse = b"\0" + self._encoded(statement) + b"\0" + pack(f"!H{len(oids)}I", len(oids), *(max(oid, 0) for oid in oids))
        bind = bytearray(b"\0\0" + pack("!HH", 0, len(vals)))
        for value in make_params(self.py_types, vals):
            if value is None:
                bind += pack("!i", -1)
            else:
                encoded = self._encoded(value)
                bind += pack("!i", len(encoded)) + encoded
        bind += b"\0\0"
        return b"".join(
            (_message(PARSE, parse), _message(DESCRIBE, STATEMENT + b"\0"), _message(BIND, bytes(bind)), EXECUTE_MSG, SYNC_MSG)
        )

    def _encoded(self, text: str) -> bytes:
        return text.encode(self._client_encoding)


class BriefCursor(LegacyCursor):  # type: ignore[misc]
    """A cursor that looks for the parameters of a statement once, not each time that it is run."""

    _input_oids: Sequence[int]

    def execute(self, operation: str, args: Sequence[Any] = (), stream: Any = None) -> Any:
        """Run ``operation``, whose parameters are written ``%s``; raises what pg8000 raises."""
        if self._c is None or not args or stream is not None:
            return super().execute(operation, args, stream)
        statement = _numbered(operation) if len(operation) <= LONGEST_KEPT else _numbered.__wrapped__(operation)
        begins = not self._c.autocommit and not self._c._in_transaction
        run = self._c.execute_first if begins else self._c.execute_unnamed
        try:
            self._context = run(statement, args, self._input_oids)
        except DatabaseError as error:
            raise _specific(error) from None
        self._row_iter = iter(self._context.rows or ())
        self._input_oids = ()
        return self


def _specific(error: DatabaseError) -> Exception:
    """The error as pg8000's own cursor raises it."""
    said = error.args[0]
    code = str(said.get("C")) if isinstance(said, dict) else ""
    kinds: dict[str, type[Exception]] = {"28000": InterfaceError, "23505": IntegrityError}
    kind: type[Exception] = kinds.get(code, ProgrammingError)
    return kind(said)


def _message(code: bytes, content: bytes) -> bytes:
    return code + pack("!i", len(content) + 4) + content


@lru_cache(maxsize=2_000)
def _numbered(operation: str) -> str:
    """The statement with ``$1``, ``$2`` … in place of ``%s``."""
    return str(convert_paramstyle("format", operation, ())[0])
