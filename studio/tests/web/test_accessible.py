"""WCAG 2.2 AA on every kind of page, in both themes and on a phone, by axe-core in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")

from folkways_studio.stages.registry import STAGE_KINDS
from folkways_studio.work import assignments, judgements
from studio.tests.stages.test_kinds import GOOD
from studio.tests.support.studies import next_work
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.conftest import ServedStudy, serve_study
from studio.tests.web.test_access import TABLE
from tests.support.browser import Watched, axe_violations

pytestmark = pytest.mark.browser

SENTENCE = "On Boxing Day the whole family went to the match."
RICH: dict[str, Mapping[str, Any]] = {
    "vote": {"question": "What do guests take off?", "options": ["hats", "shoes", "coats", "gloves"]},
    "short_answers": {"local": "무엇을 먹나요?", "english": "What do people eat?"},
    "group_answers": {
        "local": "무엇을 먹나요?",
        "english": "What do people eat?",
        "answers": {"a": ["떡국"], "b": ["떡", "떡국"]},
    },
    "review": {
        "question": "What is in the box?",
        "options": ["a", "b", "c", "d"],
        "scenario": "An aunt brings a box.",
        "intended": [0],
    },
    "curate": {"category": "Food", "question": "무엇을 먹나요?", "english": "What do people in Korea eat?"},
    "localise": {"template": "What do people in your country eat?", "category": "Food"},
    "choose_best": {
        "item": "Boxing Day",
        "fact": "A holiday.",
        "candidates": ["On Boxing Day we walk.", "Boxing Day is a day."],
    },
    "tag_spans": {"sentence": SENTENCE, "item": "Boxing Day"},
    "label_item": {"sentence": SENTENCE, "spans": [[3, 13]]},
    "adapt": {"sentence": SENTENCE, "spans": [[3, 13]]},
    "form": {"text": "Guests take off their shoes at the door."},
    "judge_answer": {"question": "무엇을 먹나요?", "reply": "밥을 먹습니다.", "accepted": ["떡국"]},
}
VERSIONS = [
    {
        "strategies": ["neutral_term"],
        "intra": "On <CSI>a holiday</CSI> we went.",
        "inter": "<CSI>명절</CSI>에 갔다.",
    },
    {
        "strategies": ["functional_equivalent"],
        "intra": "On <CSI>Chuseok</CSI> we went.",
        "inter": "<CSI>추석</CSI>에 갔다.",
    },
]
KINDS = [kind for kind in STAGE_KINDS if kind != "adjudicate"]
CONTENTS = {**{kind: content for kind, (content, _) in GOOD.items() if content and kind in KINDS}, **RICH}
"""Kind -> an item of its stages, if it has any; in RICH those that show more than the plainest."""

PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
GALLERY = ("/gallery", "/gallery/preference")
OFTEN = ("vote", "group_answers", "choose_best", "tag_spans", "write_question", "form", "adjudicate")
"""Kinds of stages whose tasks differ in what they are made of: looked at on every run, the others at night."""

EVERY_PAGE = pytest.param(True, marks=pytest.mark.nightly)
DESK = [
    path.removeprefix("/studies/{study}")
    for method, path in TABLE
    if method == "GET" and re.fullmatch(r"/studies/\{study\}(/\w+)?", path)
]
"""The pages of a study that need no more than its name."""


@dataclass
class Site:
    """One study with every kind of stage, and the address of every kind of page."""

    study: ServedStudy
    person: int
    tasks: dict[str, str] = field(default_factory=dict)
    staff_pages: list[str] = field(default_factory=list)
    sent: tuple[int, list[str]] = (0, [])
    """Somebody who has sent an answer, and the pages on which they look at it."""

    @property
    def entry(self) -> list[str]:
        home = f"/work/{self.study.record.name}"
        return [
            "/signin",
            "/languages",
            "/account",
            "/api",
            "/work",
            home,
            *(f"{home}/{page}" for page in ("consent", "withdraw", "done", "rest?why=warned")),
            "/nowhere",
        ]

    def pages(self, *, every: bool) -> list[tuple[int, list[str]]]:
        """Whose browser looks at what: at every page, or at one of each kind."""
        owner, path, home = self.study.owner, self.study.path, f"/work/{self.study.record.name}"
        if every:
            return [
                (self.person, [*self.entry, *self.refused, *self.tasks.values()]),
                self.sent,
                (owner, ["/studies", "/studies/new", *GALLERY, *self.staff_pages]),
            ]
        item, _, person, _ = self.staff_pages[-4:]
        lists = [path + page for page in ("", "/people", "/settings", "/items", "/data")]
        return [
            (
                self.person,
                ["/signin", home, f"{home}/consent", "/nowhere", *(self.tasks[kind] for kind in OFTEN)],
            ),
            (self.sent[0], self.sent[1][-1:]),
            (owner, ["/studies/new", *GALLERY[1:], *lists, item, person]),
        ]

    @property
    def refused(self) -> list[str]:
        """Pages of the template of /nowhere, in other words."""
        return ["/join/nonsense", f"/studies/{self.study.record.name}"]


@pytest.fixture(scope="module")
def built(server: StudioServer) -> Site:
    """The site, whose pages the tests read and change nothing on; without a browser."""
    stages = [{"name": kind.replace("_", "-"), "kind": kind, "for_each_population": False} for kind in KINDS]
    stages += [
        {"name": "adapt-twice", "kind": "adapt", "for_each_population": False, "next": {"done": "decide"}},
        {"name": "decide", "kind": "adjudicate"},
    ]
    models = dict.fromkeys(("helper", "verifier", "suggester"), "small")
    made = serve_study(server, pytest.fail, stages, models=models)
    made.add("adapt-twice", [CONTENTS["adapt"]])
    person = made.person()
    site = Site(made, person.account_id)
    for kind in KINDS:
        if kind in CONTENTS:
            made.add(kind.replace("_", "-"), [CONTENTS[kind]])
        work = next_work(made.workspace, person.id, stage=kind.replace("_", "-"))
        assert isinstance(work, assignments.Work)
        site.tasks[kind] = f"/work/{made.record.name}/tasks/{work.assignment.id}"
    # Of two adaptations that differ an expert decides, and a question like the one at hand stands beside it.
    made.add("curate", [{**CONTENTS["curate"], "english": "What do people in Korea eat at noon?"}])
    for version in VERSIONS:
        adapting = next_work(made.workspace, made.person().id, stage="adapt-twice")
        assert isinstance(adapting, assignments.Work)
        judgements.submit(
            made.workspace,
            adapting.assignment.participant_id,
            adapting.assignment.id,
            version,
            f"key-{adapting.assignment.id}",
        )
    deciding = next_work(made.workspace, person.id, stage="decide")
    assert isinstance(deciding, assignments.Work)
    site.tasks["adjudicate"] = f"/work/{made.record.name}/tasks/{deciding.assignment.id}"
    sender = made.person()
    sending = next_work(made.workspace, sender.id, stage="adapt")
    assert isinstance(sending, assignments.Work)
    judgements.submit(made.workspace, sender.id, sending.assignment.id, VERSIONS[0], "key-of-what-was-sent")
    home = f"/work/{made.record.name}"
    site.sent = (sender.account_id, [home, f"{home}/sent", f"{home}/tasks/{sending.assignment.id}/sent"])
    site.staff_pages = [
        made.path + page
        for page in (
            *DESK,
            "/items/assignments",
            f"/items/{made.ids['adapt-twice'][0]}",
            f"/items/{made.ids['curate'][-1]}",
            f"/people/{person.id}",
            f"/people/{person.id}/items",
        )
    ]
    return site


@pytest.fixture
def site(built: Site, new_page: Callable[..., Watched]) -> Site:
    return replace(built, study=replace(built.study, new_page=new_page))


def looked_at(site: Site, account: int, addresses: list[str], **options: Any) -> Iterator[tuple[str, Any]]:
    """Each page in one browser of this account."""
    page = site.study.page_of(account, **options)
    for address in addresses:
        yield address, site.study.open(page, address)
    page.context.close()


@pytest.mark.parametrize("every", [False, EVERY_PAGE])
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_no_page_breaks_a_rule_of_wcag(site: Site, theme: str, every: bool) -> None:
    found = {}
    for account, addresses in site.pages(every=every):
        for address, page in looked_at(site, account, addresses, color_scheme=theme):
            found[address] = axe_violations(page)
    assert {address: broken for address, broken in found.items() if broken} == {}


def test_what_is_chosen_marked_or_wrong_keeps_its_contrast(site: Site) -> None:
    for theme in ("light", "dark"):
        # Somebody new each time: what is chosen is saved as a draft.
        page = site.study.at_task(stage="vote", color_scheme=theme)
        page.get_by_role("button", name="Send and go on").click()
        page.locator("#problems:not([hidden])").wait_for()
        page.get_by_label("shoes").check()
        for hidden in ("#elsewhere", "#conflict", "#waiting"):
            page.eval_on_selector(hidden, "(notice) => { notice.hidden = false; }")
        assert axe_violations(page) == [], theme
        page.context.close()


@pytest.mark.nightly
def test_nothing_is_wider_than_a_phone_in_either_direction(site: Site) -> None:
    for locale in ("en", "ar"):
        for address, page in looked_at(
            site, site.person, [*site.entry, *site.refused, *site.tasks.values()], locale=locale, **PHONE
        ):
            wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert wide <= 0, f"{locale} {address}: {wide} pixels too wide"
    for address, page in looked_at(
        site, site.study.owner, ["/studies", "/studies/new", *GALLERY, *site.staff_pages], **PHONE
    ):
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{address}: {wide} pixels too wide"


def test_on_a_phone_tables_keep_their_words_whole_and_scroll(site: Site) -> None:
    page = site.study.open(site.study.page_of(site.study.owner, **PHONE), site.study.path)
    width, whole = page.eval_on_selector_all(
        "tbody th",
        "(cells) => [cells[0].clientWidth, cells.every((cell) => cell.scrollWidth <= cell.clientWidth)]",
    )
    assert width > 100 and whole
    scrolling = page.eval_on_selector_all(
        "table", "(all) => all.map((each) => getComputedStyle(each.closest('.scroll')).overflowX)"
    )
    assert scrolling and set(scrolling) == {"auto"}
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_on_paper_a_table_has_all_of_its_columns_and_nothing_is_there_to_press(site: Site) -> None:
    for address, page in looked_at(site, site.study.owner, [site.study.path, f"{site.study.path}/items"]):
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 700, "height": 1000})  # A4
        hidden = page.locator(".scroll").evaluate_all(
            "(all) => all.map((each) => [each.scrollWidth > each.clientWidth, getComputedStyle(each).overflowX])"
        )
        assert hidden and set(map(tuple, hidden)) == {(False, "visible")}, address
        assert page.locator(".tabs, .bar nav, .foot").locator("visible=true").count() == 0, address


@pytest.mark.parametrize("every", [False, EVERY_PAGE])
def test_on_a_phone_everything_to_touch_is_large_enough(site: Site, every: bool) -> None:
    selector = ", ".join(
        f"main {each}" for each in ("button", ".choice", ".rating label", "select", "input[type=text]")
    )
    measure = """(selector) => [...document.querySelectorAll(selector)]
      .filter((element) => element.offsetParent && !element.closest('[hidden]'))
      .map((element) => [element.outerHTML.slice(0, 90), element.getBoundingClientRect()])
      .filter(([, box]) => box.height < 24 || box.width < 24).map(([html]) => html)"""
    kinds = site.tasks if every else OFTEN
    for address, page in looked_at(site, site.person, [site.tasks[kind] for kind in kinds], **PHONE):
        assert page.evaluate(measure, selector) == [], address


def test_with_larger_text_nothing_is_cut_off(site: Site) -> None:
    page = site.study.open(
        site.study.page_of(site.person, viewport={"width": 640, "height": 500}), site.tasks["short_answers"]
    )
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
