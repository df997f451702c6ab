"""The report of the small simulation is what it was when somebody last looked at it: its words, the numbers of
its tables and the lines of its figures. ``FOLKWAYS_RECORD=1`` records it anew (tests/support/fingerprints.py)."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import polars as pl

from folkways import __version__
from folkways.reports.data import ReportData
from folkways.reports.formats.item import render_item
from folkways.reports.formats.site import Site
from folkways.reports.formats.terminal import terminal_summary, terminal_verdict
from folkways.reports.formats.write import write_report
from folkways.reports.views.board import Board
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import ReportView
from tests.reports.test_plain import ITEM, JUDGEMENTS, PROMPTS, RESPONSES, SEM_B, printed, without_styles
from tests.reports.test_site import contribution
from tests.support.fingerprints import check_fingerprints, check_text
from tests.support.page_text import page_text, what_differs

RECORDED = Path(__file__).parent / "recorded"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def test_the_words_of_a_report(report_files: list[Path]) -> None:
    check_text(report_files[0].with_name("report.md").read_text(encoding="utf-8"), RECORDED / "report.md")


def test_the_tables_for_a_paper(data: ReportData, tmp_path: Path) -> None:
    write_report(data, tmp_path, ("latex",))
    check_text((tmp_path / "report.tex").read_text(encoding="utf-8"), RECORDED / "report.tex")


def test_the_words_of_a_page(page_file: Path) -> None:
    """By section, without what only a drawing has."""
    page = page_file.read_text(encoding="utf-8")
    sections = re.findall(r'<section id="([^"]+)"(.*?)(?=<section id=|</main>)', page, re.DOTALL)
    assert len(sections) > 10
    words = {}
    for name, text in sections:
        shown = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", " ", text.partition(">")[2], flags=re.DOTALL)
        words[name] = pl.DataFrame({"word": unescape(shown).split()})
    check_fingerprints(words, RECORDED / "page.json", aliases={__version__: "VERSION"})


def test_what_a_terminal_shows(data: ReportData) -> None:
    """At the widths of a narrow and of a wide window, without colours."""
    view = ReportView(data)
    item = {**ITEM, "text": "What is eaten?"}
    prompts = PROMPTS.with_columns(user=pl.lit("Q: What is eaten?"))
    replies = RESPONSES.with_columns(response=pl.lit("떡볶이"))
    shown = {
        "summary, 72": (terminal_summary(data), 72),
        "summary, 200": (terminal_summary(data), 200),
        "verdict, 72": (terminal_verdict(Leaderboard(view)), 72),
        "verdict, 200": (terminal_verdict(Leaderboard(view)), 200),
        "item, 100": (render_item(item, prompts, replies, JUDGEMENTS, (SEM_B,)), 100),
    }
    texts = [f"=== {name}\n{without_styles(printed(*what))}" for name, what in shown.items()]
    lines = [line.rstrip() for text in texts for line in text.splitlines()]
    check_text("\n".join(lines), RECORDED / "terminal.txt")


def test_what_a_page_says_in_words(one_task: ReportData, tmp_path: Path) -> None:
    """Of a report of one task: everything, with attributes, labels of figures included."""
    (page, *_) = write_report(one_task, tmp_path, ("html",))
    check_text(
        "\n".join(page_text(without_data(page.read_text(encoding="utf-8")))), RECORDED / "one_task.txt"
    )


def test_what_the_pages_of_a_site_say(one_task: ReportData) -> None:
    """Of two answers about a culture it is not known whether they are right."""
    left_out = pl.when(pl.col("value") == "ET").then(2).otherwise(0).cast(pl.Int64)
    data = replace(one_task, scores=one_task.scores.with_columns(left_out=left_out))
    site = Site(
        Board([contribution(data)], "Made models"), "https://example.org/board", "https://example.org/add"
    )
    pages = {}
    for name, content in site.files():
        if name.endswith(".html"):
            pages[name] = page_text(without_data(content.decode()), frame=True)
            for packed in re.findall(
                r"<script type=.application/json.[^>]*>(.*?)</script>", content.decode()
            ):
                pages[f"{name}, drawn by script"] = packed.replace("],", "],\n").splitlines()
        elif name.endswith((".json", ".xml")):
            pages[name] = content.decode().replace(", ", ",\n").splitlines()
    check_text(what_differs(pages), RECORDED / "site.txt")


def without_data(html: str) -> str:
    """A page without what its script draws, with the texts of drawings as lines."""
    html = re.sub(r"<script\b.*?</script>", "", html, flags=re.DOTALL)
    return re.sub(r"</?(svg|g|path|rect|line|circle|polyline|use|defs)\b[^>]*>", "", html)


def test_the_lines_of_figures(report_files: list[Path]) -> None:
    figures = {
        path.name: pl.DataFrame({"number": [*map(float, NUMBER.findall(path.read_text(encoding="utf-8")))]})
        for path in report_files
        if path.suffix == ".svg"
    }
    check_fingerprints(figures, RECORDED / "figures.json")


def test_the_numbers_of_scores(data: ReportData) -> None:
    check_fingerprints({"scores": data.scores, "judgements": data.judgements}, RECORDED / "data.json")
