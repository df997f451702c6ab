"""YAML as people write it: with comments, which stay where the text around them is not changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml


def as_yaml(raw: Mapping[str, Any]) -> str:
    """A description that nobody has written as text."""
    return yaml.safe_dump(dict(raw), allow_unicode=True, sort_keys=False, width=100)


def with_settings(text: str, raw: Mapping[str, Any]) -> str:
    """The text of a description with the top-level settings of ``raw`` in it: those that are the same stay as they are written."""
    known = yaml.safe_load(text)
    for key, value in raw.items():
        if key not in known or known[key] != value:
            text = _with_setting(text, key, value)
    return text if yaml.safe_load(text) == dict(raw) else as_yaml(raw)


def _with_setting(text: str, key: str, value: Any) -> str:
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if re.match(rf"{re.escape(key)}\s*:", line)), len(lines))
    end = start + 1
    while end < len(lines) and not re.match(r"[^\s#-]", lines[end]):
        end += 1
    while end > start + 1 and lines[end - 1].startswith("#"):  # what stands above the next setting is about that one
        end -= 1
    return "".join([*lines[:start], as_yaml({key: value}), *lines[end:]])
