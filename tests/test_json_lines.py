"""JSON lines: every object with its row, and the row of a line that is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from folkways.errors import DataError
from folkways.json_lines import json_line, json_objects, json_text

OBJECTS = st.dictionaries(st.text(), st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text())


@given(st.lists(OBJECTS | st.none()))
def test_what_was_written_is_read_with_the_row_where_it_stands(written: list[dict[str, Any] | None]) -> None:
    lines = [b" " if row is None else json.dumps(row).encode() for row in written]
    expected = [(number, row) for number, row in enumerate(written, 1) if row is not None]
    assert list(json_objects(lines, "a.jsonl")) == expected


def test_a_byte_order_mark_is_passed_over_at_the_beginning_alone() -> None:
    assert list(json_objects([b"\xef\xbb\xbf{}"], "a.jsonl")) == [(1, {})]
    with pytest.raises(DataError, match=r"a\.jsonl, row 2: is not JSON"):
        list(json_objects([b"{}", b"\xef\xbb\xbf{}"], "a.jsonl"))


@pytest.mark.parametrize(
    ("line", "problem"), [(b"{", "is not JSON"), (b"[{}]", "is not a JSON object"), (b"\xff", "is not JSON")]
)
def test_a_line_that_is_no_object_is_named(line: bytes, problem: str) -> None:
    with pytest.raises(DataError, match=rf"a\.jsonl, row 3: {problem}"):
        list(json_objects([b"{}", b"", line], "a.jsonl"))


@given(OBJECTS)
@example({"\x85": "a\u2028b\u2029c\x0b\x1c"})
def test_an_object_is_one_line_for_every_reader(row: dict[str, Any]) -> None:
    line = json_line(row)
    assert len(line.decode().splitlines()) == 1 and line.endswith(b"\n")
    assert json.loads(line) == row


@pytest.mark.parametrize("number", [1, 2**70])
def test_a_cell_says_the_same_with_a_long_number_as_with_a_short_one(number: int) -> None:
    value = {"Süd": ["茶", None, True, 1.5], "n": number}
    assert json_text(value) == f'{{"Süd":["茶",null,true,1.5],"n":{number}}}'
    assert (json_text(None), json_text("茶")) == (None, "茶")
