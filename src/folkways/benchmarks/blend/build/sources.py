"""Questions with every country's answers, from which multiple-choice questions are made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TypeVar

import polars as pl

from folkways.benchmarks.blend.data.files import country_name
from folkways.benchmarks.templates import with_article
from folkways.cultures import cultures
from folkways.errors import DataError

_TIME = re.compile(r"\d{2}:\d{2}")
_DATE = re.compile(r"\d{2}/\d{2}")


class AnswerForm(StrEnum):
    """What a question asks for by its instruction in brackets; FREE where it has none."""

    TIME = "time"
    DATE = "date"
    NUMBER = "number"
    FREE = "free"


def form_of(question: str) -> AnswerForm:
    """The form that the words of an English question ask for."""
    if "HH:MM" in question:
        return AnswerForm.TIME
    if "MM/DD" in question:
        return AnswerForm.DATE
    return AnswerForm.NUMBER if "Arabic" in question else AnswerForm.FREE


@lru_cache(maxsize=50_000)
def number_in(answer: str) -> float | None:
    """The number that the answer is, or None."""
    try:
        return float(answer)
    except ValueError:
        return None


def is_time(answer: str) -> bool:
    """Two digits, a colon, two digits."""
    return _TIME.fullmatch(answer) is not None


def is_date(answer: str) -> bool:
    """Two digits, a slash, two digits."""
    return _DATE.fullmatch(answer) is not None


def fits(answer: str, form: AnswerForm) -> bool:
    """Whether an answer has the form; every answer is FREE."""
    match form:
        case AnswerForm.TIME:
            return is_time(answer)
        case AnswerForm.DATE:
            return is_date(answer)
        case AnswerForm.NUMBER:
            return number_in(answer) is not None
    return True


def settled_by_form(answers: tuple[str, ...], target: str) -> bool | None:
    """Whether one of the answers is the target, where all are numbers, all dates or all times; None where
    that cannot tell."""
    value = number_in(target)
    if value is not None:
        values = [number_in(answer) for answer in answers]
        return value in values if None not in values else None
    for has_form in (is_date, is_time):
        if has_form(target) and all(has_form(answer) for answer in answers):
            return target in answers
    return None


LEAST_VOTES = 2
"""Votes that the most frequent answer of every country needs, and that an answer needs to be offered
elsewhere."""

MOST_NOT_KNOWING = {"code": 2, "text": 3}
"""People of one country who may not know a question: by the authors' code, and by section 4.2.1."""

YOUR_COUNTRY = "your country"

ANYWHERE = "in one country, "
NOT_ASKED = "not everybody was asked it"
NOWHERE = "in no country did enough people know it and agree"
NO_TEXT = "it has answers and no text in any file of questions"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """One answer of a country: its English variants, the first as it is shown, and how many people gave
    it."""

    variants: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class SourceQuestion:
    """One question with everybody's answers.

    text: about "your country", for the judge and the form.
    texts: country -> the text that its people would read.
    groups: country -> answers with an English variant, in the release's order; countries in the benchmark's
        order.
    """

    question: str
    text: str
    form: AnswerForm
    texts: Mapping[str, str]
    groups: Mapping[str, tuple[AnswerGroup, ...]]

    @property
    def annotations(self) -> frozenset[str]:
        """Every English variant that anybody gave."""
        return frozenset(
            variant for groups in self.groups.values() for group in groups for variant in group.variants
        )


@dataclass(frozen=True, slots=True)
class Selection:
    """What passes the filter, and why questions do not -> how many, each under the first reason that fits.

    by_culture: country -> the same of the questions that its own answers keep out, where each has its own.
    """

    sources: list[SourceQuestion]
    filtered: dict[str, int]
    by_culture: dict[str, Counter[str]]


