"""``folkways tables``: the tables and figures of a benchmark's paper, recomputed from the data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli import completion
from folkways.cli.grouped_options import CommandGroup
from folkways.cli.options import text_tools_option, workspace_option
from folkways.cli.out import format_option, out_option
from folkways.cli.table_files import check_target, figures_option, write_figures, write_tables
from folkways.errors import UnknownNameError

if TYPE_CHECKING:
    from folkways.benchmarks.base import Benchmark
    from folkways.benchmarks.results import DataNeed, Inputs


class _BenchmarkGroup(CommandGroup):
    """A subcommand for each benchmark with results."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from folkways.benchmarks.registry import benchmarks

        return [name for name, benchmark in benchmarks().items() if benchmark.results]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from folkways.benchmarks.registry import benchmarks

        return _command(benchmarks()[cmd_name]) if cmd_name in self.list_commands(ctx) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; UnknownNameError with the valid names."""
        valid = self.list_commands(ctx)
        if args and args[0] not in valid and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise UnknownNameError("benchmark with tables", args[0], valid)
        return super().resolve_command(ctx, args)


@click.group(cls=_BenchmarkGroup)
def command() -> None:
    """Recompute the tables and figures of a paper from the data."""


def _command(benchmark: Benchmark) -> click.Command:
    """``folkways tables NAME``, with an option for each kind of data that the results need."""
    needs = {need.name: need for result in benchmark.results for need in result.needs}

    @click.command(benchmark.name, help=_help(benchmark))
    @click.argument("names", nargs=-1, metavar="[TABLE]...")
    @click.option(
        "--run",
        "runs",
        multiple=True,
        metavar="RUN",
        shell_complete=completion.runs,
        help="Run whose models are shown; repeatable.",
    )
    @workspace_option
    @click.option(
        "--profile",
        metavar="NAME",
        help="Profile of judgements and of the human baseline; the first by default.",
    )
    @text_tools_option
    @format_option
    @out_option("Write there", "a CSV file per table, or tables.FORMAT")
    @figures_option()
    def tables(
        names: tuple[str, ...], shape: str, out: Path | None, figures: Path | None, **options: Any
    ) -> None:
        from folkways.benchmarks.results import EACH_MODEL_ONCE, make_tables
        from folkways.benchmarks.tables import NotAvailableError
        from folkways.errors import FolkwaysError

        check_target(names, shape, out)
        inputs = _inputs(benchmark, needs, **options)
        usual = [result for result in benchmark.results if not result.if_named]
        ready = [result for result in usual if options["runs"] or not result.tasks or result.without_run]
        if not names and (
            later := [name for result in usual if result not in ready for name in result.names]
        ):
            click.echo(
                f"left out: {', '.join(later)} (they need the replies of models; name a run with --run)",
                err=True,
            )
        wanted = names or [name for result in ready for name in result.names]
        made, left_out = make_tables(benchmark.results, wanted, inputs)
        for name, reason in left_out.items():
            if names:
                raise NotAvailableError(f"{name}: {reason}")
            click.echo(f"left out: {name} ({reason})", err=True)
        if not made:
            raise FolkwaysError(
                "no table can be made from the data on this disk; the lines above say what is missing"
            )
        if inputs.models:
            click.echo(EACH_MODEL_ONCE, err=True)
        if figures is not None:
            releases = [
                *inputs.releases.values(),
                *(one for several in inputs.data.values() for one in several),
            ]
            write_figures(made, figures, releases, options["runs"])
        write_tables(made, shape, out)

    tables.params[1:1] = [_option(need) for need in needs.values()]
    if not any(task.scoring.text_tools for task in benchmark.tasks):
        tables.params = [option for option in tables.params if option.name != "text_tools"]
    return tables


def _option(need: DataNeed) -> click.Option:
    names = [f"--{need.name}", need.name.replace("-", "_")]
    if need.file:
        return click.Option(names, metavar="FILE.csv", type=click.Path(path_type=Path), help=need.about)
    text = (
        f"{need.about} Default: {' and '.join(need.default)}, if on this disk."
        if need.default
        else need.about
    )
    return click.Option(names, metavar="NAME|DIR", multiple=need.several, help=text)


def _inputs(
    benchmark: Benchmark,
    needs: Mapping[str, DataNeed],
    *,
    runs: tuple[str, ...],
    workspace: str,
    profile: str | None,
    text_tools: str | None = None,
    **named: Any,
) -> Inputs:
    """The inputs that the options name. named: name of a need -> value of its option."""
    from dataclasses import replace

    from folkways.benchmarks.results import Inputs
    from folkways.runs.results.judgements import load_inputs, open_data
    from folkways.workspace.database import open_workspace
    from folkways.workspace.run_records import find_asked_runs

    resolved = benchmark.tasks[0].resolve_profile(profile) if benchmark.tasks else Inputs.profile
    inputs = Inputs()
    if runs:
        database = open_workspace(workspace, create=False)
        inputs = load_inputs(database, find_asked_runs(database, runs), profile)
    values = {name: named[name.replace("-", "_")] for name in needs}
    return replace(
        inputs,
        data=open_data(
            benchmark,
            {name: (value,) if isinstance(value, str) else value for name, value in values.items() if value},
        ),
        files={name: path for name, path in values.items() if isinstance(path, Path)},
        profile=resolved,
        tool_set=text_tools or "default",
    )


def _help(benchmark: Benchmark) -> str:
    numbers = {name: alias for result in benchmark.results for alias, name in result.aliases.items()}

    def told(of_runs: bool) -> str:
        results = [
            result for result in benchmark.results if bool(result.tasks and not result.without_run) == of_runs
        ]
        names = [name for result in results for name in result.names]
        return ", ".join(f"{name} (or {numbers[name]})" if name in numbers else name for name in names)

    if not told(False):
        return (
            f"Make the tables of what models answered on {benchmark.title}, with an interval for each "
            "number.\n\n"
            f"TABLE is {told(True)}; all if none is named. They need --run."
        )
    return (
        f"Recompute the tables of {benchmark.title}, beside published cells, with an interval for each "
        "number.\n\n"
        f"TABLE is {told(False)}; by default all that your data allow. "
        "If a cell differs from the published one, that follows in brackets. With --run also: "
        f"{told(True) or 'nothing'}."
    )
