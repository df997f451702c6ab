"""Which questions about different regions are the same question.

The number of an id tells it for most: ``en-US_001`` and ``en-ET_001`` are one question about two countries. In the released data it
does not for Japan, whose 500 questions are in another order, and for a few single ones elsewhere. So the English wordings are
compared, without the names of the regions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import polars as pl

ALIKE, LIKEST, SURE = 0.6, 0.5, 0.75
"""Share of words in common (Jaccard) from which a question is the one of its number; from which it is so if no other number's is
more like it; and from which it is the question of another number."""

OFTEN = 0.3
"""A word of this share of a region's questions, and not of every region's, is of its name."""

_WORD = re.compile(r"\w+")

Words = frozenset[str]


def templates_of(items: pl.DataFrame) -> Mapping[str, str]:
    """Item's ``question`` ("ET_001") -> the template's number ("001"); without those that are like no other region's.

    items: with ``question``, ``culture`` and ``english``; questions without an English wording are in no template.
    """
    asked = items.filter(pl.col("english").is_not_null()).unique("question", keep="first", maintain_order=True)
    words: dict[str, Words] = {}
    for part in asked.partition_by("culture", maintain_order=True):
        words |= {key: frozenset(_WORD.findall(text.lower())) for key, text in part.select("question", "english").iter_rows()}
    cultures = dict(asked.select("question", "culture").iter_rows())
    bare = _without_names(words, cultures)
    numbers: dict[str, list[Words]] = {}
    for key, own in bare.items():
        numbers.setdefault(_number(key), []).append(own)
    wordings = {number: Counter(found).most_common(1)[0][0] for number, found in numbers.items() if len(found) > 1}
    found = {}
    for key, own in bare.items():
        number = _number(key)
        if number not in wordings or _alike(own, wordings[number]) < ALIKE:
            most, likest = max(((_alike(own, wording), other) for other, wording in wordings.items()), default=(0.0, ""))
            if most < (LIKEST if likest == number else SURE):
                continue
            number = likest
        found[key] = number
    return found


def _number(question: str) -> str:
    return question.rpartition("_")[2]


def _without_names(words: Mapping[str, Words], cultures: Mapping[str, str]) -> dict[str, Words]:
    questions, counts = Counter(cultures.values()), Counter[tuple[str, str]]()
    for key, own in words.items():
        counts.update((cultures[key], word) for word in own)
    often = {
        culture: {word for (of, word), n in counts.items() if of == culture and n >= OFTEN * all_}
        for culture, all_ in questions.items()
    }
    everywhere = set.intersection(*often.values()) if len(often) > 1 else set[str]()
    return {key: own - (often[cultures[key]] - everywhere) for key, own in words.items()}


def _alike(one: Words, other: Words) -> float:
    return len(one & other) / max(1, len(one | other))
