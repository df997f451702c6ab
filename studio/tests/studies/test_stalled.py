"""Stages that lack answers and get none."""

from __future__ import annotations

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows
from folkways_studio.people import accounts, sessions
from folkways_studio.records import StudyState
from folkways_studio.studies import progress
from folkways_studio.studies import service as studies
from folkways_studio.web.app import create_app
from folkways_studio.work import assignments
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import QUESTION, next_work, open_study
from tests.support.frozen_time import at_time

VOTE = {"name": "verify", "kind": "vote", "answers": 2, "majority": 2}


def test_a_stage_is_stalled_when_answers_are_missing_and_nobody_works(studio_workspace: Workspace) -> None:
    day = 86_400.0
    study = open_study(studio_workspace, [VOTE, {**VOTE, "name": "later"}, {**VOTE, "name": "empty"}])
    for name, count in (("verify", 2), ("later", 1)):
        at_time(1000.0, study.add, name, [{**QUESTION, "question": f"{n}?"} for n in range(count)])

    def stalled(moment: float) -> list[tuple[str, int, float | None]]:
        rows = progress.progress(studio_workspace, study.record.id)
        return [
            (each.stage, each.lacking, each.last)
            for each in progress.stalled_stages(studio_workspace, study.record.id, rows, moment)
        ]

    assert stalled(1000.0 + 2 * day) == []
    assert stalled(1001.0 + 2 * day) == [("verify", 4, None), ("later", 2, None)]
    person = study.person()
    work = at_time(2 * day, next_work, studio_workspace, person.id, stage="verify")
    assert isinstance(work, assignments.Work)
    assert stalled(9 * day) == [("later", 2, None)], "somebody is at it"
    at_time(3 * day, study.submit, person, work, {"choices": [1]})
    assert stalled(5 * day) == [("later", 2, None)]
    assert stalled(5 * day + 1) == [("verify", 3, 3 * day), ("later", 2, None)]


def test_pages_say_what_is_stalled_who_waits_and_how_the_first_account_is_made(
    studio_workspace: Workspace,
) -> None:
    client = AppClient(create_app(studio_workspace))
    assert "folkways studio account" in client.get("/signin").text
    study = open_study(studio_workspace, [VOTE], name="quiet")
    at_time(1000.0, study.add, "verify", [QUESTION])
    accounts.create_account(studio_workspace, "somebody@example.org", None)
    assert "folkways studio account" not in client.get("/signin").text
    client.cookies.set("folkways_session", sessions.open_session(studio_workspace, study.owner))
    page = client.get("/studies/quiet").text
    assert "Answers still needed: 2." in page and "Waiting to be let in" not in page
    person = study.person()
    with studio_workspace.write() as connection:
        change_rows(connection, schema.participants, {"id": person.id}, state="waiting")
    studies.set_state(studio_workspace, study.record.id, StudyState.PAUSED, by=study.owner)
    page = client.get("/studies/quiet").text
    assert "Answers still needed" not in page and "Waiting to be let in: 1" in page
