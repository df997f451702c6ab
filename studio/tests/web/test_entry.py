"""Coming in and leaving: invitations, Prolific's parameters and signatures, consent, eligibility, completion
codes, withdrawal."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows
from folkways_studio.items import service as items
from folkways_studio.items.service import NewItem
from folkways_studio.people import accounts, invites, participants, personal, prolific_entry, suspension
from folkways_studio.records import Participant, ParticipantState, Role, Study, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.web.app import THREADS
from folkways_studio.work import judgements, leases
from folkways_studio.workflows.definition import read_definition
from studio.tests.support.studies import PASSWORD, QUESTION, described
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.http import Client

CRITERIA = [
    {
        "name": "grew_up",
        "ask": "Where did you grow up?",
        "options": ["South Korea", "elsewhere"],
        "accept": ["South Korea"],
    },
    {"name": "age", "ask": "How old are you?", "least": 18},
]
CODES = {"completed": "DONE-1", "screened_out": "OUT-2", "no_work": "NONE-3"}
PERSON = {"PROLIFIC_PID": "5f8d0a", "STUDY_ID": "s1", "SESSION_ID": "x9"}
OF_PEOPLE = {"criteria", "people"}
ORIGIN = "https://studio.example.org"


def make_study(server: StudioServer, *, n: int = 1, **changes: Any) -> Study:
    """An open study with ``n`` questions for one person each."""
    owner = accounts.find_account(server.workspace, "olga") or accounts.create_account(
        server.workspace, "olga", PASSWORD
    )
    name = f"entry-{len(studies.list_studies(server.workspace))}"
    population = {
        "name": "korea",
        "culture": "KR",
        **{name: changes.pop(name) for name in OF_PEOPLE & {*changes}},
    }
    stages = [{"name": "verify", "kind": "vote", "answers": 1, "majority": 1}]
    study = studies.create_study(
        server.workspace,
        read_definition(described(stages, name=name, populations=[population], **changes)),
        owner=owner.id,
    )
    items.add_items(
        server.workspace,
        study.id,
        "verify",
        [NewItem(f"q{number}", QUESTION, "korea") for number in range(n)],
    )
    return studies.set_state(server.workspace, study.id, StudyState.OPEN)


def link(server: StudioServer, study: Study, **options: Any) -> str:
    _, token = invites.create_invite(server.workspace, study.id, population="korea", **options)
    return f"/join/{token}"


def only_person(server: StudioServer, study: Study) -> Participant:
    (found,) = participants.list_participants(server.workspace, study.id)
    return found


def come(client: Client, address: str, fields: dict[str, str] | None = None) -> str:
    """Through the invitation; where it leads."""
    reply = client.post(address, fields, csrf=client.csrf(address))
    assert reply.status == 303, reply.text
    return reply.place


def agree(client: Client, study: Study) -> None:
    fields = {"agree": "yes", "version": study.consent_version}
    assert client.post(f"/work/{study.name}/consent", fields).status == 303


def test_looking_at_an_invitation_stores_nobody(server: StudioServer) -> None:
    study = make_study(server)
    address = link(server, study, uses=1)
    for _ in range(3):
        assert Client(server.url).get(address).status == 200
    assert participants.list_participants(server.workspace, study.id) == ()


def test_the_way_in_leads_over_consent_and_questions_about_the_person(server: StudioServer) -> None:
    study = make_study(server, criteria=CRITERIA)
    client = Client(server.url)
    home = come(client, link(server, study))
    assert home == f"/work/{study.name}"
    assert client.get(home).place == f"{home}/consent"
    assert client.post(f"{home}/consent", {"version": study.consent_version}).status == 422
    assert client.post(f"{home}/consent", {"agree": "yes", "version": "of yesterday"}).status == 409
    agree(client, study)
    assert client.get(home).place == f"{home}/eligibility"
    missing = client.post(f"{home}/eligibility", {"criterion-grew_up": "South Korea"})
    assert missing.status == 422 and "Please answer this question" in missing.text
    assert (
        client.post(f"{home}/eligibility", {"criterion-grew_up": "South Korea", "criterion-age": "33"}).status
        == 303
    )
    assert client.get(home).status == 200
    person = only_person(server, study)
    assert person.state == "active" and person.consent_version == study.consent_version
    assert personal.attributes(server.workspace, study.id, person.id) == {
        "grew_up": "South Korea",
        "age": "33",
    }


@pytest.mark.parametrize(
    "answers", [{"grew_up": "elsewhere", "age": "33"}, {"grew_up": "South Korea", "age": "17"}]
)
def test_who_does_not_meet_the_criteria_is_thanked_with_the_code_for_it(
    server: StudioServer, answers: dict[str, str]
) -> None:
    study = make_study(server, criteria=CRITERIA, prolific=CODES)
    client = Client(server.url)
    home = come(client, link(server, study), PERSON)
    agree(client, study)
    client.post(f"{home}/eligibility", {f"criterion-{name}": value for name, value in answers.items()})
    assert client.get(home).place == f"{home}/done"
    page = client.get(f"{home}/done").text
    assert "OUT-2" in page and "DONE-1" not in page and "cc=OUT-2" in page
    assert "work/next" not in page
    assert client.post(f"{home}/next").place == f"{home}/done"


@pytest.mark.parametrize(
    "limit",
    [
        {"people": 1},
        {"people": 1, "criteria": CRITERIA},
        {"criteria": [{**CRITERIA[0], "quota": {"South Korea": 1}}]},
    ],
    ids=["of people who are asked nothing", "of people", "of an answer"],
)
def test_who_comes_when_there_are_enough_is_thanked_with_the_code_for_it(
    server: StudioServer, limit: dict[str, Any]
) -> None:
    study = make_study(server, prolific=CODES, **limit)
    address, ends = link(server, study), []
    for pid in ("first", "second"):
        client = Client(server.url)
        home = come(client, address, {**PERSON, "PROLIFIC_PID": pid})
        agree(client, study)
        client.post(f"{home}/eligibility", {"criterion-grew_up": "South Korea", "criterion-age": "33"})
        ends.append(client.get(home))
    assert [each.status for each in ends] == [200, 303]
    page = client.get(ends[1].place).text
    assert "or has found enough people already" in page and "OUT-2" in page


def test_prolific_pays_for_work_done_and_for_work_that_was_gone(server: StudioServer) -> None:
    study = make_study(server, prolific=CODES)
    address = link(server, study)
    first, second = Client(server.url), Client(server.url)
    for client, pid in ((first, "p1"), (second, "p2")):
        come(client, address, {**PERSON, "PROLIFIC_PID": pid})
        agree(client, study)
    task = first.post(f"/work/{study.name}/next").place
    assert second.post(f"/work/{study.name}/next").place == f"/work/{study.name}/done"
    assert "NONE-3" in second.get(f"/work/{study.name}/done").text
    assert "DONE-1" not in first.get(f"/work/{study.name}/done").text
    assert "DONE-1" not in second.get(f"/work/{study.name}/done").text
    done = first.post(f"{task}/submit", {"key": "k", "choices": "1"})
    assert "DONE-1" in first.get(done.place).text


@pytest.mark.parametrize(
    ("steps", "code"),
    [("1a", "DONE-1"), ("1a2", "NONE-3"), ("1a2a", "DONE-1"), ("12", "NONE-3"), ("12a", "DONE-1"),
     ("1a21", "DONE-1"), ("12a1", "NONE-3")],
)  # fmt: skip
def test_each_study_of_prolific_pays_for_what_was_done_since_people_came_by_it(
    server: StudioServer, steps: str, code: str
) -> None:
    """steps: 1, 2: they come by this study there; a: they answer an item that was added for it."""
    study = make_study(server, n=0, prolific=CODES)
    address, client = link(server, study), Client(server.url)
    for place, step in enumerate(steps):
        if step != "a":
            come(client, address, {**PERSON, "STUDY_ID": f"s{step}"})
            if not place:
                agree(client, study)
            continue
        items.add_items(server.workspace, study.id, "verify", [NewItem(f"q{place}", QUESTION, "korea")])
        task = client.post(f"/work/{study.name}/next").place
        client.post(f"{task}/submit", {"key": f"k{place}", "choices": "1"})
    page = client.get(f"/work/{study.name}/done").text
    assert [each for each in CODES.values() if str(each) in page] == [code]
    assert (f'href="/work/{study.name}/sent"' in page) == ("a" in steps)


@pytest.mark.parametrize("state", ["failed", "excluded"])
@pytest.mark.parametrize("pay", ["completed", "screened_out"])
def test_the_code_of_those_whose_work_has_ended_is_for_the_study_of_prolific_that_it_was_for(
    server: StudioServer, state: str, pay: str
) -> None:
    study = make_study(server, prolific=CODES)
    address, client = link(server, study), Client(server.url)
    come(client, address, {**PERSON, "STUDY_ID": "s1"})
    agree(client, study)
    task = client.post(f"/work/{study.name}/next").place
    client.post(f"{task}/submit", {"key": "k", "choices": "1"})
    person = only_person(server, study)
    ended = {"state": state, "pay": pay, "exclusion": "quality" if state == "excluded" else None}
    with server.workspace.write() as connection:
        change_rows(connection, schema.participants, {"id": person.id}, **ended)
    home = f"/work/{study.name}"

    def code() -> list[object]:
        page = client.get(client.get(home).place or home).text
        return [each for each in CODES.values() if str(each) in page]

    assert code() == [CODES[pay]]
    come(client, address, {**PERSON, "STUDY_ID": "s2"})
    assert code() == [CODES["no_work" if pay == "completed" else pay]]


@pytest.mark.parametrize("codes", [CODES, {"signed": False}, None], ids=["codes", "no codes", "no Prolific"])
@pytest.mark.parametrize("by_prolific", [True, False])
def test_who_says_half_way_that_they_are_done_is_thanked_and_whom_a_code_waits_for_reads_when_it_comes(
    server: StudioServer, by_prolific: bool, codes: dict[str, Any] | None
) -> None:
    study = make_study(server, n=2, **({"prolific": codes} if codes else {}))
    client = Client(server.url)
    home = come(client, link(server, study), PERSON if by_prolific else None)
    offer = client.get(f"{home}/consent").text
    assert ("Prolific says what it pays" in offer, "states no pay" in offer) == (by_prolific, not by_prolific)
    agree(client, study)
    client.post(f"{client.post(f'{home}/next').place}/submit", {"key": "k", "choices": "1"})
    page = client.get(client.post(f"{home}/finish").place).text
    assert ("still something to do" in page, "<h1>Thank you</h1>" in page) == (by_prolific, not by_prolific)
    assert ("Your code comes when nothing is left" in page) == (by_prolific and codes is CODES)
    assert "Go on whenever you like" in page and "DONE-1" not in page


def test_a_study_that_is_closed_pays_those_who_were_at_work(server: StudioServer) -> None:
    study = make_study(server, n=2, prolific=CODES)
    address = link(server, study)
    codes = {}
    for pid in ("worked", "began", "came"):
        client = Client(server.url)
        home = come(client, address, {**PERSON, "PROLIFIC_PID": pid})
        if pid != "came":
            agree(client, study)
            task = client.post(f"{home}/next").place
        if pid == "worked":
            client.post(f"{task}/submit", {"key": "k", "choices": "1"})
        codes[pid] = client
    studies.set_state(server.workspace, study.id, StudyState.CLOSED)
    for pid, code in (("worked", "DONE-1"), ("began", "NONE-3"), ("came", "")):
        page = codes[pid].get(home).text
        assert [each for each in CODES.values() if each in page] == [code] * bool(code), pid


@pytest.mark.parametrize("of_study", [StudyState.OPEN, StudyState.PAUSED, StudyState.CLOSED])
@pytest.mark.parametrize("of_person", ParticipantState)
def test_only_those_whose_work_can_have_ended_are_told_of_its_end(
    server: StudioServer, of_person: ParticipantState, of_study: StudyState
) -> None:
    study = make_study(server, n=2)
    client = Client(server.url)
    home = come(client, link(server, study))
    agree(client, study)
    client.post(f"{client.post(f'{home}/next').place}/submit", {"key": "k", "choices": "1"})
    with server.workspace.write() as connection:
        change_rows(connection, schema.participants, {"study_id": study.id}, state=str(of_person))
    studies.set_state(server.workspace, study.id, of_study)
    is_at_work = of_person in (ParticipantState.ACTIVE, ParticipantState.FINISHED)
    is_turned_away = of_person in (ParticipantState.SCREENED_OUT, ParticipantState.FAILED)
    for address in (f"{home}/done", f"{home}/rest", f"{home}/rest?why=paused", f"{home}/rest?why=closed"):
        reply = client.get(address)
        assert (reply.status == 200) == (is_turned_away or (is_at_work and of_study == StudyState.OPEN))
        assert reply.status == 200 or reply.place == home
        assert ("Go on whenever you like" in reply.text) == (is_at_work and reply.status == 200)
    warned = client.get(f"{home}/rest?why=warned")
    assert ("Please look closely" in warned.text) == is_at_work


def test_who_comes_back_by_the_same_id_is_the_same_person(server: StudioServer) -> None:
    study = make_study(server)
    address = link(server, study, uses=1)
    client = Client(server.url)
    come(client, address, PERSON)
    come(client, address.split("?")[0], PERSON)
    assert len(participants.list_participants(server.workspace, study.id)) == 1
    refused = Client(server.url).post(address, {**PERSON, "PROLIFIC_PID": "other"}, csrf=None)
    assert refused.status == 410 and "used as often as it may be" in refused.text


@pytest.mark.parametrize("pid", ["=cmd|'/c calc'!A1", "a b", "x" * 65, "<b>"])
def test_what_prolific_would_never_send_is_refused(server: StudioServer, pid: str) -> None:
    study = make_study(server)
    client = Client(server.url)
    assert client.post(link(server, study), {**PERSON, "PROLIFIC_PID": pid}).status == 410
    assert participants.list_participants(server.workspace, study.id) == ()


class Keys:
    """A signer, and the key set file that the server reads."""

    def __init__(self, folder: Path) -> None:
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.private.public_key()))
        self.file = folder / "keys.json"
        self.file.write_text(
            json.dumps({"keys": [{**key, "kid": "one", "alg": "RS256", "use": "sig"}]}), encoding="utf-8"
        )

    def sign(
        self, claims: dict[str, Any], *, kid: str = "one", key: Any = None, algorithm: str = "RS256"
    ) -> str:
        return str(jwt.encode(claims, key or self.private, algorithm=algorithm, headers={"kid": kid}))


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return Keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory, keys: Keys) -> Iterator[StudioServer]:
    """A server behind TLS that knows the keys."""
    place = tmp_path_factory.mktemp("signed") / "studio.db"
    with StudioServer(place, origin=ORIGIN, prolific_keys=str(keys.file)) as server:
        yield server


def claims(**changes: Any) -> dict[str, Any]:
    return {"aud": ORIGIN, "exp": time.time() + 600, "prolific": {**PERSON, "workspace_id": "w"}, **changes}


def test_a_signed_entry_is_let_in(signed: StudioServer, keys: Keys) -> None:
    study = make_study(signed, prolific={**CODES, "signed": True})
    client = Client(signed.url, origin=ORIGIN)
    fields = {**PERSON, "prolific_token": keys.sign(claims())}
    query = "&".join(f"{name}={value}" for name, value in fields.items())
    address = link(signed, study)
    page = client.get(f"{address}?{query}")
    assert page.status == 200 and 'name="PROLIFIC_PID" value="5f8d0a"' in page.text
    assert client.post(address, fields, csrf=client.token(page)).status == 303
    assert only_person(signed, study).source == "prolific"


def test_keys_that_do_not_come_keep_nobody_else_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More people come in than there are threads for pages, and Prolific's server says nothing."""
    monkeypatch.setattr(prolific_entry, "KEYS_TIMEOUT", 4.0)
    with socket.create_server(("127.0.0.1", 0), backlog=50) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/keys.json"
        with (
            StudioServer(tmp_path / "studio.db", origin=ORIGIN, prolific_keys=address) as server,
            ThreadPoolExecutor(THREADS + 2) as people,
        ):
            study = make_study(server, prolific={**CODES, "signed": True})
            place = f"{link(server, study)}?PROLIFIC_PID=5f8d0a&prolific_token=x"
            coming = [people.submit(Client(server.url).get, place) for _ in range(THREADS + 2)]
            silent.accept()  # the first has come so far
            time.sleep(0.5)
            began = time.monotonic()
            assert Client(server.url).get("/healthz").status == 200
            assert time.monotonic() - began < 2
            assert {each.result().status for each in coming} == {400}


