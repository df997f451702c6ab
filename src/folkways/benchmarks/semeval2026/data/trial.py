"""The trial data: the same questions with options and without, in another format than those of the
competition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from folkways.benchmarks.semeval2026.data import reading
from folkways.benchmarks.semeval2026.data.reading import LABELS, Entry, culture_of
from folkways.cultures import get_culture, get_language
from folkways.errors import DataError, UnknownNameError
from folkways.records import DataIssue
from folkways.releases.release_records import Release
from folkways.text_tables import Columns, read_table

ANSWERS, LETTERS = "trial_data_unique_answer.tsv", "trial_data_multiple_choice.tsv"
ASKED: Columns = {
    "index": ("index",),
    "locale": ("lang_reg",),
    "text": ("question",),
    "answer": ("correct_answer",),
}
ASKED_WITH_OPTIONS: Columns = {**ASKED, "options": ("multiple_choice_options",)}
OF_THE_COMPETITION = {"eu-ES": "eu-PV"}
"""Locales that the trial data call otherwise."""


def is_trial(release: Release) -> bool:
    """Whether a release has trial data and no gold of the competition."""
    return any(map(release.has, (ANSWERS, LETTERS))) and not any(
        map(release.has, (reading.ANSWERS, reading.LETTERS))
    )


def read_answers(release: Release) -> Iterator[Entry]:
    """The short-answer questions, each with its one answer, as ``ja-JP_trial-147``. DataError naming a row
    that cannot be read."""
    for row, index, locale, text, answer in read_table(release.path(ANSWERS), ASKED).iter_rows():
        yield _entry(release, ANSWERS, row, index, locale, text, (answer.strip(),))


def read_letters(release: Release) -> Iterator[Entry]:
    """The multiple-choice questions, with the letter of the right option. DataError as above, and where no
    option is right."""
    for row, index, locale, text, answer, lines in read_table(
        release.path(LETTERS), ASKED_WITH_OPTIONS
    ).iter_rows():
        options = _options(lines)
        right = _right(options, answer.strip())
        if right is None:
            raise DataError(
                f"the answer {answer!r} is none of {', '.join(map(repr, options))}",
                file=release.path(LETTERS),
                row=row,
            )
        yield _entry(release, LETTERS, row, index, locale, text, (LABELS[right],), options)


def check(release: Release) -> Iterator[DataIssue]:
    """``few-options`` (fewer than four) and ``other-wording`` (the right option is worded otherwise than the
    answer)."""
    for file, read in ((ANSWERS, read_answers), (LETTERS, read_letters)):
        if not release.has(file):
            yield DataIssue(file, "missing-file", "there is no such file: its questions are not asked")
            continue
        list(read(release))  # what cannot be read is an error
    if release.has(LETTERS):
        for row, index, _, _, answer, lines in read_table(
            release.path(LETTERS), ASKED_WITH_OPTIONS
        ).iter_rows():
            options = _options(lines)
            if len(options) < len(LABELS):
                yield DataIssue(
                    LETTERS, "few-options", f"{len(options)} options: chance is higher", row, index, lines
                )
            if answer.strip() not in options:
                told = (
                    "the right option is worded otherwise than the answer; the one that the answer "
                    "begins with is taken"
                )
                yield DataIssue(LETTERS, "other-wording", told, row, index, answer)


def _options(lines: str) -> tuple[str, ...]:
    return tuple(option for line in lines.splitlines() if (option := line.strip()))


def _right(options: Sequence[str], answer: str) -> int | None:
    """Place of the option that is the answer, or else of the only one that the answer begins with."""
    same = [place for place, option in enumerate(options[: len(LABELS)]) if option == answer]
    alike = same or [
        place for place, option in enumerate(options[: len(LABELS)]) if answer.startswith(option)
    ]
    return alike[0] if len(alike) == 1 else None


def _entry(
    release: Release,
    file: str,
    row: int,
    index: str,
    locale: str,
    text: str,
    answers: tuple[str, ...],
    options: tuple[str, ...] = (),
) -> Entry:
    locale = OF_THE_COMPETITION.get(locale, locale)
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
