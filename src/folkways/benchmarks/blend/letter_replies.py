"""Which letter a reply to a multiple-choice question settles on: to the authors' code, and to a reader."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from folkways.benchmarks.multiple_choice.orders import chosen_and_right
from folkways.records import State
from folkways.text.labels import chosen_label, first_turn
from folkways.text.refusals import is_refusal

ANSWER_KEY = "answer_choice"

_OBJECT = re.compile(r"\{[^}]+\}")
_CAPITAL = re.compile(r"[A-Z]")


def read_as_paper(reply: str, prompt: str, choices: Mapping[str, str]) -> str:
    """What the authors' code takes for the answer: a letter, or the whole reply where it finds none.

    ``choices`` gives the option of each letter. From a JSON object the first capital of ``answer_choice``
    counts if the prompt has that letter with a full stop; otherwise the value must equal an option. From
    any other text the first capital counts, whatever word it begins ("The answer is B" is T).
    """
    parsed = _parse_as_paper(reply)
    if isinstance(parsed, str):
        capital = _CAPITAL.search(parsed)
        return capital[0] if capital else reply
    if ANSWER_KEY not in parsed:
        return reply
    value = parsed[ANSWER_KEY]
    capital = _CAPITAL.search(str(value))
    if capital and capital[0] + "." in prompt:
        return capital[0]
    return next((label for label, option in choices.items() if option == value), reply)


@lru_cache(maxsize=4096)  # models give the same few replies again and again
def _parse_as_paper(reply: str) -> dict[str, Any] | str:
    """The first JSON object of the reply, nested ones cut at the first closing brace; text where there is
    none that parses."""
    text = reply.replace("\n", "")
    match = _OBJECT.search(text)
    if not match:
        return text
    candidate = match[0].replace("```json", "").replace("`", "").replace(",}", "}")
    try:
        parsed: dict[str, Any] = json.loads(candidate)
    except ValueError:
        return candidate
    return parsed


def read_strictly(reply: str, choices: Mapping[str, str]) -> str | None:
    """The letter that the reply settles on, or None.

    What it settles on is the last ``answer_choice`` of a JSON object, or the whole reply where there is none:
    a letter in any case, an option's text in any case, or a sentence that names exactly one letter or one
    option.
    """
    value = _json_answer(first_turn(reply))
    return chosen_label(value if value is not None else reply, choices)


def _json_answer(reply: str) -> str | None:
    """The last ``answer_choice`` that the reply gives in JSON, or in Python's quotes, as text; None if it
    gives none."""
    answer = None
    for match in re.finditer(rf"""["']?{ANSWER_KEY}["']?\s*:\s*(?:'([^']*)')?""", reply):
        if match[1] is not None:
            answer = match[1]
            continue
        try:
            value, _ = json.JSONDecoder().raw_decode(reply, match.end())
        except ValueError:
            continue
        answer = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return answer


def read_reply(
    prompt: str, choices: dict[str, str], reply: str, gold: str, language: str, *, paper: bool
) -> tuple[str, str | None, str]:
    """State, letter and reason of a reply.

    prompt, choices: as they were shown, in ``language``. gold: the right letter. paper: whether the authors'
    code reads it.
    """
    answer = read_as_paper(reply, prompt, choices) if paper else read_strictly(reply, choices)
    if answer in choices:
        return State.ANSWERED, answer, chosen_and_right(choices, answer, gold)
    if not reply.strip():
        return State.UNREADABLE, None, "empty reply"
    if is_refusal(reply, language):
        return State.REFUSED, None, "declines to answer"
    return (
        State.UNREADABLE,
        None,
        "no choice could be read"
        if answer in (None, reply)
        else f"read as {answer!r}, which is not a choice",
    )
