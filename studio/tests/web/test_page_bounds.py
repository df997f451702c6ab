"""Pages of long lists at their bounds: nothing is shown twice, nothing is left out, and no link leads to an
empty page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.opening import open_workspace
from folkways_studio.items import table
from folkways_studio.people import accounts, sessions
from folkways_studio.programs import tokens
from folkways_studio.records import Role
from folkways_studio.studies import pages as study_pages
from folkways_studio.web.app import create_app
from folkways_studio.web.settings import WebSettings
from folkways_studio.work.assignees import Assignee, assign
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import QUESTION, StudyFixture, open_study, stored
from studio.tests.web.conftest import PLENTY

SIZE = 3
LENGTHS = (0, 1, SIZE, SIZE + 1, 2 * SIZE, 2 * SIZE + 1)


@dataclass(frozen=True)
class Lists:
    """A studio with one study for each length of its lists, and their owner's browser and program."""

    workspace: Workspace
    client: AppClient
    studies: Mapping[int, StudyFixture]
    token: str

    def get(self, number: int, path: str) -> Any:
        """A page of the study with so many items."""
        return self.client.get(f"/studies/list-{number}/{path}")

    def api(self, number: int, path: str) -> Any:
        return self.client.get(
            f"/api/v1/studies/list-{number}/{path}", headers={"Authorization": f"Bearer {self.token}"}
        )


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lists]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "SIZES", (SIZE, 2 * SIZE))
        patch.setattr(study_pages, "EVENTS_PER_PAGE", SIZE)
        workspace = open_workspace(tmp_path_factory.mktemp("lists") / "studio.db")
        owner = accounts.create_account(workspace, "owner", None).id
        made = {}
        for number in LENGTHS:
            study = open_study(workspace, [{"name": "verify", "kind": "vote"}], name=f"list-{number}")
            accounts.give_role(workspace, study.record.id, owner, Role.OWNER)
            study.add("verify", [QUESTION] * number)
            made[number] = study
        _, token = tokens.create_token(workspace, owner, study_id=None)
        with AppClient(
            create_app(workspace, WebSettings(rates=PLENTY)), base_url="http://testserver"
        ) as client:
            session = sessions.open_session(workspace, owner)
            client.cookies.set("folkways_session", session, domain="testserver.local", path="/")
            yield Lists(workspace, client, made, token)
        workspace.close()


def shown(lists: Lists, number: int, query: str) -> tuple[list[str], set[str]]:
    """The keys of the items on a page, and the pages that it leads to."""
    reply = lists.get(number, f"items?{query}")
    assert reply.status_code == 200, query
    leads = reply.text.partition('aria-label="Pages"')[2].partition("</nav>")[0]
    return re.findall(r"<bdi>(q\d+)</bdi>", reply.text), set(re.findall(r"page=(\d+)", leads))


@pytest.mark.parametrize("order", ["own", "disputed"])
@pytest.mark.parametrize(
    ("number", "asked", "first", "last", "links"),
    [
        (0, "1", 0, 0, set()),
        (1, "1", 0, 1, set()),
        (SIZE, "1", 0, SIZE, set()),
        (SIZE, "2", 0, SIZE, set()),  # there is no second page: the last there is
        (SIZE + 1, "1", 0, SIZE, {"2"}),
        (SIZE + 1, "2", SIZE, SIZE + 1, {"1"}),
        (2 * SIZE, "2", SIZE, 2 * SIZE, {"1"}),
        (2 * SIZE + 1, "2", SIZE, 2 * SIZE, {"1", "3"}),
        (2 * SIZE + 1, "3", 2 * SIZE, 2 * SIZE + 1, {"2"}),
        (2 * SIZE + 1, "4", 2 * SIZE, 2 * SIZE + 1, {"2"}),
        (2 * SIZE + 1, "999999999", 2 * SIZE, 2 * SIZE + 1, {"2"}),
        (2 * SIZE, "0", 0, SIZE, {"2"}),
        (2 * SIZE, "-1", 0, SIZE, {"2"}),
        (2 * SIZE, "two", 0, SIZE, {"2"}),
        (2 * SIZE, "1.5", 0, SIZE, {"2"}),
        (2 * SIZE, "²", 0, SIZE, {"2"}),
        (2 * SIZE, "9" * 40, 0, SIZE, {"2"}),
        (2 * SIZE, "", 0, SIZE, {"2"}),
    ],
)
def test_a_page_of_items(
    lists: Lists, number: int, asked: str, first: int, last: int, links: set[str], order: str
) -> None:
    keys = [f"q{place}" for place in range(first, last)]
    assert shown(lists, number, f"order={order}&page={asked}") == (keys, links)


