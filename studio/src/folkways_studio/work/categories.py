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
    most = stage.config.get("per_category")
    if most is None:
        return
    connection.execute(sa.select(schema.stages.c.id).filter_by(id=stage.id).with_for_update(key_share=True))
    category = payload["category"]
    authors = _authors(connection, stage, item.population_id).get((item.population_id, category), Counter())
    others = {*authors, item.author_id}
    reserved = max(0, stage.config["people_per_category"] - len(others))
    if authors.total() + reserved >= most:
        why = (
            f"{authors.total()} of {most} questions about it are there; the last are kept for other people"
            if authors.total() < most
            else f"all {most} questions about it are there"
        )
        named = f"{why}; choose another category"
        raise SubmissionError(
            {
                "category": Message(
                    "No more questions about this are needed from you. Choose another category.", named
                )
            }
        )


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
