"""A survey in a folder: ``questions.jsonl`` and ``counts.csv``, as the studio exports them or somebody writes
them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from folkways.benchmarks.multiple_choice.release import is_readable
from folkways.benchmarks.survey.questions import PeopleAnswers, SurveyQuestion
from folkways.cultures import get_culture, get_language
from folkways.errors import DataError, FolkwaysError
from folkways.json_lines import json_objects
from folkways.records import DataIssue
from folkways.releases.release_records import Release
from folkways.text_tables import read_table

QUESTIONS, COUNTS = "questions.jsonl", "counts.csv"
COLUMNS = {name: (name,) for name in ("question", "culture", "option", "count", "weighted")}
"""Of COUNTS. count: people, or empty where only shares are known; weighted: sum of their weights, or the
share."""


def questions_of(release: Release) -> Iterator[SurveyQuestion]:
    """The questions, each with what people of each culture answered. DataError, with file and row, for what
    cannot be read."""
    answers = _answers(release.path(COUNTS))
    path = release.path(QUESTIONS)
    seen: set[str] = set()
    for row, entry in json_objects(path.read_bytes().splitlines(), path):
        question = _question(path, row, entry, answers)
        if question.key in seen:
            raise DataError(f"has the question {question.key!r} twice", file=path, row=row)
        seen.add(question.key)
        yield question
    if unknown := sorted(answers.keys() - seen):
        raise DataError(
            f"counts answers to {unknown[0]!r}, which {QUESTIONS} lacks", file=release.path(COUNTS)
        )


Cells = dict[int, tuple[int | None, float, int]]
"""Option -> count, weight and the row of the file."""


def _answers(path: Path) -> dict[str, dict[str, Cells]]:
    """Question -> culture code -> what people answered."""
    answers: dict[str, dict[str, Cells]] = defaultdict(lambda: defaultdict(dict))
    for entry in read_table(path, COLUMNS).iter_rows(named=True):
        row = entry["row"]
        try:
            culture = get_culture(entry["culture"]).code
        except FolkwaysError as error:
            raise DataError(str(error), file=path, row=row) from None
        option = _whole(path, row, "option", entry["option"])
        count = _whole(path, row, "count", entry["count"]) if entry["count"].strip() else None
        weight = _weight(path, row, entry["weighted"], count)
        cells = answers[entry["question"]][culture]
        if option in cells:
            raise DataError(
                f"has option {option} of {entry['question']!r} in {culture} twice", file=path, row=row
            )
        cells[option] = (count, weight, row)
    return answers


def _whole(path: Path, row: int, name: str, text: str) -> int:
    if not text.strip().isdecimal():
        raise DataError(f"{name} is {text!r}; give a whole number from 0 on", file=path, row=row)
    return int(text)


def _weight(path: Path, row: int, text: str, count: int | None) -> float:
    if not text.strip() and count is not None:
        return float(count)
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 <= weight < math.inf:
        raise DataError(f"weighted is {text!r}; give a number from 0 on, or a count", file=path, row=row)
    return weight


def _question(
    path: Path, row: int, entry: dict[str, Any], answers: dict[str, dict[str, Cells]]
) -> SurveyQuestion:
    def wrong(what: str) -> DataError:
        return DataError(what, file=path, row=row)

    key, text, options = entry.get("id"), entry.get("text"), entry.get("options")
    if not isinstance(key, str) or not key or not isinstance(text, str) or not text.strip():
        raise wrong("needs id and text, both not empty")
    if not isinstance(options, list) or not all(
        isinstance(option, dict) and isinstance(option.get("label"), str) and option["label"].strip()
        for option in options
    ):
        raise wrong('needs options: a list of {"label": ...}')
    opinions = [index for index, option in enumerate(options) if not option.get("missing")]
    others = [index for index, option in enumerate(options) if option.get("missing")]
    if len(opinions) < 2:
        raise wrong("needs at least two options that are not missing")
    values = [options[index].get("value") for index in opinions] if entry.get("ordered") else []
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        raise wrong("is ordered, and an option lacks its value, a number")
    rising = [float(value) for value in values]
    if rising and rising not in (sorted(set(rising)), sorted(set(rising), reverse=True)):
        raise wrong("is ordered, and the values of its options neither rise nor fall in the order given")
    language = _code(wrong, entry.get("language") or "en")
    translations = entry.get("texts") or {}
    if not isinstance(translations, dict):
        raise wrong('has texts that are not {language: {"text": ..., "options": [...]}}')
    texts = {
        _code(wrong, name): _translation(wrong, one, [*opinions, *others])
        for name, one in translations.items()
    }
    labels = [option["label"] for option in options]
    effective = entry.get("effective") or {}
    if not isinstance(effective, dict) or not all(
        isinstance(number, int | float) and number > 0 for number in effective.values()
    ):
        raise wrong("has effective that is not {culture: people of equal weight}")
    people = {
        culture: shares
        for culture, cells in answers.get(key, {}).items()
        if (shares := _people(path.with_name(COUNTS), cells, opinions, others, effective.get(culture)))
        is not None
    }
    return SurveyQuestion(
        key,
        text,
        tuple(labels[index] for index in opinions),
        tuple(rising),
        tuple(labels[index] for index in others),
        language,
        str(entry.get("category") or ""),
        {name: one for name, one in texts.items() if name != language},
        people,
    )


def _code(wrong: Callable[[str], DataError], language: object) -> str:
    if not isinstance(language, str):
        raise wrong(f'has the language {language!r}; give a code or a name, for example "ko"')
    try:
        return get_language(language).code
    except FolkwaysError as error:
        raise wrong(str(error)) from None


def _translation(
    wrong: Callable[[str], DataError], entry: Any, order: list[int]
) -> tuple[str, tuple[str, ...]]:
    options = entry.get("options") if isinstance(entry, dict) else None
    if not isinstance(options, list) or len(options) != len(order):
        raise wrong("has texts in another language without text and as many options")
    written = [entry.get("text"), *(options[index] for index in order)]
    if not all(isinstance(part, str) and part.strip() for part in written):
        raise wrong("has texts in another language of which one is empty or no text")
    return written[0], tuple(written[1:])


def _people(
    path: Path, cells: Cells, opinions: list[int], others: list[int], effective: float | None
) -> PeopleAnswers | None:
    for option, (_, _, row) in cells.items():
        if option not in (*opinions, *others):
            raise DataError(
                f"has option {option}; there are {len(opinions) + len(others)}", file=path, row=row
            )
    counts = [cells[index][0] for index in opinions if index in cells]
    stated = [count for count in counts if count is not None]
    respondents = sum(stated) if stated == counts else None
    if respondents and effective is not None:
        respondents = min(respondents, max(1, round(effective)))
    weights = [cells[index][1] if index in cells else 0.0 for index in opinions]
    return PeopleAnswers.of(weights, respondents)


class SurveyReader:
    """Recognises and checks a folder with a survey."""

    def looks_like(self, folder: Path) -> bool:
        files = (folder / QUESTIONS, folder / COUNTS)
        return all(file.is_file() for file in files) and is_readable(files[1], COLUMNS)

    def check(self, release: Release) -> list[DataIssue]:
        """Questions that nobody answered, and cultures of fewer than 30 people."""
        issues = []
        for question in questions_of(release):
            if not question.people:
                issues.append(DataIssue(COUNTS, "no-answers", "nobody has an opinion", key=question.key))
            for culture, answers in sorted(question.people.items()):
                if answers.respondents is not None and answers.respondents < FEW:
                    what = f"{culture}: counts as only {answers.respondents} people"
                    issues.append(DataIssue(COUNTS, "few-people", what, key=question.key))
        return issues


FEW = 30
"""People below whom the distribution of a culture says little."""
