"""Comparisons computed once more, row by row: every column of every frame, for irregular judgements of
several models."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy.optimize import brentq
from scipy.stats import norm, t

from folkways.evidence.answers import answers_of
from folkways.evidence.comparison import DIFFERENCES, RANKING, SPREAD, Comparison, compare_judgements
from folkways.evidence.sentences import Contrast, verdict
from folkways.names import culture_name
from folkways.records import JUDGEMENTS, Metric
from folkways.stats.clusters import ClusteredMean, clustered_difference, clustered_mean
from folkways.stats.hypotheses.corrections import benjamini_hochberg, holm
from folkways.stats.hypotheses.paired_tests import exact_mcnemar
from folkways.stats.pairwise import TOO_FEW

RIGHT = Metric("right", "Right", "")
POINTS = Metric("right", "Points", "", "mean", 2.0, (-1.0, 5.0))
COUNT = Metric("right", "Answers", "", "mean", 1.0, None)
SCHEMA = {**JUDGEMENTS, "right": pl.Float64, "topic": pl.String}
Row = dict[str, object]


def irregular(model: int, chance: Callable[[str, str], float]) -> pl.DataFrame:
    """Questions of one to four rows, in four cultures (one has a single question) and two ways of putting
    them.

    Some rows are lost, refused, or not counted.
    """
    rng = np.random.default_rng(model)
    rows = []
    for number, variant, language in product(range(40), ("v1", "v0"), ("en", "ko")):
        culture = "KR" if number < 26 else "ET" if number < 36 else "US" if number < 38 else "JP"
        if (number + len(variant) + model) % 11 == 0 or (language == "ko" and number % 3):
            continue
        state = str(rng.choice(["answered", "refused", "failed", "missing"], p=[0.94, 0.03, 0.02, 0.01]))
        right = float(rng.random() < chance(culture, variant)) if state == "answered" else 0.0
        value = None if number == 7 and variant == "v0" else right
        topic = None if number % 9 == 0 else f"t{number % 3}"
        names = ("x/y", f"i{number}", f"q{number % 37}", culture, language, variant)
        rows.append((*names, number % 2, number % 13 > 0, state, "", "", value, topic))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").sample(fraction=1.0, shuffle=True, seed=model)


FRAMES = {
    "a": irregular(105, lambda _culture, _variant: 0.8),
    "b": irregular(2, lambda culture, _variant: 0.95 if culture == "ET" else 0.15),
    "c": irregular(3, lambda culture, variant: 0.02 if culture == "ET" else 0.97 if variant == "v0" else 0.6),
    "d": irregular(9, lambda _culture, variant: 0.05 if variant == "v0" else 0.65),
}
"""One that is good at everything, two that are each good at another culture, and one that depends on how it
is asked."""


def shared_rows(frames: dict[str, pl.DataFrame]) -> list[tuple[Row, list[float]]]:
    """What all of these models replied to, with their values."""
    heard: list[dict[tuple[object, ...], Row]] = []
    for frame in frames.values():
        counted = [row for row in frame.iter_rows(named=True) if row["counted"] and row["right"] is not None]
        counted = [row for row in counted if row["state"] not in ("failed", "missing")]
        heard.append(
            {tuple(row[name] for name in ("item", "language", "variant", "sample")): row for row in counted}
        )
    keys = [key for key in heard[0] if all(key in other for other in heard)]
    return [(heard[0][key], [float(str(model[key]["right"])) for model in heard]) for key in keys]


def totals(rows: list[tuple[Row, list[float]]]) -> tuple[np.ndarray, np.ndarray]:
    """Sums of each question and model, and rows of each question, questions in order."""
    questions: dict[str, list[list[float]]] = defaultdict(list)
    for row, values in rows:
        questions[str(row["question"])].append(values)
    names = sorted(questions)
    return np.array([np.sum(questions[name], axis=0) for name in names]), np.array(
        [float(len(questions[name])) for name in names]
    )


def groups(rows: list[tuple[Row, list[float]]], facet: str) -> dict[str, list[tuple[Row, list[float]]]]:
    if facet == "all":
        return {"all": rows}
    names = sorted({str(row[facet]) for row, _ in rows if row[facet] is not None})
    return {name: [entry for entry in rows if entry[0][facet] == name] for name in names}


def differences(frames: dict[str, pl.DataFrame], metric: Metric, facets: list[str]) -> list[Row]:
    """DIFFERENCES without verdicts."""
    rows: list[Row] = []
    for (first, one), (second, other) in combinations(frames.items(), 2):
        shared = shared_rows({first: one, second: other})  # of these two alone, whoever else is compared
        for facet in facets:
            for value, members in groups(shared, facet).items():
                sums, counts = totals(members)
                by_row = np.array([values[0] - values[1] for _, values in members])
                between, by_question = sums[:, 0] - sums[:, 1], (sums[:, 0] - sums[:, 1]) / counts
                most = None if metric.bounds is None else metric.bounds[1] - metric.bounds[0]
                estimate = clustered_difference(by_row, between, counts, most) if len(counts) >= 6 else None
                interval = estimate.interval() if estimate else None
                scores = [
                    metric.scale * sum(values[at] for _, values in members) / len(members) for at in (0, 1)
                ]
                row: Row = {
                    "task": "x/y",
                    "profile": "strict",
                    "metric": "right",
                    "first": first,
                    "second": second,
                }
                row |= {"facet": facet, "value": value, "first_score": scores[0], "second_score": scores[1]}
                row |= {"difference": scores[0] - scores[1], "p": estimate.p() if estimate else math.nan}
                row["ahead"] = first if sum(by_row) > 0 else second if sum(by_row) < 0 else None
                bounds = (
                    (metric.scale * interval.low, metric.scale * interval.high)
                    if interval
                    else (math.nan, math.nan)
                )
                row |= {"low": bounds[0], "high": bounds[1]}
                row["interval"] = (
                    TOO_FEW
                    if not interval
                    else interval.method + " by question" * (not math.isnan(interval.low))
                )
                row |= {
                    "p_mcnemar": exact_mcnemar(int((between > 0).sum()), int((between < 0).sum())),
                    "first_better": int((between > 0).sum()),
                }
                row |= {"second_better": int((between < 0).sum()), "same": int((between == 0).sum())}
                spread = np.std(by_question, ddof=1) if len(counts) > 1 else 0.0
                row["effect"] = np.mean(by_question) / spread if spread else math.nan
                row["detectable"] = estimate and (estimate, by_row, len(counts))
                rows.append({**row, "n": len(members), "questions": len(counts)})
    for facet in facets:  # the pairs over everything are one family, and so are the groups of all pairs
        family = [row for row in rows if row["facet"] == facet]
        values = [float(str(row["p"])) for row in family]
        looks = sum(not math.isnan(value) for value in values)
        for row, p_holm, p_bh in zip(family, holm(values), benjamini_hochberg(values), strict=True):
            row |= {"p_holm": p_holm, "p_bh": p_bh, "looks": looks}
            of = row["detectable"]
            row["detectable"] = metric.scale * detectable(*of, 0.05 / looks) if of else math.nan  # type: ignore[misc]
    return rows


def detectable(estimate: ClusteredMean, by_row: np.ndarray, questions: int, alpha: float) -> float:
    """The difference that is as large as the quantiles of alpha and of 80 % times the errors there: by Brent's method."""
    if estimate.bounds is None:
        free = estimate.clusters - 1
        return (
            math.nan
            if math.isnan(estimate.p())
            else (t.ppf(1 - alpha / 2, free) + t.ppf(0.8, free)) * estimate.error
        )
    most, end = np.abs(by_row).max(), estimate.bounds[1]
    if not most:
        return math.nan

    def variance(mean: float, square: float, largest: float) -> float:
        """Of the values, two imagined ones among them, over that of zeros and ones with their mean."""
        middle = mean * questions / (questions + 2)
        both = (square * questions + 2 * largest**2) / (questions + 2)
        return (both - middle**2) / (1 - (middle / end) ** 2)

    each = end**2 / estimate.n_effective / variance(estimate.mean, np.mean(by_row**2), most)

    def lacks(apart: float) -> float:
        largest = max(most, apart)
        square = np.mean(by_row**2) * (1 - apart / largest) + apart * largest
        test, itself = (
            math.sqrt(each * spread) for spread in (variance(apart, square, largest), square - apart**2)
        )
        return norm.ppf(1 - alpha / 2) * test + norm.ppf(0.8) * itself - apart

    return math.nan if lacks(end) > 0 else brentq(lacks, 1e-9, end)


