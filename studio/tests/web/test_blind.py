"""Whoever answers independently of others sees nothing of what they said before: no answer, name, vote,
comment or way to decide; on no page, by no program and in no export. For every role that works, and every
kind of stage.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from folkways_studio.items import discussion
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import sessions
from folkways_studio.people.suspension import exclude
from folkways_studio.programs import tokens
from folkways_studio.records import Participant, Role
from folkways_studio.stages.registry import STAGE_KINDS
from folkways_studio.work.task_numbers import shown_number
from studio.tests.stages.test_kinds import GOOD
from studio.tests.support.studies import StudyFixture, open_study
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.http import Client

OTHER_ROLES = (Role.EXPERT, Role.RESEARCHER)
KINDS = tuple(name for name, kind in STAGE_KINDS.items() if not kind.authored)
OFTEN = ("vote", "form", "adapt")
"""Kinds whose answers are counted, kept side by side, and looked at by an expert."""
COMMENT, SETTLE, BLIND = "To me it is clear", "Settle it by hand", "You may still be asked about this item"
LIMITS = {"api": [10_000, 60.0]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    with StudioServer(tmp_path_factory.mktemp("blind") / "studio.db", rates=LIMITS) as running:
        yield running


@dataclass(frozen=True)
class Pair:
    """Two people of one role in a study with a stage of every kind, each with one item that both are asked
    about."""

    server: StudioServer
    study: StudyFixture
    first: Participant
    second: Participant
    numbers: dict[str, int]

    def browser(self, account_id: int) -> Client:
        client = Client(self.server.url)
        client.cookies["folkways_session"] = sessions.open_session(self.study.workspace, account_id)
        return client

    def program(self, account_id: int) -> str:
        """The token of a program for the study, of an account."""
        return tokens.create_token(self.study.workspace, account_id, study_id=self.study.record.id)[1]

    def ask(self, token: str, path: str, method: str = "GET", body: object = None) -> tuple[int, str]:
        """A request of a program."""
        sent = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        reply = Client(self.server.url).ask(
            method, f"/api/v1/studies/{self.study.record.name}{path}", data, sent
        )
        return reply.status, reply.text


@pytest.fixture(
    scope="module",
    params=[
        (Role.REVIEWER, KINDS),
        *((role, OFTEN) for role in OTHER_ROLES),
        *(pytest.param((role, KINDS), marks=pytest.mark.nightly) for role in OTHER_ROLES),
    ],
    ids=lambda each: f"{each[0]}-{len(each[1])}",
)
def pair(request: pytest.FixtureRequest, server: StudioServer) -> Pair:
    role, kinds = request.param
    more = {"vote": {"majority": 2}, "form": {"ask": [{"key": "answer", "type": "text", "label": "So?"}]}}
    stages = [
        {"name": kind.replace("_", "-"), "kind": kind, "role": str(role), "answers": 2, **more.get(kind, {})}
        for kind in kinds
    ]
    study = open_study(server.workspace, stages, name=f"blind-{role}-{len(kinds)}")
    numbers = {kind: study.add(kind.replace("_", "-"), [GOOD[kind][0]], None)[0] for kind in kinds}
    people = [study.person(role=role) for _ in range(2)]
    for kind in kinds:
        study.answer(people[0], GOOD[kind][1], kind.replace("_", "-"))
        discussion.add_comment(study.workspace, study.record.id, numbers[kind], study.owner, COMMENT)
    return Pair(server, study, people[0], people[1], numbers)


def verifying(role: Role) -> list[dict[str, object]]:
    """One stage, in which two people of that role verify each question."""
    return [{"name": "verify", "kind": "vote", "role": str(role), "answers": 2, "majority": 2}]


def listed(text: str) -> list[str]:
    """The item list's entries."""
    return text.partition("<tbody>")[2].split("<tr>")[1:]


