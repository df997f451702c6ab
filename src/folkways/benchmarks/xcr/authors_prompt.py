"""Makes the released adaptation prompt fit to be sent.

The prompt was copied from a typeset page: its lines are broken where the page broke them, words are hyphenated at line ends, and
one text stands for three cultures ("Bengali/Chinese/Arabic", and "Bengali" alone in one place). It is sent with the lines rejoined
and the one culture that is meant; nothing else is changed.
"""

from __future__ import annotations

import re

_ANY_CULTURE = re.compile(r"\bBengali/Chinese/\s*Arabic\b|\bBengali\b(?!/)")
_HYPHENATED = re.compile(r"(\w+)-\n(\w+)")
_SOFT_BREAK = re.compile(r"(?<=[\w,;()>/])\n(?=[A-Za-z<(])")


def for_people(prompt: str, adjective: str) -> str:
    """The prompt with rejoined lines, for the people that ``adjective`` names ("Chinese")."""
    return _ANY_CULTURE.sub(lambda _: adjective, rejoined(prompt))


def rejoined(prompt: str) -> str:
    """The prompt without the page's line breaks. A hyphen at a line end stays where the same word is hyphenated elsewhere."""

    def word(found: re.Match[str]) -> str:
        hyphenated = f"{found[1]}-{found[2]}"
        return hyphenated if hyphenated.lower() in prompt.lower() else f"{found[1]}{found[2]}"

    return _SOFT_BREAK.sub(" ", _HYPHENATED.sub(word, prompt))
