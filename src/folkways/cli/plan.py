"""``folkways plan``: plan a run for workers on any number of machines."""

from __future__ import annotations

from dataclasses import replace

import click

from folkways.cli.grouped_options import GroupedCommand
from folkways.cli.options import models_option, question_options, workspace_option
from folkways.runs.options import DeployedModel, RunOptions


@click.command("plan", cls=GroupedCommand)
@models_option
@question_options
@workspace_option
@click.option("--name", metavar="NAME", help="Name of the run; otherwise a new one is made up.")
def command(
    options: RunOptions, models: tuple[str | DeployedModel, ...], workspace: str, name: str | None
) -> None:
    """Write down every request of a run, and send none.

    Any number of workers then ask them together, even on other machines if the workspace is a PostgreSQL
    database; `folkways score` judges the replies. `folkways run` does all three in one process.

    \b
    folkways plan blend/saq --model vllm/qwen3-8b --name study --workspace postgresql://me@db/folkways
    folkways work study --workspace postgresql://me@db/folkways
    folkways score study --workspace postgresql://me@db/folkways
    """
    from folkways.cli.out import terminal
    from folkways.display import plural, single_line
    from folkways.runs.execute import plan_run
    from folkways.runs.work import counts_of

    recipe = click.get_current_context().default_map or {}
    options = replace(options, until=recipe.get("until"))  # so that a recipe with it is refused, not ignored
    database, run, before = plan_run(options, models=models, workspace=workspace, name=name)
    console = terminal()
    console.print(f"{run.name} {'was planned before' if before else 'is planned'} in {workspace}")
    for counts in counts_of(database, run):
        amounts = [f"{plural(counts.total, 'request')} to be asked"] + (
            [f"{counts.stored:,} answered already"] if counts.stored else []
        )
        console.print(single_line(f"  {counts.endpoint}: {', '.join(amounts)}"), soft_wrap=True)
    again = database.command("work", run.name)
    console.print(f"Ask them, in as many processes as you like: {again}", soft_wrap=True)
