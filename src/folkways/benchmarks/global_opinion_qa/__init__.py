"""GlobalOpinionQA: questions of Pew's Global Attitudes and of the World Values Survey, in English (arXiv
2306.16388)."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.multiple_choice.release import is_readable
from folkways.benchmarks.survey import CAUTION
from folkways.benchmarks.survey.questions import PeopleAnswers, SurveyQuestion, on_scale, plain_number
from folkways.benchmarks.survey.results import survey_results
from folkways.benchmarks.survey.task import SurveyTask
from folkways.cultures import get_culture
from folkways.errors import DataError, UnknownNameError
from folkways.records import DataIssue
from folkways.releases.release_records import Release
from folkways.text_tables import read_table

FILE = "data/global_opinions.csv"
COLUMNS = {name: (name,) for name in ("question", "selections", "options", "source")}

SAMPLES = ("", " (Current national sample)", " (Old national sample)", " (Non-national sample)")
"""Endings of a country's name, the one that is taken first where there are several."""

_OPENING, _END = "defaultdict(<class 'list'>, ", ")"
_NO_OPINION = ("dk/refused", "don't know", "do not know", "refused", "no answer", "missing", "not asked")


class GlobalOpinionQa(SurveyTask):
    """How near are the answers to those of people of each country?"""

    name: ClassVar[str] = "global-opinion-qa/opinions"
    release: ClassVar[str] = "global-opinion-qa"
    title: ClassVar[str] = "GlobalOpinionQA"
    about: ClassVar[str] = (
        "2,556 questions of international opinion surveys: how near are a model's answers to those of people "
        "of each country? (arXiv 2306.16388)"
    )

    def questions(self, release: Release) -> Iterable[SurveyQuestion]:
        for _, question, _ in read_questions(release):
            if question is not None:
                yield question


def read_questions(release: Release) -> Iterator[tuple[int, SurveyQuestion | None, list[DataIssue]]]:
    """Row of the file, its question, and what is odd about it; no question where fewer than two options are
    opinions. DataError, with the row, for a row that cannot be read."""
    path = release.path(FILE)
    for entry in read_table(path, COLUMNS).iter_rows(named=True):
        yield entry["row"], *_question(path, entry["row"], entry)


def _question(path: Path, row: int, entry: dict[str, str]) -> tuple[SurveyQuestion | None, list[DataIssue]]:
    options = _literal(path, row, "options", entry["options"])
    selections = entry["selections"].strip()
    if selections.startswith(_OPENING) and selections.endswith(_END):
        selections = selections.removeprefix(_OPENING)[: -len(_END)]
    answers = _literal(path, row, "selections", selections)
    if not isinstance(options, list) or not isinstance(answers, dict):
        raise DataError("options is a list and selections a mapping of countries", file=path, row=row)
    labels = [plain_number(str(option)) for option in options]
    opinions = [index for index, label in enumerate(labels) if not is_no_opinion(label)]
    issues: list[DataIssue] = []
    people: dict[str, PeopleAnswers] = {}
    for country, shares in _one_sample_each(answers, row, issues):
        code = _code(country)
        if code is None:
            issues.append(DataIssue(FILE, "unknown-country", "is left out", row, "selections", country))
        elif not isinstance(shares, list) or len(shares) != len(labels):
            issues.append(DataIssue(FILE, "wrong-shares", f"{country} has not a share for each option", row))
        else:
            try:
                weights = [float(share) for share in shares]
                one = PeopleAnswers.of([weights[index] for index in opinions])
            except (TypeError, ValueError):
                issues.append(DataIssue(FILE, "wrong-shares", f"{country} has a share that is none", row))
                continue
            if one is not None:
                people[code] = one
            if abs(sum(weights) - 1) > ROUNDING:
                what = f"the shares of {country} sum to {sum(weights):.2f}; they are brought to 1"
                issues.append(DataIssue(FILE, "shares-not-1", what, row))
    if len(opinions) < 2:
        issues.append(DataIssue(FILE, "option-count", "fewer than two options are opinions; left out", row))
        return None, issues
    shown = tuple(labels[index] for index in opinions)
    others = tuple(label for index, label in enumerate(labels) if index not in opinions)
    question = SurveyQuestion(
        f"{entry['source'].strip()}-{row}",
        entry["question"].strip(),
        shown,
        on_scale(shown),
        others,
        category=entry["source"].strip(),
        people=people,
    )
    return question, issues


ROUNDING = 0.02


def is_no_opinion(option: str) -> bool:
    """Whether an option is not one that was read out to people: volunteered, refused, don't know."""
    text = option.strip().casefold().replace("\u2019", "'")
    return "(vol)" in text or text.startswith(_NO_OPINION)


def _one_sample_each(answers: dict[str, Any], row: int, issues: list[DataIssue]) -> Iterator[tuple[str, Any]]:
    """Country -> shares; of several samples of one country, whatever they call it, the first in the order of
    SAMPLES."""
    samples: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for name in map(str, answers):
        ending = next((one for one in SAMPLES[1:] if name.endswith(one)), "")
        country = name.removesuffix(ending)
        samples[_code(country) or country].append((SAMPLES.index(ending), country, name))
    for of_country in samples.values():
        _, country, name = min(of_country, key=itemgetter(0))
        if len(of_country) > 1:
            what = f"{country} has {len(of_country)} samples; {name!r} is used"
            issues.append(DataIssue(FILE, "several-samples", what, row))
        yield country, answers[name]


def _code(country: str) -> str | None:
    try:
        return get_culture(country).code
    except UnknownNameError:
        return None


def _literal(path: Path, row: int, column: str, text: str) -> Any:
    """A value that is written as Python prints it; nothing is run."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise DataError(
            f"{column} is not a list or mapping as Python prints it", file=path, row=row
        ) from None


class _Reader:
    def looks_like(self, folder: Path) -> bool:
        return (folder / FILE).is_file() and is_readable(folder / FILE, COLUMNS)

    def check(self, release: Release) -> list[DataIssue]:
        """What is odd about each row."""
        return [issue for _, _, issues in read_questions(release) for issue in issues]


TASK = GlobalOpinionQa()

BENCHMARK = Benchmark(
    "global-opinion-qa",
    "GlobalOpinionQA",
    (TASK,),
    reader=_Reader(),
    results=survey_results(TASK),
    caution=(
        f"{CAUTION} The number of people behind a share is not in the data (about 1,000 a country is usual), "
        "and countries differ in which questions they were asked."
    ),
)
