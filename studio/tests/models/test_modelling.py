"""Models in the loop, call by call and step by step, in whole rows: what was asked, what came of it, and
whose it is."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.activity import ModelCall
from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.items import service as items
from folkways_studio.models import modelling, redteaming
from folkways_studio.models.offered import OfferedModel
from folkways_studio.records import Participant
from folkways_studio.workflows.helping import HELPER_TOKENS, VERIFIER_TOKENS, helper_prompt, verifier_prompt
from studio.tests.support.studies import ON_A_FILE, StudyFixture, open_study, stored
from tests.support.chat_server import ChatServer

WRITE = {"name": "write", "kind": "write_question", "cap": 3, "most_challenges": 2, "lease_minutes": 10}
SCENARIO = "A colleague hands you an envelope with both hands."
SUGGESTION = {"question": "What is in it?", "options": ["money", "a letter", "tea", "seeds"], "right": [2]}
OPTIONS = ["a", "b", "c", "d"]
pytestmark = ON_A_FILE


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(mode="letter") as server:
        yield server


@pytest.fixture
def offered(server: ChatServer) -> Mapping[str, OfferedModel]:
    return {purpose: OfferedModel(f"{server.url}/v1#{purpose}") for purpose in ("helper", "verifier")}


@pytest.fixture
def study(studio_workspace: Workspace, offered: Mapping[str, OfferedModel]) -> StudyFixture:
    """A study after one that has asked as well."""
    for name in ("neighbour", "study"):
        study = open_study(
            studio_workspace,
            [WRITE],
            models={"helper": "helper", "verifier": "verifier"},
            offered=offered,
            name=name,
        )
    return study


def begin(study: StudyFixture) -> tuple[Participant, int, tuple[Workspace, int, int]]:
    """Somebody new at a question: they, its number, and what every step is called with."""
    person = study.person()
    work = study.work(person)
    return person, work.item.id, (study.workspace, person.id, work.assignment.id)


def test_every_step_in_whole_rows(study: StudyFixture, server: ChatServer) -> None:
    workspace = study.workspace
    author, item, steps = begin(study)
    _, other_item, other_steps = begin(study)
    redteaming.write_scenario(*other_steps, "Another scenario altogether.")
    began = time.time()
    redteaming.write_scenario(*steps, f" {SCENARIO} ")
    server.control(mode=f"fixed:Here: {json.dumps(SUGGESTION)}")
    suggestion, call = redteaming.suggest(*steps, study.offered)
    made = {"question": "What is in it?", "options": SUGGESTION["options"], "intended": [1]}
    assert suggestion == made
    server.control(mode="fixed:C")
    fooled = redteaming.challenge(*steps, study.offered)
    assert (fooled.read, fooled.reply, fooled.problem) == ({"chosen": 2, "fooled": True}, "C", None)
    redteaming.edit(*steps, " What is that? ", [" a", "b", "c", "d"], [2, 0])
    redteaming.edit(*steps, "What is that?", OPTIONS, [2, 0], strategy="negate")
    found = redteaming.edit(*steps, "What is that?", OPTIONS, [0, 2], strategy="negate")
    held = redteaming.challenge(*steps, study.offered)
    assert (held.read, held.reply, held.problem) == ({"chosen": 2, "fooled": False}, "C", None)
    with pytest.raises(ConflictError, match=r"as often as (it|one) may \(2\)"):
        redteaming.challenge(*steps, study.offered)

    edited = {"scenario": SCENARIO, "question": "What is that?", "options": OPTIONS, "intended": [0, 2]}
    calls = [
        {
            "study_id": study.record.id,
            "item_id": item,
            "participant_id": author.id,
            "purpose": purpose,
            "endpoint": purpose,
            "run": run,
            "prompt": prompt,
            "reply": reply,
            "problem": None,
            "read": read,
            "usd": 0.0,
        }
        for (run, purpose, prompt, reply, read) in (
            (
                call.run,
                "helper",
                helper_prompt(SCENARIO, "South Korea"),
                f"Here: {json.dumps(SUGGESTION)}",
                made,
            ),
            *(
                (
                    runs,
                    "verifier",
                    verifier_prompt(question, options, "South Korea"),
                    "C",
                    {"chosen": 2, "fooled": was_fooled},
                )
                for runs, question, options, was_fooled in zip(
                    [row["run"] for row in stored(workspace, schema.model_calls)][1:],
                    ("What is in it?", "What is that?"),
                    (made["options"], OPTIONS),
                    (True, False),
                    strict=True,
                )
            ),
        )
    ]
    rows = stored(workspace, schema.model_calls)
    assert [
        {name: value for name, value in row.items() if name not in ("id", "created")} for row in rows
    ] == calls
    assert all(began <= row["created"] <= time.time() for row in rows)
    assert call == ModelCall(**rows[0])
    first = {
        "question": "What is in it?",
        "options": made["options"],
        "chosen": 2,
        "fooled": True,
        "call": rows[1]["id"],
    }
    second = {
        "question": "What is that?",
        "options": OPTIONS,
        "chosen": 2,
        "fooled": False,
        "call": rows[2]["id"],
    }
    content = {**edited, "challenges": [first], "strategies": ["negate", "negate"]}
    assert found.content == content
    (row,) = stored(workspace, schema.items, id=item)
    assert row["content"] == {**content, "challenges": [first, second]}
    told = items.revisions(workspace, study.record.id, item)
    assert [(each.number, each.step, each.strategy, each.participant_id) for each in told] == [
        (number, step, "negate" if step == "revision" else None, author.id)
        for number, step in enumerate(
            ("begun", "scenario", "suggestion", "challenge", "edit", "revision", "revision", "challenge"), 1
        )
    ]
    assert [each.content for each in told[:3]] == [{}, {"scenario": SCENARIO}, {"scenario": SCENARIO, **made}]
    assert [
        (each.item_id, each.step) for each in items.revisions(workspace, study.record.id, other_item)
    ] == [(other_item, "begun"), (other_item, "scenario")]
    (row,) = stored(workspace, schema.items, id=other_item)
    assert row["content"] == {"scenario": "Another scenario altogether."}
    assert [each.id for each in modelling.list_calls(workspace, study.record.id)] == [
        row["id"] for row in rows
    ]
    assert [each.id for each in modelling.list_calls(workspace, study.record.id, item_id=item)] == [
        row["id"] for row in rows
    ]
    assert modelling.list_calls(workspace, study.record.id, item_id=other_item) == ()
    assert modelling.list_calls(workspace, study.record.id - 1) == ()


def test_each_step_keeps_the_slot_for_as_long_as_the_stage_says(study: StudyFixture) -> None:
    _, _, steps = begin(study)
    _, _, other = begin(study)
    with study.workspace.write() as connection:
        connection.execute(sa.update(schema.assignments).values(lease_until=5.0))
    began = time.time()
    redteaming.write_scenario(*steps, SCENARIO)
    (mine,) = stored(study.workspace, schema.assignments, id=steps[2])
    (theirs,) = stored(study.workspace, schema.assignments, id=other[2])
    assert began + 600.0 <= mine["lease_until"] <= time.time() + 600.0
    assert theirs["lease_until"] == 5.0


def test_where_a_question_is_asked_about(
    studio_workspace: Workspace, offered: Mapping[str, OfferedModel], server: ChatServer
) -> None:
    """A part of a population is named with its country; without a population it is that country."""
    populations = [
        {"name": "uk", "culture": "GB"},
        {"name": "wales", "title": "Wales", "culture": "GB", "part_of": "uk"},
    ]
    study = open_study(studio_workspace, [WRITE], models={"helper": "helper"}, populations=populations)
    server.control(mode="fixed:no question")
    places = []
    for name in ("uk", "wales", None):
        person = study.person("wales" if name is None else name)
        work = study.work(person)
        if name is None:
            with studio_workspace.write() as connection:
                connection.execute(
                    sa.update(schema.items).filter_by(id=work.item.id).values(population_id=None)
                )
        steps = (studio_workspace, person.id, work.assignment.id)
        redteaming.write_scenario(*steps, SCENARIO)
        found, call = redteaming.suggest(*steps, offered)
        assert found is None
        places.append(
            call.prompt
            == helper_prompt(
                SCENARIO,
                {"uk": "United Kingdom", "wales": "Wales (United Kingdom)"}.get(name or "", "that country"),
            )
        )
    assert places == [True, True, True]


def test_what_a_call_that_brings_nothing_leaves(
    study: StudyFixture,
    server: ChatServer,
    offered: Mapping[str, OfferedModel],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A refusal and a failure are for the log as well; who has gone and what babbles are not; none of them is
    a challenge."""
    _, item, steps = begin(study)
    redteaming.edit(*steps, "Which one?", OPTIONS, [0])
    gone = Event()
    gone.set()
    found: list[ModelCall] = []
    logged = []
    modes: list[tuple[dict[str, Any], Mapping[str, OfferedModel], Event | None]] = [
        ({"mode": "letter", "faults": {"chances": {"refusal": 1.0}, "seed": 1}}, offered, None),
        ({"faults": {"chances": {"401": 1.0}, "seed": 1}}, offered, None),
        (
            {"faults": {"chances": {}, "seed": 1}},
            {"verifier": OfferedModel(f"{server.url}/v1#m", "NO_SUCH_KEY")},
            None,
        ),
        ({"latency": 0.4}, {"verifier": OfferedModel(f"{server.url}/v1#other")}, gone),
        ({"latency": 0.0, "mode": "fixed:A or B"}, offered, None),
    ]
    for number, (control, models, event) in enumerate(modes):
        server.control(**control)
        redteaming.edit(*steps, f"Which one, {number}?", OPTIONS, [0])
        caplog.clear()
        found.append(redteaming.challenge(*steps, models, gone=event))
        logged.append(any(study.record.name in record.getMessage() for record in caplog.records))
    server.control(mode="letter", faults={"chances": {}, "seed": 1})
    assert logged == [True, True, True, False, False]
    assert [each.read for each in found] == [{"chosen": None, "fooled": None}] * 5
    assert [each.reply for each in found] == [None] * 4 + ["A or B"]
    problems = [each.problem for each in found]
    assert problems[:4] == [modelling.REFUSED, modelling.FAILED, modelling.FAILED, modelling.GIVEN_UP]
    assert problems[4] is not None and "no single option" in problems[4]
    rows = stored(study.workspace, schema.model_calls)
    assert [(row["problem"], row["reply"]) for row in rows] == [(each.problem, each.reply) for each in found]
    assert [row["read"] for row in rows] == [{"chosen": None, "fooled": None}] * 5
    assert [bool(row["run"]) for row in rows] == [True, True, False, True, True]
    (row,) = stored(study.workspace, schema.items, id=item)
    assert [each["question"] for each in row["content"]["challenges"]] == ["Which one, 4?"], (
        "only what the model answered to"
    )


