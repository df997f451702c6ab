"""A segmenter for every language, without a dictionary: Unicode words, numbers kept whole, Han characters one
by one, and Thai, Lao, Khmer and Burmese, which have no spaces between words, syllable by syllable."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

NUMBER = r"\d+(?:[.,:/]\d+)+"
"""Decimals, times and dates (3.5, 10:30, 25/12) are one token, so that the 10 of 10:30 is no number by
itself."""

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
KANA = "\u3040-\u30ff"


_OPEN = "(?<![\u0e30\u0e33\u0eb0\u0eb3])(?<![\u0e4d\u0ecd][\u0e32\u0eb2])"
"""Behind short a and am no consonant closes a syllable."""


def _syllable(before: str, consonant: str, mark: str) -> str:
    """A consonant with its vowels, before it and around it, and the bare consonant that closes it; or two
    bare consonants, three where their number is odd, so that the Thai word for milk stays out of snack."""
    opened = rf"(?:[{before}][{consonant}][{mark}]*|[{consonant}][{mark}]+)"
    bare = rf"[{consonant}](?![{mark}])"
    three = rf"(?:{bare}){{3}}(?=(?:{bare}{bare}){{0,8}}(?!{bare}))"
    return rf"{opened}(?:{_OPEN}{bare})?|{three}|{bare}{bare}|[{consonant}]"


_STACKED = "(?:\u17d2[\u1780-\u17a2]|[\u17b4-\u17d1\u17d3\u17dd])"  # a subscript or a vowel
_SYLLABLES = "|".join(
    (
        _syllable("\u0e40-\u0e44", "\u0e01-\u0e2e", "\u0e30-\u0e3a\u0e45\u0e47-\u0e4e"),  # Thai
        _syllable("\u0ec0-\u0ec4", "\u0e81-\u0eae\u0edc-\u0edf", "\u0eb0-\u0ebd\u0ec8-\u0ece"),  # Lao
        rf"[\u1780-\u17b3]{_STACKED}+(?:[\u1780-\u17a2](?!{_STACKED}))?|[\u1780-\u17b3]",  # Khmer
        # Burmese: a killed consonant closes the syllable, a stacked one belongs to it
        "(?:\u1004\u103a\u1039)?[\u1000-\u102a\u103f](?:\u1039[\u1000-\u1021])*[\u102b-\u103e]*(?:[\u1000-\u1021]\u1037?\u103a(?!\u1039)[\u1037\u1038]*)*",
    )
)
_SYLLABIC = "\u0e01-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1780-\u17d3\u17dd"
UNSPACED = re.compile(f"[{HAN}{KANA}{_SYLLABIC}]")
"""A character of the scripts without spaces between words."""


@cache
def _token() -> re.Pattern[str]:
    """Separators, controls, punctuation and symbols divide words. Marks are part of words (Indic vowel
    signs are marks)."""
    between = "".join(
        re.escape(character)
        for character in map(chr, range(0x10000))
        if (category := unicodedata.category(character))[0] in "ZPS" or category == "Cc"
    )
    letter = rf"[^{between}{HAN}{KANA}{_SYLLABIC}\U0001f000-\U0001faff]"
    word = rf"{letter}+(?:['’ʼ]{letter}+)*"
    return re.compile(rf"{NUMBER}|[{HAN}{KANA}]|{word}|{_SYLLABLES}|[{_SYLLABIC}]")


@dataclass(frozen=True, slots=True)
class SimpleSegmenter:
    """Tokens are runs of letters, digits and marks, with apostrophes inside; white space and punctuation
    divide and are dropped.

    A text of nothing but punctuation is one token, so that it does not match everything.
    """

    name: str = "simple"
    version: str = "2"

    def tokens(self, text: str) -> list[str]:
        """The tokens of ``text`` in order, in their own case."""
        return _token().findall(text) or text.split()

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token begins and ends; none in a text of nothing but punctuation."""
        return [match.span() for match in _token().finditer(text)]