def test_nobody_takes_over_somebody_by_an_id_that_is_not_signed(server: StudioServer) -> None:
    study = make_study(server)
    address = link(server, study)
    first = Client(server.url)
    come(first, address, PERSON)
    agree(first, study)
    stranger = Client(server.url)
    refused = stranger.post(address, PERSON)
    assert refused.status == 410 and "in the browser that you began in" in refused.text
    assert "folkways_session" not in stranger.cookies
    assert stranger.get(f"/work/{study.name}").place.startswith("/signin")
    other = Client(server.url)
    come(other, address, {**PERSON, "PROLIFIC_PID": "somebody-else"})
    assert other.post(address, PERSON).status == 410, "a session of somebody else is not theirs"
    assert len(participants.list_participants(server.workspace, study.id)) == 2


def test_who_has_lost_their_browser_comes_back_by_their_code(server: StudioServer) -> None:
    study = make_study(server)
    address = link(server, study)
    first = Client(server.url)
    home = come(first, address, PERSON)
    agree(first, study)
    code = personal.attributes(server.workspace, study.id, only_person(server, study).id)["return_code"]
    assert code in first.get(home).text
    again = Client(server.url)
    refused = again.post(address, PERSON)
    assert refused.status == 410 and 'name="return_code"' in refused.text and code not in refused.text
    assert again.post(address, {**PERSON, "return_code": "WRONG234"}).status == 410
    assert again.post(address, {**PERSON, "return_code": ""}).status == 410
    assert again.post(address, {**PERSON, "return_code": f" {code.lower()} "}).place == home
    assert len(participants.list_participants(server.workspace, study.id)) == 1


