"""The runs of a workspace, with what each asked and has."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from folkways.records import Frame
from folkways.workspace import results, run_records
from folkways.workspace.archives.files import ArchiveError, open_archive
from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.queue.batches import out_of_run


def list_runs(workspace: Workspace) -> list[dict[str, Any]]:
    """One row per run, oldest first.

    run, state, reason, began (ISO 8601), seconds (of asking), tasks, models, expected (replies), out (in
    batches), responses, archive (its folder, None where it is here), archive_problem (what is wrong with it:
    nothing is known then of what it asked).
    """
    rows = []
    for run in run_records.list_runs(workspace):
        out, _ = out_of_run(workspace, run.id)
        shares, used, lost = _counts(workspace, run)
        rows.append(
            {
                "run": run.name,
                "state": run.state,
                "reason": run.reason,
                "began": datetime.fromtimestamp(run.created).astimezone().isoformat(timespec="seconds"),
                "seconds": round(run.seconds, 1),
                "tasks": list(dict.fromkeys(share.task for share in shares)),
                "models": list(dict.fromkeys(share.endpoint for share in shares)),
                "expected": sum(share.expected for share in shares),
                "out": out,
                "responses": sum(use.responses for use in used),
                "archive": run.archive,
                "archive_problem": lost,
            }
        )
    return rows


def runs(workspace: str | Path | Workspace = "folkways.db") -> pl.DataFrame:
    """The runs of a workspace, oldest first, as ``folkways runs --json`` has them: one row each."""
    database = workspace if isinstance(workspace, Workspace) else open_workspace(workspace, create=False)
    rows = list_runs(database)
    texts: dict[str, Any] = dict.fromkeys(
        ("run", "state", "reason", "began", "archive", "archive_problem"), pl.String
    )
    lists = dict.fromkeys(("tasks", "models"), pl.List(pl.String))
    counts = dict.fromkeys(("expected", "out", "responses"), pl.Int64)
    columns = (
        "run",
        "state",
        "reason",
        "began",
        "seconds",
        "tasks",
        "models",
        "expected",
        "out",
        "responses",
        "archive",
    )
    schema = {**texts, **lists, **counts, "seconds": pl.Float64}
    return Frame(pl.DataFrame(rows, schema={name: schema[name] for name in (*columns, "archive_problem")}))


def _counts(
    workspace: Workspace, run: run_records.RunRecord
) -> tuple[list[results.Part], list[results.Usage], str | None]:
    """The parts of a run, what they used, and what is wrong with the archive that has these numbers."""
    if run.archive is None:
        return results.parts(workspace, run), results.usage(workspace, run), None
    try:
        counted = open_archive(workspace, run).known
    except ArchiveError as error:
        return [], [], str(error)
    parts = [results.Part(**part) for part in counted["parts"]]
    return parts, [results.Usage(**use) for use in counted["usage"]], None
