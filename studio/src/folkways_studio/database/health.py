"""Whether a workspace takes writes, for monitoring: a full disk or a database that was made
read-only lets pages be read while every answer is lost."""

from __future__ import annotations

import time

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema

KEY = "health"
SECONDS = 10.0
"""Anybody may ask, so one write answers for so long."""


class WriteCheck:
    """Writes one row of a workspace again and again."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._succeeded = -SECONDS

    def check(self) -> None:
        """Check that the workspace takes a write, or took one within SECONDS. WorkspaceError if not."""
        began, attempts = time.monotonic(), schema.attempts
        if began - self._succeeded < SECONDS:
            return
        with self.workspace.claim() as connection:
            connection.execute(sa.delete(attempts).filter_by(key=KEY))
            connection.execute(sa.insert(attempts).values(key=KEY, at=time.time()))
        self._succeeded = began
