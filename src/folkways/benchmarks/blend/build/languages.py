"""Questions that are asked in the culture's language and in English, with the same options in the same order.

No option is translated by a model: people's own answers word them. So an item needs wrong answers of other
cultures that have a wording in the language too, best source first (``Origin``). Each culture is filtered by
its own people's answers alone: what is asked about one need not be a question everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.benchmarks.blend.build.calls import Oracle
from folkways.benchmarks.blend.build.choosing import Meaning, Meanings, Pair, clean, folded, is_same, meanings
from folkways.benchmarks.blend.build.construction import Questions, judged
from folkways.benchmarks.blend.build.items import (
    LETTERS,
    LOCAL,
    RELEASED,
    WRONG_OPTIONS,
    by_letter,
    item_prompt,
    table,
)
from folkways.benchmarks.blend.build.sources import SourceQuestion, is_date, is_time, number_in
from folkways.benchmarks.blend.data.files import cultures_by_name
from folkways.benchmarks.free_answers.matching import StrictMatcher
from folkways.benchmarks.templates import Template, wordings
from folkways.cultures import cultures_of, language_name
from folkways.errors import DataError, UnknownNameError
from folkways.records import Schema, of_rows, without_nan
from folkways.stats.differences import paired_mean
from folkways.stats.hypotheses.corrections import holm
from folkways.text.scripts import letters_of
from folkways.text_tables import read_table

ENGLISH = "en"
EVERY = "local"
"""Stands for each culture's own language."""

FEW = 100
"""Items of a culture below which its score says little."""


class Origin(StrEnum):
    """Whose words an option is in, best first."""

    DIGITS = "digits"  # a number, a date or a time, which reads the same
    # people of the culture, or of one with the same language, to this question
    SAME_QUESTION = "same question"
    OWN_PEOPLE = "own people"  # people of the culture, with the same English, to another question
    FILE = "file"  # a translation that the user brought


@dataclass(frozen=True, slots=True)
class LocalOption:
    """An option in two languages, the country whose people gave it, and whose words it is in."""

    english: str
    local: str
    origin: Origin
    country: str

    @property
    def kind(self) -> tuple[bool, ...]:
        """What must be alike in all options: whether they are numerals, and whether they have digits."""
        return tuple(
            test(text)
            for text in (self.english, self.local)
            for test in (is_numeral, lambda text: any(map(str.isdecimal, text)))
        )


