"""Finding items of a study: by stage, population, state, words, and what people said of them; a page at a
time, truly counted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import orjson
import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import count, read_all, read_values
from folkways_studio.records import LEFT_OUT, Item, ItemState, Judgement, from_row
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.spread import spread
from folkways_studio.work.blinding import blind_items

MOST_RANKED = 5000
"""Items with two answers or more that are put in order of disagreement; those beyond come after them, in
their own order."""


@dataclass(frozen=True, slots=True)
class ItemQuery:
    """Which items. words: somewhere in the item's key or content, in any case. of_people: answered by one of
    these participants.

    disputed: only those of which people said different things.
    """

    stage_id: int | None = None
    population_id: int | None = None
    state: ItemState | None = None
    words: str = ""
    of_people: Collection[int] | None = None
    disputed: bool = False


@dataclass(frozen=True, slots=True)
class ItemPage:
    """Items in order, how many there are in all, and how far people are apart on those of them that two or
    more have answered."""

    items: tuple[Item, ...]
    total: int
    disagreement: Mapping[int, float]


def find_items(
    workspace: Workspace, study_id: int, wanted: ItemQuery, *,
    by_disagreement: bool = False, start: int = 0, limit: int = 25, reader: int | None = None,
) -> ItemPage:  # fmt: skip
    """The items from ``start`` on, in order of their ids or the most disputed first. reader: an account;
    items blind for it have no place in that order.
    """
    items = schema.items
    where = _where(study_id, wanted)
    query = sa.select(items).where(*where).order_by(items.c.id)
    apart = _disagreement(workspace, study_id, where, reader) if by_disagreement or wanted.disputed else {}
    if wanted.disputed:
        apart = {number: share for number, share in apart.items() if share > 0}
    ranked = sorted(apart, key=lambda number: (-apart[number], number)) if by_disagreement else sorted(apart)
    chosen = ranked[start : start + limit]
    found = (
        {item.id: item for item in read_all(workspace, Item, query.where(items.c.id.in_(chosen)))}
        if chosen
        else {}
    )
    page = [found[number] for number in chosen if number in found]
    if wanted.disputed:
        return ItemPage(tuple(page), len(ranked), apart)
    with workspace.read() as connection:
        total = count(connection, items, *where)
        rest = query.where(items.c.id.not_in(ranked)) if ranked else query
        rest = rest.offset(max(0, start - len(ranked))).limit(limit - len(chosen))
        page += [from_row(Item, row) for row in connection.execute(rest)]
    return ItemPage(tuple(page), total, apart)


def find_ids(
    workspace: Workspace, study_id: int, wanted: ItemQuery, *, most: int, reader: int | None = None
) -> list[int]:
    """The ids of such items, so many at most. reader: as in ``find_items``."""
    where = _where(study_id, wanted)
    if wanted.disputed:
        return sorted(
            number for number, share in _disagreement(workspace, study_id, where, reader).items() if share > 0
        )[:most]
    return read_values(
        workspace, sa.select(schema.items.c.id).where(*where).order_by(schema.items.c.id).limit(most)
    )


def _where(study_id: int, wanted: ItemQuery) -> list[sa.ColumnElement[bool]]:
    items, said = schema.items, schema.judgements
    named = (
        (items.c.stage_id, wanted.stage_id),
        (items.c.population_id, wanted.population_id),
        (items.c.state, wanted.state),
    )
    where = [items.c.study_id == study_id, *(column == value for column, value in named if value is not None)]
    if words := wanted.words.strip():
        stored = orjson.dumps(words).decode()[1:-1]  # as the words stand in the column's JSON
        content = sa.type_coerce(items.c.content, sa.Text())
        where.append(
            sa.or_(items.c.key.icontains(words, autoescape=True), content.icontains(stored, autoescape=True))
        )
    if wanted.of_people is not None:
        where.append(
            sa.exists().where(said.c.item_id == items.c.id, said.c.participant_id.in_(wanted.of_people))
        )
    return where


def _disagreement(
    workspace: Workspace, study_id: int, where: Sequence[sa.ColumnElement[bool]], reader: int | None
) -> dict[int, float]:
    """How far people are apart on each of MOST_RANKED items that have two answers or more; only where that
    can be said, and where the items are not blind for the reader.
    """
    with workspace.read() as connection:
        blind = blind_items(connection, study_id, reader)
    items, said, people, stages = schema.items, schema.judgements, schema.participants, schema.stages
    counted = people.c.state.not_in(LEFT_OUT)
    several = (
        sa.select(said.c.item_id)
        .join(items, items.c.id == said.c.item_id)
        .join(people, people.c.id == said.c.participant_id)
        .where(*where, counted, *([items.c.id.not_in(blind)] if blind is not None else []))
        .group_by(said.c.item_id)
        .having(sa.func.count() > 1)
        .order_by(said.c.item_id)
        .limit(MOST_RANKED)
        .subquery()
    )
    query = (
        sa.select(said.c.item_id, said.c.payload, stages.c.kind)
        .join(several, several.c.item_id == said.c.item_id)
        .join(people, people.c.id == said.c.participant_id)
        .join(stages, stages.c.id == said.c.stage_id)
        .where(counted)
        .order_by(said.c.id)
    )
    labels: dict[int, list[Mapping[str, Any]]] = {}
    with workspace.read() as connection:
        for row in connection.execute(query):
            labels.setdefault(row.item_id, []).append(stage_kind(row.kind).labels(row.payload))
    shares = spread(list(labels.values())).apart.tolist()
    return {number: share for number, share in zip(labels, shares, strict=True) if not isnan(share)}


def judgements_of(workspace: Workspace, numbers: Sequence[int]) -> dict[int, list[Judgement]]:
    """Item id -> its judgements in order of arrival, as they were first, without those of people who are
    LEFT_OUT."""
    said, people = schema.judgements, schema.participants
    query = (
        sa.select(said)
        .join(people, people.c.id == said.c.participant_id)
        .where(said.c.item_id.in_(numbers), people.c.state.not_in(LEFT_OUT))
        .order_by(said.c.id)
    )
    found: dict[int, list[Judgement]] = {}
    for each in read_all(workspace, Judgement, query):
        found.setdefault(each.item_id, []).append(each)
    return found
