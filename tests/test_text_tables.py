"""CSV, JSON lines and Parquet as tables of text: one set of rules, whichever function reads them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from folkways.errors import DataError
from folkways.text_tables import read_replies, read_table

COLUMNS = {"item": ("item",), "response": ("response", "reply")}


def both(path: Path) -> list[list[tuple[str, str]]]:
    """The rows of the file as each function reads them."""
    return [
        frame.select("item", "response").rows() for frame in (read_replies(path), read_table(path, COLUMNS))
    ]


@pytest.mark.parametrize(
    "content",
    [
        "item,response\na,b\nNA,\n",
        "item;response\na;b\nNA;\n",
        "item\tresponse\na\tb\nNA\t\n",
        "sep=|\nitem|response\na|b\nNA|\n",
        "\ufeffitem,response\r\na,b\r\n\r\nNA,\r\n\r\n",
        "\ufeffsep=;\nitem;response\na;b\nNA;\n",
        '"item","response"\n"a","b"\n"NA",""',
    ],
)
def test_a_csv_is_read_whatever_spreadsheet_wrote_it(tmp_path: Path, content: str) -> None:
    file = tmp_path / "replies.csv"
    file.write_bytes(content.encode())
    assert both(file) == [[("a", "b"), ("NA", "")]] * 2


def test_a_long_reply_with_line_breaks_is_one_cell(tmp_path: Path) -> None:
    reply = 'thinking, "hard"\n' * 20_000
    file = tmp_path / "replies.csv"
    pl.DataFrame({"item": ["a"], "response": [reply]}).write_csv(file)
    assert both(file) == [[("a", reply)]] * 2


def test_only_a_csv_has_guards_to_take_off(tmp_path: Path) -> None:
    frame = pl.DataFrame({"item": ["a"], "response": ["'=1+1"]})
    frame.write_csv(tmp_path / "replies.csv")
    frame.write_ndjson(tmp_path / "replies.jsonl")
    assert both(tmp_path / "replies.csv") == [[("a", "=1+1")]] * 2
    assert both(tmp_path / "replies.jsonl") == [[("a", "'=1+1")]] * 2


def test_of_columns_without_a_title_the_first_is_there(tmp_path: Path) -> None:
    file = tmp_path / "replies.csv"
    file.write_text("item, ,response,,\na,b,c,d,e\n")
    assert read_replies(file).rows(named=True) == [{"item": "a", "": "b", "response": "c"}]


def test_two_columns_of_one_title_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "replies.csv"
    file.write_text("item,response,response\na,b,c\n")
    with pytest.raises(DataError, match="two columns with the name response; rename or delete one"):
        read_replies(file)


@pytest.mark.parametrize(
    "number", ["12345678901234567890123", "-9223372036854775809", "18446744073709551615"]
)
def test_a_long_integer_keeps_its_digits(tmp_path: Path, number: str) -> None:
    """orjson makes those of more than 64 bits floats: two items had one id."""
    file = tmp_path / "replies.jsonl"
    file.write_text(f'{{"item": {number}, "response": {{"ids": [{number}]}}}}\n')
    assert both(file) == [[(number, f'{{"ids":[{number}]}}')]] * 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"item,response\na,b\nc\n", "row 2: has 1 cells, the header names 2 columns"),
        (b"item,response\na,b,c\n", "row 1: has 3 cells"),
        (b'item,response\na,b\nc,"d\ne,f\n', "row 2: not readable as CSV: unexpected end of data"),
        (b"item,response\na,b\n\xff,c\n", "is not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_row(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "replies.csv"
    file.write_bytes(content)
    for read in (read_replies, lambda path: read_table(path, COLUMNS)):
        with pytest.raises(DataError, match=message):
            read(file)
