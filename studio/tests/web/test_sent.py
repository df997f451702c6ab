"""What a person has sent: the form of every kind of stage comes back as it was sent, and a change of it is a
correction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import pytest

from folkways_studio.database import schema
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import participants, sessions
from folkways_studio.records import Participant, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.work import corrections
from folkways_studio.work.assignments import Work
from folkways_studio.work.redaction import redact
from folkways_studio.work.task_numbers import shown_number
from studio.tests.stages.test_kinds import GOOD
from studio.tests.support.studies import QUESTION, StudyFixture, open_study, stored
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.http import Client, Reply
from studio.tests.web.test_blind import KINDS

MORE: dict[str, dict[str, Any]] = {
    "vote": {"majority": 2},
    "form": {
        "ask": [
            {"key": "answer", "type": "text", "label": "So?"},
            {"key": "why", "type": "choice", "label": "Why?", "options": ["yes", "no"], "required": False},
        ]
    },
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    with StudioServer(tmp_path_factory.mktemp("sent") / "studio.db") as running:
        yield running


class Form(HTMLParser):
    """The form of a correction as a browser would send it unchanged."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fields: list[tuple[str, str]] = []
        self.action = ""
        self._inside = False
        self._area: str | None = None
        self._text = ""
        self._list: list[Any] | None = None
        self._templates = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self._templates += tag == "template"
        if tag == "form" and "data-correct" in given:
            self._inside, self.action = True, given["action"]
        if not self._inside or self._templates:
            return
        if (
            tag == "input"
            and "name" in given
            and (given.get("type") not in ("radio", "checkbox") or "checked" in given)
        ):
            self.fields.append((given["name"], given.get("value", "")))
        elif tag == "textarea":
            self._area, self._text = given["name"], ""
        elif tag == "select":
            self._list = [given["name"], None]
        elif tag == "option" and self._list is not None and (self._list[1] is None or "selected" in given):
            self._list[1] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        self._templates -= tag == "template"
        if tag == "form":
            self._inside = False
        elif tag == "textarea" and self._area is not None:
            self.fields.append((self._area, self._text.removeprefix("\n")))
            self._area = None
        elif tag == "select" and self._list is not None:
            self.fields.append((self._list[0], self._list[1] or ""))
            self._list = None


def browser(server: StudioServer, person: Participant) -> Client:
    client = Client(server.url)
    client.cookies["folkways_session"] = sessions.open_session(server.workspace, person.account_id)
    return client


def address(study: StudyFixture, person: Participant, work: Work) -> str:
    return f"/work/{study.record.name}/tasks/{shown_number(work.assignment.id, person.pseudonym)}/sent"


def post(client: Client, path: str, fields: list[tuple[str, str]]) -> Reply:
    sent = {"Origin": client.url, "Content-Type": "application/x-www-form-urlencoded"}
    return client.ask("POST", path, urlencode(fields).encode(), sent)


@pytest.mark.parametrize("kind", KINDS)
def test_the_form_comes_back_as_it_was_sent(server: StudioServer, kind: str) -> None:
    stages = [{"name": "it", "kind": kind, "answers": 2, "for_each_population": False, **MORE.get(kind, {})}]
    study = open_study(server.workspace, stages, name=f"same-{kind.replace('_', '-')}")
    study.add("it", [GOOD[kind][0]])
    person = study.person()
    work = study.answer(person, GOOD[kind][1], "it")
    client, place = browser(server, person), address(study, person, work)
    page = client.get(place)
    assert page.status == 200 and "You have sent this answer" in page.text and "/skip" not in page.text
    form = Form(page.text)
    assert form.action == place
    reply = post(client, place, form.fields)
    assert (reply.status, reply.place) == (303, f"/work/{study.record.name}/sent"), reply.text
    assert place in client.get(reply.place).text
    judgement = [row["id"] for row in stored(study.workspace, schema.judgements, participant_id=person.id)]
    assert stored(study.workspace, schema.corrections, judgement_id=judgement[0]) == [], (
        "nothing was changed by sending it again"
    )


