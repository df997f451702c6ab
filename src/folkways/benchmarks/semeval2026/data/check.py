"""What is odd about the release. Nothing is dropped or changed here; what each profile makes of it, the tasks
say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from folkways.benchmarks.semeval2026.data import trial
from folkways.benchmarks.semeval2026.data.reading import (
    ANSWERS,
    ASKED,
    ASKED_WITH_OPTIONS,
    CHOICES,
    GOLD,
    LABELS,
    LETTERS,
    NOT_ANSWERED,
    QUESTIONS,
    REWRITTEN_DATE,
    read_answers,
    read_letters,
)
from folkways.records import DataIssue
from folkways.releases.release_records import Release
from folkways.text_tables import Columns, read_table


def check(release: Release) -> list[DataIssue]:
    """Every data issue, file by file and row by row. Broken files raise DataError as on reading.

    Kinds: ``no-answer-alone`` (people gave no answer), ``no-answer-among`` (it stands beside answers),
    ``empty-answer``, ``rewritten-date``, ``outer-space``, ``repeated-answer``, ``repeated-question``,
    ``missing-file``, ``question-without-gold``, ``gold-without-question``, ``empty-question``,
    ``empty-option``, ``equal-options``; for the trial data see ``trial.check``.
    """
    if trial.is_trial(release):
        return list(trial.check(release))
    found: list[DataIssue] = []
    for gold, asked, columns, needed in (
        (ANSWERS, QUESTIONS, ASKED, "semeval2026/saq"),
        (LETTERS, CHOICES, ASKED_WITH_OPTIONS, "semeval2026/mcq"),
    ):
        if not release.has(gold):
            found.append(
                DataIssue(gold, "missing-file", f"there is no such file: nothing of {needed} can be judged")
            )
            continue
        list(
            read_answers(release) if gold == ANSWERS else read_letters(release)
        )  # what cannot be read is an error
        if gold == ANSWERS:
            found += _answers(release)
        if release.has(asked):
            found += _questions(release, asked, columns, gold)
        else:
            told = (
                f"there is no such file: {needed} can be judged and not asked; the competition hands "
                "it "
                "out to those who register"
            )
            found.append(DataIssue(asked, "missing-file", told))
    return found


def _answers(release: Release) -> Iterator[DataIssue]:
    for row, key, answer in read_table(release.path(ANSWERS), GOLD).iter_rows():
        parts = answer.split(";")
        folded = Counter(part.strip().lower() for part in parts)
        said = folded.keys() - {""}
        if not said - NOT_ANSWERED:
            told = (
                "people gave no answer: paper takes a reply of these words for right, strict leaves "
                "the "
                "question out"
            )
            yield DataIssue(ANSWERS, "no-answer-alone", told, row, key, answer)
        elif said & NOT_ANSWERED:
            told = "not answering stands among the answers: paper takes it for one, strict does not"
            yield DataIssue(ANSWERS, "no-answer-among", told, row, key, answer)
        if "" in folded:
            yield DataIssue(
                ANSWERS, "empty-answer", "nothing between two semicolons: it is passed over", row, key, answer
            )
        for part in parts:
            if REWRITTEN_DATE.fullmatch(part.strip()):
                told = "a date that a spreadsheet has rewritten: strict also takes it as month/day"
                yield DataIssue(ANSWERS, "rewritten-date", told, row, key, part)
            if part.strip() != part and part.strip():
                yield DataIssue(
                    ANSWERS, "outer-space", "spaces around an answer: they are taken off", row, key, part
                )
        for part, times in folded.items():
            if times > 1 and part:
                yield DataIssue(
                    ANSWERS, "repeated-answer", "an answer that stands there twice", row, key, part
                )


def _questions(release: Release, file: str, columns: Columns, gold: str) -> Iterator[DataIssue]:
    known = dict.fromkeys(read_table(release.path(gold), GOLD)["id"])
    asked: dict[str, None] = {}
    texts: dict[tuple[str, ...], str] = {}
    for row, key, text, *options in read_table(release.path(file), columns).iter_rows():
        asked[key] = None
        if key not in known:
            yield DataIssue(
                file, "question-without-gold", f"an id that {gold} lacks: it is not asked", row, key
            )
        if not text.strip():
            yield DataIssue(file, "empty-question", "no text", row, key)
        for label, option in zip(LABELS, options, strict=False):
            if not option.strip():
                yield DataIssue(file, "empty-option", f"no text for {label}", row, key)
        if len({option.strip() for option in options}) < len(options):
            yield DataIssue(file, "equal-options", "the same text under two letters", row, key)
        first = texts.setdefault((key.partition("_")[0], text, *options), key)
        if first != key:
            yield DataIssue(file, "repeated-question", f"the same as {first}", row, key, text)
    for key in (key for key in known if key not in asked):
        yield DataIssue(file, "gold-without-question", "gold of a question that is not there", key=key)
