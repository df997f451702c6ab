"""``folkways runs``: list, archive, restore and delete the runs of a workspace."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.cli import completion
from folkways.cli.grouped_options import CommandGroup
from folkways.cli.options import workspace_option
from folkways.cli.out import print_json, terminal
from folkways.errors import FolkwaysError

if TYPE_CHECKING:
    from folkways.workspace.database import Workspace
    from folkways.workspace.run_records import RunRecord


WHOLE = ("state", "began", "tasks", "expected")
"""Columns of the list whose cells are never folded."""


@click.group("runs", cls=CommandGroup, invoke_without_command=True)
@workspace_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--recipe",
    metavar="RUN",
    shell_complete=completion.runs,
    help="Print the recipe of this run instead, to repeat it anywhere.",
)
@click.pass_context
def command(context: click.Context, workspace: str, as_json: bool, recipe: str | None) -> None:
    """List the runs of a workspace, oldest first.

    \b
    folkways runs
    folkways runs --recipe last > study.toml
    folkways runs archive run-1
    folkways runs delete run-1
    """
    context.default_map = {name: {"workspace": workspace} for name in ("archive", "restore", "delete")}
    if context.invoked_subcommand is None:
        _list(workspace, as_json, recipe)


@command.command("archive")
@click.argument("run", shell_complete=completion.runs)
@workspace_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the archive. Default: WORKSPACE-archive/RUN, or beside it if another archive is there.",
)
def archive(run: str, workspace: str, out: Path | None) -> None:
    """Move the prompts, replies and judgements of RUN into Parquet files, and out of the workspace.

    Its name stays in the workspace, and so do replies that other runs use. To report or score the run,
    restore it with `folkways runs restore`. If the command is interrupted, run it again. For a run that is
    archived already, --out says where its folder is now.

    \b
    folkways runs archive run-1
    folkways runs archive run-1 --out /big/disk/run-1
    """
    from folkways.display import plural
    from folkways.workspace.archives.moving import archive_run, moved, shrink
    from folkways.workspace.database import open_workspace
    from folkways.workspace.run_records import find_run

    database = open_workspace(workspace, create=False)
    record = find_run(database, run)
    if record.archive is not None and out is not None:
        moved(database, record, out)
        click.echo(f"run {record.name} is archived in {out}: all its files are there, unchanged")
        return
    with counting("written") as tell:
        made = archive_run(database, record, out, tell)
    click.echo(
        f"archived run {record.name}: {plural(made.rows, 'item')} with replies and "
        f"{plural(made.judgements, 'judgement')} in "
        f"{plural(made.files, 'file')}, {made.size / 1e6:,.1f} MB, read back and equal\n{made.folder}"
    )
    if made.shared:
        click.echo(
            f"{plural(made.shared, 'reply', 'replies')} also kept in the workspace, because other runs "
            "use them"
        )
    if not shrink(database):
        click.echo("the space in the database was not returned to the disk; later runs use it")


@command.command("restore")
@click.argument("run", shell_complete=completion.runs)
@workspace_option
def restore(run: str, workspace: str) -> None:
    """Put an archived RUN back into the workspace, to read or continue it, or for other runs to use its
    replies.

    The files stay where they are; delete them when you no longer need them.

    \b
    folkways runs restore run-1
    """
    from folkways.display import plural
    from folkways.workspace.archives.files import place_of
    from folkways.workspace.archives.moving import restore_run
    from folkways.workspace.database import open_workspace
    from folkways.workspace.run_records import find_run

    database = open_workspace(workspace, create=False)
    record = find_run(database, run)
    with counting("put back") as tell:
        back = restore_run(database, record, tell)
    click.echo(
        f"restored run {record.name}: {plural(back, 'item')} with replies and judgements; its files stay in"
    )
    click.echo(place_of(database, record))


@command.command("delete")
@click.argument("run", shell_complete=completion.runs)
@workspace_option
@click.option("--yes", is_flag=True, help="Delete it without asking.")
def delete(run: str, workspace: str, yes: bool) -> None:
    """Delete RUN: its requests, judgements and scores.

    Replies are kept, and other runs that ask the same use them. The files of an archived run are kept too.

    \b
    folkways runs delete run-1
    """
    from folkways.display import plural, single_line
    from folkways.workspace.database import open_workspace
    from folkways.workspace.queue.batches import out_of_run
    from folkways.workspace.queue.judging_turn import turn_to_judge
    from folkways.workspace.run_records import find_run, forget_run

    database = open_workspace(workspace, create=False)
    record = find_run(database, run)
    _check_not_asked(database, record)
    out, _ = out_of_run(database, record.id)
    lost = (
        f"{plural(out, 'request')} of run {record.name} left in batches and may be paid for; without the run "
        "nothing collects the replies"
    )
    if yes and out:
        raise FolkwaysError(f"{lost}: collect them first, or delete it without --yes")
    if not yes:
        if out:
            click.echo(single_line(f"{lost}."))
        what = f"run {single_line(record.name)} ({record.state}), its judgements and scores"
        if not click.confirm(f"Delete {what}?"):
            click.echo("Nothing was deleted.")
            raise click.exceptions.Exit(1)
    with turn_to_judge(database, record.id):
        _check_not_asked(database, record)
        if out_of_run(database, record.id)[0] != out or not forget_run(database, record):
            raise FolkwaysError(
                f"run {record.name} was asked, judged, archived or deleted by another process meanwhile; "
                f"this command deleted nothing\nLook at it first: {database.command('runs')}"
            )
    click.echo(f"deleted run {single_line(record.name)}; the replies stay in {workspace}")


def _check_not_asked(database: Workspace, run: RunRecord) -> None:
    from folkways.workspace.queue.request_queue import RequestQueue

    queue = RequestQueue(database, run.id)
    queue.free_dead_claims()
    if queue.others_at_work():
        raise FolkwaysError(
            f"another process is asking run {run.name}; stop that process first (Ctrl-C), then delete the run"
        )


@contextmanager
def counting(done: str) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how many items are done.

    done: what is done with them ("written").
    """
    shown = sys.stderr.isatty()

    def tell(rows: int) -> None:
        if shown:
            click.echo(f"\r{rows:,} items {done}", nl=False, err=True)

    yield tell
    if shown:
        click.echo(err=True)


