"""What a model says that knows some countries better than others: the server's side of runs on the invented
CulturalBench.

It reads the question as a model would, out of the prompt in whatever wording, and knows the right option
because the data of culturalbench_data are made by a rule. Everything is decided by hashes, so that the same
question gets the same reply.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from hashlib import blake2b
from typing import Any

THINGS = ("bread", '"flat" cakes', "tea", "salt")
"""What the four options of a question begin with, in released order."""

MULTI_GOLD, MULTI_TRUE = "(i), (ii), (iv)", (0, 1, 3)


@lru_cache(maxsize=16)
def settings_of(text: str) -> dict[str, Any]:
    """Model -> its habits, all of them shares of questions from 0 to 1.

    knows: by country; default: of the other countries (nested: what a share knows, a greater one knows too);
    hard: times which it knows a question when each option is asked on its own, otherwise it says False;
    likes, liking: a letter, and how often it is named where the answer is not known (else at random);
    refuses: to answer; talks: answers in a sentence where it is not told to reply with the label and nothing
    else.
    """
    found: dict[str, Any] = json.loads(text)
    return found


def answer_culturalbench(settings: str, model: str, prompt: str) -> str:
    """The reply to one prompt, Easy or Hard."""
    habits = settings_of(settings)[model]
    number = int(re.findall(r"feast (\d+)", prompt)[0])
    country = re.findall(r"In ([^,]+), what do guests", prompt)[0]
    if share("refuses", model, number) < habits.get("refuses", 0):
        return "I cannot answer questions about people."
    letters = re.search(r"^A\. ", prompt, re.M) is not None
    knows = habits.get("knows", {}).get(country, habits.get("default", 0)) * (
        1 if letters else habits.get("hard", 1)
    )
    known = share("knows", "", number) < knows
    if letters:
        label = _right_letter(prompt, number) if known else _guess(habits, model, prompt)
    else:
        label = str(_is_true(prompt, number)) if known else "False"
    talks = "nothing else" not in prompt and share("talks", model, number) < habits.get("talks", 0)
    return f"I would say the answer is {label}." if talks else label


def share(purpose: str, model: str, number: int | str) -> float:
    """A number from 0 to 1 that is always the same."""
    return (
        int.from_bytes(blake2b(f"{purpose}\0{model}\0{number}".encode(), digest_size=8).digest(), "big")
        / 2**64
    )


def _is_multi(prompt: str) -> bool:
    return "Choose all that apply." in prompt


def _right_letter(prompt: str, number: int) -> str:
    right = re.escape(MULTI_GOLD) + "$" if _is_multi(prompt) else f"They take {re.escape(THINGS[number % 4])}"
    found = re.search(rf"^([A-D])\. {right}", prompt, re.M) or re.search(r"^([A-D])\. None$", prompt, re.M)
    assert found, prompt
    return found[1]


def _guess(habits: dict[str, Any], model: str, prompt: str) -> str:
    if share("likes", model, prompt) < habits.get("liking", 0):
        return str(habits["likes"])
    return "ABCD"[int(4 * share("guess", model, prompt))]


def _is_true(prompt: str, number: int) -> bool:
    proposed = prompt.rpartition("Proposed answer:")[2]
    place = next((place for place, thing in enumerate(THINGS) if f"They take {thing}" in proposed), 3)
    return place in MULTI_TRUE if _is_multi(prompt) else place == number % 4
