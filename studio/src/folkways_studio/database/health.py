"""Whether a workspace takes writes, for monitoring: a full disk or a database that was made
read-only lets pages be read while every answer is lost."""

from __future__ import annotations

import time
from threading import Lock

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace, WorkspaceError
from folkways_studio.database import schema

KEY = "health"
SECONDS = 10.0
"""Anybody may ask, so one write answers for so long."""
LONGEST = 60.0
"""A write that takes longer has failed."""


class WriteCheck:
    """Writes one row of a workspace again and again, one request at a time: while a long write of others
    goes on, as of an import, one thread waits for it and the rest serve pages."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._writing = Lock()
        self._began = self._succeeded = -LONGEST
        self._problem: str | None = None

    def check(self) -> None:
        """Check that the workspace takes a write, or took one within SECONDS. WorkspaceError if not. While
        another request waits for its write, the one before it answers, for LONGEST."""
        now = time.monotonic()
        if now - self._succeeded < SECONDS:
            return
        if not self._writing.acquire(blocking=False):
            if now - self._began > LONGEST:
                self._problem = f"a write to the workspace {self.workspace.location} takes over {LONGEST:g} s"
            if self._problem is not None:
                raise WorkspaceError(self._problem)
            return
        try:
            self._began = now
            self._write()
            self._succeeded, self._problem = now, None
        except WorkspaceError as error:
            self._problem = str(error)
            raise
        finally:
            self._writing.release()

    def _write(self) -> None:
        attempts = schema.attempts
        with self.workspace.claim() as connection:
            connection.execute(sa.delete(attempts).filter_by(key=KEY))
            connection.execute(sa.insert(attempts).values(key=KEY, at=time.time()))
