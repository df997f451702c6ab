"""A researcher's work through the API, from the study to its export, against a running server."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Callable
from itertools import count
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows
from folkways_studio.items import imports
from folkways_studio.items.api import MOST_AT_ONCE
from folkways_studio.media import service as media
from folkways_studio.media.reading import is_name
from folkways_studio.people import accounts, invites, participants
from folkways_studio.records import Role, Study
from folkways_studio.studies import service as studies
from folkways_studio.work import assignments, judgements
from studio.tests.support.studies import QUESTION, described, next_work
from studio.tests.web.api.conftest import Program, problem
from studio.tests.web.two_studies import OWNER, PERSON, RESEARCHER, TwoStudies

Make = Callable[..., Program]
COLUMNS = {
    "question": "Who pours the tea?",
    "option_a": "guests",
    "option_b": "hosts",
    "option_c": "anybody",
    "option_d": "nobody",
}


NAMES = (f"by-api-{number}" for number in count())


@pytest.fixture
def study(program: Make, two_studies: TwoStudies) -> tuple[Program, str]:
    """A study that was made and opened through the API."""
    everywhere, name = program(OWNER, everywhere=True), next(NAMES)
    made = everywhere.post(
        "/studies", {"definition": described([{"name": "verify", "kind": "vote"}], name=name)}
    )
    assert (made["state"], made["roles"], made["stages"][0]["kind"]) == ("draft", ["owner"], "vote")
    opened = everywhere.fine(everywhere.ask("PUT", f"/studies/{name}/state", {"state": "open"}))
    assert opened["state"] == "open"
    assert {each["name"] for each in everywhere.get("/studies")["data"]} >= {name, two_studies.study.name}
    return everywhere, f"/studies/{name}"


def test_a_study_from_its_items_to_its_export(study: tuple[Program, str], two_studies: TwoStudies) -> None:
    api, place = study
    rows = [{"id": f"tea-{number}", **COLUMNS} for number in range(3)] + [{"id": "json", **QUESTION}]
    added = api.post(f"{place}/items", {"stage": "verify", "rows": rows, "population": "korea"})
    assert added["added"] == 4
    first = api.get(f"{place}/items?limit=3")
    rest = api.get(f"{place}/items?limit=3&cursor={first['next']}")
    assert [each["id"] for each in first["data"] + rest["data"]] == added["ids"] and rest["next"] is None
    assert rest["data"][0]["content"] == QUESTION and rest["data"][0]["population"] == "korea"

    link = api.post(f"{place}/invites", {"population": "korea", "uses": 3})
    person = participants.join(two_studies.workspace, link["link"].rpartition("/")[2])
    person = participants.consent(
        two_studies.workspace, person.id, _study(two_studies, place).consent_version
    )
    work = next_work(two_studies.workspace, person.id)
    assert isinstance(work, assignments.Work)
    judgements.submit(
        two_studies.workspace, person.id, work.assignment.id, {"choices": [1], "comment": "at home"}, "key"
    )

    whole = api.get(f"{place}/items/{work.item.id}")
    assert [(each["participant"], each["payload"]["choices"]) for each in whole["judgements"]] == [
        (person.pseudonym, [1])
    ]
    assert [each["answers"] for each in api.get(f"{place}/payments")["data"]] == [1]
    assert api.get(f"{place}/payments?cursor=1")["data"] == []
    read = [each["details"] for each in api.get(f"{place}/events")["data"] if each["kind"] == "payments.read"]
    assert read == [{"n": 0}, {"n": 1}]  # newest first, each with as many as its page has
    assert api.get(f"{place}/progress")[0]["slots_done"] == 1
    assert [each["pseudonym"] for each in api.get(f"{place}/participants")["data"]] == [person.pseudonym]

    about = f"{place}/participants/{person.id}"
    assert problem(api.ask("POST", f"{about}/admission", {"let_in": True}), 409)
    assert api.post(f"{about}/exclusion", {"reason": "the same to all"})["state"] == "excluded"
    excluded = participants.get_participant(two_studies.workspace, person.id)
    assert (excluded.state, excluded.exclusion) == ("excluded", "the same to all")
    assert api.get(f"{place}/progress")[0]["slots_done"] == 0
    assert api.fine(api.ask("DELETE", f"{about}/exclusion"))["state"] == "active"
    assert api.get(f"{place}/progress")[0]["slots_done"] == 1
    for lets_in, state in ((True, "active"), (False, "screened_out")):
        waiting = participants.join(two_studies.workspace, link["link"].rpartition("/")[2])
        with two_studies.workspace.write() as connection:
            change_rows(connection, schema.participants, {"id": waiting.id}, state="waiting")
        about = f"{place}/participants/{waiting.id}"
        assert api.post(f"{about}/admission", {"let_in": lets_in})["state"] == state

    decided = api.post(
        f"{place}/items/{work.item.id}/decisions", {"answer": {"choices": [2]}, "reason": "the guest does"}
    )
    assert decided["state"] == "done" and decided["decisions"][0]["reason"] == "the guest does"
    dropped = api.post(f"{place}/items/{added['ids'][2]}/decisions", {"drop": True, "reason": "said twice"})
    assert (dropped["state"], dropped["reason"]) == ("dropped", "said twice")
    clean = api.post(f"{place}/judgements/{whole['judgements'][0]['id']}/redactions", {"fields": ["comment"]})
    assert "at home" not in json.dumps(clean)

    request = Request(
        f"{api.client.url}/api/v1{place}/export?format=jsonl",
        headers={"Authorization": f"Bearer {api.token}"},
    )
    with urlopen(request) as reply:
        archive = zipfile.ZipFile(io.BytesIO(reply.read()))
    assert len(archive.read("judgements.jsonl").splitlines()) == 1
    kinds = [each["kind"] for each in api.get(f"{place}/events")["data"]]
    assert kinds[0] == "study.exported" and kinds[-2:] == ["role.given", "study.created"]


def _study(two_studies: TwoStudies, address: str) -> Study:
    return studies.get_study(two_studies.workspace, address.rpartition("/")[2])


@pytest.mark.parametrize(
    "host", ["evil.example:8765", "127.0.0.1.evil.example", "10.0.0.1", "localhost.evil.example"]
)
def test_a_link_leads_to_this_server_whatever_host_was_asked_for(
    study: tuple[Program, str], host: str
) -> None:
    api, place = study
    body = {"role": "reviewer"}
    made = Program.fine(api.ask("POST", f"{place}/invites", body, Host=host))
    assert made["link"].startswith(f"{api.client.url}/join/")
    own = api.client.url.replace("127.0.0.1", "localhost")
    made = Program.fine(api.ask("POST", f"{place}/invites", body, Host=own.removeprefix("http://")))
    assert made["link"].startswith(f"{own}/join/")


def test_people_are_given_roles_and_let_go(study: tuple[Program, str], two_studies: TwoStudies) -> None:
    api, place = study
    for login in (
        two_studies.stranger_login,
        "nobody@example.org",
    ):  # somebody else decides by an invitation; nobody learns who is there
        told = problem(api.ask("POST", f"{place}/members", {"login": login, "role": "reviewer"}), 422)
        assert (
            told["problems"][0]["what"]
            == "nobody of this study signs in with that name; send an invitation instead"
        )
    member = accounts.create_account(two_studies.workspace, "member@example.org", "a password for the tests")
    accounts.give_role(two_studies.workspace, _study(two_studies, place).id, member.id, Role.EXPERT)
    members = api.post(f"{place}/members", {"login": "Member@example.org", "role": "reviewer"})
    assert {each["role"] for each in members} == {"owner", "expert", "reviewer"}
    invites.create_invite(
        two_studies.workspace, _study(two_studies, place).id, population="korea", by=member.id
    )
    for role in ("reviewer", "reviewer", "expert"):
        assert api.ask("DELETE", f"{place}/members/{member.id}/{role}").status == 204
    events = api.get(f"{place}/events")["data"]
    taken = [each["details"]["role"] for each in events if each["kind"] == "role.taken"]
    assert taken == ["expert", "reviewer"], "what is taken twice is taken once"
    assert [each["by"] for each in events if each["kind"] == "invite.created"] == ["member@example.org"], (
        "the log still says who it was"
    )
    owner = two_studies.accounts[OWNER]
    assert "only owner" in problem(api.ask("DELETE", f"{place}/members/{owner}/owner"), 403)["detail"]


def test_a_picture_is_listed_and_deleted(program: Make, two_studies: TwoStudies) -> None:
    api, place = program(OWNER), f"/studies/{two_studies.study.name}/media"
    (told,) = api.get(place)["data"]
    assert (told["name"], told["type"], told["bytes"]) == (two_studies.values["file"], "image/png", 9)
    assert api.ask("DELETE", f"{place}/{told['name']}").status == 204
    assert api.get(place)["data"] == []
    problem(api.ask("DELETE", f"{place}/{told['name']}"), 404)


@pytest.mark.parametrize("name", ["b" * 196 + ".png", "국" * 65 + ".png", "a b+c&d;e.png", "b" * 129])
def test_a_picture_of_any_name_that_is_taken_can_be_deleted(
    program: Make, two_studies: TwoStudies, name: str
) -> None:
    api, place = program(OWNER), f"/studies/{two_studies.study.name}/media"
    assert is_name(name)
    media.add_media(two_studies.workspace, two_studies.study.id, {name: ("image/png", b"a picture")})
    assert name in {each["name"] for each in api.get(place)["data"]}
    assert api.ask("DELETE", f"{place}/{quote(name)}").status == 204
    assert name not in {each["name"] for each in api.get(place)["data"]}
    problem(api.ask("DELETE", f"{place}/{'b' * 201}"), 422)


def test_wrong_rows_are_named_each_and_nothing_is_added(study: tuple[Program, str]) -> None:
    api, place = study
    before = api.get(f"{place}/items?limit=500")["data"]
    rows = [COLUMNS, {**COLUMNS, "question": ""}, {**COLUMNS, "population": "mars"}]
    told = problem(api.ask("POST", f"{place}/items", {"stage": "verify", "rows": rows}), 422)
    assert [each["where"] for each in told["problems"]] == ["row 2", "row 3"]
    assert "no population 'mars'" in told["problems"][1]["what"]
    assert api.get(f"{place}/items?limit=500")["data"] == before


def test_many_rows_are_imported_in_the_background(study: tuple[Program, str]) -> None:
    api, place = study
    rows = [{"id": f"many-{number}", **COLUMNS} for number in range(MOST_AT_ONCE + 1)]
    nowhere = api.ask("POST", f"{place}/items", {"stage": "verify", "rows": rows, "population": "mars"})
    assert "valid: korea" in problem(nowhere, 404)["detail"]
    for state, added, wrong in (("done", len(rows), 0), ("failed", 0, len(rows))):
        reply = api.ask("POST", f"{place}/items", {"stage": "verify", "rows": rows, "population": "korea"})
        found = json.loads(reply.text)
        assert (reply.status, found["state"]) == (202, "waiting") and reply.headers["location"] == found[
            "address"
        ]
        found = _over(api, found)
        assert (found["state"], found["added"], len(found["problems"])) == (state, added, wrong)
    assert found["problems"][0] == {"where": "row 1", "what": "there is an item 'many-0' already"}

    failed, done = api.get(f"{place}/imports?limit=2")["data"]
    assert (failed["state"], done["state"]) == ("failed", "done")
    address = done["address"].removeprefix("/api/v1")
    assert "over" in problem(api.ask("POST", f"{address}/cancel"), 409)["detail"]
    reply = api.ask("DELETE", address)
    gone = _over(api, json.loads(reply.text))
    assert (reply.status, gone["state"], gone["deleted"]) == (202, "deleted", len(rows))


def test_tasks_of_label_studio_say_what_becomes_of_people_s_answers(study: tuple[Program, str]) -> None:
    api, place = study
    region = {"from_name": "choices", "to_name": "question", "type": "choices", "value": {"choices": ["tea"]}}
    task = {
        "id": 7,
        "data": {"question": "What comes first?", "options": [{"value": "tea"}, {"value": "rice"}]},
        "annotations": [{"result": [region]}, {"was_cancelled": True, "result": []}],
        "predictions": [{"model_version": "m", "score": 0.5, "result": [region]}],
    }
    body: dict[str, Any] = {"stage": "verify", "rows": [task], "population": "korea"}
    assert "say what becomes of them" in problem(api.ask("POST", f"{place}/items", body), 422)["detail"]
    added = api.post(f"{place}/items", {**body, "annotations": "leave"})
    assert (added["added"], added["notes"]) == (
        1, ["left out: 1 × annotations that were skipped", "left out: 1 × answers of people"],
    )  # fmt: skip
    assert (
        "each place"
        in problem(api.ask("POST", f"{place}/items", {**body, "annotations": "x"}), 422)["detail"]
    )
    many = [{**task, "id": number} for number in range(100, 101 + MOST_AT_ONCE)]
    reply = api.ask("POST", f"{place}/items", {**body, "rows": many, "annotations": "leave"})
    job = _over(api, json.loads(reply.text))
    assert (job["state"], job["added"]) == ("done", len(many))
    assert job["notes"] == [
        f"left out: {len(many)} × {each}" for each in ("annotations that were skipped", "answers of people")
    ]


def _over(api: Program, found: dict[str, Any]) -> dict[str, Any]:
    until = time.monotonic() + 30
    while found["state"] in imports.AT_WORK and time.monotonic() < until:
        time.sleep(0.1)
        found = api.get(found["address"].removeprefix("/api/v1"))
    return found


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/studies", {"definition": "name: ["}, 422, "YAML"),
        ("/studies", {"definition": {"name": "x"}}, 422, "wrong in the description"),
        ("/studies", {"definition": {}, "extra": 1}, 422, "each place"),
        ("{study}/items", {"stage": "nothing", "rows": [COLUMNS]}, 404, "valid: verify"),
        ("{study}/invites", {"population": "mars"}, 404, "the study has: korea"),
        ("{study}/members", {"login": "nobody", "role": "expert"}, 422, "invitation"),
        ("{study}/items/999999/decisions", {"reason": "because"}, 404, "no such item"),
        ("/nowhere", {}, 404, "openapi.json"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    study: tuple[Program, str], path: str, body: object, status: int, words: str
) -> None:
    api, address = study
    refusal = problem(api.ask("POST", path.replace("{study}", address), body), status)
    assert words in refusal["detail"]
    assert refusal["problems"] or status == 404 or words == "YAML"
    assert all(each["where"] and each["what"] for each in refusal["problems"] or ())


def test_bodies_are_bounded_and_have_to_be_json(study: tuple[Program, str]) -> None:
    api, place = study
    assert (
        "at most 1024 KiB" in problem(api.ask("PUT", f"{place}/state", {"state": "x" * 2**21}), 413)["detail"]
    )
    for cell, words in (("\0", "an invalid character (NUL"), ([1] * 600_000, "send it in parts")):
        body = {"stage": "verify", "rows": [{"question": cell}]}
        assert words in problem(api.ask("POST", f"{place}/items", body), 422)["detail"]
    wrong = api.client.ask("PUT", f"/api/v1{place}/state", b"{", {"Authorization": f"Bearer {api.token}"})
    assert problem(wrong, 422)["problems"][0]["where"].startswith("body")


def test_a_researcher_invites_nobody_who_is_more(program: Make, two_studies: TwoStudies) -> None:
    told = problem(
        program(RESEARCHER).ask("POST", f"/studies/{two_studies.study.name}/invites", {"role": "owner"}), 422
    )
    assert told["problems"][0]["where"] == "role" and str(Role.REVIEWER) in told["problems"][0]["what"]


def test_a_token_of_one_study_makes_no_other(program: Make) -> None:
    body = {"definition": described([{"name": "verify", "kind": "vote"}], name="another")}
    assert "all studies" in problem(program().ask("POST", "/studies", body), 403)["detail"]
    told = problem(program(PERSON, everywhere=True).ask("POST", "/studies", body), 403)
    assert "those who run one already" in told["detail"]
