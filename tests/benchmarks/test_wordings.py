"""Where prompt texts are: in one file beside each benchmark, and nowhere in code."""

from __future__ import annotations

import ast
import re
from collections import Counter
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


MESSAGES = {"blend/data/check.py": 1, "printed_prompts.py": 1, "treatments.py": 3}
"""File -> how many of its texts tell people of a place in their own prompts."""


def test_no_prompt_is_written_in_code() -> None:
    """A text of several words with a place for a part, which is no f-string and no docstring: such texts are
    in ``wordings.toml``."""
    written = [
        (path.relative_to(ROOT).as_posix(), text)
        for path in ROOT.rglob("*.py")
        for text in plain_texts(ast.parse(path.read_text(encoding="utf-8")))
        if PLACE.search(text) and len(text.split()) >= 3
    ]
    assert Counter(file for file, _ in written) == MESSAGES, written


def plain_texts(tree: ast.Module) -> list[str]:
    """The texts of a module without docstrings and f-strings."""
    formatted = [
        part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
    ]
    alone = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    others = set(map(id, [*formatted, *alone]))
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in others
    ]
