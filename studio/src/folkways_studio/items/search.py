"""Searches the items of a study by stage, population, state, words and answers; a page at a time, with exact
counts."""

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

ORDERS = ("disputed", "own", "key", "stage", "state", "answers")
"""What items are sorted by: disagreement, most first; when they came; their key, stage, state, or number of
answers."""

MOST_RANKED = 5000
"""Items with two or more answers that are ranked by disagreement; the rest follow in order of their ids."""


@dataclass(frozen=True, slots=True)
class ItemQuery:
    """Which items. words: somewhere in the key or content, in any case. of_people: answered by one of these
    participants.

    disputed: only those with differing answers. assigned: to anybody at all, or else to nobody.
    assigned_to_person, assigned_to_population: to the one with that id. numbers: only items with these ids.
    """

    stage_id: int | None = None
    population_id: int | None = None
    state: ItemState | None = None
    words: str = ""
    of_people: Collection[int] | None = None
    disputed: bool = False
    assigned: bool | None = None
    assigned_to_person: int | None = None
    assigned_to_population: int | None = None
    numbers: Collection[int] | None = None


@dataclass(frozen=True, slots=True)
class ItemPage:
    """Items in order, the total number, and the disagreement on those with two or more answers."""

    items: tuple[Item, ...]
    total: int
    disagreement: Mapping[int, float]


def find_items(
    workspace: Workspace, study_id: int, query: ItemQuery, *,
    order: str = "own", start: int = 0, limit: int = 25, reader: int | None = None,
) -> ItemPage:  # fmt: skip
    """The matching items from ``start`` on, at most ``limit``.

    workspace, study_id: the study. query: which items. order: one of ORDERS; ``-`` before it turns it round.
    reader: an account; items blind for it are not ranked,
    and their answers not counted.
    """
    items = schema.items
    where = _where(study_id, query)
    name, turned = order.removeprefix("-"), order.startswith("-")
    disagreement = (
        _disagreement(workspace, study_id, where, reader) if name == "disputed" or query.disputed else {}
    )
    if query.disputed:
        disagreement = {number: share for number, share in disagreement.items() if share > 0}
        where.append(items.c.id.in_(disagreement))
    sign = 1 if turned else -1
    ranked = (
        sorted(disagreement, key=lambda number: (sign * disagreement[number], number))
        if name == "disputed"
        else []
    )
    ids = ranked[start : start + limit]
    statement = sa.select(items).where(*where)
    by_id = (
        {item.id: item for item in read_all(workspace, Item, statement.where(items.c.id.in_(ids)))}
        if ids
        else {}
    )
    page = [by_id[number] for number in ids if number in by_id]
    with workspace.read() as connection:
        total = count(connection, items, *where)
        if len(ids) < limit:
            rest = _ordered(statement, name, turned, study_id, blind_items(connection, study_id, reader))
            rest = rest.where(items.c.id.not_in(ranked)) if ranked else rest
            rest = rest.offset(max(0, start - len(ranked))).limit(limit - len(ids))
            page += [from_row(Item, row) for row in connection.execute(rest)]
    return ItemPage(tuple(page), total, disagreement)


def _ordered(
    statement: sa.Select[Any], name: str, turned: bool, study_id: int, blind: sa.Select[tuple[int]] | None
) -> sa.Select[Any]:
    """The items of a statement in one of ORDERS, then as they came; those that are ranked by disagreement
    are for the caller. blind: the items whose answers are not counted."""
    items, judgements, people, stages = schema.items, schema.judgements, schema.participants, schema.stages
    column: sa.ColumnElement[Any]
    if name == "answers":
        left = sa.select(people.c.id).where(people.c.study_id == study_id, people.c.state.in_(LEFT_OUT))
        counted = sa.select(sa.func.count()).where(
            judgements.c.item_id == items.c.id,
            judgements.c.participant_id.not_in(left),
            *([judgements.c.item_id.not_in(blind)] if blind is not None else []),
        )
        column = counted.correlate(items).scalar_subquery()
    elif name == "stage":
        statement = statement.join(stages, stages.c.id == items.c.stage_id)
        column = stages.c.position
    elif name in ("key", "state"):
        column = items.c[name]
    else:
        return statement.order_by(items.c.id.desc() if turned and name == "own" else items.c.id)
    return statement.order_by(column.desc() if turned else column, items.c.id)


