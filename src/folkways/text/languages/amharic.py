"""Amharic: a light stemmer by rules.

Letters that sound alike and are written for each other become one (ሰ ሠ, ሀ ሃ ሐ ኀ ኻ, አ ኣ ዐ, ጸ ፀ);
prepositions go from the front; accusative -ን, definite -ው, possessor and plural -ኦች from the back. The
plural melts with the last consonant (ቤት, ቤቶች), so that its letter goes from the seventh order back to the
sixth. Facts from W. Leslau, Reference Grammar of Amharic (Harrassowitz, 1995), and N. Alemayehu and P.
Willett, Stemming of Amharic Words for Information Retrieval (Literary and Linguistic Computing 17, 2002).
"""

from __future__ import annotations

from folkways.text.languages.affixes import longest_first, without_prefix, without_suffix

_PREFIXES = longest_first("እንደ ስለ ወደ የ በ ለ ከ")
_SUFFIXES = longest_first("ዎች ን ም ው ዋ")
_SHORTEST = 2
_ORDERS = 8  # code points from one consonant to the next; vowels in the order ä u i a e ə o
_SIXTH, _SEVENTH = 5, 6
_FIRST, _LAST = ord("ሀ"), ord("ፗ")


_SAME_SOUND = (("ሐ", "ሀ"), ("ኀ", "ሀ"), ("ሠ", "ሰ"), ("ዐ", "አ"), ("ፀ", "ጸ"))
_LETTERS = {
    ord(one) + order: ord(other) + order for one, other in _SAME_SOUND for order in range(_ORDERS - 1)
} | {ord(one): ord(other) for other, ones in (("ሀ", "ሃሓኃኻ"), ("አ", "ኣዓ")) for one in ones}


def stem(word: str) -> str:
    """The stem of a word."""
    word = word.translate(_LETTERS)
    while (shorter := _without_ending(word)) != word:
        word = shorter
    return without_prefix(word, _PREFIXES, _SHORTEST)


def _without_ending(word: str) -> str:
    """One suffix less, if two letters stay."""
    if word.endswith("ች") and len(word) > _SHORTEST:
        before = ord(word[-2])
        if _FIRST <= before <= _LAST and (before - _FIRST) % _ORDERS == _SEVENTH:
            return word[:-2] + chr(before - _SEVENTH + _SIXTH)
    return without_suffix(word, _SUFFIXES, _SHORTEST)
