"""The report of the small simulation is what it was when somebody last looked at it: its words, the numbers of
its tables and the lines of its figures. ``FOLKWAYS_RECORD=1`` records it anew (tests/support/fingerprints.py)."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import polars as pl

from folkways import __version__
from folkways.reports.data import ReportData
from folkways.reports.formats.write import write_report
from tests.support.fingerprints import check_fingerprints, check_text

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


def test_the_lines_of_figures(report_files: list[Path]) -> None:
    figures = {
        path.name: pl.DataFrame({"number": [*map(float, NUMBER.findall(path.read_text(encoding="utf-8")))]})
        for path in report_files
        if path.suffix == ".svg"
    }
    check_fingerprints(figures, RECORDED / "figures.json")


def test_the_numbers_of_scores(data: ReportData) -> None:
    check_fingerprints({"scores": data.scores, "judgements": data.judgements}, RECORDED / "data.json")
