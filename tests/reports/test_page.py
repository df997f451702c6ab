"""The HTML report in a real browser: it loads nothing, runs nothing it was handed, and serves keyboard, phone
and paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl
import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways.api import run
from folkways.cli.quickstart import BASELINES, LANGUAGES, RECORDED
from folkways.cli.quickstart import TASKS as QUICKSTART
from folkways.display import number
from folkways.records import State
from folkways.reports.data import ReportData
from folkways.reports.figures.sparklines import heat_step, marks
from folkways.reports.formats.write import write_report
from folkways.reports.views.views import ReportView
from tests.support.browser import Watched, axe_violations
from tests.support.many_models import many
from tests.support.report_page import keep_few_of_each, open_items, page_without_figures, unfold

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}


def _background(page: Any) -> str:
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


def _brightness(colour: str) -> float:
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) / 3


def test_the_page_asks_nothing_of_a_network_and_has_no_errors(browser_page: Watched, page_file: Path) -> None:
    page = browser_page.open(page_file)
    open_items(page)
    page.locator("#list [role=option]").first.click()
    page.locator("#theme").click()
    page.wait_for_timeout(200)
    assert browser_page.requests == []
    assert browser_page.errors == []


def test_the_policy_stops_what_the_page_did_not_bring(browser_page: Watched, page_file: Path) -> None:
    page = browser_page.open(page_file)
    page.evaluate(
        "() => { const image = new Image(); image.src = 'https://example.org/x.png'; "
        "document.body.append(image); }"
    )
    page.evaluate(
        "() => document.head.append(Object.assign(document.createElement('style'), {textContent: "
        "'body{display:none}'}))"
    )
    page.wait_for_timeout(200)
    assert any("Content Security Policy" in error for error in browser_page.errors)
    assert page.evaluate("getComputedStyle(document.body).display") != "none"


def test_hostile_text_is_shown_and_does_nothing(browser_page: Watched, hostile_file: Path) -> None:
    page = browser_page.open(hostile_file)
    unfold(page)
    for summary in page.locator("details.data > summary").all()[:4]:
        summary.click()
    open_items(page)
    page.locator("#list [role=option]").first.click()
    page.wait_for_timeout(200)
    assert page.evaluate("window.pwned") is None
    assert browser_page.requests == []
    assert browser_page.errors == []
    assert page.evaluate("[...document.scripts].filter(script => !script.type).length") == 1
    assert page.locator("img").count() == 0
    heading = page.locator("h1").inner_text()
    assert "<script>window.pwned = 1</script>" in heading
    assert "⟨U+202E⟩" in heading and "⟨U+0000⟩" in heading and "⟨U+001B⟩" in heading
    assert "{{ 7 * 7 }}" in heading
    reply = page.locator("#item .words").first.inner_text()
    assert "</script>" in reply and "\u202e" not in reply


def test_the_first_screen_says_which_model_task_score_interval_and_coverage(
    browser_page: Watched, page_file: Path, data: ReportData
) -> None:
    page = browser_page.open(page_file)
    table = page.locator("#matrix")
    assert table.bounding_box()["y"] + 150 < 900
    row = data.scores.filter(
        task="blend/saq", metric="sem_b", facet="all", endpoint="openai/gpt-4o-mini"
    ).row(0, named=True)
    words = " ".join(table.inner_text().split())
    for expected in (
        "gpt-4o-mini",
        "BLEnD, short answers SEM-B",
        f"{number(row['score'])} {number(row['low'], 0)}–{number(row['high'], 0)}",
    ):
        assert expected in words
    unfold(page)
    first = page.locator("#blend-saq table.glance")
    heads = [text.lower() for text in first.locator("thead th.state").all_inner_texts()]
    states = first.locator("tbody tr").first.locator("td.state").all_inner_texts()
    shown = {state: int(text.replace(",", "")) for state, text in zip(heads, states, strict=True)}
    occurring = (
        data.scores.filter(task="blend/saq", metric="sem_b", facet="all")
        .select(*State)
        .sum()
        .row(0, named=True)
    )
    assert shown == {state: row[state] for state, total in occurring.items() if total}


def test_lost_answers_are_announced_before_the_numbers(browser_page: Watched, page_file: Path) -> None:
    page = browser_page.open(page_file)
    notice = page.locator("aside.notice")
    assert "count as not right" in notice.inner_text()
    assert notice.bounding_box()["y"] < page.locator("#matrix").bounding_box()["y"]
    assert "HTTP 503" in page.locator("#failures").inner_text()


@pytest.mark.parametrize(
    ("size", "scheme", "whole"),
    [
        ("desk", "light", False),
        *(
            pytest.param(size, scheme, True, marks=pytest.mark.nightly)
            for size in ("desk", "phone")
            for scheme in ("light", "dark")
        ),
    ],
)
def test_nothing_stands_in_the_way_of_people_with_disabilities(
    new_page: Any, page_file: Path, scheme: str, size: str, whole: bool
) -> None:
    watched = new_page(color_scheme=scheme, **(PHONE if size == "phone" else {}))
    page = watched.open(page_file)
    page.evaluate(
        "() => { for (const part of document.querySelectorAll('details.folded, #culture-KR, "
        "details.data:nth-of-type(1)')) part.open = true; }"
    )
    open_items(page)
    page.locator("#list [role=option]").nth(1).click()
    if not whole:
        keep_few_of_each(page)
    page.wait_for_timeout(100)
    assert axe_violations(page) == []


def test_the_theme_follows_the_system_until_the_reader_chooses(new_page: Any, page_file: Path) -> None:
    light = _brightness(_background(new_page(color_scheme="light").open(page_file)))
    page = new_page(color_scheme="dark").open(page_file)
    assert _brightness(_background(page)) < 60 < 200 < light
    page.locator("#theme").click()
    assert _brightness(_background(page)) > 200
    ink = page.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
    assert _brightness(ink) < 130


def resized(page: Any, widths: Iterable[int]) -> Iterator[int]:
    """Each width, once the page has it: to open the page anew costs as much as all of them."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        yield width


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_the_page_never_scrolls_sideways(
    new_page: Any, page_file: Path, hostile_file: Path, whole: bool
) -> None:
    """Its parts do where they are too wide, and a keyboard reaches each of them."""
    beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for file in (page_file, hostile_file):
        page = new_page().open(file)
        if not whole:
            keep_few_of_each(page)
        page.evaluate("() => { for (const part of document.querySelectorAll('details')) part.open = true; }")
        for width in resized(page, (320, 390, 768, 1280, 1700)):
            assert page.evaluate(beyond) <= 0, (file, width)
            assert page.evaluate(OUT_OF_REACH) == [], (file, width)


