"""``folkways work``: ask what a planned run expects, together with any number of other workers."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from folkways.cli import completion
from folkways.cli.grouped_options import GroupedCommand
from folkways.cli.options import ask_options, serve_option, workspace_option
from folkways.cli.out import how_to_go_on
from folkways.engine import interrupts
from folkways.errors import FolkwaysError

if TYPE_CHECKING:
    from folkways.runs.options import AskOptions

SLURM = ("SLURM_CLUSTER_NAME", "SLURM_JOB_ID", "SLURM_PROCID")
"""Environment variables that identify a SLURM task, also after it is queued again."""


@click.command("work", cls=GroupedCommand)
@click.argument("run", default="last", shell_complete=completion.runs)
@click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    metavar="NAME",
    help="Only this model of the run, or its address: vllm/NAME@URL.",
)
@workspace_option
@serve_option
@click.option(
    "--worker",
    metavar="NAME",
    help="Name of this worker. A worker restarted under the same name takes over its earlier requests.",
)
@ask_options
def command(
    run: str,
    models: tuple[str, ...],
    workspace: str,
    serve: str | None,
    worker: str | None,
    asking: AskOptions,
) -> None:
    """Ask what RUN (name, number or 'last') still expects, together with any number of other workers.

    No two workers ask the same. The requests of a worker that died are free again at once on the same
    machine, or once it is restarted with the same name (--worker) or as the same SLURM task; otherwise after
    90 seconds. Nothing is judged: `folkways score` does that at the end.

    \b
    folkways work study --workspace postgresql://me@db/folkways
    folkways work study --model vllm/qwen3-8b@http://localhost:8000/v1
    folkways work study --serve "vllm serve Qwen/Qwen3-8B --served-model-name qwen3-8b --port {port}"
    """
    from folkways.cli.out import terminal
    from folkways.cli.progress import RunProgress
    from folkways.runs.options import DeployedModel, Deployment
    from folkways.runs.work import check_planned, end_of, models_of, work
    from folkways.workspace.database import open_workspace
    from folkways.workspace.run_records import endpoint_names, find_run

    database = open_workspace(workspace, create=False)
    record = find_run(database, run)
    check_planned(database, record)
    name = worker or slurm_task()
    console = terminal(stderr=True)
    console.print(
        f"Working on {record.name} in {workspace}" + (f" as {name}" if name else ""), soft_wrap=True
    )
    names = models or tuple(endpoint_names(database, record.config["endpoints"]).values())
    if serve is not None and len(names) != 1:
        raise FolkwaysError(
            f"--serve starts the server of one model, got {', '.join(names)}; name it: --model vllm/NAME"
        )
    opened = models_of(
        database,
        record,
        names if serve is None else [DeployedModel(names[0], Deployment(serve))],
        asking.timeout,
    )
    with RunProgress(console) as progress:
        left, outcome = work(
            database, record, opened, replace(asking, observer=progress, every=progress.every), name
        )
    done = sum(counts.done for counts in outcome)
    console.print(f"This worker got {done:,} {'reply' if done == 1 else 'replies'}.")
    if left.state == "asked":
        scoring = database.command("score", left.name)
        console.print(f"Everything has been asked. Judge and score it: {scoring}", soft_wrap=True)
        return
    if left.state == "finished":
        console.print(f"{left.name} is finished: everything has been asked and scored.")
        return
    state, reason = left.state, left.reason
    how = "incomplete" if state == "incomplete" else "not finished"
    ended = f"{left.name} is {how}"
    if state == "running":
        console.print(f"Other workers are still asking {left.name}.")
        (state, reason), ended = end_of(outcome), "This worker ended early"
        if state == "budget":  # with what they hold of it they may ask all that is left
            console.print("Nothing is left of the budget for this worker.")
        if state == "budget" or all(counts.stopped is None for counts in outcome):
            return
    if state == "budget":
        reason = f"{reason}. All workers of a run share one: go on with a larger --budget."
    console.print(f"{ended}: {how_to_go_on(reason)}", soft_wrap=True)
    raise click.exceptions.Exit(interrupts.exit_code() if state == "interrupted" else 1)


def slurm_task() -> str | None:
    """The name of the SLURM task that this process belongs to; None outside SLURM."""
    numbers = [os.environ.get(name, "") for name in SLURM]
    return f"slurm {' '.join(filter(None, numbers))}" if os.environ.get("SLURM_JOB_ID") else None
