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

from folkways_studio.people import invites, sessions
from folkways_studio.records import Participant, Role
from folkways_studio.studies import service as studies
from folkways_studio.work.task_numbers import shown_number
from studio.tests.support.studies import StudyFixture, open_study
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


@dataclass(frozen=True, kw_only=True)
class ServedStudy(StudyFixture):
    """A study on a running server, and the browsers of those who come to it."""

    server: StudioServer
    new_page: Callable[..., Watched]
    watched: list[Watched] = field(default_factory=list)

    def page(self, **options: Any) -> Any:
        """A browser of its own, in which nobody has signed in."""
        # Low: every page is drawn in software, and nobody looks at it.
        made = self.new_page(**{"viewport": {"width": 1280, "height": 600}, **options})
        self.watched.append(made)
        return made.page

    def open(self, page: Any, path: str) -> Any:
        page.goto(self.server.url + path)
        return page

    def link(self, population: str = "korea") -> str:
        """An invitation, as a researcher would send it."""
        _, token = invites.create_invite(self.workspace, self.record.id, population=population)
        return f"/join/{token}"

    def guest(self, population: str = "korea") -> Any:
        """Somebody in a new browser who comes by an invitation and agrees, page by page; the page shows the
        study."""
        page = self.open(self.page(), self.link(population))
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("checkbox").check()
        page.get_by_role("button", name="Agree and go on").click()
        return page

    def at_start(
        self,
        population: str = "korea",
        *,
        person: Participant | None = None,
        role: Role = Role.ANNOTATOR,
        **options: Any,
    ) -> Any:
        """Somebody, new unless named, in a new browser at the page of the study."""
        person = person or self.person(population, role)
        return self.open(self.page_of(person.account_id, **options), f"/work/{self.record.name}")

    def at_task(self, population: str = "korea", *, stage: str | None = None, **options: Any) -> Any:
        """Somebody new in a new browser at their first task (of a stage), once its script is at work."""
        person = self.person(population)
        number = shown_number(self.work(person, stage).assignment.id, person.pseudonym)
        page = self.open(
            self.page_of(person.account_id, **options), f"/work/{self.record.name}/tasks/{number}"
        )
        page.wait_for_selector("form[data-task][data-ready]")
        return page

    def page_of(self, account_id: int, **options: Any) -> Any:
        """A browser in which an account has a session already."""
        page = self.page(**options)
        token = sessions.open_session(self.workspace, account_id)
        page.context.add_cookies([{"name": "folkways_session", "value": token, "url": self.server.url}])
        return page

    def researcher(self, path: str = "", **options: Any) -> Any:
        """A browser of the study's owner, at a page of the researcher's view."""
        return self.open(self.page_of(self.owner, **options), self.path + path)

    @property
    def path(self) -> str:
        """The path of the researcher's view."""
        return f"/studies/{self.record.name}"

    @property
    def errors(self) -> list[str]:
        """What browsers complained about: scripts, policy, files that are not there; but not what was refused
        in words."""
        return [error for watched in self.watched for error in watched.errors if not REFUSED.search(error)]


def serve_study(
    server: StudioServer,
    new_page: Callable[..., Watched],
    stages: Sequence[Mapping[str, Any]],
    **changes: Any,
) -> ServedStudy:
    """An open study of these stages on the server; keywords change its description."""
    number = len(studies.list_studies(server.workspace)) + 1
    made = open_study(server.workspace, stages, name=f"study-{number}", **changes)
    return ServedStudy(**vars(made), server=server, new_page=new_page)


@pytest.fixture
def new_page(kept_page: Callable[..., Watched]) -> Callable[..., Watched]:
    """A function that gives a page of the browser that the tests share."""
    return kept_page


@pytest.fixture
def make_study(server: StudioServer, new_page: Callable[..., Watched]) -> Callable[..., ServedStudy]:
    """A function that makes an open study of these stages; keywords change its description."""
    return partial(serve_study, server, new_page)


def begin(page: Any, *, script: bool = True) -> None:
    """From the study's page to the first task, and until its script is at work."""
    page.get_by_role("button", name="Go on", exact=True).click()
    page.wait_for_selector("form[data-task][data-ready]" if script else "form[data-task]")


def send(page: Any) -> None:
    """Send the task at hand and wait for what comes next."""
    before = page.url
    page.get_by_role("button", name="Send and go on").click()
    page.wait_for_url(lambda url: url != before)