def test_a_signed_id_comes_back_in_any_browser(signed: StudioServer, keys: Keys) -> None:
    study = make_study(signed, prolific={**CODES, "signed": True})
    address = link(signed, study)
    for _ in range(2):
        client = Client(signed.url, origin=ORIGIN)
        assert client.post(address, {**PERSON, "prolific_token": keys.sign(claims())}).status == 303
    assert len(participants.list_participants(signed.workspace, study.id)) == 1


BAD: dict[str, Callable[[Keys], str]] = {
    "none": lambda keys: "",
    "another person": lambda keys: keys.sign(claims(prolific={**PERSON, "PROLIFIC_PID": "somebody"})),
    "another site": lambda keys: keys.sign(claims(aud="https://elsewhere.example")),
    "yesterday's": lambda keys: keys.sign(claims(exp=time.time() - 3600)),
    "without an end": lambda keys: keys.sign({"aud": ORIGIN, "prolific": PERSON}),
    "another key": lambda keys: keys.sign(claims(), key=keys.other),
    "an unknown key": lambda keys: keys.sign(claims(), kid="two", key=keys.other),
    "no signature": lambda keys: str(jwt.encode(claims(), "", algorithm="none", headers={"kid": "one"})),
    "a shared secret": lambda keys: str(
        jwt.encode(claims(), "s" * 32, algorithm="HS256", headers={"kid": "one"})
    ),
    "rubbish": lambda keys: "a.b.c",
}


