"""The studio as people meet it: a server process on a database of its own, and as many browsers as there are
people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.items import service as items
from folkways_studio.items.service import NewItem
from folkways_studio.people import accounts, invites, participants, sessions
from folkways_studio.records import Account, Participant, Population, Role, Study, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.work import judgements
from folkways_studio.work.assignments import Work
from folkways_studio.work.task_numbers import shown_number
from folkways_studio.workflows.definition import read_definition
from studio.tests.support.studies import PASSWORD, described, next_work
from studio.tests.support.studio_server import StudioServer
from tests.support.browser import Watched

PLENTY = {"signin": [10_000, 60.0], "join": [10_000, 60.0], "models": [10_000, 60.0], "api": [10_000, 60.0]}


REFUSED = re.compile(r"the server responded with a status of (403|409|422)")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    """A running studio on a SQLite file of the tests of one module; each test makes a study of its own."""
    offered = {"small": ["http://127.0.0.1:9/v1#m"]}
    with StudioServer(
        tmp_path_factory.mktemp("studio") / "studio.db", rates=PLENTY, models=offered
    ) as running:
        yield running


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[StudioServer]:
    """A running studio that nobody else uses, with the limits that people meet."""
    with StudioServer(tmp_path / "studio.db") as running:
        yield running


@dataclass
class Field:
    """A study on a running server, and the people who come to it."""

    server: StudioServer
    new_page: Callable[..., Watched]
    study: Study
    owner: Account
    watched: list[Watched] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)  # of the items that were added, in order

    @property
    def workspace(self) -> Workspace:
        return self.server.workspace

    def page(self, **options: Any) -> Any:
        """A browser of its own, in which nobody has signed in."""
        # Low: every page is drawn in software, and nobody looks at it.
        made = self.new_page(**{"viewport": {"width": 1280, "height": 600}, **options})
        self.watched.append(made)
        return made.page

    def open(self, page: Any, path: str) -> Any:
        page.goto(self.server.url + path)
        return page

    def link(self, population: str = "korea", role: Role = Role.ANNOTATOR) -> str:
        """An invitation, as a researcher would send it."""
        place = population if role == Role.ANNOTATOR else None
        _, token = invites.create_invite(self.workspace, self.study.id, role, population=place)
        return f"/join/{token}"

    def guest(self, population: str = "korea", **options: Any) -> Any:
        """Somebody in a new browser who comes by an invitation and agrees, page by page; the page shows the
        study."""
        page = self.open(self.page(**options), self.link(population))
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("checkbox").check()
        page.get_by_role("button", name="Agree and go on").click()
        return page

    def person(self, population: str = "korea", **options: Any) -> Any:
        """Somebody in a new browser who has come and agreed before; the page shows the study."""
        return self.open(
            self.page_of(self.arrived(population).account_id, **options), f"/work/{self.study.name}"
        )

    def at_task(self, population: str = "korea", *, stage: str | None = None, **options: Any) -> Any:
        """Somebody in a new browser at their first task (of a stage), once its script is at work."""
        person = self.arrived(population)
        work = next_work(self.workspace, person.id, stage=stage)
        assert isinstance(work, Work), work
        number = shown_number(work.assignment.id, person.pseudonym)
        page = self.open(
            self.page_of(person.account_id, **options), f"/work/{self.study.name}/tasks/{number}"
        )
        page.wait_for_selector("form[data-task][data-ready]")
        return page

    def arrived(self, population: str = "korea") -> Participant:
        """Somebody who has come and agreed, without a browser."""
        _, token = invites.create_invite(self.workspace, self.study.id, population=population)
        person = participants.join(self.workspace, token)
        return participants.consent(self.workspace, person.id, self.study.consent_version)

    def answer(
        self, stage: str, submission: Mapping[str, Any], person: Participant | None = None
    ) -> Participant:
        """Somebody, new unless named, who answers one task of a stage without a browser."""
        person = person or self.arrived()
        work = next_work(self.workspace, person.id, stage=stage)
        assert isinstance(work, Work), work
        key = f"key-{work.assignment.id}"
        judgements.submit(self.workspace, person.id, work.assignment.id, submission, key)
        return person

    def page_of(self, account_id: int, **options: Any) -> Any:
        """A browser in which an account has a session already."""
        page = self.page(**options)
        token = sessions.open_session(self.workspace, account_id)
        page.context.add_cookies([{"name": "folkways_session", "value": token, "url": self.server.url}])
        return page

    def researcher(self, path: str = "", **options: Any) -> Any:
        """A browser of the study's owner, at a page of the researcher's view."""
        return self.open(self.page_of(self.owner.id, **options), self.path + path)

    def member(self, role: Role) -> Participant:
        """A new reviewer, expert or researcher of the study, without a browser."""
        account = accounts.create_account(self.workspace, f"{role}-{self.study.name}@example.org", None)
        return participants.add_staff(self.workspace, self.study.id, account.id, role)

    def staff(self, role: Role) -> Any:
        """A browser of a new reviewer, expert or researcher of the study; the page shows the study."""
        return self.open(self.page_of(self.member(role).account_id), f"/work/{self.study.name}")

    def add(
        self, stage: str, contents: Sequence[Mapping[str, Any]], population: str | None = "korea"
    ) -> list[int]:
        """Items, as a researcher imports them; their ids."""
        new = [
            NewItem(f"{stage}-{len(self.ids) + number + 1}", content, population)
            for number, content in enumerate(contents)
        ]
        added = [item.id for item in items.add_items(self.workspace, self.study.id, stage, new)]
        self.ids += added
        return added

    @property
    def populations(self) -> tuple[Population, ...]:
        return studies.populations(self.workspace, self.study.id)

    @property
    def path(self) -> str:
        """The path of the researcher's view."""
        return f"/studies/{self.study.name}"

    def item(self, number: int) -> Any:
        return items.get_item(self.workspace, self.study.id, number)

    @property
    def errors(self) -> list[str]:
        """What browsers complained about: scripts, policy, files that are not there; but not what was refused
        in words."""
        return [error for watched in self.watched for error in watched.errors if not REFUSED.search(error)]


def open_field(
    server: StudioServer,
    new_page: Callable[..., Watched],
    stages: Sequence[Mapping[str, Any]],
    **changes: Any,
) -> Field:
    """An open study of these stages on the server; keywords change its description."""
    owner = accounts.find_account(server.workspace, "owner@example.org") or accounts.create_account(
        server.workspace, "owner@example.org", PASSWORD, name="Olga Owner"
    )
    number = len(studies.list_studies(server.workspace)) + 1
    definition = read_definition(described(stages, name=f"study-{number}", **changes))
    study = studies.create_study(server.workspace, definition, owner=owner.id)
    return Field(server, new_page, studies.set_state(server.workspace, study.id, StudyState.OPEN), owner)


@pytest.fixture
def new_page(kept_page: Callable[..., Watched]) -> Callable[..., Watched]:
    return kept_page


@pytest.fixture
def make_field(server: StudioServer, new_page: Callable[..., Watched]) -> Callable[..., Field]:
    """A function that makes an open study of these stages; keywords change its description."""
    return partial(open_field, server, new_page)


def begin(page: Any, *, script: bool = True) -> None:
    """From the study's page to the first task, and until its script is at work."""
    page.get_by_role("button", name="Go on", exact=True).click()
    page.wait_for_selector("form[data-task][data-ready]" if script else "form[data-task]")


def send(page: Any) -> None:
    """Send the task at hand and wait for what comes next."""
    before = page.url
    page.get_by_role("button", name="Send and go on").click()
    page.wait_for_url(lambda url: url != before)
