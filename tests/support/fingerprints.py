"""What texts said and tables held when they were last looked at: a text line by line, a table in a line for
each column.

What a number means is tested elsewhere, by hand or against an outside implementation. This notices that one has
changed: in any row of any table. A change that is meant is recorded anew, and looked at in the difference that
git shows: ``FOLKWAYS_RECORD=1 make test PYTEST_ARGS=FILE``.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from difflib import unified_diff
from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways import __version__


def fingerprint(rows: pl.DataFrame, aliases: Mapping[str, str] | None = None) -> dict[str, Any]:
    """By column: of numbers how many there are, their sum, and their sum with each times its row's number, which
    tells their order; of anything else a digest. aliases: texts that change from run to run (an address), and
    what stands for them."""
    return {
        "rows": rows.height,
        **{column.name: _of(column, aliases or {}) for column in rows.iter_columns()},
    }


def check_fingerprints(tables: Mapping[str, pl.DataFrame], recorded: Path, **how: Any) -> None:
    """Compare tables with the file that has their fingerprints, number for number to nine digits."""
    now = {name: fingerprint(rows, **how) for name, rows in sorted(tables.items())}
    if os.environ.get("FOLKWAYS_RECORD") == "1":
        recorded.parent.mkdir(exist_ok=True)
        lines = [f" {json.dumps(name)}: {json.dumps(columns)}" for name, columns in now.items()]
        recorded.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    before = json.loads(recorded.read_text(encoding="utf-8"))
    assert list(now) == list(before), "other tables than those that are recorded"
    changed = [
        f"{name}, {column}: {before[name].get(column)} is recorded, and it is {now[name].get(column)}"
        for name in now
        for column in {**before[name], **now[name]}
        if not _alike(before[name].get(column), now[name].get(column))
    ]
    assert not changed, "\n".join(changed)


MOST_SHOWN = 60
"""Lines of a difference that are printed."""


def check_text(text: str, recorded: Path, aliases: Mapping[str, str] | None = None) -> None:
    """Compare a text with the file that has it, line by line. aliases: texts that change from run to run, and
    what stands for them."""
    for old, new in {__version__: "VERSION", **(aliases or {})}.items():
        text = text.replace(old, new)
    if os.environ.get("FOLKWAYS_RECORD") == "1":
        recorded.parent.mkdir(exist_ok=True)
        recorded.write_text(text, encoding="utf-8")
    lines, before = text.splitlines(), recorded.read_text(encoding="utf-8").splitlines()
    if lines != before:
        differences = [*unified_diff(before, lines, "recorded", "now", lineterm="", n=1)]
        pytest.fail(f"{recorded} says otherwise:\n" + "\n".join(differences[:MOST_SHOWN]), pytrace=False)


def _of(column: pl.Series, aliases: Mapping[str, str]) -> Any:
    if column.dtype.is_numeric():
        numbers = [float(value) if value is not None else math.nan for value in column]
        there = [(place, value) for place, value in enumerate(numbers, 1) if math.isfinite(value)]
        sums = sum(value for _, value in there), sum(place * value for place, value in there)
        return [len(there), *(float(f"{total:.12g}") for total in sums)]
    text = json.dumps(column.to_list(), ensure_ascii=False, default=str)
    for old, new in aliases.items():
        text = text.replace(old, new)
    return blake2b(text.encode(), digest_size=6).hexdigest()


def _alike(before: Any, now: Any) -> bool:
    if not isinstance(before, list) or not isinstance(now, list):
        return bool(before == now)
    return all(
        math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9) for one, other in zip(before, now, strict=True)
    )
