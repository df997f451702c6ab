"""Whose answers wrong answers are, by each task's own rule: which questions are the same about every culture,
and which answers of the others count in which language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.whose_culture.matching import MATCHES
from folkways.benchmarks.whose_culture.result import WhoseCulture
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from tests.support.blend_data import release_at, write_release
from tests.support.semeval_data import write_semeval

ASKED = ("culture", "question", "language", "answer")


def matched(task: str, release: Release | None, *rows: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Of wrong answers: language, culture, template, the others and how many answers each has, and those whose
    answer it is."""
    usual = {
        **{"task": task, "endpoint": "m", "profile": "paper", "variant": "plain", "sample": 0},
        **{"counted": True, "state": "answered", "reason": None},
    }
    metric = get_task(task).metrics[0].name
    judged = pl.DataFrame(
        [usual | {"item": f"{row['culture']}/{row['question']}", metric: 0.0} | row for row in rows]
    )
    result = next(
        one
        for one in benchmarks()[get_task(task).benchmark].results
        if isinstance(one, WhoseCulture) and one.tasks == (task,)
    )
    inputs = Inputs(
        judged,
        {task: get_task(task).metrics},
        {task: release} if release is not None else {},
        free_answers=frozenset([task]),
    )
    found = result.matches(inputs)
    assert dict(found.schema).items() >= MATCHES.items()
    return [
        (
            row["language"],
            row["asked_culture"],
            row["question"],
            dict(zip(row["others"], row["weights"], strict=True)),
            row["matched"],
        )
        for row in found.iter_rows(named=True)
    ]


def test_short_answers_of_blend(tmp_path: Path) -> None:
    """In English with the English answers of every culture, in another language with those of the cultures
    that speak it, in both languages; without questions that do not count."""
    said = (
        ("KR", "Q-1", "en", "coffee"),
        ("KR", "Q-1", "en", "Lemon, tea"),  # an answer of Korea
        ("KR", "Q-1", "ko", "coffee"),  # Korean is spoken in Korea alone
        ("US", "Q-1", "en", "barley drink"),  # of nobody
        ("US", "Q-2", "en", "yutnori, or football"),
        ("ES", "Q-1", "es", "chocolate"),
        ("US", "Q-4", "en", "None"),  # which does not count in Korea and in Spain
    )
    rows = [dict(zip(ASKED, one, strict=True)) for one in said]
    assert matched("blend/saq", release_at(write_release(tmp_path)), *rows) == [
        ("en", "KR", "Q-1", {"US": 1.0, "ES": 2.0}, ["ES", "US"]),
        ("en", "US", "Q-1", {"KR": 1.0, "ES": 1.0}, []),
        ("en", "US", "Q-2", {"KR": 1.0, "ES": 1.0}, ["ES", "KR"]),
    ]


def test_short_answers_of_semeval(tmp_path: Path) -> None:
    """With the answers of the regions that were asked the same question in the same language."""
    said = (
        ("JP", "001", "en", "soy milk and tea"),
        ("JP", "001", "en", "no answer"),
        ("JP", "001", "en", "coffee, or tea"),  # an answer of Japan
        ("TW", "001", "en", "coffee"),
        ("ET", "001", "en", "green tea"),  # has an answer of Ethiopia
        ("ET", "002", "en", "tea"),  # nobody else was asked
        ("JP", "001", "ja", "コーヒー"),
    )
    rows = [dict(zip(ASKED, one, strict=True)) for one in said]
    release = Release(get_record("semeval2026"), write_semeval(tmp_path / "all"))
    assert matched("semeval2026/saq", release, *rows) == [
        ("en", "JP", "001", {"ET": 1.0, "TW": 2.0}, ["ET", "TW"]),
        ("en", "JP", "001", {"ET": 1.0, "TW": 2.0}, []),
        ("en", "TW", "001", {"ET": 2.0, "JP": 2.0}, ["ET", "JP"]),
    ]
    gold = Release(get_record("semeval2026"), write_semeval(tmp_path / "gold", questions=False))
    with pytest.raises(NotAvailableError, match="needs the questions' texts"):
        matched("semeval2026/saq", gold, *rows)


def test_options_of_blend() -> None:
    """The question is the same about every culture; three wrong options, of which nobody's share the rest."""
    rows = [
        {
            "culture": "KR",
            "question": "KR/Q-1",
            "language": "en",
            "offered": "ES dummy",
            "chosen_culture": one,
        }
        for one in ("ES", "dummy", None)
    ]
    assert matched("blend/mcq", None, *rows) == [
        ("en", "KR", "Q-1", {"ES": 1.0, "dummy": 2.0}, ["ES"]),
        ("en", "KR", "Q-1", {"ES": 1.0, "dummy": 2.0}, ["dummy"]),
    ]