class LocalAnswers:
    """What people of each country answered, in their own language.

    annotations, questions: ``read_annotations`` and ``read_questions`` of releases.
    glosses: (language, English in ``folded`` form) -> translation.
    """

    def __init__(
        self,
        annotations: pl.DataFrame,
        questions: pl.DataFrame,
        glosses: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        names = {culture.code: name for name, culture in cultures_by_name().items()}
        self.language = {name: culture.languages[0] for name, culture in cultures_by_name().items()}
        self.question: dict[tuple[str, str], str] = {}
        topics = {}
        for code, key, topic, local in questions.select("culture", "id", "topic", "local").iter_rows():
            self.question[names[code], key] = local
            topics[key] = topic
        self._topics = topics
        self._glosses = glosses or {}
        self._matcher = StrictMatcher()
        self._answered: dict[tuple[str, str], dict[str, str]] = {}
        self._accepted: dict[tuple[str, str], list[str]] = {}
        self._elsewhere: dict[tuple[str, str], list[tuple[str | None, int, str]]] = defaultdict(list)
        for code, key, groups in annotations.select("culture", "id", "groups").iter_rows():
            country = names[code]
            wordings_here = self._answered[country, key] = {}
            self._accepted[country, key] = [text for group in groups for text in group["answers"]]
            for group in groups:
                word = self._shown(group["answers"], country)
                english = [gloss for text in group["en_answers"] if (gloss := folded(clean(text)))]
                if not word or not english:
                    continue
                for gloss in english:
                    wordings_here.setdefault(gloss, word)
                # The first only: "dancing" may come second to a word for songs.
                self._elsewhere[country, english[0]].append((topics.get(key), -group["count"], word))

    def _shown(self, variants: Sequence[str], country: str) -> str:
        """The first variant that is all in the script of the country's language, with its digits as 0 to 9;
        empty for none."""
        shown = (ascii_digits(clean(text)) for text in variants)
        return next((text for text in shown if text and in_script(text, self.language[country])), "")

    def option(self, country: str, answer: Meaning, question: str) -> LocalOption | None:
        """An answer of any country to a question, by the first of its English variants that has a wording in
        the language of ``country``; None where nobody worded it."""
        for english in answer.variants:
            if wording := self._wording(country, answer.country, folded(english), question):
                return LocalOption(ascii_digits(english), *wording, answer.country)
        return None

    def _wording(self, country: str, of: str, gloss: str, question: str) -> tuple[str, Origin] | None:
        if is_numeral(gloss):
            return ascii_digits(gloss), Origin.DIGITS
        language = self.language[country]
        if self.language[of] == language and (word := self._answered[of, question].get(gloss)):
            return word, Origin.SAME_QUESTION
        if uses := self._elsewhere.get((country, gloss)):
            topic = self._topics.get(question)
            *_, word = min(uses, key=lambda use: (use[0] != topic, *use[1:]))  # the same topic, most votes
            return word, Origin.OWN_PEOPLE
        brought = self._glosses.get((language, gloss))
        return (brought, Origin.FILE) if brought else None

    def is_accepted(self, country: str, question: str, wording: str) -> bool:
        """Whether a wording is, holds or lies within any answer that people of the country gave to the
        question, by words or base forms."""
        language = self.language[country]
        return any(self.overlap(wording, text, language) for text in self._accepted[country, question])

    def overlap(self, one: str, other: str, language: str) -> bool:
        """Whether one of two wordings has the other in it, by words or base forms."""
        compare = self._matcher.compare
        return compare(one, other, language) is not None or compare(other, one, language) is not None


def ascii_digits(text: str) -> str:
    """The text with the digits of any script as 0 to 9: an item has one numeral system."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


@cache
def _letter(language: str) -> re.Pattern[str]:
    return re.compile(f"[{letters_of(language)}]")


def in_script(text: str, language: str) -> bool:
    """Whether every letter is one of the language's script: an option in English would be seen at once."""
    return all(map(_letter(language).match, filter(str.isalpha, text)))


@lru_cache(maxsize=50_000)  # an answer is asked about for each country that it may be offered in
def is_numeral(text: str) -> bool:
    """Whether a text is a number, a date or a time."""
    plain = ascii_digits(text)
    return any(map(str.isdecimal, plain)) and (
        number_in(plain) is not None or is_time(plain) or is_date(plain)
    )


MUCH_LONGER = 1.75, 2.0
"""How many times as long as the others a right option may be: in English, which often describes what has a
word in the language, and in this. So the longest option of BLEnD's items is right as often as another."""

NOTHING: frozenset[Pair] = frozenset()

NO_FORM = "its most frequent answer does not have the form that is asked for"
NO_WORDING = "its most frequent answer has no wording in the script of the language"
OTHER_LENGTH = "its most frequent answer is much longer or shorter than the wrong ones"
FEW_OPTIONS = f"fewer than {WRONG_OPTIONS} wrong answers have a wording in the language"


def options_of(
    question: Meanings, same: frozenset[Pair], country: str, local: LocalAnswers
) -> list[LocalOption] | str:
    """The right option of a country's question and the wrong ones, or why there are too few.

    A wrong one overlaps with no answer of the country, however rare, in neither language, and with no other
    option. question: with its answers; same: pairs of its answers that were judged the same; local: wordings.
    """
    key, language = question.source.question, local.language[country]
    answers = question.of[country]
    if not question.right[country]:
        return NO_FORM
    rights = (
        local.option(country, meaning, key) for meaning in answers if meaning.text in question.right[country]
    )
    right = next((option for option in rights if option is not None), None)
    if right is None:
        return NO_WORDING
    accepted = [text for meaning in answers for text in meaning.variants]
    offers = [
        (candidate, option)
        for candidate in question.candidates(country)
        if (option := local.option(country, candidate, key)) is not None and option.kind == right.kind
    ]
    offers.sort(key=lambda offer: [*Origin].index(offer[1].origin))
    options = [right]
    taken: list[Meaning] = []

    def fits(candidate: Meaning, option: LocalOption) -> bool:
        return (
            option.country not in (other.country for other in options)
            and not any(is_same(meaning, candidate, same) for meaning in (*answers, *taken))
            and not any(local.overlap(option.english, text, ENGLISH) for text in accepted)
            and not local.is_accepted(country, key, option.local)
            and not any(
                local.overlap(option.english, other.english, ENGLISH)
                or local.overlap(option.local, other.local, language)
                for other in options
            )
        )

    for candidate, option in offers:
        if len(taken) < WRONG_OPTIONS and fits(candidate, option):
            options.append(option)
            taken.append(candidate)
    if len(taken) < WRONG_OPTIONS:
        return FEW_OPTIONS
    return OTHER_LENGTH if stands_out(right, options[1:]) else options


def stands_out(right: LocalOption, wrong: Sequence[LocalOption]) -> bool:
    """Whether the length of the right option gives it away: in one of the languages it is much longer than
    every other (MUCH_LONGER), or less than half as long. Numerals do not count."""
    if is_numeral(right.local):
        return False
    sides = (
        (len(right.english), [len(option.english) for option in wrong], MUCH_LONGER[0]),
        (len(right.local), [len(option.local) for option in wrong], MUCH_LONGER[1]),
    )
    return any(length > most * max(others) or 2 * length < min(others) for length, others, most in sides)


@dataclass
class LocalQuestions:
    """Questions in two languages, and what each culture got: ``items``, ``origins`` of its wrong options'
    wordings, and ``left_out`` with reasons, by country."""

    built: Questions
    by_culture: dict[str, dict[str, Any]]


def build_in_languages(
    sources: Sequence[SourceQuestion],
    judge: Oracle,
    local: LocalAnswers,
    wanted: frozenset[str],
    *,
    pairs_per_call: int | None = None,
) -> LocalQuestions:
    """One item per country and question, with its most frequent answer and the three best wrong ones.

    sources: questions with the answers of the countries that each is asked about. judge: says what is the
    same in English, and pairs_per_call how many answers at a time: see ``build_order_free``. local: wordings
    in the languages. wanted: codes of these.
    """
    chosen = [
        (source, country, options_of(unjudged, NOTHING, country, local))
        for source in sources
        for unjudged in [meanings(source)]
        for country in source.groups
        if local.language[country] in wanted
    ]
    # A judge can only find more answers the same: no need to ask about a question that has too few anyway.
    hopeful = {source.question for source, _, options in chosen if not isinstance(options, str)}
    verdicts = judged([source for source in sources if source.question in hopeful], judge, pairs_per_call)
    same = {judged_of.source.question: (judged_of, pairs) for judged_of, pairs in verdicts.same}
    texts = wordings("folkways.benchmarks.blend")
    prompts = {code: Template(texts["item"][code], "folkways") for code in wanted}
    prompts[ENGLISH] = Template(texts["build"]["item"], "folkways")
    rows: list[tuple[str, ...]] = []
    by_culture: dict[str, dict[str, Counter[str]]] = {}
    for source, country, options in chosen:
        if source.question in verdicts.left_out:
            continue
        if source.question in same:
            options = options_of(*same[source.question], country, local)
        counts = by_culture.setdefault(country, {"origins": Counter(), "left_out": Counter()})
        if isinstance(options, str):
            counts["left_out"][options] += 1
        else:
            counts["origins"].update(str(option.origin) for option in options[1:])
            rows.append(_row(source, country, options, local, prompts))
    items = table(rows, (*RELEASED, *LOCAL))
    numbers = Counter(items["country"])
    counts_of = {
        country: {"items": numbers[country], **{name: dict(counter) for name, counter in of.items()}}
        for country, of in by_culture.items()
    }
    unworded = {
        country: f"its language ({language_name(local.language[country])}) is not one that items are asked in"
        for source in sources
        for country in source.groups
        if local.language[country] not in (ENGLISH, *own_languages())
    }
    return LocalQuestions(Questions(items, verdicts.calls, 0, verdicts.left_out | unworded), counts_of)


def _row(
    source: SourceQuestion,
    country: str,
    options: Sequence[LocalOption],
    local: LocalAnswers,
    prompts: Mapping[str, Template],
) -> tuple[str, ...]:
    """RELEASED and LOCAL of an item: its options, the right one first, in code-point order of the English."""
    shown = sorted(options, key=lambda option: (option.english, option.country))
    english, worded = [option.english for option in shown], [option.local for option in shown]
    language = local.language[country]
    return (
        f"{source.question}_{[*source.groups].index(country)}",
        source.question,
        country,
        item_prompt(prompts[ENGLISH], source.texts[country], tuple(english)),
        by_letter(english),
        by_letter([option.country for option in shown]),
        LETTERS[shown.index(options[0])],
        language,
        item_prompt(prompts[language], local.question[country, source.question], tuple(worded)),
        by_letter(worded),
        by_letter([str(option.origin) for option in shown]),
    )


GUESSES: Mapping[str, Callable[[str, str], float]] = {
    "length": lambda text, _language: len(text),
    "digits": lambda text, _language: sum(map(str.isdecimal, text)),
    "other script": lambda text, language: sum(
        char.isalpha() and not in_script(char, language) for char in text
    ),
    "capitals": lambda text, _language: sum(map(str.isupper, text)),
}
"""What a guess looks at that has not read the question."""


BLIND: Schema = {
    "language": pl.String,  # that the options are read in
    "guess": pl.String,  # "most length": of several such options each counts in part
    "items": pl.Int64,
    "share": pl.Float64,  # percent that it gets right
    "low": pl.Float64,  # 95 % interval
    "high": pl.Float64,
    "p_holm": pl.Float64,  # for chance, corrected for all guesses
}
"""How far a guess goes that has not read the question."""


def blind_guesses(items: pl.DataFrame) -> pl.DataFrame:
    """BLIND of the items of ``build_in_languages``, in their languages and in English: the option with the
    most and with the least of each of GUESSES, leaving out what all options of every item have equally."""
    hits: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in items.iter_rows(named=True):
        for language, column in ((row["language"], "local_choices"), (ENGLISH, "choices")):
            options = orjson.loads(row[column])
            for name, measure in GUESSES.items():
                amounts = {letter: measure(text, language) for letter, text in options.items()}
                for word, end in (("most", max(amounts.values())), ("least", min(amounts.values()))):
                    best = [letter for letter, amount in amounts.items() if amount == end]
                    hits[language, f"{word} {name}"].append((row["answer_idx"] in best) / len(best))
    chance = 1 / len(LETTERS)
    hits = {key: shares for key, shares in hits.items() if {*shares} != {chance}}  # options differ in it
    gaps = [paired_mean(shares, [chance] * len(shares), largest=1.0) for shares in hits.values()]
    rows = [
        (*key, gap.n, *(100 * (chance + end) for end in (gap.difference, gap.low, gap.high)), p)
        for key, gap, p in zip(hits, gaps, holm([gap.p for gap in gaps]), strict=True)
    ]
    return without_nan(of_rows(rows, BLIND))


GLOSSES = {"language": ("language",), "english": ("english",), "local": ("local",)}


def read_glosses(path: Path) -> dict[tuple[str, str], str]:
    """Translations of answers from a table with the columns language, english and local.

    DataError with the row for a language that no culture is asked in, an empty cell, or a translation in
    another script.
    """
    valid = own_languages()
    glosses = {}
    for row, language, english, local in read_table(path, GLOSSES).iter_rows():
        english, local = folded(clean(english)), ascii_digits(clean(local))
        if language not in valid:
            problem = f"the language {language!r} is not one of {', '.join(sorted(valid))}"
        elif not english or not local:
            problem = f"the {'translation' if english else 'English'} is empty; fill it in, or delete the row"
        elif not in_script(local, language):
            problem = f"{local!r} has letters of another script than that of {language}"
        else:
            glosses[language, english] = local
            continue
        raise DataError(problem, file=path, row=row)
    return glosses


def own_languages() -> frozenset[str]:
    """The languages other than English that a culture is asked in."""
    return frozenset(culture.languages[0] for culture in cultures_of("blend")) - {ENGLISH}


def wanted_languages(names: Sequence[str]) -> frozenset[str]:
    """The languages of a list with codes, or EVERY for all. UnknownNameError for another name."""
    for name in names:
        if name not in (EVERY, *own_languages()):
            raise UnknownNameError("language of a build", name, (EVERY, *sorted(own_languages())))
    return own_languages() if EVERY in names else frozenset(names)
