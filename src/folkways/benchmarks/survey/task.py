"""A task whose questions have no right answer: how near are a model's answers, as a distribution, to those of
people of each culture?

Every question is shown in both orders of its options, with letters and with numbers, and in two wordings. One
that was not answered in both orders and in two wordings has no score (arXiv 2503.08688).
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from string import ascii_uppercase
from typing import ClassVar
from unicodedata import normalize
from zlib import crc32

import numpy as np
import polars as pl

from folkways.benchmarks.base import HumanBaseline, PromptOptions, Scoring
from folkways.benchmarks.itemwise import ItemwiseTask, ReplyScore, Row, unparsed
from folkways.benchmarks.summary import AS_IT_IS, CONDITION, summarise_means
from folkways.benchmarks.survey.questions import SurveyQuestion
from folkways.benchmarks.templates import Template, choose_templates, wordings
from folkways.records import JUDGEMENTS, LEFT_OUT, LOST, Metric, Schema, State, likelihoods_of
from folkways.releases.release_records import Release
from folkways.stats.distributions import (
    js_distance,
    scale_mean,
    similarity_of_draws,
    similarity_of_halves,
    wasserstein,
)
from folkways.text.labels import chosen_label
from folkways.text.labels.words import pattern

UNIFORM = "baseline/uniform"
LETTERS, NUMBERS = "letters", "numbers"
GIVEN, REVERSED = "given", "reversed"

SIMILARITY = Metric(
    "similarity",
    "Similarity",
    "1 - Jensen-Shannon distance (base 2) of the model's answers to a question from those of people; it does "
    "not see the order of options.",
    kind="distribution",
    leaves_out=True,
    per="question",
    headline_by=CONDITION,  # a model's own answers, and what it takes people of a country to answer
)
WASSERSTEIN = Metric(
    "wasserstein",
    "Wasserstein distance",
    "How far answers would have to move along an ordered scale to be those of people, in percent of the "
    "scale; only ordered questions.",
    kind="distribution",
    lower_is_better=True,
    per="question",
)
MEAN_GAP = Metric(
    "mean_gap",
    "Difference of means",
    "The model's mean answer less that of people, in percent of the scale, upwards for later options as they "
    "are numbered; only ordered questions. Neither way is better.",
    kind="distribution",
    bounds=None,
    per="question",
)
SAME_NUMBER = Metric(
    "of_as_many_people",
    "As many people",
    "The similarity that as many answers of people of that culture would have, drawn at random: a model with "
    "few samples cannot be nearer. Not for likelihoods.",
    kind="distribution",
    per="question",
)
OPINIONS = Metric(
    "opinions",
    "Opinion given",
    "The reply takes an option that is an opinion: it is readable, not a refusal, and not a don't know.",
    kind="mean",
)
METRICS = (SIMILARITY, WASSERSTEIN, MEAN_GAP, SAME_NUMBER, OPINIONS)
OF_QUESTION = tuple(metric.name for metric in METRICS if metric.per == "question")


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which a question is shown, as its variant names it: ``country-one-letters-reversed``.

    condition: what the wordings of one prompt have in common (``country``; empty for the question as it is).
    wording: which of its wordings. labels: LETTERS or NUMBERS. order: GIVEN or REVERSED.
    """

    condition: str
    wording: str
    labels: str
    order: str

    @classmethod
    def of(cls, variant: str) -> Form:
        template, labels, order = variant.rsplit("-", 2)
        condition, _, wording = template.rpartition("-")
        return cls(condition, wording, labels, order)


