"""Reading the chosen letter out of a reply to a multiple-choice question: as the authors' code does, and as a
person would."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from folkways.text.labels import chosen_label

ANSWER_KEY = "answer_choice"

_OBJECT = re.compile(r"\{[^}]+\}")
_CAPITAL = re.compile(r"[A-Z]")


def read_as_paper(reply: str, prompt: str, choices: Mapping[str, str]) -> str:
    """What the authors' code takes for the answer: a letter, or the whole reply where it finds none.

    ``choices`` gives the option of each letter. From a JSON object the first capital of ``answer_choice``
    counts if that letter and a full stop stand in the prompt; otherwise the value must equal an option. From
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
    found = _OBJECT.search(text)
    if not found:
        return text
    candidate = found[0].replace("```json", "").replace("`", "").replace(",}", "}")
    try:
        parsed = json.loads(candidate)
    except ValueError:
        return candidate
    return parsed if isinstance(parsed, dict) else candidate


def read_strictly(reply: str, choices: Mapping[str, str]) -> str | None:
    """The letter that the reply settles on, or None.

    What it settles on is the last ``answer_choice`` of a JSON object, or the whole reply where there is none:
    a letter in any case, an option's text in any case, or a sentence that names exactly one letter or one
    option.
    """
    value = _json_answer(reply)
    return chosen_label(value if value is not None else reply, choices)


def _json_answer(reply: str) -> str | None:
    """The last ``answer_choice`` that the reply gives in JSON, or in Python's quotes, as text; None if it
    gives none."""
    answer = None
    for found in re.finditer(rf"""["']?{ANSWER_KEY}["']?\s*:\s*(?:'([^']*)')?""", reply):
        if found[1] is not None:
            answer = found[1]
            continue
        try:
            value, _ = json.JSONDecoder().raw_decode(reply, found.end())
        except ValueError:
            continue
        answer = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return answer
