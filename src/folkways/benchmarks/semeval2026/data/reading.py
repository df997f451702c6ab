"""The released tables: gold of both tasks, and the questions where they are there.

The questions of the competition are handed out to those who register; its gold lies open. So gold decides
what the items are, and an item whose question is not there has no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from folkways.cultures import get_culture, get_language
from folkways.errors import DataError, UnknownNameError
from folkways.releases.release_records import Release
from folkways.text_tables import Columns, read_table

ANSWERS, LETTERS = "final_1_saq_reference.tsv", "final_2_mcq_reference.tsv"
QUESTIONS, CHOICES = "track_1_saq_input.tsv", "track_2_mcq_input.tsv"
LABELS = ("A", "B", "C", "D")

ASKED: Columns = {"id": ("id",), "text": ("text",)}
ASKED_WITH_OPTIONS: Columns = {
    "id": ("id",),
    "text": ("question",),
    **{label: (f"option_{label}",) for label in LABELS},
}
GOLD: Columns = {"id": ("id",), "answer": ("answer",)}

OWN_CODES = {"AS": "IN-AS", "JB": "ID-JB", "NG": "NG-N", "PV": "ES-PV"}
"""Regions of the data that are no country's code -> culture; ha-NG is BLEnD's Northern Nigeria."""

NOT_ANSWERED = frozenset(
    ["no answer", "no-answer", "not applicable", "not-applicable", "i don't know", "idk"]
)
"""What annotators could say in place of an answer, and what stands among the answers for it, in lower
case."""

REWRITTEN_DATE = re.compile(r"\d{4}-(\d\d)-(\d\d)(?: 0?0:00(?::00)?)?")

_ID = re.compile(r"([a-z]{2})-([A-Z]{2})_(\d+)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One question of a locale.

    number:  of the template, the same in the locales of a region ("ET_001" of am-ET_001 and en-ET_001).
    text:    None where the questions are not there. english: the same question in English, where it is there.
    answers: of people, without empty ones and outer spaces; of multiple choice the right letter alone.
    options: in the order of LABELS; none where the questions are not there.
    """

    id: str
    locale: str
    language: str
    culture: str
    number: str
    text: str | None
    english: str | None
    answers: tuple[str, ...]
    options: tuple[str, ...] = ()


def read_answers(release: Release) -> Iterator[Entry]:
    """The short-answer questions, in the order of the gold. DataError naming the row of an id that cannot be
    read."""
    asked = _texts(release, QUESTIONS, ASKED)
    texts = {key: text for key, (text,) in asked.items()}
    for key, gold, locale, language, region, number in _gold(release, ANSWERS):
        answers = tuple(answer for part in gold.split(";") if (answer := part.strip()))
        english = texts.get(f"en-{region}_{number}")
        yield Entry(
            key, locale, language, culture_of(region), f"{region}_{number}", texts.get(key), english, answers
        )


def read_letters(release: Release) -> Iterator[Entry]:
    """The multiple-choice questions, all of them in English, in the order of the gold. ``number`` tells which
    are the same question with other options, where the questions are there. DataError as ``read_answers``,
    and for gold that is no letter.
    """
    asked = _texts(release, CHOICES, ASKED_WITH_OPTIONS)
    first: dict[tuple[str, str], str] = {}
    for row, (key, gold, locale, _, region, number) in enumerate(_gold(release, LETTERS), 1):
        if gold not in LABELS:
            raise DataError(
                f"the answer {gold!r} is none of {', '.join(LABELS)}", file=release.path(LETTERS), row=row
            )
        text, *options = asked.get(key, (None,))
        same = first.setdefault((region, text), f"{region}_{number}") if text else f"{region}_{number}"
        yield Entry(key, locale, "en", culture_of(region), same, text, text, (gold,), tuple(options))


def people_answered(answers: Iterable[str]) -> tuple[str, ...]:
    """The answers among what people said; empty where they gave none."""
    return tuple(answer for answer in answers if answer.lower() not in NOT_ANSWERED)


def ways_to_put(answer: str) -> tuple[str, ...]:
    """An answer; where a spreadsheet has made a moment of a date (2025-07-14 00:00) also the month and day
    that were asked for."""
    found = REWRITTEN_DATE.fullmatch(answer)
    return (answer, f"{found[1]}/{found[2]}") if found else (answer,)


def _gold(release: Release, file: str) -> Iterator[tuple[str, str, str, str, str, str]]:
    """id, answer, locale, language, region and number of each row. DataError for an id that stands there
    twice or says none."""
    path = release.path(file)
    seen: set[str] = set()
    for row, key, answer in read_table(path, GOLD).iter_rows():
        found = _ID.fullmatch(key)
        problem = None if found else "looks unlike 'am-ET_001'"
        if found:
            try:
                get_language(found[1]), get_culture(culture_of(found[2]))
            except UnknownNameError as error:
                problem = str(error).split("\n", 1)[0]
        if key in seen:
            problem = "stands in an earlier row as well"
        if problem or not found:
            raise DataError(f"the id {key!r}: {problem}", file=path, row=row)
        seen.add(key)
        yield key, answer, f"{found[1]}-{found[2]}", found[1], found[2], found[3]


def _texts(release: Release, file: str, columns: Columns) -> Mapping[str, tuple[str, ...]]:
    """id -> text (and options), with outer white space gone; empty where the file is not there."""
    if not release.has(file):
        return {}
    rows = read_table(release.path(file), columns).iter_rows()
    return {key: tuple(text.strip() for text in texts) for _, key, *texts in rows}


def culture_of(region: str) -> str:
    """The culture of a region of the data ("PV": "ES-PV")."""
    return OWN_CODES.get(region, region)
