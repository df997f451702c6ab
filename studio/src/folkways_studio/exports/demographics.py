"""Who the people of a study are, as counts of their answers to the recruitment questions (BLEnD, Tables 5 and
6).

A count below FEWEST people is never told, and cannot be worked out from the others of its table. Tables of
two dates can tell what one person answered who came between them: publish one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
import sqlalchemy as sa

from folkways.sdk.files import Schema
from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.exports.snapshot import StudySnapshot

DEMOGRAPHICS: Schema = {
    "population": pl.String,
    "question": pl.String,  # name of the criterion; EVERYBODY for the number of people
    "answer": pl.String,  # FEW for answers of fewer than FEWEST people each, pooled
    "people": pl.Int64,  # null for a population of fewer than FEWEST
    "percent": pl.Float64,  # of the people of the population
}

FEWEST = 5
EVERYBODY = "(people)"
FEW = "(other answers)"
NOT_SAID = "(not said)"
TOO_FEW = f"(fewer than {FEWEST})"
BAND = 10
"""Width of the bands that numbers are counted in."""


def demographic_table(workspace: Workspace, snapshot: StudySnapshot) -> pl.DataFrame:
    """DEMOGRAPHICS of the people whose answers the snapshot has, population by population; without rows where
    no population asks anything. workspace: that of the snapshot."""
    populations = {number: each for number, each in snapshot.populations.items() if each.criteria}
    people = schema.participants
    rows: list[tuple[Any, ...]] = []
    with workspace.read() as connection:
        joined = connection.execute(
            sa.select(people.c.id, people.c.population_id).where(people.c.study_id == snapshot.study.id)
        )
        members: dict[int, list[int]] = {number: [] for number in populations}
        for person, population in joined:
            if person in snapshot.people and population in members:
                members[population].append(person)
        stored = schema.attributes
        answers: dict[int, dict[str, str]] = {}
        for person, name, value in connection.execute(
            sa.select(stored.c.participant_id, stored.c.name, stored.c.value)
            .join(people, people.c.id == stored.c.participant_id)
            .where(people.c.study_id == snapshot.study.id)
        ):
            answers.setdefault(person, {})[name] = value
    for number, population in populations.items():
        ids = members[number]
        if len(ids) < FEWEST:
            rows.append((population.name, EVERYBODY, TOO_FEW, None, None))
            continue
        rows.append((population.name, EVERYBODY, EVERYBODY, len(ids), 100.0))
        for criterion in population.criteria:
            values = [answers.get(person, {}).get(criterion["name"], "") for person in ids]
            for answer, count in counted(values, criterion):
                rows.append((population.name, criterion["name"], answer, count, 100 * count / len(ids)))
    return pl.DataFrame(rows, schema=dict(DEMOGRAPHICS), orient="row")


def counted(answers: Sequence[str], criterion: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Each answer with its number of people, options in their order and others by frequency; small counts as
    FEW.

    answers: one per person, "" where it is not known. criterion: the question, as a study describes it.
        Numbers are counted in bands (``20-29``). Answers of fewer than FEWEST people are pooled; while the
        pool has fewer than FEWEST people itself, the next smallest count joins it.
    """
    options = [str(each) for each in criterion.get("options", ())]
    numeric = "least" in criterion or "most" in criterion
    counts = Counter(_shown(answer, options, numeric) for answer in answers)
    small = {answer for answer, count in counts.items() if count < FEWEST or answer == FEW}
    rest = sorted(
        (answer for answer in counts if answer not in small), key=lambda answer: (counts[answer], answer)
    )
    while small and sum(counts[answer] for answer in small) < FEWEST and rest:
        small.add(rest.pop(0))
    order = [
        *options,
        *sorted(rest, key=lambda answer: (answer == NOT_SAID, -counts[answer] * (not numeric), answer)),
    ]
    for answer in dict.fromkeys(order):
        if answer in counts and answer not in small:
            yield answer, counts[answer]
    if small:
        yield FEW, sum(counts[answer] for answer in small)


def without_small(counts: Mapping[str, int]) -> dict[str, int | None]:
    """The counts of people in each group; None for fewer than FEWEST, and for the next smallest too where the
    others would tell how many these are."""
    shown: dict[str, int | None] = dict(counts)
    hidden = 0
    for name in sorted(counts, key=lambda name: (counts[name], name)):
        if counts[name] and (counts[name] < FEWEST or 0 < hidden < FEWEST):
            hidden += counts[name]
            shown[name] = None
    return shown


def _shown(answer: str, options: Sequence[str], numeric: bool) -> str:
    """The answer as it is counted."""
    answer = " ".join(answer.split())
    if not answer:
        return NOT_SAID
    if numeric:
        try:
            least = int(float(answer) // BAND) * BAND
        except (ValueError, OverflowError):
            return FEW  # words in place of a number, which may name somebody
        return f"{least}-{least + BAND - 1}"
    return next((option for option in options if option.casefold() == answer.casefold()), answer.casefold())