def with_verdicts(
    rows: list[Row], comparison: Comparison, frames: dict[str, pl.DataFrame], metric: Metric, by: str
) -> list[Row]:
    turns, complete = comparison.reversals, []
    for row in rows:
        same = [other for other in rows if (other["first"], other["second"]) == (row["first"], row["second"])]
        names = [name for name in Contrast.__dataclass_fields__ if name in row]
        contrast = Contrast(**{name: row[name] for name in names})  # type: ignore[arg-type]
        if row["facet"] != "all":
            complete.append({**row, "verdict": verdict(contrast, points=metric is RIGHT)})
            continue
        leads = [str(other["ahead"]) for other in same if other["facet"] == "variant" and by != "variant"]
        turned = dict(
            turns.filter(first=row["first"], second=row["second"]).select("name", "ahead").iter_rows()
        )
        alone = cultures_of_one(frames, str(row["first"]), str(row["second"]))
        words = verdict(contrast, points=metric is RIGHT, leads=leads, turned=turned, alone=alone)
        complete.append({**row, "verdict": words})
    return complete


def cultures_of_one(frames: dict[str, pl.DataFrame], first: str, second: str) -> dict[str, list[str]]:
    shared = {str(row["culture"]) for row, _ in shared_rows({first: frames[first], second: frames[second]})}
    each = {
        model: {str(row["culture"]) for row, _ in shared_rows({model: frames[model]})}
        for model in (first, second)
    }
    return {
        model: [culture_name(code) for code in sorted(codes - shared)]
        for model, codes in each.items()
        if codes - shared
    }


