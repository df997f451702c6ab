"""Bytes per row of each table with its indexes, and rows per second of reading, archiving and putting
back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import sqlalchemy as sa

from folkways.workspace import results, run_records
from folkways.workspace.archives.moving import archive_run, restore_run
from folkways.workspace.database import Workspace
from perf.scale.crews import PendingRun, cpu_of

TABLES = ("prompts", "expected", "responses", "judgements")
PROFILE = "paper"


@dataclass(frozen=True)
class Pace:
    """Microseconds of the processor per row, server included, and rows per second by the clock."""

    cpu: float
    rate: float


def judge(made: PendingRun) -> None:
    """Give everything that the run expects a judgement with a reason, a metric and two facets."""
    (part,) = results.parts(made.workspace, made.run)
    for page in results.response_pages(made.workspace, made.run, part):
        judged = page.select(
            "task", "item", "language", "variant", "sample", "ordinal", "state"
        ).with_columns(
            question=pl.col("item").str.slice(3),
            culture=pl.lit("KR"),
            counted=pl.lit(value=True),
            answer=page["response"].str.slice(0, 24),
            reason=pl.lit("matches “bread” (3 votes)"),
            sem_b=(pl.col("ordinal") % 2).cast(pl.Float64),
            sem_w=(pl.col("ordinal") % 5) / 5,
            topic=pl.lit("Food"),
            subtopic=pl.lit("neighbours"),
        )
        results.save_judgements(made.workspace, made.run, PROFILE, judged)


def bytes_per_row(made: PendingRun) -> dict[str, float]:
    """Of each table, indexes included, in a database that holds this run alone."""
    with made.workspace.engine.connect() as connection:
        if connection.dialect.name == "postgresql":
            query = "SELECT pg_total_relation_size('{}')"
        else:
            query = (
                "SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master WHERE "
                "tbl_name = '{}')"
            )
        return {
            table: connection.exec_driver_sql(query.format(table)).scalar_one() / made.rows
            for table in TABLES
        }


def paces(made: PendingRun, folder: Path) -> tuple[dict[str, Pace], float]:
    """What is done with a judged run -> its pace; and bytes per row of its archive."""
    workspace = made.workspace
    (part,) = results.parts(workspace, made.run)
    found: dict[str, Pace] = {}

    def timed(what: str, work: Callable[[], object]) -> None:
        cpu, wall = time.process_time() + cpu_of(workspace), time.perf_counter()
        work()
        cpu, wall = time.process_time() + cpu_of(workspace) - cpu, time.perf_counter() - wall
        found[what] = Pace(cpu / made.rows * 1e6, made.rows / wall)

    run = run_records.find_run(workspace, str(made.run.id))
    timed("replies read", lambda: sum(page.height for page in results.response_pages(workspace, run, part)))
    timed("judgements read", lambda: results.load_judgements(workspace, run, PROFILE, part, small=True))
    timed(
        "archived", lambda: archive_run(workspace, run_records.find_run(workspace, str(made.run.id)), folder)
    )
    size = sum(path.stat().st_size for path in folder.rglob("*.parquet")) / made.rows
    timed("restored", lambda: restore_run(workspace, run_records.find_run(workspace, str(made.run.id))))
    return found, size


def analysed(workspace: Workspace) -> None:
    """Let the server count its rows, as it does by itself after some minutes."""
    if workspace.engine.dialect.name == "postgresql":
        with workspace.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text("VACUUM ANALYZE"))
