"""``folkways submit``: a run as the files that a competition takes."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.cli import completion
from folkways.cli.options import workspace_option
from folkways.cli.out import folder_option, say_written


@click.command("submit")
@click.argument("benchmark")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@folder_option("Folder that gets the files.")
@click.option("--model", metavar="NAME", help="Whose replies, if the run asked several models.")
def command(benchmark: str, run: str, workspace: str, out: Path, model: str | None) -> None:
    """Write what a model replied in RUN (name, number or 'last') as the files that the competition on
    BENCHMARK takes.

    Every item of the data has a row, which says nothing without a reply. Questions and gold answers are
    not written.

    \b
    folkways submit semeval2026 last --out submission
    """
    from folkways.api import load_run
    from folkways.runs.submitting import submit_run

    loaded = load_run(run, workspace)
    done = submit_run(loaded.workspace, loaded.record, benchmark, out, model)
    say_written(done.files, done.notes)
