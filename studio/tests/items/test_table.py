"""The table of items: what an address asks for, how content reads, saved filters, and what a page costs."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.items import table
from folkways_studio.items.search import ORDERS
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.items.table import COLUMNS, SHOWN, SIZES, TableView, facts_of, in_words
from folkways_studio.people import accounts, sessions
from folkways_studio.records import Role
from folkways_studio.stages.registry import stage_kind
from folkways_studio.web.app import create_app
from folkways_studio.web.rendering.pages import environment
from folkways_studio.work.assignees import assign, people_of
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import QUESTION, StudyFixture, open_study, stored

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.text("abc", min_size=1),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("xyz", min_size=1), inner),
)


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)
    elif isinstance(value, str):
        yield value


@given(JSON)
def test_any_content_reads_as_words_and_loses_none(value: Any) -> None:
    words = in_words(value)
    assert not set(words) & set("{}[]'\"") and not re.search("True|False|None", words)
    assert all(leaf in words for leaf in leaves(value))
    assert "; ;" not in words and not words.startswith(";")


@pytest.mark.parametrize("more", ["_alt", "_transcript"])
def test_a_file_s_name_comes_after_every_text(more: str) -> None:
    subject = {"door": "door.png", f"door{more}": "A door", "note": "Shoes stay on.", "years": [1, 2]}
    assert [name for name, _ in facts_of(subject)] == [f"door{more}", "note", "door", "years"]
    described = {"door": "door.png", f"door{more}": "A door"}
    assert [name for name, _ in facts_of(described)] == [f"door{more}", "door"]


@pytest.mark.parametrize(
    ("show", "content", "title"),
    [
        ([("story", "text")], {"expected": "rude", "story": "A guest sings.", "text": "?"}, "A guest sings."),
        ([("text", "text"), ("item", "text")], {"item": "second", "text": "first"}, "first"),
        ([("door", "image")], {"door": "a.png", "door_alt": "A door", "expected": "open"}, "A door"),
        ([("door", "image")], {"door": "a.png", "expected": "open"}, "a.png"),
        ([("hello", "audio")], {"a": "b", "hello": "a.mp3", "hello_transcript": "Hello!"}, "Hello!"),
    ],
)
def test_an_item_of_a_form_is_called_by_what_the_form_shows(
    show: list[tuple[str, str]], content: dict[str, str], title: str
) -> None:
    config = {"show": [{"field": field, "type": kind} for field, kind in show], "ask": []}
    differing = {"kind": "form", "content": content, "rules": config, "candidates": []}
    for kind, of in (("form", content), ("adjudicate", differing)):
        subject = stage_kind(kind).subject(of, config)
        assert facts_of(subject)[0][1] == title
        assert dict(subject) == content


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([[0, 3, "The"], [8, 10, "tea"]], "The 0–3tea 8–10"),
        ([[0, 3], [8, 10]], "0–38–10"),
        (["The", "tea", "pot"], "Theteapot"),
        ({"words": [[0, 3, "<b>"]]}, "words: &lt;b&gt; 0–3"),
    ],
)
def test_a_mark_reads_as_its_words_with_its_place_beside_them(value: Any, words: str) -> None:
    macros: Any = environment("en").get_template("items/facts.html.j2").module
    assert re.sub(r"<[^>]+>|\n", "", macros.value_of(value)) == words


def test_a_mapping_reads_as_its_text_where_it_has_one() -> None:
    assert in_words([{"id": "a", "by": "", "text": "On Saturday"}, {"text": "On Sunday"}]) == (
        "On Saturday; On Sunday"
    )
    assert in_words({"text": "", "note": "kept"}) == "note: kept"


FIELD = st.sampled_from(["stage", "population", "state", "only", "q", "order", "size", "column", "page", "x"])
VALUE = st.text(max_size=300) | st.sampled_from([*ORDERS, *COLUMNS, "-key", "100", "-1", "25", "--key", "-"])


@given(st.lists(st.tuples(FIELD, VALUE), max_size=12))
def test_whatever_an_address_asks_for_is_bounded_and_comes_back_from_its_own(
    pairs: list[tuple[str, str]],
) -> None:
    view = TableView.of(QueryParams(pairs))
    assert view.size in SIZES and view.order.removeprefix("-") in ORDERS and view.order.count("-") <= 1
    assert view.columns and set(view.columns) <= set(COLUMNS)
    assert max(map(len, (view.stage, view.population, view.state, view.only, view.q))) <= 200
    assert TableView.of(QueryParams(view.query)) == view
    assert TableView.of(QueryParams(view.page(7))) == view


def test_a_heading_sorts_and_turns_round() -> None:
    view = TableView(state="open")
    once = TableView.of(QueryParams(view.sorted_by("key")))
    assert (once.order, once.state) == ("key", "open")
    assert TableView.of(QueryParams(once.sorted_by("key"))).order == "-key"
    assert TableView.of(QueryParams(once.sorted_by("answers"))).order == "answers"
    assert TableView.of(QueryParams({"q": "x" * 999})).q == "x" * 200
    assert TableView().query == "" and TableView.of(QueryParams("column=nonsense")).columns == SHOWN


@pytest.fixture
def study(studio_workspace: Workspace) -> StudyFixture:
    """Two items that two people answered differently, and one nobody answered."""
    made = open_study(
        studio_workspace, [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}], name="rows"
    )
    made.add("verify", [{**QUESTION, "question": f"Question {number}?"} for number in range(3)])
    kim, lee = made.person(), made.person()
    for _ in range(2):
        made.answer(kim, {"choices": [0]})
        made.answer(lee, {"choices": [1]})
    return made


def browser(study: StudyFixture, role: Role) -> AppClient:
    account = accounts.create_account(study.workspace, f"{role}@example.org", None)
    accounts.give_role(study.workspace, study.record.id, account.id, role)
    client = AppClient(create_app(study.workspace), headers={"Origin": "http://localhost"})
    client.cookies.set("folkways_session", sessions.open_session(study.workspace, account.id))
    return client


def cells(text: str) -> list[list[str]]:
    """The table's rows as texts of their cells."""
    rows = re.findall(r"<tr>(.*?)</tr>", text.partition("<tbody>")[2], re.S)
    return [
        [
            " ".join(re.sub("<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S)
        ]
        for row in rows
    ]


def test_columns_and_filters_on_the_page(study: StudyFixture) -> None:
    client = browser(study, Role.RESEARCHER)
    address = "/studies/rows/items"
    first, second = (person.pseudonym for person in study.people())
    query = "order=-answers&column=people&column=answers&column=suggestions&column=disagreement"
    rows = cells(client.get(f"{address}?{query}").text)
    assert [row[1] for row in rows] == [
        "Question 0? q0 · no option was chosen by 2 of 2 people",
        "Question 1? q1 · no option was chosen by 2 of 2 people",
        "Question 2? q2",
    ]
    assert rows[0][2:] == ["soup 1 / 2 rice 1 / 2", "50.0 %", f"{first} , {second}", "–"]
    assert rows[2][2:] == ["no answers yet", "–", "–", "–"]
    assert first not in client.get(address).text, "no column that was not asked for"
    page = client.get(f"{address}?only=disputed&order=-key").text
    assert [row[1].split(" · ")[0] for row in cells(page)] == ["Question 1? q1", "Question 0? q0"]
    assert 'aria-sort="descending"' in page
    token = re.search(r'name="csrf" value="([^"]*)"', page)
    assert token is not None
    form = {"csrf": token[1], "only": "disputed", "order": "-key", "name": " In  dispute "}
    saved = client.post(f"{address}/filters", data=form)
    assert saved.status_code == 303 and saved.headers["location"] == f"{address}?only=disputed&order=-key"
    reviewer = browser(study, Role.REVIEWER)
    page = reviewer.get(address).text
    assert f'href="{address}?only=disputed&amp;order=-key"><bdi>In dispute</bdi>' in page
    assert 'name="delete"' not in page and 'type="checkbox" name="item"' not in page
    client.post(f"{address}/filters", data={"csrf": token[1], "delete": "In dispute"})
    assert "In dispute" not in reviewer.get(address).text


def test_saved_filters_are_bounded_and_replaced_by_name(
    study: StudyFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "MOST_FILTERS", 2)
    about = study.workspace, study.record.id
    table.save_filter(*about, "b", TableView(state="open"))
    table.save_filter(*about, "a", TableView())
    table.save_filter(*about, "b", TableView(state="done"))
    assert table.saved_filters(*about) == [("a", ""), ("b", "state=done")]
    with pytest.raises(ConflictError, match="at most 2"):
        table.save_filter(*about, "c", TableView())
    for name in ("", "  ", "x" * 61, "a\u200bb"):
        with pytest.raises(SubmissionError):
            table.save_filter(*about, name, TableView())
    with pytest.raises(ConflictError, match="too long"):
        table.save_filter(*about, "a", TableView(q="的" * 200, stage="的" * 200))
    table.delete_filter(*about, "a")
    table.delete_filter(study.workspace, study.record.id + 1, "b")
    assert [row["name"] for row in stored(study.workspace, schema.filters)] == ["b"]


def test_a_page_costs_as_many_statements_for_a_hundred_rows_as_for_three(study: StudyFixture) -> None:
    client, costs = browser(study, Role.RESEARCHER), []
    address = "/studies/rows/items?size=100&" + "&".join(f"column={name}" for name in COLUMNS)
    statements: list[str] = []
    sa.event.listen(
        study.workspace.engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2])
    )
    for rows in (3, 100):
        if rows == 100:
            more = [NewItem(f"more-{number}", QUESTION, "korea") for number in range(97)]
            add_items(study.workspace, study.record.id, "verify", more)
        statements.clear()
        assert len(cells(client.get(address).text)) == rows
        costs.append(sum(not text.startswith("BEGIN") for text in statements))
    assert costs[0] == costs[1] <= 20
    statements.clear()
    client.get("/studies/rows/items?order=own")
    cost = sum(not text.startswith("BEGIN") for text in statements)
    assert cost == costs[0] - 6, (
        "the columns of people, assignees and suggestions, and the ranking, cost only who sees them"
    )


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("", 3),
        ("stage=verify", 3),
        ("stage=other", 0),
        ("stage=nope", 0),
        ("population=korea", 2),
        ("population=nope", 0),
        ("state=open", 3),
        ("state=nope", 0),
        ("only=stalled", 1),
        ("only=nope", 0),
        ("assigned=-", 2),
        ("assigned=*", 1),
        ("assigned=korea", 1),
        ("assigned=p-nobody", 0),
        ("stage=verify&assigned=p-nobody", 0),
    ],
)
def test_a_name_that_the_study_lacks_matches_no_item_in_lists_and_in_what_is_done_with_all(
    studio_workspace: Workspace, query: str, rows: int
) -> None:
    workspace = studio_workspace
    study = open_study(workspace, [{"name": name, "kind": "vote"} for name in ("verify", "other")])
    two = [NewItem(f"q{number}", QUESTION, "korea") for number in range(2)]
    first, *_ = add_items(workspace, study.record.id, "verify", [*two, NewItem("q2", QUESTION)])
    korea = people_of(workspace, study.record.id).named("korea")
    assert korea is not None
    assign(workspace, study.record.id, {first.id: [korea]})
    token = sessions.open_session(workspace, study.owner)
    with AppClient(create_app(workspace), cookies={"folkways_session": token}) as client:
        page = client.get(f"/studies/{study.record.name}/items?{query}").text
        assert f">{rows} item{'s' * (rows != 1)}</p>" in page
        asked = dict(parse_qsl(query))
        for name, value in asked.items():
            assert re.search(
                rf'<select[^>]*name="{name}"[^>]*>.*?value="{re.escape(value)}" selected', page, re.S
            )
        csrf = re.search(r'data-csrf="([^"]+)"', page)
        assert csrf is not None
        sent = {**asked, "all": "yes", "sure": "yes", "reason_why": "none", "csrf": csrf[1]}
        client.post(
            f"/studies/{study.record.name}/items/change", data=sent, headers={"Origin": "http://localhost"}
        )
    dropped = stored(workspace, schema.items, state="dropped")
    assert len(dropped) == rows


def test_every_page_of_a_study_has_a_title_of_its_own(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}], title="A study")
    token = sessions.open_session(studio_workspace, study.owner)
    with AppClient(create_app(studio_workspace), cookies={"folkways_session": token}) as client:
        start = client.get(f"/studies/{study.record.name}").text
        tabs = re.findall(r'href="([^"]*)"', start.partition('<nav class="tabs"')[2].partition("</nav>")[0])
        titles = [re.search("<title>(.*?)</title>", client.get(address).text) for address in tabs]
    named = [html.unescape(title[1]) for title in titles if title is not None]
    assert len({*named}) == len(tabs) == 10
    assert named[0] == "Progress – A study – folkways" and named[-1] == "API – A study – folkways"
