"""Indonesian: affixes come off by rules as long as a base word that simplemma lists is left.

Before the base stand di-, ke-, se-, ter-, ber-, per-, meN- and peN-, whose nasal takes the place of k, p, s or t; behind it
-kan, -an and -i, the possessors -ku, -mu, -nya and the particles -lah, -kah, -tah, -pun. Of several bases the longest is
meant, and of these one that stands in the word, so that masakan and memasak are of masak and not of masa or pasak. A word
without a listed base loses only -nya. Facts from J. N. Sneddon, Indonesian: A Comprehensive Grammar (Routledge, 1996),
chapter 1, and M. Adriani et al., Stemming Indonesian: A Confix-Stripping Approach (ACM TALIP 6(4), 2007).

The Snowball stemmer, which asks no list, takes sekolah for seko-lah. PySastrawi's list may not be used commercially.
"""

from __future__ import annotations

from collections.abc import Iterator

from folkways.text.languages.affixes import without_suffix
from folkways.text.languages.lemmas import known_lemmas

_PARTICLES = ("lah", "kah", "tah", "pun")
_POSSESSORS = ("nya", "ku", "mu")
_DERIVED = ("kan", "an", "i")
_PREFIXES = ("di", "ke", "se", "ter", "te", "ber", "be", "bel", "per", "pel", "me", "pe")
_NASALS = {"ng": ("", "k"), "ny": ("s",), "nge": ("",), "m": ("p",), "n": ("t", ""), "": ("",)}
"""What a nasal behind me- and pe- stands before or in place of; m also stands before b and f, which stay."""
_SHORTEST = 3
_MOST_PREFIXES = 2
_BOTH_SIDES = 4  # letters of the shortest affixes that stand on both sides of a base, se- and -an


def stem(word: str) -> str:
    """The base of a word in lower case."""
    listed = known_lemmas("id")
    forms = {form for form in _forms(word) if form in listed}
    if word in listed:
        forms = {form for form in forms if _derived(word, form)} or {word}
    return max(forms, key=lambda form: (len(form), form in word, form), default=without_suffix(word, ("nya",), _SHORTEST))


def _derived(word: str, base: str) -> bool:
    """Whether a listed word is of a base nonetheless, as pegunungan of gunung: affixes on both sides, or -an behind a long one."""
    return len(base) > _SHORTEST and (len(word) - len(base) >= _BOTH_SIDES or (word == f"{base}an" and len(base) > _BOTH_SIDES))


def _forms(word: str) -> Iterator[str]:
    """What is left of a word without some of its affixes."""
    for bare in _without_suffixes(word):
        layer = {bare}
        for _ in range(_MOST_PREFIXES + 1):
            yield from layer
            layer = {form for longer in layer for form in _without_prefix(longer) if len(form) >= _SHORTEST}


def _without_suffixes(word: str) -> set[str]:
    """The word without a particle, a possessor and a derivational suffix, in this order, any of which may be absent."""
    forms = {word}
    for suffixes in (_PARTICLES, _POSSESSORS, _DERIVED):
        forms |= {
            form[: -len(end)] for form in forms for end in suffixes if form.endswith(end) and len(form) - len(end) >= _SHORTEST
        }
    return forms


def _without_prefix(word: str) -> Iterator[str]:
    for prefix in _PREFIXES:
        if word.startswith(prefix):
            rest = word[len(prefix) :]
            yield rest
            if prefix in ("me", "pe"):
                yield from (
                    initial + rest[len(nasal) :]
                    for nasal, initials in _NASALS.items()
                    if rest.startswith(nasal)
                    for initial in initials
                )
                if rest.startswith("m"):
                    yield rest[1:]
