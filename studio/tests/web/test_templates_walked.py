"""Every stage of every study that comes with folkways, from two answers that differ through an expert's
decision to the export; and what becomes of a task whose page cannot be shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import sqlalchemy as sa
import yaml

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.exports.archive import export_files
from folkways_studio.items import service as items
from folkways_studio.items.reading import content_of
from folkways_studio.items.service import NewItem
from folkways_studio.media import service as media
from folkways_studio.people import accounts, participants, sessions
from folkways_studio.records import AssignmentState, ItemState, Participant, Role, Stage, StudyState
from folkways_studio.stages.parts.base import values_of
from folkways_studio.stages.parts.tables import answers_of
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.work.assignments import Work
from folkways_studio.work.task_numbers import shown_number
from folkways_studio.workflows.definition import read_definition
from folkways_studio.workflows.templates import TEMPLATES, template_text
from studio.tests.support.studies import QUESTION, StudyFixture, next_work, open_study, untrained
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.http import Client

FIRST: Mapping[str, Mapping[str, Any]] = {
    "culture-specific-items": {
        "item": "potluck",
        "candidates": [{"text": f"We had {each} potluck.", "by": f"model-{each}"} for each in "abc"],
    }
}
"""Template -> what its items say, where a test looks at it. The others are as the example of their first stage
says, and people write those of a stage that has none."""

OFTEN = (
    "red-teaming", "everyday-questions", "culture-specific-items", "judging", "survey",
    "cultural-references", "interface-translation",
)  # fmt: skip
"""Walked on every run. The others have one stage of a kind that is in these, or of the gallery, whose forms are
walked in test_gallery.py."""

MEDIA = {"door.jpg": ("image/jpeg", b"a picture"), "greeting.mp3": ("audio/mpeg", b"a recording")}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    with StudioServer(tmp_path_factory.mktemp("walked") / "studio.db") as running:
        yield running


def opened(workspace: Workspace, template: str) -> StudyFixture:
    """A study of that template, open, with two items in its first stage: people differ on one and agree on the
    other."""
    owner = accounts.create_account(workspace, f"{template}@example.org", None)
    raw = yaml.safe_load(template_text(template))
    definition = read_definition({**raw, "stages": untrained(raw["stages"])})
    record = studies.create_study(workspace, definition, owner=owner.id)
    media.add_media(workspace, record.id, MEDIA)
    study = StudyFixture(workspace, studies.set_state(workspace, record.id, StudyState.OPEN), owner.id, {})
    first, population = definition.stages[0], definition.populations[0].name
    of = population if first.role == Role.ANNOTATOR else None
    kind = stage_kind(first.kind)
    content = FIRST.get(template) or content_of(kind.example_row(first.config), kind.own_columns)
    new = [NewItem(f"q{number}", content, of) for number in range(0 if kind.authored else 2)]
    items.add_items(study.workspace, record.id, first.name, new)
    return study


def people_of(study: StudyFixture, stage: Stage) -> list[Participant]:
    """As many people as the stage asks, two at least; of every population where it asks populations."""
    wanted = max(2, stage_kind(stage.kind).answers_wanted(stage.config))
    if stage.role != Role.ANNOTATOR:
        return [study.person(role=Role(stage.role)) for _ in range(wanted)]
    joined = [
        study.person(each.name)
        for each in studies.populations(study.workspace, study.record.id)
        for _ in range(wanted)
    ]
    for person in joined:
        if participants.get_participant(study.workspace, person.id).state != "active":
            participants.waive_eligibility(
                study.workspace, study.record.id, person.id, "a test", by=study.owner
            )
    return joined


def answer_of(stage: Stage, content: Mapping[str, Any], variant: int) -> dict[str, Any]:
    """What somebody says: the same for the same ``variant``."""
    letter = "abc"[variant % 3]
    rated = {each: {"accuracy": 3, "fluency": 3, "realism": 3} for each in "abc"}
    match stage.kind:
        case "adjudicate":
            payload = content["candidates"][0]["payload"] if content["candidates"] else {}
            said = {"answers": answers_of(payload)} if content["kind"] == "form" else payload
            return {**said, "reason": "as the first"}
        case "form":
            return {
                "answers": {part["key"]: form_answer(part, content, variant) for part in stage.config["ask"]}
            }
        case "choose_best":
            return {"best": letter, "ratings": rated}
        case "adapt":
            word = f"<CSI>meal {letter}</CSI>"
            return {"strategies": ["neutral_term"], "intra": f"A {word}.", "inter": f"B {word}."}
        case "write_question":
            return {"scenario": f"Somebody rings the bell at noon, {letter}.", **QUESTION, "intended": [0]}
        case "collect_question":
            return {
                "category": "Food",
                "question": f"무엇을 먹나요 {letter}?",
                "english": f"What do you eat, {letter}?",
            }
        case "curate":
            return {"decision": "keep", "template": f"What is eaten in your country, {letter}?"}
        case "localise":
            return {"local": f"무엇을 먹나요 {letter}?", "english": "What?"}
        case "short_answers":
            return {"answers": [f"밥 {letter}"]}
        case "group_answers":
            answers = sorted({answer for each in content["answers"].values() for answer in each})
            return {"groups": [{"answers": [each], "en_answers": [each]} for each in answers]}
        case "review":
            return {"decision": "keep"}
        case "vote":
            return {"choices": [variant % 4]}
        case "survey_question":
            return {"answer": variant % 2}
    asked = stage_kind(stage.kind).asked(content, stage.config)
    return {
        part["key"]: form_answer(part, content, variant)
        for part in asked
        if part.get("required", True) is True
    }


def form_answer(part: Mapping[str, Any], content: Mapping[str, Any], variant: int) -> Any:
    match part["type"]:
        case "spans":
            return [[0, 2 + 4 * (variant % 2)]]
        case "text":
            return f"in words {variant}"
        case "scale":
            return part.get("least", 1) + variant % 2
        case "pairwise":
            return part["between"][variant % 2]
    values = values_of(part, content)
    value = values[(variant + ("unlike" in part)) % len(values)]
    return [value] if part["type"] == "several" else value


def page_of(
    server: StudioServer, study: StudyFixture, person: Participant, work: Work
) -> tuple[Client, str, int, str]:
    """A browser of the person, the address of the task, and what its page answers."""
    client = Client(server.url)
    client.cookies["folkways_session"] = sessions.open_session(server.workspace, person.account_id)
    address = f"/work/{study.record.name}/tasks/{shown_number(work.assignment.id, person.pseudonym)}"
    reply = client.get(address)
    return client, address, reply.status, reply.text


def walk(server: StudioServer, study: StudyFixture, stage: Stage) -> None:
    """Everybody of a stage looks at the page of each task that they are given, and answers it."""
    for number, person in enumerate(people_of(study, stage)):
        for _ in range(1 if stage_kind(stage.kind).authored else 40):
            work = next_work(study.workspace, person.id, stage=stage.name)
            if not isinstance(work, Work):
                break
            client, address, status, text = page_of(server, study, person, work)
            if number == 0:
                refused = client.post(f"{address}/submit", {"revision": "0"})  # by a browser without scripts
                assert refused.status == 422 and "load the page again" in refused.text, stage.name
            assert status == 200 and "data-task" in text, (
                f"{stage.name}: the page of the task answers {status}"
            )
            if stage.kind == "adjudicate":
                people = {each.pseudonym for each in study.people()}
                assert not [each for each in people if each in text], "who said it is not told"
            digits = re.search(r"\d+", work.item.key)
            differ = digits is not None and int(digits[0]) % 2 == 0
            study.submit(person, work, answer_of(stage, work.item.content, number if differ else 0))


@pytest.mark.parametrize(
    "template",
    [
        pytest.param(template, marks=() if template in OFTEN else pytest.mark.nightly)
        for template in TEMPLATES
    ],
)
def test_every_stage_is_walked_from_answers_that_differ_through_an_expert_to_the_export(
    server: StudioServer, template: str
) -> None:
    study = opened(server.workspace, template)
    stages = studies.stages(study.workspace, study.record.id)
    for stage in stages:
        walk(server, study, stage)
    every = items.list_items(study.workspace, study.record.id)
    by_stage = {stage.name: [item for item in every if item.stage_id == stage.id] for stage in stages}
    assert [item.key for item in every if item.state in (ItemState.OPEN, ItemState.DRAFT)] == []
    for stage in stages:
        assert by_stage[stage.name], f"{stage.name} was never reached"
        if target := stage.config["next"].get("disagree"):
            decided = [item for item in by_stage[target] if (item.result or {}).get("adjudicated")]
            assert decided, f"nobody had to decide in {target}"
            assert all(item.result and "disputed" not in item.result for item in decided)
    if template == "culture-specific-items":
        (settled,) = by_stage["choose-again"]
        assert settled.result["by"] == "model-a", (
            "who wrote the chosen sentence is in the release, though judges are not told"
        )
    for format in ("csv", "release"):
        assert "study.json" in export_files(study.workspace, study.record.id, format)


def test_a_task_whose_page_fails_is_given_back_from_the_page_that_says_so(server: StudioServer) -> None:
    study = open_study(server.workspace, [{"name": "choose", "kind": "choose_best"}], name="broken")
    (number,) = study.add("choose", [FIRST["culture-specific-items"]])
    person = study.person()
    work = study.work(person)
    with server.workspace.write() as connection:
        connection.execute(
            sa.update(schema.items).filter_by(id=number).values(content={"item": "without sentences"})
        )
    client, address, status, text = page_of(server, study, person, work)
    assert status == 500 and f'action="{address}/skip"' in text
    assert "Traceback" not in text and "KeyError" not in text and ".py" not in text
    client.post(f"{address}/skip")
    with server.workspace.read() as connection:
        slots = sa.select(schema.assignments.c.state).filter_by(item_id=number)
        assert set(connection.scalars(slots)) == {AssignmentState.OPEN}
    assert study.nothing(person) == "none_left"
    assert "/skip" not in client.get("/work/broken/tasks/1").text, (
        "only a task that is theirs can be given back"
    )
