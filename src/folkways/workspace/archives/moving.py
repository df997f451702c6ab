"""Moves a run out of the database into Parquet files, and back.

Archiving writes the rows page by page and reads them back; then they leave the database in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl
import sqlalchemy as sa

from folkways import __version__
from folkways.errors import FolkwaysError
from folkways.records import of_rows
from folkways.workspace import results, run_records, schema
from folkways.workspace.archives.files import (
    JUDGEMENTS,
    MANIFEST,
    RESPONSES,
    SCORES,
    ArchiveError,
    PartFile,
    as_stored,
    open_archive,
    read_archive,
    usual_places,
    write_manifest,
    write_part,
)
from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import PROBLEMS
from folkways.workspace.queue.batches import out_of_run
from folkways.workspace.queue.judging_turn import turn_to_judge
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.run_records import RunRecord
from folkways.workspace.run_rows import (
    ASKED,
    FAILURE,
    JUDGED,
    JUDGED_OF_EXPECTED,
    PROMPT,
    REPLY,
    asked_pages,
    chunks,
    frame_of,
    joined_with,
    types,
)

ROWS_PER_FILE, BYTES_PER_FILE = 100_000, 64_000_000
"""A file is full with so many rows, or with so many bytes of them in memory, whichever is first."""

ROWS_RESTORED = 5000
"""Rows that are Python objects at a time while a run is restored."""

Totals = dict[str, dict[str, Any]]
"""What was counted of a run: of its expected items, and of its judgements in each profile."""


class ChangedError(FolkwaysError):
    """A run is not any more what was written to its files."""


@dataclass(frozen=True, slots=True)
class ArchivingResult:
    """What archiving did. size: bytes of all files. shared: replies that stay in the workspace, as other runs
    use them too."""

    folder: Path
    rows: int
    judgements: int
    files: int
    size: int
    shared: int


def archive_run(
    workspace: Workspace,
    run: RunRecord,
    folder: Path | None = None,
    tell: Callable[[int], object] = lambda _rows: None,
) -> ArchivingResult:
    """Move what a run expects, its replies and its judgements into files of ``folder``; its name, state and
    scores stay in the workspace. A finished archive with anything else is never written over.

    folder: None for the first of the usual places that is free.
    tell: is called now and then with the number of expected items that have been written. An interrupted call
    can be repeated: until the last step the run is in the workspace as before, and finished files stay.
    Raises FolkwaysError for a run that is asking or archived, ArchiveError where ``folder`` holds another
    archive.
    """
    _check_over(workspace, run)
    with turn_to_judge(workspace, run.id):  # so that nobody judges or archives it meanwhile
        run = run_records.find_run(workspace, str(run.id))  # as it is now, maybe after a wait
        if run.archive is not None:
            raise FolkwaysError(
                f"run {run.name} is archived in {run.archive} already; put it back with: "
                f"{workspace.command('runs', 'restore', run.name)}"
            )
        for target in usual_places(workspace, run) if folder is None else [folder]:
            finished = (target / MANIFEST).exists()
            try:
                if finished:
                    read_archive(target, run, workspace)  # of another run?
                files, totals = _write(workspace, run, target, tell)
                known: dict[str, Any] = {
                    "folkways": __version__,
                    "totals": totals,
                    "parts": [asdict(part) for part in results.parts(workspace, run)],
                    "usage": [asdict(use) for use in results.usage(workspace, run)],
                }
                write_manifest(target, run, files, known)
                break
            except ArchiveError:
                if folder is not None:
                    raise
        try:
            gone = _take_out(workspace, run, target, totals)
        except ChangedError:
            if not finished:  # what was written is out of date, and may be written over
                (target / MANIFEST).unlink()
            raise
        shared = sum(use["responses"] for use in known["usage"]) - gone
    rows = {
        table: sum(file.rows for file in files if file.table == table) for table in (RESPONSES, JUDGEMENTS)
    }
    return ArchivingResult(
        target, rows[RESPONSES], rows[JUDGEMENTS], len(files), sum(file.size for file in files), shared
    )


def restore_run(
    workspace: Workspace, run: RunRecord, tell: Callable[[int], object] = lambda _rows: None
) -> int:
    """Write a run's archived rows into the database again, in one transaction; returns how many items it
    expects.

    Replies and judgements that are there stay as they are: they are the same, or newer.
    tell: is told now and then how many items are back. FolkwaysError for a run that is not archived;
        ArchiveError where files are missing or damaged, and nothing is changed.
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
        for page in archive.pages(RESPONSES, ROWS_RESTORED):
            for table, rows in _rows(run, page).items():
                workspace.insert_new(connection, schema.metadata.tables[table], rows.to_dicts())
            back += page.height
            tell(back)
        for page in archive.pages(JUDGEMENTS, ROWS_RESTORED):
            rows = page.select(pl.lit(run.id).alias("run_id"), *JUDGED)
            workspace.insert_new(connection, schema.judgements, rows.to_dicts())
        expected = schema.expected
        restored = connection.scalar(
            sa.select(sa.func.count()).select_from(expected).where(expected.c.run_id == run.id)
        )
        unchanged = sa.and_(schema.runs.c.id == run.id, schema.runs.c.archive == run.archive)
        changed = connection.execute(sa.update(schema.runs).where(unchanged).values(archive=None)).rowcount
        if restored != archive.known["totals"]["expected"]["rows"] or changed != 1:
            raise ArchiveError(
                f"run {run.name} was changed by another process meanwhile, or its archive is not whole; "
                "nothing was changed"
            )
    return back


