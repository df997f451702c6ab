#!/usr/bin/env python3
"""Take the pictures of the studio that the docs show: a real server, simulated people, a headless Chromium.

    python scripts/picture_studio.py docs/images

What people say in them is made up. Needs what the browser tests need (scripts/install_chromium.py,
playwright).
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.support.frozen_time import at_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import sync_playwright

from folkways_studio.items import service as items
from folkways_studio.items.service import NewItem
from folkways_studio.people import accounts, invites, participants, sessions
from folkways_studio.records import Participant, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.work import assignments, judgements
from folkways_studio.workflows.definition import read_definition
from studio.tests.support.studies import next_work
from studio.tests.support.studio_server import StudioServer
from tests.support.browser import ARGUMENTS, INSTALLER
from tests.support.chat_server import ChatServer

QUESTIONS = [
    (
        "설날 아침에 가족이 모이면 가장 먼저 무엇을 하나요?",
        ["차례를 지낸다", "떡국을 먹는다", "세배를 한다", "윷놀이를 한다"],
        [0, 2],
    ),
    ("집들이에 갈 때 흔히 무엇을 사 가나요?", ["휴지나 세제", "국화꽃", "칼 세트", "손수건"], [0]),
    (
        "회식 자리에서 윗사람에게 술을 따를 때 어떻게 하나요?",
        ["두 손으로 따른다", "한 손으로 따른다", "눈을 감는다", "일어서서 노래한다"],
        [0],
    ),
    ("시험을 앞둔 수험생에게 무엇을 선물하나요?", ["엿이나 찹쌀떡", "미역국", "바나나", "거울"], [0]),
    ("복날에 흔히 먹는 음식은 무엇인가요?", ["삼계탕", "팥죽", "송편", "떡국"], [0]),
    ("제주에서는 잔칫날 어떤 국을 내나요?", ["몸국", "미역국", "북엇국", "육개장"], [0, 3]),
]
SCENARIO = (
    "My cousin sits the university entrance exam tomorrow. This evening an aunt rings the bell and "
    "hands over a small, heavy box."
)
QUESTION = "My cousin has an important exam tomorrow. What is in the box that our aunt brings?"
MADE = {
    "question": QUESTION,
    "options": ["sticky rice sweets", "seaweed soup", "a new watch", "white lilies"],
    "right": [1],
}


def study_of(
    server: StudioServer, owner: int, name: str, title: str, stages: list[dict[str, Any]], **more: Any
) -> Any:
    """An open study."""
    populations = more.pop(
        "populations", [{"name": "korea", "title": "South Korea", "culture": "KR", "language": "ko"}]
    )
    raw = {
        "name": name,
        "title": title,
        "licence": "CC-BY-4.0",
        "consent": "…",
        "populations": populations,
        "stages": stages,
        **more,
    }
    study = studies.create_study(server.workspace, read_definition(raw), owner=owner)
    return studies.set_state(server.workspace, study.id, StudyState.OPEN)


def person(server: StudioServer, study: Any, population: str = "korea") -> Participant:
    """Somebody who has come and agreed."""
    _, token = invites.create_invite(server.workspace, study.id, population=population)
    found = participants.join(server.workspace, token)
    return participants.consent(server.workspace, found.id, study.consent_version)


def verify(server: StudioServer, owner: int) -> Any:
    """A verification half done, with people who are sure, people who are not, and one in a hurry."""
    stage = {
        "name": "verify",
        "kind": "vote",
        "title": "Which answers are right?",
        "min_seconds": 4,
        "check_every": 4,
    }
    places = [
        {"name": "korea", "title": "South Korea", "culture": "KR", "language": "ko"},
        {"name": "jeju", "title": "Jeju", "culture": "KR", "language": "ko", "part_of": "korea"},
    ]
    study = study_of(
        server, owner, "korea-2026", "Questions from Korea, verified", [stage], populations=places
    )
    new = [
        NewItem(f"kr-{number:02}", {"question": text, "options": options}, "korea")
        for number, (text, options, _) in enumerate(QUESTIONS, 1)
    ]
    check = NewItem(
        "check-1",
        {"question": "설날은 어느 나라의 명절인가요?", "options": ["한국", "멕시코"]},
        "korea",
        {"choices": [0]},
    )
    items.add_items(server.workspace, study.id, "verify", [*new, check])
    right = {f"kr-{number:02}": chosen for number, (_, _, chosen) in enumerate(QUESTIONS, 1)}
    chance = random.Random(7)
    now = 1_790_000_000.0
    for number in range(5):
        someone = person(server, study)
        for _ in range(7 if number < 4 else 2):
            work = at_time(now, next_work, server.workspace, someone.id)
            if isinstance(work, assignments.NoWork):
                break
            now += 2.0 if number == 3 else chance.uniform(9, 40)
            said: dict[str, Any] = {"choices": right.get(work.item.key, [0])}
            if work.item.key == "kr-06":
                said = {"abstain": "dont_know"} if number in (0, 1) else {"choices": [chance.choice((0, 3))]}
            elif number == 3 or chance.random() < 0.12:
                said = {"choices": [1]}
            at_time(
                now,
                judgements.submit,
                server.workspace,
                someone.id,
                work.assignment.id,
                said,
                f"k{work.assignment.id}",
            )
    return study


class Camera:
    """Opens pages as an account and saves what they show."""

    def __init__(self, browser: Any, server: StudioServer, folder: Path) -> None:
        self.browser, self.server, self.folder = browser, server, folder

    def open(self, account: int, address: str, **options: Any) -> Any:
        """A page in a browser of its own."""
        options = {"viewport": {"width": 1240, "height": 900}, "device_scale_factor": 1.25, **options}
        page = self.browser.new_context(**options).new_page()
        token = sessions.open_session(self.server.workspace, account)
        page.context.add_cookies([{"name": "folkways_session", "value": token, "url": self.server.url}])
        page.goto(self.server.url + address)
        page.evaluate("document.fonts.ready")
        page.wait_for_timeout(300)
        return page

    def take(self, page: Any, name: str, **options: Any) -> None:
        """Save what the page shows, and close it."""
        page.evaluate("document.fonts.ready")
        page.wait_for_timeout(900)
        page.screenshot(path=self.folder / f"studio-{name}.png", **options)
        page.context.close()


def span(text: str, words: str) -> list[int]:
    """Where words stand in a text, in code points."""
    start = text.index(words)
    return [start, start + len(words)]


def task(server: StudioServer, someone: Participant, stage: str | None = None) -> str:
    """The address of the next task of a person."""
    work = next_work(server.workspace, someone.id, stage=stage)
    assert isinstance(work, assignments.Work), work
    return f"/work/{studies.get_study(server.workspace, work.item.study_id).name}/tasks/{work.assignment.id}"


def picture_tasks(camera: Camera, server: StudioServer, owner: int) -> None:
    """What people see: writing against a model, adapting, and a phone in Arabic."""
    stages = [{"name": "write", "kind": "write_question", "title": "Write questions"}]
    named = {"helper": "helper", "verifier": "verifier"}
    writing = study_of(
        server, owner, "red-team", "Questions that only people from Korea can answer", stages, models=named
    )
    author = person(server, writing)
    page = camera.open(author.account_id, task(server, author))
    page.get_by_label("1. A situation from daily life").fill(SCENARIO)
    with page.expect_navigation():
        page.get_by_role("button", name="Have a question made of it").click()
    with page.expect_navigation():
        page.get_by_role("button", name="Try it on the model").click()
    page.get_by_text("Turn it round", exact=True).click()
    page.get_by_role("heading", name="3. Try it on a model").scroll_into_view_if_needed()
    camera.take(page, "red-teaming")

    places = [{"name": "bangladesh", "title": "Bangladesh", "culture": "BD", "language": "bn"}]
    stages = [{"name": "adapt", "kind": "adapt", "title": "Adapt the sentence"}]
    adapting = study_of(
        server,
        owner,
        "adapt",
        "Culture-specific items and what they become elsewhere",
        stages,
        populations=places,
    )
    sentence = "On Boxing Day we always drop in on my aunt and finish the turkey."
    content = {"sentence": sentence, "spans": [span(sentence, "Boxing Day"), span(sentence, "turkey")]}
    items.add_items(server.workspace, adapting.id, "adapt", [NewItem("x1", content, "bangladesh")])
    native = person(server, adapting, "bangladesh")
    page = camera.open(native.account_id, task(server, native), viewport={"width": 1240, "height": 1260})
    page.locator("[name=strategy-0][value=functional_equivalent]").check()
    page.locator("[name=strategy-1][value=functional_equivalent]").check()
    versions = {
        "intra": (
            "On the day after Eid we always drop in on my aunt and finish the biryani.",
            ("the day after Eid", "biryani"),
        ),
        "inter": ("ঈদের পরদিন আমরা সবসময় খালার বাড়ি গিয়ে বাকি বিরিয়ানিটা শেষ করি।", ("ঈদের পরদিন", "বিরিয়ানিটা")),
    }
    for name, (text, words) in versions.items():
        page.locator(f"[name={name}]").fill(text)
        marks = ",".join("{}:{}".format(*span(text, each)) for each in words)
        page.evaluate(
            "([name, marks]) => { document.querySelector(`[name=${name}]`).value = marks; }",
            [f"{name}_spans", marks],
        )
    page.evaluate("document.querySelector('form[data-task]').dispatchEvent(new CustomEvent('filled'))")
    page.evaluate("window.scrollTo(0, 0)")
    camera.take(page, "adapting")

    places = [{"name": "algeria", "title": "الجزائر", "culture": "DZ", "language": "ar"}]
    stages = [{"name": "answer", "kind": "short_answers", "title": "أسئلة من الحياة اليومية"}]
    asking = study_of(
        server, owner, "everyday", "أسئلة من الحياة اليومية في الجزائر", stages, populations=places
    )
    content = {
        "local": "ماذا يأكل الناس عادةً في الجزائر عند الإفطار في رمضان؟",
        "english": "What do people in Algeria usually eat to break the fast in Ramadan?",
    }
    items.add_items(
        server.workspace,
        asking.id,
        "answer",
        [NewItem(f"a{number}", content, "algeria") for number in range(12)],
    )
    reader = person(server, asking, "algeria")
    for _ in range(4):
        work = next_work(server.workspace, reader.id)
        assert isinstance(work, assignments.Work)
        judgements.submit(
            server.workspace, reader.id, work.assignment.id, {"answers": ["شوربة"]}, f"a{work.assignment.id}"
        )
    phone = {
        "viewport": {"width": 400, "height": 860},
        "is_mobile": True,
        "has_touch": True,
        "locale": "ar",
        "device_scale_factor": 2,
    }
    for theme in ("light", "dark"):
        page = camera.open(reader.account_id, task(server, reader), color_scheme=theme, **phone)
        page.locator("[name=answers]").nth(0).fill("شوربة فريك")
        page.locator("[name=answers]").nth(1).fill("بوراك")
        page.evaluate("window.scrollTo(0, 0)")
        camera.take(page, f"phone-{theme}")


def main() -> None:
    """Save every picture into the folder that is named."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    chromium = subprocess.run(
        [sys.executable, str(INSTALLER), "--check"], capture_output=True, text=True, check=True
    ).stdout.strip()
    settings = json.dumps(
        {"makes": {SCENARIO: MADE}, "believes": {"verifier": {QUESTION: ["sticky rice sweets"]}}}
    )
    with (
        tempfile.TemporaryDirectory() as place,
        ChatServer(mode=f"round:{settings}") as models,
        StudioServer(
            Path(place) / "studio.db",
            models={name: [f"{models.url}/v1#{name}"] for name in ("helper", "verifier")},
        ) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, headless=True, args=list(ARGUMENTS))
        camera = Camera(browser, server, folder)
        owner = accounts.create_account(server.workspace, "olga@example.org", None, name="Olga").id
        study = verify(server, owner)
        someone = person(server, study)
        page = camera.open(someone.account_id, task(server, someone))
        page.keyboard.press("1")
        camera.take(page, "verify")
        for name, address in (("progress", ""), ("items", "/items"), ("quality", "/quality")):
            camera.take(camera.open(owner, f"/studies/{study.name}{address}"), name)
        picture_tasks(camera, server, owner)
        browser.close()


if __name__ == "__main__":
    main()
