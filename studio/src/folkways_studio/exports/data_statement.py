"""Who the people of a study are, in the sentences of a data card: as a data statement has them (Bender and
Friedman 2018, doi 10.1162/tacl_a_00041), and never a group of fewer than FEWEST people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from folkways.sdk.cultures import get_culture, language_name
from folkways_studio.exports.demographics import EVERYBODY, FEWEST
from folkways_studio.exports.snapshot import StudySnapshot
from folkways_studio.stages.parts.form_fields import in_digits
from folkways_studio.studies.offers import Offer

Offers = Mapping[str, Offer]
"""Title of a population -> what its people are offered."""


def people_in_words(number: int) -> str:
    """A number of people; only that they are few where they are fewer than FEWEST."""
    return f"{number} people" if number >= FEWEST else f"Fewer than {FEWEST} people"


def recruited(snapshot: StudySnapshot) -> Iterator[str]:
    """A phrase for each population: region, language, and how many people of it are in the data."""
    for number, population in snapshot.populations.items():
        people = {
            each.participant_id
            for item in snapshot.items.values()
            if item.population_id == number
            for each in snapshot.judgements[item.id]
        }
        if people:
            region, language = get_culture(population.culture).name, language_name(population.language)
            yield f"{population.title}: {region}, {language}, {people_in_words(len(people)).lower()}"


def shares(demographics: pl.DataFrame | None) -> Iterator[str]:
    """A phrase for each recruitment question and population: the shares of its answers.

    demographics: DEMOGRAPHICS, which has no count below FEWEST; None where no population was asked anything.
    """
    if demographics is None:
        return
    answered = demographics.filter(pl.col("question") != EVERYBODY)
    for (population, question), rows in answered.group_by("population", "question", maintain_order=True):
        answers = ", ".join(
            f"{answer} {percent:.0f} %" for answer, percent in rows["answer", "percent"].iter_rows()
        )
        yield f"{population}, {question}: {answers}"


def pay_sentences(offers: Offers) -> Iterator[str]:
    """What people are paid, population by population, against the local wage that the study states."""
    paid = {title: offer for title, offer in offers.items() if offer.rate is not None}
    if not paid:
        yield "The study states no pay."
    for title, offer in paid.items():
        rate, wage = offer.rate, offer.wage
        if rate is None:
            continue
        parts = [
            f"{in_digits(amount)} {rate.currency} {what}"
            for amount, what in ((rate.per_hour, "an hour"), (rate.per_answer, "an answer"))
            if amount
        ]
        local = (
            ""
            if wage is None
            else f"; the local wage is {in_digits(wage.per_hour)} {wage.currency} an hour ({wage.source})"
        )
        yield f"{title}: {' and '.join(parts) or f'0 {rate.currency}'}{local}."


def statement(snapshot: StudySnapshot, demographics: pl.DataFrame | None, offers: Offers) -> str:
    """The section of the card: regions and languages, what people said of themselves, and their pay."""
    parts = [
        ("Regions and languages", recruited(snapshot)),
        ("What they said of themselves", shares(demographics)),
        ("Pay", pay_sentences(offers)),
    ]
    sections = (
        f"**{title}**\n\n" + "\n".join(f"- {_line(text)}" for text in texts)
        for title, each in parts
        if (texts := list(each))
    )
    counted = f"Groups of fewer than {FEWEST} people are not counted, or counted with others."
    return "\n\n".join((*sections, counted))


def _line(text: str) -> str:
    return text.replace("\n", " ").replace("<", "&lt;")
