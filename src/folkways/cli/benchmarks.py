"""``folkways benchmarks``: check a benchmark, built-in or of another package, with baselines instead of
models."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from folkways.cli.grouped_options import CommandGroup

if TYPE_CHECKING:
    from folkways.runs.benchmark_check import Check

LIMIT = 20
"""Questions per task for the baselines."""


@click.group(cls=CommandGroup)
def command() -> None:
    """Check a benchmark, yours or a built-in one, before models are asked."""


@command.command()
@click.argument("name", metavar="BENCHMARK")
@click.pass_context
def check(ctx: click.Context, name: str) -> None:
    """Check what a benchmark declares, reads, asks and judges, and run baselines on it.

    Nothing is sent and nothing is stored. Prints a line for each part, and below it each problem with its
    location and remedy. Exit code 0 without problems, otherwise 1.
    """
    from folkways.display import escape, plural
    from folkways.runs.benchmark_check import check_benchmark

    problems = 0
    sound: list[str] = []
    for each in check_benchmark(name):
        _print(each)
        problems += len(each.problems)
        task, colon, _ = each.what.partition(":")
        if colon and task not in sound:
            sound.append(task)
    for each in _with_baselines(sound) if sound and not problems else ():
        _print(each)
        problems += len(each.problems)
    click.echo(
        f"\n{escape(name)}: {plural(problems, 'problem')}"
        if problems
        else f"\n{escape(name)} passes all checks."
    )
    ctx.exit(1 if problems else 0)


def _with_baselines(tasks: list[str]) -> Iterator[Check]:
    """Run two baselines, with a report, in a temporary folder."""
    from folkways.api import run
    from folkways.benchmarks.registry import get_task
    from folkways.errors import FolkwaysError
    from folkways.plugins import error_text
    from folkways.runs.benchmark_check import Check

    for task in tasks:
        problem = ""
        with TemporaryDirectory(prefix="folkways-check-") as folder:
            orders = 2 if get_task(task).permutes_options else 1
            try:
                models = ["baseline/first", "baseline/random"]
                made = run(
                    [task], models=models, workspace=f"{folder}/check.db", limit=LIMIT, permute_options=orders
                )
                made.report(f"{folder}/report", ("md",))
                made.workspace.close()
            except FolkwaysError as error:
                problem = str(error)
            except Exception as error:  # noqa: BLE001 - whatever the code of the task raises
                problem = error_text(error, type(get_task(task)).__module__)
        yield Check(f"{task}: a run of baselines, and its report", (problem,) if problem else ())


def _print(each: Check) -> None:
    from folkways.display import sanitize

    mark = "skipped" if each.skipped else f"{len(each.problems)} wrong" if each.problems else "ok"
    colour = "yellow" if each.skipped else "red" if each.problems else "green"
    click.echo(f"{click.style(f'{mark:<9}', fg=colour)}{each.what}")
    for line in each.problems or ([each.skipped] if each.skipped else []):
        click.echo("         " + sanitize(line).replace("\n", "\n         "))
