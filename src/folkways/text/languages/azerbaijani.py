"""Azerbaijani: a stemmer by rules.

Suffixes follow one another: plural, possessor, case, copula; they are taken off from the end until none is
left. k and q that softened to y and ğ before a vowel become hard again (çörəyi, çörək). An n after a vowel
goes too, because it may belong to the noun (idmanın) or to its ending (almanın): so all forms of either noun
meet. A dative -a or -ə goes only where two syllables stay, for too many nouns end so (alma, pivə), and never
after -ov and -ev, where it tells a woman's surname from a man's. Vowel harmony is not asked for, since those
who err in it mean the same word. Facts from V. Schönig, Azerbaijanian, in L. Johanson and E. Csató (eds.),
The Turkic Languages (Routledge, 1998), and the order of suffixes from G. Lewis, Turkish Grammar (Oxford,
2000), chapters 2 and 3.
"""

from __future__ import annotations

import re

from folkways.text.languages.affixes import longest_first

_VOWEL = "[aeəıioöuü]"
_SUFFIXES = longest_first(
    "lar lər la lə dan dən da də ya yə nı ni nu nü a ə ı i u ü",
    "ım im um üm sı si su sü mız miz muz müz nız niz nuz nüz",
    "dakı dəki dır dir dur dür",
)
_SHORTEST = 2
_SOFTENED = re.compile(
    r"(?<=\w{2}[əiü])y[iü]$|(?<=\w{2}[aıu])ğ[ıua]?$|(?<=\wl[iü])y[əiü]?$|(?<=\wmə)y[əiü]?$"
)
_BUFFER = re.compile(rf"(?<={_VOWEL})n$")
_TAKES_DATIVE = re.compile(rf"{_VOWEL}.*{_VOWEL}.*(?<![oe]v)$")


def lower(word: str) -> str:
    """Lower case as the authors make it: İ is i. (A reply that ``str.lower`` has been over has i with a dot
    above, which stays.)"""
    return word.replace("İ", "i").lower()


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    while (shorter := _without_ending(word)) != word:
        word = shorter
    return word


def _without_ending(word: str) -> str:
    """One suffix less."""
    hardened = _SOFTENED.sub(lambda ending: "k" if ending[0].startswith("y") else "q", word)
    if hardened != word:
        return hardened
    if len(word) > _SHORTEST and (bare := _BUFFER.sub("", word)) != word:
        return bare
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and _can_stand(word[: -len(suffix)], suffix):
            return word[: -len(suffix)]
    return word


def _can_stand(stem: str, suffix: str) -> bool:
    """Whether a suffix fits a stem that has a syllable: none makes two vowels meet, and y and s part
    two vowels."""
    if len(stem) < _SHORTEST or not re.search(_VOWEL, stem):
        return False
    after_vowel = re.fullmatch(_VOWEL, stem[-1]) is not None
    if re.match(_VOWEL, suffix):
        return not after_vowel and (suffix not in ("a", "ə") or _TAKES_DATIVE.search(stem) is not None)
    return after_vowel or suffix[0] not in "ys"