def spread(frames: dict[str, pl.DataFrame], metric: Metric, sources: list[str]) -> list[tuple[object, ...]]:
    rows = []
    for source in sources:
        for model, frame in frames.items():
            means = {
                name: metric.scale * sum(values[0] for _, values in members) / len(members)
                for name, members in groups(shared_rows({model: frame}), source).items()
            }
            low = min(means, key=lambda name: (means[name], name))
            high = max(means, key=lambda name: (means[name], name))
            rows.append(
                (
                    "x/y",
                    "right",
                    model,
                    source,
                    len(means),
                    low,
                    means[low],
                    high,
                    means[high],
                    means[high] - means[low],
                )
            )
    return rows


def ranking(frames: dict[str, pl.DataFrame], metric: Metric, rows: list[Row]) -> list[tuple[object, ...]]:
    """RANKING of models of which all can be ranked, by counting pairs."""
    shared = shared_rows(frames)
    sums, counts = totals(shared)
    pairs = {(row["first"], row["second"]): row for row in rows if row["facet"] == "all"}
    pairs |= {
        (second, first): row | {"difference": -float(str(row["difference"]))}
        for (first, second), row in pairs.items()
    }
    lead = {
        model: sum(float(str(pairs[model, other]["difference"])) for other in frames if other != model)
        for model in frames
    }
    best = max(lead, key=lead.__getitem__)
    ranks = []
    for at, model in enumerate(frames):
        clear = [
            pairs[model, other]
            for other in frames
            if other != model and float(str(pairs[model, other]["p_holm"])) < 0.05
        ]
        better = sum(float(str(row["difference"])) < 0 for row in clear)
        interval = clustered_mean(
            sums[:, at], counts, sum(values[at] ** 2 for _, values in shared), metric.bounds
        ).interval()
        ends = (
            metric.scale * sums[:, at].sum() / counts.sum(),
            metric.scale * interval.low,
            metric.scale * interval.high,
        )
        rank = 1 + sum(value > lead[model] for value in lead.values())
        level = model != best and float(str(pairs[model, best]["p_holm"])) >= 0.05
        ranks.append(
            ("x/y", "right", model, *ends, rank, 1 + better, len(frames) - len(clear) + better, level)
        )
    return sorted(ranks, key=lambda row: row[6])


