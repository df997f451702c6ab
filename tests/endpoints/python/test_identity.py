"""What the code of a model from Python says it is: the same code is the same model, and other code is
another."""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folkways.endpoints.python.identity import UnknowableError, digest_of

FEW_SHOT = "one"


def load(folder: Path, source: str, name: str = "ask") -> Any:
    """``name`` of a module of this source: a file of its own, as a person's script has."""
    file = folder / f"module_{abs(hash(source))}.py"
    file.write_text(textwrap.dedent(source), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module  # where Python looks for the source of a class
    spec.loader.exec_module(module)
    return getattr(module, name)


PLAIN = """
    def ask(prompt):
        return prompt + "!"
"""
SAME = {
    "a comment": """
        def ask(prompt):  # as loud as can be
            return prompt + "!"
    """,
    "formatting": """
        def ask( prompt ):
            return (prompt +
                    '!')
    """,
    "something beside it": """
        OTHER = 3
        def ask(prompt):
            return prompt + "!"
    """,
}
OTHER = {
    "a text": PLAIN.replace("!", "?"),
    "the order": PLAIN.replace('prompt + "!"', '"!" + prompt'),
    "a default": PLAIN.replace("(prompt)", "(prompt, temperature=1)"),
}


@pytest.mark.parametrize("source", SAME.values(), ids=SAME)
def test_what_does_not_change_the_replies_changes_nothing(tmp_path, source):
    assert digest_of(load(tmp_path, source)) == digest_of(load(tmp_path, PLAIN))


@pytest.mark.parametrize("source", OTHER.values(), ids=OTHER)
def test_other_code_is_another_model(tmp_path, source):
    assert digest_of(load(tmp_path, source)) != digest_of(load(tmp_path, PLAIN))


AROUND = {
    "a text outside": ('HINT = "a"\ndef ask(prompt):\n    return HINT\n', 'HINT = "a"', 'HINT = "b"'),
    "a list outside": ("SHOTS = [1, 2]\ndef ask(prompt):\n    return str(SHOTS)\n", "[1, 2]", "[2, 1]"),
    "a function outside": (
        "def help_(p):\n    return p\ndef ask(prompt):\n    return help_(prompt)\n",
        "return p\n",
        "return p + p\n",
    ),
    "in an inner function": (
        'HINT = "a"\ndef ask(prompt):\n    return (lambda: HINT)()\n',
        'HINT = "a"',
        'HINT = "b"',
    ),
    "a class outside": ("class C:\n    n = 1\ndef ask(prompt):\n    return str(C.n)\n", "n = 1", "n = 2"),
    "an object's attribute": (
        "class C:\n    def __init__(self, n):\n        self.n = n\nC1 = C(1)\ndef ask(prompt):\n    "
        "return str(C1.n)\n",
        "C(1)",
        "C(2)",
    ),
}


@pytest.mark.parametrize(("source", "old", "new"), AROUND.values(), ids=AROUND)
def test_what_a_function_uses_of_its_surroundings_is_part_of_it(tmp_path, source, old, new):
    assert old in source
    assert digest_of(load(tmp_path, source)) != digest_of(load(tmp_path, source.replace(old, new)))
    assert digest_of(load(tmp_path, source)) == digest_of(load(tmp_path, source + "\n"))


def closure(hint: str) -> Callable[[str], str]:
    def ask(prompt: str) -> str:
        return hint + prompt

    return ask


def test_closures_partials_and_lambdas_differ_by_what_they_hold():
    assert digest_of(closure("a")) == digest_of(closure("a")) != digest_of(closure("b"))

    def two(hint: str, prompt: str) -> str:
        return hint + prompt

    assert digest_of(functools.partial(two, "a")) != digest_of(functools.partial(two, "b"))
    assert digest_of(lambda prompt: "A") != digest_of(lambda prompt: "B")


SEEN: list[str] = []
CACHE: dict[str, str] = {}


def counting(prompt: str) -> str:
    SEEN.append(prompt)
    CACHE[prompt] = FEW_SHOT
    return CACHE[prompt]


class Counting:
    def __init__(self, hint: str) -> None:
        self.hint, self.calls = hint, 0

    def generate(self, prompt: str) -> str:
        self.calls += 1
        return self.hint


def test_what_it_did_is_no_part_of_what_it_is():
    before = digest_of(counting)
    counting("x")
    assert SEEN and digest_of(counting) == before
    model = Counting("a")
    before = digest_of(model)
    model.generate("x")
    assert model.calls == 1
    assert digest_of(model) == before == digest_of(Counting("a")) != digest_of(Counting("b"))


def test_what_cannot_be_looked_into_is_said():
    import polars as pl

    frame = pl.DataFrame({"a": [1]})

    def ask(prompt: str) -> str:
        return str(frame)

    with pytest.raises(UnknowableError, match="'frame', a polars"):
        digest_of(ask)


def test_a_client_is_known_by_its_address():
    import openai

    def asking(client: openai.OpenAI) -> Callable[[str], str]:
        def ask(prompt: str) -> str:
            return str(client)

        return ask

    one, same, other = (
        openai.OpenAI(api_key="k", base_url=f"http://127.0.0.1:{port}/v1") for port in (1, 1, 2)
    )
    assert digest_of(asking(one)) == digest_of(asking(same)) != digest_of(asking(other))


def test_a_digest_is_as_long_as_those_that_are_stored() -> None:
    assert digest_of(len) == digest_of(len) != digest_of(max)
    assert re.fullmatch("[0-9a-f]{12}", digest_of(len))