def test_what_the_first_said_is_seen_nowhere_before_both_have_answered(pair: Pair) -> None:
    study = pair.study
    place = f"/studies/{study.record.name}/items"
    for person in (pair.second, pair.first):  # the first may still correct their answer
        client, program = pair.browser(person.account_id), pair.program(person.account_id)
        entries = listed(client.get(place).text)
        for kind, number in pair.numbers.items():
            page = client.get(f"{place}/{number}")
            assert page.status == 200 and BLIND in page.text, kind
            for shown in (pair.first.pseudonym, COMMENT, SETTLE, "Discussion", "Redact"):
                assert shown not in page.text, (kind, shown)
            entry = next(each for each in entries if f"/items/{number}" in each)
            assert BLIND in entry and "progress" not in entry and "comment" not in entry, kind
            for path, fields in (
                ("settle", {"drop": "yes", "reason_why": "so"}),
                ("comments", {"comment": "x"}),
                ("discussion", {}),
            ):
                reply = client.post(f"{place}/{number}/{path}", fields, csrf=client.token(page))
                assert reply.status == 403, (kind, path)
            status, text = pair.ask(program, f"/items/{number}")
            whole = json.loads(text)
            assert status == 200 and whole["blind"] and whole["result"] is None, kind
            assert not whole["judgements"] and not whole["decisions"] and not whole["revisions"], kind
            assert pair.first.pseudonym not in text and "model-" not in text and '"by"' not in text, kind
            decision = {"drop": True, "reason": "so"}
            assert pair.ask(program, f"/items/{number}/decisions", "POST", decision)[0] == 403, kind

    owner, client = pair.browser(study.owner), pair.browser(pair.second.account_id)
    program = pair.program(pair.second.account_id)
    for kind, number in pair.numbers.items():
        work = study.work(pair.second, kind.replace("_", "-"))
        task = client.get(
            f"/work/{study.record.name}/tasks/{shown_number(work.assignment.id, pair.second.pseudonym)}"
        )
        assert task.status == 200 and "data-task" in task.text, kind
        for shown in (COMMENT, "Discussion", pair.first.pseudonym):
            assert shown not in task.text, (kind, shown)
        assert pair.first.pseudonym in owner.get(f"{place}/{number}").text, "who is not asked may look"
        study.submit(pair.second, work, GOOD[kind][1])
        text = client.get(f"{place}/{number}").text
        assert pair.first.pseudonym in text and COMMENT in text and BLIND not in text, kind
        assert (SETTLE in text) == STAGE_KINDS[kind].can_be_decided, kind
        whole = json.loads(pair.ask(program, f"/items/{number}")[1])
        assert not whole["blind"] and len(whole["judgements"]) == 2, kind


def test_an_export_leaves_out_what_its_reader_may_still_be_asked_about(server: StudioServer) -> None:
    study = open_study(server.workspace, verifying(Role.RESEARCHER), name="exported")
    (number,) = study.add("verify", [GOOD["vote"][0]], None)
    first, second = study.person(role=Role.RESEARCHER), study.person(role=Role.RESEARCHER)
    study.answer(first, {"choices": [2]}, "verify")
    discussion.add_comment(study.workspace, study.record.id, number, study.owner, COMMENT)
    pair = Pair(server, study, first, second, {})

    def exported(account_id: int) -> tuple[str, int]:
        path = f"/studies/{study.record.name}/data/export?format=csv&discussion=yes"
        client = pair.browser(account_id)
        connection = client.connect(*server.url.removeprefix("http://").split(":"))
        connection.request(
            "GET", path, headers={"Cookie": f"folkways_session={client.cookies['folkways_session']}"}
        )
        with zipfile.ZipFile(io.BytesIO(connection.getresponse().read())) as archive:
            words = "".join(archive.read(name).decode() for name in archive.namelist())
            return words, json.loads(archive.read("study.json"))["items_left_out_as_blind"]

    words, blind = exported(second.account_id)
    assert blind == 1 and first.pseudonym not in words and COMMENT not in words
    words, blind = exported(study.owner)
    assert blind == 0 and first.pseudonym in words and COMMENT in words


