"""Hausa: a stemmer by rules.

Nouns carry a linker or definite article (-n, -r), possessors behind it (-nsu, -rta), and one of many plurals; agents and places
take ma-. Facts from P. Newman, The Hausa Language: An Encyclopedic Reference Grammar (Yale, 2000), chapters 14, 53, 55 and 56,
and A. Bimba, N. Idris, N. Khamis and N. Noor, Stemming Hausa text (Language Resources and Evaluation 50, 2016).
"""

from __future__ import annotations

import re

from folkways.text.affixes import longest_first, without_prefix, without_suffix

_VOWELS = "aeiou"
_HOOKED = str.maketrans({"ƴ": "'y", "’": "'", "ʼ": "'"})
_POSSESSORS = longest_first("nsu rsu nmu rmu nku rku nsa rsa nsi nta rta nka rka nki rki nshi rshi")
_PLURALS = longest_first("anni unan una uka aye")
_ECHO = re.compile(r"(?<=[aeiou])((sh|[bdfgjklmnrswz])o\2|toc)i$")
"""Plurals in -oCi, whose C repeats the last consonant: tasha, tashoshi; mota, motoci."""
_SHORTEST = 3


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    word = word.translate(_HOOKED)
    while (shorter := _without_ending(word)) != word:
        word = shorter
    return without_prefix(word, ("ma",), _SHORTEST)


def _without_ending(word: str) -> str:
    """One possessor, linker, plural or -nci less."""
    shorter = without_suffix(word, _POSSESSORS, _SHORTEST)
    if shorter == word and len(word) > _SHORTEST and word[-1] in "nr" and word[-2] in _VOWELS:
        return word[:-1]  # gidan, motar
    if shorter == word:
        shorter = without_suffix(word, _PLURALS, _SHORTEST)
    if shorter == word and (echo := _ECHO.search(word)):
        return f"{word[: echo.start()]}{echo[2] or 't'}a"
    if shorter == word and word.endswith("ai") and len(word) > _SHORTEST + 1 and word[-3] not in _VOWELS:
        return word[:-2]
    return without_suffix(word, ("nci",), _SHORTEST) if shorter == word else shorter
