"""Which arguments a function gets of a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from folkways.endpoints.base import Request, Settings
from folkways.endpoints.python.calling import Arguments
from folkways.errors import FolkwaysError

ASKED = Request(
    "k", "Q", "S", Settings(temperature=0.5, seed=7), sample=2, choices=("A", "B"), task="t", item="i"
)
CHAT = [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]


def plain(prompt: str) -> None: ...


def anything(x: str, *rest: str, **more: str) -> None: ...


def chat(messages: Any, seed: int, temperature: float = 0.0, retries: int = 3) -> None: ...


def apart(system: str, question: str, choices: Any = ()) -> None: ...


def named(*, text: str, item: str, sample: int) -> None: ...


def only_position(text: str, seed: int = 1, /, task: str = "") -> None: ...


def spread(*texts: str) -> None: ...


@pytest.mark.parametrize(
    ("function", "given", "named_", "settings", "of_item"),
    [
        (plain, ["S\n\nQ"], {}, set(), False),
        (anything, ["S\n\nQ"], {}, set(), False),
        (chat, [CHAT], {"seed": 7, "temperature": 0.5}, {"seed", "temperature"}, False),
        (apart, ["Q"], {"system": "S", "choices": ("A", "B")}, set(), False),
        (named, [], {"text": "S\n\nQ", "item": "i", "sample": 2}, set(), True),
        (only_position, ["S\n\nQ"], {"task": "t"}, set(), True),
        (spread, ["S\n\nQ"], {}, set(), False),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_function_gets_the_prompt_and_what_it_names(
    function: Callable[..., Any], given: list[Any], named_: dict[str, Any], settings: set[str], of_item: bool
) -> None:
    arguments = Arguments(function, "python/x")
    assert arguments.of(ASKED) == (given, named_)
    assert (arguments.settings, arguments.of_item) == (settings, of_item)


@pytest.mark.parametrize(
    ("function", "lacks"),
    [
        (lambda: None, "takes no prompt"),
        (lambda **more: None, "takes no prompt"),
        (lambda prompt, k, n: None, "needs k, n, which no question has"),
        (lambda x, prompt: None, "needs x, which"),
    ],
)
def test_a_function_that_no_question_can_be_put_to_is_refused(
    function: Callable[..., Any], lacks: str
) -> None:
    with pytest.raises(FolkwaysError, match=rf"^python/x {lacks}.*def x\(prompt\)"):
        Arguments(function, "python/x")
