"""Decisions of a researcher or expert in place of what the rule made of the judgements. The judgements stay
as they are."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows, get_row, read_all
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.items.service import close_open_slots, item_within
from folkways_studio.records import Adjudication, Item, ItemState, Stage, from_row
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.resolution import apply_rule_again, follow_branch, has_children, votes_of


def adjudicate(
    workspace: Workspace,
    study_id: int,
    item_id: int,
    account_id: int,
    decision: Mapping[str, Any],
    reason: str,
    *,
    drop: bool = False,
) -> Item:
    """Decide over an item of a study in the workspace: ``decision`` replaces the answers in its result and
    the dispute over them, and the item is done.

    account_id: who decides, and ``reason``: why; SubmissionError without one. drop: the item is dropped
    instead. study_id, item_id: the item, which goes on to the stage after it if it had not yet. The
    last decision counts; all are stored.
    """
    if not reason.strip():
        raise SubmissionError({"reason": "say why"})
    with workspace.write() as connection:
        item = item_within(connection, study_id, item_id, lock="row")
        values = {
            "item_id": item_id,
            "account_id": account_id,
            "decision": dict(decision),
            "reason": reason.strip(),
        }
        connection.execute(sa.insert(schema.adjudications).values(**values, created=time.time()))
        stage = from_row(Stage, get_row(connection, schema.stages, id=item.stage_id))
        keys = [part["key"] for part in stage_kind(stage.kind).asked(item.content, stage.config)]
        replaced = {*keys, "disputed"} if decision else ()
        earlier = {name: value for name, value in (item.result or {}).items() if name not in replaced}
        result = {**earlier, **decision, "adjudicated": True}
        state = ItemState.DROPPED if drop else ItemState.DONE
        change_rows(
            connection, schema.items, {"id": item_id}, state=str(state), result=result, reason=reason.strip()
        )
        close_open_slots(connection, item_id)
        audit.record_event(
            connection,
            "item.adjudicated",
            study_id=study_id,
            account_id=account_id,
            subject=f"item:{item_id}",
        )
        if not drop and not has_children(connection, item_id):
            follow_branch(connection, item, stage, "done", result, votes_of(connection, item_id))
        return from_row(Item, get_row(connection, schema.items, id=item_id))


def drop(workspace: Workspace, study_id: int, item_id: int, account_id: int, reason: str) -> Item:
    """Take an item (study_id, item_id) out of the workspace's data, whatever people answered. account_id,
    reason: who does it and why."""
    return adjudicate(workspace, study_id, item_id, account_id, {}, reason, drop=True)


def reopen(workspace: Workspace, study_id: int, item_id: int, account_id: int, reason: str) -> Item:
    """Undo that an item was dropped: its stage's rule decides again, and others are asked if answers are
    missing.

    workspace, study_id, item_id: the item. account_id, reason: who does it and why. ConflictError for
    an item that is not dropped, or that has descendants; SubmissionError without a reason.
    """
    if not reason.strip():
        raise SubmissionError({"reason": "say why"})
    items = schema.items
    with workspace.write() as connection:
        item = item_within(connection, study_id, item_id, lock="row")
        if item.state != ItemState.DROPPED or has_children(connection, item_id):
            raise ConflictError("this item is not dropped, or others have been made of it")
        change_rows(connection, items, {"id": item_id}, state=str(ItemState.OPEN), result=None, reason=None)
        subject, details = f"item:{item_id}", {"reason": reason.strip()}
        audit.record_event(
            connection,
            "item.reopened",
            study_id=study_id,
            account_id=account_id,
            subject=subject,
            details=details,
        )
        apply_rule_again(connection, item_id)
        return from_row(Item, get_row(connection, items, id=item_id))


def decision_of(stage: Stage, item: Item, submission: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the item's result is to be. SubmissionError where the answer that decides is not a whole one."""
    kind = stage_kind(stage.kind)
    payload = kind.validate(submission, item.content, stage.config)
    if problems := kind.undecided(submission):
        raise SubmissionError(problems)
    return kind.result_of(payload, item.content, stage.config)


def can_decide(stage: Stage, item: Item) -> bool:
    """Whether the item can be decided here: what people write themselves has no right answer to put in its
    place."""
    kind = stage_kind(stage.kind)
    return item.check is None and not kind.authored and kind.can_be_decided


def list_adjudications(
    workspace: Workspace, study_id: int, item_id: int | None = None
) -> tuple[Adjudication, ...]:
    """The decisions over an item, or over all items of a study, oldest first."""
    table, items = schema.adjudications, schema.items
    query = (
        sa.select(table)
        .join(items, items.c.id == table.c.item_id)
        .where(items.c.study_id == study_id)
        .order_by(table.c.id)
    )
    if item_id is not None:
        query = query.where(table.c.item_id == item_id)
    return read_all(workspace, Adjudication, query)
