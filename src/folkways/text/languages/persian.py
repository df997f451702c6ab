"""Persian: endings come off by rules; which -i, -m, -t, -sh and -an are endings, simplemma's list of base words says.

Plural -hâ stands before ezafe and possessors, written on, apart or behind a zero-width non-joiner (کتاب‌هایمان); it, -tar and
-tarin come off, and so does what a non-joiner sets apart. Indefinite -i, the possessors and plural -ân come off a word that
is not listed where what stays is listed and has four letters: a fish (ماهی) is no moon (ماه). Broken plurals and -ât stay,
and so do Arabic yeh and kaf, as the authors have them. Facts from S. Mahootian, Persian (Routledge, 1997), chapter 2.
"""

from __future__ import annotations

import re

from folkways.text.languages.lemmas import known_lemmas

_ZWNJ = "\u200c"
_PLURAL = re.compile(f"{_ZWNJ}?ها(?:ی|یی|یم|یت|یش|یمان|یتان|یشان)?$")
_DEGREE = re.compile(f"{_ZWNJ}?تر(?:ین)?$")
_JOINED = re.compile(f"{_ZWNJ}(?:ای|ام|ات|اش|اند|مان|تان|شان)$")
_ENDING = re.compile(f"{_ZWNJ}?(?:مان|تان|شان|ای|یی|ان|ی|م|ت|ش)$")


def stem(word: str) -> str:
    """The word without its endings."""
    word = word.strip(_ZWNJ)
    listed = known_lemmas("fa")
    bare = _without(_PLURAL, _without(_JOINED, word), shortest=2)
    if bare not in listed:
        bare = _without(_DEGREE, bare)
    shorter = _without(_ENDING, bare, shortest=4)
    return shorter if bare not in listed and shorter in listed else bare


def _without(ending: re.Pattern[str], word: str, shortest: int = 3) -> str:
    found = ending.search(word)
    return word[: found.start()] if found and found.start() >= shortest else word
