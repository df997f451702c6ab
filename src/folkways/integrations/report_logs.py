"""Reports of what other programs wrote, alone or with runs: records of Every Eval Ever, runs of HELM,
and all other logs that can be compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import polars as pl

from folkways.errors import FolkwaysError, option
from folkways.evidence.verdict import Verdict
from folkways.integrations.leaderboard import contributions_of, notes_on
from folkways.names import WHOLE
from folkways.records import SCORES, Frame, empty
from folkways.reports.data import ReportData
from folkways.reports.views.board import Board
from folkways.reports.views.verdicts import verdict_of
from folkways.runs.results.report import ReportKeywords, write_data
from folkways.workspace.database import WORKSPACE, Workspace

if TYPE_CHECKING:
    from folkways.reports.views.leaderboard import Leaderboard

OF_RUNS = ("prices", "items")
"""What a report of runs shows and one of logs does not have: they say nothing of cost, and keep no item."""


def read_scores(
    *names: str | Path, workspace: str | Path | Workspace = WORKSPACE, profile: str | None = None
) -> pl.DataFrame:
    """The headline scores of records and logs of other programs, and of runs: ``source`` and records.SCORES.

    Where the record of other people states no interval of 95 %, it is that of its single judgements,
    clustered by question; where these did not come, low and high are null, and ``interval`` says why.

    names: records of Every Eval Ever, logs as for ``compare_logs``, folders of these or of an archived run;
        and names of runs.
    workspace: where the runs are.
    profile: of the tasks of runs; None for the first that each was scored in.

    Raises DataError for a file that cannot be read so, and FolkwaysError for a run that is not there.
    """
    made = contributions_of([str(name) for name in names], workspace, profile)
    frames = [one.scores.select(pl.lit(one.source).alias("source"), *SCORES) for one in made]
    return Frame(pl.concat([empty({"source": pl.String, **SCORES}), *frames]))


def report_logs(
    *names: str | Path,
    out: str | Path = "report",
    workspace: str | Path | Workspace = WORKSPACE,
    tell: Callable[[Leaderboard], object] | None = None,
    **how: Unpack[ReportKeywords],
) -> list[Path]:
    """Write one report of records and logs of other programs into the folder ``out``; returns the files.

    Of each task it shows the scores that can be compared; its warnings name what is kept apart and why, and
    each score without an interval.

    names, workspace: as for ``read_scores``, with the same errors.
    tell: called with the scores as the report orders them, before the page is drawn.
    how: formats, profile, title and dispute, as for ``report_runs``. FolkwaysError for prices and items,
        which logs do not have.
    """
    for name in OF_RUNS:
        if how.get(name):
            raise FolkwaysError(f"{option(name)} does not apply to records and logs; leave it out")
    texts, shown = [str(name) for name in names], (how.get("title"), how.get("profile"))
    formats, dispute = how.get("formats"), how.get("dispute")
    return write_data(lambda: _data(_board(texts, workspace, *shown)), out, formats, dispute, tell)


def verdict_on_logs(
    names: Sequence[str], workspace: str | Path | Workspace = WORKSPACE, profile: str | None = None
) -> Verdict:
    """The verdict on records and logs of other programs. names, workspace, profile: as for ``read_scores``,
    with the same errors."""
    return verdict_of(_board(names, workspace, None, profile).leaderboard)


def _board(
    names: Sequence[str], workspace: str | Path | Workspace, title: str | None, profile: str | None
) -> Board:
    return Board(contributions_of(names, workspace, profile), title or "")


def _data(board: Board) -> ReportData:
    data = board.view.data
    whole = data.scores.filter(pl.col("low").is_null() & (pl.col("facet") == WHOLE))
    without = [
        f"{row['endpoint']} on {data.task_titles[row['task']]} has no interval ({row['interval']}): nobody "
        "can tell how sure this score is."
        for row in whole.iter_rows(named=True)
    ]
    title = board.title or ", ".join(data.task_titles.values())
    return replace(data, title=title, warnings=(*without, *(f"{note}." for note in notes_on(board))))
