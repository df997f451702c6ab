"""``folkways studio prolific``: recruits people for a study at Prolific, and pays them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from folkways.sdk.cli import CommandGroup, WholeNumber
from folkways.sdk.errors import DataError, FolkwaysError
from folkways_studio.cli.places import open_study_client, place_options, with_study_client

if TYPE_CHECKING:
    from folkways_studio.cli.places import StudyClient


@click.group("prolific", cls=CommandGroup)
def command() -> None:
    """Recruit people for a study at Prolific, and pay them. The token of your account there is in
    PROLIFIC_API_TOKEN.

    \b
    folkways studio prolific create verification --population wales --places 50 --reward 300 \
        --minutes 20 --address URL
    folkways studio prolific publish ID
    folkways studio prolific approve verification ID
    """


@command.command("create")
@click.argument("study")
@click.option(
    "--population", required=True, metavar="NAME", help="The population that people are recruited for."
)
@click.option("--places", required=True, type=WholeNumber(min=1), help="How many people.")
@click.option(
    "--reward", required=True, type=WholeNumber(min=1), help="For each, in hundredths: 300 is 3.00."
)
@click.option(
    "--minutes", required=True, type=WholeNumber(min=1), help="How long it takes, as people are told."
)
@click.option(
    "--description", metavar="TEXT", help="What people read before they begin, in place of the study's own."
)
@click.option("--days", type=WholeNumber(1, 365), default=90, help="How long the link lets people in.")
@click.option(
    "--address", metavar="URL", help="Where people's browsers find the studio: https://studio.example.org"
)
@place_options
def create(
    study: str,
    population: str,
    places: int,
    reward: int,
    minutes: int,
    description: str | None,
    days: int,
    address: str | None,
    workspace: str,
    server: str | None,
) -> None:
    """Make a study at Prolific that leads people here, with the completion codes of the study's file. Nobody
    sees it yet. Says so where the reward is below the local wage that the study states."""
    from folkways_studio.people.prolific import Prolific, Recruitment
    from folkways_studio.workflows.wordings import StudyTexts

    prolific = Prolific()
    with open_study_client(workspace, server) as client:
        definition = client.definition(study)
        codes = definition.get("prolific") or {}
        if not codes.get("completed"):
            raise FolkwaysError(
                f"{study} has no completion code: its file needs one, such as\nprolific:\n  completed: "
                "C1A2B3C4"
            )
        if server is None and address is None:
            raise FolkwaysError(
                "say where people's browsers find the studio: --address https://studio.example.org"
            )
        link = client.invite(study, "annotator", population, None, days, "for Prolific")
        base = (address or "").rstrip("/")
        link = link if "://" in link else f"{base}{link}"
        texts = StudyTexts(definition, ())
        about = description or (texts.about or texts.title).text
        study_id = prolific.create(Recruitment(texts.title.text, about, link, places, reward, minutes, codes))
    click.echo(wage_note(definition, population, reward, minutes), err=True, nl=False)
    click.echo(
        f"made the study {study_id} at Prolific; look at it there, then: "
        f"folkways studio prolific publish {study_id}"
    )


def wage_note(definition: Mapping[str, Any], population: str, reward: int, minutes: int) -> str:
    """A line that warns of a reward below the wage that a study's definition states for the population, or
    says that it states none; "" where the reward is enough. reward: in hundredths, for the minutes."""
    from folkways_studio.studies.offers import low_reward, wage_of

    if wage_of(definition, population) is None:
        return (
            f"note: the study states no local wage for {population} (pay.wages) to compare the reward with\n"
        )
    low = low_reward(definition, population, reward / 100, minutes)
    if low is None:
        return ""
    enough = ceil(low.wage * minutes * 100 / 60 - 1e-6)
    return (
        f"warning: {reward / 100:.2f} {low.currency} for {minutes} minutes come to {low.per_hour:.2f} an "
        f"hour, below the local wage that the study states for {population}: {low.wage:.2f}. Change it at "
        f"Prolific before you publish: {enough / 100:.2f} would not be below (--reward {enough})\n"
    )


@command.command("publish")
@click.argument("number", metavar="ID")
def publish(number: str) -> None:
    """Publish a study at Prolific. ID is the one that Prolific gave it."""
    from folkways_studio.people.prolific import Prolific

    click.echo(f"{number} is {Prolific().publish(number).lower()}")


@command.command("show")
@click.argument("number", metavar="ID")
def show(number: str) -> None:
    """Show the progress of a study at Prolific."""
    from collections import Counter

    from folkways_studio.people.prolific import Prolific

    prolific = Prolific()
    row = prolific.show(number)
    click.echo(f"{row['name']}: {str(row['status']).lower()}, {row['total_available_places']} places")
    for status, count in sorted(Counter(each.status for each in prolific.submissions(number)).items()):
        click.echo(f"  {status.lower()}: {count}")


@command.command("top-up")
@click.argument("number", metavar="ID")
@click.option("--places", required=True, type=WholeNumber(min=1), help="How many people in all.")
def top_up(number: str, places: int) -> None:
    """Offer a study at Prolific to more people."""
    from folkways_studio.people.prolific import Prolific

    before = Prolific().top_up(number, places)
    click.echo(f"{number} has {places} places, {places - before} more than before")


@command.command("approve")
@click.argument("study")
@click.argument("number", metavar="ID")
@click.option("--dry-run", is_flag=True, help="Only say who would be.")
@with_study_client
def approve(client: StudyClient, study: str, number: str, dry_run: bool) -> None:
    """Pay the reward to everybody who awaits review at Prolific, has answered here since they came by its
    study ID, and is to have the code for that. Others are listed and not paid."""
    from folkways.sdk.display import plural
    from folkways_studio.people.prolific import Prolific, review

    prolific = Prolific()
    completed = (client.definition(study).get("prolific") or {}).get("completed")
    answered, others = review(prolific.submissions(number), client.payments(study), number, completed)
    if answered and not dry_run:
        prolific.approve(answered)
    click.echo(f"{'would approve' if dry_run else 'approved'} {plural(len(answered), 'submission')}")
    for each, why in others.items():
        click.echo(f"left for you to look at: {each.id} of {each.participant}, {why}", err=True)


@command.command("bonus")
@click.argument("study")
@click.argument("number", metavar="ID")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.csv")
@click.option("--pay", is_flag=True, help="Pay them; without it, only say what they would cost.")
@with_study_client
def bonus(client: StudyClient, study: str, number: str, file: Path, pay: bool) -> None:
    """Pay bonuses: a table with the columns participant (a pseudonym) and amount (4.25), each person once."""
    from folkways.sdk.display import plural
    from folkways_studio.people.prolific import Prolific, batches

    prolific = Prolific()
    external_ids = {each["pseudonym"]: each["external"] for each in client.payments(study)}
    amounts = read_bonuses(file, external_ids)
    for batch in batches(amounts):
        payment, total = prolific.set_up_bonuses(number, batch)
        if pay:
            prolific.pay_bonuses(payment)
        verb = "paid" if pay else "would pay"
        click.echo(
            f"{verb} {plural(len(batch), 'bonus', 'bonuses')}, {sum(batch.values()):.2f} ({total:.2f} with "
            "fees)"
        )
    if not pay:
        click.echo("nothing was paid; add --pay to do so", err=True)


def read_bonuses(file: Path, external_ids: dict[str, str | None]) -> dict[str, Decimal]:
    """Id at Prolific -> amount. external_ids: pseudonym -> id there. DataError names the first bad row."""
    from folkways_studio.items.table_files import numbered, read_rows

    amounts: dict[str, Decimal] = {}
    for number, row in numbered(read_rows(file)):
        person, text = row.get("participant", "").strip(), row.get("amount", "").strip()
        external_id = external_ids.get(person)
        if not external_id:
            raise DataError(
                f"{person!r} is nobody of this study who came by Prolific and answered", file=file, row=number
            )
        try:
            amount = Decimal(text)
        except InvalidOperation:
            amount = Decimal(0)
        if not (amount.is_finite() and 0 < amount < 10_000 and amount == round(amount, 2)):
            raise DataError(f"{text!r} is no amount; write 4.25", file=file, row=number)
        if external_id in amounts:
            raise DataError(f"{person} is there twice; give one amount", file=file, row=number)
        amounts[external_id] = amount
    if not amounts:
        raise DataError("holds no bonus; its columns are participant and amount", file=file)
    return amounts
