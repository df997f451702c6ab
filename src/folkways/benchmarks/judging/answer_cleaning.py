"""What is left of a short-answer reply once the prompt and its labels are taken out."""

from __future__ import annotations

import re

READ_AS_MISSING = frozenset(
    [
        "NA",
        "N/A",
        "<NA>",
        "#NA",
        "#N/A",
        "#N/A N/A",
        "n/a",
        "NaN",
        "nan",
        "-NaN",
        "-nan",
        "NULL",
        "null",
        "None",
    ]
).union(["1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"])
"""Replies that the authors' programs lose: pandas reads these words of a CSV as no reply at all. "None" is
also a gold answer."""

ONLY_THE_PROMPT = "the reply repeats the prompt and says nothing else"

_ASCII_PUNCTUATION = str.maketrans({"：": ":", "、": ",", "，": ",", "。": "."})
_LEADING_WORD = re.compile(r"(\w+):\s")
_LABEL = re.compile(r"([^\W\d]+)\s*[:：]")
_LIST_MARK = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_BETWEEN_ANSWERS = re.compile(r"\n|[;；、،]|[,，](?!\d)")
_DRESS = re.compile(r"""\A[\s*_`"'“”‘’.。]+|[\s*_`"'“”‘’.。]+\Z""")
_BRACKETS = re.compile(r"\A[\s\[\](){}]+|[\s\[\](){}]+\Z")


def clean_as_paper(reply: str, prompt: str) -> str:
    """The reply as the authors' code compares it.

    The prompt's own text goes; ideographic punctuation becomes ASCII; all is lower-cased; if the reply then
    begins with a word and a colon, and that word is in the prompt, it goes wherever it stands; outer white
    space and full stops go.
    """
    text = reply.replace(prompt, "").translate(_ASCII_PUNCTUATION).lower()
    leading = _LEADING_WORD.match(text)
    if leading and leading[1] in prompt.translate(_ASCII_PUNCTUATION).lower():
        text = text.replace(leading[1] + ":", "")
    return text.strip().strip(".").lower()


def clean_strictly(reply: str, prompt: str) -> str:
    """The reply in its own case, without the prompt's text, one leading label of the prompt ("Answer:"), and
    outer dress."""
    text = _DRESS.sub("", reply.replace(prompt, "") if prompt.strip() else reply)
    leading = _LABEL.match(text)
    if leading and leading[1].casefold() in prompt.casefold():
        text = text[leading.end() :]
    return _DRESS.sub("", text)


def repeats_the_prompt(reply: str, own: str) -> bool:
    """Whether ``own``, which is left of a reply without what it repeats of its prompt, has no letter and no
    digit."""
    return own != reply and not any(char.isalnum() for char in own)


def answers_in(reply: str) -> list[str]:
    """The answers of a reply that lists several, split at line breaks, commas and semicolons; a thousands
    comma does not divide."""
    parts = (
        _DRESS.sub("", _BRACKETS.sub("", _LIST_MARK.sub("", part)))
        for part in _BETWEEN_ANSWERS.split(_BRACKETS.sub("", reply))
    )
    return [part for part in parts if part]
