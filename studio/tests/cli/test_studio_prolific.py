"""Recruiting at Prolific from a terminal, against a server that follows its published API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from folkways_studio.cli.prolific import wage_note
from folkways_studio.database.opening import open_workspace
from folkways_studio.people import participants, prolific
from folkways_studio.people.prolific import ProlificSubmission, review
from folkways_studio.studies import service as studies
from folkways_studio.work import assignments, judgements
from studio.tests.support.prolific_server import ID, TOKEN, ProlificServer
from studio.tests.support.studies import QUESTION, described, next_work
from tests.support.command_line import Folkways

CREATE = (
    "studio",
    "prolific",
    "create",
    "test-study",
    "--population",
    "korea",
    "--places",
    "3",
    "--reward",
    "300",
    "--minutes",
    "20",
)

PAY = {"per_hour": 12, "currency": "EUR", "wages": [{"per_hour": 12.5, "source": "Law"}]}


@pytest.fixture(scope="module")
def server() -> Iterator[ProlificServer]:
    with ProlificServer() as running:
        yield running


@pytest.fixture
def studio(
    folkways: Folkways, server: ProlificServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Folkways:
    """The command line in a folder with an open study of two questions that has codes, beside the account at
    Prolific."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(prolific, "ADDRESS", server.url)
    monkeypatch.setenv("PROLIFIC_API_TOKEN", TOKEN)
    monkeypatch.setenv("FOLKWAYS_STUDIO_PASSWORD", "a password of the tests")
    codes = {"completed": "DONE1", "screened_out": "OUT2"}
    study = described(
        [{"name": "verify", "kind": "vote"}], prolific=codes, about="What people do at home.", pay=PAY
    )
    Path("study.yaml").write_text(yaml.safe_dump(study))
    Path("items.jsonl").write_text('{"id": "q1", "question": "?", "options": ["a", "b", "c", "d"]}\n')
    made = folkways("studio", "create-study", "study.yaml", "--owner", "me", "--open")
    assert made.returncode == 0, made.stderr
    assert (
        folkways(
            "studio", "import", "test-study", "verify", "items.jsonl", "--population", "korea"
        ).returncode
        == 0
    )
    return folkways


@pytest.mark.parametrize(
    ("reward", "message"), [(416, "4.17 would not be below (--reward 417)"), (417, None)]
)
def test_a_reward_below_the_stated_wage_is_warned_of_with_what_would_be_enough(
    reward: int, message: str | None
) -> None:
    note = wage_note({"pay": PAY}, "korea", reward, 20)
    assert (note == "") if message is None else (note.startswith("warning: ") and message in note)


def test_a_study_without_a_wage_says_that_nothing_is_compared() -> None:
    assert wage_note({}, "korea", 300, 20).startswith("note: the study states no local wage for korea")


def arrive(link: str, *pids: str, answering: int) -> list[str]:
    """People come by the link from Prolific, and so many of them answer; their pseudonyms."""
    workspace = open_workspace("folkways.db")
    study = studies.get_study(workspace, "test-study")
    names = []
    for number, pid in enumerate(pids):
        person = participants.join(
            workspace, link.rpartition("/")[2].partition("?")[0], external={"prolific_pid": pid}, signed=True
        )
        person = participants.consent(workspace, person.id, study.consent_version)
        names.append(person.pseudonym)
        if number < answering:
            work = next_work(workspace, person.id)
            assert isinstance(work, assignments.Work), QUESTION
            judgements.submit(workspace, person.id, work.assignment.id, {"choices": [1]}, "key")
    workspace.close()
    return names


def test_people_are_recruited_paid_and_given_bonuses(studio: Folkways, server: ProlificServer) -> None:
    made = studio(*CREATE, "--address", "https://studio.example.org")
    assert f"made the study {ID} at Prolific" in made.stdout, made.stderr
    assert (
        "warning: 3.00 EUR for 20 minutes come to 9.00 an hour, below the local wage that the study states "
        "for korea: 12.50."
    ) in made.stderr
    there = server.stats()["study"]
    assert (there["total_available_places"], there["reward"], there["description"]) == (
        3,
        300,
        "What people do at home.",
    )
    assert [(each["code"], each["code_type"]) for each in there["completion_codes"]] == [
        ("DONE1", "COMPLETED"),
        ("OUT2", "OTHER"),
    ]
    link = there["external_study_url"]
    assert link.startswith("https://studio.example.org/join/") and "PROLIFIC_PID={{%PROLIFIC_PID%}}" in link
    assert studio("studio", "prolific", "publish", ID).stdout == f"{ID} is active\n"
    assert (
        studio("studio", "prolific", "top-up", ID, "--places", "5").stdout
        == f"{ID} has 5 places, 2 more than before\n"
    )
    assert server.stats()["study"]["total_available_places"] == 5

    names = arrive(link, "pid1", "pid2", "pid3", answering=2)
    rows = [
        {"id": f"sub{pid}", "participant_id": pid, "status": "AWAITING REVIEW"}
        for pid in ("pid1", "pid2", "pid3")
    ]
    server.control(submissions=rows)
    would = studio("studio", "prolific", "approve", "test-study", ID, "--dry-run")
    assert would.stdout == "would approve 2 submissions\n"
    assert all(each["status"] == "AWAITING REVIEW" for each in server.stats()["submissions"])
    done = studio("studio", "prolific", "approve", "test-study", ID)
    assert done.stdout == "approved 2 submissions\n" and "subpid3 of pid3" in done.stderr
    assert [each["status"] for each in server.stats()["submissions"]] == [
        "APPROVED",
        "APPROVED",
        "AWAITING REVIEW",
    ]
    assert studio("studio", "prolific", "show", ID).stdout.splitlines()[1:] == [
        "  approved: 2",
        "  awaiting review: 1",
    ]

    Path("bonuses.csv").write_text(f"participant,amount\n{names[0]},4.25\n{names[1]},1\n")
    cost = studio("studio", "prolific", "bonus", "test-study", ID, "bonuses.csv")
    assert cost.stdout == "would pay 2 bonuses, 5.25 (6.56 with fees)\n" and "nothing was paid" in cost.stderr
    assert server.stats()["paid"] == []
    assert (
        "paid 2 bonuses"
        in studio("studio", "prolific", "bonus", "test-study", ID, "bonuses.csv", "--pay").stdout
    )
    told = server.stats()
    assert told["paid"] == ["bonus1"] and told["bonuses"]["bonus1"] == {"pid1": 425, "pid2": 100}


