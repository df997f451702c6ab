"""Azerbaijani: a stemmer by rules.

Suffixes follow one another: plural, possessor, case, copula; they are taken off from the end until none is left. k and q of -lik
and -mək that softened to y and ğ before a vowel become hard again (yeməyi, yemək). Vowel harmony is not asked for, since those
who err in it mean the same word. Facts from V. Schönig, Azerbaijanian, in L. Johanson and E. Csató (eds.), The Turkic Languages
(Routledge, 1998), and the order of suffixes from G. Lewis, Turkish Grammar (Oxford, 2000), chapters 2 and 3.
"""

from __future__ import annotations

import re

from folkways.text.affixes import longest_first, without_suffix

_SUFFIXES = longest_first(
    "lar lər la lə",
    "nın nin nun nün ın in un ün dan dən da də ya yə nı ni nu nü yı yi yu yü a ə ı i u ü",
    "ım im um üm sı si su sü mız miz muz müz nız niz nuz nüz",
    "dır dir dur dür",
)
_SHORTEST = 3
_SOFTENED = re.compile(r"(?<=\w)(l[iü]|mə)y[əiü]?$|(?<=\w)(l[ıu]|ma)ğ[aıu]?$")
_DOTTED = "i\u0307"  # what str.lower makes of İ


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    word = word.replace(_DOTTED, "i")
    while (shorter := _without_ending(word)) != word:
        word = shorter
    return word


def _without_ending(word: str) -> str:
    """One suffix less."""
    hardened = _SOFTENED.sub(_harden, word)
    return hardened if hardened != word else without_suffix(word, _SUFFIXES, _SHORTEST)


def _harden(ending: re.Match[str]) -> str:
    return f"{ending[1]}k" if ending[1] else f"{ending[2]}q"
