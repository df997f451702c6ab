"""``folkways gate``: an exit code for continuous integration, decided on intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from folkways.cli import completion
from folkways.cli.options import coverage_option, github_option, workspace_option


@click.command("gate")
@click.argument("run", default="last", shell_complete=completion.runs)
@workspace_option
@click.option(
    "--min",
    "minimums",
    multiple=True,
    metavar="TASK[:CULTURE]=X",
    help="Score that must be reached (where less is better, X at most); repeatable.",
)
@click.option(
    "--max-drop-vs",
    "drops",
    multiple=True,
    metavar="RUN=Y",
    help="Points a score may be worse than that run's.",
)
@click.option(
    "--model", "-m", "models", multiple=True, metavar="NAME", help="Only this model of the run; repeatable."
)
@click.option("--metric", metavar="NAME", help="Metric to decide on; each task's headline if left out.")
@click.option("--profile", metavar="NAME", help="Profile to decide on; each task's default if left out.")
@click.option("--strict", is_flag=True, help="Pass only if the whole interval is on the right side.")
@coverage_option
@click.option(
    "--judged",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Decide on verdicts of judge-by-model, corrected by its --labels.",
)
@click.option(
    "--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write the checks as JUnit XML."
)
@github_option
def command(
    run: str,
    workspace: str,
    minimums: tuple[str, ...],
    drops: tuple[str, ...],
    junit: Path | None,
    github: bool,
    **how: Any,
) -> None:
    """Check the scores of RUN (name, number or 'last') against requirements. No model is asked.

    A requirement fails if the whole 95 % interval lies on the wrong side. It is unsure (a warning) if the
    interval lies on both sides; with --strict, unsure fails too. Exit code 0: nothing failed; 1: something
    did; 2: wrong input.

    \b
    folkways gate --min blend/saq=40 --min blend/saq:ET=30
    folkways gate mine --max-drop-vs last-week=2 --strict --junit gate.xml --github
    folkways gate mine --min blend/saq=40 --judged verdicts.csv
    """
    from folkways.cli.out import check_text_target
    from folkways.cli.table_files import write_text
    from folkways.reports.formats.gate_output import as_annotations, as_junit, as_lines
    from folkways.runs.gate import check_run

    if junit is not None:
        check_text_target(junit)
    checks = check_run(run, workspace, minimums=minimums, drops=drops, **how)
    for line in as_lines(checks):
        click.echo(line)
    if github:
        for line in as_annotations(checks):
            click.echo(line)
    if junit is not None:
        write_text(junit, as_junit(checks, checks.run))
    if not checks.passed:
        raise click.exceptions.Exit(1)