def _list(workspace: str, as_json: bool, recipe: str | None) -> None:
    from folkways.runs.results.run_list import list_runs
    from folkways.workspace import run_records
    from folkways.workspace.database import open_workspace

    database = open_workspace(workspace, create=False)
    if recipe is not None:
        _print_recipe(run_records.find_run(database, recipe), as_json=as_json)
        return
    runs = list_runs(database)
    if as_json:
        print_json(runs)
        return
    if not runs:
        start = database.command("run", "demo", "--model", "baseline/random")
        click.echo(f"{workspace} has no runs yet; start one with: {start}")
        return
    from rich.table import Table

    from folkways.cli.table_output import GAP
    from folkways.display import single_line
    from folkways.names import short_endpoints

    headings = ("run", "state", "began", "tasks", "models", "expected")
    lines = [
        (
            entry["run"],
            entry["state"]
            + (f"\n{entry['out']:,} out" if entry["out"] else "")
            + (
                ""
                if entry["archive"] is None
                else "\narchive lost"
                if entry["archive_problem"]
                else "\narchived"
            ),
            entry["began"][:16].replace("T", " "),
            "\n".join(entry["tasks"]),
            "\n".join(short_endpoints(tuple(entry["models"])).values()),
            f"{entry['expected']:,}",
        )
        for entry in runs
    ]
    cells = [["\n".join(map(single_line, cell.splitlines())) for cell in line] for line in lines]
    console = terminal()
    shown = headings[: _columns_that_fit([headings, *cells], console.width)]
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim")
    for heading in shown:
        table.add_column(
            heading,
            justify="right" if heading == "expected" else "left",
            no_wrap=heading in WHOLE,
            overflow="fold",
        )
    for line in cells:
        table.add_row(*line[: len(shown)])
    console.print(table)


def _columns_that_fit(lines: Sequence[Sequence[str]], width: int) -> int:
    """How many columns of the list, the headings first, a terminal has room for: names and states always."""
    from rich.cells import cell_len

    from folkways.cli.table_output import GAP, UNBROKEN

    taken, headings = 0, lines[0]
    for column, heading in enumerate(headings):
        widest = max(cell_len(part) for line in lines for part in line[column].splitlines() or [""])
        taken += (widest if heading in WHOLE else min(widest, UNBROKEN)) + GAP * (column > 0)
        if column > 1 and taken > width:
            return column
    return len(headings)


def _print_recipe(run: RunRecord, *, as_json: bool) -> None:
    """The recipe of a run as a file, or what is in it; FolkwaysError if the run has none."""
    import tomlkit

    if run.recipe is None:
        raise FolkwaysError(
            f"run {run.name} has no recipe: only folkways run stores one, since version 0.2; write one with: "
            "folkways init"
        )
    if as_json:
        print_json(run.recipe)
        return
    click.echo(f"# Run {run.name}, planned by folkways {run.version}. Ask the same: folkways run FILE")
    click.echo(tomlkit.dumps(run.recipe), nl=False)