def test_a_study_makes_as_many_calls_as_it_may(
    studio_workspace: Workspace, offered: Mapping[str, OfferedModel], server: ChatServer
) -> None:
    server.control(mode="letter")
    models = {"verifier": "verifier", "most_calls": 2}
    neighbour, study = (
        open_study(studio_workspace, [WRITE], models=models, name=name) for name in ("neighbour", "study")
    )
    for each in (neighbour, neighbour, study, study):
        call = modelling.call_model(studio_workspace, offered, each.record, "verifier", "Which?\x00", 4)
        assert (call.item_id, call.participant_id, call.prompt) == (
            None,
            None,
            "Which?\N{REPLACEMENT CHARACTER}",
        )
    with pytest.raises(ConflictError, match=r"this study has asked models as often as it may \(2\)"):
        modelling.call_model(studio_workspace, offered, study.record, "verifier", "Which?", 4)
    assert len(stored(studio_workspace, schema.model_calls)) == 4
    with pytest.raises(ConflictError, match="no model as helper"):
        modelling.call_model(studio_workspace, offered, study.record, "helper", "Which?", 4)
    with pytest.raises(ConflictError, match="none that this server may ask"):
        modelling.call_model(
            studio_workspace, {"helper": offered["helper"]}, study.record, "verifier", "Which?", 4
        )
    assert modelling.models_of(study.record) == {"verifier": "verifier"}
    assert modelling.models_in({"models": {"helper": "", "verifier": "v"}}) == {"verifier": "v"}
    assert modelling.models_in({}) == modelling.models_in({"models": None}) == {}
    both = replace(study.record, definition={"models": {"helper": "b", "verifier": "b"}})
    assert modelling.not_offered(both, {"a": offered["helper"]}) == ("b",)
    assert modelling.not_offered(both, {"b": offered["helper"]}) == ()


