"""Scoring what a run was told: nothing that was expected leaves the denominator."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from folkways.api import run
from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError


def test_items_that_are_not_found_any_more_are_an_error_and_no_smaller_denominator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of folkways may give items other names."""
    asked = run("sample/mcq", models="baseline/first", workspace=tmp_path / "w.db")
    before = asked.scores()
    task = get_task("sample/mcq")
    items = task.items
    monkeypatch.setattr(type(task), "items", lambda _, release: items(release).filter(pl.col("culture") != "KR"))
    with pytest.raises(FolkwaysError, match=r"run-1 expects \d+ answers on sample/mcq, but only \d+"):
        asked.score("strict")
    assert asked.scores().equals(before, null_equal=True)
