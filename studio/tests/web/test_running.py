"""Running a study by its pages: imports, settings, exclusion, many items, passwords, deletion."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.items import imports
from folkways_studio.items.service import list_items
from folkways_studio.people import accounts, sessions
from folkways_studio.records import Role
from folkways_studio.studies import service as studies
from studio.tests.support.studies import QUESTION, open_study
from studio.tests.support.studio_server import StudioProcess, StudioServer
from studio.tests.web.http import Client, Reply
from studio.tests.web.test_own_forms import StudyApp
from studio.tests.web.two_studies import build_two_studies
from tests.support.frozen_time import at_time

MANY = 2000


def table(rows: int) -> str:
    return "id;question;option_a;option_b;option_c;option_d\n" + "".join(
        f"new-{n};What is {n}?;a;b;c;d\n" for n in range(rows)
    )


def signed_in(server: StudioServer, account: int) -> Client:
    client = Client(server.url)
    client.cookies["folkways_session"] = sessions.open_session(server.workspace, account)
    return client


def upload(client: Client, path: str, stage: str, text: str) -> Reply:
    fields = {"csrf": client.csrf("/account"), "stage": stage, "population": "korea"}
    return client.upload(path, fields, "items.csv", text)


def count(workspace: Workspace, study: int) -> int:
    return sum(item.key.startswith("new-") for item in list_items(workspace, study))


def test_an_import_is_over_at_once_or_goes_on_when_the_server_comes_back(own_server: StudioServer) -> None:
    two_studies = build_two_studies(own_server.workspace, 0)
    workspace, study = own_server.workspace, two_studies.study
    client = signed_in(own_server, two_studies.accounts["owner"])
    here = f"/studies/{study.name}/data"
    imports.cancel(workspace, study.id, int(two_studies.values["import"]))
    wrong = upload(client, f"{here}/items", "verify", table(3) + "new-1;Again?;a;b;c;d\nnew-9;;a;b;c;d\n")
    page = client.get(wrong.place).text
    assert (
        "2 rows cannot be used" in page
        and "Row 4:" in page
        and "Row 5:" in page
        and count(workspace, study.id) == 0
    )
    small = upload(client, f"{here}/items", "verify", table(5))
    assert "5 items were added" in client.get(small.place).text
    client.post(f"{small.place}/delete")
    assert "5 of them were deleted" in client.get(small.place).text and count(workspace, study.id) == 0

    own_server.stop()
    content = table(MANY).encode()
    found = imports.begin(workspace, study.id, "verify", "many.csv", population="korea", content=content)
    own_server.start()  # which begins with what waits
    while not imports.get_import(workspace, study.id, found.id).added:
        time.sleep(0.02)
    own_server.stop()
    there = count(workspace, study.id)
    left = imports.get_import(workspace, study.id, found.id)
    assert there < MANY and left.state == "waiting" and left.added == there
    own_server.start()
    until = time.monotonic() + 60
    while imports.get_import(workspace, study.id, found.id).state != "done" and time.monotonic() < until:
        time.sleep(0.1)
    assert count(workspace, study.id) == MANY
    assert f"{MANY} items were added" in client.get(f"{here}/imports/{found.id}").text


def test_a_study_is_run_from_its_pages(server: StudioServer) -> None:
    two_studies = build_two_studies(server.workspace, 9000)
    workspace, study = server.workspace, two_studies.study
    client = signed_in(server, two_studies.accounts["owner"])
    pages = f"/studies/{study.name}"

    text = client.get(f"{pages}/description.yaml").text
    refused = client.post(f"{pages}/settings", {"description": text.replace("KR", "KP")})
    assert refused.status == 422 and "people or items belong to it already" in refused.text
    client.post(
        f"{pages}/settings",
        {"description": "# mine\r\n" + text.replace("title: A study of the tests", "title: Soup and rice")},
    )
    read: list[str] = []

    def note(*arguments: Any) -> None:
        read.extend(["read"] if "FROM studio_descriptions" in arguments[2] else [])

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    page = client.get(f"{pages}/settings").text
    sa.event.remove(sa.Engine, "before_cursor_execute", note)
    assert len(read) == 1, (
        "the text and its number are of one reading: on a server somebody may save in between"
    )
    assert "title: changed" in page and "version 2" in page and "Soup and rice" in page
    assert client.get(f"{pages}/description.yaml").text.startswith("# mine\n")

    mine = {"description": text.replace("title: A study of the tests", "title: Tea"), "since": "1"}
    for mistake in ("not: [closed", text.replace("KR", "KP"), "x" * 300_000):
        again = client.post(f"{pages}/settings", {**mine, "description": mistake})
        assert again.status in (409, 422)
        if again.status == 422:
            assert 'name="since" value="1"' in again.text, "a mistake does not hide what was saved meanwhile"
    late = client.post(f"{pages}/settings", mine)
    assert late.status == 409 and "saved version 2" in late.text and "title: Tea" in late.text
    assert 'name="since" value="2"' in late.text, "saved again, it replaces what was saved meanwhile"
    assert "Soup and rice" in client.get(f"{pages}/description.yaml").text

    person = f"{pages}/people/{two_studies.person.id}"
    client.post(f"{person}/exclude", {"exclusion": "All answers came within a second."})
    theirs = signed_in(server, two_studies.person.account_id)
    assert "All answers came within a second." in theirs.get(f"/work/{study.name}").text
    assert theirs.post(f"/work/{study.name}/next").place.endswith("/done")
    client.post(f"{person}/include")
    assert "excluded" not in theirs.get(f"/work/{study.name}").text

    ids = [str(item.id) for item in list_items(workspace, study.id)]
    shown = client.post(
        f"{pages}/items/change", {"all": "yes", "do": "drop", "stage": "verify", "order": "own"}
    )
    assert shown.status == 200 and all(f'value="{number}"' in shown.text for number in ids)
    assert {item.state for item in list_items(workspace, study.id)} == {
        "open"
    }  # nothing before it is said why
    assert client.post(f"{pages}/items/change", {"item": ids[0], "do": "drop", "sure": "yes"}).status == 422
    for do, state in (("drop", "dropped"), ("open", "open")):
        client.post(
            f"{pages}/items/change", {"item": ids[0], "do": do, "sure": "yes", "reason_why": "because"}
        )
        assert list_items(workspace, study.id)[0].state == state

    reviewer = two_studies.accounts["reviewer"]
    page = client.post(f"{pages}/password-link", {"account": str(reviewer)}).text
    link = page.partition(f"{server.url}/password/")[2].partition('"')[0]
    stranger = Client(server.url)
    assert stranger.post(f"/password/{link}", {"password": "short"}).status == 422
    assert stranger.post(f"/password/{link}", {"password": "a new one for the tests"}).place == "/signin"
    assert stranger.post(f"/password/{link}", {"password": "another for the tests"}).status == 410
    login = accounts.get_account(workspace, reviewer).login or ""
    assert stranger.post("/signin", {"login": login, "password": "a new one for the tests"}).status == 303

    researcher = signed_in(server, two_studies.accounts["researcher"])
    assert researcher.post(f"{pages}/delete", {"typed": study.name}).status == 403
    assert client.post(f"{pages}/delete", {"typed": "mine"}).status == 422
    assert client.post(f"{pages}/delete", {"typed": study.name}).place == "/studies"
    assert client.get(pages).status == 404 == theirs.get(f"/work/{study.name}").status
    kept = f"~{study.id}"  # as its row is called until all else of it is gone
    assert client.get(f"/studies/{kept}").status == 404 == theirs.get(f"/work/{kept}").status
    assert study.name not in {each.name for each in studies.list_studies(workspace)}
    assert Role.OWNER not in accounts.roles_of(workspace, study.id, two_studies.accounts["owner"])


@pytest.mark.nightly
def test_a_killed_server_leaves_an_import_that_the_next_one_ends(tmp_path: Path) -> None:
    with StudioProcess(tmp_path / "studio.db") as server:
        two_studies = build_two_studies(server.workspace, 0)
        client = signed_in(server, two_studies.accounts["owner"])
        upload(client, f"/studies/{two_studies.study.name}/data/items", "verify", table(3000))
        server.kill()
        (found, *_) = imports.list_imports(server.workspace, two_studies.study.id)
        assert found.state == "running" and found.added < 3000
        server.start()
        until = time.monotonic() + 150
        while imports.get_import(server.workspace, two_studies.study.id, found.id).state != "done":
            assert time.monotonic() < until
            time.sleep(0.5)
        assert count(server.workspace, two_studies.study.id) == 3000


@pytest.mark.parametrize(
    "page", ["/studies", "/studies/first/compare", "/studies/first/compare?other=second"]
)
def test_studies_of_one_title_are_told_apart_where_they_stand_together(
    workspace: Workspace, page: str
) -> None:
    stages = [{"name": "verify", "kind": "vote"}]
    titles = (("first", "Tea"), ("second", "Tea"), ("third", "Bread"))
    two_studies = [open_study(workspace, stages, name=name, title=title) for name, title in titles]
    for study in two_studies:
        study.person()
        accounts.give_role(workspace, study.record.id, two_studies[0].owner, Role.OWNER)
    text = StudyApp(two_studies[0]).browser(two_studies[0].owner).get(page).text
    assert "Tea (second)" in text and "Bread" in text and "Bread (third)" not in text
    is_listed = page == "/studies" or "?other=" in page
    assert ("Tea (first)" in text) == is_listed


@pytest.mark.parametrize("breaks", [0, 1, 2])
def test_people_and_time_and_pay_say_the_same_of_everybodys_time(workspace: Workspace, breaks: int) -> None:
    study = open_study(workspace, [{"name": "verify", "kind": "vote"}])
    study.add("verify", [QUESTION] * 6)
    person, begin = study.person(), 1000.0
    for number in range(6):
        seconds = 3600 if number < breaks else 20
        work = at_time(begin, study.work, person)
        at_time(begin + seconds, study.submit, person, work, {"choices": [0]})
        begin += seconds
    browser = StudyApp(study).browser(study.owner)
    for page in ("people", "time"):
        text = browser.get(f"/studies/{study.record.name}/{page}").text
        row = next(each for each in text.split("<tr>") if person.pseudonym in each).partition("</tr>")[0]
        assert ">6<" in row and "2 min" in row and "min 20 s" not in row, page