def test_what_was_read_is_added_to_its_call_alone(
    study: StudyFixture, offered: Mapping[str, OfferedModel], server: ChatServer
) -> None:
    server.control(mode="letter")
    first, second = (
        modelling.call_model(study.workspace, offered, study.record, "verifier", prompt, 4)
        for prompt in ("1?", "2?")
    )
    assert modelling.note_reading(study.workspace, first, {"chosen": 1}) == replace(first, read={"chosen": 1})
    noted = modelling.note_reading(study.workspace, first, None, "babble")
    assert noted == replace(first, read=None, problem="babble")
    assert modelling.note_reading(study.workspace, noted, None).problem == "babble"
    assert ModelCall(**stored(study.workspace, schema.model_calls)[1]) == second


def test_what_a_step_needs(study: StudyFixture) -> None:
    _, item, steps = begin(study)
    for text in ("short", "x" * 9, "x" * 4001):
        with pytest.raises(SubmissionError) as error:
            redteaming.write_scenario(*steps, text)
        assert set(error.value.problems) == {"scenario"}
    assert redteaming.write_scenario(*steps, "x" * 10).content == {"scenario": "x" * 10}
    with pytest.raises(SubmissionError) as error:
        redteaming.challenge(*steps, study.offered)
    assert set(error.value.problems) == {"question", "options", "intended"}
    for question, options, intended, wrong in (
        ("Why", OPTIONS, [0], {"question"}),
        ("Why?", OPTIONS, [0], {"question"}),
        ("Why so?", OPTIONS[:3], [0], {"options"}),
        ("Why so?", [*OPTIONS, "e"], [0], {"options"}),
        ("Why so?", OPTIONS, [4], {"intended"}),
    ):
        with pytest.raises(SubmissionError) as error:
            redteaming.edit(*steps, question, options, intended)
        assert set(error.value.problems) == wrong
    assert redteaming.edit(*steps, "Why s", OPTIONS, [3]).content["intended"] == [3]
    redteaming.edit(*steps, "Why so?", OPTIONS, [])
    with pytest.raises(SubmissionError) as error:
        redteaming.challenge(*steps, study.offered)
    assert set(error.value.problems) == {"intended"}
    with study.workspace.write() as connection:
        content = {"question": "Why", "options": OPTIONS[:3], "intended": [0]}
        connection.execute(sa.update(schema.items).filter_by(id=item).values(content=content))
    with pytest.raises(SubmissionError) as error:
        redteaming.challenge(*steps, study.offered)
    assert set(error.value.problems) == {"question", "options"}
    with study.workspace.write() as connection:
        connection.execute(sa.update(schema.items).filter_by(id=item).values(state="done"))
    with pytest.raises(ConflictError, match="was submitted"):
        redteaming.write_scenario(*steps, SCENARIO)
    with study.workspace.write() as connection:
        connection.execute(sa.update(schema.assignments).filter_by(id=steps[2]).values(state="closed"))
    with pytest.raises(ConflictError, match="submitted or closed"):
        redteaming.write_scenario(*steps, SCENARIO)
    other = open_study(study.workspace, [{"name": "collect", "kind": "collect_question"}], name="other")
    person = other.person()
    with pytest.raises(ConflictError, match="writing a question"):
        redteaming.write_scenario(study.workspace, person.id, other.work(person).assignment.id, SCENARIO)


def test_how_long_a_reply_may_be(study: StudyFixture, server: ChatServer) -> None:
    """What is asked of a model says how many tokens its reply may have: a letter for the verifier, a question
    for the helper."""
    from folkways.workspace import schema as kept

    server.control(mode="letter")
    _, _, steps = begin(study)
    redteaming.write_scenario(*steps, SCENARIO)
    redteaming.suggest(*steps, study.offered)
    redteaming.edit(*steps, "Which one?", OPTIONS, [0])
    redteaming.challenge(*steps, study.offered)
    settings = [json.loads(row["json"]) for row in stored(study.workspace, kept.settings)]
    assert [each["max_tokens"] for each in settings] == [HELPER_TOKENS, VERIFIER_TOKENS]
    assert modelling.TIMEOUT_SECONDS == 20.0