@pytest.mark.parametrize("kind", BAD)
def test_an_entry_that_prolific_did_not_sign_is_refused(signed: StudioServer, keys: Keys, kind: str) -> None:
    study = make_study(signed, prolific={**CODES, "signed": True})
    client = Client(signed.url, origin=ORIGIN)
    address = link(signed, study)
    reply = client.post(address, {**PERSON, "prolific_token": BAD[kind](keys)})
    assert reply.status == 410 and "Prolific" in reply.text
    assert client.post(address, {}).status == 410
    assert participants.list_participants(signed.workspace, study.id) == ()


def test_somebody_who_leaves_is_left_out_and_what_they_said_of_themselves_is_deleted(
    server: StudioServer,
) -> None:
    study = make_study(server, n=2, criteria=CRITERIA)
    client = Client(server.url)
    home = come(client, link(server, study))
    agree(client, study)
    client.post(f"{home}/eligibility", {"criterion-grew_up": "South Korea", "criterion-age": "33"})
    task = client.post(f"{home}/next").place
    client.post(f"{task}/submit", {"key": "k", "choices": "1"})
    token = client.csrf("/account")
    assert client.get(f"{home}/withdraw").status == 200
    assert "You have left the study" in client.post(f"{home}/withdraw", {"erase": "yes"}, csrf=token).text
    person = only_person(server, study)
    assert person.state == "withdrawn"
    assert personal.attributes(server.workspace, study.id, person.id) == {}
    assert client.get(home).status == 303  # the session has ended with the account's name


