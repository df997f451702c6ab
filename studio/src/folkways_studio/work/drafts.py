"""What people have typed so far, saved every few seconds; a second tab can never overwrite what it has not
seen."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows, find_row
from folkways_studio.errors import DraftConflictError, Message, SubmissionError
from folkways_studio.records import Draft, from_row
from folkways_studio.work.leases import hold, require_leased

LARGEST_BYTES = 200_000


def save_draft(
    workspace: Workspace,
    participant_id: int,
    assignment_id: int,
    payload: Mapping[str, Any],
    base_revision: int,
) -> Draft:
    """Save a draft (payload) and renew the lease.

    workspace, participant_id, assignment_id: the person's slot. base_revision: of the draft that it was
    made from, 0 for none. Raises DraftConflictError, with the newer draft, if another tab saved since;
    ConflictError if the slot is no longer this person's; SubmissionError above LARGEST_BYTES. Saving
    the same again, after a lost reply, does not conflict.
    """
    now = time.time()
    if len(orjson.dumps(payload)) > LARGEST_BYTES:
        raise SubmissionError({"": Message("This is too long to be saved. Shorten it.")})
    with workspace.claim() as connection:
        lease = hold(connection, participant_id, assignment_id)
        assignment = lease.assignment
        require_leased(assignment)
        table = schema.drafts
        mine = {"item_id": assignment.item_id, "participant_id": participant_id}
        row = find_row(connection, table, item_id=assignment.item_id, participant_id=participant_id)
        current = from_row(Draft, row) if row else None
        if current is not None and current.revision != base_revision:
            if current.revision == base_revision + 1 and current.payload == payload:
                return current
            raise DraftConflictError(current)
        values = {"revision": base_revision + 1, "payload": dict(payload), "saved": now}
        if current is None:
            connection.execute(sa.insert(table).values({**mine, **values}))
        else:
            change_rows(connection, table, mine, **values)
        change_rows(connection, schema.assignments, {"id": assignment_id}, lease_until=lease.lease_end(now))
        return Draft(assignment.item_id, participant_id, base_revision + 1, dict(payload), now)
