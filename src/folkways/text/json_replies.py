"""JSON objects in models' replies, with any text around them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def objects_with_source(reply: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The outermost JSON objects of a reply, in order, each with its source; text around them is passed
    over."""
    decoder = json.JSONDecoder()
    start = reply.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(reply, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield value, reply[start:end]
        start = reply.find("{", end)


def objects_in(reply: str) -> Iterator[Mapping[str, Any]]:
    """The outermost JSON objects of a reply, in order; everything else is passed over."""
    return (value for value, _ in objects_with_source(reply))


def last_value(reply: str, key: str) -> Any:
    """What the last object that has the key gives for it; None if there is none."""
    value = None
    for document in objects_in(reply):
        value = document.get(key, value)
    return value
