"""How long the table of items takes, in the process of the script: ``python -m perf.studio.items``.

A study of 60,000 items, three answers each for half of them, is written into an empty SQLite workspace.
"""

from __future__ import annotations

import itertools
import random
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.people import accounts, sessions
from folkways_studio.records import Role
from folkways_studio.web.app import create_app
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import QUESTION, StudyFixture, new_workspace, open_study

ITEMS = 60_000
PEOPLE = 40
ANSWERS = 3
AT_ONCE = 5_000
REPEATS = 5
LIMIT_SECONDS = 0.5
QUERIES = {
    "as they came": "order=own",
    "most disputed first": "",
    "only where people differ": "only=disputed",
    "by key": "order=-key",
    "by stage": "order=stage",
    "by state": "order=state",
    "by answers": "order=-answers",
    "every column, 100 rows": "order=own&size=100&column=stage&column=population&column=state&column=answers"
    "&column=agreement&column=people&column=suggestions",
    "words": "order=own&q=number+599",
    "last page": "order=own&page=2400",
    "last page by answers": "order=answers&page=2400",
}


def filled(workspace: Workspace, items: int) -> StudyFixture:
    """A study with so many items, written in batches past the services, which would take an hour."""
    study = open_study(workspace, [{"name": "verify", "kind": "vote", "answers": ANSWERS, "majority": 2}])
    study.add("verify", [QUESTION])
    people = [study.person() for _ in range(PEOPLE)]
    drawn = random.Random(7)
    with workspace.read() as connection:
        first = dict(connection.execute(sa.select(schema.items)).one()._mapping)
    slots = itertools.count(ANSWERS + 1)
    for start in range(1, items, AT_ONCE):
        numbers = range(start + 1, min(start + AT_ONCE, items) + 1)
        content = {
            number: {**QUESTION, "question": f"What is eaten first, asked as number {number}?"}
            for number in numbers
        }
        rows = [
            {**first, "id": number, "key": f"q{number}", "content": content[number]} for number in numbers
        ]
        asked = [
            {"id": next(slots), "item_id": number, "stage_id": first["stage_id"],
             "population_id": first["population_id"], "slot": slot + 1, "participant_id": person.id,
             "state": "done", "done": 1.0}
            for number in numbers if number % 2
            for slot, person in enumerate(drawn.sample(people, ANSWERS))
        ]  # fmt: skip
        answers = [
            {"assignment_id": slot["id"], "item_id": slot["item_id"], "stage_id": slot["stage_id"],
             "participant_id": slot["participant_id"], "key": f"k{slot['id']}", "seconds": 9.0,
             "payload": {"choices": [drawn.choice((0, 1, 1, 1))], "abstain": None, "comment": ""}, "created": 1.0}
            for slot in asked
        ]  # fmt: skip
        with workspace.write() as connection:
            connection.execute(sa.insert(schema.items), rows)
            connection.execute(sa.insert(schema.assignments), asked)
            connection.execute(sa.insert(schema.judgements), answers)
    return study


def main() -> int:
    """Print a Markdown table; 1 if a median is above the limit, in seconds of the processor: others may use the
    machine meanwhile."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    with tempfile.TemporaryDirectory() as folder:
        workspace = new_workspace(Path(folder) / "studio.db")
        study = filled(workspace, items)
        accounts.give_role(workspace, study.record.id, study.owner, Role.OWNER)
        client = AppClient(create_app(workspace))
        client.cookies.set("folkways_session", sessions.open_session(workspace, study.owner))
        print(f"| {items:,} items | median CPU s | median s | worst s |\n|---|---|---|---|")
        slow = False
        for name, query in QUERIES.items():
            seconds, worked = [], []
            for _ in range(REPEATS):
                began, before = time.perf_counter(), time.process_time()
                reply = client.get(f"/studies/{study.record.name}/items?{query}")
                seconds.append(time.perf_counter() - began)
                worked.append(time.process_time() - before)
                assert reply.status_code == 200, reply.text
            slow |= median(worked) > LIMIT_SECONDS
            print(
                f"| {name} | {median(worked):.3f} | {median(seconds):.3f} | {max(seconds):.3f} |", flush=True
            )
        workspace.close()
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
