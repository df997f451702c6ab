"""Which rows an action holds on PostgreSQL until it is through, and in which order: everybody else's order,
or two could wait for each other. The statements are looked at as they would be sent there, so that no server
is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from folkways.workspace.database import Workspace
from folkways_studio.items.preannotations import NewPreAnnotation, add_suggestions
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.models import redteaming
from folkways_studio.people import invites, participants, personal
from folkways_studio.records import Role
from folkways_studio.work import adjudications, assignments, drafts, judgements, leases, redaction
from folkways_studio.work.assignees import Assignee, assign
from folkways_studio.work.assignments import ClaimedSlot
from studio.tests.support.studies import ON_A_FILE, QUESTION, open_study

T = TypeVar("T")
STAGES = [
    {"name": "write", "kind": "write_question", "quota": 9, "next": {"done": "verify"}},
    {"name": "verify", "kind": "vote", "check_every": 3},
]
LOCKING = re.compile(r"(FOR (?:NO KEY )?UPDATE)(?: OF ((?:studio_\w+(?:, )?)+))?( SKIP LOCKED)?")
FIRST = re.compile(r"FROM (studio_\w+)")


@contextmanager
def noted(workspace: Workspace) -> Iterator[list[str]]:
    """What is locked meanwhile: "items FOR UPDATE"; of several tables in the order in which PostgreSQL locks
    their rows."""
    found: list[str] = []

    def note(
        _: sa.Connection, statement: sa.Executable, many: object, given: object, options: object
    ) -> None:
        if not isinstance(statement, sa.Select | sa.Update):
            return
        compiled = str(statement.compile(dialect=postgresql.dialect()))
        for strength, of, skip in LOCKING.findall(compiled):
            tables = of or FIRST.findall(compiled)[0]
            found.extend(f"{each.removeprefix('studio_')} {strength}{skip}" for each in tables.split(", "))

    sa.event.listen(workspace.engine, "before_execute", note)
    try:
        yield found
    finally:
        sa.event.remove(workspace.engine, "before_execute", note)


@ON_A_FILE
def test_what_each_action_locks_and_in_which_order(studio_workspace: Workspace) -> None:
    workspace = studio_workspace
    study = open_study(workspace, STAGES)
    told: dict[str, list[str]] = {}

    def act(name: str, action: Callable[[], T]) -> T:
        with noted(workspace) as found:
            done = action()
        told[name] = found
        return done

    kim, lee = study.person(), study.person()
    _, two, three = study.add("verify", [QUESTION] * 3)
    add_items(workspace, study.record.id, "verify", [NewItem("check", QUESTION, check={"choices": [0]})])
    work = act("claim", lambda: study.work(kim, "verify"))
    act("claim what is at hand", lambda: study.work(kim, "verify"))
    act("heartbeat", lambda: leases.heartbeat(workspace, kim.id, work.assignment.id))
    act("draft", lambda: drafts.save_draft(workspace, kim.id, work.assignment.id, {}, 0))
    vote = {"choices": [0], "comment": "as at home"}
    said = act("submit", lambda: study.submit(kim, work, vote)).judgement
    act(
        "check",
        lambda: judgements.check_submission(
            workspace, kim.id, work.assignment.id, {}, f"key-{work.assignment.id}"
        ),
    )
    act("look", lambda: assignments.get_work(workspace, kim.id, work.assignment.id))
    batch = act("batch", lambda: assignments.claim_batch(workspace, kim.id, "verify", 2, seconds=60.0))
    assert isinstance(batch, tuple)
    act("release", lambda: leases.release(workspace, kim.id, batch[0].assignment.id))
    act("known answer", lambda: study.submit(kim, batch[1], vote))
    act("redact", lambda: redaction.redact(workspace, study.record.id, said.id))
    act(
        "adjudicate",
        lambda: adjudications.adjudicate(workspace, study.record.id, two, study.owner, {}, "because"),
    )
    act(
        "drop",
        lambda: adjudications.adjudicate(
            workspace, study.record.id, three, study.owner, {}, "because", drop=True
        ),
    )
    act("finish", lambda: participants.finish(workspace, kim.id))
    act("withdraw", lambda: participants.withdraw(workspace, study.record.id, kim.id))
    act("delete", lambda: personal.delete_attributes(workspace, study.record.id, kim.id))
    written = act("begin", lambda: study.work(lee, "write"))
    act(
        "write",
        lambda: redteaming.write_scenario(
            workspace, lee.id, written.assignment.id, "Somebody rings at noon."
        ),
    )
    act("expire", lambda: leases.expire(workspace, study.record.id))
    _, token = act("invite", lambda: invites.create_invite(workspace, study.record.id, Role.REVIEWER))
    act("join", lambda: participants.join(workspace, token))
    person, slot, item = "participants FOR NO KEY UPDATE", "assignments FOR UPDATE", "items FOR UPDATE"
    korea = Assignee("korea", population_id=lee.population_id)
    act("assign", lambda: assign(workspace, study.record.id, {said.item_id: [korea]}))
    suggestion = NewPreAnnotation("m", {"choices": [0]})
    act(
        "suggest",
        lambda: add_suggestions(workspace, study.record.id, "verify", [(two, suggestion)], by=study.owner),
    )
    # Assigned to them, or else for anybody: one that is open, or one whose lease ran out.
    free = ["assignments FOR UPDATE SKIP LOCKED"] * 4
    answer = [f"{name} FOR NO KEY UPDATE" for name in ("participants", "items", "assignments")]
    assert told == {
        "claim": [person, slot, *free],
        "claim what is at hand": [person, slot],
        "heartbeat": [slot],
        "draft": [slot],
        "submit": answer,
        "check": [],
        "look": [],
        "batch": [person, slot, *free, item],  # the second one is an attention check, which is given a slot
        "release": [item],
        "redact": [item],
        "adjudicate": [item, slot],
        "drop": [item, slot],
        "finish": [person, item],
        "withdraw": [person, item, item, item],
        "delete": [],
        "begin": [person, slot, "stages FOR NO KEY UPDATE"],
        "write": [item],
        "expire": [],
        "assign": [item, slot],
        "suggest": [
            "stages FOR NO KEY UPDATE",
            "preannotations FOR UPDATE",
        ],  # whoever adds items to the stage need not wait
        "known answer": answer,
        "invite": [],
        "join": ["invites FOR UPDATE"],
    }


@ON_A_FILE
def test_taking_a_slot_changes_its_row_once(studio_workspace: Workspace) -> None:
    """Two changes in one transaction are what PostgreSQL can deadlock over with somebody who sends after
    their lease."""
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])
    person = study.person()
    study.add("verify", [QUESTION] * 2)
    changed: list[int] = []

    def note(connection: sa.Connection) -> None:
        changed.append(connection.connection.driver_connection.total_changes)  # type: ignore[union-attr]  # SQLite's

    sa.event.listen(study.workspace.engine, "begin", note)
    sa.event.listen(study.workspace.engine, "commit", note)
    assert isinstance(assignments.claim_slot(study.workspace, person.id, stage="verify"), ClaimedSlot)
    assert changed[1] - changed[0] == 1
    changed.clear()
    assert isinstance(assignments.claim_batch(study.workspace, person.id, "verify", 2, seconds=86400), tuple)
    assert changed[1] - changed[0] == 2, "the slot at hand is kept for longer, and one more is taken"
