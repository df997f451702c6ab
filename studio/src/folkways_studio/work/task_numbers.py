"""The numbers of tasks in addresses. They say nothing: slots of questions of known answer are made later than
those of the others, so that their own numbers would stand out among those that a person sees one after the
other.
"""

from __future__ import annotations

from hashlib import blake2b

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import read_values
from folkways_studio.records import Participant
from folkways_studio.stages.parts.form_fields import whole

HALF, ROUNDS = 15, 4
LARGEST = 10**9
"""Numbers of slots are below it, and so are those in addresses."""


def shown_number(slot: int, secret: str) -> int:
    """The number of a slot as the person sees it whose ``secret`` is given: a permutation of the numbers
    below LARGEST."""
    while (slot := _mixed(slot, [f"{secret}|{turn}" for turn in range(ROUNDS)])) >= LARGEST:
        pass
    return slot


def slot_of(workspace: Workspace, person: Participant, shown: str) -> int | None:
    """The slot that a person means by a number; None for what is no number. Also where it is the slot's own:
    pages and workbooks of before this was so are still open somewhere.
    """
    meant = slots_meant(shown, person)
    if len(meant) < 2:
        return next(iter(meant), None)
    table = schema.assignments
    query = sa.select(table.c.id).where(table.c.id.in_(meant), table.c.participant_id == person.id)
    return meant[1] if read_values(workspace, query) == [meant[1]] else meant[0]


def slots_meant(shown: str, person: Participant) -> tuple[int, ...]:
    """The slots that a person may mean by a number: the first of them that is theirs. Empty for an invalid
    number."""
    slot, number = slot_number(shown, person.pseudonym), whole(shown.strip())
    return tuple(dict.fromkeys(each for each in (slot, number) if each is not None))


def slot_number(shown: str, secret: str) -> int | None:
    """The slot whose number ``shown_number`` gave for the same ``secret``; None for an invalid number."""
    number = whole(shown.strip())
    if number is None:
        return None
    while (
        number := _mixed(number, [f"{secret}|{turn}" for turn in reversed(range(ROUNDS))], back=True)
    ) >= LARGEST:
        pass
    return number


def _mixed(number: int, keys: list[str], *, back: bool = False) -> int:
    """A Feistel network over 30 bits: for every list of keys another order of the numbers, undone by the keys
    from the end."""
    left, right = number >> HALF, number & ((1 << HALF) - 1)
    for key in keys:
        if back:
            left, right = right ^ _drawn(key, left), left
        else:
            left, right = right, left ^ _drawn(key, right)
    return left << HALF | right


def _drawn(key: str, half: int) -> int:
    return int.from_bytes(blake2b(f"{key}|{half}".encode(), digest_size=2).digest()) >> (16 - HALF)
