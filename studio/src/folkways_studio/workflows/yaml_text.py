"""YAML as people write it: read as plain data within bounds, and changed with its comments where the text is
not changed.

Researchers upload descriptions, so that a small text must not become a large one, or one that is slow to
read: an alias repeats its value, and an alias of a list of aliases multiplies it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from folkways.sdk.errors import DataError

LONGEST = 200_000
"""Characters of a description, also with every alias written out."""

MOST_VALUES, DEEPEST = 20_000, 50
"""Texts, numbers, lists and mappings of a description with every alias written out, and how many of them
stand in one another."""

LARGEST_NUMBER = 10**15
"""Whole numbers below this are the same in JSON wherever it is read."""


def parse_yaml(text: str, file: Path | str | None = None) -> Any:
    """What a YAML text says, as JSON would: texts, numbers, true and false, nothing, lists, mappings.

    DataError with line and column for what is not YAML, cannot be in a description (a character NUL, a
    number without an end, a date without quotes) or is too large, too deep or too long.
    """
    if len(text) > LONGEST:
        raise DataError(
            f"is too long: {len(text):,} characters, and a description has at most {LONGEST:,}", file=file
        )
    strange = re.search(r"[\ud800-\udfff]", text)
    if strange:
        line = text.count("\n", 0, strange.start()) + 1
        raise DataError(
            f"is not valid YAML in line {line}: half a character ({strange.group()!r})", file=file
        )
    try:
        _check_extent(text)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise DataError(f"is not valid YAML{where}: {error.problem}", file=file) from None
    except yaml.YAMLError as error:
        raise DataError(f"is not valid YAML: {str(error).splitlines()[0]}", file=file) from None


def _check_extent(text: str) -> None:
    """ComposerError where a text with its aliases written out has more characters or values than it may, or
    is deeper.

    It looks at the text event by event: to build what is too deep would end the process.
    """
    # values, characters and depth; None while it is being read
    anchors: dict[str, tuple[int, int, int] | None] = {}
    open_parts: list[tuple[str | None, int, int, int]] = []
    values, characters, depth = 0, 0, 0  # of what is being read
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            open_parts.append((event.anchor, values, characters, depth))
            if event.anchor is not None:
                anchors[event.anchor] = None
            values, characters, depth = 1, 0, 0
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, *outer = open_parts.pop()
            if anchor is not None:
                anchors[anchor] = values, characters, depth + 1
            values, characters, depth = outer[0] + values, outer[1] + characters, max(outer[2], depth + 1)
        elif isinstance(event, yaml.ScalarEvent):
            if event.anchor is not None:
                anchors[event.anchor] = 1, len(event.value), 0
            values, characters = values + 1, characters + len(event.value)
        elif (
            isinstance(event, yaml.AliasEvent) and event.anchor in anchors
        ):  # the loader names one that is not
            part = anchors[event.anchor]
            if part is None:
                raise _excess(f"the alias *{event.anchor} stands for itself", event)
            values, characters, depth = values + part[0], characters + part[1], max(depth, part[2])
        if len(open_parts) + depth > DEEPEST:
            raise _excess(f"more than {DEEPEST} lists and mappings stand in one another", event)
        if values > MOST_VALUES:
            raise _excess(f"there are more than {MOST_VALUES:,} values, aliases written out", event)
        if characters > LONGEST:
            raise _excess(f"there are more than {LONGEST:,} characters, aliases written out", event)


def _excess(problem: str, event: yaml.Event) -> yaml.MarkedYAMLError:
    return yaml.composer.ComposerError(None, None, problem, event.start_mark)  # type: ignore[arg-type]  # or the C parser's mark


class _Loader(yaml.CSafeLoader):
    """Plain data: nothing that JSON has no form for."""

    def construct_text(self, node: yaml.ScalarNode) -> str:
        text = str(self.construct_scalar(node))
        if "\0" in text:
            raise _unfit("the character NUL (\\0) cannot be stored; leave it out", node)
        return text

    def construct_whole(self, node: yaml.ScalarNode) -> int | str:
        text = str(self.construct_scalar(node))
        if ":" in text:  # a time of day, which YAML 1.1 takes for a number of seconds
            return text
        number = self.construct_yaml_int(node) if len(text) < 100 else LARGEST_NUMBER
        if abs(number) >= LARGEST_NUMBER:
            raise _unfit("a whole number has at most 15 digits; put it in quotes if it is a name", node)
        return number

    def construct_real(self, node: yaml.ScalarNode) -> float | str:
        text = str(self.construct_scalar(node))
        if ":" in text:
            return text
        number = float(self.construct_yaml_float(node)) if len(text) < 100 else math.inf
        if not math.isfinite(number):
            raise _unfit("a number has to be finite, with fewer than 100 digits", node)
        return number

    def construct_unfit(self, node: yaml.Node) -> Any:
        if node.tag == "tag:yaml.org,2002:timestamp":
            raise _unfit(f'a date is a text here; put it in quotes: "{str(node.value)[:40]}"', node)
        raise _unfit(
            f"there is no place for {node.tag} in a description; write text, numbers, lists and mappings",
            node,
        )


def _unfit(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


_PLAIN = ("null", "bool", "seq", "map")
_Loader.yaml_constructors = {
    **{
        f"tag:yaml.org,2002:{name}": yaml.CSafeLoader.yaml_constructors[f"tag:yaml.org,2002:{name}"]
        for name in _PLAIN
    },
    "tag:yaml.org,2002:str": _Loader.construct_text,
    "tag:yaml.org,2002:int": _Loader.construct_whole,
    "tag:yaml.org,2002:float": _Loader.construct_real,
    None: _Loader.construct_unfit,
}


def as_json(raw: Mapping[str, Any]) -> str:
    """A description of the JSON of a request as text that ``parse_yaml`` reads; DataError for one that is too
    deep."""
    try:
        text = json.dumps(raw, ensure_ascii=False)
    except RecursionError:
        raise DataError(f"more than {DEEPEST} lists and mappings stand in one another") from None
    # Characters that YAML refuses, or reads as the end of a line.
    return re.sub(r"[\x7f-\x9f\u2028\u2029\ufeff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def as_yaml(raw: Mapping[str, Any]) -> str:
    """A description that nobody has written as text."""
    return yaml.safe_dump(dict(raw), allow_unicode=True, sort_keys=False, width=100)


def with_settings(text: str, raw: Mapping[str, Any]) -> str:
    """The text of a description with the top-level settings of ``raw`` in it: those that are the same stay as
    they are written."""
    before = parse_yaml(text)
    for key, value in raw.items():
        if key not in before or before[key] != value:
            text = _with_setting(text, key, value)
    return text if parse_yaml(text) == dict(raw) else as_yaml(raw)


def _with_setting(text: str, key: str, value: Any) -> str:
    lines = text.splitlines(keepends=True)
    start = next(
        (number for number, line in enumerate(lines) if re.match(rf"{re.escape(key)}\s*:", line)), len(lines)
    )
    end = start + 1
    while end < len(lines) and not re.match(r"[^\s#-]", lines[end]):
        end += 1
    # what stands above the next setting is about that one
    while end > start + 1 and lines[end - 1].startswith("#"):
        end -= 1
    return "".join([*lines[:start], as_yaml({key: value}), *lines[end:]])
