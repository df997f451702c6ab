"""A segmenter for every language, without a dictionary: Unicode words, numbers kept whole, Han characters one
by one."""

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


@cache
def _token() -> re.Pattern[str]:
    """Separators, controls, punctuation and symbols divide words. Marks are part of words (Indic vowel
    signs are marks)."""
    between = "".join(
        re.escape(character)
        for character in map(chr, range(0x10000))
        if (category := unicodedata.category(character))[0] in "ZPS" or category == "Cc"
    )
    letter = rf"[^{between}{HAN}{KANA}\U0001f000-\U0001faff]"
    return re.compile(rf"{NUMBER}|[{HAN}{KANA}]|{letter}+(?:['’ʼ]{letter}+)*")


@dataclass(frozen=True, slots=True)
class SimpleSegmenter:
    """Tokens are runs of letters, digits and marks, with apostrophes inside; white space and punctuation
    divide and are dropped.

    A text of nothing but punctuation is one token, so that it does not match everything.
    """

    name: str = "simple"
    version: str = "1"

    def tokens(self, text: str) -> list[str]:
        """The tokens of ``text`` in order, in their own case."""
        return _token().findall(text) or text.split()

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token begins and ends; none in a text of nothing but punctuation."""
        return [match.span() for match in _token().finditer(text)]
