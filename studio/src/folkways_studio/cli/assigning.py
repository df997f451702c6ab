"""Commands that assign items to people and show what is assigned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.sdk.cli import WholeNumber, print_json
from folkways_studio.cli.places import with_study_client

if TYPE_CHECKING:
    from folkways_studio.cli.places import StudyClient


def _conditions(_: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs = [value.partition("=") for value in values]
    for name, _equals, value in pairs:
        if not name.strip() or not value.strip():
            raise click.BadParameter("give NAME=VALUE, as in expertise=law", param=option)
    return {name.strip(): value.strip() for name, _equals, value in pairs}


@click.command("assign")
@click.argument("study")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--add", is_flag=True, help="Keep those to whom an item is assigned already.")
@click.option("--take-back", is_flag=True, help="Take tasks back from others who are at them.")
@click.option("--preview", is_flag=True, help="Only check the file.")
@with_study_client
def assign(client: StudyClient, study: str, file: Path, preview: bool, **how: bool) -> None:
    """Assign items to people or populations by a CSV, XLSX, JSON, JSONL or Parquet file: all of its rows, or
    none.

    Columns are item (its key) or item_id (as exports have it), stage where several have an item of that key,
    and person (a pseudonym) or population. A row with neither makes its item one for anybody.
    """
    from folkways.sdk.display import plural
    from folkways_studio.items.table_files import read_rows

    counts = client.assign(study, read_rows(file), str(file), preview=preview, **how)
    would = "would be assigned" if preview else "assigned"
    back = f", {plural(counts['taken_back'], 'task')} taken back" if counts["taken_back"] else ""
    click.echo(f"{plural(counts['items'], 'item')} {would}{back}")


@click.command("assign-by-rule")
@click.argument("study")
@click.argument("stage")
@click.option("--population", metavar="NAME", help="Only items of this population.")
@click.option("--language", is_flag=True, help="To people who know the language of the item.")
@click.option(
    "--has", multiple=True, metavar="DETAIL=VALUE", callback=_conditions,
    help="To people who said this about themselves; may be given again.",
)  # fmt: skip
@click.option(
    "--matches", multiple=True, metavar="DETAIL=FIELD", callback=_conditions,
    help="To people who said what is in a field of the item; may be given again.",
)  # fmt: skip
@click.option(
    "--each", type=WholeNumber(1, 1000), help="People per item; else as many as answers are missing."
)
@click.option("--most", type=WholeNumber(min=1), help="Items per person at most, with those of before.")
@click.option(
    "--among", multiple=True, metavar="NAME", help="Only this person or population; may be given again."
)
@click.option(
    "--active-days", type=WholeNumber(1, 3650), help="Only people who took a task within so many days."
)
@click.option("--again", is_flag=True, help="Items that are assigned already, too: to others than before.")
@click.option(
    "--stalled",
    is_flag=True,
    help="Only items that are stalled: to more people or others; who works keeps them.",
)
@click.option("--take-back", is_flag=True, help="Take tasks back from others who are at them.")
@click.option("--preview", is_flag=True, help="Only say what it would do.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_study_client
def assign_by_rule(client: StudyClient, study: str, as_json: bool, **rule: Any) -> None:
    """Assign the open items of a stage by a rule: of those who fit and may answer an item, the least loaded
    get it.
    """
    from folkways.sdk.display import plural

    plan = client.assign_by_rule(study, **{**rule, "among": list(rule["among"])})
    if as_json:
        print_json(plan)
        return
    click.echo(f"{plural(plan['items'], 'item')} {'assigned' if plan['assigned'] else 'would be assigned'}")
    for load in plan["loads"]:
        click.echo(f"  {load['person']}: {load['before']} + {load['more']}")
    for reason, numbers in plan["left_out"].items():
        click.echo(f"{plural(len(numbers), 'item')} left as before: {reason}")
    if not plan["items"] and not plan["left_out"]:
        which = f"{rule['stage']}{' of ' + rule['population'] if rule['population'] else ''}"
        nothing = "stalled" if rule["stalled"] else "open" if rule["again"] else "open and assigned to nobody"
        more = "" if rule["stalled"] or rule["again"] else "; --again takes those that are assigned, too"
        click.echo(f"no item of {which} is {nothing}{more}")
    if plan["short"]:
        click.echo(f"{plural(len(plan['short']), 'item')} with fewer people than answers are missing")


@click.command("assignments")
@click.argument("study")
@click.option("--stalled", is_flag=True, help="Only items whose missing answers will not come.")
@click.option("--person", metavar="PSEUDONYM", help="What this person may still be asked, by stage.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_study_client
def assignments(client: StudyClient, study: str, stalled: bool, person: str | None, as_json: bool) -> None:
    """List the items that are assigned, to whom, and which of them are stalled; or what somebody may still be
    asked."""
    rows = client.remaining_work(study, person) if person else client.assignments(study, stalled=stalled)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        if person:
            left = "no limit" if row["left"] is None else f"{row['left']:,} left"
            click.echo(
                f"{row['stage']}: {row['answered']:,} answered, {left}, {row['assigned']:,} assigned to them"
            )
            continue
        reason = f"  stalled: {row['stalled']}" if row["stalled"] else ""
        names = ", ".join((*row["people"], *row["populations"]))
        click.echo(f"{row['stage']} {row['key']} ({row['item']}, {row['state']}): {names}{reason}")


COMMANDS = (assign, assign_by_rule, assignments)
