"""What a run expects, with what was asked, said and judged, by columns: from the database, or from the files
of an archived run.

What was judged since a run was archived is in the database, and stands in place of the archive's judgements
of the same items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl
import sqlalchemy as sa

from folkways.workspace import schema
from folkways.workspace.archives.files import (
    ASKED,
    FAILURE,
    JUDGED,
    JUDGEMENTS,
    PROMPT,
    REPLY,
    RESPONSES,
    Archive,
    PartFile,
    open_archive,
    pages,
)
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord

CHUNK = 1000
"""Rows that are turned into a frame at a time; Python objects of one chunk are all that is alive beside the
frames."""

PAGE = 4000
"""Responses that are in memory at a time where they are judged page by page."""

_TYPES = {**JUDGED, **ASKED}
_COLUMNS: Mapping[str, sa.Column[Any]] = {
    **{
        name: table.c[name]
        for table in (schema.judgements, schema.expected)
        for name in _TYPES
        if name in table.c
    },
    "endpoint": schema.endpoints.c.name,
    "settings": schema.settings.c.json,
    **{name: schema.prompts.c[name] for name in PROMPT},
    **{name: schema.responses.c[name] for name in REPLY},
    **{name: schema.failures.c[column] for name, column in FAILURE.items()},
}
"""Where the database has the columns of JUDGED and ASKED."""

_expected, _judgements, _failures = schema.expected, schema.judgements, schema.failures
_BESIDE = (
    (schema.endpoints, schema.endpoints.c.id == _expected.c.endpoint_id),
    (schema.settings, schema.settings.c.id == _expected.c.settings_id),
    (schema.prompts, schema.prompts.c.prompt_hash == _expected.c.prompt_hash),
    (schema.responses, schema.responses.c.key == _expected.c.key),
    (_failures, sa.and_(_failures.c.run_id == _expected.c.run_id, _failures.c.key == _expected.c.key)),
)
_SAME = sa.and_(_expected.c.run_id == _judgements.c.run_id, _expected.c.ordinal == _judgements.c.ordinal)
JUDGED_OF_EXPECTED = _judgements.join(_expected, _SAME)


def beside(start: sa.FromClause, tables: Iterable[sa.FromClause]) -> sa.FromClause:
    """``start``, of which schema.expected is part, with the rows of these tables that belong to what is
    expected."""
    wanted = set(tables)
    for table, belongs in _BESIDE:
        if table in wanted:
            start = start.outerjoin(table, belongs)
    return start


def known(workspace: Workspace, run: RunRecord, what: str) -> list[dict[str, Any]]:
    """What was counted when the run was archived, and cannot change: its parts, usage or failures."""
    return list(open_archive(workspace, run).known[what])


def different_rows(
    workspace: Workspace, run: RunRecord, columns: Sequence[str], **where: object
) -> pl.DataFrame:
    """Every different row of these columns of ASKED. where: columns of schema.expected and the value that
    they have."""
    if run.archive is not None:
        return archived_rows(workspace, run, **where).select(columns).unique().collect()
    with workspace.read() as connection:
        return frame_of(connection.execute(_query(run, columns, where).distinct()).all(), columns)


def archived_rows(workspace: Workspace, run: RunRecord, **where: object) -> pl.LazyFrame:
    """All of ASKED of an archived run."""
    return open_archive(workspace, run).scan(RESPONSES).filter(**where)


def asked_pages(
    workspace: Workspace, run: RunRecord, columns: Sequence[str], **where: object
) -> Iterator[pl.DataFrame]:
    """Rows of ASKED in the order of ordinals, one of ``columns``; at most PAGE at a time, or one file of an
    archive.

    Each page is read by itself, so that nothing is held open while it is judged and what was made of it is
    stored.
    """
    if run.archive is not None:
        archive = open_archive(workspace, run)
        for file in archive.of(RESPONSES):
            yield from pages(archive.scan_file(file).filter(**where).select(columns).collect(), PAGE)
        return
    query, ordinal, last = (
        _query(run, columns, where).order_by(_expected.c.ordinal).limit(PAGE),
        _expected.c.ordinal,
        -1,
    )
    while True:
        with workspace.read() as connection:
            page = frame_of(connection.execute(query.where(ordinal > last)).all(), columns)
        if not page.height:
            return
        yield page
        last = page["ordinal"][-1]


def judged_pages(
    workspace: Workspace, run: RunRecord, profile: str, columns: Sequence[str], **where: object
) -> Iterator[pl.DataFrame]:
    """Judgements of a profile with what they are of, in the order of ordinals, CHUNK rows at a time.

    columns: of JUDGED and ASKED. where: columns of schema.expected and the value that they have.
    """
    if run.archive is None:
        query = _query(run, columns, where, JUDGED_OF_EXPECTED).order_by(_judgements.c.ordinal)
        mine = (_judgements.c.run_id == run.id, _judgements.c.profile == profile)
        yield from (frame_of(rows, columns) for rows in chunks(workspace, query.where(*mine)))
        return
    archive = open_archive(workspace, run)
    of_asked = [name for name in columns if name in ASKED]
    for file in archive.of(RESPONSES):
        told = (
            archive.scan_file(file)
            .filter(**where)
            .select(list(dict.fromkeys(["ordinal", *of_asked])))
            .collect()
        )
        if told.height:
            both = told.join(
                _judged(workspace, archive, run, profile, file),
                on="ordinal",
                how="inner",
                maintain_order="left",
            )
            yield from pages(both.select(columns), CHUNK)


def _judged(
    workspace: Workspace, archive: Archive, run: RunRecord, profile: str, of: PartFile
) -> pl.DataFrame:
    """The judgements of what is in one file of ``responses``."""
    first, last = of.first or 0, of.last or 0
    query = sa.select(*(_judgements.c[name] for name in JUDGED))
    mine = (
        _judgements.c.run_id == run.id,
        _judgements.c.profile == profile,
        _judgements.c.ordinal.between(first, last),
    )
    with workspace.read() as connection:
        later = frame_of(connection.execute(query.where(*mine)).all(), JUDGED)
    within = pl.col("ordinal").is_between(first, last)
    stored = [
        archive.scan_file(file).filter(within).collect()
        for file in archive.of(JUDGEMENTS, profile, first, last)
    ]
    earlier = pl.concat([pl.DataFrame(schema=JUDGED), *stored])
    return pl.concat([earlier.join(later, on="ordinal", how="anti"), later])


def _query(
    run: RunRecord,
    columns: Sequence[str],
    where: Mapping[str, object],
    start: sa.FromClause = schema.expected,
) -> sa.Select[Any]:
    told = [_COLUMNS[name].label(name) for name in columns]
    rows = beside(start, (_COLUMNS[name].table for name in columns))
    same = (_expected.c[name] == value for name, value in where.items())
    return sa.select(*told).select_from(rows).where(_expected.c.run_id == run.id, *same)


def frame_of(rows: Iterable[Any], columns: Iterable[str]) -> pl.DataFrame:
    """Rows of the database as a frame. columns: theirs, of JUDGED and ASKED."""
    by_column = [*zip(*rows, strict=True)]  # taken in column by column, which is several times faster
    kinds = {name: _TYPES[name] for name in columns}
    return pl.DataFrame(dict(zip(kinds, by_column, strict=True)) if by_column else None, schema=kinds)


def chunks(workspace: Workspace, query: sa.Select[Any]) -> Iterator[Sequence[Any]]:
    """The rows of a query, CHUNK at a time, as they were when the first was read."""
    with workspace.read(alone=True) as connection:
        yield from connection.execution_options(yield_per=CHUNK).execute(query).partitions(CHUNK)
