"""What becomes of an item after an answer: more slots, a result, a subpopulation, the next stage; all in one
transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from folkways.sdk.studies import Vote
from folkways.sdk.workspace import Json
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows, get_row
from folkways_studio.items.service import add_slots, close_open_slots, place_item, place_items
from folkways_studio.records import LEFT_OUT, AssignmentState, Item, ItemState, Stage, from_row
from folkways_studio.stages.base import Arrival, Decision
from folkways_studio.stages.registry import stage_kind

# Every answer asks these: they are made once, as making a statement costs more than running it.
_LAST = (
    sa.select(schema.corrections.c.payload)
    .where(schema.corrections.c.judgement_id == schema.judgements.c.id)
    .order_by(schema.corrections.c.id.desc())
    .limit(1)
    .scalar_subquery()
)
_slots = schema.assignments
_LIVE = (
    sa.select(sa.func.count())
    .where(
        _slots.c.item_id == sa.bindparam("item", type_=sa.Integer),
        _slots.c.state.in_((AssignmentState.OPEN, AssignmentState.LEASED)),
    )
    .scalar_subquery()
)
_VOTES = (
    sa.select(
        schema.participants.c.pseudonym,
        sa.func.coalesce(_LAST, schema.judgements.c.payload, type_=Json()).label("payload"),
        _LIVE.label("live"),
    )
    .join(schema.participants, schema.participants.c.id == schema.judgements.c.participant_id)
    .where(
        schema.judgements.c.item_id == sa.bindparam("item", type_=sa.Integer),
        schema.participants.c.state.not_in(LEFT_OUT),
    )
    .order_by(schema.judgements.c.id)
)


_wider, _populations = schema.populations.alias("wider"), schema.populations
_TARGET = (
    sa.select(schema.stages, _populations.c.id.label("place"), _populations.c.name.label("place_name"))
    .select_from(schema.stages)
    .outerjoin(
        _populations,
        sa.and_(
            _populations.c.study_id == schema.stages.c.study_id,
            ~sa.exists().where(_wider.c.parent_id == _populations.c.id),
        ),
    )
    .where(schema.stages.c.study_id == sa.bindparam("study"), schema.stages.c.name == sa.bindparam("name"))
    .order_by(_populations.c.id)
)
"""A stage, with each population that has no parts."""


def apply_rule_to_answers_of(connection: sa.Connection, participant_id: int) -> None:
    """Apply the rule again to every item that somebody has answered: whether their answers count has
    changed."""
    judged = connection.scalars(
        sa.select(schema.judgements.c.item_id).filter_by(participant_id=participant_id)
    ).all()
    for item_id in sorted(set(judged)):
        apply_rule_again(connection, item_id)


def apply_rule_again(connection: sa.Connection, item_id: int) -> None:
    """Apply the stage's rule to the answers that an item has left. The item's row is locked here.

    An item that is done is looked at once more, unless something descends from it.
    """
    item = from_row(Item, get_row(connection, schema.items, id=item_id, lock="row"))
    stage = from_row(Stage, get_row(connection, schema.stages, id=item.stage_id))
    apply_rule(connection, item, stage, reopen=True)


def apply_rule(connection: sa.Connection, item: Item, stage: Stage, *, reopen: bool = False) -> None:
    """Apply a stage's rule to its item. The caller's connection holds the item's row, and item and stage
    were read since.

    reopen: see ``apply_rule_again``.
    """
    if item.check is not None or not may_change(connection, item, reopen):
        return
    kind = stage_kind(stage.kind)
    votes, live = votes_and_live(connection, item.id)
    decision = kind.decide(votes, item.content, stage.config)
    if decision.outcome == "wait":
        _wait(connection, item, decision.missing - live)
        return
    if live:
        close_open_slots(connection, item.id)
    if decision.outcome == "subpopulation":
        _subpopulation(connection, item, stage, decision)
    elif decision.outcome == "dropped":
        _end(connection, item, ItemState.DROPPED, decision)
    else:
        _end(connection, item, ItemState.DONE, decision)
        follow_branch(connection, item, stage, decision.branch, decision.result, votes)


def may_change(connection: sa.Connection, item: Item, reopen: bool) -> bool:
    """Whether the rule may still decide over an item; see ``apply_rule_again``."""
    if item.state == ItemState.OPEN or item.state == ItemState.DRAFT:
        return True
    if not reopen or item.result is None:  # without a result: it was taken out by hand
        return False
    return (
        not has_children(connection, item.id)
        and connection.scalar(sa.select(schema.adjudications.c.id).filter_by(item_id=item.id)) is None
    )


def has_children(connection: sa.Connection, item_id: int) -> bool:
    """Whether something descends from an item, questions of known answer that were made of it aside."""
    children = sa.select(schema.items.c.id).filter_by(parent_id=item_id).where(schema.items.c.check.is_(None))
    return connection.scalar(children.limit(1)) is not None


def votes_of(connection: sa.Connection, item_id: int) -> list[Vote]:
    """The judgements of an item in order of arrival, without those of people who withdrew or are excluded;
    each as it was corrected last.
    """
    return votes_and_live(connection, item_id)[0]


def votes_and_live(connection: sa.Connection, item_id: int) -> tuple[list[Vote], int]:
    """``votes_of`` an item, and how many of its slots are open or being worked on."""
    rows = connection.execute(_VOTES, {"item": item_id}).all()
    live = rows[0].live if rows else connection.scalar(sa.select(_LIVE), {"item": item_id})
    return [Vote(row.pseudonym, row.payload) for row in rows], int(live or 0)


def _wait(connection: sa.Connection, item: Item, more: int) -> None:
    """Have ``more`` slots, fewer where it is below 0: as many are open or being worked on as answers are
    missing, never more."""
    table = schema.assignments
    if item.state != ItemState.OPEN:
        values = {"state": str(ItemState.OPEN), "result": None, "reason": None}
        change_rows(connection, schema.items, {"id": item.id}, **values)
    add_slots(connection, item.id, item.stage_id, item.population_id, more)
    if more < 0:  # somebody's answer counts again
        open_slots = sa.select(table.c.id).where(
            table.c.item_id == item.id, table.c.state == AssignmentState.OPEN
        )
        slots = list(
            connection.scalars(open_slots.order_by(table.c.slot.desc()).limit(-more).with_for_update())
        )
        connection.execute(
            sa.update(table).where(table.c.id.in_(slots)).values(state=str(AssignmentState.CLOSED))
        )


def _end(
    connection: sa.Connection, item: Item, state: ItemState, decision: Decision, reason: str | None = None
) -> None:
    values = {
        "state": str(state),
        "result": dict(decision.result),
        "reason": reason or decision.reason or None,
    }
    change_rows(connection, schema.items, {"id": item.id}, **values)
    audit.record_event(connection, f"item.{state}", study_id=item.study_id, subject=f"item:{item.id}")


def _subpopulation(connection: sa.Connection, item: Item, stage: Stage, decision: Decision) -> None:
    """Ask the parts of the item's population, each in a round of its own; without parts the item is
    dropped."""
    parts: list[int] = []
    if item.population_id is not None:
        query = (
            sa.select(schema.populations.c.id)
            .filter_by(parent_id=item.population_id)
            .order_by(schema.populations.c.id)
        )
        parts = list(connection.scalars(query))
    if not parts:
        return _end(connection, item, ItemState.DROPPED, decision)
    _end(connection, item, ItemState.DROPPED, decision, f"{decision.reason}; asked again of a subpopulation")
    for number, part in enumerate(parts):
        key = item.key if len(parts) == 1 else f"{item.key}-{number + 1}"
        place_item(connection, stage, key, item.content, item, part, round=item.round + 1)
    return None


def follow_branch(
    connection: sa.Connection,
    item: Item,
    stage: Stage,
    branch: str,
    result: Mapping[str, Any],
    votes: Sequence[Vote],
) -> None:
    """Create the item that a done item becomes in the stage that its branch leads to, on the caller's
    connection. result: of the item; votes: as ``votes_of`` reads them."""
    name = stage.config["next"].get(branch)
    if name is None:
        return
    rows = connection.execute(_TARGET, {"study": item.study_id, "name": name}).all()
    target = from_row(Stage, rows[0], schema.stages)
    keys: dict[int | None, str] = {item.population_id: item.key}
    if target.config["for_each_population"]:
        keys = {row.place: f"{item.key}@{row.place_name}" for row in rows if row.place is not None}
    _hand_on(connection, item, stage, target, keys, result, votes)


def _hand_on(
    connection: sa.Connection,
    item: Item,
    stage: Stage,
    target: Stage,
    keys: Mapping[int | None, str],
    result: Mapping[str, Any],
    votes: Sequence[Vote],
) -> None:
    """Place the descendants of ``item`` into ``target``: one for each population of ``keys``."""
    content = stage_kind(stage.kind).hand_on(item.content, result, stage.config)
    content = stage_kind(target.kind).take_over(
        content, Arrival(stage.kind, stage.config, votes), target.config
    )
    settled = stage_kind(target.kind).on_arrival(content, target.config)
    placed = place_items(connection, target, keys, content, item, slots=settled is None)
    if settled is None:
        return
    for number, (population_id, key) in zip(placed, keys.items(), strict=True):
        child = replace(
            item,
            id=number,
            parent_id=item.id,
            stage_id=target.id,
            population_id=population_id,
            key=key,
            content=content,
        )
        _end(connection, child, ItemState.DONE, settled)
        follow_branch(connection, child, target, settled.branch, settled.result, ())
