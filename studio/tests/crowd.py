"""People who work on a study in a process of their own: takes slots, answers twice over, leaves some, and
prints what it was told.

python -m studio.tests.crowd WORKSPACE FIRST_PARTICIPANT COUNT
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections import Counter

from folkways.workspace.database import Workspace
from folkways_studio.database.opening import open_workspace
from folkways_studio.errors import StudioError
from folkways_studio.work import judgements, leases
from folkways_studio.work.assignments import NoWork
from studio.tests.support.studies import next_work

PATIENCE, PAUSE = 4.0, 0.4
"""Seconds for which somebody looks whether a slot was given back before they leave, and between two looks."""


def one_person(workspace: Workspace, participant: int, outcomes: Counter[str]) -> None:
    """Work until there is nothing left: every fifth slot is given back first, every form is posted twice at
    once."""
    luck = random.Random(participant)
    gone = time.monotonic() + PATIENCE
    while time.monotonic() < gone:
        work = next_work(workspace, participant)
        if isinstance(work, NoWork):
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
        found = judgements.submit(workspace, participant, assignment, submission, key)
        outcomes["repeated" if found.repeated else "stored"] += 1
    except StudioError as error:
        outcomes[type(error).__name__] += 1


def main(location: str, first: int, count: int) -> None:
    workspace = open_workspace(location)
    outcomes: Counter[str] = Counter()
    people = [
        threading.Thread(target=one_person, args=(workspace, first + number, outcomes))
        for number in range(count)
    ]
    for person in people:
        person.start()
    for person in people:
        person.join()
    workspace.close()
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
