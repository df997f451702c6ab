"""JSON that the API is sent: how much of it, and what is said of the rest. To read it holds up everybody."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from folkways.errors import FolkwaysError
from folkways_studio.web.api.bodies import MOST_FIELDS, MOST_VALUES, NewItems, read_json

LARGEST = 20 * 2**20


def filled(part: bytes, size: int = LARGEST) -> bytes:
    """An import of ``size`` bytes whose only cell is a list of ``part`` again and again."""
    return b'{"rows":[{"a":[' + part * ((size - 40) // len(part)) + b"0]}]}"


TOO_MANY = "more than 500,000 values; send it in parts"
REFUSED = {
    "lists": (filled(b"[],"), TOO_MANY),
    "objects": (filled(b"{},"), TOO_MANY),
    "numbers": (filled(b"1,"), TOO_MANY),
    "texts": (filled(b'"",'), TOO_MANY),
    "short texts": (filled(b'"a",'), TOO_MANY),
    "names": (b"{" + b'"a":1,' * (LARGEST // 6) + b'"b":1}', TOO_MANY),
    "texts that end with a backslash": (filled(b'"\\\\",'), TOO_MANY),
    "depth": (b"[" * LARGEST, TOO_MANY),
    "one value too many": (b"[" + b"1," * MOST_VALUES + b"1]", TOO_MANY),
    "some depth": (b"[" * 100_000, "nested too deeply"),
    "fields": (json.dumps({str(number): 1 for number in range(MOST_FIELDS + 1)}).encode(), "100 fields"),
    "no JSON": (b'{"a": }', r"could not be read as JSON \(Expecting value: line 1 column 7"),
    "no UTF-8": (b'{"a": "\xff"}', r"not UTF-8 \(byte 7\)"),
    "half of a pair in UTF-8": (b'"\xed\xa0\x80"', r"not UTF-8 \(byte 1\)"),
    "endless digits": (b"[" + b"9" * 5000 + b"]", r"as JSON \(a number has too many digits\)"),
    "NaN": (b'[{"a": NaN}]', "a number is not finite"),
    "infinity": (b"[-Infinity]", "a number is not finite"),
    "beyond all numbers": (b"[1e999]", "a number is not finite"),
    "NUL": (b'{"a": [{"b\\u0000": 1}]}', r"an invalid character \(NUL"),
    "half of a pair": (b'[["\\ud83d"]]', r"an invalid character \(NUL, or half of a pair\)"),
}
TAKEN = {
    "texts with commas and brackets": [{"a": ",[{" * 5000} for _ in range(200)],
    "quotation marks and backslashes": ['a"b,c', "\\", '\\"', '"', ",", '\\\\",'] * 5_000,
    "a table": [{f"column{number}": "x, y" for number in range(20)} for _ in range(2_000)],
    "large numbers as they are": [9**40, -1.5, True, None, "\N{GRINNING FACE}"],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_hold_up_everybody_is_refused(name: str) -> None:
    content, words = REFUSED[name]
    began = time.process_time()
    with pytest.raises(FolkwaysError, match=words):
        read_json(content)
    assert time.process_time() - began < 0.7, "to read it takes seconds"


@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("name", TAKEN)
def test_what_people_send_is_read_as_it_is(name: str, escaped: bool) -> None:
    content = json.dumps(TAKEN[name], ensure_ascii=escaped).encode()
    assert read_json(content) == TAKEN[name]


def test_rows_are_not_looked_at_cell_by_cell() -> None:
    rows: list[dict[str, Any]] = [{f"k{number}": [number] for number in range(20)} for _ in range(10_000)]
    began = time.process_time()
    assert NewItems(stage="verify", rows=rows).rows[0] is rows[0]
    assert time.process_time() - began < 0.1
    with pytest.raises(ValueError, match="a row is an object"):
        NewItems(stage="verify", rows=[[]])  # type: ignore[list-item]
