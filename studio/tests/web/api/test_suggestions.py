"""Programs add what models suggest, and read it again but for what their account is still to answer."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from folkways_studio.items.suggestion_api import MOST_SUGGESTIONS
from folkways_studio.people import participants, sessions
from folkways_studio.records import Role
from studio.tests.support.ml_backend import MlBackendServer
from studio.tests.support.studies import QUESTION, described
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.api.conftest import Program, problem
from studio.tests.web.http import Client
from studio.tests.web.two_studies import OWNER, TwoStudies

PLACE = "/studies/suggested"
STAGES = [
    {"name": "verify", "kind": "vote", "answers": 2, "majority": 2},
    {"name": "review", "kind": "review", "role": "reviewer", "answers": 2},
]


@pytest.fixture(scope="module")
def api(program: Callable[..., Program], two_studies: TwoStudies) -> Program:
    made = program(OWNER, everywhere=True)
    made.post("/studies", {"definition": described(STAGES, name="suggested")})
    for stage in ("verify", "review"):
        rows = [{"id": f"{stage}-{number}", **QUESTION} for number in range(3)]
        made.post(f"{PLACE}/items", {"stage": stage, "rows": rows})
    return made


def test_suggestions_are_added_once_and_listed(api: Program) -> None:
    one = {"item": "verify-0", "model": "small", "version": "2", "score": 0.5, "answer": {"choices": [1]}}
    body = {"stage": "verify", "suggestions": [one, {"item": "verify-1", "model": "small", "answer": "c"}]}
    assert api.post(f"{PLACE}/suggestions", body) == {"added": 2, "replaced": 0, "unchanged": 0}
    assert api.post(f"{PLACE}/suggestions", body) == {"added": 0, "replaced": 0, "unchanged": 2}
    first = api.get(f"{PLACE}/suggestions?model=small&limit=1")
    rest = api.get(f"{PLACE}/suggestions?model=small&cursor={first['next']}")
    (made,) = first["data"]
    assert {name: made[name] for name in ("model", "version", "score", "content", "source")} == {
        **{name: one[name] for name in ("model", "version", "score")},
        "content": {"choices": [1]},
        "source": "api",
    }
    assert made["item"] == api.get(f"{PLACE}/items?stage=verify")["data"][0]["id"]
    assert [each["content"] for each in rest["data"]] == [{"choices": [2]}] and rest["next"] is None
    assert api.get(f"{PLACE}/suggestions?model=other")["data"] == []


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        ({"score": 1.5}, "body.suggestions.1.score", "less than or equal to 1"),
        ({"score": "NaN"}, "body.suggestions.1.score", "less than or equal to 1"),
        ({"model": ""}, "body.suggestions.1.model", "at least 1 character"),
        ({"answer": {"choices": [9]}}, "row 2", "answer.choices: "),
        ({"item": "nowhere"}, "row 2", "there is no item 'nowhere' in verify"),
        ({"item": "review-0"}, "row 2", "there is no item 'review-0' in verify"),
        ({"by": "me"}, "body.suggestions.1.by", "Extra inputs"),
    ],
)
def test_what_cannot_be_used_is_named_and_nothing_is_added(
    api: Program, change: dict[str, object], place: str, words: str
) -> None:
    before = api.get(f"{PLACE}/suggestions")["data"]
    good = {"item": "verify-2", "model": "m", "answer": "a"}
    body = {"stage": "verify", "suggestions": [good, {**good, "model": "n", **change}]}
    refused = problem(api.ask("POST", f"{PLACE}/suggestions", body), 422)
    assert refused["problems"][0]["where"] == place and words in refused["problems"][0]["what"]
    assert api.get(f"{PLACE}/suggestions")["data"] == before


def test_a_request_is_bounded(api: Program) -> None:
    one = {"item": "verify-2", "model": "m", "answer": "a"}
    body = {"stage": "verify", "suggestions": [one] * (MOST_SUGGESTIONS + 1)}
    (refused,) = problem(api.ask("POST", f"{PLACE}/suggestions", body), 422)["problems"]
    assert refused["where"] == "body.suggestions" and f"at most {MOST_SUGGESTIONS} items" in refused["what"]


def test_what_the_account_is_still_to_answer_is_left_out(api: Program, two_studies: TwoStudies) -> None:
    body = {
        "stage": "review",
        "suggestions": [
            {"item": f"review-{number}", "model": "m", "answer": {"decision": "keep"}} for number in range(3)
        ],
    }
    api.post(f"{PLACE}/suggestions", body)
    other = {"item": "verify-2", "model": "seen", "answer": "a"}
    api.post(f"{PLACE}/suggestions", {"stage": "verify", "suggestions": [other]})
    assert len(api.get(f"{PLACE}/suggestions?stage=review")["data"]) == 3
    from folkways_studio.studies import service as studies

    study = studies.get_study(two_studies.workspace, "suggested")
    participants.add_staff(two_studies.workspace, study.id, two_studies.accounts[OWNER], Role.REVIEWER)
    page = api.get(f"{PLACE}/suggestions?stage=review&limit=2")
    assert page["data"] == [] and page["next"] is not None
    assert len(api.get(f"{PLACE}/suggestions?stage=verify&model=seen")["data"]) == 1


def test_an_ml_backend_is_named_asked_and_watched(api: Program) -> None:
    with MlBackendServer() as server:
        body = {"stage": "verify", "model": "voter", "url": server.url}
        made = api.post(f"{PLACE}/ml-backends", body)
        place = f"{PLACE}/ml-backends/{made['id']}"
        assert {name: made[name] for name in body} == body and made["version"] == ""
        job = api.post(f"{place}/jobs", {"work": "predict"})
        for _ in range(200):
            job = next(each for each in api.get(f"{place}/jobs") if each["id"] == job["id"])
            if job["state"] not in ("waiting", "running"):
                break
            time.sleep(0.05)
        assert (job["state"], job["total"], job["added"], job["problems"]) == ("done", 3, 3, [])
        assert api.get(f"{PLACE}/ml-backends")[0]["version"] == "v1"
        first = api.get(f"{PLACE}/suggestions?model=voter")["data"][0]
        assert (first["version"], first["source"], first["content"]) == ("v1", "backend", {"choices": [0]})
        problem(api.ask("POST", f"{place}/jobs/{job['id']}/cancel"), 409)
        problem(api.ask("POST", f"{PLACE}/ml-backends", body), 409)
        wrong = problem(
            api.ask("POST", f"{PLACE}/ml-backends", {**body, "model": "n", "url": "nowhere"}), 422
        )
        assert wrong["problems"][0]["where"] == "url"
        assert api.ask("DELETE", place).status == 204
        problem(api.ask("GET", f"{place}/jobs"), 404)


def test_an_owner_names_asks_and_deletes_a_backend_on_the_page(
    server: StudioServer, two_studies: TwoStudies, api: Program
) -> None:
    session = sessions.open_session(two_studies.workspace, two_studies.accounts[OWNER])
    client, page = Client(server.url, cookies={"folkways_session": session}), f"{PLACE}/api"
    with MlBackendServer() as backend:
        body = {"stage": "verify", "model": "paged", "backend_url": backend.url}
        wrong = client.post(f"{PLACE}/ml-backends", {**body, "backend_url": "nowhere"})
        assert wrong.status == 422 and "give an address of the web" in wrong.text
        assert client.post(f"{PLACE}/ml-backends", body).status == 303
        number = next(each["id"] for each in api.get(f"{PLACE}/ml-backends") if each["model"] == "paged")
        place = f"{PLACE}/ml-backends/{number}"
        assert client.post(f"{place}/jobs", {"work": "predict"}).status == 303
        text = client.get(page).text
        assert "paged" in text and "3 / 3" in text and "done" in text
        assert client.post(f"{place}/jobs", {"work": "train"}).status == 303
        text = client.get(page).text
        assert "there are no answers yet that the model could learn from" in text
        assert client.post(f"{place}/jobs", {"work": "cancel"}).status == 409
        assert client.post(f"{place}/delete").status == 303
        assert "paged" not in client.get(page).text
