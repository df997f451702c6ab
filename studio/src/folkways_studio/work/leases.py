"""Leases: a slot is kept for a person for a while. Nothing sweeps: a lease that ran out is simply open to the
next who asks."""

from __future__ import annotations

import time
from dataclasses import dataclass

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows, find_row
from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.records import Assignment, AssignmentState, ItemState, Stage, from_row

OPEN_AGAIN = {"state": str(AssignmentState.OPEN), "participant_id": None, "leased": None, "lease_until": None}

_LOCKED = (
    sa.select(schema.assignments, schema.stages)
    .join(schema.stages, schema.stages.c.id == schema.assignments.c.stage_id)
    .where(schema.assignments.c.id == sa.bindparam("id"))
    .with_for_update(of=schema.assignments)
)


@dataclass(frozen=True, slots=True)
class LockedSlot:
    """A slot that is locked for this transaction, and its stage."""

    assignment: Assignment
    stage: Stage

    def lease_end(self, now: float) -> float:
        """When its lease ends if it is renewed now."""
        return renewed(self.assignment, lease_end(self.stage, now))


def hold(connection: sa.Connection, participant_id: int, assignment_id: int) -> LockedSlot:
    """Lock an assignment that is this person's; NotFoundError for any other."""
    row = connection.execute(_LOCKED, {"id": assignment_id}).first()
    if row is None or row.participant_id != participant_id:
        raise not_theirs()
    return LockedSlot(from_row(Assignment, row, schema.assignments), from_row(Stage, row, schema.stages))


def own_assignment(connection: sa.Connection, participant_id: int, assignment_id: int) -> Assignment:
    """An assignment that is this person's; NotFoundError for any other."""
    row = find_row(connection, schema.assignments, id=assignment_id)
    if row is None or row.participant_id != participant_id:
        raise not_theirs()
    return from_row(Assignment, row)


def not_theirs() -> NotFoundError:
    """The error for a slot that belongs to somebody else."""
    return NotFoundError(
        "this is not yours to work on: it was kept for you too long, or never was; ask for the next one"
    )


def require_leased(assignment: Assignment) -> None:
    """ConflictError unless the slot is being worked on."""
    if assignment.state != AssignmentState.LEASED:
        raise ConflictError("this was submitted or closed")


def heartbeat(workspace: Workspace, participant_id: int, assignment_id: int) -> float:
    """Renew a lease while the page is open; returns until when. ConflictError where the slot is no longer
    leased to this person."""
    with workspace.claim() as connection:
        lease = hold(connection, participant_id, assignment_id)
        require_leased(lease.assignment)
        until = lease.lease_end(time.time())
        change_rows(connection, schema.assignments, {"id": assignment_id}, lease_until=until)
        return until


def release(
    workspace: Workspace, participant_id: int, assignment_id: int, *, skip: bool = False, reason: str = ""
) -> None:
    """Give a slot (participant_id, assignment_id) of the workspace back: it is open at once. skip: this
    person does not get the item again, for ``reason``.

    An authored item that the person was writing is dropped.
    """
    with workspace.claim() as connection:
        assignment = own_assignment(connection, participant_id, assignment_id)
        require_leased(assignment)
        if skip:
            row = {
                "item_id": assignment.item_id,
                "participant_id": participant_id,
                "reason": reason[:1000],
                "at": time.time(),
            }
            workspace.insert_new(connection, schema.skips, [row])
        free_leases(connection, participant_id, assignment_id)


def free_leases(connection: sa.Connection, participant_id: int, assignment_id: int | None = None) -> None:
    """Open this person's leased slots (or one of them), and drop the unfinished items that they are the
    author of."""
    table, items = schema.assignments, schema.items
    mine = [table.c.participant_id == participant_id, table.c.state == AssignmentState.LEASED]
    if assignment_id is not None:
        mine.append(table.c.id == assignment_id)
    # Items first, then slots, in the order in which a submission locks them.
    leased = sa.select(items.c.id, items.c.state).where(
        items.c.id.in_(sa.select(table.c.item_id).where(*mine))
    )
    theirs = [
        row.id
        for row in connection.execute(leased.order_by(items.c.id).with_for_update())
        if row.state == ItemState.DRAFT
    ]
    if theirs:
        dropped = {"state": str(ItemState.DROPPED), "reason": "its author did not finish it"}
        connection.execute(sa.update(items).where(items.c.id.in_(theirs)).values(dropped))
        connection.execute(
            sa.update(table)
            .where(*mine, table.c.item_id.in_(theirs))
            .values(state=str(AssignmentState.CLOSED))
        )
    connection.execute(sa.update(table).where(*mine).values(OPEN_AGAIN))


def expire(workspace: Workspace, study_id: int) -> int:
    """Open every slot whose lease ran out, for views that count open slots; returns how many. Claiming needs
    no such sweep."""
    table, stages, items = schema.assignments, schema.stages, schema.items
    ours = sa.select(stages.c.id).where(stages.c.study_id == study_id)
    writing = sa.select(items.c.id).where(items.c.study_id == study_id, items.c.state == ItemState.DRAFT)
    late = [
        table.c.state == AssignmentState.LEASED,
        table.c.lease_until < time.time(),
        table.c.stage_id.in_(ours),
    ]
    with workspace.claim() as connection:
        return int(
            connection.execute(
                sa.update(table).where(*late, table.c.item_id.not_in(writing)).values(OPEN_AGAIN)
            ).rowcount
        )


def renewed(assignment: Assignment, until: float) -> float:
    """When a lease ends that is to last until then at least."""
    return until if assignment.lease_until is None else max(assignment.lease_until, until)


def lease_end(stage: Stage, now: float) -> float:
    """Until when a slot of this stage is kept for a person who is given it now."""
    return now + 60.0 * float(stage.config["lease_minutes"])