def assert_same(found: pl.DataFrame, expected: pl.DataFrame) -> None:
    assert_frame_equal(found, expected.fill_nan(None), check_exact=False, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("models", "metric", "by", "facets"),
    [
        ("abcd", RIGHT, "culture", ["all", "culture", "variant"]),
        ("ac", RIGHT, "topic", ["all", "topic", "culture", "variant"]),
        ("cd", RIGHT, "variant", ["all", "variant", "culture"]),
        ("dcb", POINTS, "language", ["all", "language", "culture", "variant"]),
        ("ab", COUNT, "culture", ["all", "culture", "variant"]),
    ],
)
def test_every_column_of_a_comparison_is_what_counting_row_by_row_gives(
    models: str, metric: Metric, by: str, facets: list[str]
) -> None:
    top = 4 if metric is POINTS else 1
    frames = {name: FRAMES[name].with_columns(pl.col("right") * top) for name in models}
    comparison = compare_judgements(frames, "x/y", "strict", metric, by=by, notes=["first", "second"])
    assert (comparison.task, comparison.profile, comparison.metric, comparison.by) == (
        "x/y",
        "strict",
        metric,
        by,
    )
    assert (comparison.models, comparison.notes) == (tuple(models), ("first", "second"))
    rows = differences(frames, metric, facets)
    expected = with_verdicts(rows, comparison, frames, metric, by)
    assert_same(comparison.differences, pl.DataFrame(expected, schema=dict(DIFFERENCES)))
    assert comparison.verdicts == [row["verdict"] for row in expected if row["facet"] == "all"]
    assert_same(
        comparison.spread,
        pl.DataFrame(spread(frames, metric, list(dict.fromkeys(("variant", by)))), SPREAD, orient="row"),
    )
    ranks = ranking(frames, metric, rows) if len(models) > 2 else []
    assert_same(comparison.ranking, pl.DataFrame(ranks, schema=dict(RANKING), orient="row"))


def test_these_comparisons_have_something_of_everything() -> None:
    """What is not in the data cannot be wrong in them."""
    comparison = compare_judgements(FRAMES, "x/y", "strict", RIGHT)
    told = " ".join(comparison.differences["verdict"])
    kinds = (
        "does better",
        "looked at",
        "is ahead in both",
        "other way round",
        "No difference is",
        "Overall, no difference",
        "too few",
    )
    for words in kinds:
        assert words in told, words
    assert comparison.ranking["rank"].to_list() == sorted(comparison.ranking["rank"])


def test_a_facet_of_one_value_has_no_spread_and_one_way_of_asking_no_rows_of_its_own() -> None:
    frames = {name: FRAMES[name].filter(variant="v1", language="en") for name in "ab"}
    comparison = compare_judgements(frames, "x/y", "strict", RIGHT, by="language")
    assert comparison.differences["facet"].unique(maintain_order=True).to_list() == [
        "all",
        "language",
        "culture",
    ]
    assert comparison.spread.rows() == []


