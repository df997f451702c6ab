"""Lists what is odd about a BLEnD release: file by file, with the question or row, the value, and what it
does to scores.

What decides verdicts one by one is listed one by one. Kinds that occur in thousands (bare numbers, short
words, capitals) are counted, one data issue per file and kind. ``repeated-answer`` lists a string once per
question and language that has it in two groups or more.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from folkways.benchmarks.blend.data.files import (
    PARTS,
    country_name,
    cultures_by_name,
    files_of,
    find_mcq,
    has,
    inside,
    read_csv,
)
from folkways.benchmarks.blend.data.release import (
    QUESTION_COLUMNS,
    local_column,
    question_table,
    read_annotations,
    read_mcq,
    read_questions,
)
from folkways.cultures import Culture
from folkways.records import DataIssue
from folkways.releases.release_records import Release

ANNOTATORS = 5  # people asked per question and culture (paper, section 3)
KINDS_OF_NOT_KNOWING = ("idk", "no-answer", "not-applicable")
DEFAULT_TEMPLATES = ("inst-4", "pers-3")
PROMPT_COLUMNS = ("id", "English", "Translation")
TOPICS = ("Food", "Sport", "Family", "Education", "Holidays/Celebration/Leisure", "Work life")

_NON_ASCII_DIGIT = re.compile(r"(?![0-9])\d")


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """Something that may be odd about one answer: its name, what it means, and how to see it (the answer, its
    language)."""

    kind: str
    message: str
    is_odd: Callable[[str, str], object]


def _contains(pattern: str, only_in: str | None = None) -> Callable[[str, str], object]:
    search = re.compile(pattern).search
    return lambda answer, language: (only_in is None or language == only_in) and search(answer)


ONE_BY_ONE = (
    AnswerCheck("empty-answer", "an empty answer: as a substring it is in every reply", _contains(r"\A\Z")),
    AnswerCheck(
        "outer-space", "spaces around an answer: a substring test asks for them too", _contains(r"\A\s|\s\Z")
    ),
    AnswerCheck(
        "zero-width",
        "zero-width characters, which a model seldom writes",
        _contains("[\u200b-\u200d\u2060\ufeff\u00ad]"),
    ),
    AnswerCheck(
        "bidi-mark", "marks of writing direction", _contains("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
    ),
    AnswerCheck(
        "not-nfc",
        "not in Unicode normal form NFC: equal to the eye, not to a program",
        lambda answer, _: not unicodedata.is_normalized("NFC", answer),
    ),
    AnswerCheck(
        "arabic-letter-in-persian",
        "Arabic yeh or kaf where Persian has letters of its own",
        _contains("[\u064a\u0643]", only_in="fa"),
    ),
    AnswerCheck(
        "non-ascii-digits",
        "digits of another script: a model may write 0 to 9",
        lambda answer, language: language != "en" and _NON_ASCII_DIGIT.search(answer),
    ),
    AnswerCheck("newline", "a line break inside an answer", _contains(r"[\n\r]")),
)

COUNTED = (
    AnswerCheck(
        "capitals", "have capitals: only replies are lower-cased", lambda answer, _: answer != answer.lower()
    ),
    AnswerCheck("bare-number", "are bare numbers: 1 is in 15", lambda answer, _: answer.isdecimal()),
    AnswerCheck(
        "single-letter", "are one letter long", lambda answer, _: len(answer) == 1 and answer.isalpha()
    ),
    AnswerCheck(
        "short-answer",
        "have two or three letters: tea is in steak",
        lambda answer, _: 1 < len(answer) <= 3 and answer.isalpha(),
    ),
    AnswerCheck("curly-quotes", "have curly quotes", _contains("[‘’“”]")),
    AnswerCheck("brackets", "have brackets", _contains(r"[()\[\]{}]")),
    AnswerCheck("slash", "have a slash, often between two answers", _contains("/")),
    AnswerCheck("list-in-answer", "have a comma, often between two answers", _contains("[,،、]")),
)


def check(release: Release) -> list[DataIssue]:
    """Every data issue of every part of the release, part by part, in file order. Broken files raise
    DataError as on reading."""
    issues = list(_missing_files(release))
    if has(release, "annotations"):
        issues += _annotation_issues(release)
    if has(release, "questions"):
        issues += _question_issues(release)
    if has(release, "annotations") and has(release, "questions"):
        issues += _unmatched(release)
    if has(release, "prompts"):
        issues += _prompt_issues(release)
    if has(release, "mcq"):
        issues += _mcq_issues(release)
    return issues


def _missing_files(release: Release) -> Iterator[DataIssue]:
    """Files that a part lacks, of cultures that another part has."""
    names = {
        part: {country_name(culture) for culture, _ in files_of(release, part)}
        for part in PARTS
        if has(release, part)
    }
    for part, its_names in names.items():
        for name, culture in cultures_by_name().items():
            if name not in its_names and any(name in others for others in names.values()):
                yield DataIssue(
                    PARTS[part][0].format(name),
                    "missing-file",
                    f"no {part} of {culture.name}, of which there is another file",
                    value=culture.code,
                )


def _annotation_issues(release: Release) -> Iterator[DataIssue]:
    table = read_annotations(release).partition_by("culture", as_dict=True)
    for culture, path in files_of(release, "annotations"):
        file, counts = inside(release, path), Counter[str]()
        rows = table.get((culture.code,), pl.DataFrame())
        if rows.is_empty():
            yield DataIssue(file, "empty-file", "holds no question: the culture is left out")
            continue
        yield from _repeated_ids(file, rows["id"])
        for row in rows.iter_rows(named=True):
            local = list(
                _answers(
                    file,
                    row["id"],
                    [group["answers"] for group in row["groups"]],
                    culture.languages[0],
                    counts,
                )
            )
            english = _answers(
                file, row["id"], [group["en_answers"] for group in row["groups"]], "en", counts
            )
            yield from local
            yield from (issue for issue in english if issue.kind != "repeated-answer" or issue not in local)
            yield from _question(file, row)
        for odd in COUNTED:
            if counts[odd.kind]:
                yield DataIssue(
                    file, odd.kind, f"{counts[odd.kind]:,} answers {odd.message}", value=str(counts[odd.kind])
                )


def _answers(
    file: str, key: str, groups: list[list[str]], language: str, counts: Counter[str]
) -> Iterator[DataIssue]:
    """Oddities of the answers to one question in one language; those of COUNTED are added to ``counts``."""
    for answer in (answer for group in groups for answer in group):
        for odd in ONE_BY_ONE:
            if odd.is_odd(answer, language):
                yield DataIssue(file, odd.kind, odd.message, key=key, value=answer)
        counts.update(odd.kind for odd in COUNTED if odd.is_odd(answer, language))
    times = Counter(answer for group in groups for answer in dict.fromkeys(group))
    for answer, n in times.items():
        if n > 1:
            message = f"the same answer ({language}) in {n} groups: the first decides its weight"
            yield DataIssue(file, "repeated-answer", message, key=key, value=answer)


def _question(file: str, row: dict[str, Any]) -> Iterator[DataIssue]:
    """Oddities of one question's groups and of those who did not answer."""
    key, groups = row["id"], row["groups"]
    if not groups:
        yield DataIssue(file, "question-without-answers", "no answers at all: it never counts", key=key)
    for group in groups:
        value = group["answers"][0] if group["answers"] else None
        if not group["en_answers"]:
            yield DataIssue(
                file,
                "group-without-english",
                "an answer that cannot be given in English",
                key=key,
                value=value,
            )
        if not group["answers"]:
            yield DataIssue(
                file, "group-without-local", "an answer that cannot be given in the local language", key=key
            )
        if group["count"] > ANNOTATORS:
            yield DataIssue(
                file,
                "count-above-five",
                f"{group['count']} votes from {ANNOTATORS} people",
                key=key,
                value=value,
            )
    if any(later["count"] > earlier["count"] for earlier, later in pairwise(groups)):
        yield DataIssue(
            file, "groups-unsorted", "a later group has more votes: weights can exceed 1", key=key
        )
    for kind in row["idks"]:
        if kind["kind"] not in KINDS_OF_NOT_KNOWING:
            yield DataIssue(
                file, "idk-free-text", "free text among the kinds of not knowing", key=key, value=kind["kind"]
            )
        if kind["count"] > ANNOTATORS:
            message = f"{kind['count']} times {kind['kind']!r} from {ANNOTATORS} people"
            yield DataIssue(file, "idk-above-five", message, key=key, value=str(kind["count"]))


