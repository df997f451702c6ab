"""``folkways endpoints``: providers, the names of their keys, and the prices and model cards in use."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.cli.out import print_json, terminal

if TYPE_CHECKING:
    from folkways.endpoints.cards import Cards
    from folkways.endpoints.prices import Prices


TOLD = ("name", "about", "protocol", "base_url", "base_url_env", "key_env", "key_required")
"""Columns of the table of providers that are printed as they are."""


@click.command("endpoints")
@click.option(
    "--prices",
    "prices_file",
    type=click.Path(path_type=Path),
    help="A file of prices that overrides the others.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def command(prices_file: Path | None, as_json: bool) -> None:
    """List the providers, the names of their keys, and the prices and model cards in use.

    Shows for each provider which environment variable its key is read from and whether it is set, never the
    key itself; the other ways to name a model; what is known about prices, in US dollars per million tokens;
    and which file has model cards (maker, family, size, date), by which analyses group models.
    """
    from folkways.endpoints.cards import load_cards
    from folkways.endpoints.prices import load_prices

    overview = _overview(load_prices(prices_file), load_cards())
    if as_json:
        print_json(overview)
    else:
        _print_tables(overview)


def _overview(prices: Prices, cards: Cards) -> dict[str, Any]:
    from folkways.endpoints.cards import user_cards_file
    from folkways.endpoints.prices import user_prices_file
    from folkways.endpoints.registry import forms
    from folkways.endpoints.servers.providers import key_set_in, providers

    rows: dict[str, dict[str, Any]] = {}
    for layer in prices.layers:
        for name, price in layer.items():
            rows.setdefault(name, {"input": price.input, "output": price.output, "source": price.source})
    return {
        "providers": [
            {name: getattr(provider, name) for name in TOLD}
            | {"key_set_in": key_set_in(provider.key_env), "docs": provider.docs}
            for provider in providers().values()
        ],
        "forms": forms(),
        "prices": {
            "currency": "USD per million tokens",
            "as_of": prices.as_of,
            "user_file": str(user_prices_file()),
            "user_file_exists": user_prices_file().is_file(),
            "models": rows,
        },
        "model_cards": {
            "as_of": cards.as_of,
            "user_file": str(user_cards_file()),
            "user_file_exists": user_cards_file().is_file(),
            "models": {
                name: asdict(card) for layer in reversed(cards.layers) for name, card in layer.items()
            },
        },
    }


def _print_tables(found: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Column, Table
    from rich.text import Text

    console = terminal()
    look: dict[str, Any] = {"title_justify": "left", "box": box.SIMPLE_HEAD}
    address = Column("address, and the variable that replaces it", overflow="fold")
    table = Table(
        Column("name", no_wrap=True), Column("key", no_wrap=True), "set", address, title="Providers", **look
    )
    for row in found["providers"]:
        needed = "" if row["key_required"] else " (optional)"
        key = "\n".join(row["key_env"]) + needed if row["key_env"] else "none needed"
        is_set = "yes" if row["key_set_in"] else ("no" if row["key_required"] else "-")
        style = {"yes": "green", "no": "red"}.get(is_set, "")
        table.add_row(
            row["name"], key, Text(is_set, style=style), "\n".join([row["base_url"], *row["base_url_env"]])
        )
    console.print(table)

    table = Table(
        Column("--model", no_wrap=True),
        Column("meaning", overflow="fold"),
        title="Ways to name a model",
        **look,
    )
    for form, about in found["forms"].items():
        table.add_row(Text(form), Text(about))
    console.print(table)

    prices = found["prices"]
    table = Table(title=f"Prices, US dollars per million tokens, as of {prices['as_of']}", **look)
    for heading in ("model", "input", "output", "from"):
        table.add_column(
            heading, justify="right" if heading in ("input", "output") else "left", overflow="fold"
        )
    for name, price in prices["models"].items():
        table.add_row(Text(name), f"{price['input']:g}", f"{price['output']:g}", Text(price["source"]))
    console.print(table)
    state = (
        "is read" if prices["user_file_exists"] else "does not exist yet; write it to correct or add prices"
    )
    click.echo(f"Your own prices: {prices['user_file']} ({state})")
    cards = found["model_cards"]
    families = len({(card["provider"], card["family"]) for card in cards["models"].values()})
    state = (
        "is read" if cards["user_file_exists"] else "does not exist yet; write it to correct or add models"
    )
    click.echo(
        f"\nModel cards: {len(cards['models'])} names of {families} families, as of {cards['as_of']} (all "
        "of them: --json)"
    )
    click.echo(f"Your own model cards: {cards['user_file']} ({state})")
