"""Whose values: how a model's answers compare with those of people of each culture; and what the form of a
question does to them."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.survey.intervals import SampledAnswers, corrected_divergences, root_mean
from folkways.benchmarks.survey.task import Form, SurveyTask, distribution, half_of_people, shares_of_reply
from folkways.benchmarks.tables import DIFFERENCE, Layout, NotAvailableError, Table, with_holm
from folkways.cultures import name_of_code
from folkways.records import Schema
from folkways.stats.differences import paired_mean
from folkways.stats.distributions import js_distance, js_divergence

Floats = npt.NDArray[np.float64]
Row = dict[str, Any]

FEWEST = 5
"""Questions about a culture below which nothing is said of it."""

PERMUTATIONS = 2_000

COLUMNS = ("endpoint", "item", "question", "culture", "language", "variant", "sample", "shares_of_reply")

VALUES: Schema = {
    "endpoint": pl.String,
    "condition": pl.String,
    "culture": pl.String,
    "similarity": pl.Float64,  # percent, as in the scores
    "corrected": pl.Float64,  # of the root mean divergence, without what chance adds to it
    "corrected_low": pl.Float64,
    "corrected_high": pl.Float64,
    "half_of_people": pl.Float64,  # of one half of the people to the other; null without counts
    "world": pl.Float64,  # of the mean of the other cultures
    "nearest": pl.String,  # the other culture whose people are nearest
    "nearest_similarity": pl.Float64,
    "uniform": pl.Float64,
    # hundredths of a bit: divergence of the mean of the other cultures less the model's, by question
    **DIFFERENCE,
    "p_holm": pl.Float64,
    "questions": pl.Int64,
}

INSTRUMENT: Schema = {
    "endpoint": pl.String,
    "condition": pl.String,
    "factor": pl.String,  # order, labels or wording
    "distance": pl.Float64,  # percent: mean Jensen-Shannon distance between the two halves of the forms
    "by_chance": pl.Float64,  # what it would be if the factor had no effect
    "effect": pl.Float64,
    "p": pl.Float64,
    "p_holm": pl.Float64,
    "between_cultures": pl.Float64,  # mean distance between the people of two cultures
    "reading": pl.String,
    "questions": pl.Int64,
}

UNIT = "The unit is the question; only those with a score that people of another culture answered too."


def survey_results(task: SurveyTask) -> tuple[Result, ...]:
    """The analyses of a survey task."""
    prefix = task.name.replace("/", "-").removesuffix("-opinions")

    def values(inputs: Inputs) -> Sequence[Table]:
        return [whose_values(*_answers(inputs, task), prefix)]

    def instrument(inputs: Inputs) -> Sequence[Table]:
        return [instrument_effects(*_answers(inputs, task), prefix)]

    return (
        Result(
            f"{prefix}-whose-values",
            f"Whose values: {task.title}",
            values,
            about="To whose opinions are a model's answers near, beside everybody else's?",
            tasks=(task.name,),
        ),
        Result(
            f"{prefix}-instrument",
            f"The instrument: {task.title}",
            instrument,
            about="How far do order, labels and wording of a question move a model's answers?",
            tasks=(task.name,),
        ),
    )


def _answers(inputs: Inputs, task: SurveyTask) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The readable replies, and the items of their release."""
    judged = inputs.of(task.name, columns=COLUMNS)
    if "shares_of_reply" not in judged.columns:
        raise NotAvailableError(f"needs readable replies to {task.name}")
    judged = judged.with_columns(pl.col(pl.Categorical).cast(pl.String)).drop_nulls("shares_of_reply")
    if task.name not in inputs.releases:
        raise NotAvailableError(f"needs the release of {task.name}, which says what people answered")
    return judged, task.items(inputs.releases[task.name])


Askings = Mapping[tuple[str, str], Mapping[str, Sequence[Row]]]
"""(endpoint, condition) -> item -> its readable replies, in the language that has most of them."""