def _repeats(column: pl.Series) -> Iterator[tuple[int, str]]:
    """(row, value) of every value that an earlier row of the column has; rows count from 1."""
    seen: set[str] = set()
    for row, value in enumerate(column, 1):
        if value in seen:
            yield row, value
        seen.add(value)


def _repeated_ids(file: str, ids: pl.Series) -> Iterator[DataIssue]:
    for row, value in _repeats(ids):
        yield DataIssue(file, "repeated-question-id", "an id that an earlier row has", row=row, value=value)


def _question_issues(release: Release) -> Iterator[DataIssue]:
    for culture, path in files_of(release, "questions"):
        file, table = inside(release, path), question_table(path)
        yield from _swapped(file, table, culture)
        yield from _extra_columns(file, table, QUESTION_COLUMNS)
        if table.is_empty():
            yield DataIssue(file, "empty-file", "holds no question: the culture is left out")
        yield from _repeated_ids(file, table["ID"])
        for row, topic in enumerate(table["Topic"], 1):
            if topic not in TOPICS:
                yield DataIssue(
                    file,
                    "unknown-topic",
                    f"none of the six topics ({', '.join(TOPICS)})",
                    row=row,
                    value=topic,
                )
        for name in ("Question", "Translation"):
            for row, text in enumerate(table[name], 1):
                if not text.strip():
                    yield DataIssue(
                        file, "empty-question", f"no text in column {name}", row=row, key=table["ID"][row - 1]
                    )


