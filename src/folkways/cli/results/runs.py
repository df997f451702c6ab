"""``folkways runs``: the runs of a workspace."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from folkways.cli.options import workspace_option
from folkways.cli.out import print_json
from folkways.cli.terminal import terminal


@click.command("runs", context_settings={"help_option_names": ["-h", "--help"]})
@workspace_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(workspace: str, as_json: bool) -> None:
    """List the runs of a workspace, oldest first."""
    from folkways.workspace import results, run_records
    from folkways.workspace.database import open_workspace

    database = open_workspace(workspace, create=False)
    found: list[dict[str, Any]] = []
    for run in run_records.list_runs(database):
        shares = results.parts(database, run)
        found.append(
            {
                "run": run.name,
                "state": run.state,
                "reason": run.reason,
                "began": datetime.fromtimestamp(run.created).astimezone().isoformat(timespec="seconds"),
                "seconds": round(run.seconds, 1),
                "tasks": list(dict.fromkeys(share.task for share in shares)),
                "models": list(dict.fromkeys(share.endpoint for share in shares)),
                "expected": sum(share.expected for share in shares),
                "responses": sum(use.responses for use in results.usage(database, run)),
            }
        )
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo(f"{workspace} has no runs yet; start one with: folkways run demo --model baseline/random")
        return
    from rich.table import Table

    from folkways.reports.names import short_endpoints
    from folkways.reports.text import one_line

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("run", "state", "began", "tasks", "models", "expected"):
        whole = heading in ("state", "began", "tasks", "expected")
        table.add_column(heading, justify="right" if heading == "expected" else "left", no_wrap=whole, overflow="fold")
    for entry in found:
        cells = [
            entry["run"],
            entry["state"],
            entry["began"][:16].replace("T", " "),
            "\n".join(entry["tasks"]),
            "\n".join(short_endpoints(tuple(entry["models"])).values()),
            f"{entry['expected']:,}",
        ]
        table.add_row(*("\n".join(one_line(line) for line in cell.splitlines()) for cell in cells))
    terminal().print(table)
