"""What each role is shown leads somewhere: no tab and no link of a page is refused. People who wait find
their way."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest

from folkways_studio.people import invites, participants, sessions
from folkways_studio.records import Role
from folkways_studio.workflows.definition import parse_yaml, read_definition
from folkways_studio.workflows.templates import TEMPLATES, template_text
from studio.tests.support.studies import StudyFixture, open_study
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.http import Client

SENTENCES = {
    "item": "tea",
    "candidates": [{"text": f"Tea is {each}.", "by": f"model-{each}"} for each in ("hot", "cold")],
}
STAGES = [{"name": "choose", "kind": "choose_best", "role": "reviewer", "answers": 2}]
CRITERIA = [
    {"name": "nationality", "ask": "Your nationality?", "accept": ["British"]},
    {"name": "home", "ask": "Where did you live?", "options": ["Here", "Elsewhere"], "accept": ["Here"]},
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    with StudioServer(tmp_path_factory.mktemp("roles") / "studio.db") as running:
        yield running


def browser(server: StudioServer, account_id: int) -> Client:
    client = Client(server.url)
    client.cookies["folkways_session"] = sessions.open_session(server.workspace, account_id)
    return client


@pytest.mark.parametrize("role", [Role.OWNER, Role.RESEARCHER, Role.REVIEWER, Role.EXPERT])
def test_every_tab_and_link_that_a_role_is_shown_leads_somewhere(server: StudioServer, role: Role) -> None:
    study = open_study(server.workspace, STAGES, name=f"tabs-{role}")
    (number,) = study.add("choose", [SENTENCES], None)
    ratings = {each: dict.fromkeys(("accuracy", "fluency", "realism"), 3) for each in "ab"}
    for best in "ab":
        study.answer(study.person(role=Role.REVIEWER), {"best": best, "ratings": ratings}, "choose")
    account = study.owner if role == Role.OWNER else study.person(role=role).account_id
    client = browser(server, account)
    item = f"/studies/{study.record.name}/items/{number}"
    page = client.get(item).text
    tabs = re.findall(r'<a href="([^"]+)"', page.split('class="tabs"')[1].split("</nav>")[0])
    runs = role in (Role.OWNER, Role.RESEARCHER)
    assert len(tabs) == {Role.OWNER: 10, Role.RESEARCHER: 9}.get(role, 1) and (
        f"{item.rpartition('/')[0]}" in tabs
    )
    for address in {*tabs, *re.findall(r'href="(/studies/[^"#?]+)', page)}:
        assert client.get(address).status == 200, address
    assert ("/people/" in page) == runs, "who may not look at people gets no link to them"
    assert "{'" not in html.unescape(page) and "[{" not in page, "the item's content is told in words"
    assert "Tea is hot." in page and "model-cold" in page


def test_nobody_is_shown_the_studies_of_others(server: StudioServer) -> None:
    mine, theirs = (
        open_study(server.workspace, STAGES, name=f"list-of-{whose}") for whose in ("mine", "others")
    )
    page = browser(server, mine.person(role=Role.RESEARCHER).account_id).get("/studies").text
    assert f"/studies/{mine.record.name}" in page
    assert theirs.record.name not in page


@pytest.fixture
def study(server: StudioServer, request: pytest.FixtureRequest) -> StudyFixture:
    name = request.node.name.removeprefix("test_")[:40].replace("_", "-").rstrip("-")
    populations = [{"name": "korea", "culture": "KR", "criteria": CRITERIA}]
    return open_study(
        server.workspace, [{"name": "verify", "kind": "vote"}], name=name, populations=populations
    )


def came(server: StudioServer, study: StudyFixture) -> tuple[int, Client, str]:
    """Somebody who has agreed; their browser, and the address of the questions about them."""
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    person = participants.consent(
        study.workspace, participants.join(study.workspace, token).id, study.record.consent_version
    )
    return person.id, browser(server, person.account_id), f"/work/{study.record.name}/eligibility"


def test_a_near_miss_is_shown_what_was_written_and_answers_again(
    server: StudioServer, study: StudyFixture
) -> None:
    _, client, place = came(server, study)
    assert "The researchers look" not in client.get(place).text
    near = {"criterion-nationality": "UK <citizen>", "criterion-home": "Here"}
    assert client.post(place, near, csrf=client.csrf(place)).place == f"/work/{study.record.name}"
    assert client.get(f"/work/{study.record.name}").place == place
    page = client.get(place).text
    assert "The researchers look at your answers" in page and 'value="UK &lt;citizen&gt;"' in page
    client.post(place, {**near, "criterion-nationality": "British"}, csrf=client.csrf(place))
    assert (
        client.get(place).place == f"/work/{study.record.name}"
        and "Go on" in client.get(f"/work/{study.record.name}").text
    )


def test_a_near_miss_is_let_in_by_a_click_and_who_chose_otherwise_is_told_at_once(
    server: StudioServer, study: StudyFixture
) -> None:
    number, client, place = came(server, study)
    client.post(
        place, {"criterion-nationality": "UK <citizen>", "criterion-home": "Here"}, csrf=client.csrf(place)
    )
    owner, people = browser(server, study.owner), f"/studies/{study.record.name}/people"
    page = owner.get(people).text
    assert "Waiting to be let in" in page and "UK &lt;citizen&gt;" in page
    assert owner.post(f"{people}/{number}/let-in", {"let_in": "yes"}, csrf=owner.csrf(people)).place == people
    assert (
        "Go on" in client.get(f"/work/{study.record.name}").text
        and "Waiting to be let in" not in owner.get(people).text
    )

    _, other, place = came(server, study)
    other.post(
        place, {"criterion-nationality": "British", "criterion-home": "Elsewhere"}, csrf=other.csrf(place)
    )
    assert other.get(place).place == f"/work/{study.record.name}", "no form is shown that changes nothing"
    assert "Thank you for your interest" in other.get(f"/work/{study.record.name}/done").text


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_template_asks_in_free_text_who_may_take_part(name: str) -> None:
    """People choose, or give a number, and at least one choice lets them in and one does not."""
    definition = read_definition(parse_yaml(template_text(name)))
    for criterion in (each for population in definition.populations for each in population.criteria):
        if {"quota", "margins"} & criterion.keys():
            assert "options" in criterion, criterion  # of a survey, which wants everybody
        elif "options" in criterion:
            assert 0 < len({*criterion["accept"]} & {*criterion["options"]}) < len(criterion["options"]), (
                criterion
            )
        else:
            assert {"least", "most", "of"} & criterion.keys(), f"{criterion['name']} is asked in free text"
