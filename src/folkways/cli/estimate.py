"""``folkways estimate``: requests, tokens and cost of a run before spending anything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.cli.grouped_options import GroupedCommand
from folkways.cli.options import (
    batch_option,
    left_out,
    models_option,
    prices_option,
    question_options,
    sampled,
    until_options,
    workspace_option,
)
from folkways.cli.out import print_json, terminal

if TYPE_CHECKING:
    from rich.table import Table

    from folkways.runs.options import DeployedModel, RunOptions
    from folkways.runs.planning.estimate import Estimate

WIDE = 1000
"""Columns that no table needs."""


@click.command("estimate", cls=GroupedCommand)
@models_option
@question_options
@prices_option
@batch_option
@until_options
@workspace_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    options: RunOptions,
    models: tuple[str | DeployedModel, ...],
    workspace: str,
    prices: Path | None,
    batch: bool,
    until: float | None,
    strata: str | None,
    as_json: bool,
) -> None:
    """Say how many requests, tokens and dollars a run would take. Nothing is sent, and no key is needed.

    Input tokens are estimated from the number of characters, give or take a third, or by what the workspace's
    replies of the same model took; output tokens and cost are upper limits. Responses that are already stored
    are not counted.
    """
    from folkways.endpoints.base import EndpointOptions
    from folkways.runs.models import open_models
    from folkways.runs.planning.estimate import estimate_plan
    from folkways.runs.planning.tasks import make_plan

    opened = open_models(models, EndpointOptions(seed=options.seed), need_key=False)
    plan = make_plan(sampled(options, until, strata), opened)
    estimates = estimate_plan(plan, workspace=workspace, prices=prices, batch=batch)
    if as_json:
        print_json([asdict(entry) for entry in estimates])
        return
    from folkways.display import duration, plural, single_line
    from folkways.names import short_endpoints

    short = short_endpoints(tuple(dict.fromkeys(entry.endpoint for entry in estimates)))
    console = terminal()
    shown = [(single_line(short[entry.endpoint]), *_cells(entry)) for entry in estimates]
    console.print("Before spending anything")
    table = _table("model", shown)
    if console.measure(table, options=console.options.update(width=WIDE)).maximum <= console.width:
        console.print(table)
    else:  # each name in one piece over its tasks
        for model, rows in groupby(shown, key=itemgetter(0)):
            console.print(model, style="bold", soft_wrap=True)
            console.print(_table(None, [row[1:] for row in rows]))
    if absent := left_out(plan.absent):
        console.print(absent)
    if until is not None:
        console.print(
            f"These are the most that --until {until:g} may ask: it stops where each stratum is within ± "
            f"{until:g} points.",
            soft_wrap=True,
        )
    if out := sum(entry.out for entry in estimates):
        console.print(
            f"{plural(out, 'further request is', 'further requests are')} out in batches already; the "
            "command that sent them collects the replies.",
            soft_wrap=True,
        )
    learned = {entry.endpoint: entry.learned_from for entry in estimates if entry.learned_from}
    for endpoint, replies in learned.items():
        console.print(
            single_line(
                f"Input tokens of {short[endpoint]}: estimated from "
                f"{plural(replies, 'stored reply', 'stored replies')}"
            )
        )
    for endpoint in dict.fromkeys(
        entry.endpoint for entry in estimates if entry.runs_here and entry.requests
    ):
        durations = [
            entry.seconds for entry in estimates if entry.endpoint == endpoint and entry.seconds is not None
        ]
        duration_text = (
            f"about {duration(sum(durations))}, estimated from its stored replies"
            if durations
            else "not known yet; ask a few questions with folkways run and --limit 3, then estimate again"
        )
        console.print(
            single_line(f"Time of {short[endpoint]} on this machine: {duration_text}"), soft_wrap=True
        )
    costs = [entry.usd for entry in estimates]
    total = sum(cost for cost in costs if cost is not None)
    unpriced = dict.fromkeys(short[entry.endpoint] for entry in estimates if entry.usd is None)
    unknown = f" No price is known for {', '.join(unpriced)} (see folkways endpoints)." if unpriced else ""
    cost = f", at most US$ {cents(total)}" if any(cost is not None for cost in costs) or not costs else ""
    console.print(
        single_line(f"{plural(sum(entry.requests for entry in estimates), 'request')}{cost}.{unknown}"),
        soft_wrap=True,
    )


def _cells(entry: Estimate) -> tuple[str, ...]:
    from folkways.display import count

    numbers = (entry.items, entry.requests, entry.stored, entry.input_tokens, entry.output_tokens)
    return entry.task, *map(count, numbers), cents(entry.usd) if entry.usd is not None else "no price"


def cents(usd: float) -> str:
    """Dollars, rounded up to the next cent: they are a limit."""
    return f"{math.ceil(round(100 * usd, 6)) / 100:,.2f}"


def _table(first: str | None, rows: Sequence[Sequence[str]]) -> Table:
    """The rows with their headings; ``first`` is that of a column before the task."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in (*([first] if first else []), "task"):
        table.add_column(name, no_wrap=True)
    for heading in ("items", "requests", "stored\nalready", "input\ntokens ≈", "output\ntokens ≤", "US$ ≤"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table
