"""Persian: endings come off by rules; which -i, -m, -t, -sh and -an are endings, simplemma's list of base
words says.

Plural -hâ precedes ezafe and possessors, written on, apart or after a zero-width non-joiner
(کتاب‌هایمان); it, -tar and -tarin come off, and so does what a non-joiner sets apart. Indefinite -i, -yi, the
possessors and the plurals -ân and -ât come off a word that is not listed where what stays is listed: of four
letters before -i, because a fish (ماهی) is not a moon (ماه). Possessors of three letters and -ât come off
other words too. Broken plurals stay, and so do Arabic yeh and kaf, as the authors have them. Facts from S.
Mahootian, Persian (Routledge, 1997), chapter 2.
"""

from __future__ import annotations

import re

from folkways.text.languages.lemmas import known_lemmas

_ZWNJ = "\u200c"
_PLURAL = re.compile(f"{_ZWNJ}?ها(?:ی|یی|یم|یت|یش|یمان|یتان|یشان)?$")
_DEGREE = re.compile(f"{_ZWNJ}?تر(?:ین)?$")
_JOINED = re.compile(f"{_ZWNJ}(?:ی|ای|ام|ات|اش|اند|مان|تان|شان)$")
_CLEAR = re.compile(f"{_ZWNJ}?(?:مان|تان|شان|ات)$")
_OF_LISTED = (
    (re.compile(f"{_ZWNJ}?(?:مان|تان|شان|ات|ای|یی|یم|ان)$"), 2),
    (re.compile(f"{_ZWNJ}?[متش]$"), 3),
    (re.compile(f"{_ZWNJ}?ی$"), 4),
)
"""Endings, and how many letters at least stay of a listed word without them."""


def stem(word: str) -> str:
    """The word without its endings."""
    word = word.strip(_ZWNJ)
    listed = known_lemmas("fa")
    bare = _without(_PLURAL, _without(_JOINED, word), shortest=2)
    if bare not in listed:
        bare = _without(_DEGREE, bare)
    if bare in listed:
        return bare
    shorter = (_without(ending, bare, shortest) for ending, shortest in _OF_LISTED)
    return next((form for form in shorter if form in listed), _without(_CLEAR, bare, shortest=4))


def _without(ending: re.Pattern[str], word: str, shortest: int = 3) -> str:
    match = ending.search(word)
    return word[: match.start()] if match and match.start() >= shortest else word
