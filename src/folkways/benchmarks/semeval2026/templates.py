"""Which questions about different regions are the same question.

The number of an id tells it for most: ``en-US_001`` and ``en-ET_001`` are one question about two countries.
In the released data it does not for Japan, whose 500 questions are in another order, and for a few single
ones elsewhere. So the English wordings are compared, without the names of the regions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import polars as pl

from folkways.benchmarks.semeval2026.release import Entry
from folkways.records import of_rows

ALIKE, LIKEST, SURE = 0.6, 0.5, 0.75
"""Share of words in common (Jaccard) from which a question is the one of its number; from which it is so if
no other number's is more like it; and from which it is the question of another number."""

OFTEN = 0.3
"""A word of this share of a region's questions, and not of every region's, is of its name."""

_WORD = re.compile(r"\w+")

Words = frozenset[str]


def templates_of(items: pl.DataFrame) -> Mapping[str, str]:
    """Item's ``question`` ("ET_001") -> the template's number ("001"); without those that are like no other
    region's.

    items: with ``question``, ``culture`` and ``english``; questions without an English wording are in no
    template.
    """
    questions = items.filter(pl.col("english").is_not_null()).unique(
        "question", keep="first", maintain_order=True
    )
    words: dict[str, Words] = {}
    for part in questions.partition_by("culture"):
        words |= {
            key: frozenset(_WORD.findall(text.lower()))
            for key, text in part.select("question", "english").iter_rows()
        }
    cultures = dict(questions.select("question", "culture").iter_rows())
    bare = _without_names(words, cultures)
    numbers: dict[str, list[Words]] = {}
    for key, remaining in bare.items():
        numbers.setdefault(_number(key), []).append(remaining)
    wordings = {
        number: Counter(template_of).most_common(1)[0][0]
        for number, template_of in numbers.items()
        if len(template_of) > 1
    }
    template_of = {}
    for key, remaining in bare.items():
        number = _number(key)
        if number not in wordings or _alike(remaining, wordings[number]) < ALIKE:
            most, likest = max(
                ((_alike(remaining, wording), other) for other, wording in wordings.items()),
                default=(0.0, ""),
            )
            if most < (LIKEST if likest == number else SURE):
                continue
            number = likest
        template_of[key] = number
    return template_of


OWN_ORDER = "JP"
"""The region whose questions stand in another order than those of all others: its numbers tell nothing of the
template."""


def sampled_questions(entries: Iterable[Entry]) -> Mapping[str, str]:
    """Entry's ``number`` -> the question that is sampled, which regions share: short answers.

    The template, where the texts tell it; a question that is like no other region's is its own. Without texts
    the bare number, which all regions share but OWN_ORDER.
    """
    rows = [(entry.number, entry.culture, entry.english) for entry in entries]
    schema = {"question": pl.String, "culture": pl.String, "english": pl.String}
    templates = templates_of(of_rows(rows, schema))
    if templates:
        return {number: templates.get(number, number) for number, *_ in rows}
    return {number: number if number.startswith(f"{OWN_ORDER}_") else _number(number) for number, *_ in rows}


def same_wordings(entries: Iterable[Entry]) -> Mapping[str, str]:
    """Entry's ``number`` -> the question that is sampled: multiple choice, whose numbers are each region's
    own.

    Questions are one where their words are, but for the regions' names. Without texts each is its own, and
    which of them regions share is not known.
    """
    with_text = {entry.number: entry for entry in entries if entry.english}
    words = {
        number: frozenset(_WORD.findall((entry.english or "").lower())) for number, entry in with_text.items()
    }
    names = set[str]().union(
        *_names(words, {number: entry.culture for number, entry in with_text.items()}).values()
    )
    first: dict[Words, str] = {}
    return {number: first.setdefault(text_words - names, number) for number, text_words in words.items()}


def _number(question: str) -> str:
    return question.rpartition("_")[2]


def _without_names(words: Mapping[str, Words], cultures: Mapping[str, str]) -> dict[str, Words]:
    often = _names(words, cultures)
    return {key: text_words - often[cultures[key]] for key, text_words in words.items()}


def _names(words: Mapping[str, Words], cultures: Mapping[str, str]) -> dict[str, set[str]]:
    """Culture -> the words of its name: those of many of its questions, and not of every culture's; none
    where there is one culture alone."""
    questions, counts = Counter(cultures.values()), Counter[tuple[str, str]]()
    for key, text_words in words.items():
        counts.update((cultures[key], word) for word in text_words)
    often = {
        culture: {word for (of, word), n in counts.items() if of == culture and n >= OFTEN * all_}
        for culture, all_ in questions.items()
    }
    everywhere = set.intersection(*often.values()) if often else set[str]()
    return {culture: text_words - everywhere for culture, text_words in often.items()}


def _alike(one: Words, other: Words) -> float:
    return len(one & other) / max(1, len(one | other))
