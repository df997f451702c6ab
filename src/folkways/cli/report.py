"""``folkways report``: one or more runs as HTML, Markdown, CSV, Parquet and LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from folkways.cli import completion
from folkways.cli.options import workspace_option

USUAL = "html,md,csv,parquet"


@click.command("report")
@click.argument("runs", nargs=-1, shell_complete=completion.runs)
@workspace_option
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("report"), show_default=True, metavar="DIR"
)
@click.option(
    "--format",
    "formats",
    default=USUAL,
    show_default=True,
    metavar="LIST",
    help="Which files to write; also latex.",
)
@click.option("--profile", metavar="NAME", help="Only this profile, if a run was scored in several.")
@click.option("--title", metavar="TEXT", help="Title of the report.")
@click.option(
    "--items",
    is_flag=True,
    help="Show items whose licence forbids passing them on; keep this report to yourself.",
)
@click.option(
    "--brief", is_flag=True, help="Print the verdict in two or three sentences, and write no files."
)
@click.option(
    "--dispute",
    metavar="URL",
    help="Link each question in the pages of cultures to this address, a studio or an issue tracker, with "
    "{item}, {culture} and {task} filled in.",
)
@click.option("--prices", type=click.Path(path_type=Path), metavar="FILE", help="Prices per million tokens.")
def command(
    runs: tuple[str, ...], out: Path, formats: str, brief: bool, workspace: str, **others: Any
) -> None:
    """Write a report of RUNS (names or numbers; the newest if none is named) into a folder, and print its
    verdict: which model for what, how sure that is, at what price, and what the runs cannot tell.

    report.html is a single file that opens without a network; its charts need the extra 'report'. The numbers
    are also written as CSV and Parquet. With the format latex, report.tex has the tables and a methods
    section for a paper, and report.bib the citations.
    """
    from folkways.cli.out import terminal
    from folkways.display import single_line
    from folkways.reports.formats.terminal import terminal_verdict
    from folkways.runs.results.report import report_runs, verdict_on_runs

    names = runs or ("last",)
    if brief:
        shown = {name: others[name] for name in ("profile", "prices")}
        click.echo(single_line(verdict_on_runs(names, workspace=workspace, **shown).text))
        return
    console = terminal()
    written = report_runs(
        names,
        out,
        workspace=workspace,
        formats=formats,
        tell=lambda leaderboard: console.print(terminal_verdict(leaderboard)),
        **others,
    )
    for path in written:
        click.echo(f"wrote {path}")
