"""The workflows as people meet them in a browser, from the invitation to a report of the exported release: in
English, Arabic and Korean, at 1440 and 390 pixels. In each stage somebody answers at the page, the others
through the service. Each page is looked at for what should be on no page. By day one workflow in one language
and width, another one every day; at night all of them.

With FOLKWAYS_PICTURES=DIR every page is also kept as a picture.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

pytest.importorskip("playwright.sync_api")

from folkways_studio.people import invites, participants, sessions
from folkways_studio.records import Participant, Stage
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.work import judgements
from folkways_studio.work.assignments import Work
from folkways_studio.work.task_numbers import shown_number
from studio.tests.support.form_filling import fill, send
from studio.tests.support.studies import StudyFixture, next_work
from studio.tests.support.studio_server import StudioProcess
from studio.tests.web.test_templates_walked import answer_of, opened, people_of
from tests.support.browser import Watched, axe_violations
from tests.support.command_line import environment, folkways

pytestmark = pytest.mark.browser

WORKFLOWS = ("red-teaming", "verification", "everyday-questions", "culture-specific-items", "judging")
ALL = list(product(WORKFLOWS, ("en", "ar", "ko"), (1440, 390)))
TODAY = ALL[date.today().toordinal() * 7 % len(ALL)]  # 7 and 30 share no factor: thirty days see all of them
RUNS = [pytest.param(*each, marks=() if each == TODAY else pytest.mark.nightly) for each in ALL]

BASELINE = ("--model", "baseline/first")

PYTHON = re.compile(r"\{'\w+':|\bNone\b|\[\]|<\w+ object|Message\(|%\(\w+\)s")
"""What a page shows where something of the program was put on it as it is."""

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CUT = """[...document.querySelectorAll('button, a, label, legend, h1, h2, h3, th, .kicker')]
    .filter((each) => each.offsetParent && each.clientWidth > 1 && each.scrollWidth > each.clientWidth + 1)
    .filter((each) => getComputedStyle(each).overflow !== 'visible')
    .map((each) => each.textContent.trim())"""


class Walker:
    """A study walked through in browsers of one language and width, and what was wrong with its pages."""

    def __init__(
        self,
        server: StudioProcess,
        study: StudyFixture,
        new_page: Callable[..., Watched],
        language: str,
        width: int,
    ) -> None:
        self.server, self.study, self.new_page = server, study, new_page
        self.options = {"locale": language, "viewport": {"width": width, "height": 900}}
        self.language, self.name = language, f"{study.record.name}-{language}-{width}"
        self.problems: list[str] = []
        self.pictures = 0

    def browser(self, account_id: int | None = None) -> Watched:
        watched = self.new_page(**self.options)
        if account_id is not None:
            token = sessions.open_session(self.server.workspace, account_id)
            watched.page.context.add_cookies(
                [{"name": "folkways_session", "value": token, "url": self.server.url}]
            )
        return watched

    def look(self, watched: Watched, name: str, address: str = "", *, axe: bool = False) -> Any:
        """The page (at an address), looked at."""
        page = watched.page
        if address:
            answer = page.goto(self.server.url + address)
            assert answer.status == 200, f"{name}: {answer.status}"
        told = self.problems.append
        if page.get_attribute("html", "lang") != self.language:
            told(f"{name}: the page is in {page.get_attribute('html', 'lang')}")
        if (page.get_attribute("html", "dir") == "rtl") != (self.language == "ar"):
            told(f"{name}: the page runs the wrong way")
        if (wider := page.evaluate(WIDER)) > 1:
            told(f"{name}: {wider} pixels wider than the screen")
        for words in page.evaluate(CUT):
            told(f"{name}: cut off: {words}")
        for found in PYTHON.findall(page.inner_text("body")):
            told(f"{name}: {found}")
        if axe:
            self.problems += [f"{name}: {each}" for each in axe_violations(page)]
        self.problems += [f"{name}: {each}" for each in watched.errors]
        watched.errors.clear()
        self.keep_picture(page, name)
        return page

    def keep_picture(self, page: Any, name: str) -> None:
        if folder := os.environ.get("FOLKWAYS_PICTURES"):
            self.pictures += 1
            page.screenshot(
                path=str(Path(folder) / f"{self.name}-{self.pictures:02}-{name}.png"), full_page=True
            )

    def come_in(self) -> None:
        """Somebody comes by an invitation, page by page, to their first task and out again."""
        workspace, study = self.server.workspace, self.study.record
        place = studies.populations(workspace, study.id)[0]
        _, token = invites.create_invite(workspace, study.id, population=place.name)
        watched = self.browser()
        page = self.look(watched, "invitation", f"/join/{token}", axe=True)
        page.locator("main form button").first.click()
        page.wait_for_selector("input[name=agree]")
        self.look(watched, "consent", axe=True)
        page.check("input[name=agree]")
        page.locator("main form button").last.click()
        page.wait_for_url(lambda url: not url.endswith("/consent"))
        if page.url.endswith("/eligibility"):
            self.look(watched, "eligibility", axe=True)
        home = f"/work/{study.name}"
        person = participants.list_participants(workspace, study.id)[-1]
        if participants.get_participant(workspace, person.id).state != "active":
            participants.waive_eligibility(workspace, study.id, person.id, "a test", by=self.study.owner)
        self.look(watched, "home", home, axe=True)
        self.look(watched, "leaving", f"{home}/withdraw")

    def work(self, stage: Stage, number: int, person: Participant) -> None:
        """Everything that a person is given in a stage; the first task of the first person is done at its
        page."""
        for turn in range(1 if stage_kind(stage.kind).authored else 40):
            work = next_work(self.study.workspace, person.id, stage=stage.name)
            if not isinstance(work, Work):
                break
            if number == turn == 0:
                self.answer_at_page(person, work)
            else:
                payload = answer_of(
                    work.stage, work.item.content, number if work.item.key.endswith("0") else 0
                )
                self.study.submit(person, work, payload)

    def answer_at_page(self, person: Participant, work: Work) -> None:
        """The task as the person sees it: empty, filled in, sent, and looked at again."""
        stage, home = work.stage.name, f"/work/{self.study.record.name}"
        slot = shown_number(work.assignment.id, person.pseudonym)
        watched = self.browser(person.account_id)
        page = self.look(watched, f"task-{stage}", f"{home}/tasks/{slot}", axe=True)
        fill(page, self.language)
        self.look(watched, f"filled-in-{stage}")
        send(page)
        stored = judgements.list_judgements(self.study.workspace, self.study.record.id, work.item.id)
        assert person.id in {each.participant_id for each in stored}, f"{stage}: what was sent is not stored"
        self.look(watched, f"after-{stage}")
        self.look(watched, f"sent-{stage}", f"{home}/tasks/{slot}/sent")
        self.look(watched, f"home-{stage}", home)
        watched.page.context.close()

    def look_back(self) -> None:
        """The pages of whoever runs the study, once there is something on them."""
        watched = self.browser(self.study.owner)
        for page in ("", "/people", "/items", "/quality", "/disagreement", "/time", "/data", "/log"):
            self.look(watched, f"desk{page.replace('/', '-')}", f"/studies/{self.study.record.name}{page}")

    def look_at_report(self, page: Path) -> None:
        """The report's page, which is in English and needs no server."""
        watched = self.new_page(**self.options)
        watched.open(page)
        assert watched.page.locator("h1").count() == 1
        watched.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        self.problems += [f"report: {each}" for each in (*watched.errors, *watched.requests)]
        if (wider := watched.page.evaluate(WIDER)) > 1:
            self.problems.append(f"report: {wider} pixels wider than the screen")
        self.keep_picture(watched.page, "report")


