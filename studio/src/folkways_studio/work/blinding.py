"""Whose answers somebody must not see yet. Several people answer an item independently only if none of them
knows what the others said: until it is settled, an item is blind for everybody who may still be asked about
it or may still correct their answer.

Pages, the API, discussions and exports all ask here.
"""

from __future__ import annotations

import time
from collections.abc import Collection

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import find_row
from folkways_studio.errors import NotAllowedError
from folkways_studio.items.service import item_within
from folkways_studio.records import (
    AssignmentState,
    Item,
    ItemState,
    Participant,
    ParticipantState,
    Stage,
    from_row,
)
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.known_counts import may_be_given
from folkways_studio.work.leases import free_leases

GONE = (
    ParticipantState.WITHDRAWN,
    ParticipantState.EXCLUDED,
    ParticipantState.FAILED,
    ParticipantState.SCREENED_OUT,
)
"""Who is in one of these states is asked nothing more."""


def blind_items(
    connection: sa.Connection, study_id: int, account_id: int | None
) -> sa.Select[tuple[int]] | None:
    """A query for the ids of the items that are blind for an account; None where no item can be, as for who
    takes no part.

    An item is blind for people who work on its stage and have it at hand, or whom the studio could ask: it is
    open, of their population, not their own, and they have neither given it back nor chosen to look
    (``look``). Their own answer makes no difference, because they may still correct it. Only items whose
    answers are independent are blind: several people answer them, or somebody has answered already, or the
    right answer is known; the last are seen after one's own answer.
    """
    row = (
        find_row(connection, schema.participants, study_id=study_id, account_id=account_id)
        if account_id is not None
        else None
    )
    if row is None:
        return None
    person = from_row(Participant, row)
    stages, roles = schema.stages, schema.roles
    stages_of_roles = (
        sa.select(stages)
        .join(roles, sa.and_(roles.c.study_id == stages.c.study_id, roles.c.role == stages.c.role))
        .where(stages.c.study_id == study_id, roles.c.account_id == account_id)
    )
    worked_on = [from_row(Stage, each) for each in connection.execute(stages_of_roles)]
    if not worked_on or person.state in GONE:
        return None
    several = [stage.id for stage in worked_on if stage_kind(stage.kind).answers_wanted(stage.config) > 1]
    items, slots, judgements, skips = schema.items, schema.assignments, schema.judgements, schema.skips
    answers = sa.exists().where(judgements.c.item_id == items.c.id)
    at_hand = sa.exists().where(
        slots.c.item_id == items.c.id,
        slots.c.participant_id == person.id,
        slots.c.state == AssignmentState.LEASED,
    )
    may_be_asked = sa.and_(
        items.c.state == ItemState.OPEN,
        may_be_given(items.c.population_id, sa.bindparam(None, person.population_id, sa.Integer)),
        sa.or_(items.c.author_id.is_(None), items.c.author_id != person.id),
        sa.or_(items.c.check.is_(None), ~answers.where(judgements.c.participant_id == person.id)),
        ~sa.exists().where(skips.c.item_id == items.c.id, skips.c.participant_id == person.id),
    )
    independent = sa.or_(
        items.c.stage_id.in_(several),
        items.c.check.is_not(None),
        answers.where(judgements.c.participant_id != person.id),
    )
    return sa.select(items.c.id).where(
        items.c.study_id == study_id,
        items.c.stage_id.in_([stage.id for stage in worked_on]),
        sa.or_(at_hand, may_be_asked),
        independent,
    )


def is_independent(item: Item, stage: Stage, *, others_answered: bool) -> bool:
    """Whether the answers to an item of a stage are independent, as in ``blind_items``: it is blind for
    a person who has it at hand."""
    return (
        others_answered or item.check is not None or stage_kind(stage.kind).answers_wanted(stage.config) > 1
    )


def blind_among(
    workspace: Workspace, study_id: int, account_id: int, numbers: Collection[int]
) -> frozenset[int]:
    """Those of these items (numbers) of a study (study_id) in the workspace that are blind for an account
    (account_id)."""
    with workspace.read() as connection:
        return blind_within(connection, study_id, account_id, numbers)


def blind_within(
    connection: sa.Connection, study_id: int, account_id: int | None, numbers: Collection[int]
) -> frozenset[int]:
    """``blind_among`` (study_id, account_id, numbers) in the caller's transaction (connection)."""
    blind = blind_items(connection, study_id, account_id)
    if blind is None or not numbers:
        return frozenset()
    return frozenset(connection.scalars(blind.where(schema.items.c.id.in_(numbers))))


def require_sight(workspace: Workspace, study_id: int, account_id: int, item_id: int) -> None:
    """NotAllowedError if an item (study_id, item_id) of the workspace is blind for an account
    (account_id): nobody discusses or decides what they may still be asked about."""
    if blind_among(workspace, study_id, account_id, [item_id]):
        raise NotAllowedError(
            "you may still be asked about this item: answer it, or say on its page that you want to look"
        )


def look(workspace: Workspace, study_id: int, account_id: int, item_id: int) -> None:
    """Let an account (account_id) see the answers to an item (study_id, item_id) of the workspace that is
    blind for it: it is not asked about it any more, and an answer that it gave stays as it is. Does
    nothing if the item is not blind."""
    with workspace.claim() as connection:
        item_within(connection, study_id, item_id, lock="row")
        if not blind_within(connection, study_id, account_id, [item_id]):
            return
        person = find_row(connection, schema.participants, study_id=study_id, account_id=account_id)
        assert person is not None  # noqa: S101 - nothing is blind for others
        assignment = find_row(connection, schema.assignments, item_id=item_id, participant_id=person.id)
        if assignment is not None and assignment.state == AssignmentState.LEASED:
            free_leases(connection, person.id, assignment.id)
        row = {
            "item_id": item_id,
            "participant_id": person.id,
            "reason": "looked at what others said",
            "at": time.time(),
        }
        workspace.insert_new(connection, schema.skips, [row])
        audit.record_event(
            connection, "item.looked_at", study_id=study_id, account_id=account_id, subject=f"item:{item_id}"
        )
