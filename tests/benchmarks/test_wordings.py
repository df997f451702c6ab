"""Where prompt texts are: in one file beside each benchmark, and nowhere in code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import folkways.benchmarks
from folkways.benchmarks.templates import wordings
from folkways.errors import FolkwaysError

ROOT = Path(folkways.benchmarks.__file__).parent
PACKAGES = sorted(path.parent.name for path in ROOT.glob("*/wordings.toml"))
PLACE = re.compile(r"\{[a-z]\w*\}")


def texts_in(found: Any) -> list[str]:
    return [found] if isinstance(found, str) else [text for each in found.values() for text in texts_in(each)]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_benchmarks_texts_are_read_without_space_at_their_ends(name: str) -> None:
    texts = texts_in(wordings(f"folkways.benchmarks.{name}"))
    assert texts and all(text and text == text.strip() for text in texts)


def test_a_text_that_is_not_there_is_named_with_its_file() -> None:
    texts = wordings("folkways.benchmarks.demo")
    with pytest.raises(
        FolkwaysError, match=r"no 'greetings' in wordings.toml of folkways.benchmarks.demo;.*saq"
    ):
        texts["greetings"]
    with pytest.raises(
        FolkwaysError, match=r"no 'fr' in \[saq\] in wordings.toml of .*demo; there are en, es"
    ):
        texts["saq"]["fr"]


def test_every_file_of_texts_is_called_alike_and_lies_beside_its_benchmark() -> None:
    assert {path.parent.parent for path in ROOT.rglob("wordings.toml")} == {ROOT}
    assert {
        "blend",
        "multiple_choice",
        "culturalbench",
        "free_answers",
        "normad",
        "probing",
        "semeval2026",
        "xcr",
    } <= {*PACKAGES}
    assert not [*ROOT.rglob("instructions.toml")] and not [*ROOT.rglob("wordings.py")]


def test_no_prompt_is_written_in_code() -> None:
    """A text of several words that asks a model something and has a place for a part: such texts are in
    ``wordings.toml``."""
    written = [
        (path.relative_to(ROOT).as_posix(), line.strip())
        for path in ROOT.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"Template\(f?[\"']", line) and PLACE.search(line) and "rstrip()" not in line
    ]
    assert written == []
