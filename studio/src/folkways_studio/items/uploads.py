"""Tables that somebody uploads on a page: the file, and what is wrong with it in lines."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import WorkspaceError
from folkways_studio.errors import StudioError
from folkways_studio.items.table_files import RowsError, has_header
from folkways_studio.web.request_context import RequestContext

MOST_LINES = 100
"""Unusable rows that are named."""


def uploaded_table(context: RequestContext, suffixes: Collection[str]) -> tuple[str, bytes]:
    """The name and content of the table in a request (context). suffixes: the endings that can be read.
    FolkwaysError without a file, and for another ending."""
    upload = context.file("file")
    if upload is None:
        raise FolkwaysError(context.gettext("Choose a file."))
    name = Path(upload.filename or "table").name[:100]
    if Path(name).suffix.lower() not in suffixes:
        raise FolkwaysError(
            context.gettext(
                "This is no table that can be read here; valid: %(endings)s", endings=", ".join(suffixes)
            )
        )
    return name, upload.file.read()


def problem_lines(context: RequestContext, error: FolkwaysError) -> list[str]:
    """What was wrong, a line for each of the first rows that cannot be used, in the language of the page
    (context). A database that fails is nothing that was sent: that error is raised again."""
    if isinstance(error, WorkspaceError):
        raise error
    if isinstance(error, RowsError):
        lines = [
            context.gettext("Row %(row)s: %(problem)s", row=row, problem=problem)
            for row, problem in [*error.problems_in(context.gettext).items()][:MOST_LINES]
        ]
        below = [context.gettext("Row 1 is the first one below the header.")]
        return [*lines, *(below if error.file is not None and has_header(error.file) else [])]
    words = error.words(context.gettext) if isinstance(error, StudioError) else str(error)
    return words.splitlines()
