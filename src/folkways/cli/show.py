"""``folkways show``: one item with its gold answers, prompts, responses and judgements, or one question over
all cultures."""

from __future__ import annotations

from pathlib import Path

import click

from folkways.cli import completion
from folkways.cli.options import workspace_option
from folkways.cli.out import terminal


@click.command("show")
@click.argument("item")
@workspace_option
@click.option(
    "--run",
    "run_name",
    metavar="RUN",
    shell_complete=completion.runs,
    help="Only this run; otherwise the newest one that asked the item.",
)
@click.option("--release", metavar="NAME|DIR", help="Data to read the item from.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(item: str, workspace: str, run_name: str | None, release: str | None, as_json: bool) -> None:
    """Print ITEM with its gold answers, prompts, replies and judgements.

    BENCHMARK:QUESTION prints one question over all cultures: what people of each answered, and what models
    said.

    \b
    folkways show KR/Al-en-01
    folkways show blend/saq:KR/Al-en-01 --run run-2
    folkways show blend:Al-en-01
    """
    from folkways.benchmarks.registry import benchmarks
    from folkways.records import headline_of
    from folkways.reports.formats.item import (
        EMPTY_JUDGEMENTS,
        EMPTY_RESPONSES,
        item_as_json,
        question_as_json,
        render_item,
        render_question,
    )
    from folkways.runs.results.items import find_item, find_question
    from folkways.workspace.database import open_workspace

    exists = "://" in workspace or Path(workspace).exists()
    database = open_workspace(workspace, create=False) if exists or run_name else None
    if item.partition(":")[0] in benchmarks():
        questions = find_question(database, item, run_name, release)
        if as_json:
            click.echo(question_as_json([(one.task.name, one.items, one.judgements) for one in questions]))
            return
        for one in questions:
            metric = headline_of(one.task.metrics, one.judgements.columns)
            terminal().print(render_question(one.task.title, one.items, one.judgements, metric))
        return
    item_found = find_item(database, item, run_name, release)
    responses = item_found.responses if item_found.responses.width else EMPTY_RESPONSES
    judgements = item_found.judgements if item_found.judgements.width else EMPTY_JUDGEMENTS
    if as_json:
        click.echo(item_as_json(item_found.item, item_found.prompts, responses, judgements))
        return
    terminal().print(
        render_item(item_found.shown, item_found.prompts, responses, judgements, item_found.task.metrics)
    )
