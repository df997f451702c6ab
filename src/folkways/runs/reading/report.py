"""Writes one report of several runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from folkways.files import check_several
from folkways.runs.models import cost_function
from folkways.runs.options import names_of
from folkways.runs.reading.collect import collect
from folkways.workspace import run_records
from folkways.workspace.database import WORKSPACE, Workspace, opened


class ReportKeywords(TypedDict, total=False):
    """What a report shows, and in which files; see ``report_runs``."""

    formats: Sequence[str] | str
    profile: str | None
    title: str | None
    prices: Path | str | None
    items: bool


def report_runs(
    names: Sequence[str],
    out: str | Path,
    *,
    workspace: str | Path | Workspace = WORKSPACE,
    formats: Sequence[str] | str | None = None,
    profile: str | None = None,
    title: str | None = None,
    prices: Path | str | None = None,
    items: bool = False,
) -> list[Path]:
    """Write one report of several runs of a workspace into the folder ``out``; returns the files.

    formats: html, md, csv, parquet, latex; all but latex if left out. items: with those of data whose licence
    does not let them be passed on; such a report is for your own eyes.
    """
    from folkways.reports.formats.write import (
        USUAL_FORMATS,
        check_formats,
        write_report,
    )  # brings a template engine

    wanted = names_of(formats) if isinstance(formats, str) else tuple(formats or USUAL_FORMATS)
    check_formats(wanted)
    check_several(Path(out))
    database = opened(workspace)
    records = [run_records.find_asked_run(database, name) for name in names]
    # Not kept in a variable: what only the tables need is let go before anything is drawn.
    return write_report(
        collect(
            database, records, title=title, profile=profile, cost_of=cost_function(prices), show_items=items
        ),
        Path(out),
        wanted,
    )
