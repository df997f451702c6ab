"""Arabic: a light stemmer by rules.

Letters that are written in several ways become one; conjunction, preposition and article go from the front,
endings of number, gender and possession from the back. Roots are left alone: words of one root (library,
writer, book) are different answers, and so does -ان stay, in which too many names end (لبنان). Facts from L.
Larkey, L. Ballesteros and M. Connell, Light Stemming for Arabic Information Retrieval (in Arabic
Computational Morphology, Springer, 2007), and K. Ryding, A Reference Grammar of Modern Standard Arabic
(Cambridge, 2005), chapters 7 to 9.
"""

from __future__ import annotations

import re

from folkways.text.languages.affixes import longest_first, without_prefix, without_suffix

_MARKS = re.compile("[\u0640\u064b-\u0652\u0670]")
_LETTERS = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك"})
_ARTICLES = longest_first("وبال وكال وال بال كال فال ولل ال لل")
_SUFFIXES = longest_first("ات ون ين ية يه ها هم ة ه ي")
_SHORTEST = 3


def stem(word: str) -> str:
    """The stem of a word."""
    word = _MARKS.sub("", word).translate(_LETTERS)
    bare = without_prefix(word, _ARTICLES, 2)
    if bare == word:
        bare = without_prefix(word, ("و",), _SHORTEST + 1)
    return without_suffix(bare, _SUFFIXES, _SHORTEST)