def find_ids(
    workspace: Workspace, study_id: int, query: ItemQuery, *, most: int, reader: int | None = None
) -> list[int]:
    """The ids of matching items, at most ``most``. workspace, study_id: the study. query, reader: as in
    ``find_items``."""
    where = _where(study_id, query)
    if query.disputed:
        return sorted(
            number for number, share in _disagreement(workspace, study_id, where, reader).items() if share > 0
        )[:most]
    return read_values(
        workspace, sa.select(schema.items.c.id).where(*where).order_by(schema.items.c.id).limit(most)
    )


def _where(study_id: int, query: ItemQuery) -> list[sa.ColumnElement[bool]]:
    items, judgements = schema.items, schema.judgements
    named = (
        (items.c.stage_id, query.stage_id),
        (items.c.population_id, query.population_id),
        (items.c.state, query.state),
    )
    where = [items.c.study_id == study_id, *(column == value for column, value in named if value is not None)]
    if words := query.words.strip():
        stored = orjson.dumps(words).decode()[1:-1]  # as JSON encodes them
        content = sa.type_coerce(items.c.content, sa.Text())
        where.append(
            sa.or_(items.c.key.icontains(words, autoescape=True), content.icontains(stored, autoescape=True))
        )
    if query.assigned is not None:
        is_assigned = items.c.allocation_id.is_not(None)
        where.append(is_assigned if query.assigned else ~is_assigned)
    assignees = schema.assignees
    for column, number in (
        (assignees.c.participant_id, query.assigned_to_person),
        (assignees.c.population_id, query.assigned_to_population),
    ):
        if number is not None:
            theirs = sa.select(assignees.c.allocation_id).where(column == number)
            where.append(items.c.allocation_id.in_(theirs))
    if query.numbers is not None:
        where.append(items.c.id.in_(query.numbers))
    if query.of_people is not None:
        where.append(
            sa.exists().where(
                judgements.c.item_id == items.c.id, judgements.c.participant_id.in_(query.of_people)
            )
        )
    return where


def _disagreement(
    workspace: Workspace, study_id: int, where: Sequence[sa.ColumnElement[bool]], reader: int | None
) -> dict[int, float]:
    """The disagreement on each of MOST_RANKED items with two or more answers, where it is defined and the
    items are not blind for the reader."""
    with workspace.read() as connection:
        blind = blind_items(connection, study_id, reader)
    items, judgements, people, stages = schema.items, schema.judgements, schema.participants, schema.stages
    counted = people.c.state.not_in(LEFT_OUT)
    several = (
        sa.select(judgements.c.item_id)
        .join(items, items.c.id == judgements.c.item_id)
        .join(people, people.c.id == judgements.c.participant_id)
        .where(*where, counted, *([items.c.id.not_in(blind)] if blind is not None else []))
        .group_by(judgements.c.item_id)
        .having(sa.func.count() > 1)
        .order_by(judgements.c.item_id)
        .limit(MOST_RANKED)
        .subquery()
    )
    query = (
        sa.select(judgements.c.item_id, judgements.c.payload, stages.c.kind)
        .join(several, several.c.item_id == judgements.c.item_id)
        .join(people, people.c.id == judgements.c.participant_id)
        .join(stages, stages.c.id == judgements.c.stage_id)
        .where(counted)
        .order_by(judgements.c.id)
    )
    labels: dict[int, list[Mapping[str, Any]]] = {}
    with workspace.read() as connection:
        for row in connection.execute(query):
            labels.setdefault(row.item_id, []).append(stage_kind(row.kind).labels(row.payload))
    shares = spread(list(labels.values())).apart.tolist()
    return {number: share for number, share in zip(labels, shares, strict=True) if not isnan(share)}


def judgements_of(workspace: Workspace, numbers: Sequence[int]) -> dict[int, list[Judgement]]:
    """Item id -> its original judgements in order of arrival, without those of people who are LEFT_OUT."""
    judgements, people = schema.judgements, schema.participants
    query = (
        sa.select(judgements)
        .join(people, people.c.id == judgements.c.participant_id)
        .where(judgements.c.item_id.in_(numbers), people.c.state.not_in(LEFT_OUT))
        .order_by(judgements.c.id)
    )
    by_item: dict[int, list[Judgement]] = {}
    for each in read_all(workspace, Judgement, query):
        by_item.setdefault(each.item_id, []).append(each)
    return by_item
