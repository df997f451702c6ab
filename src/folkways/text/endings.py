"""What may be grown onto a word without making it another word: particles, plurals, case endings.

A stand-in for lemmatisers, for matching by whole words. Only languages in which the base form stays whole are
here; in the others (Arabic, Greek, Spanish, ...) a form changes inside and needs a lemmatiser.
"""

from __future__ import annotations

import re
from functools import cache

ENDINGS = {
    "en": r"s|es|'s|s'",
    "ko": (
        r"(?:들|은|는|이|가|을|를|와|과|의|에|에서|에게|께|께서|한테|로|으로|도|만|까지|부터|나|이나|랑|이랑|처럼|마다|보다|등"
        r"|다|이다|요|이요|에요|예요|이에요|이며|인데|입니다|이었습니다|였습니다){1,3}"
    ),
    "az": r"(?:l[aə]r)?(?:[ıiuü]|n[ıiuü]|y[aə]|[aə]|d[aə]|d[aə]n|[ıiuü]n|n[ıiuü]n)?(?:d[ıiuü]r)?",
}
"""Language -> pattern of the endings, in the normal form of ``strict_text``; a language that is not here has
none."""


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    return re.compile(f"(?:{ENDINGS[language]}) ") if language in ENDINGS else None


def stands_in(words: str, phrase: str, language: str) -> bool:
    """Whether ``phrase`` stands in ``words`` as whole words, its last one perhaps with an ending.

    Both are normalised words with one space before and after each (" fried rice ").
    """
    if phrase in words:
        return True
    endings = _pattern(language)
    if endings is None:
        return False
    stem = phrase[:-1]
    start = words.find(stem)
    while start >= 0:
        if endings.match(words, start + len(stem)):
            return True
        start = words.find(stem, start + 1)
    return False
