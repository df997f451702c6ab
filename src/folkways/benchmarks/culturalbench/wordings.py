"""Our wording of the prompts. The authors' are not released; the paper adds a line about the format, as ``strict-format`` does."""

from __future__ import annotations

from collections.abc import Mapping

_EASY = "{question}\n\nA. {a}\nB. {b}\nC. {c}\nD. {d}"
_HARD = "Question: {question}\nProposed answer: {option}"

EASY: Mapping[str, str] = {
    "plain": f"{_EASY}\n\nAnswer:",
    "strict-format": (
        f"Choose the option that answers the question best.\n\n{_EASY}\n\n"
        "Reply with the letter of one option (A, B, C or D) and with nothing else: no words, no punctuation.\nAnswer:"
    ),
}
HARD: Mapping[str, str] = {
    "plain": f"{_HARD}\n\nIs the proposed answer true or false?",
    "strict-format": (
        f"Decide whether the proposed answer to the question is true. Other answers may be true as well.\n\n{_HARD}\n\n"
        "Reply with one word, True or False, and with nothing else: no explanation, no punctuation.\nAnswer:"
    ),
}