def _unmatched(release: Release) -> Iterator[DataIssue]:
    """Questions that nobody was asked, and answers to questions that are not in the question file."""
    on = ["culture", "id"]
    questions, annotated = read_questions(release).select(on), read_annotations(release).select(on)
    unanswered, unasked = (
        questions.join(annotated, on=on, how="anti"),
        annotated.join(questions, on=on, how="anti"),
    )
    for part, alone, other in (
        ("questions", unanswered, "annotations"),
        ("annotations", unasked, "questions"),
    ):
        files = {culture.code: inside(release, file) for culture, file in files_of(release, part)}
        for code, key in alone.iter_rows():
            yield DataIssue(files[code], "unmatched-question", f"a question that the {other} lack", key=key)


def _swapped(file: str, table: pl.DataFrame, culture: Culture) -> Iterator[DataIssue]:
    if culture.languages[0] == "en":
        if not (table["Question"] == table["Translation"]).all():
            local = local_column(table, culture)
            message = f"both columns are English in different wordings; {local} is the country's own"
            yield DataIssue(file, "two-english-wordings", message, value=local)
    elif local_column(table, culture) == "Question":
        message = (
            "Question is local and Translation English, the reverse of what the authors' README "
            "says; read by content"
        )
        yield DataIssue(file, "swapped-columns", message, value="Question")


def _extra_columns(file: str, table: pl.DataFrame, known: tuple[str, ...]) -> Iterator[DataIssue]:
    for name in table.columns:
        if name not in known:
            kind, what = (
                ("extra-column", f"column {name!r}")
                if name
                else ("index-column", "a nameless column of row numbers")
            )
            yield DataIssue(file, kind, f"{what} is not part of the format and is not read", value=name)


def _prompt_issues(release: Release) -> Iterator[DataIssue]:
    for _, path in files_of(release, "prompts"):
        file, table = inside(release, path), read_csv(path, PROMPT_COLUMNS)
        yield from _extra_columns(file, table, PROMPT_COLUMNS)
        for row, value in _repeats(table["id"]):
            yield DataIssue(
                file,
                "repeated-prompt-id",
                "an id that an earlier row has; the earlier one is used",
                row=row,
                value=value,
            )
        for row, texts in enumerate(table.select(PROMPT_COLUMNS).iter_rows(), 1):
            if any("{q}" not in text for text in texts[1:]):
                yield DataIssue(
                    file,
                    "prompt-without-question",
                    "a template without {q} for the question",
                    row=row,
                    value=texts[0],
                )
        for name in DEFAULT_TEMPLATES:
            if name not in table["id"]:
                yield DataIssue(
                    file, "missing-template", "no such template, although the paper used it", value=name
                )


def _mcq_issues(release: Release) -> Iterator[DataIssue]:
    path = find_mcq(release.root)
    assert isinstance(path, Path)  # noqa: S101 - the caller has asked
    file, table = inside(release, path), read_mcq(release)
    for row, value in _repeats(table["mcqid"]):
        yield DataIssue(file, "repeated-mcq-id", "an id that an earlier row has", row=row, value=value)
    for row, (choices, labels, answer) in enumerate(
        table.select("choices", "labels", "answer_idx").iter_rows(), 1
    ):
        if len(set(choices)) < len(choices):
            value = choices[labels.index(answer)]
            yield DataIssue(
                file,
                "equal-choices",
                "the same text under two letters; one of them is wrong",
                row=row,
                value=value,
            )
