"""``folkways runs``: the runs of a workspace."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from folkways.cli.options import workspace_option
from folkways.cli.out import print_json
from folkways.cli.terminal import terminal
from folkways.errors import FolkwaysError

if TYPE_CHECKING:
    from folkways.workspace.run_records import RunRecord


@click.command("runs", context_settings={"help_option_names": ["-h", "--help"]})
@workspace_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--recipe", metavar="RUN", help="Print the recipe of this run in place of the list: asks the same anywhere.")
def command(workspace: str, as_json: bool, recipe: str | None) -> None:
    """List the runs of a workspace, oldest first.

    \b
    folkways runs
    folkways runs --recipe last > study.toml
    """
    from folkways.workspace import results, run_records
    from folkways.workspace.batches import out_of_run
    from folkways.workspace.database import open_workspace

    database = open_workspace(workspace, create=False)
    if recipe is not None:
        click.echo(_recipe(run_records.find_asked_run(database, recipe)), nl=False)
        return
    found: list[dict[str, Any]] = []
    for run in run_records.list_runs(database):
        out, _ = out_of_run(database, run.id)
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
                "out": out,
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
            entry["state"] + (f"\n{entry['out']:,} out" if entry["out"] else ""),
            entry["began"][:16].replace("T", " "),
            "\n".join(entry["tasks"]),
            "\n".join(short_endpoints(tuple(entry["models"])).values()),
            f"{entry['expected']:,}",
        ]
        table.add_row(*("\n".join(one_line(line) for line in cell.splitlines()) for cell in cells))
    terminal().print(table)


def _recipe(run: RunRecord) -> str:
    """The recipe of a run as a file; FolkwaysError where none was kept."""
    import tomlkit

    if run.recipe is None:
        raise FolkwaysError(
            f"run {run.name} was planned by folkways {run.version}, which kept no recipes: write one with: folkways init"
        )
    return f"# Run {run.name}, planned by folkways {run.version}. Ask the same: folkways run FILE\n" + tomlkit.dumps(run.recipe)