def test_reviewers_come_in_with_a_name_and_a_password(server: StudioServer) -> None:
    study = make_study(server)
    _, token = invites.create_invite(server.workspace, study.id, Role.REVIEWER)
    client = Client(server.url)
    page = client.get(f"/join/{token}")
    assert 'name="password"' in page.text
    short = client.post(f"/join/{token}", {"login": "rita", "name": "Rita", "password": "short"})
    assert short.status == 422 and "At least 10 characters are needed." in short.text
    assert 'value="rita"' in short.text and 'value="Rita"' in short.text, "what was typed is still there"
    client.post("/language", {"locale": "ko", "next": "/"})
    short = client.post(f"/join/{token}", {"login": "rita", "name": "Rita", "password": "short"})
    assert "10자 이상이어야 합니다." in short.text
    assert (
        client.post(f"/join/{token}", {"login": "rita", "name": "Rita", "password": PASSWORD}).status == 303
    )
    rita = accounts.find_account(server.workspace, "rita")
    assert rita is not None and accounts.roles_of(server.workspace, study.id, rita.id) == {Role.REVIEWER}

    late = Client(server.url)
    assert late.get(f"/join/{token}").status == 200
    studies.set_state(server.workspace, study.id, StudyState.CLOSED)
    assert "This study is closed" in Client(server.url).get(f"/join/{token}").text
    assert late.post(f"/join/{token}", {"login": "late", "name": "", "password": PASSWORD}).status == 409
    # An account that no study knows might make studies, which ask models with the server's keys.
    assert accounts.find_account(server.workspace, "late") is None


