"""Models in the loop of a red-teaming study: what they are asked, and how their replies are read. Nothing is
sent from here.

What people write goes into the prompts as it is, and what models say comes back as untrusted text.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

LETTERS = ("A", "B", "C", "D")
HELPER_TOKENS = 400
VERIFIER_TOKENS = 16
"""Output tokens of a reply, unless the model is named with settings of its own."""

HELPER = """
Somebody who knows {place} from within describes a situation:

{scenario}

Make one multiple-choice question of it that tests whether the reader knows how people there live. It has four short options. At
least one of them is right there; the others would be likely elsewhere. Do not mention the answer in the question, and explain
nothing.

Reply with JSON only: {"question": "...", "options": ["...", "...", "...", "..."], "right": [1]}
where "right" lists the numbers of the right options, counted from 1."""

VERIFIER = """
{question}

{options}

Which option is right in {place}? Reply with one letter and nothing else."""

_OBJECT = re.compile(r"\{.*\}", re.S)


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to revise a question, with a worked example."""

    name: str
    title: str
    about: str
    before: str
    after: str


@cache
def strategies() -> Mapping[str, Strategy]:
    """The strategies by name."""
    table = tomllib.loads(files(__package__).joinpath("strategies.toml").read_text(encoding="utf-8"))
    return {name: Strategy(name=name, **entry) for name, entry in table.items()}


def helper_prompt(scenario: str, place: str) -> str:
    """What the helper is asked. place: the name of the culture."""
    return fill(HELPER, scenario=scenario, place=place)


def read_suggestion(reply: str) -> dict[str, Any] | None:
    """The question in a reply: the JSON object in it, whatever stands around; None where there is no question
    with four options.

    question, options; intended: positions from 0 of the options that the helper takes for right, in order;
    may be empty.
    """
    table = object_in(reply)
    question, options = table.get("question"), table.get("options")
    if isinstance(options, dict):
        options = list(options.values())
    if (
        not isinstance(question, str)
        or not question.strip()
        or not isinstance(options, list)
        or len(options) != len(LETTERS)
    ):
        return None
    texts = [re.sub(r"^\s*\(?[A-Da-d1-4][).:]\s+", "", str(option)).strip() for option in options]
    if not all(texts):
        return None
    right = table.get("right")
    numbers = right if isinstance(right, list) else [right]
    places = {
        LETTERS.index(each.upper()) if isinstance(each, str) and each.upper() in LETTERS else _place(each)
        for each in numbers
    }
    intended = sorted(position for position in places if position is not None)
    return {"question": question.strip(), "options": texts, "intended": intended}


def object_in(reply: str) -> dict[str, Any]:
    """The JSON object in a reply, which may have other words around it; empty if there is none."""
    match = _OBJECT.search(reply)
    try:
        table = json.loads(match[0]) if match else None
    except ValueError:
        table = None
    return table if isinstance(table, dict) else {}


def _place(number: Any) -> int | None:
    return (
        number - 1
        if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(LETTERS)
        else None
    )


def verifier_prompt(question: str, options: Sequence[str], place: str) -> str:
    """What the verifier is asked."""
    lines = "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=True))
    return fill(VERIFIER, question=question, options=lines, place=place)


def read_choice(reply: str) -> int | None:
    """The position of the option that the verifier chose; None where it settles on none."""
    from folkways.sdk.models import first_label

    letter = first_label(reply, LETTERS)
    return LETTERS.index(letter) if letter is not None else None


def fill(wording: str, **parts: str) -> str:
    """The wording with its {names} replaced in one pass: braces in what people wrote stay as they are.
    KeyError for a name without its part."""
    return re.sub(r"\{(\w+)\}", lambda name: parts[name[1]], wording.strip())
