"""JSON lines: one object per line, and an error that names the row where a line is none; and JSON as other
programs write it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from folkways.errors import DataError

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SEPARATORS = {mark.encode(): f"\\u{ord(mark):04x}".encode() for mark in "\x85\u2028\u2029"}
"""Characters like any other in JSON, and ends of lines to Python's splitlines, which other programs use."""

_LONG_NUMBER = re.compile(rb"\d{19}")
"""In a document that may hold integers of more than 64 bits: orjson reads them as floats, and writes none."""


def json_line(row: Mapping[str, Any]) -> bytes:
    """An object as one line with its end, by every way to split lines."""
    line = orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
    for mark, escaped in _SEPARATORS.items():
        line = line.replace(mark, escaped)
    return line


def read_json(content: bytes) -> Any:
    """A document as other programs write it: with NaN and Infinity, which Python writes and JSON has not.

    orjson.JSONDecodeError for other text.
    """
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            pass
        raise


def read_exact_json(content: bytes) -> Any:
    """A document with its integers as they are written, however long they are: the ids of other programs.

    orjson.JSONDecodeError for text that is not JSON.
    """
    value = orjson.loads(content)
    if _LONG_NUMBER.search(content):
        with suppress(ValueError, RecursionError):
            return json.loads(content)
    return value


def json_text(value: Any) -> str | None:
    """A value of JSON as the cell of a table: text as it is, null as None, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a long integer is among it
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_objects(
    lines: Iterable[bytes], file: Path | str, read: Callable[[bytes], Any] = orjson.loads
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number (from 1) and the object of each line that is not blank; a byte order mark at the very
    beginning is passed over.

    file: where the lines are from, for the DataError about a line that is not a JSON object. read: reads a
    line.
    """
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
        if not text.strip():
            continue
        try:
            row = read(text)
        except orjson.JSONDecodeError as error:
            raise DataError(f"is not JSON: {error}", file=file, row=number) from None
        if not isinstance(row, dict):
            raise DataError("is not a JSON object; write one object per line", file=file, row=number)
        yield number, row
