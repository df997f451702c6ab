"""``folkways probe``: signals that a model may have seen a task's items before, each with its control."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli import completion
from folkways.cli.options import WholeNumber, ask_options, models_option, names, workspace_option
from folkways.cli.out import SUFFIXES, file_at, out_option, print_json, terminal, write_frame

if TYPE_CHECKING:
    from rich.table import Table

    from folkways.runs.options import AskOptions
    from folkways.runs.probing import ProbeResult

Row = dict[str, Any]


@click.command("probe")
@click.argument("task", shell_complete=completion.tasks)
@models_option
@click.option("--control", metavar="NAME|DIR", help="Release of the task whose items no model can have seen.")
@click.option("--release", metavar="NAME|DIR", help="Data to probe, instead of the default release.")
@click.option(
    "--only",
    metavar="LIST",
    help="Signals: masked-option, masked-word, continuation, named, option-order, ...",
)
@click.option("--limit", type=WholeNumber(min=2), default=100, show_default=True, help="Items of each group.")
@click.option("--seed", type=WholeNumber(), default=0, show_default=True, help="Draws the items.")
@out_option("Where the signals go", "signals.csv")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@workspace_option
@ask_options
def command(
    task: str,
    models: tuple[str, ...],
    only: str | None,
    out: Path | None,
    as_json: bool,
    workspace: str,
    asking: AskOptions,
    **others: Any,
) -> None:
    """Look for signals that a model may have seen the items of TASK before it is asked.

    Each signal is measured on the items and on a control, items that the model cannot have seen; both values
    and their difference have 95 % intervals. A signal is not a verdict: its limits are printed below it.
    Without --control, the items of folkways' own demo are the control. The same command continues where it
    stopped and asks nothing twice.

    \b
    folkways probe blend/mcq --model openai/gpt-4o-mini --budget 2usd
    folkways probe culturalbench/easy --model hf/./my-model --control ./written-this-year --out signals.csv
    """

    from folkways.cli.progress import RunProgress, check_finished
    from folkways.display import plural, single_line
    from folkways.endpoints.base import EndpointOptions
    from folkways.runs.models import open_models
    from folkways.runs.probing import probe
    from folkways.workspace.database import open_workspace

    target = None if out is None else file_at(out, "signals.csv", SUFFIXES)
    opened = open_models(models, EndpointOptions(timeout=asking.timeout))
    console = terminal(stderr=True)
    with RunProgress(console) as progress:
        watched = replace(asking, observer=progress, every=progress.every)
        done = probe(open_workspace(workspace), task, opened, only=names(only), asking=watched, **others)
    if target is not None:
        write_frame(done.signals, target)
    if as_json:
        print_json(
            {
                "task": task,
                "run": done.run.name,
                "notes": list(done.notes),
                "signals": done.signals.to_dicts(),
            }
        )
    else:
        _show(done)
        for note in done.notes:
            console.print(single_line(f"note: {note}"), soft_wrap=True)
    if target is not None:
        console.print(f"wrote {target} ({plural(done.signals.height, 'row')})", soft_wrap=True)
    check_finished(done.run, "asked")


def _show(done: ProbeResult) -> None:
    """A table for each model, then what was not given and why, then what each signal is and cannot say."""
    from folkways.display import single_line

    console = terminal()
    rows: list[Row] = done.signals.to_dicts()
    for endpoint in dict.fromkeys(row["endpoint"] for row in rows):
        signals = [row for row in rows if row["endpoint"] == endpoint]
        console.print(single_line(f"{signals[0]['task']}: {endpoint}"), soft_wrap=True)
        console.print(_table([row for row in signals if row["value"] is not None]))
        for lacking in dict.fromkeys(row["lacking"] for row in signals if row["lacking"]):
            named = ", ".join(dict.fromkeys(row["signal"] for row in signals if row["lacking"] == lacking))
            console.print(single_line(f"{named}: {lacking}"), soft_wrap=True)
        console.print()
    measured = [row for row in rows if row["value"] is not None]
    for signal, about, cannot_say in dict.fromkeys(
        (row["signal"], row["about"], row["cannot_say"]) for row in measured
    ):
        console.print(single_line(f"{signal}: {about} It cannot say {cannot_say}."), soft_wrap=True)
    for control in dict.fromkeys(row["control"] for row in measured if row["control"]):
        held = ", ".join(dict.fromkeys(row["signal"] for row in measured if row["control"] == control))
        console.print(single_line(f"control of {held}: {control}"), soft_wrap=True)


def _table(rows: list[Row]) -> Table:
    from folkways.display import count
    from folkways.reports.views.scores import table_of_numbers

    table = table_of_numbers("signal", ("these items", "control", "difference"))
    for row in rows:
        table.add_row(
            f"{row['signal']}\n{row['measure']}, {row['unit']}\nn {count(row['n'])}; "
            f"{count(row['control_n'])}",
            _with_interval(row, "value", "low", "high"),
            _with_interval(row, "control_value", "control_low", "control_high"),
            _with_interval(row, "difference", "difference_low", "difference_high"),
        )
    return table


def _with_interval(row: Row, value: str, low: str, high: str) -> str:
    """A number with its interval in brackets; a dash where there is none."""
    from folkways.display import NOT_A_NUMBER, interval, number

    if row[value] is None:
        return NOT_A_NUMBER
    return f"{number(row[value])} [{interval(row[low], row[high], ' to ')}]"
