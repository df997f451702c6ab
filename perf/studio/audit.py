"""What is in the database afterwards, beside what people were told."""

from __future__ import annotations

import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.records import AssignmentState, ItemState
from folkways_studio.work.task_numbers import shown_number
from perf.studio.people import Account
from perf.studio.scenario import ANSWERS


def answered(workspace: Workspace) -> int:
    """Judgements so far."""
    with workspace.read() as connection:
        return int(connection.scalar(sa.select(sa.func.count()).select_from(schema.judgements)) or 0)


def all_done(workspace: Workspace) -> bool:
    """Whether no item waits for an answer."""
    query = sa.select(sa.func.count()).where(schema.items.c.state == ItemState.OPEN)
    with workspace.read() as connection:
        return not connection.scalar(query)


def audit(workspace: Workspace, account: Account) -> list[str]:
    """What is wrong, in words; empty where everything is as it has to be.

    Every item has exactly the answers that were asked for, from as many people, and no slot more; everything
    that people were told is stored is there as they sent it, once; nothing else is there.
    """
    with workspace.read() as connection:
        items = list(connection.scalars(sa.select(schema.items.c.id)))
        slots = connection.execute(sa.select(schema.assignments)).all()
        judgements = connection.execute(sa.select(schema.judgements)).all()
        people_of = connection.execute(
            sa.select(schema.participants.c.id, schema.participants.c.pseudonym)
        ).all()
    problems = list(account.problems)
    for item in items:
        people = [row.participant_id for row in judgements if row.item_id == item]
        live = [row for row in slots if row.item_id == item and row.state != AssignmentState.CLOSED]
        if len(people) != ANSWERS or len(set(people)) != ANSWERS:
            problems.append(f"item {item} has {len(people)} answers of {len(set(people))} people")
        if len(live) != ANSWERS or any(row.state != AssignmentState.DONE for row in live):
            problems.append(f"item {item} has {len(live)} slots, {sorted(row.state for row in live)}")
    secrets = {row.id: row.pseudonym for row in people_of}
    found = {
        row.key: (shown_number(row.assignment_id, secrets[row.participant_id]), row.payload["choices"])
        for row in judgements
    }
    if len(found) != len(judgements):
        problems.append(f"{len(judgements) - len(found)} judgements are there twice")
    for key, (address, choice) in account.stored.items():
        sent = (int(address.rpartition("/")[2]), [choice])
        if found.get(key) != sent:
            problems.append(f"{address}: {sent} was acknowledged, {found.get(key, 'nothing')} is stored")
    for key, (address, _) in account.refused.items():
        if key in found and key not in account.stored:
            problems.append(f"{address}: was refused and is stored")
    unknown = set(found) - set(account.stored) - set(account.open)
    if unknown:
        problems.append(f"{len(unknown)} judgements are stored that nobody was told of")
    return problems
