"""People who work on a study in a process of their own: takes slots, answers twice over, leaves some, and
prints what it was told. Says when it is ready, and begins when its standard input ends.

python -m studio.tests.crowd WORKSPACE FIRST_PARTICIPANT COUNT
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections import Counter

import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.opening import open_workspace
from folkways_studio.errors import StudioError
from folkways_studio.records import AssignmentState
from folkways_studio.work import judgements, leases
from folkways_studio.work.assignments import NoWork
from studio.tests.support.studies import next_work

WAITING = (
    sa.select(schema.assignments.c.id)
    .where(schema.assignments.c.state.not_in([AssignmentState.DONE, AssignmentState.CLOSED]))
    .limit(1)
)
PATIENCE, PAUSE = 10.0, 0.2
"""Seconds for which somebody looks whether a slot was given back before they leave, and between two looks."""


def all_done(workspace: Workspace) -> bool:
    """Whether no slot waits for an answer."""
    with workspace.read() as connection:
        return connection.scalar(WAITING) is None


def one_person(workspace: Workspace, participant: int, outcomes: Counter[str]) -> None:
    """Work until there is nothing left: every fifth slot is given back first, every form is posted twice at
    once."""
    luck = random.Random(participant)
    gone = time.monotonic() + PATIENCE
    while time.monotonic() < gone:
        work = next_work(workspace, participant)
        if isinstance(work, NoWork):
            if all_done(workspace):
                return
            time.sleep(PAUSE)
            continue
        gone = time.monotonic() + PATIENCE
        if luck.random() < 0.2:
            leases.release(workspace, participant, work.assignment.id)
            outcomes["released"] += 1
            continue
        key = f"{participant}-{work.assignment.id}"
        submission = {"choices": [luck.randrange(4)]}
        posts = [
            threading.Thread(
                target=post, args=(workspace, participant, work.assignment.id, submission, key, outcomes)
            )
            for _ in range(2)
        ]
        for each in posts:
            each.start()
        for each in posts:
            each.join()


def post(
    workspace: Workspace,
    participant: int,
    assignment: int,
    submission: dict[str, object],
    key: str,
    outcomes: Counter[str],
) -> None:
    try:
        receipt = judgements.submit(workspace, participant, assignment, submission, key)
        outcomes["repeated" if receipt.repeated else "stored"] += 1
    except StudioError as error:
        outcomes[type(error).__name__] += 1


def work_together(workspace: Workspace, first: int, count: int) -> Counter[str]:
    """What people with numbers from ``first`` on were told, each in a thread of this process."""
    outcomes: Counter[str] = Counter()
    people = [
        threading.Thread(target=one_person, args=(workspace, first + number, outcomes))
        for number in range(count)
    ]
    for person in people:
        person.start()
    for person in people:
        person.join()
    return outcomes


if __name__ == "__main__":
    location, first, count = sys.argv[1:]
    workspace = open_workspace(location)
    print("ready", flush=True)
    sys.stdin.read()  # until the others are ready too
    print(json.dumps(work_together(workspace, int(first), int(count))))