def command(folder: Path, *arguments: object) -> None:
    """A command of folkways on the workspace of the folder's studio."""
    done = folkways(*arguments, cwd=folder, env=environment(FOLKWAYS_WORKSPACE=str(folder / "studio.db")))
    assert done.returncode == 0, done.stderr


def judged_run(folder: Path) -> None:
    """A run of which the study judges answers."""
    command(folder, "run", "demo/everyday", "--cultures", "KR", *BASELINE)
    command(folder, "studio", "draw", "judging", "judge", "last", "--per-culture", "2")


def report_of(folder: Path, study: str) -> Path:
    """The study's release, exported, asked of a baseline as the guide says for its workflow, and reported on:
    the report's page."""
    command(folder, "studio", "export", study, "--out", "release")
    if study in ("red-teaming", "verification"):
        command(folder, "build", "easy", "--votes", "release", "--out", "mine")
        command(folder, "run", "culturalbench/easy", "--release", "culturalbench=mine", *BASELINE)
    elif study == "everyday-questions":
        command(folder, "run", "blend/saq", "--release", "blend=release", *BASELINE)
    elif study == "culture-specific-items":
        command(folder, "run", "xcr", "--release", "xcr=release", *BASELINE)
    else:  # what people said of answers of a run that there is already
        labels = pl.read_csv(folder / "release" / "labels.csv")
        assert labels["endpoint"].drop_nulls().unique().to_list() == ["baseline/first"]
    command(folder, "report", "last", "--out", "report")
    return folder / "report" / "report.html"


@pytest.mark.parametrize(("template", "language", "width"), RUNS)
def test_a_workflow_is_walked_and_nothing_is_wrong_with_its_pages(
    tmp_path: Path, new_page: Callable[..., Watched], template: str, language: str, width: int
) -> None:
    with StudioProcess(tmp_path / "studio.db") as server:
        study = opened(server.workspace, template)
        walker = Walker(server, study, new_page, language, width)
        if template == "judging":
            judged_run(tmp_path)
        walker.come_in()
        for stage in studies.stages(study.workspace, study.record.id):
            for number, person in enumerate(people_of(study, stage)):
                walker.work(stage, number, person)
        walker.look_back()
        walker.look_at_report(report_of(tmp_path, study.record.name))
    assert walker.problems == []
