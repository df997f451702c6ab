"""Reading a workspace: each time on a connection of its own, or for a while on one that the blocks of a
thread share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import Any

from sqlalchemy.engine import Connection, Engine


class Reading(local):
    """What one thread reads with.

    Taking a connection, beginning and ending a transaction cost more than most of the questions that a page
    asks.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.shares = False
        self.depth = 0
        self.connection: Connection | None = None
        # PostgreSQL's transactions, as they are here (READ COMMITTED), give reading no snapshot, only two
        # more messages.
        self._options: dict[str, Any] = (
            {"isolation_level": "AUTOCOMMIT"} if engine.dialect.name == "postgresql" else {}
        )
        self._options["read_only"] = True

    @contextmanager
    def block(self, *, alone: bool = False) -> Iterator[Connection]:
        """A connection for reading that blocks nobody. alone: not the shared one, but a transaction of its
        own."""
        if alone or not self.shares:
            with self.engine.connect().execution_options(read_only=True) as connection:
                yield connection
                # nothing; but after a rollback PostgreSQL's driver has to prepare every statement anew
                connection.commit()
            return
        if self.connection is None:
            self.connection = self.engine.connect().execution_options(**self._options)
        self.depth += 1
        try:
            yield self.connection
        except BaseException:
            # PostgreSQL refuses everything more in a transaction in which something failed
            self.connection.rollback()
            raise
        finally:
            self.depth -= 1

    @contextmanager
    def together(self) -> Iterator[None]:
        """Have the blocks of this thread share one connection (on SQLite one transaction), until it writes or
        this block ends."""
        outermost, self.shares = not self.shares, True
        try:
            yield
        finally:
            if outermost:
                self.shares = False
                self.let_go()

    def let_go(self) -> None:
        """Give the shared connection back, unless a block is using it: what is read next is what was
        written."""
        if self.connection is not None and self.depth == 0:
            held, self.connection = self.connection, None
            held.close()
