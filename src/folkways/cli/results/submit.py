"""``folkways submit``: a run as the files that a competition takes."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.cli import completion
from folkways.cli.options import workspace_option
from folkways.cli.out import check_several


@click.command("submit", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("benchmark")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder that gets the files.")
@click.option("--model", metavar="NAME", help="Whose replies, if the run asked several models.")
def command(benchmark: str, run: str, workspace: str, out: Path, model: str | None) -> None:
    """Write what a model replied in RUN (name, number or 'last') as the files that the competition on BENCHMARK takes.

    Every item of the data has its row; without a reply its cells are empty. No question and no gold answer is written.

    \b
    folkways submit semeval2026 last --out submission
    """
    from folkways.cli.files import check_folder
    from folkways.reports.text import one_line
    from folkways.runs.submitting import submit_run
    from folkways.workspace.database import open_workspace
    from folkways.workspace.run_records import find_asked_run

    check_several(out)
    check_folder(out)
    database = open_workspace(workspace, create=False)
    done = submit_run(database, find_asked_run(database, run), benchmark, out, model)
    for path in done.files:
        click.echo(f"wrote {path}")
    for note in done.notes:
        click.echo(one_line(note), err=True)