def test_an_answer_is_looked_at_corrected_and_fixed_once_it_is_settled(server: StudioServer) -> None:
    stages = [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}]
    study = open_study(server.workspace, stages, name="corrected")
    study.add("verify", [QUESTION])
    first, second = study.person(), study.person()
    client = browser(server, first)
    assert "What you have sent" not in client.get("/work/corrected").text
    assert "You have sent nothing yet." in client.get("/work/corrected/sent").text
    work = study.work(first)
    place = address(study, first, work)
    assert client.get(place).place == "/work/corrected", "nothing was sent yet"
    study.submit(first, work, {"choices": [0], "comment": "so we do"})
    assert "What you have sent" in client.get("/work/corrected").text
    assert "soup" in client.get("/work/corrected/sent").text
    assert client.get(place.removesuffix("/sent")).place == place, "the task's own page leads to it"

    fields = [pair for pair in Form(client.get(place).text).fields if pair[0] != "choices"]
    wrong = post(client, place, fields)
    assert wrong.status == 422 and "You have sent this answer" in wrong.text, (
        "an empty answer is refused, and the form stays"
    )
    assert post(client, place, [*fields, ("choices", "1")]).status == 303
    listed = client.get("/work/corrected/sent").text
    assert "rice" in listed and "Your correction has been saved." in listed
    other = browser(server, second)
    assert other.get(place).status == 404, "nobody else looks at it"
    mine = [("csrf", other.csrf("/account")), *(pair for pair in fields if pair[0] != "csrf")]
    assert post(other, place, [*mine, ("choices", "3")]).status == 404

    study.answer(second, {"choices": [1]})
    settled = client.get(place).text
    assert "This is settled" in settled and "data-correct" not in settled and "rice" in settled
    late = [(name, "another key" if name == "key" else value) for name, value in fields]
    assert post(client, place, [*late, ("choices", "2")]).status == 409
    (judgement,) = stored(study.workspace, schema.judgements, participant_id=first.id)
    assert len(stored(study.workspace, schema.corrections, judgement_id=judgement["id"])) == 1


AGAIN: list[tuple[str, dict[str, Any], list[str], int, bool, list[Any]]] = [
    ("again-same", {}, ["0"], 303, False, []),
    ("again-changed", {}, ["1"], 303, False, [[1]]),
    ("again-changed-twice", {}, ["1", "1", "2"], 303, False, [[1], [2]]),
    ("again-corrected-since", {"elsewhere": [3]}, ["1", "0"], 303, False, [[1], [3]]),
    ("again-empty", {}, [""], 422, False, []),
    ("again-settled", {"settled": True}, ["1"], 303, True, []),
    ("again-settled-same", {"settled": True}, ["0"], 303, False, []),
    ("again-redacted", {"redacted": True}, ["0"], 303, False, []),
]
"""Name of the study -> what happens before the last, what is sent, the last status, whether it is said that the first
answer stands, and the corrections."""


@pytest.mark.parametrize(("name", "then", "choices", "status", "stands", "stored_after"), AGAIN)
def test_what_is_changed_in_an_answer_whose_reply_was_lost_is_taken_or_it_is_said_that_it_is_not(
    server: StudioServer,
    name: str,
    then: dict[str, Any],
    choices: list[str],
    status: int,
    stands: bool,
    stored_after: list[Any],
) -> None:
    study = open_study(
        server.workspace, [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}], name=name
    )
    study.add("verify", [QUESTION, {**QUESTION, "question": "And then?"}])
    person = study.person()
    client, work = browser(server, person), study.work(person)
    place = address(study, person, work).replace("/sent", "/submit")
    fields = [("csrf", client.csrf("/account")), ("key", "one"), ("comment", "as Kim does")]
    assert post(client, place, [*fields, ("choices", "0")]).status == 303
    (judgement,) = stored(study.workspace, schema.judgements, participant_id=person.id)
    if then.get("settled"):
        study.answer(study.person(), {"choices": [0]})
    if then.get("redacted"):
        redact(study.workspace, study.record.id, judgement["id"], by=study.owner)
    for choice in choices:
        if choice == choices[-1] and "elsewhere" in then:
            said = {"choices": then["elsewhere"], "comment": "as Kim does"}
            corrections.correct(study.workspace, person.id, work.assignment.id, said, "another")
        reply = post(client, place, [*fields, *([("choices", choice)] if choice else [])])
    assert reply.status == status
    page = reply.text if status == 422 else client.get(reply.place).text
    assert ("Your first answer stands" in page) is stands
    found = stored(study.workspace, schema.corrections, judgement_id=judgement["id"])
    assert [each["payload"]["choices"] for each in found] == stored_after


