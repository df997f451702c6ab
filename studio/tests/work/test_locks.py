"""Which rows an action holds on PostgreSQL until it is through, and in which order: everybody else's order, or two could wait for
each other. The statements are looked at as they would be sent there, so that no server is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from folkways.workspace.database import Workspace
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.models import redteaming
from folkways_studio.people import invites, participants, personal
from folkways_studio.records import Role
from folkways_studio.work import adjudications, assignments, drafts, judgements, leases, redaction
from studio.tests.support.studies import ON_A_FILE, QUESTION, open_desk

LIMIT = re.compile(r"LIMIT %\((\w+)\)s")
T = TypeVar("T")
STAGES = [
    {"name": "write", "kind": "write_question", "quota": 9, "next": {"done": "verify"}},
    {"name": "verify", "kind": "vote", "check_every": 3},
]
LOCKING = re.compile(r"FROM (?:studio_)?(\w+).*(FOR (?:NO KEY )?UPDATE)(?: OF studio_(\w+))?(.*)", re.DOTALL)


@contextmanager
def noted(workspace: Workspace) -> Iterator[list[str]]:
    """What is locked meanwhile: "1 of items FOR UPDATE"."""
    found: list[str] = []

    def note(_: sa.Connection, statement: sa.Executable, many: object, given: Mapping[str, object], options: object) -> None:
        if not isinstance(statement, sa.Select):
            return
        compiled = statement.compile(dialect=postgresql.dialect())
        if locked := LOCKING.search(str(compiled)):
            limit = LIMIT.search(str(compiled))
            most = f"{given.get(limit[1], compiled.params[limit[1]])} of " if limit else ""
            found.append(f"{most}{locked[3] or locked[1]} {locked[2]}{locked[4]}")

    sa.event.listen(workspace.engine, "before_execute", note)
    try:
        yield found
    finally:
        sa.event.remove(workspace.engine, "before_execute", note)


@ON_A_FILE
def test_what_each_action_locks_and_in_which_order(studio_workspace: Workspace) -> None:
    workspace = studio_workspace
    desk = open_desk(workspace, STAGES)
    told: dict[str, list[str]] = {}

    def act(name: str, action: Callable[[], T]) -> T:
        with noted(workspace) as found:
            done = action()
        told[name] = found
        return done

    kim, lee = desk.person(), desk.person()
    _, two, three = desk.add("verify", [QUESTION] * 3)
    add_items(workspace, desk.study.id, "verify", [NewItem("check", QUESTION, check={"choices": [0]})])
    work = act("claim", lambda: desk.work(kim, "verify"))
    act("claim what is at hand", lambda: desk.work(kim, "verify"))
    act("heartbeat", lambda: leases.heartbeat(workspace, kim.id, work.assignment.id))
    act("draft", lambda: drafts.save_draft(workspace, kim.id, work.assignment.id, {}, 0))
    vote = {"choices": [0], "comment": "as at home"}
    said = act("submit", lambda: desk.submit(kim, work, vote)).judgement
    act("check", lambda: judgements.check_submission(workspace, kim.id, work.assignment.id, {}, f"key-{work.assignment.id}"))
    act("look", lambda: assignments.get_work(workspace, kim.id, work.assignment.id))
    batch = act("batch", lambda: assignments.claim_batch(workspace, kim.id, "verify", 2, seconds=60.0))
    assert isinstance(batch, tuple)
    act("release", lambda: leases.release(workspace, kim.id, batch[0].assignment.id))
    act("known answer", lambda: desk.submit(kim, batch[1], vote))
    act("redact", lambda: redaction.redact(workspace, desk.study.id, said.id))
    act("adjudicate", lambda: adjudications.adjudicate(workspace, desk.study.id, two, desk.owner, {}, "because"))
    act("drop", lambda: adjudications.adjudicate(workspace, desk.study.id, three, desk.owner, {}, "because", drop=True))
    act("finish", lambda: participants.finish(workspace, kim.id))
    act("withdraw", lambda: participants.withdraw(workspace, desk.study.id, kim.id))
    act("delete", lambda: personal.delete_attributes(workspace, desk.study.id, kim.id))
    written = act("begin", lambda: desk.work(lee, "write"))
    act("write", lambda: redteaming.write_scenario(workspace, lee.id, written.assignment.id, "Somebody rings at noon."))
    act("expire", lambda: leases.expire(workspace, desk.study.id))
    _, token = act("invite", lambda: invites.create_invite(workspace, desk.study.id, Role.REVIEWER))
    act("join", lambda: participants.join(workspace, token))
    person, slot, item = "participants FOR NO KEY UPDATE", "assignments FOR UPDATE", "items FOR UPDATE"
    at_hand = f"1 of {slot}"
    next_slot = "1 of assignments FOR UPDATE SKIP LOCKED"
    assert told == {
        "claim": [person, at_hand, next_slot],
        "claim what is at hand": [person, at_hand],
        "heartbeat": [slot],
        "draft": [slot],
        "submit": [item, slot],
        "check": [],
        "look": [],
        "batch": [person, f"2 of {slot}", next_slot, f"1 of {item}"],  # the second one is an attention check, which is given a slot
        "release": [item],
        "redact": [item],
        "adjudicate": [item, slot],
        "drop": [item, slot],
        "finish": [person, item],
        "withdraw": [person, item, item, item],
        "delete": [],
        "begin": [person, at_hand, "stages FOR NO KEY UPDATE"],
        "write": [item],
        "expire": [],
        "known answer": [item, person, slot],  # of items, those without a known answer: here it finds none
        "invite": [],
        "join": ["invites FOR UPDATE"],
    }