_CONDITION = r"^(.+)-[^-]+-[^-]+-[^-]+$"
"""``Form.condition`` in a variant; no match where it is empty."""


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question as it is shown: its text, and for each line the label, the option, and its index among the
    options of opinion; None for an option without opinion."""

    text: str
    lines: tuple[tuple[str, str, int | None], ...]

    @classmethod
    def of(cls, item: Row, language: str, labels: str, order: str) -> ShownQuestion:
        text, options = _texts(item, language)
        count = len(item["options"])
        opinions: list[tuple[int | None, str]] = list(enumerate(options[:count]))
        if order == REVERSED:
            opinions.reverse()
        shown = [*opinions, *((None, option) for option in options[count:])]
        names = list(ascii_uppercase) if labels == LETTERS and len(shown) <= len(ascii_uppercase) else []
        if not names:
            names = _scale_labels(item["positions"], options[:count], shown) or [
                str(number) for number in range(1, len(shown) + 1)
            ]
        return cls(
            text, tuple((name, option, index) for name, (index, option) in zip(names, shown, strict=False))
        )

    @property
    def listed(self) -> str:
        return "\n".join(name if name == option else f"{name}. {option}" for name, option, _ in self.lines)

    @property
    def labels(self) -> list[str]:
        return [name for name, _, _ in self.lines]

    def read(self, reply: str) -> int | None:
        """The line that the reply settles on; None where it names none, or several."""
        if self.lines[0][0] in ascii_uppercase:
            label = chosen_label(reply, {name: option for name, option, _ in self.lines})
            return None if label is None else self.labels.index(label)
        choices = {
            chr(_FIRST_HIEROGLYPH + at): "" if name == option else self._lettered(option)
            for at, (name, option, _) in enumerate(self.lines)
        }
        lettered = self._lettered(reply)
        letter = chosen_label(lettered, choices)
        numbers = set(re.findall(f"[{''.join(choices)}]", lettered))
        if letter is None and len(numbers) == 1 and _is_brief(reply):  # "I would rate this 2", "第2个"
            by_text = chosen_label(re.sub(f"[{''.join(choices)}]", " ", lettered), choices)
            letter = min(numbers) if by_text in (None, *numbers) else None
        return None if letter is None else ord(letter) - _FIRST_HIEROGLYPH

    def _lettered(self, text: str) -> str:
        """The text with a letter in place of each number that is a label, in whatever digits it is written.

        Of "7 out of 10" and "7/10" only the 7 is one, where the scale ends with 10 or has 10 lines.
        """
        text = re.sub(r"\d", lambda digit: str(int(digit[0])), normalize("NFKC", text).replace("−", "-"))
        end = max((name for name, _, index in self.lines if index is not None), key=float)
        text = re.sub(rf"(?<=\d)\s*(?:/|out of)\s*(?:{end}|{len(self.lines)})(?![\d.,]*\d)", "", text)
        letters = {name: chr(_FIRST_HIEROGLYPH + at) for at, name in enumerate(self.labels)}
        names = "|".join(re.escape(name) for name in sorted(letters, key=len, reverse=True))
        number = rf"(?<![\d.,/⁄])(?<!\d-)(?:{names})(?!\d| ?%|[.,/⁄]\d)"
        return re.sub(number, lambda label: letters[label[0]], text)


_FIRST_HIEROGLYPH = 0x13000
"""The first of the letters that stand for labels that are numbers, so that one reader reads all labels;
nobody replies in them."""


def _is_brief(reply: str) -> bool:
    """Whether a reply is a few words that deny nothing: a number in it is meant as the answer."""
    denied = pattern("not", "not_behind", "wrong").search(reply)
    return len(reply) <= 40 and len(reply.split()) <= 6 and denied is None


def _texts(item: Row, language: str) -> tuple[str, list[str]]:
    """The question and all its options in a language: those of opinion, then the others."""
    if language in item["languages_of_texts"]:
        at = item["languages_of_texts"].index(language)
        return item["texts"][at], item["options_of_texts"][at]
    return item["text"], [*item["options"], *item["no_opinion"]]


def _scale_labels(
    positions: Sequence[float] | None, options: Sequence[str], shown: Sequence[tuple[int | None, str]]
) -> list[str]:
    """The numbers of a scale some of whose options are bare numbers: they are its labels in either order, as
    "2. 9" would be misread. Empty for other questions."""
    if not positions or not any(option.strip().isdecimal() for option in options):
        return []
    codes = {f"{position:g}" for position in positions}
    others = (str(number) for number in count(99, -1) if str(number) not in codes)  # as surveys code them
    return [f"{positions[index]:g}" if index is not None else next(others) for index, _ in shown]


class SurveyTask(ItemwiseTask):
    """Questions of opinion. A subclass names itself and its release, and reads ``questions``."""

    metrics: ClassVar[tuple[Metric, ...]] = METRICS
    facets: ClassVar[tuple[str, ...]] = ("category", "scale")
    scoring: ClassVar[Scoring] = Scoring()
    variants: ClassVar[tuple[str, ...]] = ("one", "two")
    max_tokens: ClassVar[int] = 16
    temperature: ClassVar[float] = 1.0  # a spread of answers is measured
    places: ClassVar[tuple[str, ...]] = ("question", "options")
    item_columns: ClassVar[Schema] = {
        "options": pl.List(pl.String),
        "positions": pl.List(pl.Float64),
        "no_opinion": pl.List(pl.String),
        "shares": pl.List(pl.Float64),
        "respondents": pl.Int64,
        "language_of_text": pl.String,
        "languages_of_texts": pl.List(pl.String),
        "texts": pl.List(pl.String),
        "options_of_texts": pl.List(pl.List(pl.String)),
    }
    judgement_columns: ClassVar[Schema] = {
        "chosen_option": pl.String,  # in the release's wording, whatever was shown
        "shares_of_reply": pl.String,  # of the options of opinion: "0 1 0", or likelihoods
        LEFT_OUT: pl.String,
        CONDITION: pl.String,
    }

    @abstractmethod
    def questions(self, release: Release) -> Iterable[SurveyQuestion]:
        """The questions of a release with what people answered."""

    def rows(self, release: Release) -> Iterator[Row]:
        for question in self.questions(release):
            yield from question.rows()

    def languages(self, item: Row) -> tuple[str, ...]:
        return (item["language_of_text"], *item["languages_of_texts"])

    def default_languages(self, item: Row) -> tuple[str, ...]:
        """The first alone: another language is a condition of its own."""
        return self.languages(item)[:1]

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        source = "folkways" if language == "en" else "folkways, in English"
        named = {
            name: (lambda text=text: Template(text, source))
            for name, text in wordings("folkways.benchmarks.survey").items()
        }
        return choose_templates(self.name, options, named, self.variants, needed=self.places)

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {"question": _texts(item, language)[0]}

    def prompt_variants(
        self, item: Row, language: str, variant: str, options: PromptOptions, release: Release
    ) -> Iterable[tuple[str, Mapping[str, str], Sequence[str] | None]]:
        for labels, word in ((LETTERS, "letter"), (NUMBERS, "number")):
            for order in (GIVEN, REVERSED):
                shown = ShownQuestion.of(item, language, labels, order)
                parts = {"question": shown.text, "options": shown.listed, "label": word}
                yield f"{variant}-{labels}-{order}", parts, shown.labels

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        return {OPINIONS.name: 0.0}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        form = Form.of(response["variant"])
        shown = ShownQuestion.of(item, response["language"], form.labels, form.order)
        shares = self._likelihoods(shown, response) or self._chosen(shown, response["response"])
        if shares is None:
            return unparsed(response["response"], response["language"], "no option in the reply, or several")
        label, option, index = shown.lines[int(np.argmax(shares))]
        opinion = np.zeros(len(item["options"]))
        for share, (_, _, at) in zip(shares, shown.lines, strict=True):
            if at is not None:
                opinion[at] += share
        mass = float(opinion.sum())
        released = [*item["options"], *item["no_opinion"]]
        details = {
            "chosen_option": released[index] if index is not None else option,
            "shares_of_reply": " ".join(f"{share / mass:.6g}" for share in opinion) if mass else None,
            "_sampled": max(shares) == 1.0,
        }
        return ReplyScore(label, option, {OPINIONS.name: mass}, details)

    def _chosen(self, shown: ShownQuestion, reply: str) -> list[float] | None:
        line = shown.read(reply)
        return None if line is None else [float(at == line) for at in range(len(shown.lines))]

    def _likelihoods(self, shown: ShownQuestion, response: Row) -> list[float] | None:
        """The probability of each line among all lines, where the model gave likelihoods."""
        logs = likelihoods_of(response.get("finish_reason"))
        if len(logs) != len(shown.lines):
            return None
        weights = np.exp(np.array(logs) - max(logs))
        return [float(weight) for weight in weights / weights.sum()]

    def completed(self, rows: list[Row]) -> list[Row]:
        """With the metrics of the question on one of its forms, and null on the others: the first with an
        opinion, or where the question has no score, the first that says why: without a reply where one was
        lost, else without an opinion."""
        askings: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
        for row in rows:
            row |= dict.fromkeys(OF_QUESTION)
            row[CONDITION] = Form.of(row["variant"]).condition or AS_IT_IS
            askings[row["item"], row["language"], row[CONDITION]].append(row)
        for replies in askings.values():
            shares, why = distribution(replies)
            lost = shares is None and any(row["state"] in LOST for row in replies)
            alike = [row for row in replies if (row["state"] in LOST) is lost]
            first = min(
                alike,
                key=lambda row: (
                    bool(row.get("shares_of_reply")) is (shares is None),
                    row["variant"],
                    row["sample"],
                ),
            )
            if shares is not None:
                first |= self._of_question(first, shares, replies)
            else:
                first |= _of_lost(first) if lost else {LEFT_OUT: why}
        return rows

    def _of_question(self, item: Row, shares: np.ndarray, replies: Sequence[Row]) -> Row:
        values = _compared(shares, item)
        readable = [row for row in replies if row.get("shares_of_reply")]
        if all(row["_sampled"] for row in readable):
            seed = crc32(item["item"].encode())
            values["of_as_many_people"] = similarity_of_draws(np.array(item["shares"]), len(readable), seed)
        return values

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task, and by CONDITION; metrics of a whole question have no score by variant, which is
        one form."""
        condition = pl.col("variant").cast(pl.String).str.extract(_CONDITION).fill_null(AS_IT_IS)
        named = judgements.with_columns(condition.alias(CONDITION))
        scores = summarise_means(named, self.name, self.metrics, (CONDITION, *self.facets))
        by_form = (pl.col("facet") == "variant") & pl.col("metric").is_in(OF_QUESTION)
        return scores.filter(~by_form)

    def baselines(self, items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
        """Every option equally often."""
        rows = []
        for item in items.iter_rows(named=True):
            uniform = np.full(len(item["shares"]), 1 / len(item["shares"]))
            rows.append({**item, **_BY_NOBODY, **_compared(uniform, item)})
        return {UNIFORM: self._frame(rows, ("similarity", "wasserstein", "mean_gap"))}

    def human_baseline(self) -> HumanBaseline:
        return HumanBaseline("one half of the people against the other, as whole counts", self._halves)

    def _halves(self, items: pl.DataFrame, release: Release, profile: str) -> pl.DataFrame | None:
        """Where it is known how many people answered."""
        rows = []
        counted = self.items(release).join(items.select("item"), on="item", how="semi")
        for item in counted.drop_nulls("respondents").iter_rows(named=True):
            halves = half_of_people(item)
            if not math.isnan(halves):
                rows.append({**item, **_BY_NOBODY, "similarity": halves})
        return self._frame(rows, self.judged_columns) if rows else None

    def _frame(self, rows: list[Row], metrics: Iterable[str]) -> pl.DataFrame:
        columns = {
            name: kind for name, kind in self.judged_columns.items() if name in self.facets or name in metrics
        }
        return pl.DataFrame(rows, schema={**JUDGEMENTS, **columns})

    def text_tools(self) -> Mapping[str, str]:
        return {"js": "base 2", "forms": "order+labels+wording"}


_BY_NOBODY = {
    "language": "en",
    "variant": "none",
    "sample": 0,
    "state": State.ANSWERED.value,
    "counted": True,
    "answer": None,
    "reason": None,
}
"""Of a judgement of nobody's reply."""


def _compared(shares: np.ndarray, item: Row) -> Row:
    """The metrics of these shares of the options against those of people; those of a scale where there is
    one."""
    people = np.array(item["shares"])
    values: Row = {"similarity": float(1 - js_distance(shares, people))}
    if item["positions"]:
        positions = np.array(item["positions"])
        values["wasserstein"] = float(wasserstein(shares, people, positions))
        values["mean_gap"] = float(scale_mean(shares, positions) - scale_mean(people, positions))
    return values


def _of_lost(item: Row) -> Row:
    """Of a question without score for want of replies: the farthest that answers can be from those of people.
    Neither way is better in the difference of means, and no answers say how many people to draw."""
    of_scale = (WASSERSTEIN,) if item["positions"] else ()
    return {metric.name: metric.worst for metric in (SIMILARITY, *of_scale)}


def half_of_people(item: Row) -> float:
    """The similarity of one half of the people who answered an item, whose number is known, to the other; NaN
    for fewer than two."""
    counts = np.round(np.array(item["shares"]) * item["respondents"]).astype(np.int64)
    return similarity_of_halves(counts, crc32(item["item"].encode()))


def shares_of_reply(judgement: Row) -> np.ndarray:
    """The shares of the options that a readable reply with an opinion comes to."""
    return np.array(judgement["shares_of_reply"].split(), dtype=float)


def distribution(replies: Sequence[Row]) -> tuple[np.ndarray | None, str | None]:
    """The distribution of the answers to a question over all its forms, each order counting as much as the
    other, or why there is none.

    replies: judgements with ``variant`` and ``shares_of_reply``, of one item, language and condition.
    """
    of_form: dict[Form, list[np.ndarray]] = defaultdict(list)
    for row in replies:
        if row.get("shares_of_reply"):
            of_form[Form.of(row["variant"])].append(shares_of_reply(row))
    if not of_form:
        return None, "no opinion in any reply"
    if {form.order for form in of_form} != {GIVEN, REVERSED}:
        return None, "no opinion in one of the two orders"
    if len({form.wording for form in of_form}) < 2:
        return None, "no opinion in a second wording"
    by_order: dict[str, list[np.ndarray]] = defaultdict(list)
    for form, vectors in of_form.items():
        by_order[form.order].append(np.mean(vectors, axis=0))
    shares = np.mean([np.mean(vectors, axis=0) for vectors in by_order.values()], axis=0)
    return shares / shares.sum(), None
