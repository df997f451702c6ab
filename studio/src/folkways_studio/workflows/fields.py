"""Reads the fields of a description one by one and collects what is wrong with them, so that one look at the
file mends it all.

``place`` is the path of an entry, up to the name of its fields: "" for the file itself, ``stages[2].`` for
its third stage.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

NAME = re.compile(r"[a-z][a-z0-9-]{0,47}")


class FieldReader:
    """What fields say, and in ``problems`` what they should not; a field that cannot be used reads as
    empty."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def say(self, place: str, problem: str) -> None:
        """Note a problem with the field at ``place``."""
        self.problems.append(f"{place}: {problem}")

    def entries(self, raw: Any, place: str, *, least: int = 0) -> list[tuple[str, Mapping[str, Any]]]:
        """A list of mappings, each with its own place; ``least`` is 0 or 1."""
        if not isinstance(raw, list) or len(raw) < least:
            self.say(place, "has to be a list with at least one entry" if least else "has to be a list")
            return []
        mappings = []
        for number, entry in enumerate(raw):
            if isinstance(entry, Mapping):
                mappings.append((f"{place}[{number}].", entry))
            else:
                self.say(f"{place}[{number}]", "has to be a mapping")
        return mappings

    def known(self, entry: Mapping[str, Any], valid: Sequence[str], place: str) -> None:
        """Every key of the entry is one of ``valid``."""
        for key in entry:
            if key not in valid:
                self.say(f"{place}{key}", f"is no setting here; valid: {', '.join(valid)}")

    def mapping(self, value: Any, place: str) -> Mapping[str, Any]:
        """A mapping."""
        if isinstance(value, Mapping):
            return dict(value)
        self.say(place, f"has to be a mapping, not {value!r}")
        return {}

    def name(self, entry: Mapping[str, Any], place: str, pattern: re.Pattern[str] = NAME) -> str:
        """The field ``name``, which has to match ``pattern`` as a whole."""
        name = entry.get("name")
        if not isinstance(name, str) or not pattern.fullmatch(name):
            self.say(f"{place}name", f"has to be small letters, digits and hyphens, not {name!r}")
            return str(name)
        return name

    def text(self, entry: Mapping[str, Any], key: str, place: str, default: str | None = None) -> str:
        """The text of an entry's field ``key`` without outer white space; a problem at ``place`` if it is
        missing and has no default."""
        value = entry.get(key, default)
        if not isinstance(value, str) or not value.strip():
            self.say(f"{place}{key}", "is missing" if value is None else f"has to be text, not {value!r}")
            return ""
        return value.strip()

    def count(self, entry: Mapping[str, Any], key: str, place: str) -> int | None:
        """A whole number from 1, or nothing."""
        value = entry.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            self.say(f"{place}{key}", f"has to be a whole number from 1, not {value!r}")
            return None
        return value

    def amount(self, entry: Mapping[str, Any], key: str, place: str) -> None:
        """A number above 0, or nothing."""
        value = entry.get(key)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and 0 < value < math.inf):
            self.say(f"{place}{key}", f"has to be a number above 0, not {value!r}")
