"""The audit of the load test finds what it looks for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.opening import open_workspace
from folkways_studio.people import participants
from folkways_studio.work import judgements
from folkways_studio.work.assignments import Work
from folkways_studio.work.task_numbers import shown_number
from perf.studio.audit import all_done, audit
from perf.studio.people import Account
from perf.studio.scenario import ANSWERS, Scenario, prepare
from studio.tests.support.studies import next_work


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = open_workspace(tmp_path / "w.db")
    yield opened
    opened.close()


def fill(workspace: Workspace, people: int) -> Account:
    """Two items, answered by so many people; what they were told."""
    token = prepare(
        workspace, Scenario("two items", people=people, items=2, seconds=0, arrival=0, lease=60)
    ).rpartition("/")[2]
    account = Account()
    for number in range(people):
        person = participants.join(workspace, token)
        with workspace.read() as connection:
            version = connection.scalar(sa.select(schema.studies.c.consent_version))
        participants.consent(workspace, person.id, version)
        while isinstance(work := next_work(workspace, person.id), Work):
            key = f"{number}-{work.item.id}"
            judgements.submit(workspace, person.id, work.assignment.id, {"choices": [number % 4]}, key)
            account.stored[key] = (
                f"/work/load/tasks/{shown_number(work.assignment.id, person.pseudonym)}",
                number % 4,
            )
    return account


def test_nothing_is_wrong_where_nothing_went_wrong(workspace: Workspace) -> None:
    assert audit(workspace, fill(workspace, ANSWERS)) == []
    assert all_done(workspace)


def test_items_with_too_few_answers_are_found(workspace: Workspace) -> None:
    problems = audit(workspace, fill(workspace, ANSWERS - 1))
    assert [problem.split(" has ")[1] for problem in problems] == [
        "4 answers of 4 people",
        "5 slots, ['done', 'done', 'done', 'done', 'open']",
    ] * 2
    assert not all_done(workspace)


def test_a_slot_too_many_is_found(workspace: Workspace) -> None:
    account = fill(workspace, ANSWERS)
    with workspace.write() as connection:
        row = dict(connection.execute(sa.select(schema.assignments)).first()._mapping)
        connection.execute(
            sa.insert(schema.assignments).values({**row, "id": None, "slot": 99, "participant_id": None})
        )
    (problem,) = audit(workspace, account)
    assert "has 6 slots" in problem


def test_an_answer_that_is_lost_altered_refused_or_unheard_of_is_found(workspace: Workspace) -> None:
    account = fill(workspace, ANSWERS)
    account.stored["lost"] = ("/work/load/tasks/1", 0)
    unheard, refused, altered = list(account.stored)[:3]
    del account.stored[unheard]
    account.refused[refused] = account.stored.pop(refused)
    account.stored[altered] = (account.stored[altered][0], 3)
    found = "\n".join(audit(workspace, account))
    assert "(1, [0]) was acknowledged, nothing is stored" in found
    assert "was refused and is stored" in found
    assert "[3]) was acknowledged, (" in found
    assert "2 judgements are stored that nobody was told of" in found
