"""``folkways analyse``: the papers' analyses, for your runs."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.cli import completion
from folkways.cli.options import workspace_option
from folkways.cli.out import format_option, out_option, print_json, terminal
from folkways.cli.table_files import check_target, figures_option, write_figures, write_tables


@click.command("analyse")
@click.argument("runs", nargs=-1, metavar="[RUN]...", shell_complete=completion.runs)
@workspace_option
@click.option("--only", "names", multiple=True, metavar="NAME", help="Only this analysis; repeatable.")
@click.option(
    "--profile", metavar="NAME", help="Judgements of this profile; by default the first that was judged."
)
@click.option(
    "--list", "listed", is_flag=True, help="List the analyses of all benchmarks, without making any."
)
@format_option
@out_option("Write there", "a CSV file per table, or tables.FORMAT")
@figures_option()
def command(
    runs: tuple[str, ...],
    workspace: str,
    names: tuple[str, ...],
    profile: str | None,
    listed: bool,
    shape: str,
    out: Path | None,
    figures: Path | None,
) -> None:
    """Repeat the papers' analyses for one or more runs, each with its test and unit of analysis.

    Runs on several benchmarks also get a culture profile: where a model does better or worse than usual over
    all of them.

    RUN is a name or number, the newest run by default. If these runs do not allow an analysis, the output
    says why.

    \b
    folkways analyse --list
    folkways analyse last --only languages
    folkways analyse RUN_A RUN_B --format md --out analyses.md
    """
    if listed:
        _list(as_json=shape == "json")
        return
    from folkways.benchmarks.results import EACH_MODEL_ONCE, make_results
    from folkways.errors import FolkwaysError
    from folkways.runs.results.judgements import load_inputs, results_of_runs
    from folkways.workspace.database import open_workspace
    from folkways.workspace.run_records import find_asked_runs

    check_target(names, shape, out)
    database = open_workspace(workspace, create=False)
    records = find_asked_runs(database, runs or ("last",))
    inputs = load_inputs(database, records, profile)
    made, left_out = make_results(results_of_runs(inputs, names), inputs)
    for name, reason in left_out.items():
        if names:
            raise FolkwaysError(f"{name}: {reason}")
        click.echo(f"left out: {name} ({reason})", err=True)
    if not made:
        raise FolkwaysError(
            "no analysis is possible for these runs; list the analyses and what each needs: folkways "
            "analyse --list"
        )
    if inputs.models:
        click.echo(EACH_MODEL_ONCE, err=True)
    tables = [table for one in made for table in one.tables]
    if figures is not None:
        write_figures(tables, figures, inputs.releases.values(), [run.name for run in records])
    write_tables(tables, shape, out)


def _list(*, as_json: bool) -> None:
    from rich.table import Column, Table

    from folkways.benchmarks.registry import benchmarks
    from folkways.evidence.groups import OF_ANY_BENCHMARK

    of_benchmarks = [
        (benchmark.name, result.name, result.about, ", ".join(result.tasks))
        for benchmark in benchmarks().values()
        for result in benchmark.results
        if result.tasks
    ]
    of_any = [
        ("several", result.name, result.about, "two benchmarks or more")
        if result.across_benchmarks
        else ("any", result.name, result.about, "any task")
        for result in OF_ANY_BENCHMARK
    ]
    headings = ("benchmark", "analysis", "asks", "of")
    rows = of_benchmarks + of_any
    if as_json:
        print_json([dict(zip(headings, row, strict=True)) for row in rows])
        return
    shown = Table(*(Column(name, no_wrap=name == "analysis") for name in headings), box=None)
    for row in rows:
        shown.add_row(*row)
    terminal().print(shown)
