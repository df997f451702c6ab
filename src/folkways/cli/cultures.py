"""``folkways cultures``: every culture with its code, its languages and its name in each benchmark."""

from __future__ import annotations

from dataclasses import asdict

import click

from folkways.cli.out import print_json, terminal
from folkways.cultures import REGIONS, Culture, cultures, cultures_of, languages
from folkways.errors import UnknownNameError


@click.command()
@click.option(
    "--benchmark",
    metavar="NAME",
    help="Only the cultures of this benchmark, in its order, with the names its data use.",
)
@click.option("--region", metavar="REGION", help="Only the cultures of this region.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(benchmark: str | None, region: str | None, as_json: bool) -> None:
    """List the cultures, their codes and the languages they are asked in.

    Wherever an option takes a culture, you can write its code, its English name or its name in a benchmark.
    """
    chosen = cultures_of(benchmark) if benchmark else tuple(cultures().values())
    if region is not None:
        wanted = {name.casefold(): name for name in REGIONS}.get(region.strip().casefold())
        if wanted is None:
            raise UnknownNameError("region", region, REGIONS)
        chosen = tuple(culture for culture in chosen if culture.region == wanted)
    if as_json:
        print_json([_plain(culture) for culture in chosen])
    else:
        _print_table(chosen, benchmark)


def _plain(culture: Culture) -> dict[str, object]:
    entry = {name: getattr(culture, name) for name in Culture.__dataclass_fields__}
    return {
        **entry,
        "names": dict(culture.names),
        "languages": [asdict(languages()[code]) for code in culture.languages],
    }


def _print_table(chosen: tuple[Culture, ...], benchmark: str | None) -> None:
    from rich.table import Table

    from folkways.display import plural

    table = Table(box=None, pad_edge=False)
    for heading in (
        "code",
        "culture",
        "region",
        "local languages",
        f"name in {benchmark}" if benchmark else "benchmarks",
    ):
        table.add_column(heading, overflow="fold")
    for culture in chosen:
        local = [f"{languages()[code].name} ({code})" for code in culture.languages]
        last = culture.names[benchmark] if benchmark else " ".join(culture.names)
        table.add_row(culture.code, culture.name, culture.region or "", ", ".join(local), last)
    console = terminal()
    console.print(table)
    console.print(f"\n{plural(len(chosen), 'culture')}")