def test_pages_of_disputed_items_and_of_the_others_meet_without_a_gap(lists: Lists) -> None:
    """The ranked ones end within a page, on its last place and on the first of the next."""
    study = lists.studies[2 * SIZE + 1]
    people = [study.person(), study.person()]
    for ranked in range(1, SIZE + 2):
        for choice, person in enumerate(people):
            study.answer(person, {"choices": [choice]})
        keys = [shown(lists, 2 * SIZE + 1, f"order=disputed&page={page}")[0] for page in (1, 2, 3)]
        assert [len(each) for each in keys] == [SIZE, SIZE, 1], ranked
        assert [*chain(*keys)] == [f"q{place}" for place in range(2 * SIZE + 1)], ranked


@pytest.mark.parametrize("number", LENGTHS)
def test_the_log_leads_from_page_to_page_to_its_beginning(lists: Lists, number: int) -> None:
    """Of as many events as pages hold, of one more and of one less."""
    there = len(stored(lists.workspace, schema.events, study_id=lists.studies[number].record.id))
    for more in range(SIZE):
        if more:
            audit.record_event_now(lists.workspace, "made.here", lists.studies[number].record.id)
        total = there + more
        address: str | None = "log"
        sizes = []
        while address is not None:
            text = lists.get(number, address).text
            sizes.append(text.count("<tr><td>"))
            older = re.search(r'href="(\?before=\d+)"', text)
            address = f"log{older[1]}" if older else None
        assert sizes == [SIZE] * (total // SIZE) + ([total % SIZE] if total % SIZE else [])


@pytest.mark.parametrize(("asked", "rows"), [("0", 0), ("-1", SIZE), ("many", SIZE), ("9" * 40, SIZE)])
def test_a_place_in_the_log_that_is_none(lists: Lists, asked: str, rows: int) -> None:
    """Before the first event there is nothing; text is no place, and the newest are shown."""
    assert lists.get(1, f"log?before={asked}").text.count("<tr><td>") == rows


@pytest.mark.parametrize(
    ("limit", "cursor", "status"),
    [
        *(("1", "0", 200), ("500", "0", 200), ("0", "0", 422), ("501", "0", 422), ("-1", "0", 422)),
        *(("x", "0", 422), ("1", "-1", 422), ("1", "x", 422), ("1.5", "0", 422)),
        *(("1", "2147483647", 200), ("1", "2147483648", 422)),
    ],
)
def test_limits_of_the_api(lists: Lists, limit: str, cursor: str, status: int) -> None:
    for what in ("items", "events", "participants", "model-calls"):
        reply = lists.api(1, f"{what}?limit={limit}&cursor={cursor}")
        assert reply.status_code == status, (what, reply.text)


def pages(lists: Lists, number: int, what: str, size: int) -> list[list[Any]]:
    """What the API shows of a list, page by page."""
    read, cursor = [], 0
    while cursor is not None:
        page = lists.api(number, f"{what}?limit={size}&cursor={cursor}").json()
        read.append(page["data"])
        cursor = page["next"]
        assert len(read) < 500, "the pages have no end"
    return read


@pytest.mark.parametrize("number", LENGTHS)
@pytest.mark.parametrize("what", ["items", "events"])
def test_the_api_leads_from_page_to_page_to_the_end(lists: Lists, number: int, what: str) -> None:
    table = {"items": schema.items, "events": schema.events}[what]
    ids = [row["id"] for row in stored(lists.workspace, table, study_id=lists.studies[number].record.id)]
    read = [[each["id"] for each in page] for page in pages(lists, number, what, SIZE)]
    assert [*chain(*read)] == (ids if what == "items" else ids[::-1])
    assert all(len(each) == SIZE for each in read[:-1]) and (read[-1] or not ids)


def test_every_list_of_the_api_is_the_same_in_small_pages(lists: Lists) -> None:
    """All lists of a study that has something in most of them."""
    number = 2 * SIZE
    study = lists.studies[number]
    people = [study.person() for _ in range(SIZE)]
    items = [row["id"] for row in stored(lists.workspace, schema.items, study_id=study.record.id)]
    assignee = Assignee(people[0].pseudonym, participant_id=people[0].id)
    assign(lists.workspace, study.record.id, {item: [assignee] for item in items}, by=study.owner)
    document = lists.client.get("/api/v1/openapi.json").json()
    listed = [
        path.partition("/{study}/")[2].format(person=people[0].id, stage="verify", webhook=0)
        for path, operations in document["paths"].items()
        if "{study}" in path
        and {"cursor", "limit"} <= {each["name"] for each in operations.get("get", {}).get("parameters", ())}
    ]
    lengths = {}
    for what in listed:
        if lists.api(number, what).status_code == 200:  # there is no webhook, and suggestions are of a stage
            whole = [*chain(*pages(lists, number, what, 500))]
            assert [*chain(*pages(lists, number, what, 2))] == whole, what
            lengths[what] = len(whole)
    longer = {what for what, length in lengths.items() if length > 2}
    work = f"participants/{people[0].id}/work/verify"
    assert {"items", "events", "participants", "assignments", work} <= longer, lengths
