"""Assigning on the pages: by hand, by a rule and by a file, each looked at first; what is stalled; what somebody
may still be asked."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from folkways_studio.database import schema
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import accounts, participants, personal, sessions
from folkways_studio.records import Role
from folkways_studio.web.app import create_app
from folkways_studio.work.assignees import assignees_of
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, stored

pytestmark = ON_A_FILE
STAGES = [{"name": "verify", "kind": "vote", "manual": "verification/verify", "training": False}]
HERE = "/studies/test-study"


class Browser:
    """Somebody signed in, and what their forms carry."""

    def __init__(self, study: StudyFixture, role: Role = Role.RESEARCHER) -> None:
        account = accounts.create_account(study.workspace, f"{role}@example.org", None)
        accounts.give_role(study.workspace, study.record.id, account.id, role)
        self.client = AppClient(create_app(study.workspace), headers={"Origin": "http://localhost"})
        self.client.cookies.set("folkways_session", sessions.open_session(study.workspace, account.id))
        page = self.client.get(f"{HERE}/items").text
        self.csrf = page.partition('name="csrf" value="')[2].partition('"')[0]

    def get(self, path: str) -> str:
        reply = self.client.get(f"{HERE}{path}")
        assert reply.status_code == 200, reply.text[-500:]
        return words(reply.text)

    def post(self, path: str, status: int = 200, **fields: Any) -> str:
        reply = self.client.post(f"{HERE}{path}", data={"csrf": self.csrf, **fields})
        assert reply.status_code == status, reply.text[-800:]
        self.page = reply.text
        return words(reply.text)

    def again(self, status: int = 200, **more: Any) -> str:
        """Send the last form of the page as it is."""
        fields: dict[str, Any] = {}
        for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', self.page):
            fields.setdefault(name, []).append(value)
        return self.post("/items/assign", status, **{**fields, **more})

    def send(self, name: str, content: bytes, status: int = 200, **fields: str) -> str:
        reply = self.client.post(
            f"{HERE}/items/assignments/file",
            data={"csrf": self.csrf, **fields},
            files={"file": (name, content)},
        )
        assert reply.status_code == status, reply.text[-800:]
        return words(reply.text)


def words(text: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", " ", text.partition("<main")[2])).split())


def names(study: StudyFixture) -> dict[int, list[str]]:
    numbers = [row["id"] for row in stored(study.workspace, schema.items)]
    found = assignees_of(study.workspace, study.record.id, numbers)
    return {number: [each.name for each in named] for number, named in found.items()}


def test_by_hand_from_the_table(study: StudyFixture) -> None:
    kim, lee, gone = study.person(), study.person(), study.person()
    one, two, three = study.add("verify", [QUESTION] * 3)
    participants.withdraw(study.workspace, study.record.id, gone.id)
    study.work(lee)
    browser = Browser(study)
    form = browser.post("/items/assign", item=[str(one), str(two)])
    assert "Assign 2 items" in form and kim.pseudonym in form and gone.pseudonym not in form
    assert "Choose somebody." in browser.post("/items/assign", 422, item=[str(one)], how="hand")
    assert "is called p-none" in browser.post("/items/assign", 422, item=[str(one)], how="hand", to="p-none")
    assert names(study) == {}
    chosen = {"item": [str(one), str(two)], "how": "hand", "take_back": "yes"}
    shown = browser.post("/items/assign", **chosen, to=[kim.pseudonym, gone.pseudonym])
    assert "2 items would be assigned" in shown
    assert f"{gone.pseudonym} : has left the study · 2 items" in shown
    assert names(study) == {}, "it was only looked at"
    done = browser.again(sure="yes")
    assert "2 items were assigned." in done and "1 task was taken back." in done
    assert names(study) == {one: [kim.pseudonym], two: [kim.pseudonym]}
    browser.post("/items/assign", **{**chosen, "to": "korea", "add": "yes", "sure": "yes"})
    assert names(study)[one] == [kim.pseudonym, "korea"]
    column = "&column=assigned&column=state"
    assert f"{kim.pseudonym} , korea" in browser.get(f"/items?assigned={kim.pseudonym}{column}")
    for query, keys in (
        ("assigned=-", {"q2"}), ("assigned=*", {"q0", "q1"}), ("assigned=korea", {"q0", "q1"}),
        (f"assigned={lee.pseudonym}", set()),
    ):  # fmt: skip
        assert set(re.findall(r"q\d", browser.get(f"/items?{query}{column}"))) == keys, query
    assert "1 item would go to anybody" in browser.post("/items/assign", item=str(one), how="anybody")
    browser.again(sure="yes")
    assert set(names(study)) == {two}
    assert "Assigned to" in browser.get(f"/items/{two}")
    everything = browser.post("/items/assign", all="yes", assigned="-", how="hand", to=lee.pseudonym)
    assert "2 items would be assigned" in everything
    browser.again(sure="yes")
    assert names(study) == {
        one: [lee.pseudonym], two: [kim.pseudonym, "korea"], three: [lee.pseudonym]
    }  # fmt: skip
    browser.post("/items/assign", item=str(three), how="hand", to="korea", sure="yes")
    assert set(re.findall(r"q\d", browser.get("/items?assigned=korea"))) == {"q1", "q2"}
    assert "No item was chosen." in browser.post("/items/assign", how="hand", to=lee.pseudonym)


def conditions(count: int) -> str:
    return "\n".join(f"key{number} = value" for number in range(count))


def test_by_a_rule_that_was_looked_at(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    items = study.add("verify", [QUESTION] * 4)
    with study.workspace.write() as connection:
        personal.write_attributes(connection, kim.id, {"expertise": "law"})
    browser = Browser(study)
    rule = {"item": [str(each) for each in items], "how": "rule"}
    for field, value, problem in (
        ("each", "0", "at least 1"), ("most", "x", "at least 1"), ("has", "law", "a name and a value"),
        *((field, conditions(21), "too many conditions") for field in ("has", "same_as")),
        *((field, conditions(20), "was asked for key0") for field in ("has", "same_as")),
        ("among", "p-none", "is called p-none"), ("has", "experties = law", "was asked for experties"),
        ("same_as", "experties = question", "was asked for experties"),
        ("same_as", "expertise = topic", "None of these items has topic"),
    ):  # fmt: skip
        assert problem in browser.post("/items/assign", 422, **{**rule, field: value})
    assert 'name="same_as"' in browser.page and 'name="matches"' not in browser.page
    assert "0 items would be assigned" in browser.post(
        "/items/assign", **rule, same_as="expertise = question"
    )
    shown = browser.post("/items/assign", **rule, has="expertise = law", each="1", most="3")
    assert (
        "3 items would be assigned" in shown and "all who fit have as many as they may have · 1 item" in shown
    )
    assert f"{kim.pseudonym} 0 3 3" in shown
    assert names(study) == {}
    browser.again(sure="yes")
    assert names(study) == {each: [kim.pseudonym] for each in items[:3]}
    shown = browser.post("/items/assign", **rule, language="yes", each="1", again="yes")
    assert f"{lee.pseudonym} 0 3 3" in shown
    study.person()  # somebody came meanwhile
    assert "look at the new plan" in browser.again(409, sure="yes")
    browser.again(sure="yes")
    assert kim.pseudonym not in {name for number in items[:3] for name in names(study)[number]}


def test_stalled_items_are_shown_and_assigned_anew(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    one, two = study.add("verify", [QUESTION] * 2)
    browser = Browser(study)
    assert "Nothing here." in browser.get("/items/assignments")
    browser.post("/items/assign", item=str(one), how="hand", to=kim.pseudonym, sure="yes")
    participants.withdraw(study.workspace, study.record.id, kim.id)
    page = browser.get("/items/assignments")
    assert "Show 1 stalled item" in page and "none of them can answer it · 1 item" in page
    assert f"q0 verify {kim.pseudonym} 5 0" in page.replace("Verify", "verify")
    assert f"{kim.pseudonym} not at work" in page
    assert set(re.findall(r"q\d", browser.get("/items?only=stalled"))) == {"q0"}
    shown = browser.post("/items/assign", all="yes", only="stalled", how="rule", again="yes")
    assert "1 item would be assigned" in shown and "1 item gets fewer people than it needs." in shown
    browser.again(sure="yes")
    assert names(study) == {one: [lee.pseudonym]}
    assert "fewer can answer than answers are missing" in browser.get("/items/assignments")
    assert two not in names(study)


@pytest.mark.parametrize("chosen", ["all", "item"])
def test_who_works_on_a_stalled_item_keeps_it_when_others_come_by_a_rule(
    study: StudyFixture, chosen: str
) -> None:
    kim, lee = study.person(), study.person()
    one, two = study.add("verify", [QUESTION] * 2)
    browser = Browser(study)
    browser.post("/items/assign", item=str(one), how="hand", to=kim.pseudonym, sure="yes")
    choice = {"all": "yes"} if chosen == "all" else {"item": [str(one), str(two)]}
    browser.post("/items/assign", **choice, only="stalled")
    assert 'name="again"' not in browser.page  # a stalled item is assigned already
    assert "1 item would be assigned" in browser.again(how="rule")
    browser.again(sure="yes")
    assert {number: set(people) for number, people in names(study).items()} == {
        one: {kim.pseudonym, lee.pseudonym}
    }


def test_by_a_file(study: StudyFixture) -> None:
    kim = study.person()
    one, two = study.add("verify", [QUESTION] * 2)
    browser = Browser(study)
    table_of = f"item,person\nq0,{kim.pseudonym}\nq1,p-none\n".encode()
    wrong = browser.send("a.csv", table_of, 422)
    assert "Row 2: there is no person 'p-none'" in wrong and "Nothing was taken over" in wrong
    assert "no table that can be read here" in browser.send("a.txt", table_of, 422)
    assert "has to have a column item" in browser.send("a.csv", b"a,b\n1,2\n", 422)
    assert names(study) == {}
    good = table_of.replace(b"p-none", kim.pseudonym.encode())
    assert "2 items would be assigned" in browser.send("a.csv", good, preview="yes")
    assert names(study) == {}
    lee = study.person()
    study.work(lee)
    done = browser.send("a.csv", good)
    assert "2 items were assigned." in done and "taken back" not in done
    assert names(study) == {one: [kim.pseudonym], two: [kim.pseudonym]}
    assert "1 task was taken back." in browser.send("a.csv", good, take_back="yes")
    another = f"item,person\nq0,{lee.pseudonym}\n".encode()
    browser.send("a.csv", another, add="yes")
    assert set(names(study)[one]) == {kim.pseudonym, lee.pseudonym}
    browser.send("a.csv", another)
    assert names(study)[one] == [lee.pseudonym]


def test_what_somebody_may_still_be_asked(study: StudyFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    from folkways_studio.people import pages as people_pages

    kim = study.person()
    items = study.add("verify", [QUESTION] * 5)
    browser = Browser(study)
    browser.post("/items/assign", item=str(items[3]), how="hand", to=kim.pseudonym, sure="yes")
    study.answer(kim, {"choices": [0]})
    browser.post("/items/assign", item=str(items[4]), how="hand", to=kim.pseudonym, sure="yes")
    page = browser.get(f"/people/{kim.id}")
    assert "verify 1 4 1 4 items" in page.replace("Verify", "verify")
    assert "they are given nothing" not in page
    monkeypatch.setattr(people_pages, "ROWS", 3)
    first = browser.get(f"/people/{kim.id}/items?stage=verify")
    assert re.findall(r"q\d", first) == ["q4", "q0", "q1"]
    assert 'rel="next"' in browser.client.get(f"{HERE}/people/{kim.id}/items").text
    assert re.findall(r"q\d", browser.get(f"/people/{kim.id}/items?page=2")) == ["q2"]
    assert 'rel="next"' not in browser.client.get(f"{HERE}/people/{kim.id}/items?page=2").text
    assert browser.client.get(f"{HERE}/people/{kim.id}/items?stage=none").status_code == 404
    with study.workspace.write() as connection:
        connection.execute(schema.studies.update().values(state="paused"))
    assert "they are given nothing" in browser.get(f"/people/{kim.id}")


def test_bounds_and_who_may(study: StudyFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    kim = study.person()
    items = study.add("verify", [QUESTION] * 3)
    browser = Browser(study)
    monkeypatch.setattr("folkways_studio.items.assignment_pages.MOST_AT_ONCE", 2)
    assert "more than 2 items" in browser.post(
        "/items/assign", 409, item=[str(each) for each in items], how="hand", to=kim.pseudonym, sure="yes"
    )
    monkeypatch.setattr("folkways_studio.items.assignment_pages.MOST_ITEMS", 2)
    assert "more than 2 items" in browser.post("/items/assign", 409, all="yes", how="anybody", sure="yes")
    assert names(study) == {}

    other = add_items(study.workspace, study.record.id, "verify", [NewItem("<b>x", QUESTION, "korea")])[0]
    browser.post("/items/assign", item=str(other.id), how="hand", to="korea", sure="yes")
    reviewer = Browser(study, Role.REVIEWER)
    page = reviewer.client.get(f"{HERE}/items?column=assigned").text
    assert "korea" in page and "formaction" not in page and "/items/assignments" not in page
    assert reviewer.client.get(f"{HERE}/items/assignments").status_code == 403
