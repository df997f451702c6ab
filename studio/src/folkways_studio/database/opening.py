"""Opens a workspace with the studio's tables; a workspace without them gets them."""

from __future__ import annotations

from pathlib import Path

from folkways.sdk.workspace import TableSet, Workspace
from folkways.sdk.workspace import open_workspace as open_any_workspace
from folkways_studio.database.guards import guards, without_guards
from folkways_studio.database.schema import metadata

TABLES = TableSet(
    owner="folkways-studio",
    metadata=metadata,
    revisions=("0001", "0002"),
    migrations="folkways_studio.database:migrations",
    version_table="studio_alembic_version",
    triggers=guards,
    without_triggers=without_guards,
    made_by="folkways studio create-study TEMPLATE --owner LOGIN",
)
"""All tables of the studio. A test compares the revisions with the migration scripts."""


def open_workspace(location: str | Path = "folkways.db", *, create: bool = True) -> Workspace:
    """Open a workspace like ``folkways.sdk.workspace.open_workspace``, and create or migrate the studio's
    tables.

    create: False raises a WorkspaceError instead of making a new file. Raises WorkspaceError with the remedy
    if the workspace cannot be opened, or is read-only and lacks the tables.
    """
    return open_any_workspace(location, create=create, added=(TABLES,))
