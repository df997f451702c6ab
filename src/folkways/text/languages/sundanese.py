"""Sundanese: a stemmer by rules.

Verbs and nouns are made with a prefix or a nasal in place of the first consonant, the plural with -ar- or
-al- after it, and up to two suffixes of voice, nominalisation and the definite -na (petasanna); a first
syllable may be said twice (sesepuh, bubuahan). Many bases have three letters (teh, bal), and so much stays.
The nasal does not tell which consonant it replaced, so most candidates become one: kopi and ngopi,
bantu and mantu (but not c of caket). The infix -ar- stays, because too many words have it of their own
(karang). Facts from F. Müller-Gotama, Sundanese (Lincom Europa, 2001), chapter 3, and R. H. Robins, Nominal
and Verbal Derivation in Sundanese (Lingua 8, 1959).
"""

from __future__ import annotations

import re

from folkways.text.languages.affixes import longest_first, without_prefix, without_suffix

_ACCENTS = str.maketrans("éèë", "eee")
_SUFFIXES = longest_first("keunana keunna anana eunana keun eun ning na an")
_PREFIXES = longest_first("dipang dipi dika pang nga mang nyang ba di ka mi pa sa ti pi")
_SHORTEST = 3
_MOST_SUFFIXES = 2
_WORD_BEGINS = re.compile("(?:n[gy]|[^aeiou])?[aeiou]")
"""At most one consonant, as in mantu, and not as in ba-ntu."""
_TWICE = re.compile(r"^([^aeiou]*[aeiou])(?=\1\w\w)")
_FIRST = re.compile(r"^(?:ng|k|(ny|s)|([bp]|m)|([nt]))(?=[aeiou]\w)")


def stem(word: str) -> str:
    """The stem of a word in lower case; é is written by some and not by others."""
    word = word.translate(_ACCENTS)
    for _ in range(_MOST_SUFFIXES):
        word = without_suffix(word, _SUFFIXES, _SHORTEST)
    bare = without_prefix(word, _PREFIXES, _SHORTEST)
    return _FIRST.sub(_one_of_all, _TWICE.sub("", bare if _WORD_BEGINS.match(bare) else word))


def _one_of_all(first: re.Match[str]) -> str:
    """One letter for a nasal and for each consonant that it can replace; none for ng, which may precede a
    bare vowel."""
    return ("", "s", "p", "t")[first.lastindex or 0]
