"""Indonesian: affixes come off by rules as long as a base word that simplemma lists is left.

Prefixes are ku-, kau-, di-, ke-, se-, ter-, ber-, per-, meN- and peN-, whose nasal takes the place of k, p, s
or t and fits the next sound; suffixes are -kan, -an, -i, -isasi and -isme, the possessors -ku, -mu, -nya and
the particles -lah, -kah, -tah, -pun. Of several bases the longest is meant, and of these one that occurs in
the word, so that masakan and memasak are of masak and not of masa or pasak. Malay's base words count too: the
list of Indonesian is short. A word without a listed base loses the suffixes of bases of every kind, and
-kan, -an or one prefix where the rest has the shape of a native base of two or three syllables. Facts from J.
N. Sneddon, Indonesian: A Comprehensive Grammar (Routledge, 1996), chapter 1, and M. Adriani et al., Stemming
Indonesian: A Confix-Stripping Approach (ACM TALIP 6(4), 2007).

The Snowball stemmer, which asks no list, takes sekolah for seko-lah. PySastrawi's list may not be used
commercially.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from folkways.text.languages.affixes import without_prefix, without_suffix
from folkways.text.languages.lemmas import known_lemmas

_PARTICLES = ("lah", "kah", "tah", "pun")
_POSSESSORS = ("nya", "ku", "mu")
_DERIVED = ("kan", "an", "i", "isasi", "isme")
_PREFIXES = ("ku", "kau", "di", "ke", "se", "ter", "te", "ber", "be", "bel", "per", "pel", "pe")
_NASALS = (
    (re.compile("ng(?=[aeioughk])"), ("", "k")),
    (re.compile("nge"), ("",)),
    (re.compile("ny(?=[aeiou])"), ("s",)),
    (re.compile("m(?=[aeiou])"), ("p", "m")),
    (re.compile("m(?=[bfp])"), ("",)),
    (re.compile("n(?=[aeiou])"), ("t", "n")),
    (re.compile("n(?=[cdjst])"), ("",)),
    (re.compile("(?=[lrwymn])"), ("",)),
)
"""What stands behind me- and pe-, and what the base may begin with in its place."""
_SHORTEST = 3
_MOST_PREFIXES = 2
_BOTH_SIDES = 4  # letters of the shortest affixes on both sides of a base, se- and -an
_ON_LONG_BASES = frozenset(
    ["-an", "di-", "me-", "mem-", "men-", "meng-", "ber-", "be-", "ter-", "pe-", "pem-", "pen-", "peng-"]
)
_NATIVE = re.compile("(?:(?:ng|ny|[bcdfghjklmnprstwy])?[aiueo](?:ng|[mnrlskhpt])?){2,3}")
_UNLISTED_PREFIXES = ("di", "ke", "se", "ku", "ter", "ber")


@cache
def _listed() -> frozenset[str]:
    return known_lemmas("id") | known_lemmas("ms")


def stem(word: str) -> str:
    """The base of a word in lower case."""
    listed = _listed()
    forms = {form for form in _forms(word) if form in listed}
    if word in listed:
        forms = {form for form in forms if _derived(word, form)} or {word}
    if not forms:
        return _unlisted(word)
    base = max(forms, key=lambda form: (len(form), form in word, form))
    return base if base == word else stem(base)


def _unlisted(word: str) -> str:
    """A word without a listed base, which may be a name or a loan, without what it has most likely got."""
    bare = without_suffix(without_suffix(word, _PARTICLES, _SHORTEST), _POSSESSORS, _SHORTEST)
    rest = without_prefix(without_suffix(bare, ("kan", "an"), _SHORTEST), _UNLISTED_PREFIXES, _SHORTEST)
    return rest if _NATIVE.fullmatch(rest) else bare


def _derived(word: str, base: str) -> bool:
    """Whether a listed word is of a listed base nonetheless.

    It is with affixes on both sides (pegunungan of gunung), and with -an, or a prefix of verbs and persons,
    at a long base.
    """
    if len(base) <= _SHORTEST:
        return False
    affix = word.replace(base if base in word else base[1:], "-", 1)
    return len(word) - len(base) >= _BOTH_SIDES or (affix in _ON_LONG_BASES and len(base) > _BOTH_SIDES)


def _forms(word: str) -> Iterator[str]:
    """What is left of a word without some of its affixes."""
    for bare in _without_suffixes(word):
        layer = {bare}
        for _ in range(_MOST_PREFIXES + 1):
            yield from layer
            layer = {form for longer in layer for form in _without_prefix(longer) if len(form) >= _SHORTEST}


def _without_suffixes(word: str) -> set[str]:
    """The word without a particle, a possessor and a derivational suffix, in this order; each may be
    absent."""
    forms = {word}
    for suffixes, shortest in (
        (_PARTICLES, 2),
        (_POSSESSORS, 2),
        (_DERIVED, _SHORTEST),
        (_DERIVED, _SHORTEST),
    ):
        forms |= {
            form[: -len(end)]
            for form in forms
            for end in suffixes
            if form.endswith(end) and len(form) - len(end) >= shortest
        }
    return forms


def _without_prefix(word: str) -> Iterator[str]:
    yield from (word[len(prefix) :] for prefix in _PREFIXES if word.startswith(prefix))
    if word.startswith(("me", "pe")):
        for nasal, initials in _NASALS:
            if match := nasal.match(word, len("me")):
                yield from (initial + word[match.end() :] for initial in initials)