OUT_OF_REACH = """() => [...document.querySelectorAll('body *')]
    .filter(part => part.scrollWidth > part.clientWidth + 1
        && ['auto', 'scroll'].includes(getComputedStyle(part).overflowX)
        && part.tabIndex < 0 && !part.querySelector('a[href], button, input, select, [tabindex="0"]'))
    .map(part => part.id || part.className)"""
"""Parts that scroll sideways, and that no keyboard can be in."""


def test_score_and_interval_of_the_summary_are_seen_without_scrolling(
    new_page: Any, page_file: Path, data: ReportData
) -> None:
    page = new_page().open(page_file)
    task = ReportView(data).tasks[0]
    scores = [score for score in task.headline if score.endpoint in task.models]
    for width in resized(page, (320, 390, 640, 641, 1440)):
        cells = page.eval_on_selector_all(
            "#matrix tbody:first-of-type tr",
            "rows => rows.map(row => [row.cells[1].innerText, row.cells[1].getBoundingClientRect().right])",
        )
        assert len(cells) == len(scores) > 0
        for (words, right), score in zip(cells, scores, strict=True):
            assert right <= width
            assert words.split() == [number(score.score), f"{number(score.low, 0)}–{number(score.high, 0)}"]


def test_no_heading_is_cut_on_a_phone(new_page: Any, page_file: Path) -> None:
    """Headings, captions and summaries stand whole within the width of the screen, whatever scrolls below
    them."""
    page = new_page(viewport={"width": 360, "height": 740}).open(page_file)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    beyond = page.evaluate("""() => [...document.querySelectorAll(
            'h1, h2, h3, h4, caption, summary, figcaption, .glance thead th.range, #matrix thead th:nth-child(2)')]
        .filter(part => part.offsetParent && part.getBoundingClientRect().width > 1)
        .filter(part => {
            const text = document.createRange();
            text.selectNodeContents(part);
            return [...text.getClientRects()].some(line => line.right > innerWidth || line.left < 0);
        })
        .map(part => part.textContent.trim())""")
    assert beyond == []


