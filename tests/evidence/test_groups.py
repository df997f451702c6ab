"""Analyses of groups of models, cultures and languages: by hand, and against outside implementations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import product

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

from folkways.benchmarks.results import Inputs, make_results
from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.evidence.groups.home import HOME_ADVANTAGE, welch
from folkways.evidence.groups.means import MODEL_MEANS
from folkways.evidence.groups.repeated import REPEATED_REPLIES
from folkways.evidence.groups.resources import RESOURCE_CLASSES, least_squares
from folkways.evidence.groups.same_language import SAME_LANGUAGE
from folkways.evidence.groups.steps import REASONING_MODELS, SUCCESSORS, reasoning, successors
from folkways.records import Metric, ModelCard
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from folkways.runs.results.judgements import results_of_runs
from folkways.stats.combinations import combination_of_means
from folkways.stats.intervals import student

RIGHT = Metric("right", "Accuracy", "")
QUESTIONS = 12
TASK = "x/one"

Value = Callable[[str, str, int], float]


def inputs(value: Value, models: Mapping[str, ModelCard | None], cultures: Mapping[str, str]) -> Inputs:
    """Answers of every model to the same questions about every culture, in its language.

    value: of a model, a culture and the number of a question. cultures: with the language asked in.
    """
    rows = [
        (model, TASK, "strict", culture, language, f"q{n}", "plain", 0, True, "answered", "rice", value(model, culture, n))
        for model, (culture, language), n in product(models, cultures.items(), range(QUESTIONS))
    ]  # fmt: skip
    names = (
        "endpoint",
        "task",
        "profile",
        "culture",
        "language",
        "question",
        "variant",
        "sample",
        "counted",
        "state",
    )
    judged = pl.DataFrame(rows, schema=[*names, "answer", "right"], orient="row").with_columns(
        item=pl.col("culture") + "/" + pl.col("question"),
        reason=pl.lit(None, pl.String),
        topic=pl.when(pl.col("question").str.slice(1).cast(pl.Int64) < 4)
        .then(pl.lit("Food"))
        .otherwise(pl.lit("Work")),
    )
    cards = {name: card for name, card in models.items() if card is not None}
    return Inputs(
        judged, {TASK: (RIGHT,)}, cards=cards, facets={TASK: ("topic",)}, free_answers=frozenset({TASK})
    )


def drawn(seed: int = 1) -> Value:
    rng = np.random.default_rng(seed)
    values: dict[tuple[str, str, int], float] = {}
    return lambda *key: values.setdefault(key, float(rng.random() < 0.6))


def table(made: Sequence[Table], name: str) -> pl.DataFrame:
    (one,) = [table for table in made if table.name == name]
    return one.rows


THREE: dict[str, ModelCard | None] = dict.fromkeys(("lab/a", "lab/b", "lab/c"))
FOUR = {"KR": "ko", "KP": "ko", "ES": "es", "MX": "es"}


def scores(known: Inputs, *keys: str) -> dict[tuple[str, ...], float]:
    """The mean of the judgements, in percent, by these columns."""
    return {
        tuple(key): 100 * value
        for *key, value in known.judged.group_by(*keys).agg(pl.col("right").mean()).iter_rows()
    }


@pytest.mark.filterwarnings("error::polars.exceptions.DataOrientationWarning")
def test_means_over_models_have_an_interval_over_models_and_one_over_questions() -> None:
    known = inputs(drawn(), THREE, FOUR)
    rows = table(MODEL_MEANS.make(known), "model-means").rows_by_key(
        ["facet", "group"], named=True, unique=True
    )
    for facet, column, group in (
        ("all", None, "all"),
        ("culture", "culture", "KR"),
        ("topic", "topic", "Food"),
    ):
        of_group = known.judged.filter(pl.lit(True) if column is None else pl.col(column) == group)
        models = 100 * of_group.group_by("endpoint").agg(pl.col("right").mean())["right"].to_numpy()
        row = rows[facet, group]
        assert row["score"] == pytest.approx(models.mean()) and row["sd"] == pytest.approx(models.std(ddof=1))
        expected = stats.t.interval(0.95, 2, models.mean(), models.std(ddof=1) / math.sqrt(3))
        cut = (max(0.0, expected[0]), min(100.0, expected[1]))
        assert (row["models_low"], row["models_high"]) == pytest.approx(cut)
        assert row["low"] < row["score"] < row["high"] and row["models"] == 3
    assert (rows["topic", "Food"]["questions"], rows["all", "all"]["questions"]) == (4, QUESTIONS)


@pytest.mark.parametrize("over", [None, "culture"])
def test_the_whole_is_a_mean_over_what_the_metric_says_and_a_topic_is_not(over: str | None) -> None:
    known = inputs(drawn(), THREE, FOUR)
    few = known.judged.filter(~((pl.col("culture") == "KR") & (pl.col("question") > "q2")))
    uneven = replace(known, judged=few, metrics={TASK: (replace(RIGHT, mean_over=over),)})
    rows = table(MODEL_MEANS.make(uneven), "model-means").rows_by_key(
        ["facet", "group"], named=True, unique=True
    )
    for facet, group in (("all", "all"), ("topic", "Food")):
        part = few if facet == "all" else few.filter(topic=group)
        if over and facet == "all":
            part = part.group_by("endpoint", over).agg(pl.col("right").mean())
        models = 100 * part.group_by("endpoint").agg(pl.col("right").mean())["right"].to_numpy()
        assert (rows[facet, group]["score"], rows[facet, group]["sd"]) == pytest.approx(
            (models.mean(), models.std(ddof=1))
        )


def test_a_region_is_the_mean_of_its_cultures_and_not_of_its_questions() -> None:
    known = inputs(drawn(), THREE, {"KR": "ko", "CN": "zh", "ES": "es"})
    few = replace(
        known, judged=known.judged.filter(~((pl.col("culture") == "CN") & (pl.col("question") > "q2")))
    )
    rows = table(MODEL_MEANS.make(few), "model-means").filter(facet="region", group="East Asia")
    by_culture = scores(few, "culture")
    assert rows["score"].to_list() == pytest.approx([(by_culture["KR",] + by_culture["CN",]) / 2])
    models = scores(few, "endpoint", "culture")
    of_models = [(models[name, "KR"] + models[name, "CN"]) / 2 for name in THREE]
    assert rows["sd"].to_list() == pytest.approx([np.std(of_models, ddof=1)])


def test_two_models_say_nothing_of_others_and_questions_that_one_lacks_are_left_out() -> None:
    known = inputs(drawn(), dict.fromkeys(("lab/a", "lab/b")), FOUR)
    lacking = (pl.col("endpoint") == "lab/b") & (pl.col("culture") == "KR") & (pl.col("question") == "q1")
    (means, *_) = MODEL_MEANS.make(replace(known, judged=known.judged.filter(~lacking)))
    assert means.rows["models_low"].null_count() == means.rows.height
    assert means.rows.filter(group="KR")["questions"].to_list() == [QUESTIONS - 1]
    assert "without 1 question that some models lack" in means.notes[-1]


@pytest.mark.parametrize(("facet", "is_crossed"), [("topic", True), ("region", False), ("locale", False)])
def test_cultures_are_crossed_with_a_facet_unless_each_has_one_group_of_it(
    facet: str, is_crossed: bool
) -> None:
    known = inputs(drawn(), THREE, FOUR)
    judged = known.judged.with_columns(
        locale=pl.col("language") + "-" + pl.col("culture"),
        region=pl.when(pl.col("culture") == "KR").then(pl.lit("Asia")).otherwise(pl.lit("Elsewhere")),
    )
    made = MODEL_MEANS.make(replace(known, judged=judged, facets={TASK: (facet,)}))
    assert ("model-means-topics" in [one.name for one in made]) == is_crossed


def test_a_task_that_keeps_languages_apart_has_means_of_each() -> None:
    known = inputs(drawn(), THREE, FOUR)
    english = inputs(drawn(2), THREE, dict.fromkeys(FOUR, "en")).judged
    both = replace(
        known,
        judged=pl.concat([known.judged, english]),
        metrics={TASK: (replace(RIGHT, headline_by="asked_in"),)},
    )
    rows = table(MODEL_MEANS.make(both), "model-means").filter(facet="all")
    assert dict(rows.select("asked_in", "score").rows()) == pytest.approx(
        {"local language": 100 * known.judged["right"].mean(), "English": 100 * english["right"].mean()}  # type: ignore[operator]
    )


def test_a_task_that_keeps_groups_of_its_own_apart_has_means_of_each() -> None:
    """As of survey/opinions, which is asked in several conditions."""
    known = inputs(drawn(), THREE, FOUR)
    apart = replace(known, metrics={TASK: (replace(RIGHT, headline_by="topic"),)}, facets={})
    rows = table(MODEL_MEANS.make(apart), "model-means").filter(facet="all")
    assert dict(rows.select("asked_in", "score").rows()) == pytest.approx(
        {name: score for (name,), score in scores(known, "topic").items()}
    )


def test_what_splits_one_task_may_be_a_facet_of_another_and_of_itself() -> None:
    """As of blend/saq beside semeval2026/saq, whose items say themselves in which language they are asked."""
    split = inputs(drawn(), THREE, FOUR)
    in_korean = pl.when(pl.col("language") == "ko").then(pl.lit("local language"))
    beside = split.judged.with_columns(task=pl.lit("x/two"), asked_in=in_korean.otherwise(pl.lit("English")))
    both = replace(
        split,
        judged=pl.concat([split.judged, beside], how="diagonal"),
        metrics={TASK: (replace(RIGHT, headline_by="asked_in"),), "x/two": (RIGHT,)},
        facets={TASK: ("asked_in", "topic"), "x/two": ("asked_in",)},
    )
    rows = table(MODEL_MEANS.make(both), "model-means")
    alone = table(MODEL_MEANS.make(replace(both, judged=split.judged)), "model-means")
    assert (
        rows.filter(task=TASK).equals(alone)
        and alone["asked_in"].to_list() == ["local language"] * alone.height
    )
    assert rows.filter(task="x/two", facet="asked_in")["group"].to_list() == ["English", "local language"]


MAKERS: dict[str, ModelCard | None] = {
    "x/k1": ModelCard("K", home="KR"),
    "x/k2": ModelCard("K", home="KR"),
    "x/s1": ModelCard("S", home="ES"),
    "x/u1": ModelCard("U", home="US"),
    "x/nobody": None,
}


def test_home_advantage_is_a_difference_of_differences_paired_by_question() -> None:
    known = inputs(drawn(), MAKERS, {"KR": "ko", "ES": "es", "ID": "id"})
    rows = table(HOME_ADVANTAGE.make(known), "home-advantage")
    assert set(rows["home"]) == {"South Korea", "Spain"}, "nobody was asked about the United States"
    nameless = inputs(
        drawn(), {**MAKERS, "x/unsaid": ModelCard(home="KR")}, {"KR": "ko", "ES": "es", "ID": "id"}
    )
    assert table(HOME_ADVANTAGE.make(nameless), "home-advantage").equals(rows), (
        "of no maker, and so at no home"
    )
    row = rows.row(by_predicate=pl.col("home") == "South Korea", named=True)
    of = scores(known, "endpoint", "culture")
    own = {code: (of["x/k1", code] + of["x/k2", code]) / 2 for code in ("KR", "ES", "ID")}
    others = {code: (of["x/s1", code] + of["x/u1", code]) / 2 for code in ("KR", "ES", "ID")}
    elsewhere, others_elsewhere = (own["ES"] + own["ID"]) / 2, (others["ES"] + others["ID"]) / 2
    assert (row["maker"], row["home_models"], row["other_models"], row["questions"]) == ("K", 2, 2, QUESTIONS)
    assert (row["at_home"], row["elsewhere"]) == pytest.approx((own["KR"], elsewhere))
    assert (row["others_there"], row["others_elsewhere"]) == pytest.approx((others["KR"], others_elsewhere))
    assert row["difference"] == pytest.approx(own["KR"] - elsewhere - others["KR"] + others_elsewhere)
    value = {
        (m, c, q): v for m, c, q, v in known.judged.select("endpoint", "culture", "question", "right").rows()
    }
    first, second = [], []
    for n in range(QUESTIONS):
        gap = {
            code: 50 * (value["x/k1", code, f"q{n}"] + value["x/k2", code, f"q{n}"])
            - 50 * (value["x/s1", code, f"q{n}"] + value["x/u1", code, f"q{n}"])
            for code in own
        }
        first.append(gap["KR"])
        second.append((gap["ES"] + gap["ID"]) / 2)
    paired = stats.ttest_rel(first, second)
    assert row["p"] == pytest.approx(paired.pvalue)
    assert (row["low"], row["high"]) == pytest.approx(tuple(paired.confidence_interval()))
    assert row["makers_low"] is None, "fewer than five models on a side"


def test_a_language_at_home_has_all_its_cultures_and_makers_are_the_unit_of_other_makers() -> None:
    makers: dict[str, ModelCard | None] = {
        **{f"x/k{n}": ModelCard(f"K{n % 3}", home="KR") for n in range(5)},
        **{f"x/s{n}": ModelCard(f"S{n % 3}", home="ES") for n in range(6)},
    }
    known = inputs(drawn(), makers, {"KR": "ko", "KP": "ko", "ES": "es", "ID": "id"})
    rows = table(HOME_ADVANTAGE.make(known), "home-advantage").filter(
        pl.col("home") != "Spain", maker="all 3 makers"
    )
    assert rows["home"].to_list() == ["South Korea", "Korean (language)"]
    of, row = scores(known, "endpoint", "culture"), rows.row(1, named=True)
    gap = {m: (of[m, "KR"] + of[m, "KP"] - of[m, "ES"] - of[m, "ID"]) / 2 for m in makers}
    sides = [[np.mean([gap[m] for m, card in makers.items() if card and card.provider == f"{side}{n}"]) for n in range(k)]
             for side, k in (("K", 3), ("S", 3))]  # fmt: skip
    welch = stats.ttest_ind(*sides, equal_var=False)
    assert row["difference"] == pytest.approx(np.mean(sides[0]) - np.mean(sides[1]))
    assert (row["makers_low"], row["makers_high"]) == pytest.approx(tuple(welch.confidence_interval()))
    four = replace(known, judged=known.judged.filter(pl.col("endpoint") != "x/k4"))
    fewer = table(HOME_ADVANTAGE.make(four), "home-advantage").filter(
        maker="all 3 makers", home="South Korea"
    )
    assert fewer["home_models"].item() == 4 and fewer["makers_low"].item() is None


def test_what_has_nothing_beside_it_is_not_compared() -> None:
    """Makers of one country, cultures of one language, topics of one culture."""
    korean: dict[str, ModelCard | None] = {f"x/{n}": ModelCard(f"K{n}", home="KR") for n in "ab"}
    both = {**korean, "x/s": ModelCard("S", home="ES")}
    fits = HOME_ADVANTAGE.fits
    assert fits is not None
    assert not fits(inputs(drawn(), korean, FOUR)) and fits(inputs(drawn(), both, FOUR))
    known = inputs(drawn(), both, {"KR": "ko", "KP": "ko"})
    assert set(table(HOME_ADVANTAGE.make(known), "home-advantage")["home"]) == {"South Korea"}
    (_,) = MODEL_MEANS.make(inputs(drawn(), THREE, {"KR": "ko"}))


def test_steps_are_named_by_the_cards() -> None:
    """A model without a date counts as newer than those with one; none is compared with itself."""
    cards = {
        "x/a": ModelCard(family="A", line="L", generation=1),
        "x/b-dated": ModelCard(family="B", line="L", generation=2, released=date(2025, 1, 1)),
        "x/b": ModelCard(family="B", line="L", generation=2, reasoning_of="B"),
        "x/d": ModelCard(family="D", line="L", generation=4),
        "x/m": ModelCard(family="M", line="M"),
    }
    assert successors(cards) == [("L", "x/a", "x/b"), ("L", "x/b", "x/d")]
    assert reasoning(cards) == [("B", "x/b-dated", "x/b")]


def test_a_line_goes_from_family_to_family_by_the_last_of_each_and_reasoning_is_compared_by_the_card() -> (
    None
):
    cards: dict[str, ModelCard | None] = {
        "x/one": ModelCard(family="One", line="L", generation=1),
        "x/three-early": ModelCard(family="Three", line="L", generation=3, released=date(2024, 1, 1)),
        "x/three-late": ModelCard(family="Three", line="L", generation=3, released=date(2025, 1, 1)),
        "x/thinks": ModelCard(family="T", reasoning_of="One"),
        "x/other": ModelCard(family="Other", line="M", generation=1),
    }
    known = inputs(drawn(), cards, FOUR)
    of = scores(known, "endpoint")
    for result, later in ((SUCCESSORS, "x/three-late"), (REASONING_MODELS, "x/thinks")):
        (row,) = result.make(known)[0].rows.to_dicts()
        assert (row["earlier"], row["later"], row["questions"]) == ("x/one", later, QUESTIONS)
        assert (row["earlier_score"], row["later_score"]) == pytest.approx((of["x/one",], of[later,]))
        assert row["difference"] == pytest.approx(of[later,] - of["x/one",])
        one, other = (
            known.judged.filter(endpoint=name)
            .group_by("question")
            .agg(pl.col("right").mean())
            .sort("question")["right"]
            for name in ("x/one", later)
        )
        by_question = stats.ttest_rel(other.to_numpy(), one.to_numpy()).confidence_interval()
        assert row["low"] < row["difference"] < row["high"]
        assert row["high"] - row["low"] == pytest.approx(100 * (by_question.high - by_question.low), rel=0.4)
        assert result.fits(known) and not result.fits(inputs(drawn(), THREE, FOUR))
        asked = pl.col("endpoint") == later
        conditions = [f"{later}@{run}" for run in ("first", "second")]
        turned = [
            known.judged.filter(asked).with_columns(endpoint=pl.lit(name), right=right)
            for name, right in zip(conditions, (pl.col("right"), 1 - pl.col("right")), strict=True)
        ]
        judged = pl.concat([known.judged.filter(~asked), *turned], how="vertical_relaxed")
        carded = {**known.cards, **dict.fromkeys(conditions, known.cards[later])}
        apart = replace(known, judged=judged, cards=carded, models=dict.fromkeys(conditions, later))
        (twice,) = result.make(apart)[0].rows.to_dicts()
        assert (twice["later"], twice["later_score"]) == (later, pytest.approx(50))
        assert twice["earlier_score"] == row["earlier_score"]


SIX = {"US": "en", "GB": "en", "CN": "zh", "KR": "ko", "GR": "el", "ET": "am", "IN-AS": "as", "WORLD": "en"}


@pytest.mark.parametrize(
    ("spoken", "fits"),
    [
        ({"US": "en", "CN": "zh", "DE": "de", "FR": "fr", "ES": "es", "JP": "ja"}, False),  # all of class 5
        ({"US": "en", "CN": "zh", "DE": "de", "FR": "fr", "ES": "es", "KR": "ko"}, True),  # of two classes
        ({"US": "en", "CN": "zh", "DE": "de", "FR": "fr", "KR": "ko"}, False),  # of five languages
    ],
)
def test_a_trend_is_offered_of_six_languages_of_two_classes(spoken: dict[str, str], fits: bool) -> None:
    assert RESOURCE_CLASSES.fits is not None
    assert RESOURCE_CLASSES.fits(inputs(drawn(), THREE, spoken)) is fits


def test_the_trend_with_the_resource_class_has_languages_as_its_unit() -> None:
    known = inputs(drawn(), THREE, SIX)
    classes, trend = (
        table(RESOURCE_CLASSES.make(known), f"resource-{name}") for name in ("classes", "trend")
    )
    by_culture = scores(known, "culture")
    english = (by_culture["US",] + by_culture["GB",]) / 2
    points = [
        (5, english),
        *((c, by_culture[code,]) for c, code in ((5, "CN"), (4, "KR"), (3, "GR"), (2, "ET"), (1, "IN-AS"))),
    ]
    assert classes["resource_class"].to_list() == [5, 4, 3, 2, 1] and classes["cultures"].to_list() == [
        3,
        1,
        1,
        1,
        1,
    ]
    assert (
        classes["score"][0] == pytest.approx((english + by_culture["CN",]) / 2) and classes["low"][0] is None
    )
    line, row = stats.linregress(*zip(*points, strict=True)), trend.row(0, named=True)
    assert (row["endpoint"], row["languages"], row["cultures"]) == ("mean of 3 models", 6, 7)
    assert (row["slope"], row["p"], row["r"]) == pytest.approx((line.slope, line.pvalue, line.rvalue))
    half = stats.t.ppf(0.975, 4) * line.stderr
    assert (row["low"], row["high"]) == pytest.approx((line.slope - half, line.slope + half))
    over = student(trend["slope"].to_numpy()[1:])
    assert (row["models_low"], row["models_high"]) == pytest.approx((over.low, over.high))
    assert row["p_holm"] == pytest.approx(row["p"]), "single models are corrected apart"


@pytest.mark.parametrize(
    ("kept", "told"), [(QUESTIONS, False), (QUESTIONS // 3, False), (QUESTIONS // 4, True)]
)
def test_a_trend_over_languages_of_which_some_have_few_questions_says_so(kept: int, told: bool) -> None:
    known = inputs(drawn(), THREE, {code: SIX[code] for code in SIX if code != "GB"})
    few = (pl.col("culture") == "ET") & ~pl.col("question").is_in([f"q{n}" for n in range(kept)])
    made = RESOURCE_CLASSES.make(replace(known, judged=known.judged.filter(~few)))
    (trend,) = (each for each in made if each.name == "resource-trend")
    assert any(f"languages have from {kept} to {QUESTIONS} questions" in note for note in trend.notes) is told


@pytest.mark.parametrize("right", [0.0, 1 / 3, 1.0])
def test_units_that_are_all_alike_have_no_interval(right: float) -> None:
    """Three models, six languages, two makers: that all score the same does not say that others do."""
    known = inputs(lambda model, culture, n: right, THREE, SIX)
    tables = [table for result in (MODEL_MEANS, RESOURCE_CLASSES) for table in result.make(known)]
    ends = {"model-means": ("models_low", "models_high"), "resource-classes": ("low", "high")}
    ends["resource-trend"] = ("slope", "low", "high", "p", "models_low", "models_high")
    for name, columns in ends.items():
        (rows,) = (table.rows.select(columns) for table in tables if table.name == name)
        expected = {0.0} if "slope" in columns else set()
        assert {value for column in rows for value in column.drop_nulls()} <= expected, name
    same = np.array([0.1 + 0.2, 0.3, 0.3])
    assert math.isnan(student(same).low) and math.isnan(welch(same, same)[0])


def test_cultures_of_one_language_are_paired_by_question() -> None:
    known = inputs(drawn(), THREE, FOUR)
    rows = table(SAME_LANGUAGE.make(known), "same-language")
    assert set(rows["pair"]) == {"Spain − Mexico", "North Korea − South Korea"}
    of_mean = rows.filter(endpoint="mean of 3 models", spoken="Korean").row(0, named=True)
    of = scores(known, "endpoint", "culture")
    gaps = np.array([of[name, "KP"] - of[name, "KR"] for name in THREE])
    expected = stats.t.interval(0.95, 2, gaps.mean(), gaps.std(ddof=1) / math.sqrt(3))
    assert of_mean["difference"] == pytest.approx(gaps.mean())
    assert of_mean["first_score"] - of_mean["second_score"] == pytest.approx(gaps.mean())
    assert (of_mean["models_low"], of_mean["models_high"]) == pytest.approx(expected)
    assert of_mean["low"] < of_mean["difference"] < of_mean["high"] and of_mean["questions"] == QUESTIONS
    apart = replace(known, judged=known.judged.with_columns(question="item"))
    with pytest.raises(NotAvailableError, match="share 10 questions"):
        SAME_LANGUAGE.make(apart)
    assert "same-language" not in {result.name for result in results_of_runs(apart)}


def test_the_most_repeated_wrong_reply_is_kept_back_where_replies_may_not_leave() -> None:
    known = inputs(lambda _, culture, __: float(culture == "ES"), THREE, {"KR": "en", "ES": "en", "MX": "en"})
    rows = table(REPEATED_REPLIES.make(known), "repeated-replies")
    assert rows.select("culture", "reply", "times", "questions", "share", "elsewhere", "right_about").row(0) == (
        "KR", "rice", 12, 12, 100.0, 100.0, "Spain",
    )  # fmt: skip
    record = get_record("blend")
    kept = Release(replace(record, items_may_leave=False), record.home)
    with pytest.raises(NotAvailableError, match="may be shown"):
        REPEATED_REPLIES.make(replace(known, releases={TASK: kept}))


def test_each_is_offered_where_the_run_can_have_it_and_is_made_without_a_failure() -> None:
    known = inputs(drawn(), {**MAKERS, **THREE}, {**FOUR, **SIX})
    offered = results_of_runs(known)
    assert [result.name for result in offered] == [
        "model-means", "home-advantage", "resource-classes", "same-language", "repeated-replies",
    ]  # fmt: skip
    made, left_out = make_results(offered, known)
    assert not left_out and all(table.unit.endswith(".") for one in made for table in one.tables)
    alone = inputs(drawn(), {"lab/a": None}, {"KR": "ko", "ES": "es"})
    assert [result.name for result in results_of_runs(replace(alone, free_answers=frozenset()))] == []


def test_a_metric_that_was_not_measured_is_passed_over() -> None:
    """As in reports and comparisons: some need a language model that is not everywhere."""
    known = inputs(drawn(), {**MAKERS, **THREE}, {**FOUR, **SIX})
    with_unmeasured = replace(
        known,
        judged=known.judged.with_columns(unmeasured=pl.lit(None, pl.Float64)),
        metrics={TASK: (Metric("unmeasured", "Unmeasured", ""), Metric("absent", "Absent", ""), RIGHT)},
    )
    offered = results_of_runs(known)
    for one, other in zip(
        *(make_results(offered, each)[0] for each in (known, with_unmeasured)), strict=True
    ):
        for expected, made in zip(one.tables, other.tables, strict=True):
            assert_frame_equal(made.rows, expected.rows)


def test_a_combination_of_means_is_the_paired_test_where_questions_are_shared_and_welchs_error_where_not() -> (
    None
):
    rng = np.random.default_rng(3)
    one, other = rng.normal(size=15), rng.normal(size=15)
    cells, weights = np.repeat([0, 1], 15), np.array([1.0, -1.0])
    shared = combination_of_means(np.concatenate([one, other]), cells, np.tile(np.arange(15), 2), weights)
    paired = stats.ttest_rel(one, other)
    assert (shared.low, shared.high, shared.p) == pytest.approx(
        (*paired.confidence_interval(), paired.pvalue)
    )
    longer = rng.normal(size=40)
    apart = combination_of_means(
        np.concatenate([one, longer]), np.repeat([0, 1], [15, 40]), np.arange(55), weights
    )
    error = math.hypot(stats.sem(one), stats.sem(longer))
    freedom = (15 / 15**2 + 40 / 40**2) ** 2 / (15 / 15**4 + 40 / 40**4) - 1
    assert apart.high - apart.difference == pytest.approx(stats.t.ppf(0.975, freedom) * error)
    few = combination_of_means(
        np.concatenate([one[:6], other[:6]]), np.repeat([0, 1], 6), np.tile(np.arange(6), 2), weights
    )
    assert math.isnan(few.low) and few.difference == pytest.approx(one[:6].mean() - other[:6].mean())


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], False),  # nobody differs: no t is known
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], True),
        ([1.0, 2.0, 4.0], [1.0, 1.0, 1.0], True),
        ([0.0, 2.0, 0.0, 2.0], [1.0, 3.0, 1.0, 3.0], True),
        ([1.0, 2.0], [1.0, 2.0, 3.0], False),
    ],
)
def test_welchs_interval_needs_three_on_either_side_and_some_difference(
    first: list[float], second: list[float], known: bool
) -> None:
    found = welch(np.array(first), np.array(second))
    if not known:
        assert np.isnan(found).all()
        return
    expected = stats.ttest_ind(first, second, equal_var=False).confidence_interval()
    assert found == pytest.approx(tuple(expected))


@pytest.mark.parametrize(
    ("y", "slope", "p", "r"), [([0.0, 2.0, 4.0, 6.0], 2.0, 0.0, 1.0), ([6.0, 4.0, 2.0, 0.0], -2.0, 0.0, -1.0)]
)
def test_what_lies_on_a_line_has_its_slope_and_no_doubt(
    y: list[float], slope: float, p: float, r: float
) -> None:
    assert least_squares(np.arange(4.0), np.array(y)) == pytest.approx((slope, slope, slope, p, r))
    assert math.isnan(least_squares(np.arange(4.0), np.ones(4))[3]), "nothing to tell"
