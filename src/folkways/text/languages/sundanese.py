"""Sundanese: a stemmer by rules.

Verbs and nouns are made with a prefix or a nasal in place of the first consonant, the plural with -ar- or -al- behind it, and
suffixes of voice, nominalisation and the definite -na; a first syllable may be said twice (sesepuh, bubuahan). The nasal does
not tell which consonant it replaced, so most that it can stand for become one: kopi and ngopi, bantu and mantu (but not c of
caket). The infix -ar- stays, because too many words have it of their own (karang). Facts from F. Müller-Gotama, Sundanese
(Lincom Europa, 2001), chapter 3, and R. H. Robins, Nominal and Verbal Derivation in Sundanese (Lingua 8, 1959).
"""

from __future__ import annotations

import re

from folkways.text.languages.affixes import longest_first, without_prefix, without_suffix

_ACCENTS = str.maketrans("éèë", "eee")
_SUFFIXES = longest_first("keunana keunna anana eunana keun eun ning na an")
_PREFIXES = longest_first("dipang dipi dika pang nga mang nyang di ka pa sa ti pi")
_SHORTEST = 4
_AFTER_VOWEL = re.compile("(?<=[a-z][aeiou])an$")
_TWICE = re.compile(r"^([^aeiou]*[aeiou])(?=\1\w\w)")
_FIRST = re.compile("^(?:ng|k(?=[aeiou])|(ny|s)|([bp]|m)|([nt]))(?=[aeiou])")


def stem(word: str) -> str:
    """The stem of a word in lower case; é is written by some and not by others."""
    word = word.translate(_ACCENTS)
    bare = without_prefix(without_suffix(word, _SUFFIXES, _SHORTEST), _PREFIXES, _SHORTEST)
    bare = _TWICE.sub("", _AFTER_VOWEL.sub("", bare))
    return _FIRST.sub(_one_of_all, bare) if len(bare) >= _SHORTEST else bare


def _one_of_all(first: re.Match[str]) -> str:
    """One letter for a nasal and for each consonant that it can replace; none for ng, which may stand before a bare vowel."""
    return ("", "s", "p", "t")[first.lastindex or 0]