def select_sources(
    annotations: pl.DataFrame,
    questions: pl.DataFrame,
    wanted: Sequence[str] | None = None,
    exclusion: str = "code",
    *,
    by_culture: bool = False,
) -> Selection:
    """The questions that pass the filter, in the order of the first country's question file.

    The paper's text (section 4.2.1) drops a question where more than three did not know it, the authors' code
    where more than two did; ``exclusion`` chooses ("text", "code").
    annotations, questions: ``read_annotations`` and ``read_questions`` of releases/blend; they may be of two
        releases. A question goes when in any country somebody called it not applicable, more than
        MOST_NOT_KNOWING did not know it for whatever reason, or its most frequent answer has fewer than
        LEAST_VOTES votes. ``wanted`` names the questions to look at.
    by_culture: a question stays with the countries whose answers pass, and goes where none does.
    Raises DataError for questions that are not there, or where a country has annotations and no questions.
    """
    countries = [_country(code) for code in annotations["culture"].unique(maintain_order=True)]
    most = MOST_NOT_KNOWING[exclusion]
    against = {} if by_culture else _against(annotations, most)
    with_answers = annotations["id"].unique()
    kept_out: dict[str, Counter[str]] = {}
    if by_culture:
        why_out = pl.coalesce(pl.when(what).then(pl.lit(why)) for why, what in _objections(most).items())
        annotations = annotations.with_columns(why_out=why_out)
        for code, key, reason in (
            annotations.drop_nulls("why_out").select("culture", "id", "why_out").iter_rows()
        ):
            if wanted is None or key in wanted:
                kept_out.setdefault(_country(code), Counter())[reason.removeprefix(ANYWHERE)] += 1
        annotations = annotations.filter(pl.col("why_out").is_null())
    answers: dict[str, dict[str, tuple[AnswerGroup, ...]]] = {}
    for code, key, groups in annotations.select("culture", "id", "groups").iter_rows():
        english = tuple(
            AnswerGroup(tuple(group["en_answers"]), group["count"]) for group in groups if group["en_answers"]
        )
        country = _country(code)
        _put(answers.setdefault(key, {}), country, english, f"the question {key!r} of {country}")
    about, texts = _texts(questions)
    if missing := [country for country in countries if country not in texts]:
        raise DataError(
            f"there are answers of {', '.join(missing)} but no questions; give a release that has them: "
            "--question-text"
        )
    if unknown := [key for key in wanted or () if key not in about]:
        raise DataError(
            f"no question {', '.join(map(repr, unknown))}; ids look like {next(iter(about), 'Al-en-01')!r}"
        )
    looked_at = {key: text for key, text in about.items() if wanted is None or key in wanted}
    absent = NOWHERE if by_culture else NOT_ASKED
    why = {key: against.get(key) if key in answers else absent for key in looked_at}
    why |= dict.fromkeys({*with_answers} - {*about}, NO_TEXT) if wanted is None else {}
    passed = [
        SourceQuestion(
            key,
            text,
            form_of(text),
            {
                country: texts[country].get(key, text.replace(YOUR_COUNTRY, spoken_name(country)))
                for country in countries
            },
            answers[key],
        )
        for key, text in looked_at.items()
        if why[key] is None
    ]
    filtered = Counter(reason for reason in why.values() if reason is not None)
    return Selection(passed, dict(filtered), kept_out)


def _country(code: str) -> str:
    return country_name(cultures()[code])


def _put(row: dict[str, T], key: str, value: T, what: str) -> None:
    """Add a value. Raises DataError if there is one: nobody can tell which of the two is meant."""
    if key in row:
        raise DataError(f"{what} is in its file twice; keep one (folkways data check says where they are)")
    row[key] = value


def _against(annotations: pl.DataFrame, most: int) -> dict[str, str]:
    """Question -> the first thing that keeps it out; questions that pass are not in it."""
    places = annotations["culture"].n_unique()
    objections = annotations.group_by("id").agg(
        *(objection.any().alias(why) for why, objection in _objections(most).items()),
        (pl.col("culture").n_unique() < places).alias(NOT_ASKED),
    )
    reasons = [name for name in objections.columns if name != "id"]
    first = objections.select(
        "id", pl.coalesce(pl.when(pl.col(why)).then(pl.lit(why)) for why in reasons).alias("why")
    )
    return dict(first.drop_nulls().iter_rows())


def _objections(most: int) -> dict[str, pl.Expr]:
    """What speaks against a country's answers to a question, over the columns ``groups`` and ``idks``. most:
    people who may not know it."""
    idk = pl.element().struct
    not_applicable = (
        pl.col("idks").list.eval(idk.field("count").filter(idk.field("kind") == "not-applicable")).list.sum()
    )
    not_knowing = pl.col("idks").list.eval(idk.field("count")).list.sum()
    votes = pl.col("groups").list.eval(pl.element().struct.field("count")).list.max().fill_null(0)
    return {
        "somebody called it not applicable": not_applicable > 0,
        f"{ANYWHERE}more than {most} people did not know it": not_knowing > most,
        f"{ANYWHERE}no answer was given by {LEAST_VOTES} people": votes < LEAST_VOTES,
    }


def _texts(questions: pl.DataFrame) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Question -> its English text about "your country", and country -> question -> its text.

    The first country that has a question words it for all. A text that says "your country" serves every
    country, with its name in that place. Where texts name the country already, each country keeps its own; of
    countries that ask in English that is the text people were shown.
    """
    about: dict[str, str] = {}
    general: dict[str, str] = {}
    by_country: dict[str, dict[str, str]] = {}
    for code, key, local, text in questions.select("culture", "id", "local", "english").iter_rows():
        country, in_english = _country(code), cultures()[code].languages == ("en",)
        in_its_words = local if in_english else text
        _put(by_country.setdefault(country, {}), key, in_its_words, f"the question {key!r} of {country}")
        if key not in about:
            if YOUR_COUNTRY in text:
                general[key] = text
            about[key] = general.get(key, in_its_words).replace(spoken_name(country), YOUR_COUNTRY)
    for country, mine in by_country.items():
        mine |= {key: text.replace(YOUR_COUNTRY, spoken_name(country)) for key, text in general.items()}
    return about, by_country


def spoken_name(country: str) -> str:
    """A country of the files as a sentence names it: "the UK", "the Netherlands", "South Korea"."""
    return f"the {country}" if country in ("UK", "US") else with_article(country.replace("_", " "))