def test_what_is_wrong_is_said(studio: Folkways, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("bonuses.csv").write_text("participant,amount\np-nobody,1\n")
    studio(*CREATE, "--address", "https://studio.example.org")
    studio("studio", "prolific", "publish", ID)
    wrong: dict[tuple[str, ...], str] = {
        CREATE: "--address https://studio.example.org",
        ("studio", "prolific", "top-up", ID, "--places", "2"): "has 3 places already",
        ("studio", "prolific", "publish", ID): "The study cannot be published.",
        ("studio", "prolific", "publish", "nowhere"): "No Study matches",
        (
            "studio",
            "prolific",
            "bonus",
            "test-study",
            ID,
            "bonuses.csv",
        ): "'p-nobody' is nobody of this study",
    }
    for line, words in wrong.items():
        done = studio(*line)
        assert done.returncode == 2 and words in done.stderr, done.stderr
    monkeypatch.setenv("PROLIFIC_API_TOKEN", "another")
    assert "Authentication credentials" in studio("studio", "prolific", "show", ID).stderr
    monkeypatch.delenv("PROLIFIC_API_TOKEN")
    assert "PROLIFIC_API_TOKEN" in studio("studio", "prolific", "show", ID).stderr


NOT_SINCE = "who has not answered here since they came by this study of Prolific"


@pytest.mark.parametrize(
    ("paid", "completed", "why"),
    [
        ({}, "DONE1", ""),
        ({"code": 7}, "7", ""),  # codes in a study's file may be numbers
        ({"code": None}, None, ""),  # a study without codes
        ({"state": "withdrawn"}, "DONE1", ""),
        ({"state": "excluded"}, "DONE1", ""),
        ({"answers": 0}, "DONE1", "who has not answered here"),
        ({"state": "screened_out", "code": "OUT2"}, "DONE1", "who has not answered here"),
        ({"state": "failed", "code": "OUT2"}, "DONE1", "who is to have the code OUT2 (failed)"),
        ({"state": "excluded", "code": None}, "DONE1", "who is to have no code (excluded)"),
        ({"answers_by_study": {"w1": 2, ID: 1}}, "DONE1", ""),
        ({"answers_by_study": {"": 3}}, "DONE1", ""),  # the link names no study
        ({"answers_by_study": {ID: 0, "": 3}}, "DONE1", NOT_SINCE),
        ({"answers_by_study": {"w1": 3}}, "DONE1", NOT_SINCE),
        ({"external": "another"}, "DONE1", "who has not answered here"),
        ({"external": None}, "DONE1", "who has not answered here"),
    ],
)
def test_only_who_is_to_have_the_code_for_work_is_approved(
    paid: dict[str, Any], completed: str | None, why: str
) -> None:
    row = {"external": "pid1", "answers": 3, "answers_by_study": {ID: 3}, "state": "active", "code": "DONE1"}
    submission = ProlificSubmission("sub1", "pid1", "AWAITING REVIEW")
    approved = ProlificSubmission("sub2", "pid1", "APPROVED")
    answered, others = review([submission, approved], [{**row, **paid}], ID, completed)
    assert (answered, others) == (([], {submission: why}) if why else ([submission], {}))


@pytest.mark.parametrize("amount", ["0", "-1", "1.005", "nan", "inf", "1e9", "", "4,25"])
def test_an_amount_is_money(tmp_path: Path, amount: str) -> None:
    from folkways.errors import DataError
    from folkways_studio.cli.prolific import read_bonuses

    (tmp_path / "b.csv").write_text(f'participant,amount\np-1,"{amount}"\n')
    known: dict[str, Any] = {"p-1": "pid1"}
    with pytest.raises(DataError, match=r"row 1"):
        read_bonuses(tmp_path / "b.csv", known)
