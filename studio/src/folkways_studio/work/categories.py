"""How many questions of each category a population writes, and by how many people (BLEnD, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import Message, SubmissionError
from folkways_studio.records import Item, ItemState, Stage

NO_PLACE = Message("No more questions about this are needed from you. Choose another category.")


@dataclass(frozen=True, slots=True)
class CategoryCount:
    """What one population has written of one category. lacking, people_lacking: questions and people to the
    least that the stage asks for."""

    population_id: int
    category: str
    questions: int
    people: int
    lacking: int
    people_lacking: int


def check_category(connection: sa.Connection, item: Item, stage: Stage, payload: Mapping[str, Any]) -> None:
    """Raise SubmissionError where the population of an item that is submitted has no place left in its
    category for this author.

    connection: of the transaction that stores it; payload: what is submitted, with ``category``.
    The stage's row is locked until the transaction ends: two people cannot both take the last place.
    """
    if stage.config.get("per_category") is None:
        return
    connection.execute(sa.select(schema.stages.c.id).filter_by(id=stage.id).with_for_update(key_share=True))
    full = full_categories(connection, stage, item.population_id, item.author_id)
    if why := full.get(payload["category"]):
        raise SubmissionError({"category": Message(NO_PLACE, f"{why}; choose another category")})


def full_categories(
    connection: sa.Connection, stage: Stage, population_id: int | None, author_id: int | None
) -> dict[str, str]:
    """Category -> why its population (population_id) has no place left in it for an author (author_id); no
    others. connection, stage: of the caller."""
    most = stage.config.get("per_category")
    if most is None:
        return {}
    by_category = _authors(connection, stage, population_id)
    full = {}
    for category in stage.config["categories"]:
        authors = by_category.get((population_id, category), Counter())
        reserved = max(0, stage.config["people_per_category"] - len({*authors, author_id}))
        written = authors.total()
        if written >= most:
            full[category] = f"all {most} questions about it are there"
        elif written + reserved >= most:
            reason = f"{written} of {most} questions about it are there"
            full[category] = f"{reason}; the last are kept for other people"
    return full


def category_counts(workspace: Workspace, stage: Stage, populations: list[int]) -> list[CategoryCount]:
    """A count for every population and category of a stage, in their order."""
    with workspace.read() as connection:
        authors = _authors(connection, stage)
    counts = []
    for population in populations:
        for category in stage.config["categories"]:
            written = authors.get((population, category), Counter())
            least, people = stage.config["least_per_category"] or 0, stage.config["people_per_category"]
            counts.append(
                CategoryCount(
                    population,
                    category,
                    written.total(),
                    len(written),
                    max(0, least - written.total()),
                    max(0, people - len(written)),
                )
            )
    return counts


def _authors(
    connection: sa.Connection, stage: Stage, population: int | None = None
) -> dict[tuple[int | None, str], Counter[int | None]]:
    """(population, category) -> author -> questions that were submitted and not dropped."""
    items = schema.items
    wanted = sa.select(items.c.population_id, items.c.author_id, items.c.result).where(
        items.c.stage_id == stage.id,
        items.c.state.not_in([str(ItemState.DROPPED), str(ItemState.DRAFT)]),
        *([] if population is None else [items.c.population_id == population]),
    )
    counts: dict[tuple[int | None, str], Counter[int | None]] = {}
    for row in connection.execute(wanted):
        category = (row.result or {}).get("category")
        if category is not None:
            counts.setdefault((row.population_id, category), Counter())[row.author_id] += 1
    return counts
