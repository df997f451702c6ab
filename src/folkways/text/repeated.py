"""What a text repeats of another: a question repeated in a reply is not part of its answer.

About one question in twenty of BLEnD's kind has an answer of people among its own words ("Where do high
school students study?").
"""

from __future__ import annotations

import re
from functools import lru_cache

from folkways.text.languages.simple import HAN, KANA, SimpleSegmenter

ENOUGH = 3.0
_CHARACTER = re.compile(f"[{HAN}{KANA}]")
_SEGMENTER = SimpleSegmenter()


def without_repeated(text: str, source: str) -> str:
    """``text`` without what it repeats of ``source``: three words on end or more, two numbers, or six
    characters of Han or Kana.

    Case and characters between words do not matter. Less than that may be said for its own sake ("high
    school").
    """
    runs = _of_source(source)
    pieces: list[str] = []
    done = 0
    for start, end, run in _runs(text):
        if run in runs:
            pieces.append(text[done:start])
            done = end
    return " ".join(part for part in (*pieces, text[done:]) if part)


@lru_cache(maxsize=1024)
def _of_source(source: str) -> frozenset[tuple[str, ...]]:
    return frozenset(run for _, _, run in _runs(source))


def _runs(text: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Where each shortest run of words that weighs enough begins and ends, and its words."""
    words = [(start, end, text[start:end].casefold()) for start, end in _SEGMENTER.spans(text)]
    runs = []
    for first in range(len(words)):
        weight = 0.0
        for last in range(first, len(words)):
            weight += _weight(words[last][2])
            if weight >= ENOUGH:
                runs.append(
                    (words[first][0], words[last][1], tuple(word for _, _, word in words[first : last + 1]))
                )
                break
    return runs


def _weight(word: str) -> float:
    if word[0].isdecimal():
        return 1.5
    return 0.5 if _CHARACTER.match(word) else 1.0