def test_who_chooses_to_look_is_not_asked_any_more(server: StudioServer) -> None:
    study = open_study(server.workspace, verifying(Role.REVIEWER), name="looked")
    (number,) = study.add("verify", [GOOD["vote"][0]], None)
    first, second = study.person(role=Role.REVIEWER), study.person(role=Role.REVIEWER)
    study.answer(first, {"choices": [2]}, "verify")
    study.work(second)
    client = Pair(server, study, first, second, {}).browser(second.account_id)
    client.post(
        f"/studies/looked/items/{number}/look", csrf=client.csrf("/studies/looked/items/" + str(number))
    )
    assert first.pseudonym in client.get(f"/studies/looked/items/{number}").text
    assert study.nothing(second) == "none_left"
    assert study.work(study.person(role=Role.REVIEWER)).item.id == number, "the place is somebody else's"


def test_who_answers_alone_discusses_beside_the_task_and_who_answers_as_a_participant_never_sees_an_item_page(
    server: StudioServer,
) -> None:
    stages = [{"name": "settle", "kind": "review", "role": "reviewer"}, {"name": "verify", "kind": "vote"}]
    study = open_study(server.workspace, stages, name="alone")
    (number,) = study.add("settle", [GOOD["review"][0]], None)
    (asked,) = study.add("verify", [GOOD["vote"][0]])
    discussion.add_comment(study.workspace, study.record.id, number, study.owner, COMMENT)
    reviewer, annotator = study.person(role=Role.REVIEWER), study.person()
    pair = Pair(server, study, reviewer, annotator, {})
    work = study.work(reviewer)
    client = pair.browser(reviewer.account_id)
    assert (
        COMMENT
        in client.get(f"/work/alone/tasks/{shown_number(work.assignment.id, reviewer.pseudonym)}").text
    )
    assert SETTLE in client.get(f"/studies/alone/items/{asked}").text, (
        "a reviewer is not asked in a stage of participants"
    )
    assert pair.browser(annotator.account_id).get(f"/studies/alone/items/{asked}").status == 403


def test_who_answers_again_alone_after_somebody_else_discusses_nothing_beside_the_task(
    server: StudioServer,
) -> None:
    """The item wants one answer, as in the test above, but there is one that the person must not know."""
    stages = [{"name": "settle", "kind": "review", "role": "reviewer"}]
    study = open_study(server.workspace, stages, name="again")
    (number,) = study.add("settle", [GOOD["review"][0]], None)
    first, second = study.person(role=Role.REVIEWER), study.person(role=Role.REVIEWER)
    study.answer(first, GOOD["review"][1])
    discussion.add_comment(study.workspace, study.record.id, number, study.owner, COMMENT)
    exclude(study.workspace, study.record.id, first.id, "answered for somebody else", by=study.owner)
    work = study.work(second)
    assert work.item.id == number
    client = Pair(server, study, first, second, {}).browser(second.account_id)
    task = client.get(f"/work/again/tasks/{shown_number(work.assignment.id, second.pseudonym)}")
    assert task.status == 200 and "data-task" in task.text
    assert COMMENT not in task.text and "Discussion" not in task.text
    assert BLIND in client.get(f"/studies/again/items/{number}").text


def test_the_right_answer_is_seen_after_ones_own(server: StudioServer) -> None:
    stages = [{"name": "verify", "kind": "vote", "role": "reviewer", "check_every": 1}]
    study = open_study(server.workspace, stages, name="checked")
    new = NewItem("gold", GOOD["vote"][0], None, check={"choices": [3]})
    (known,) = add_items(study.workspace, study.record.id, "verify", [new])
    study.add("verify", [GOOD["vote"][0]], None)
    reviewer = study.person(role=Role.REVIEWER)
    pair = Pair(server, study, reviewer, reviewer, {})
    client = pair.browser(reviewer.account_id)
    page, entries = (
        client.get(f"/studies/checked/items/{known.id}").text,
        client.get("/studies/checked/items").text,
    )
    assert BLIND in page and "known" not in page.lower().replace("unknown", "")
    assert "attention check" not in entries
    program = pair.program(reviewer.account_id)
    assert json.loads(pair.ask(program, f"/items/{known.id}")[1])["check"] is None
    work = study.work(reviewer)
    assert work.item.id == known.id
    study.submit(reviewer, work, {"choices": [3]})
    assert json.loads(pair.ask(program, f"/items/{known.id}")[1])["check"] == {"choices": [3]}