def test_paper_is_light_and_short(new_page: Any, page_file: Path) -> None:
    """Figures, headline scores and tables that the reader opened are printed; the rest is in the files."""
    page = new_page(color_scheme="dark").open(page_file)
    unfold(page)
    page.locator("details.data > summary").first.click()
    page.emulate_media(media="print", color_scheme="dark")
    assert _brightness(page.evaluate("getComputedStyle(document.querySelector('h1')).color")) < 60
    for hidden in ("#theme", "#open-items", ".exports >> nth=0", "#world-controls"):
        assert not page.locator(hidden).is_visible()
    assert page.locator("details.data[open] table").first.is_visible()
    assert not page.locator("details.data:not([open])").first.is_visible()
    page.set_viewport_size(
        {"width": 688, "height": 1000}
    )  # A4 at 96 dots per inch, less the margins of the style sheet
    wide = (
        "tables => tables.filter(table => table.getBoundingClientRect().right > 690).map(table => "
        "table.caption.textContent)"
    )
    assert page.eval_on_selector_all("table", wide) == []
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", print_background=True)))
    assert 1 < pages <= 14, f"{pages} pages: it had 24 with every table"


def test_the_keyboard_reaches_the_results_first(browser_page: Watched, page_file: Path) -> None:
    page = browser_page.open(page_file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#results"


def test_signatures_can_be_copied(new_page: Any, page_file: Path, data: ReportData) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"]).open(page_file)
    page.locator("#signatures > details > summary").click()
    page.locator("#signatures details.data > summary").click()
    page.locator("#S1 .copy").click()
    expect(page.locator("#said")).to_have_text("Copied.")
    assert page.evaluate("() => navigator.clipboard.readText()") in data.scores["signature"].to_list()


def test_without_javascript_the_numbers_are_still_there(new_page: Any, page_file: Path) -> None:
    page = new_page(java_script_enabled=False).open(page_file)
    assert re.search(r"\d\d\.\d", page.locator("#matrix td").first.inner_text())
    assert page.locator(".heat td").last.is_visible()
    page.locator(".task-section > details > summary").first.click()
    assert page.locator("table.glance td.score").first.is_visible()
    assert page.locator(".task-section figure .wide").first.is_visible()
    assert page.locator("noscript").count() == 1
    assert not page.locator("#filters").is_visible()


def test_the_page_is_folded_and_links_lead_into_the_folds(new_page: Any, page_file: Path) -> None:
    page = new_page().open(page_file)
    folded = page.evaluate("document.documentElement.scrollHeight")
    task = page.locator(".task-section > details").first
    assert task.get_attribute("open") is None
    page.locator("#matrix thead a").first.click()
    expect(task).to_have_attribute("open", "")
    task.locator("a.sig").first.click()
    expect(page.locator("#S1")).to_be_visible()
    unfold(page)
    assert page.evaluate("document.documentElement.scrollHeight") > 1.5 * folded


def test_figures_of_one_model_are_behind_a_selector(new_page: Any, page_file: Path) -> None:
    page = new_page().open(page_file)
    unfold(page)
    group = page.locator(".task-section .one-of").first
    figures = group.locator(":scope > figure")
    names = group.locator("option").all_inner_texts()
    assert len(names) == figures.count() > 1
    assert [figure.is_visible() for figure in figures.all()] == [True, *[False] * (len(names) - 1)]
    group.locator("select").select_option(names[1])
    assert figures.nth(1).is_visible() and not figures.nth(0).is_visible()
    assert names[1] in figures.nth(1).locator("figcaption b").inner_text()


def test_what_is_folded_is_printed(new_page: Any, page_file: Path) -> None:
    page = new_page().open(page_file)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.folded:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.folded[open]").count() == 0


MOST_WORDS = 600
"""Words that a reader of a demo run's page has before anything is unfolded."""

WORDS = "document.body.innerText.split(/\\s+/).filter(word => /[\\p{L}\\p{N}]/u.test(word)).length"


def test_the_page_of_a_demo_run_has_few_words_and_bytes(new_page: Any, tmp_path: Path) -> None:
    """The demo task with the recorded replies of the quickstart: what newcomers see first."""
    recorded = tmp_path / "replies.jsonl"
    recorded.write_bytes(files("folkways").joinpath("data", RECORDED).read_bytes())
    done = run(
        QUICKSTART,
        models=[f"replay:{recorded}", *BASELINES],
        languages=LANGUAGES,
        workspace=tmp_path / "w.db",
    )
    file = write_report(done.report_data(), tmp_path / "report", ("html",))[0]
    assert file.stat().st_size < 500_000
    page = new_page().open(file)
    assert 200 < page.evaluate(WORDS) <= MOST_WORDS
    verdict = page.evaluate("document.querySelector('#verdict').textContent")
    assert "95\u202f%" in verdict and " %" not in verdict, "no line begins with a percent sign"
    assert page.evaluate("document.body.innerText").count("95\u202f% interval") <= 4


@pytest.mark.parametrize(
    ("questions", "most_bytes"),
    [
        (1, 1_200_000),
        pytest.param(7, 1_750_000, marks=pytest.mark.nightly),  # more than the page takes
    ],
)
def test_thirty_models_on_fourteen_tasks_are_one_screen_and_two_megabytes(
    new_page: Any, tmp_path: Path, questions: int, most_bytes: int
) -> None:
    """questions: of each culture, whose judgements are in the page; the scores are always of seven."""
    data = many(rows=47_040)
    number_of_question = pl.col("item").str.extract(r"(\d+)$").cast(pl.Int64)
    view = ReportView(replace(data, judgements=data.judgements.filter(number_of_question < questions)))
    file = tmp_path / "page.html"
    file.write_text(page_without_figures(view), encoding="utf-8")
    assert file.stat().st_size < most_bytes, "the map takes another 0.25 MB"
    watched = new_page(viewport={"width": 1440, "height": 900})
    page = watched.open(file)
    box = page.locator("#matrix").bounding_box()
    assert box["width"] <= 1440 and box["height"] <= 900
    assert page.locator("#matrix tbody tr").count() == 32  # with guessing and n
    assert page.evaluate("document.documentElement.scrollWidth") == 1440
    page.evaluate("document.querySelector('.heat').scrollIntoView()")
    assert page.locator(".heat").first.bounding_box()["width"] <= 1440
    _draw_a_further_task(page, view)


def _draw_a_further_task(page: Any, view: ReportView) -> None:
    """Its heat map is drawn when it is chosen, like those that are there from the start."""
    task, name = view.tasks[3], view.models[2]
    facet = task.facets["culture"]
    assert page.locator(".heat").count() == 1
    page.locator("#by-culture select").select_option(task.title)
    heat = page.locator(f"#{task.slug}-cultures")
    assert heat.locator("tbody tr").count() == len(facet.values)
    column = heat.locator("thead th").all_inner_texts()
    assert [words.split("\n")[0] for words in column[1:]] == [view.short[name] for name in task.models]
    row, score = heat.locator("tbody tr").first, facet.scores[facet.values[0], name]
    cell = row.locator("td").nth(task.models.index(name))
    assert row.locator("th").inner_text() == facet.name(facet.values[0])
    ends = f"{number(score.low, 0)}–{number(score.high, 0)}"
    assert cell.text_content() == f"{number(score.score)} {ends}"
    assert cell.get_attribute("class") == f"h{heat_step(score.score, task.domain)}"
    assert cell.locator("i").get_attribute("class") == f"bar {marks(score, task.domain)}"
    assert cell.locator("a").get_attribute("title") == f"n {score.shown_n}"
    heat.locator("button.sort").nth(1).click()
    firsts = [words.split()[0] for words in heat.locator("tbody td:nth-child(2)").all_inner_texts()]
    assert firsts == sorted(firsts, key=float, reverse=True)
    cell.locator("a").click()
    expect(page.locator("#browser")).to_be_visible()
    assert page.locator("#filter-task").input_value() == task.task


def test_no_table_is_cut_on_paper(new_page: Any, page_file: Path) -> None:
    page = new_page().open(page_file)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    papers = {688: "A4", 710: "Letter"}  # at 96 dots per inch, less the margins of the style sheet
    wide = "(tables, width) => tables.filter(table => table.getBoundingClientRect().right > width + 2).map(table => table.caption.textContent)"
    cut = {papers[width]: page.eval_on_selector_all("table", wide, width) for width in resized(page, papers)}
    assert cut == {"A4": [], "Letter": []}
