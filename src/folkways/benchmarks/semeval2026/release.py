"""Reads the data of SemEval-2026 Task 7, or its trial data, and lists what is odd in them.

The questions of the competition are handed out to those who register; its gold is public. So gold decides
what the items are, and an item whose question is not there has no text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from folkways.cultures import get_culture, get_language
from folkways.errors import DataError, UnknownNameError
from folkways.records import DataIssue
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

    number: of the template, the same in the locales of a region ("ET_001" of am-ET_001 and en-ET_001).
    text: None where the questions are not there.
    english: the same question in English, where it is there.
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


def _competition_answers(release: Release) -> Iterator[Entry]:
    """The short-answer questions, in the order of the gold. DataError naming the row of an id that cannot be
    read."""
    rows = _texts(release, QUESTIONS, ASKED)
    texts = {key: text for key, (text,) in rows.items()}
    for key, gold, locale, language, region, number in _gold(release, ANSWERS):
        answers = tuple(answer for part in gold.split(";") if (answer := part.strip()))
        english = texts.get(f"en-{region}_{number}")
        yield Entry(
            key, locale, language, culture_of(region), f"{region}_{number}", texts.get(key), english, answers
        )


def _competition_letters(release: Release) -> Iterator[Entry]:
    """The multiple-choice questions, all of them in English, in the order of the gold. ``number`` tells which
    are the same question with other options, where the questions are there. DataError as ``read_answers``,
    and for gold that is not a letter.
    """
    rows = _texts(release, CHOICES, ASKED_WITH_OPTIONS)
    first: dict[tuple[str, str], str] = {}
    for row, (key, gold, locale, _, region, number) in enumerate(_gold(release, LETTERS), 1):
        if gold not in LABELS:
            raise DataError(
                f"the answer {gold!r} is not one of {', '.join(LABELS)}", file=release.path(LETTERS), row=row
            )
        text, *options = rows.get(key, (None,))
        same = first.setdefault((region, text), f"{region}_{number}") if text else f"{region}_{number}"
        yield Entry(key, locale, "en", culture_of(region), same, text, text, (gold,), tuple(options))


def people_answered(answers: Iterable[str]) -> tuple[str, ...]:
    """The answers among what people said; empty where they gave none."""
    return tuple(answer for answer in answers if answer.lower() not in NOT_ANSWERED)


def ways_to_put(answer: str) -> tuple[str, ...]:
    """An answer; where a spreadsheet has made a moment of a date (2025-07-14 00:00) also the month and day
    that were asked for."""
    date = REWRITTEN_DATE.fullmatch(answer)
    return (answer, f"{date[1]}/{date[2]}") if date else (answer,)


def _gold(release: Release, file: str) -> Iterator[tuple[str, str, str, str, str, str]]:
    """id, answer, locale, language, region and number of each row. DataError for an id that is repeated
    or cannot be parsed."""
    path = release.path(file)
    seen: set[str] = set()
    for row, key, answer in read_table(path, GOLD).iter_rows():
        match = _ID.fullmatch(key)
        problem = None if match else "looks unlike 'am-ET_001'"
        if match:
            try:
                get_language(match[1]), get_culture(culture_of(match[2]))
            except UnknownNameError as error:
                problem = str(error).split("\n", 1)[0]
        if key in seen:
            problem = "stands in an earlier row as well"
        if problem or not match:
            raise DataError(f"the id {key!r}: {problem}", file=path, row=row)
        seen.add(key)
        yield key, answer, f"{match[1]}-{match[2]}", match[1], match[2], match[3]


def _texts(release: Release, file: str, columns: Columns) -> Mapping[str, tuple[str, ...]]:
    """id -> text (and options), with outer white space gone; empty where the file is not there."""
    if not release.has(file):
        return {}
    rows = read_table(release.path(file), columns).iter_rows()
    return {key: tuple(text.strip() for text in texts) for _, key, *texts in rows}


def culture_of(region: str) -> str:
    """The culture of a region of the data ("PV": "ES-PV")."""
    return OWN_CODES.get(region, region)


TRIAL_ANSWERS, TRIAL_LETTERS = "trial_data_unique_answer.tsv", "trial_data_multiple_choice.tsv"
TRIAL_ASKED: Columns = {
    "index": ("index",),
    "locale": ("lang_reg",),
    "text": ("question",),
    "answer": ("correct_answer",),
}
TRIAL_ASKED_WITH_OPTIONS: Columns = {**TRIAL_ASKED, "options": ("multiple_choice_options",)}
TRIAL_LOCALES = {"eu-ES": "eu-PV"}
"""Locales that the trial data call otherwise."""


def is_trial(release: Release) -> bool:
    """Whether a release has trial data and no gold of the competition."""
    return any(map(release.has, (TRIAL_ANSWERS, TRIAL_LETTERS))) and not any(
        map(release.has, (ANSWERS, LETTERS))
    )


def _trial_answers(release: Release) -> Iterator[Entry]:
    """The short-answer questions, each with its one answer, as ``ja-JP_trial-147``. DataError naming a row
    that cannot be read."""
    for row, index, locale, text, answer in read_table(release.path(TRIAL_ANSWERS), TRIAL_ASKED).iter_rows():
        yield _trial_entry(release, TRIAL_ANSWERS, row, index, locale, text, (answer.strip(),))


def _trial_letters(release: Release) -> Iterator[Entry]:
    """The multiple-choice questions, with the letter of the right option. DataError as above, and where no
    option is right."""
    for row, index, locale, text, answer, lines in read_table(
        release.path(TRIAL_LETTERS), TRIAL_ASKED_WITH_OPTIONS
    ).iter_rows():
        options = _lines_of(lines)
        right = _right(options, answer.strip())
        if right is None:
            raise DataError(
                f"the answer {answer!r} is not one of {', '.join(map(repr, options))}",
                file=release.path(TRIAL_LETTERS),
                row=row,
            )
        yield _trial_entry(release, TRIAL_LETTERS, row, index, locale, text, (LABELS[right],), options)


def _trial_issues(release: Release) -> Iterator[DataIssue]:
    """``few-options`` (fewer than four) and ``other-wording`` (the right option is worded otherwise than the
    answer)."""
    for file, read in ((TRIAL_ANSWERS, _trial_answers), (TRIAL_LETTERS, _trial_letters)):
        if not release.has(file):
            yield DataIssue(file, "missing-file", "there is no such file: its questions are not asked")
            continue
        list(read(release))  # what cannot be read is an error
    if release.has(TRIAL_LETTERS):
        for row, index, _, _, answer, lines in read_table(
            release.path(TRIAL_LETTERS), TRIAL_ASKED_WITH_OPTIONS
        ).iter_rows():
            options = _lines_of(lines)
            if len(options) < len(LABELS):
                yield DataIssue(
                    TRIAL_LETTERS,
                    "few-options",
                    f"{len(options)} options: chance is higher",
                    row,
                    index,
                    lines,
                )
            if answer.strip() not in options:
                message = (
                    "the right option is worded otherwise than the answer; the one that the answer "
                    "begins with is taken"
                )
                yield DataIssue(TRIAL_LETTERS, "other-wording", message, row, index, answer)


def _lines_of(lines: str) -> tuple[str, ...]:
    return tuple(option for line in lines.splitlines() if (option := line.strip()))


def _right(options: Sequence[str], answer: str) -> int | None:
    """Place of the option that is the answer, or else of the only one that the answer begins with."""
    same = [index for index, option in enumerate(options[: len(LABELS)]) if option == answer]
    alike = same or [
        index for index, option in enumerate(options[: len(LABELS)]) if answer.startswith(option)
    ]
    return alike[0] if len(alike) == 1 else None


def _trial_entry(
    release: Release,
    file: str,
    row: int,
    index: str,
    locale: str,
    text: str,
    answers: tuple[str, ...],
    options: tuple[str, ...] = (),
) -> Entry:
    locale = TRIAL_LOCALES.get(locale, locale)
    language, _, region = locale.partition("-")
    culture = culture_of(region)
    try:
        get_language(language), get_culture(culture)
    except UnknownNameError as error:
        problem = str(error).split("\n", 1)[0]
        raise DataError(f"the locale {locale!r}: {problem}", file=release.path(file), row=row) from None
    return Entry(
        f"{locale}_trial-{index}",
        locale,
        language,
        culture,
        f"trial-{index}",
        text.strip(),
        None,
        answers,
        options,
    )


def looks_like(folder: Path) -> bool:
    """Whether a folder has the gold of one of the tasks, or the trial data."""
    return any((folder / name).is_file() for name in (ANSWERS, LETTERS, TRIAL_ANSWERS, TRIAL_LETTERS))


def read_answers(release: Release) -> Iterator[Entry]:
    """The short-answer questions of a release: of its gold, or else of the trial data."""
    return _trial_answers(release) if is_trial(release) else _competition_answers(release)


def read_letters(release: Release) -> Iterator[Entry]:
    """The multiple-choice questions in the same way."""
    return _trial_letters(release) if is_trial(release) else _competition_letters(release)


def questions_file(release: Release, *, options: bool) -> str:
    """The file without which nothing can be asked: of the questions with options, or of those without."""
    if is_trial(release):
        return TRIAL_LETTERS if options else TRIAL_ANSWERS
    return CHOICES if options else QUESTIONS


def check(release: Release) -> list[DataIssue]:
    """Every data issue, file by file and row by row. Broken files raise DataError as on reading.

    Kinds: ``no-answer-alone`` (people gave no answer), ``no-answer-among`` (and some gave one),
    ``empty-answer``, ``rewritten-date``, ``outer-space``, ``repeated-answer``, ``repeated-question``,
    ``missing-file``, ``repeated-id``, ``question-without-gold``, ``gold-without-question``,
    ``empty-question``, ``empty-option``, ``equal-options``; for the trial data ``few-options`` and
    ``other-wording``.
    """
    if is_trial(release):
        return list(_trial_issues(release))
    issues: list[DataIssue] = []
    for gold, questions, columns, needed in (
        (ANSWERS, QUESTIONS, ASKED, "semeval2026/saq"),
        (LETTERS, CHOICES, ASKED_WITH_OPTIONS, "semeval2026/mcq"),
    ):
        if not release.has(gold):
            issues.append(
                DataIssue(gold, "missing-file", f"there is no such file: nothing of {needed} can be judged")
            )
            continue
        # what cannot be read is an error
        list(read_answers(release) if gold == ANSWERS else read_letters(release))
        if gold == ANSWERS:
            issues += _answer_issues(release)
        if release.has(questions):
            issues += _question_issues(release, questions, columns, gold)
        else:
            message = (
                f"there is no such file: {needed} can be judged and not asked; the competition hands it out "
                "to those who register"
            )
            issues.append(DataIssue(questions, "missing-file", message))
    return issues


def _answer_issues(release: Release) -> Iterator[DataIssue]:
    for row, key, answer in read_table(release.path(ANSWERS), GOLD).iter_rows():
        parts = answer.split(";")
        folded = Counter(part.strip().lower() for part in parts)
        words = folded.keys() - {""}
        if not words - NOT_ANSWERED:
            message = (
                "people gave no answer: paper takes a reply of these words for right, strict leaves the "
                "question out"
            )
            yield DataIssue(ANSWERS, "no-answer-alone", message, row, key, answer)
        elif words & NOT_ANSWERED:
            message = "not answering stands among the answers: paper takes it for one, strict does not"
            yield DataIssue(ANSWERS, "no-answer-among", message, row, key, answer)
        if "" in folded:
            yield DataIssue(
                ANSWERS, "empty-answer", "nothing between two semicolons: it is passed over", row, key, answer
            )
        for part in parts:
            if REWRITTEN_DATE.fullmatch(part.strip()):
                message = "a date that a spreadsheet has rewritten: strict also takes it as month/day"
                yield DataIssue(ANSWERS, "rewritten-date", message, row, key, part)
            if part.strip() != part and part.strip():
                yield DataIssue(
                    ANSWERS, "outer-space", "spaces around an answer: they are taken off", row, key, part
                )
        for part, times in folded.items():
            if times > 1 and part:
                yield DataIssue(
                    ANSWERS, "repeated-answer", "an answer that stands there twice", row, key, part
                )


def _question_issues(release: Release, file: str, columns: Columns, gold: str) -> Iterator[DataIssue]:
    gold_ids = dict.fromkeys(read_table(release.path(gold), GOLD)["id"])
    question_ids: dict[str, None] = {}
    texts: dict[tuple[str, ...], str] = {}
    for row, key, *texts_of in read_table(release.path(file), columns).iter_rows():
        text, *options = (one.strip() for one in texts_of)
        if key in question_ids:
            yield DataIssue(file, "repeated-id", "an id of an earlier row: the last one is asked", row, key)
        question_ids[key] = None
        if key not in gold_ids:
            yield DataIssue(
                file, "question-without-gold", f"an id that {gold} lacks: it is not asked", row, key
            )
        if not text:
            yield DataIssue(file, "empty-question", "no text", row, key)
        for label, option in zip(LABELS, options, strict=False):
            if not option:
                yield DataIssue(file, "empty-option", f"no text for {label}", row, key)
        if len({*options}) < len(options):
            yield DataIssue(file, "equal-options", "the same text under two letters", row, key)
        first = texts.setdefault((key.partition("_")[0], text, *options), key)
        if first != key:
            yield DataIssue(file, "repeated-question", f"the same as {first}", row, key, text)
    for key in (key for key in gold_ids if key not in question_ids):
        yield DataIssue(file, "gold-without-question", "gold of a question that is not there", key=key)
