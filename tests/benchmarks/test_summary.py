"""Scores against a plain re-computation, row by row, and the promises about denominators, nulls and row
order."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.benchmarks import summary
from folkways.benchmarks.summary import (
    ALL_LEFT_OUT,
    NOT_REACHED,
    SCORE_COLUMNS,
    interval_of_mean,
    summarise_means,
)
from folkways.errors import DataError
from folkways.records import Metric, State, compact, plain
from folkways.stats.intervals import wilson

RIGHT = Metric("right", "Right", "right or wrong")
SHARE = Metric("share", "Share", "a share", kind="mean")
PARTIAL = Metric(
    "partial", "Partial", "a share, which the rule may leave replies out of", kind="mean", leaves_out=True
)
NOT_COMPUTED = Metric("neural", "Neural", "needs a model that is not installed", kind="mean")
COUNT = Metric("count", "Answers", "how many", kind="mean", scale=1.0, bounds=None)
LESS = Metric("less", "Less", "how often what should not be", lower_is_better=True)
STARS = Metric("stars", "Stars", "one to five", kind="mean", scale=1.0, bounds=(1.0, 5.0))
LOST = (State.FAILED, State.MISSING)

Rows = list[dict[str, object]]


def frame(rows: Rows) -> pl.DataFrame:
    schema = {
        "question": pl.String,
        "culture": pl.String,
        "language": pl.String,
        "variant": pl.String,
        "topic": pl.String,
        "counted": pl.Boolean,
        "state": pl.String,
        "right": pl.Float64,
        "share": pl.Float64,
        "partial": pl.Float64,
        "left_out": pl.String,
        "cut": pl.Boolean,
    }
    return pl.DataFrame(rows, schema=schema)


@st.composite
def judgement_rows(draw: st.DrawFn) -> Rows:
    rows: Rows = []
    for _ in range(draw(st.integers(0, 40))):
        state = draw(st.sampled_from(State))
        answered = state == State.ANSWERED
        rows.append(
            {
                "question": draw(st.sampled_from(["q1", "q2", "q3", "q4", "q5"])),
                "culture": draw(st.sampled_from(["KR", "ET"])),
                "language": draw(st.sampled_from(["en", "ko"])),
                "variant": draw(st.sampled_from(["inst-4", "pers-3"])),
                "topic": draw(st.sampled_from(["Food", "Sport", None])),
                "counted": draw(st.booleans()),
                "state": str(state),
                "right": draw(st.sampled_from([0.0, 1.0, None])) if answered else 0.0,
                "share": draw(st.floats(0, 1)) if answered else 0.0,
                "partial": draw(st.sampled_from([0.5, None] if answered else [0.0, None])),
                "left_out": draw(st.sampled_from(["unreadable", "too long", None])),
                "cut": state not in LOST and draw(st.booleans()),
            }
        )
    return rows


def summarise(rows: Rows) -> pl.DataFrame:
    return summarise_means(frame(rows), "x/y", [RIGHT, SHARE, PARTIAL, NOT_COMPUTED], ["topic"])


@settings(max_examples=settings().max_examples // 5)  # each is summarised five times
@given(judgement_rows(), st.integers(3, 15), st.randoms())
def test_what_is_promised_of_the_scores_of_any_judgements(
    rows: Rows, at_a_time: int, chance: random.Random
) -> None:
    """Each promise is checked by a function of its own: drawing judgements takes longer than all of them."""
    scores = summarise(rows)
    check_every_score_is_the_plain_mean_over_its_fixed_denominator(rows, scores)
    check_compact_judgements_have_the_same_scores_to_the_last_digit(rows, scores, at_a_time)
    check_some_rows_at_a_time_have_the_same_scores_to_the_last_digit(rows, scores, at_a_time)
    check_judgements_that_say_nothing_of_cut_replies_have_none(rows, scores)
    check_every_group_with_a_value_is_scored_once(rows, scores)
    check_the_order_of_rows_does_not_matter(rows, scores, chance)


def check_every_score_is_the_plain_mean_over_its_fixed_denominator(rows: Rows, scores: pl.DataFrame) -> None:
    assert scores.columns == SCORE_COLUMNS
    for score in scores.iter_rows(named=True):
        facets = (
            []
            if score["facet"] == "all"
            else list(zip(score["facet"].split("+"), score["value"].split("+"), strict=True))
        )
        members = [
            row
            for row in rows
            if row["counted"]
            and row[score["metric"]] is not None
            and all(row[facet] == value for facet, value in facets)
        ]
        out = [
            row
            for row in rows
            if score["metric"] == "partial"
            and row["counted"]
            and row["partial"] is None
            and row["left_out"] is not None
            if all(row[facet] == value for facet, value in facets)
        ]
        expected = len(members) + len(out)
        assert (score["n"], score["left_out"]) == (expected, len(out))
        assert json.loads(score["why_left_out"] or "{}") == Counter(row["left_out"] for row in out)
        assert score["questions"] == len({row["question"] for row in members})
        for state in State:
            assert score[str(state)] == sum(row["state"] == state for row in [*members, *out])
        assert score["cut"] == sum(bool(row["cut"]) for row in [*members, *out])
        lost = sum(row["state"] in LOST for row in members)
        if members:
            values = [float(row[score["metric"]]) for row in members]  # type: ignore[arg-type]
            if lost < len(members):
                assert score["score"] == pytest.approx(100 * math.fsum(values) / len(values))
            else:
                assert score["score"] is None
            assert score["coverage"] == pytest.approx((len(members) - lost) / expected)
            assert score["at_best"] == pytest.approx(100 * (math.fsum(values) + lost) / len(members))
        else:
            assert score["score"] is None
            assert score["facet"] == "all" or out
            assert score["interval"] == (ALL_LEFT_OUT if out else NOT_REACHED)


def check_compact_judgements_have_the_same_scores_to_the_last_digit(
    rows: Rows, scores: pl.DataFrame, at_a_time: int
) -> None:
    whole = frame(rows)
    pages = [compact(page) for page in whole.iter_slices(at_a_time)] or [compact(whole)]
    small = pl.concat(pages, how="vertical_relaxed")
    assert plain(small).equals(whole, null_equal=True)
    of_small = summarise_means(small, "x/y", [RIGHT, SHARE, PARTIAL, NOT_COMPUTED], ["topic"])
    assert of_small.equals(scores, null_equal=True)


def check_some_rows_at_a_time_have_the_same_scores_to_the_last_digit(
    rows: Rows, scores: pl.DataFrame, at_a_time: int
) -> None:
    cells_per_row = summary.DENSE if at_a_time % 2 else 0  # in a table, or sorted
    with patch.multiple(summary, SLICE=at_a_time, DENSE=cells_per_row, FEW=0):
        assert summarise(rows).equals(scores, null_equal=True)


def check_judgements_that_say_nothing_of_cut_replies_have_none(rows: Rows, scores: pl.DataFrame) -> None:
    without = summarise_means(frame(rows).drop("cut"), "x/y", [RIGHT, PARTIAL], ["topic"])
    with_cut = scores.filter(pl.col("metric").is_in([RIGHT.name, PARTIAL.name]))
    assert without.equals(with_cut.with_columns(cut=pl.lit(0, pl.Int64)))


def check_every_group_with_a_value_is_scored_once(rows: Rows, scores: pl.DataFrame) -> None:
    counted = [row for row in rows if row["counted"]]
    found = scores.filter(metric="share", facet="culture")["value"].to_list()
    assert sorted(found) == sorted({row["culture"] for row in counted})
    topics = {row["topic"] for row in counted}
    expected = sorted(str(topic) for topic in topics - {None}) if len(topics) > 1 else []
    assert sorted(scores.filter(metric="share", facet="topic")["value"].to_list()) == expected
    assert scores.select("metric", "facet", "value").is_unique().all()
    assert "neural" not in scores["metric"]


def check_the_order_of_rows_does_not_matter(rows: Rows, scores: pl.DataFrame, chance: random.Random) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)
    keys = ["metric", "facet", "value"]
    one, other = scores.sort(keys), summarise(shuffled).sort(keys)
    assert one.select(*keys, "n", "interval").equals(other.select(*keys, "n", "interval"))
    for column in ("score", "low", "high"):
        np.testing.assert_allclose(one[column].to_numpy(), other[column].to_numpy(), rtol=1e-9, atol=1e-9)


def test_same_judgements_give_the_same_scores_bit_for_bit() -> None:
    judged = large(2000, 100)
    assert summarise_means(judged, "x/y", [RIGHT, SHARE], ["topic"]).equals(
        summarise_means(judged, "x/y", [RIGHT, SHARE], ["topic"])
    )


def test_interval_method_follows_from_the_data() -> None:
    questions = np.arange(20)
    mixed = np.array([0.0, 1.0] * 10)
    assert interval_of_mean(mixed, questions, RIGHT) == wilson(10, 20)
    assert interval_of_mean(mixed, questions // 2, RIGHT).method == "wilson 95% by question"
    assert interval_of_mean(mixed, questions, SHARE).method == "wilson 95%"
    assert interval_of_mean(np.tile(mixed, 3), np.arange(60), COUNT).method == "student 95%"
    assert interval_of_mean(np.tile(mixed, 3), np.arange(60) // 3, COUNT).method == "none: under 60 questions"


@pytest.mark.parametrize(("value", "edge"), [(0.0, "low"), (1.0, "high")])
def test_clusters_that_never_vary_are_not_taken_for_certainty(value: float, edge: str) -> None:
    found = interval_of_mean(np.full(20, value), np.arange(20) // 2, RIGHT)
    assert found.method == "wilson 95% by question"
    assert getattr(found, edge) == value
    assert found.high - found.low == pytest.approx(wilson(0, 10).high)


def test_a_single_question_says_little() -> None:
    halves, question = np.array([0.0, 1.0]), np.zeros(2, dtype=np.int64)
    for metric in (RIGHT, SHARE):
        found = interval_of_mean(halves, question, metric)
        assert found.low < 0.1
        assert found.high > 0.9


def test_few_questions_that_hold_most_rows_are_told() -> None:
    """Ten questions, one of which has 91 of the 100 rows: they tell as much as 100^2 / (91^2 + 9) = 1.2 of
    one size."""
    rows: Rows = [
        {
            "question": f"q{min(number, 9)}",
            "culture": culture,
            "counted": True,
            "state": "answered",
            "right": 1.0,
        }
        for culture, numbers in (("KR", range(100)), ("ET", range(10)))
        for number in numbers
    ]
    scores = summarise_means(frame(rows), "x/y", [RIGHT], []).filter(facet="culture")
    told = dict(scores.select("value", "effective_questions").iter_rows())
    assert told["KR"] == pytest.approx(10_000 / (91**2 + 9))
    assert told["ET"] is None


def test_a_failed_request_lowers_coverage_and_never_the_denominator() -> None:
    rows: Rows = [
        {"question": f"q{number}", "culture": "KR", "counted": True, "state": state, "right": right}
        for number, (state, right) in enumerate(
            [("answered", 1.0), ("answered", 0.0), ("failed", 0.0), ("refused", 0.0)]
        )
    ]
    score = summarise_means(frame(rows), "x/y", [RIGHT], []).row(0, named=True)
    assert (score["n"], score["score"], score["coverage"], score["at_best"], score["refused"]) == (
        4,
        25.0,
        0.75,
        50.0,
        1,
    )


@pytest.mark.parametrize(
    ("metric", "values", "score", "best"),
    [
        (RIGHT, [1.0, 0.0], 25.0, 75.0),
        (LESS, [1.0, 0.0], 75.0, 25.0),
        (STARS, [4.0, 2.0], 2.0, 4.0),
        (COUNT, [4.0, 2.0], 1.5, None),
    ],
    ids=lambda given: given.name if isinstance(given, Metric) else "",
)
@pytest.mark.parametrize("group", ["all", "KR", "ET"])
def test_lost_replies_have_the_worst_value_and_at_best_the_best(
    metric: Metric, values: list[float], score: float, best: float | None, group: str
) -> None:
    """By group, and for the whole: two replies and two lost ones in KR, and neither lost nor at best in ET."""
    states = [State.ANSWERED, State.REFUSED, State.FAILED, State.MISSING]
    lost = {"KR": [*values, metric.worst, metric.worst], "ET": [*values, *values]}
    judged = pl.DataFrame(
        [
            {
                "question": f"{culture} {number}",
                "culture": culture,
                "counted": True,
                "state": str(states[number]) if culture == "KR" else "answered",
                metric.name: value,
            }
            for culture, parts in lost.items()
            for number, value in enumerate(parts)
        ]
    )
    known = {"KR": (score, best), "ET": (metric.scale * sum(values) / 2,) * 2}
    if best is not None:
        known["all"] = tuple((known["KR"][at] + known["ET"][at]) / 2 for at in (0, 1))  # type: ignore[operator,assignment]
    else:
        known["all"] = ((known["KR"][0] + known["ET"][0]) / 2, None)
    (row,) = (
        summarise_means(judged, "x/y", [metric], [], [(), ("culture",)])
        .filter(value=group)
        .iter_rows(named=True)
    )
    assert (row["score"], row["at_best"]) == known[group]
    lost_of = {"KR": 2, "ET": 0, "all": 2}[group]
    assert (row["failed"] + row["missing"], row["coverage"]) == (lost_of, 1 - lost_of / row["n"])


@pytest.mark.parametrize("state", LOST)
def test_a_model_that_never_replied_has_no_score(state: State) -> None:
    """A server that is down is not a model that knows nothing: there is no number, and nothing is known of what
    it would be."""
    rows: Rows = [
        {"question": f"q{number}", "culture": culture, "counted": True, "state": said, "right": 0.0}
        for number, (culture, said) in enumerate(
            [("KR", str(state)), ("KR", str(state)), ("ET", "refused"), ("ET", "answered")]
        )
    ]
    scores = summarise_means(frame(rows), "x/y", [RIGHT], []).filter(facet="culture")
    lost, replied = (scores.row(by_predicate=pl.col("value") == code, named=True) for code in ("KR", "ET"))
    assert [lost[name] for name in ("score", "low", "high")] == [None] * 3
    assert (lost["interval"], lost["n"], lost["coverage"], lost["at_best"]) == (NOT_REACHED, 2, 0.0, 100.0)
    assert (replied["score"], replied["coverage"]) == (0.0, 1.0)


@pytest.mark.parametrize("value", [0.0, 1.0, 3.0])
def test_counts_that_are_all_the_same_are_no_proportion(value: float) -> None:
    """Every reply lists one answer: that is neither 100 % of anything nor certain."""
    found = interval_of_mean(np.full(20, value), np.arange(20), COUNT)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    varied = interval_of_mean(np.tile([1.0, 4.0], 30), np.arange(60), COUNT)
    assert 1.0 < varied.low < 2.5 < varied.high < 4.0


def test_a_missing_column_is_named() -> None:
    with pytest.raises(DataError, match="judgements lack the column topic; they have: question"):
        summarise_means(frame([]).drop("topic"), "x/y", [RIGHT], ["topic"])


def large(n: int, questions: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    question, culture = rng.integers(0, questions, n), rng.integers(0, 16, n)
    return pl.DataFrame(
        {
            "question": [f"q{number}" for number in question],
            "culture": [f"C{number}" for number in culture],
            "language": np.where(rng.random(n) < 0.5, "en", [f"l{number}" for number in culture]),
            "variant": np.where(rng.random(n) < 0.5, "inst-4", "pers-3"),
            "topic": [f"t{number % 6}" for number in question],
            "counted": rng.random(n) < 0.97,
            "state": rng.choice([str(state) for state in State], n, p=[0.88, 0.03, 0.03, 0.02, 0.02, 0.02]),
            "right": (rng.random(n) < 0.5).astype(np.float64),
            "share": rng.random(n),
        }
    )


def test_every_culture_language_template_and_topic_has_scores_of_every_metric() -> None:
    judged = large(8_000, 500).with_columns(right_2=pl.col("right"), share_2=pl.col("share"))
    metrics = [RIGHT, SHARE, Metric("right_2", "Right", ""), Metric("share_2", "Share", "", kind="mean")]
    scores = summarise_means(judged, "x/y", metrics, ["topic"])
    assert scores.height == 4 * (1 + 16 + 17 + 32 + 2 + 6)
    for facet in ("culture", "language"):  # in the order of the judgements
        found = scores.filter(metric="right", facet=facet)["value"].to_list()
        assert found == judged.filter("counted")[facet].unique(maintain_order=True).to_list()
