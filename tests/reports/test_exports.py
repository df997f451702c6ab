"""What a reader takes away: figures as files that stand alone, tables as CSV that agrees with the scores."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("playwright.sync_api")

from folkways.reports.data import ReportData
from tests.support.browser import Watched
from tests.support.report_page import unfold

pytestmark = pytest.mark.browser


def _download(page: Any, selector: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.locator(selector).click()
    target = folder / waiting.value.suggested_filename
    waiting.value.save_as(target)
    return target


def _table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def test_every_figure_can_be_saved_and_every_table(browser_page: Watched, page_file: Path) -> None:
    page = browser_page.open(page_file)
    figures = page.locator("figure[data-file]")
    assert figures.count() >= 8
    assert all("SVG" in text and "PNG" in text for text in figures.locator(".exports").all_text_contents())
    without = (
        "frames => frames.filter(frame => frame.querySelector('table') && "
        "!frame.nextElementSibling?.matches('.exports')).length"
    )
    assert page.eval_on_selector_all(".scroll", without) == 0


@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.nightly)])
def test_a_saved_drawing_stands_alone(new_page: Any, page_file: Path, tmp_path: Path, scheme: str) -> None:
    page = new_page(color_scheme=scheme, accept_downloads=True).open(page_file)
    unfold(page)
    drawing = _download(page, "#figure-blend-saq-language-gpt-4o-mini .export:nth-child(1)", tmp_path)
    text = drawing.read_text(encoding="utf-8")
    assert "var(" not in text and ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    picture = _download(page, "#figure-world .export:nth-child(2)", tmp_path).read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 20_000
    width = int.from_bytes(picture[16:20], "big")
    assert width > 1800, "twice the size of the drawing, for print"


def test_the_csv_of_a_figure_has_the_numbers_of_the_scores(
    browser_page: Watched, page_file: Path, data: ReportData, tmp_path: Path
) -> None:
    page = browser_page.open(page_file)
    unfold(page)
    rows = _table(_download(page, "#figure-blend-saq-language-gpt-4o-mini .export:nth-child(3)", tmp_path))
    scores = data.scores.filter(task="blend/saq", metric="sem_b", facet="culture+language")
    assert len(rows) == scores.height
    group = "Culture and language"
    row = next(row for row in rows if row[group] == "Ethiopia, Amharic" and row["Model"] == "gpt-4o-mini")
    score = scores.filter(value="ET+am", endpoint="openai/gpt-4o-mini").row(0, named=True)
    told = [float(row[name]) for name in ("Score", "low (95 %)", "high (95 %)", "n")]
    assert told == pytest.approx([score["score"], score["low"], score["high"], score["n"]], abs=0.051)


def test_the_map_saves_what_it_shows(
    browser_page: Watched, page_file: Path, data: ReportData, tmp_path: Path
) -> None:
    page = browser_page.open(page_file)
    unfold(page)
    page.select_option("#world-task", "CulturalBench Easy")
    file = _download(page, "#figure-world .export:nth-child(3)", tmp_path)
    assert "culturalbench" in file.name
    easy = data.scores.filter(task="culturalbench/easy", endpoint="openai/gpt-4o-mini", facet="culture")
    assert {row["Place"] for row in _table(file)} >= {"Australia", "Peru"} and len(
        _table(file)
    ) == easy.height


def test_a_spreadsheet_cannot_run_a_name(new_page: Any, hostile_file: Path, tmp_path: Path) -> None:
    page = new_page(accept_downloads=True).open(hostile_file)
    page.evaluate("document.querySelector('#matrix tbody th').textContent = '=cmd|calc'")
    rows = _table(_download(page, "#results .export >> nth=0", tmp_path))
    assert rows[0]["Model"].startswith("'=cmd|calc")