def _askings(judged: pl.DataFrame) -> Askings:
    conditions = {variant: Form.of(variant).condition for variant in judged["variant"].unique()}
    rows = judged.with_columns(condition=pl.col("variant").replace_strict(conditions, default=""))
    askings: dict[tuple[str, str], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for (endpoint, condition, language), part in rows.group_by(
        "endpoint", "condition", "language", maintain_order=True
    ):
        name = " ".join(filter(None, [str(condition), f"in {language}" if language != "en" else ""]))
        for row in part.select("item", "variant", "sample", "shares_of_reply").iter_rows(named=True):
            askings[str(endpoint), name][row["item"]].append(row)
    return askings


class PeoplesAnswers:
    """What people of each culture answered, by question. items: of a survey task, with its shares."""

    def __init__(self, items: pl.DataFrame) -> None:
        self.items: dict[str, Row] = {row["item"]: row for row in items.iter_rows(named=True)}
        self.by_question: dict[str, dict[str, Floats]] = defaultdict(dict)
        for row in self.items.values():
            self.by_question[row["question"]][row["culture"]] = np.array(row["shares"])
        self.between = self._between()
        self._halves: dict[str, float] = {}

    def _between(self) -> dict[tuple[str, str], float]:
        """Mean distance between the people of two cultures, over the questions that both answered."""
        distances: dict[tuple[str, str], list[float]] = defaultdict(list)
        for cultures in self.by_question.values():
            names = sorted(cultures)
            if len(names) > 1:
                shares = np.stack([cultures[name] for name in names])
                table = js_distance(shares[:, None], shares[None])
                for first, second in itertools.combinations(range(len(names)), 2):
                    distances[names[first], names[second]].append(float(table[first, second]))
        return {pair: float(np.mean(values)) for pair, values in distances.items() if len(values) >= FEWEST}

    def nearest(self, culture: str) -> str | None:
        """The other culture whose people answer most alike."""
        others = {
            (pair[1] if pair[0] == culture else pair[0]): distance
            for pair, distance in self.between.items()
            if culture in pair
        }
        return min(others, key=lambda name: (others[name], name), default=None)

    def half(self, item: Row) -> float:
        """``half_of_people``, worked out once for all models; NaN where nobody says how many there were."""
        if item["item"] not in self._halves:
            self._halves[item["item"]] = half_of_people(item) if item["respondents"] else math.nan
        return self._halves[item["item"]]

    def others(self, item: Row) -> list[Floats]:
        """What people of every other culture answered."""
        answers = self.by_question[item["question"]].items()
        return [shares for name, shares in answers if name != item["culture"]]


def whose_values(judged: pl.DataFrame, items: pl.DataFrame, prefix: str) -> Table:
    """VALUES of every model, condition and culture.

    judged: readable replies with COLUMNS. items: of the task, with what people answered.

    Raises NotAvailableError for too few questions with a score.
    """
    people = PeoplesAnswers(items)
    rows: list[Row] = []
    for (endpoint, condition), by_item in sorted(_askings(judged).items()):
        of_culture: dict[str, list[tuple[Row, Floats, int | None]]] = defaultdict(list)
        for name, replies in by_item.items():
            shares, _ = distribution(replies)
            if shares is not None and people.others(people.items[name]):
                one_each = all(set(reply["shares_of_reply"].split()) <= {"0", "1"} for reply in replies)
                of_culture[people.items[name]["culture"]].append(
                    (people.items[name], shares, len(replies) if one_each else None)
                )
        tested = [
            _of_culture(endpoint, condition, culture, answers, people)
            for culture, answers in sorted(of_culture.items())
            if len(answers) >= FEWEST
        ]
        rows += with_holm(pl.DataFrame(tested, schema={**VALUES})).to_dicts() if tested else []
    if not rows:
        raise NotAvailableError(f"needs {FEWEST} questions or more about a culture with a score")
    return Table(
        f"{prefix}-whose-values",
        "Whose values",
        UNIT,
        pl.DataFrame(rows, schema=dict(VALUES)),
        Layout(
            "culture", "endpoint", "corrected", 1, by="condition", drawn="heatmap", measure="Similarity, %"
        ),
        (
            "Similarity is 1 - Jensen-Shannon distance (base 2) in percent, the mean over questions. "
            "corrected: 1 - the root of the mean divergence without what chance adds, with its interval "
            "over questions. difference: how much smaller the divergence is, in hundredths of a bit, "
            "than that of the mean of all other cultures (Holm over cultures).",
        ),
    )


def _of_culture(
    endpoint: str,
    condition: str,
    culture: str,
    answers: Sequence[tuple[Row, Floats, int | None]],
    people: PeoplesAnswers,
) -> Row:
    theirs = [np.array(item["shares"]) for item, _, _ in answers]
    corrected = corrected_divergences(
        [
            (SampledAnswers(shares, n), SampledAnswers(real, item["respondents"]))
            for (item, shares, n), real in zip(answers, theirs, strict=True)
        ]
    )
    mean = paired_mean(corrected, np.zeros(len(answers)))
    similar = np.array(
        [1 - js_distance(shares, real) for (_, shares, _), real in zip(answers, theirs, strict=True)]
    )
    from_world = np.array(
        [
            js_divergence(np.mean(people.others(item), axis=0), real)
            for (item, _, _), real in zip(answers, theirs, strict=True)
        ]
    )
    split = [half for item, _, _ in answers if not math.isnan(half := people.half(item))]
    near = people.nearest(culture)
    of_near = [
        1 - float(js_distance(people.by_question[item["question"]][near], real))
        for (item, _, _), real in zip(answers, theirs, strict=True)
        if near in people.by_question[item["question"]]
    ]
    uniform = [1 - float(js_distance(np.full(real.size, 1 / real.size), real)) for real in theirs]
    difference = paired_mean(from_world, corrected)
    return {
        "endpoint": endpoint,
        "condition": condition,
        "culture": culture,
        "similarity": 100 * float(similar.mean()),
        "corrected": 100 * root_mean(mean.difference),
        "corrected_low": 100 * root_mean(mean.high),
        "corrected_high": 100 * root_mean(mean.low),
        "half_of_people": 100 * float(np.mean(split)) if split else None,
        "world": 100 * float((1 - np.sqrt(from_world)).mean()),
        "nearest": near and name_of_code(near),
        "nearest_similarity": 100 * float(np.mean(of_near)) if of_near else None,
        "uniform": 100 * float(np.mean(uniform)),
        **difference.columns(100),
        "p_holm": None,
        "questions": len(answers),
    }


FACTORS = ("order", "labels", "wording")


def instrument_effects(judged: pl.DataFrame, items: pl.DataFrame, prefix: str) -> Table:
    """INSTRUMENT of every model, condition and factor.

    A factor's effect is the distance between the answers in the two halves of the forms, less its mean where
    the two are swapped at random within pairs of forms that differ in this factor alone.

    Raises NotAvailableError for too few questions in several forms.
    """
    people = PeoplesAnswers(items)
    between = float(np.mean(list(people.between.values()))) if people.between else None
    of_question = {name: row["question"] for name, row in people.items.items()}
    rows: list[Row] = []
    for (endpoint, condition), by_item in sorted(_askings(judged).items()):
        by_question: dict[str, Sequence[Row]] = {}
        for name, replies in by_item.items():
            # one asking serves every culture, unless the prompt names it
            by_question.setdefault(name if condition else of_question[name], replies)
        tested = []
        for factor in FACTORS:
            pairs = [one for replies in by_question.values() if (one := _pairs(replies, factor)) is not None]
            if len(pairs) >= FEWEST:
                distance, chance, p = permutation_test(pairs)
                tested.append(
                    {
                        "endpoint": endpoint,
                        "condition": condition,
                        "factor": factor,
                        "distance": 100 * distance,
                        "by_chance": 100 * chance,
                        "effect": 100 * (distance - chance),
                        "p": p,
                        "between_cultures": None if between is None else 100 * between,
                        "reading": _reading(distance - chance, p, between),
                        "questions": len(pairs),
                    }
                )
        rows += with_holm(pl.DataFrame(tested, schema=dict(INSTRUMENT))).to_dicts() if tested else []
    if not rows:
        raise NotAvailableError(f"needs {FEWEST} questions or more that were asked in several forms")
    return Table(
        f"{prefix}-instrument",
        "How far the form of a question moves the answers",
        "The unit is the question as it was asked, in all its forms.",
        pl.DataFrame(rows, schema=dict(INSTRUMENT)),
        Layout(
            "factor", "endpoint", "effect", 1, by="condition", measure="Effect, % of the largest distance"
        ),
        (
            "distance: Jensen-Shannon, base 2, in percent; effect: less what it would be by chance, from "
            f"{PERMUTATIONS:,} permutations. between_cultures is the yardstick: how far apart people of two "
            "cultures are on these questions. If an effect is as large, scores show the form and not values.",
        ),
    )


def _reading(effect: float, p: float, between: float | None) -> str:
    if not p < ALPHA:
        return "no effect shown"
    if between is not None and effect >= between:
        return "as large as between cultures: do not read the scores as values"
    return "smaller than between cultures" if between is not None else "an effect"


ALPHA = 0.05


def _pairs(replies: Sequence[Row], factor: str) -> tuple[Floats, Floats] | None:
    """The answers of the forms with the one level of a factor and with the other, (pairs of forms, options)
    each; forms without their counterpart are left out. None where there is none."""
    of_form: dict[tuple[str, ...], dict[str, list[Floats]]] = defaultdict(lambda: defaultdict(list))
    for reply in replies:
        form = Form.of(reply["variant"])
        levels = {"order": form.order, "labels": form.labels, "wording": form.wording}
        level = levels.pop(factor)
        of_form[tuple(levels.values())][level].append(shares_of_reply(reply))
    levels_seen = sorted({level for halves in of_form.values() for level in halves})
    if len(levels_seen) < 2:
        return None
    one, other = levels_seen[:2]
    pairs = [
        (np.mean(halves[one], axis=0), np.mean(halves[other], axis=0))
        for halves in of_form.values()
        if one in halves and other in halves
    ]
    if not pairs:
        return None
    return np.stack([first for first, _ in pairs]), np.stack([second for _, second in pairs])


def permutation_test(pairs: Sequence[tuple[Floats, Floats]]) -> tuple[float, float, float]:
    """Mean distance over questions, its mean under PERMUTATIONS random swaps, and the share of swaps with one
    as large, which counts the pairs as they are and so is never 0.

    pairs: of each question, shares in forms with the one level and with the other, shape (forms, options)
    each.
    """
    rng = np.random.default_rng(0)
    observed = np.zeros(len(pairs))
    swapped = np.zeros((PERMUTATIONS, len(pairs)))
    for number, (first, second) in enumerate(pairs):
        observed[number] = js_distance(first.mean(axis=0), second.mean(axis=0))
        swap = rng.integers(0, 2, (PERMUTATIONS, first.shape[0], 1)).astype(bool)
        one, other = np.where(swap, second, first).mean(axis=1), np.where(swap, first, second).mean(axis=1)
        swapped[:, number] = js_distance(one, other)
    means = swapped.mean(axis=1)
    as_large = int((means >= observed.mean() - 1e-12).sum())
    return float(observed.mean()), float(means.mean()), (as_large + 1) / (PERMUTATIONS + 1)
