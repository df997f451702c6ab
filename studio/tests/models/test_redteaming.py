"""Writing a question against models on a real server, and without any."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from threading import Event

import pytest
import sqlalchemy as sa

from folkways.workspace import run_records
from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.items import service as items
from folkways_studio.models import modelling, redteaming
from folkways_studio.models.offered import OfferedModel
from folkways_studio.records import ItemState, Role
from folkways_studio.workflows import helping
from folkways_studio.workflows.definition import DefinitionError, read_definition
from studio.tests.support.studies import StudyFixture, described, open_study
from tests.support.chat_server import ChatServer
from tests.support.overtaking import overtaken

STAGES = [
    {"name": "write", "kind": "write_question", "cap": 2, "most_challenges": 3, "next": {"done": "review"}},
    {"name": "review", "kind": "review", "role": "researcher", "next": {"done": "verify"}},
    {"name": "verify", "kind": "vote"},
]
SCENARIO = "A colleague hands you an envelope with both hands on the first day of the year."
SUGGESTION = {
    "question": "What is in the envelope?",
    "options": ["A) money", "B) a letter", "C) tea", "D) seeds"],
    "right": [1],
}


@pytest.fixture(scope="module")
def running_server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def server(running_server: ChatServer) -> ChatServer:
    """The server as if it had just begun."""
    mode = f"fixed:Here it is: {json.dumps(SUGGESTION)}"
    running_server.control(mode=mode, faults={}, forget=True)
    return running_server


@pytest.fixture
def study(studio_workspace: Workspace, server: ChatServer) -> StudyFixture:
    return open_study(
        studio_workspace,
        STAGES,
        models={"helper": "helper", "verifier": "verifier"},
        offered=offered_by(server),
    )


def offered_by(server: ChatServer) -> dict[str, OfferedModel]:
    """What a studio is started with."""
    return {purpose: OfferedModel(f"{server.url}/v1#{purpose}") for purpose in ("helper", "verifier")}


def test_from_the_first_scenario_to_a_question_that_others_verify(
    study: StudyFixture, server: ChatServer
) -> None:
    author = study.person()
    work = study.work(author)
    steps = (study.workspace, author.id, work.assignment.id)
    redteaming.write_scenario(*steps, SCENARIO)
    suggestion, call = redteaming.suggest(*steps, study.offered)
    assert suggestion is not None
    assert suggestion["options"] == ["money", "a letter", "tea", "seeds"]
    assert suggestion["intended"] == [0]
    assert SCENARIO in call.prompt
    assert "South Korea" in call.prompt

    server.control(mode="fixed:A")
    held = redteaming.challenge(*steps, study.offered)
    assert held.read == {"chosen": 0, "fooled": False}

    options = ["a letter", "money", "tea", "seeds"]
    redteaming.edit(*steps, "What would not be in the envelope?", options, [0, 2, 3], strategy="negate")
    server.control(mode="fixed:The answer is (B).")
    fooled = redteaming.challenge(*steps, study.offered).read
    assert fooled is not None and fooled["fooled"]

    submission = {
        "scenario": SCENARIO,
        "question": "What would not be in the envelope?",
        "options": options,
        "intended": [0, 2, 3],
    }
    payload = study.submit(author, work, submission).judgement.payload
    assert payload["fooled"] is True
    assert payload["tries"] == 2
    assert payload["strategies"] == ["negate"]
    told = [
        (each.step, each.strategy) for each in items.revisions(study.workspace, study.record.id, work.item.id)
    ]
    assert told == [
        ("begun", None),
        ("scenario", None),
        ("suggestion", None),
        ("challenge", None),
        ("revision", "negate"),
        ("challenge", None),
        ("submitted", None),
    ]

    reviewer = study.person(role=Role.RESEARCHER)
    review = study.work(reviewer)
    assert review.item.content["intended"] == [0, 2, 3]
    study.submit(reviewer, review, {"decision": "keep", "question": "What would hardly be in the envelope?"})
    assert study.nothing(author, "verify") == "none_left", "nobody verifies their own question"
    voter = study.person()
    verify = study.work(voter, "verify")
    assert dict(verify.item.content) == {
        "question": "What would hardly be in the envelope?",
        "options": options,
    }
    ancestors = [item.stage_id for item in items.lineage(study.workspace, study.record.id, verify.item.id)]
    assert len(ancestors) == 3


def test_what_was_asked_before_is_not_asked_again(study: StudyFixture, server: ChatServer) -> None:
    author = study.person()
    work = study.work(author)
    steps = (study.workspace, author.id, work.assignment.id)
    redteaming.write_scenario(*steps, SCENARIO)
    redteaming.suggest(*steps, study.offered)
    server.control(mode="letter")
    first = redteaming.challenge(*steps, study.offered)
    second = redteaming.challenge(*steps, study.offered)
    assert (first.read, first.reply) == (second.read, second.reply)
    assert server.stats()["total"] == 2
    assert len(modelling.list_calls(study.workspace, study.record.id, item_id=work.item.id)) == 3
    assert {run.name.rsplit("-", 1)[0] for run in run_records.list_runs(study.workspace)} == {
        "studio-helper",
        "studio-verifier",
    }


def test_a_question_may_be_tried_only_so_often(study: StudyFixture, server: ChatServer) -> None:
    author = study.person()
    steps = (study.workspace, author.id, study.work(author).assignment.id)
    redteaming.edit(*steps, "Which one?", ["a", "b", "c", "d"], [0])
    server.control(mode="letter")
    for _ in range(3):
        redteaming.challenge(*steps, study.offered)
    with pytest.raises(ConflictError, match=r"tried as often as it may \(3\)"):
        redteaming.challenge(*steps, study.offered)


def test_two_tries_at_once_are_both_kept(study: StudyFixture, server: ChatServer) -> None:
    author = study.person()
    work = study.work(author)
    steps = (study.workspace, author.id, work.assignment.id)
    redteaming.edit(*steps, "Which one?", ["a", "b", "c", "d"], [0])
    server.control(mode="letter")
    strategy = next(iter(helping.strategies()))

    def other_tab() -> None:
        redteaming.edit(*steps, "Which one is it?", ["a", "b", "c", "d"], [0], strategy=strategy)
        redteaming.challenge(*steps, study.offered)

    with overtaken(study.workspace, other_tab):
        redteaming.challenge(*steps, study.offered)
    with overtaken(
        study.workspace,
        lambda: redteaming.edit(*steps, "Which one?", ["a", "b", "c", "d"], [0], strategy=strategy),
    ):
        redteaming.edit(*steps, "Which?", ["a", "b", "c", "d"], [0], strategy=strategy)
    content = items.get_item(study.workspace, study.record.id, work.item.id).content
    assert [each["question"] for each in content["challenges"]] == ["Which one is it?", "Which one?"]
    assert len(content["strategies"]) == 3


def test_two_tabs_have_no_more_tries_than_there_are(study: StudyFixture, server: ChatServer) -> None:
    author = study.person()
    work = study.work(author)
    steps = (study.workspace, author.id, work.assignment.id)
    server.control(mode="letter")
    for question in ("Which one?", "Which one is it?"):
        redteaming.edit(*steps, question, ["a", "b", "c", "d"], [0])
        redteaming.challenge(*steps, study.offered)

    def other_tab() -> None:
        redteaming.edit(*steps, "Which?", ["a", "b", "c", "d"], [0])
        redteaming.challenge(*steps, study.offered)

    with (
        overtaken(study.workspace, other_tab),
        pytest.raises(ConflictError, match=r"tried as often as it may \(3\)"),
    ):
        redteaming.challenge(*steps, study.offered)
    assert len(items.get_item(study.workspace, study.record.id, work.item.id).content["challenges"]) == 3


def test_models_that_fail_or_babble_are_told_in_words(
    study: StudyFixture, server: ChatServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    author = study.person()
    work = study.work(author)
    steps = (study.workspace, author.id, work.assignment.id)
    redteaming.write_scenario(*steps, SCENARIO)
    server.control(mode="fixed:I would rather not.")
    suggestion, call = redteaming.suggest(*steps, study.offered)
    assert suggestion is None
    assert call.problem is not None
    assert "no question with four options" in call.problem
    redteaming.edit(*steps, "Which one?", ["a", "b", "c", "d"], [0])
    found = redteaming.challenge(*steps, study.offered)
    assert found.read == {"chosen": None, "fooled": None}
    assert found.problem is not None
    server.control(faults={"chances": {"500": 1.0}, "seed": 1})
    monkeypatch.setattr(modelling, "TIMEOUT_SECONDS", 1.0)
    redteaming.edit(*steps, "Which other one?", ["a", "b", "c", "d"], [0])
    found = redteaming.challenge(*steps, study.offered)
    assert found.reply is None
    assert found.problem == modelling.FAILED
    assert "500" in caplog.text, "what the server said is for the log"
    assert len(study.work(author).item.content["challenges"]) == 1, "a challenge that failed is not one"


def test_a_study_without_models(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, STAGES)
    author = study.person()
    work = study.work(author)
    steps = (study.workspace, author.id, work.assignment.id)
    redteaming.write_scenario(*steps, SCENARIO)
    with pytest.raises(ConflictError, match="no model as helper"):
        redteaming.suggest(*steps, study.offered)
    submission = {
        "scenario": SCENARIO,
        "question": "What is it?",
        "options": ["a", "b", "c", "d"],
        "intended": [1],
    }
    assert study.submit(author, work, submission).judgement.payload["fooled"] is None


def test_the_cap_counts_questions_of_one_person(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, STAGES)
    author, other = study.person(), study.person()
    submission = {
        "scenario": SCENARIO,
        "question": "What is it?",
        "options": ["a", "b", "c", "d"],
        "intended": [1],
    }
    for _ in range(2):
        study.answer(author, submission, "write")
    assert study.nothing(author, "write") == "cap"
    assert study.work(other, "write").item.state == ItemState.DRAFT


def test_the_quota_counts_questions_of_a_population(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "write", "kind": "write_question", "quota": 2}])
    people = [study.person() for _ in range(3)]
    assert [study.work(person).item.state for person in people[:2]] == [ItemState.DRAFT] * 2
    assert study.nothing(people[2]) == "quota"


def test_nobody_takes_a_step_in_a_question_of_somebody_else(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, STAGES)
    author, other = study.person(), study.person()
    work = study.work(author)
    for act in (
        lambda: redteaming.write_scenario(study.workspace, other.id, work.assignment.id, SCENARIO),
        lambda: redteaming.edit(
            study.workspace, other.id, work.assignment.id, "Which one?", ["a", "b", "c", "d"], [0]
        ),
        lambda: redteaming.suggest(study.workspace, other.id, work.assignment.id, {}),
        lambda: redteaming.challenge(study.workspace, other.id, work.assignment.id, {}),
    ):
        with pytest.raises(NotFoundError):
            act()


def test_steps_that_lack_something_say_what(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, STAGES)
    author = study.person()
    steps = (study.workspace, author.id, study.work(author).assignment.id)
    with pytest.raises(ConflictError, match="scenario first"):
        redteaming.suggest(*steps, study.offered)
    with pytest.raises(SubmissionError) as error:
        redteaming.edit(*steps, "?", ["a", "a", "b"], [7], strategy="shout")
    assert set(error.value.problems) == {"question", "options", "intended", "strategy"}
    with pytest.raises(SubmissionError):
        redteaming.challenge(*steps, study.offered)


def test_a_study_asks_no_model_that_the_server_was_not_started_with(
    studio_workspace: Workspace, server: ChatServer
) -> None:
    address = f"{server.url}/v1#mine"
    with pytest.raises(
        DefinitionError, match=r"models.verifier: has to be the name of a model of the server's list"
    ):
        read_definition(described(STAGES, models={"verifier": address}))
    study = open_study(
        studio_workspace, STAGES, models={"verifier": "unheard-of"}, offered=offered_by(server)
    )
    with studio_workspace.write() as connection:  # a study of an earlier version names an address
        definition = {
            **study.record.definition,
            "models": {"helper": address, "verifier": "replay:/etc/passwd"},
        }
        connection.execute(sa.update(schema.studies).values(definition=definition))
    author = study.person()
    steps = (study.workspace, author.id, study.work(author).assignment.id)
    redteaming.write_scenario(*steps, SCENARIO)
    redteaming.edit(*steps, "Which one?", ["a", "b", "c", "d"], [0])
    for act in (redteaming.suggest, redteaming.challenge):
        with pytest.raises(ConflictError, match="none that this server may ask"):
            act(*steps, study.offered)
    assert server.stats()["total"] == 0
    # Whoever runs the server may list an address under the very name that the old study has.
    assert redteaming.suggest(*steps, {address: OfferedModel(f"{server.url}/v1#helper")})[0] is not None


def test_each_model_gets_its_own_key_and_no_other(
    studio_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLKWAYS_API_KEY", "key-of-the-server-1")
    monkeypatch.setenv("KEY_OF_THE_LAB", "key-of-the-lab-12345")
    monkeypatch.delenv("FOLKWAYS_API_KEY_HOSTS", raising=False)
    with ChatServer(mode="letter", require_key="key-of-the-lab-12345") as server:
        for key, works in (("KEY_OF_THE_LAB", True), (None, False), ("NOT_SET", False)):
            name = f"study-{key or 'none'}".lower().replace("_", "-")
            offered = {"lab": OfferedModel(f"{server.url}/v1#m", key)}
            study = open_study(
                studio_workspace, STAGES, models={"verifier": "lab"}, offered=offered, name=name
            )
            author = study.person()
            steps = (study.workspace, author.id, study.work(author).assignment.id)
            redteaming.edit(*steps, f"Which one, {name}?", ["a", "b", "c", "d"], [0])
            found = redteaming.challenge(*steps, offered)
            assert (found.reply is not None) == works
            assert found.problem == (None if works else modelling.FAILED)


def test_a_model_that_does_not_answer_is_given_up(
    study: StudyFixture, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modelling, "TIMEOUT_SECONDS", 0.5)
    author = study.person()
    steps = (study.workspace, author.id, study.work(author).assignment.id)
    redteaming.edit(*steps, "Which one?", ["a", "b", "c", "d"], [0])
    server.control(faults={"chances": {"stall": 1.0}, "seed": 1})
    began = time.monotonic()
    assert redteaming.challenge(*steps, study.offered).problem == modelling.TOO_LATE
    assert time.monotonic() - began < 5
    gone = Event()
    gone.set()
    monkeypatch.setattr(modelling, "TIMEOUT_SECONDS", 60.0)
    assert redteaming.challenge(*steps, study.offered, gone=gone).problem == modelling.GIVEN_UP
    assert time.monotonic() - began < 10
