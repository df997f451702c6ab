"""Hausa: a stemmer by rules.

Nouns carry a linker or definite article (-n, -r), possessors after it (-nsu, -rta), and one of many plurals;
agents and places take ma-, people mai-, ɗan- and 'yan-, verbal nouns -wa, -ya or another last vowel (girka,
girki). A plural's vowel is taken for the -a that most singulars end in (wasanni, wasa; shekaru, shekara).
Facts from P. Newman, The Hausa Language: An Encyclopedic Reference Grammar (Yale, 2000), chapters 14, 53, 55,
56 and 76, and A. Bimba, N. Idris, N. Khamis and N. Noor, Stemming Hausa text (Language Resources and
Evaluation 50, 2016).
"""

from __future__ import annotations

import re

from folkways.text.languages.affixes import longest_first, without_prefix, without_suffix

_VOWELS = "aeiou"
_HOOKED = str.maketrans({"ƴ": "'y", "’": "'", "ʼ": "'"})
_POSSESSORS = longest_first("nsu rsu nmu rmu nku rku nsa rsa nsi nta rta nka rka nki rki nshi rshi")
_PERSONS = longest_first("mai masu ɗan dan 'yan yan 'yar yar")
"""Owners and people of a place or trade, written together: maigida, ɗankasuwa, 'yankasuwa."""
_OF_THE_WORD = re.compile("(?:(?:kara|fuska)nta|halarta|sarauta)$")
"""Words whose -nta or -rta is no possessor: to read, to face, to attend, kingship, and what is made of them
(makaranta)."""
_PLURAL = re.compile(r"(?<=[^aeiou])(?:anni|aye|una|uka|aku)$|(?<=\w{4}[^aeiou\W])u$")
_ECHO = re.compile(r"(?<=[aeiou])((sh|[bdfgjklmnrswyz])o\2|toc)i$")
"""Plurals in -oCi, whose C repeats the last consonant: tasha, tashoshi; mota, motoci."""
_DERIVED = re.compile(r"(?<=\w{4})(?:nci|wa|(?<=i)ya)$")
_GRADE = re.compile(r"(?<=\w{4})[ei]$")
_DOUBLE = re.compile(r"([^aeiou\W\d])\1$")
_SHORTEST = 3


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    word = word.translate(_HOOKED)
    while (shorter := _without_ending(word)) != word:
        word = shorter
    bare = without_prefix(word, _PERSONS, _SHORTEST + 1)
    word = bare if bare != word else without_prefix(word, ("ma",), _SHORTEST)
    return _GRADE.sub("a", word)


def _without_ending(word: str) -> str:
    """One possessor, linker, plural, -nci, -wa or -ya less."""
    if _OF_THE_WORD.search(word):
        return word
    shorter = _DOUBLE.sub(r"\1", without_suffix(word, _POSSESSORS, _SHORTEST))
    if shorter == word and len(word) > _SHORTEST and word[-1] in "nr" and word[-2] in _VOWELS:
        return word[:-1]  # gidan, motar
    if shorter == word and len(plural := _PLURAL.sub("a", word)) > _SHORTEST:
        shorter = plural
    if shorter == word and (echo := _ECHO.search(word)):
        return f"{word[: echo.start()]}{echo[2] or 't'}a"
    if shorter == word and word.endswith("ai") and len(word) > _SHORTEST + 1 and word[-3] not in _VOWELS:
        return word[:-2]
    return _DERIVED.sub("", word) if shorter == word else shorter