def test_an_attention_check_looks_like_every_other_answer(server: StudioServer) -> None:
    stages = [{"name": "verify", "kind": "vote", "check_every": 1}]
    study = open_study(server.workspace, stages, name="checked")
    add_items(
        study.workspace,
        study.record.id,
        "verify",
        [NewItem("gold", QUESTION, "korea", check={"choices": [3]})],
    )
    study.add("verify", [QUESTION])
    person = study.person()
    work, other = study.answer(person, {"choices": [0]}), study.answer(person, {"choices": [0]})
    assert work.item.check is not None and other.item.check is None
    client, place = browser(server, person), address(study, person, work)
    page, page_of_other = (
        re.sub(r'/tasks/\d+|(csrf|key|revision)" value="[^"]+"|data-csrf="[^"]+"|Token": "[^"]+"', "", text)
        for text in (client.get(place).text, client.get(address(study, person, other)).text)
    )
    assert page == page_of_other
    fields = [pair for pair in Form(client.get(place).text).fields if pair[0] != "choices"]
    assert post(client, place, [*fields, ("choices", "3")]).status == 303
    row, _ = stored(study.workspace, schema.judgements, participant_id=person.id)
    assert row["payload"]["choices"] == [0], "how well somebody works is told from what they said first"


def test_what_was_sent_and_a_question_of_the_test_are_called_by_what_people_saw(server: StudioServer) -> None:
    story, hidden = "A guest opens the gift.", "at once: rude"
    test = {"questions": 1, "pass_mark": 1, "feedback": True}
    show, ask = [{"field": "story", "type": "text"}], MORE["form"]["ask"]
    stages = [{"name": "it", "kind": "form", "show": show, "ask": ask, "qualification": test}]
    study = open_study(server.workspace, stages, name="shown")
    content, answer = {"expected": hidden, "story": story}, {"answers": {"answer": "so", "why": "no"}}
    new = [NewItem("test", content, "korea", {"why": "no"}, True), NewItem("work", content, "korea")]
    add_items(study.workspace, study.record.id, "it", new)
    person = study.person()
    client = browser(server, person)
    question, task = (study.answer(person, answer) for _ in range(2))
    places = [
        address(study, person, question).replace("/sent", "/answer"),
        "/work/shown/sent",
        address(study, person, task),
    ]
    for place in places:
        page = client.get(place)
        assert page.status == 200 and story in page.text and hidden not in page.text, place


def test_a_part_without_work_is_not_offered(server: StudioServer) -> None:
    stages = [
        {"name": name, "title": name, "kind": "vote", "answers": 1, "majority": 1} for name in ("a", "b")
    ]
    study = open_study(server.workspace, stages, name="parts")
    study.add("a", [QUESTION])
    person = study.person()
    client = browser(server, person)

    def offered() -> list[tuple[str, str]]:
        return re.findall(r'name="stage" value="(\w)"( disabled|)>', client.get("/work/parts").text)

    assert offered() == [("a", ""), ("b", " disabled")]
    work = study.work(person)
    assert offered() == [("a", ""), ("b", " disabled")], "what is at hand can be gone on with"
    study.submit(person, work, {"choices": [0]})
    study.add("b", [QUESTION])
    assert offered() == [("a", " disabled"), ("b", "")]


def test_who_left_looks_at_nothing_and_a_closed_study_takes_no_correction(server: StudioServer) -> None:
    study = open_study(server.workspace, [{"name": "verify", "kind": "vote"}], name="left")
    study.add("verify", [QUESTION])
    person = study.person()
    work = study.answer(person, {"choices": [0]})
    client, place = browser(server, person), address(study, person, work)
    fields = [pair for pair in Form(client.get(place).text).fields if pair[0] != "choices"]
    studies.set_state(study.workspace, study.record.id, StudyState.CLOSED)
    assert "This answer cannot be changed" in client.get(place).text
    assert post(client, place, [*fields, ("choices", "1")]).status == 409
    (sent,) = corrections.sent_by(study.workspace, person.id)
    assert sent.judgement.payload["choices"] == [0], "and with the correction, if there were one"
    participants.withdraw(study.workspace, study.record.id, person.id)
    assert client.get(place).place == "/work/left" and client.get("/work/left/sent").place == "/work/left"