@pytest.mark.parametrize("end", ["excluded", "withdrawn", "held", None])
@pytest.mark.parametrize("script", [False, True])
def test_an_answer_of_somebody_whose_work_has_ended_leads_to_what_ended_it(
    server: StudioServer, end: str | None, script: bool
) -> None:
    """end: of their work, while the task's page was open; None for a task that went to somebody else."""
    study = make_study(server)
    client = Client(server.url)
    home = come(client, link(server, study))
    agree(client, study)
    task, token = client.post(f"{home}/next").place, client.csrf("/account")
    person = only_person(server, study)
    with server.workspace.write() as connection:
        leases.free_leases(connection, person.id)
        if end == "held":
            suspension.pause_within(connection, person, "too many wrong")
    if end == "excluded":
        suspension.exclude(server.workspace, study.id, person.id, "two accounts", by=study.created_by or 0)
    if end == "withdrawn":
        participants.withdraw(server.workspace, study.id, person.id)
    accept = {"Accept": "application/json"} if script else {}
    reply = client.post(f"{task}/submit", {"key": "k", "choices": "1"}, csrf=token, **accept)
    if end is None:
        assert reply.status == 404 and "somebody else was asked" in reply.text
        return
    assert (json.loads(reply.text)["next"] if script else reply.place) == home
    says = {"excluded": "two accounts", "withdrawn": "You have left", "held": "Your work is paused"}
    assert says[end] in client.get(home).text


def test_a_paused_study_says_so_and_takes_what_is_at_hand(server: StudioServer) -> None:
    study = make_study(server, n=2)
    client = Client(server.url)
    home = come(client, link(server, study))
    agree(client, study)
    task = client.post(f"{home}/next").place
    studies.set_state(server.workspace, study.id, StudyState.PAUSED)
    done = client.post(f"{task}/submit", {"key": "k", "choices": "1"})
    assert done.place == f"{home}/done" and client.get(done.place).place == home
    assert "paused" in client.get(home).text
    number = items.list_items(server.workspace, study.id)[0].id
    assert len(judgements.list_judgements(server.workspace, study.id, number)) == 1
    assert client.post(f"{home}/next").place == f"{home}/done"
