"""``folkways compare``: whether models differ, by how much, and how sure that is."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from folkways.cli import completion
from folkways.cli.options import names, workspace_option
from folkways.cli.out import file_at, format_option, out_option

if TYPE_CHECKING:
    from folkways.evidence.comparison import Comparison

LOGS = (".eval", ".json", ".jsonl")
"""Endings of the logs of other programs that can be compared."""


@click.command("compare")
@click.argument("models", nargs=-1, metavar="[MODEL|LOG]...")
@workspace_option
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    shell_complete=completion.runs,
    help="Run to look in; repeatable. Default: the newest.",
)
@click.option(
    "--task",
    "tasks",
    metavar="LIST",
    shell_complete=completion.tasks,
    help="Tasks or benchmarks; all in common if left out.",
)
@click.option(
    "--metric",
    metavar="NAME",
    help="Metric (of a log: score) to compare by; each task's headline if left out.",
)
@click.option("--profile", metavar="NAME", help="Profile of the judgements; each task's default if left out.")
@click.option(
    "--by", default="culture", show_default=True, metavar="FACET", help="Also compare for each of its values."
)
@format_option
@out_option("Write there", "comparison.FORMAT")
@click.pass_context
def command(
    context: click.Context,
    /,
    models: tuple[str, ...],
    tasks: str | None,
    metric: str | None,
    by: str,
    shape: str,
    out: Path | None,
    **of_runs: Any,
) -> None:
    """Compare each pair of models on what both replied to: paired by item, clustered by question.

    MODEL is a name as in the run, the part after its last slash, or MODEL@RUN; without one, all models of the
    runs are compared. No model is asked.

    LOG is a file of another program, for any task: a log of Inspect (.eval, .json), samples of
    lm-evaluation-harness (samples_*.jsonl), a record of Every Eval Ever (UUID.json, UUID_samples.jsonl), or
    a folder of these or of runs of HELM. Samples are paired by id and epoch, and clustered by id; no
    workspace is opened.

    \b
    folkways compare gpt-4o-mini llama-3.1-8b
    folkways compare logs/first.eval logs/second.eval --metric match
    folkways compare gpt-4o-mini@run-1 gpt-4o-mini@run-2
    folkways compare --run mine --by topic --format md --out comparison.md
    """
    from folkways.cli.table_files import in_format, write_text

    target = None if out is None else file_at(out, in_format("comparison", shape))
    tell = partial(click.echo, err=True)
    source = context.get_parameter_source
    named = {
        name for name in ("workspace", "runs", "profile", "by") if source(name) is ParameterSource.COMMANDLINE
    }
    if any(map(_is_log, models)):
        _check_logs(models, named)
        from folkways.integrations.compare_logs import compare_logs

        comparisons = compare_logs(
            *models, tasks=names(tasks), metric=metric, by=by if "by" in named else None, tell=tell
        )
    else:
        from folkways.runs.results.compare import compare

        comparisons = compare(*models, tasks=names(tasks), metric=metric, by=by, tell=tell, **of_runs)
    text = _written(comparisons, shape)
    if target is None:
        click.echo(text, nl=False)
    else:
        write_text(target, text)


def _is_log(model: str) -> bool:
    """Whether the name is that of a log. Other endings than .eval count only if the file exists, because
    models can have file names too (``replay:FILE``), and folders if they hold logs."""
    path = Path(model)
    if path.is_dir():
        from folkways.integrations.compare_logs import logs_in

        return bool(logs_in(path))
    return path.suffix.lower() == ".eval" or (path.suffix != "" and path.is_file())


def _check_logs(models: tuple[str, ...], given: set[str]) -> None:
    """FolkwaysError for models among the logs, and for options that do not apply to logs."""
    from folkways.errors import FolkwaysError

    if others := [model for model in models if not _is_log(model)]:
        raise FolkwaysError(
            "logs can only be compared with logs, and models with models of a workspace; there is no log "
            f"{others[0]} (valid: folders of logs or of runs of HELM, and the endings {', '.join(LOGS)})\n"
            "A report shows runs and logs together: folkways report RUN LOG"
        )
    for name, option in (("workspace", "--workspace"), ("runs", "--run"), ("profile", "--profile")):
        if name in given:
            raise FolkwaysError(f"{option} does not apply to logs; leave it out")


def _written(found: list[Comparison], shape: str) -> str:
    from shutil import get_terminal_size

    import polars as pl

    from folkways.cli.table_files import WIDTH
    from folkways.cli.table_output import as_markdown, as_text
    from folkways.display import json_for_terminal
    from folkways.reports.formats.comparison_tables import comparison_document, comparison_tables
    from folkways.spreadsheet import for_csv

    if shape == "csv":
        return for_csv(pl.concat(comparison.differences for comparison in found)).write_csv()
    if shape == "json":
        return json_for_terminal([comparison_document(comparison) for comparison in found]) + "\n"
    tables = [table for comparison in found for table in comparison_tables(comparison)]
    return (
        as_markdown(tables)
        if shape == "md"
        else as_text(tables, get_terminal_size((WIDTH, 0)).columns) + "\n"
    )
