"""Basque: a light stemmer by rules.

The last word of a phrase has the case ending: singular (etxean), plural (etxeetan) or indefinite (etxetan);
the longest goes. A vowel a or e that then ends the word goes too: it may be the article (laguna), part of the
noun (alaba) or part of an ending (eguneko), and so all forms of either noun meet. A doubled r, which a noun
in r has before an ending (haurrak), becomes one. Facts from J. I. Hualde and J. Ortiz de Urbina (eds.), A
Grammar of Basque (Mouton de Gruyter, 2003), chapter 3.
"""

from __future__ import annotations

from folkways.text.languages.affixes import longest_first, without_suffix

_SUFFIXES = longest_first(
    "a ak ek en aren ari ei az ez rik",
    "an etan tan ko eko etako tako tik etik etatik tatik ra era etara tara rantz raino",
    "kin rekin arekin ekin gatik rengatik arengatik engatik tzat rentzat arentzat entzat",
)
_SHORTEST = 2


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    bare = without_suffix(without_suffix(word, _SUFFIXES, _SHORTEST), ("a", "e"), _SHORTEST)
    return bare[:-1] if bare.endswith("rr") else bare
