"""Sundanese: a stemmer by rules.

Verbs and nouns are made with a prefix or a nasal in place of the first consonant, the plural with -ar- or -al- behind it, and
suffixes of voice, nominalisation and the definite -na. Facts from F. Müller-Gotama, Sundanese (Lincom Europa, 2001), chapter 3,
and R. H. Robins, Nominal and Verbal Derivation in Sundanese (Lingua 8, 1959). A nasal alone stays, because the consonant that it
replaced cannot be told (nyieun, sieun or jieun?), and so does -ar-, because too many words have it of their own (karang).
"""

from __future__ import annotations

from folkways.text.affixes import longest_first, without_prefix, without_suffix

_ACCENTS = str.maketrans("éèë", "eee")
_SUFFIXES = longest_first("keunana keunna anana eunana keun eun ning na an")
_PREFIXES = longest_first("dipang dipi dika pang nga mang di ka pa sa ti pi")
_SHORTEST = 4


def stem(word: str) -> str:
    """The stem of a word in lower case; é is written by some and not by others."""
    word = word.translate(_ACCENTS)
    return without_prefix(without_suffix(word, _SUFFIXES, _SHORTEST), _PREFIXES, _SHORTEST)