def test_shared_rows_have_numbers_for_their_questions_and_say_what_is_missing() -> None:
    rows = [
        ("i1", "q2", "answered", 1.0),
        ("i2", "q1", "answered", 0.0),
        ("i3", "q2", "failed", 0.0),
        ("i4", "q3", "refused", 0.0),
    ]
    one = pl.DataFrame(rows, schema=["item", "question", "state", "right"], orient="row").with_columns(
        language=pl.lit("en"),
        variant=pl.lit("v"),
        sample=pl.lit(0),
        counted=pl.lit(value=True),
        culture=pl.lit("KR"),
    )
    other = pl.concat(
        [one, one.head(1).with_columns(item=pl.lit("i5"), right=pl.lit(None, dtype=pl.Float64))]
    )
    other = other.with_columns(
        right=pl.when(pl.col("right").is_not_null()).then(0.5),
        counted=pl.col("item") != "i4",
        state=pl.lit("answered"),
    )
    found = answers_of({"one": one, "other": other}, RIGHT, ("culture", "culture", "question"))
    assert found.values[found.shared("one", "other")].tolist() == [[1.0, 0.5], [0.0, 0.5]]
    assert (
        found.values[:, 0].tolist()[:3] == [1.0, 0.0, 0.0]
        and np.isnan(found.values[-1, 0])
        and np.isnan(found.values[2, 1])
    )
    assert (found.questions.tolist(), found.n_questions) == ([1, 0, 2, 1], 3)
    assert found.groups.rows(named=True)[1] == {"culture": "KR", "question": "q1"}
    assert (found.expected, found.replied) == ({"one": 4, "other": 3}, {"one": 3, "other": 3})
    assert found.notes(("one", "other")) == [
        "one: 2 of 4 rows are compared; 2 are left out, 1 of them without a reply of its own.",
        "other: 2 of 3 rows are compared; 1 is left out.",
    ]
    assert found.notes() == [
        "one: 1 of 4 rows have no reply and are not compared; with less than 95 % it has no rank."
    ]


def test_a_side_with_many_replies_that_could_not_be_read_is_named_and_a_baseline_is_not() -> None:
    states = ["answered"] * 15 + ["unreadable"] * 2 + ["truncated"] * 3 + ["failed"]
    unread = pl.DataFrame({"item": [f"i{number}" for number in range(21)], "state": states}).with_columns(
        language=pl.lit("en"), variant=pl.lit("v"), sample=pl.lit(0), counted=pl.lit(value=True), culture=pl.lit("KR"),
        question=pl.col("item"), right=(pl.col("state") == "answered").cast(pl.Float64),
    )  # fmt: skip
    few = unread.with_columns(state=pl.Series(["unreadable"] * 2 + ["answered"] * 19))
    found = answers_of({"talker": unread, "fine": few, "baseline/echo": unread}, RIGHT, ("culture",))
    told = [note for note in found.notes() if "could be read" in note]
    assert [note for note in found.notes(("fine", "talker")) if "could be read" in note] == told
    assert told == [
        "talker: no answer could be read out of 5 of 20 replies (the token limit cut 3 of these). "
        "These count as not right: the difference may be one of form and not of knowledge."
    ]
    whole = answers_of({"talker": unread, "fine": few}, replace(RIGHT, per="question"), ("culture",))
    (note,) = [note for note in whole.notes() if "could be read" in note]
    assert "out of a reply to 5 of 20 questions (the token limit cut 3 of these)" in note


def test_questions_are_compared_in_the_order_of_their_rows() -> None:
    """Also where several rows are one question: what is drawn by number comes out alike each time."""
    questions = [f"q{number * 7919 % 5000}" for number in range(5000)]
    rows = pl.DataFrame({"question": [each for each in questions for _ in range(2)]}).with_columns(
        item=pl.col("question"), state=pl.lit("answered"), language=pl.lit("en"), variant=pl.lit("v"),
        sample=pl.lit(0), counted=pl.lit(value=True), culture=pl.lit("KR"), right=pl.lit(1.0),
    )  # fmt: skip
    found = answers_of({"one": rows}, replace(RIGHT, per="question"), ("question",))
    assert found.groups["question"].to_list() == questions
