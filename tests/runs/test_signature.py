"""A signature tells apart what gives other numbers: same signature, same inputs, same number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from folkways.api import run
from folkways.records import Signature
from folkways.reports.formats.methods import explain


def made(tmp_path: Path, **options: Any) -> Signature:
    asked = run("demo/mcq", models="baseline/first", workspace=tmp_path / "w.db", **options)
    ((text, parts),) = asked.report_data().signatures.items()
    assert set(asked.scores()["signature"]) == {text}
    return parts


def signature(tmp_path: Path, tasks: Any = "demo/mcq", **options: Any) -> str:
    asked = run(tasks, models="baseline/first", workspace=tmp_path / "w.db", **options)
    (text,) = set(asked.scores()["signature"])
    return str(text)


def test_however_cultures_are_named_it_is_one_signature_and_one_run(tmp_path: Path) -> None:
    spellings = (["KR", "ET"], "South Korea,Ethiopia", ["kr", "South_Korea", "ethiopia"])
    texts = {signature(tmp_path, cultures=cultures, name="one") for cultures in spellings}
    assert len(texts) == 1 and "|cultures:ET+KR" in texts.pop()
    assert signature(tmp_path, cultures=["ET"]) != signature(tmp_path, cultures=["KR"])
    of_the_task = signature(tmp_path, tasks=["demo/mcq?cultures=South Korea,Ethiopia"])
    assert of_the_task == signature(tmp_path, tasks=["demo/mcq?cultures=KR,ET"])


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The signature of a run without options."""
    return signature(tmp_path_factory.mktemp("plain"))


TEXT = "{q}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"system": "Be brief."}),
        ({}, {"system": ""}),
        ({"system": "Be brief."}, {"system": "Be kind."}),
        ({"prompt_texts": {"mine": TEXT}}, {"prompt_texts": {"mine": f"{TEXT} "}}),
        ({}, {"limit": 3}),
        ({}, {"seed": 1}),
        ({}, {"samples": 2}),
        ({}, {"max_tokens": 5}),
        ({}, {"settings": {"temperature": 1.0}}),
        ({}, {"cultures": ["KR"]}),
    ],
)
def test_what_changes_the_requests_changes_the_signature(
    tmp_path: Path, plain: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert (signature(tmp_path, **one) if one else plain) != signature(tmp_path, **other)


def test_the_same_run_elsewhere_has_the_same_signature(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert signature(tmp_path / "a", system="Be brief.") == signature(tmp_path / "b", system="Be brief.")


def test_a_report_says_in_words_what_stands_there(tmp_path: Path) -> None:
    words = dict(explain(made(tmp_path, system="Be brief.", limit=3)))
    assert words["System prompt"].startswith("one of the user’s own (its checksum: ")
    assert words["Limit"] == "at most 3 items of the task, spread over cultures and drawn by the seed"