def moved(workspace: Workspace, run: RunRecord, folder: Path) -> None:
    """Remember that an archived run is in this folder now; ArchiveError where not all of it is there as it
    was written."""
    archive = read_archive(folder, run, workspace)
    for file in archive.files:
        archive.checked(file)
    with workspace.write() as connection:
        connection.execute(_named(run).values(archive=as_stored(workspace, folder)))


def shrink(workspace: Workspace) -> bool:
    """Give the room of deleted rows back to the disk; False where somebody else is in the workspace, and
    later runs will use it."""
    if workspace.engine.dialect.name != "sqlite":
        return False  # the server's own vacuum sees to it, and the room is used again
    try:
        with closing(workspace.engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute("PRAGMA busy_timeout = 2000")
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except PROBLEMS:
        return False
    return True


def _check_over(workspace: Workspace, run: RunRecord) -> None:
    queue = RequestQueue(workspace, run.id)
    queue.free_dead_claims()
    with workspace.read() as connection:
        working = connection.scalar(sa.select(sa.func.count()).select_from(schema.workers))
    if run.state in ("planning", "running") and working:
        raise FolkwaysError(
            f"run {run.name} is {run.state}: wait until it has ended, or end it with Ctrl-C, then archive it"
        )
    if out_of_run(workspace, run.id)[0]:
        raise FolkwaysError(
            f"run {run.name} has requests out in batches; collect them first: give the command that began "
            "it again"
        )


def _write(
    workspace: Workspace, run: RunRecord, folder: Path, tell: Callable[[int], object]
) -> tuple[list[PartFile], Totals]:
    """All files of a run, and what is in them by their own count."""
    files: list[PartFile] = []
    with workspace.read() as connection:
        profiles = sorted(
            connection.scalars(sa.select(schema.judgements.c.profile).filter_by(run_id=run.id).distinct())
        )
    totals: Totals = {
        "expected": _none(),
        "judgements": {profile: {"rows": 0, "characters": 0} for profile in profiles},
    }
    judged_files = 0
    for number, frame in enumerate(_full(asked_pages(workspace, run, tuple(ASKED))), 1):
        files.append(write_part(folder, f"{RESPONSES}/part-{number:05}.parquet", frame))
        ends = int(frame["ordinal"][0]), int(frame["ordinal"][-1])
        counted = frame.select(
            rows=pl.len(),
            replies=pl.col("text").count(),
            failures=pl.col("message").count(),
            characters=pl.col("text").str.len_chars().sum() + pl.col("user").str.len_chars().sum(),
        )
        _add(totals["expected"], counted)
        for profile in profiles:
            judged = _judged(workspace, run, profile, ends)
            if judged.height:
                judged_files += 1
                files.append(
                    write_part(folder, f"{JUDGEMENTS}/part-{judged_files:05}.parquet", judged, profile)
                )
                length = pl.col("details").str.len_chars().sum()
                _add(totals["judgements"][profile], judged.select(rows=pl.len(), characters=length))
        tell(totals["expected"]["rows"])
    scores = _frame(
        workspace,
        sa.select(schema.scores).where(schema.scores.c.run_id == run.id).order_by(schema.scores.c.id),
    )
    files.append(write_part(folder, f"{SCORES}/part-00001.parquet", scores))
    return files, totals


def _none() -> dict[str, int]:
    return dict.fromkeys(("rows", "replies", "failures", "characters"), 0)


def _add(totals: dict[str, int], counted: pl.DataFrame) -> None:
    for name, number in counted.row(0, named=True).items():
        totals[name] += int(number or 0)


def _full(pages: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Pages put together, until a file is full; at least one, be it empty, so that the columns are on the
    disk."""
    held: list[pl.DataFrame] = [pl.DataFrame(schema=ASKED)]
    rows = size = 0
    for page in pages:
        held.append(page)
        rows, size = rows + page.height, size + int(page.estimated_size())
        if rows >= ROWS_PER_FILE or size >= BYTES_PER_FILE:
            yield pl.concat(held)
            held, rows, size = [], 0, 0
    if rows:
        yield pl.concat(held)


def _judged(workspace: Workspace, run: RunRecord, profile: str, ends: tuple[int, int]) -> pl.DataFrame:
    """The judgements of what a run expects between two ordinals."""
    judgements = schema.judgements
    query = sa.select(*(judgements.c[name] for name in JUDGED)).select_from(JUDGED_OF_EXPECTED)
    mine = (
        judgements.c.run_id == run.id,
        judgements.c.profile == profile,
        judgements.c.ordinal.between(*ends),
    )
    parts = chunks(workspace, query.where(*mine).order_by(judgements.c.ordinal))
    return pl.concat([pl.DataFrame(schema=JUDGED), *(frame_of(rows, JUDGED) for rows in parts)])


def _frame(workspace: Workspace, query: sa.Select[Any]) -> pl.DataFrame:
    with workspace.read() as connection:
        rows = [tuple(row) for row in connection.execute(query)]
    return of_rows(rows, types(schema.scores))


def _count(connection: sa.Connection, run: RunRecord) -> Totals:
    """The same by the database's count."""
    expected, replies, failures, judgements = (
        schema.expected,
        schema.responses,
        schema.failures,
        schema.judgements,
    )
    length, whole = sa.func.length, sa.func.coalesce
    asked = (
        sa.select(
            sa.func.count(),
            sa.func.count(replies.c.key),
            sa.func.count(failures.c.key),
            whole(sa.func.sum(length(replies.c.text)), 0)
            + whole(sa.func.sum(length(schema.prompts.c.user)), 0),
        )
        .select_from(joined_with(expected, (replies, failures, schema.prompts)))
        .where(expected.c.run_id == run.id)
    )
    judged = (
        sa.select(judgements.c.profile, sa.func.count(), sa.func.sum(length(judgements.c.details)))
        .select_from(JUDGED_OF_EXPECTED)
        .where(judgements.c.run_id == run.id)
        .group_by(judgements.c.profile)
    )
    counted = dict(zip(_none(), map(int, connection.execute(asked).one()), strict=True))
    profiles = {
        profile: {"rows": rows, "characters": int(size)} for profile, rows, size in connection.execute(judged)
    }
    return {"expected": counted, "judgements": profiles}


def _take_out(workspace: Workspace, run: RunRecord, folder: Path, totals: Totals) -> int:
    """Delete a run's rows, and the replies and prompts that nobody else uses; returns how many replies
    went."""
    expected, responses, prompts, judgements = (
        schema.expected,
        schema.responses,
        schema.prompts,
        schema.judgements,
    )
    keys = sa.select(expected.c.key).where(expected.c.run_id == run.id)
    of_others = sa.select(expected.c.key).where(expected.c.run_id != run.id)
    unused = sa.select(prompts.c.prompt_hash).except_(
        sa.select(expected.c.prompt_hash), sa.select(responses.c.prompt_hash)
    )
    with workspace.write() as connection:
        now = connection.execute(sa.select(schema.runs).where(schema.runs.c.id == run.id)).one_or_none()
        compared = ("state", "finished", "seconds")
        same = (
            now is not None
            and now.archive is None
            and all(getattr(now, name) == getattr(run, name) for name in compared)
        )
        if not same or _count(connection, run) != totals:
            raise ChangedError(
                f"run {run.name} was asked, judged or archived by another process meanwhile; nothing was "
                "taken out\n"
                "Archive it again once that has ended; what is written already is kept"
            )
        gone = connection.execute(
            sa.delete(responses).where(responses.c.key.in_(keys.except_(of_others)))
        ).rowcount
        for of_run in (judgements, schema.failures, expected):
            connection.execute(sa.delete(of_run).where(of_run.c.run_id == run.id))
        if connection.scalar(unused.limit(1)) is not None:
            # Each prompt that goes is looked for among rows that may refer to it: by an index, or all of them
            # are read each time.
            for table in ("expected", "responses"):
                connection.exec_driver_sql(f"CREATE INDEX passing_{table} ON {table} (prompt_hash)")
            connection.execute(sa.delete(prompts).where(prompts.c.prompt_hash.in_(unused)))
            for table in ("expected", "responses"):
                connection.exec_driver_sql(f"DROP INDEX passing_{table}")
        connection.execute(_named(run).values(archive=as_stored(workspace, folder)))
    return int(gone)


def _named(run: RunRecord) -> sa.Update:
    return sa.update(schema.runs).where(schema.runs.c.id == run.id)


def _rows(run: RunRecord, page: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The rows of a page by their tables, in an order in which none refers to one that is not there yet."""
    replied = page.filter(pl.col("text").is_not_null()).unique("key", keep="first", maintain_order=True)
    failed = page.filter(pl.col("message").is_not_null()).unique("key", keep="first", maintain_order=True)
    whose = pl.lit(run.id).alias("run_id")
    expected = [column.name for column in schema.expected.columns if column.name != "run_id"]
    return {
        "prompts": page.select("prompt_hash", *PROMPT).unique(
            "prompt_hash", keep="first", maintain_order=True
        ),
        "responses": replied.select("key", "endpoint_id", "prompt_hash", "settings_id", "sample", *REPLY),
        "expected": page.select(whose, *expected),
        "failures": failed.select(whose, "key", **{column: pl.col(name) for name, column in FAILURE.items()}),
    }
