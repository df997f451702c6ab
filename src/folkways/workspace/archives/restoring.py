"""Puts an archived run back into the database, all of it or nothing; its files stay."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import sqlalchemy as sa

from folkways.errors import FolkwaysError
from folkways.workspace import schema
from folkways.workspace.archives.files import (
    FAILURE,
    JUDGED,
    JUDGEMENTS,
    PROMPT,
    REPLY,
    RESPONSES,
    ArchiveError,
    open_archive,
    pages,
)
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord

ROWS = 5000
"""Rows that are Python objects at a time."""


def restore_run(
    workspace: Workspace, run: RunRecord, tell: Callable[[int], object] = lambda _rows: None
) -> int:
    """Write a run's archived rows into the database again, in one transaction; returns how many items it
    expects.

    Replies and judgements that are there stay as they are: they are the same, or newer. tell: is told now and
    then how many items are back. FolkwaysError for a run that is not archived; ArchiveError where files are
    missing or damaged, and nothing is changed.
    """
    if run.archive is None:
        raise FolkwaysError(
            f"run {run.name} is not archived: all of it is in the workspace {workspace.location}"
        )
    archive = open_archive(workspace, run)
    for file in archive.files:
        archive.checked(file)
    back = 0
    with workspace.write() as connection:
        for file in archive.of(RESPONSES):
            for page in pages(archive.scan_file(file).collect(), ROWS):
                for table, rows in _rows(run, page).items():
                    workspace.insert_new(connection, schema.metadata.tables[table], rows.to_dicts())
                back += page.height
                tell(back)
        for file in archive.of(JUDGEMENTS):
            for page in pages(archive.scan_file(file).collect(), ROWS):
                rows = page.select(pl.lit(run.id).alias("run_id"), *JUDGED)
                workspace.insert_new(connection, schema.judgements, rows.to_dicts())
        expected = schema.expected
        there = connection.scalar(
            sa.select(sa.func.count()).select_from(expected).where(expected.c.run_id == run.id)
        )
        here = sa.and_(schema.runs.c.id == run.id, schema.runs.c.archive == run.archive)
        changed = connection.execute(sa.update(schema.runs).where(here).values(archive=None)).rowcount
        if there != archive.known["totals"]["expected"]["rows"] or changed != 1:
            raise ArchiveError(
                f"run {run.name} was changed by another process meanwhile, or its archive is not whole; "
                "nothing was changed"
            )
    return back


def _rows(run: RunRecord, page: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The rows of a page by their tables, in an order in which none refers to one that is not there yet."""
    told = page.filter(pl.col("text").is_not_null()).unique("key", keep="first", maintain_order=True)
    failed = page.filter(pl.col("message").is_not_null()).unique("key", keep="first", maintain_order=True)
    whose = pl.lit(run.id).alias("run_id")
    expected = [column.name for column in schema.expected.columns if column.name != "run_id"]
    return {
        "prompts": page.select("prompt_hash", *PROMPT).unique(
            "prompt_hash", keep="first", maintain_order=True
        ),
        "responses": told.select("key", "endpoint_id", "prompt_hash", "settings_id", "sample", *REPLY),
        "expected": page.select(whose, *expected),
        "failures": failed.select(whose, "key", **{column: pl.col(name) for name, column in FAILURE.items()}),
    }
