"""What a run expects, with what was asked, replied and judged, as frames by columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl
import sqlalchemy as sa

from folkways.workspace import schema
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord

_TYPES_OF_COLUMNS = {
    sa.Integer: pl.Int64(),
    sa.BigInteger: pl.Int64(),
    sa.Float: pl.Float64(),
    sa.Boolean: pl.Boolean(),
}


def types(*tables: sa.Table, only: tuple[str, ...] = ()) -> dict[str, pl.DataType]:
    """Column name -> type in a frame, of these tables; of the columns in ``only`` where there are any."""
    return {
        column.name: _TYPES_OF_COLUMNS.get(type(column.type), pl.String())
        for table in tables
        for column in table.columns
        if not only or column.name in only
    }


JUDGED = {name: kind for name, kind in types(schema.judgements).items() if name != "run_id"}
"""Columns of a judgement."""

PROMPT = ("system", "user", "choices")
REPLY = tuple(
    name
    for name in types(schema.responses)
    if name not in ("key", "endpoint_id", "prompt_hash", "settings_id", "sample")
)
FAILURE = {"message": "message", "failed_attempts": "attempts", "failed": "created"}
"""Columns of ASKED that say why there is no reply -> those of schema.failures."""

ASKED: dict[str, pl.DataType] = {
    **{name: kind for name, kind in types(schema.expected).items() if name != "run_id"},
    "endpoint": pl.String(),
    "settings": pl.String(),
    **types(schema.prompts, only=PROMPT),
    **types(schema.responses, only=REPLY),
    **{name: types(schema.failures)[column] for name, column in FAILURE.items()},
}
"""Columns of an expected reply: those of schema.expected, prompts, responses and failures, with the name of
the endpoint and the JSON of the settings."""

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


def joined_with(start: sa.FromClause, tables: Iterable[sa.FromClause]) -> sa.FromClause:
    """``start``, which includes schema.expected, joined with the rows of these tables that belong to it."""
    wanted = set(tables)
    for table, belongs in _BESIDE:
        if table in wanted:
            start = start.outerjoin(table, belongs)
    return start


def different_rows(
    workspace: Workspace, run: RunRecord, columns: Sequence[str], **where: object
) -> pl.DataFrame:
    """Every different row of these columns of ASKED. where: columns of schema.expected and the value that
    they have."""
    with workspace.read() as connection:
        return frame_of(connection.execute(_query(run, columns, where).distinct()).all(), columns)


def asked_pages(
    workspace: Workspace, run: RunRecord, columns: Sequence[str], **where: object
) -> Iterator[pl.DataFrame]:
    """Rows of ASKED in the order of ordinals, at most PAGE at a time.

    columns: of ASKED, ``ordinal`` among them. where: columns of schema.expected and the value that they have.
    Each page is a query of its own, so that no transaction is open while the page is judged and stored.
    """
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
    """Judgements of ``run`` in a profile, from ``workspace``, with their items, in the order of ordinals,
    CHUNK rows at a time.

    columns: of JUDGED and ASKED. where: columns of schema.expected and the value that they have.
    """
    query = _query(run, columns, where, JUDGED_OF_EXPECTED).order_by(_judgements.c.ordinal)
    of_profile = query.where(_judgements.c.run_id == run.id, _judgements.c.profile == profile)
    return (frame_of(rows, columns) for rows in chunks(workspace, of_profile))


def judged_counts(
    workspace: Workspace, run: RunRecord, profile: str, columns: Sequence[str], **where: object
) -> pl.DataFrame:
    """Every different row of these columns of JUDGED and ASKED among the judgements of ``run`` in a profile,
    and how many have it: ``rows``.

    workspace, where: as for ``judged_pages``. columns: without those that may differ in each row.
    """
    query = _query(run, columns, where, JUDGED_OF_EXPECTED)
    of_profile = query.where(_judgements.c.run_id == run.id, _judgements.c.profile == profile)
    grouped = of_profile.add_columns(sa.func.count()).group_by(*(_COLUMNS[name] for name in columns))
    with workspace.read() as connection:
        rows = connection.execute(grouped).all()
    counts = pl.Series("rows", [row[-1] for row in rows], dtype=pl.Int64)
    return frame_of([row[:-1] for row in rows], columns).with_columns(counts)


def _query(
    run: RunRecord,
    columns: Sequence[str],
    where: Mapping[str, object],
    start: sa.FromClause = schema.expected,
) -> sa.Select[Any]:
    selected = [_COLUMNS[name].label(name) for name in columns]
    rows = joined_with(start, (_COLUMNS[name].table for name in columns))
    same = (_expected.c[name] == value for name, value in where.items())
    return sa.select(*selected).select_from(rows).where(_expected.c.run_id == run.id, *same)


def frame_of(rows: Iterable[Any], columns: Iterable[str]) -> pl.DataFrame:
    """Rows of the database as a frame. columns: theirs, of JUDGED and ASKED."""
    by_column = [*zip(*rows, strict=True)]  # taken in column by column, which is several times faster
    kinds = {name: _TYPES[name] for name in columns}
    return pl.DataFrame(dict(zip(kinds, by_column, strict=True)) if by_column else None, schema=kinds)


def chunks(workspace: Workspace, query: sa.Select[Any]) -> Iterator[Sequence[Any]]:
    """The rows of a query, CHUNK at a time, as they were when the first was read."""
    with workspace.read(alone=True) as connection:
        yield from connection.execution_options(yield_per=CHUNK).execute(query).partitions(CHUNK)
