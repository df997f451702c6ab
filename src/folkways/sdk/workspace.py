"""The database of a workspace, to which a package may add tables of its own (``open_workspace(...,
added=...)``)."""

from __future__ import annotations

from folkways.workspace import schema
from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.database_errors import PROBLEMS, WorkspaceError, explained
from folkways.workspace.insertions import insert
from folkways.workspace.schema import CONSTRAINT_NAMES
from folkways.workspace.table_sets import Json, TableSet, id_column, reference

__all__ = [
    "CONSTRAINT_NAMES",
    "PROBLEMS",
    "Json",
    "TableSet",
    "Workspace",
    "WorkspaceError",
    "explained",
    "id_column",
    "insert",
    "open_workspace",
    "reference",
    "schema",
]
