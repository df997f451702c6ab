"""``folkways report``: runs, or logs of other programs, as HTML, Markdown, CSV, Parquet and LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from folkways.cli import completion
from folkways.cli.options import workspace_option
from folkways.cli.out import report_option, terminal

USUAL = "html,md,csv,parquet"


@click.command("report")
@click.argument("runs", nargs=-1, metavar="[RUN|LOG]...", shell_complete=completion.runs)
@workspace_option
@report_option("report", "the report")
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

    In place of a run, name what another program wrote, or a folder of it: records of Every Eval Ever
    (UUID.json), runs of HELM, logs of Inspect (.eval, .json), samples of lm-evaluation-harness.

    report.html is a single file that opens without a network; its charts need the extra 'report'. The numbers
    are also written as CSV and Parquet. With the format latex, report.tex has the tables and a methods
    section for a paper, and report.bib the citations.
    """
    from folkways.display import single_line
    from folkways.integrations.leaderboard import is_source
    from folkways.integrations.report_logs import report_logs, verdict_on_logs
    from folkways.reports.formats.terminal import terminal_verdict
    from folkways.runs.results.report import report_runs, verdict_on_runs

    names = runs or ("last",)
    of_logs = any(map(is_source, names))
    if brief and of_logs:
        click.echo(single_line(verdict_on_logs(names, workspace, others["profile"]).text))
        return
    if brief:
        shown = {name: others[name] for name in ("profile", "prices")}
        click.echo(single_line(verdict_on_runs(names, workspace=workspace, **shown).text))
        return
    console = terminal()
    others |= {"workspace": workspace, "formats": formats}
    others["tell"] = lambda leaderboard: console.print(terminal_verdict(leaderboard))
    written = report_logs(*names, out=out, **others) if of_logs else report_runs(names, out, **others)
    for path in written:
        click.echo(f"wrote {path}")
