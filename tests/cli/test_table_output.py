"""Tables in a terminal: nothing is broken in the middle, whatever does not fit follows below."""

from __future__ import annotations

import polars as pl
import pytest

from folkways.benchmarks.tables import Layout, Table
from folkways.cli.table_output import as_csv, as_markdown, as_text

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


PUBLISHED = Table(
    "t",
    "Title",
    "Unit.",
    pl.DataFrame(
        [
            ("one", "KR", "en", 41.25, 41.2, True),
            ("one", "KR", "ko", 55.5, 54.0, False),
            ("one", "US", "en", 9.04, None, None),
            ("two", None, "en", 100.0, 99.0, False),
        ],
        schema=["endpoint", "culture", "language", "score", "published", "reproduced"],
        orient="row",
    ),
    Layout("culture", "language", "score", by="endpoint"),
    notes=("A note\nof two lines.",),
)
PLAIN = Table(
    "p",
    "Plain",
    "Unit.",
    pl.DataFrame(
        {
            "a_name": ["x|y", None],
            "n": [1234, 5],
            "share": [0.5, 1234.56],
            "yes": [True, False],
            "Holidays/Celebration/Leisure": [-1.5, None],
        }
    ),
)

MARKDOWN = """## Title

Unit.

### one

| culture | en | ko |
|---|---|---|
| KR | 41.20 | 55.50 (54.00) |
| US | 9.04 |  |

### two

| culture | en |
|---|---|
| every culture | 100.00 (99.00) |

- A note of two lines.

## Plain

Unit.

| a name | n | share | yes | Holidays |
|---|---|---|---|---|
| x\\|y | 1,234 | 0.500 | yes | −1.5 |
|  | 5 | 1234.6 | no |  |
"""

WIDE = """Title
Unit.

one
culture     en             ko
KR       41.20  55.50 (54.00)
US        9.04

two
culture                    en
every culture  100.00 (99.00)
* A note of two lines.

Plain
Unit.

a name      n   share  yes  Holidays
x|y     1,234   0.500  yes      −1.5
            5  1234.6  no
"""

NARROW = """Title
Unit.

one
culture     en
KR       41.20
US        9.04

culture             ko
KR       55.50 (54.00)
US

two
culture               en
every             100.00
culture          (99.00)
* A note of two lines.
"""


def test_tables_in_every_form_as_a_person_reads_them() -> None:
    """Published values beside recomputed ones, forms that are wide or not, cells of every kind."""
    assert as_markdown([PUBLISHED, PLAIN]) == MARKDOWN
    assert as_text([PUBLISHED, PLAIN], 60) == WIDE
    assert as_text([PUBLISHED], 24) == NARROW
    assert as_csv(PLAIN) == (
        "a_name,n,share,yes,Holidays/Celebration/Leisure\nx|y,1234,0.5,true,-1.5\n,5,1234.56,false,\n"
    )


def test_columns_stand_side_by_side_as_long_as_they_just_fit() -> None:
    """Words stay whole, cells of up to 18 characters too, and only longer words are folded."""

    def shown(width: int, *cells: str) -> list[str]:
        frame = pl.DataFrame([cells], schema=list("abc"[: len(cells)]), orient="row")
        return as_text([Table("t", "T", "U", frame)], width).splitlines()[3:]

    ten = ("a" * 10, "b" * 10, "c" * 10)
    assert len(shown(34, *ten)) == 2 and len(shown(33, *ten)) == 5
    whole = "abcdefgh abcdefghi"
    assert (shown(22, "x", whole, "y")[1:2], len(shown(23, "x", whole, "y"))) == ([f"x  {whole}"], 5)
    assert shown(24, "x", whole, "y")[1:] == [f"x  {whole}  y"]
    assert shown(20, "x", f"{whole}j", "y")[1:] == ["x  abcdefgh        y", "   abcdefghij"]
    assert shown(24, "x", f"{'w' * 30} z", "y")[1:] == [f"x  {'w' * 18}  y", f"   {'w' * 12} z"]
    assert "".join(shown(10, "w" * 25)[1:]) == "w" * 25
    formula = Table("t", "T", "U", pl.DataFrame({"a": ["=1+1"]}))
    assert as_csv(formula) == "a\n'=1+1\n"


@pytest.mark.parametrize(
    ("rows", "width", "blocks"),
    [
        # two columns together name a row
        (
            [("Easy", "one"), ("Easy", "two"), ("Hard", "one")],
            33,
            ["setup model first", "setup model second"],
        ),
        ([("Easy", "one"), ("Hard", "one")], 33, ["setup model first", "setup second"]),
        ([("Easy", "one")], 33, ["setup model first", "setup second"]),
        # no two rows differ in words: numbers name no row
        ([("Easy", "one"), ("Easy", "one")], 33, ["setup model first", "setup model second"]),
        ([("Easy", "12"), ("Easy", "13")], 33, ["setup model first", "setup second"]),
        # 5 + 2 + 5 + 2 + 14 fit, one character less does not
        ([("Easy", "one"), ("Easy", "two")], 28, ["setup model first", "setup model second"]),
        ([("Easy", "one"), ("Easy", "two")], 27, ["setup model", "setup first", "setup second"]),
        ([("Easy", "one"), ("Easy", "two")], 80, ["setup model first second"]),
    ],
)
def test_each_block_of_a_table_repeats_what_names_its_rows(
    rows: list[tuple[str, str]], width: int, blocks: list[str]
) -> None:
    interval = "10.0 to 100.00"
    frame = pl.DataFrame(
        [(*row, interval, interval) for row in rows],
        schema=["setup", "model", "first", "second"],
        orient="row",
    )
    lines = as_text([Table("t", "Title", "Unit.", frame)], width).splitlines()
    assert [" ".join(line.split()) for line in lines if line.startswith("setup")] == blocks
