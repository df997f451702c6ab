"""Tables in a terminal: nothing is broken in the middle, whatever does not fit follows below."""

from __future__ import annotations

import polars as pl
import pytest

from folkways.benchmarks.tables import Layout, Table
from folkways.cli.table_output import as_text

NAMES = ["culture", "difference", "interval", "detectable", "questions", "interval there", "published there"]
ROWS = [
    [f"place {number}", "12.5", "−38.9 to 22.2", "42.2", "18", "9.0 to 45.2", "a paper of that year"]
    for number in range(3)
]


def table(rows: list[list[str]]) -> Table:
    return Table("t", "Title", "Unit.", pl.DataFrame(rows, schema=NAMES, orient="row"))


@pytest.mark.parametrize("width", [30, 40, 60, 80, 200])
def test_words_and_numbers_stay_whole_at_any_width(width: int) -> None:
    text = as_text([table(ROWS)], width)
    assert max(map(len, text.splitlines())) <= width
    for whole in ("difference", "detectable", "questions", "−38.9 to 22.2", "9.0 to 45.2"):
        assert whole in text


def test_a_heading_stays_whole_where_only_words_can_be_made_narrower() -> None:
    """Ten columns, at every width from that at which they just fit side by side to that of unbroken headings."""
    headings = [
        "endpoint",
        "language",
        "agreement",
        "low or",
        "so one",
        "no two",
        "up top",
        "ab cd",
        "ef gh",
        "ij kl",
    ]
    rows = [["a", "b", "100.0", *["1.0"] * 7]]
    frame = pl.DataFrame(rows, schema=headings, orient="row")
    needed = 8 + 8 + 9 + 7 * 3 + 9 * 2
    for width in range(needed, needed + 25):
        text = as_text([Table("t", "Title", "Unit.", frame)], width)
        assert "agreement" in text and "endpoint" in text and "language" in text, width
        assert max(map(len, text.splitlines())) <= width


def test_what_follows_below_says_again_what_it_is_about() -> None:
    narrow, wide = (as_text([table(ROWS)], width) for width in (60, 200))
    assert wide.count("place 1") == 1
    assert narrow.count("place 1") == 2


def test_a_heading_stands_once_above_all_that_is_below_it() -> None:
    rows = [(model, "KR", place, 1.5) for model in ("one", "two") for place in ("somewhere far", "elsewhere")]
    frame = pl.DataFrame(rows, schema=["endpoint", "culture", "language", "score"], orient="row")
    layout = Layout("culture", "language", "score", by="endpoint")
    for width in (20, 80):
        lines = as_text([Table("t", "Title", "Unit.", frame, layout)], width).splitlines()
        assert (lines.count("one"), lines.count("two")) == (1, 1), width
        assert sum(line.startswith("KR") for line in lines) == (4 if width == 20 else 2)


def test_a_table_without_rows_has_no_headings() -> None:
    assert "difference" not in as_text([table([])], 80)
