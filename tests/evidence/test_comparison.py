"""Comparisons against scipy on the same differences, and what they promise: shared items alone, whole
questions, honest words."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats as reference
from statsmodels.regression.linear_model import OLS

from folkways.benchmarks.averages import mean_over
from folkways.cli.table_output import as_markdown, as_text
from folkways.display import json_for_terminal
from folkways.errors import FolkwaysError
from folkways.evidence.comparison import DIFFERENCES, RANKING, SPREAD, Comparison, compare_judgements
from folkways.records import Metric, without_nan
from folkways.reports.formats.comparison_tables import comparison_document, comparison_tables, told_pairs

RIGHT = Metric("right", "Right", "")


def judged(
    level: float,
    seed: int,
    *,
    questions: int = 60,
    cultures: tuple[str, ...] = ("KR", "ET"),
    variants: int = 1,
    boost: float = 0.0,
) -> pl.DataFrame:
    """Right with the chance ``level`` (more by ``boost`` in the first culture); one row per question, culture
    and variant."""
    rng = np.random.default_rng(seed)
    rows = []
    for culture, number, variant in product(cultures, range(questions), range(variants)):
        chance = level + (boost if culture == cultures[0] else 0.0)
        rows.append(
            (f"{culture}/{number}", f"q{number}", culture, f"v{variant}", float(rng.random() < chance))
        )
    frame = pl.DataFrame(rows, schema=["item", "question", "culture", "variant", "right"], orient="row")
    return frame.with_columns(
        task=pl.lit("x/y"),
        language=pl.lit("en"),
        sample=pl.lit(0, dtype=pl.Int64),
        counted=pl.lit(True),
        state=pl.lit("answered"),
        answer=pl.lit(""),
        reason=pl.lit(""),
    )


def compared(frames: dict[str, pl.DataFrame], **options: object) -> Comparison:
    return compare_judgements(frames, "x/y", "strict", RIGHT, **options)  # type: ignore[arg-type]


def row_of(comparison: Comparison, facet: str = "all", value: str = "all") -> dict[str, object]:
    return comparison.differences.filter(facet=facet, value=value).row(0, named=True)


def test_models_differ_by_what_their_scores_do_where_these_are_means_over_groups() -> None:
    """And the ranking has those scores."""
    metric = replace(RIGHT, mean_over="locale")
    frames = {}
    for name, seed, level in (("a", 1, 0.9), ("b", 2, 0.2), ("c", 3, 0.5)):
        small = judged(1 - level, seed, questions=8, cultures=("IE", "FR"))
        both = [small, judged(level, seed + 9, questions=90, cultures=("IR",))]
        frames[name] = pl.concat(both).with_columns(locale="culture")
    comparison = compare_judgements(frames, "x/y", "strict", metric)
    whole = {name: mean_over(frame, metric, "locale", "locale") for name, frame in frames.items()}
    rows = comparison.differences.filter(facet="all").select("first", "second", "difference")
    for first, second, difference in rows.iter_rows():
        assert difference == pytest.approx(whole[first]["score"] - whole[second]["score"])
    assert comparison.ranking.sort("model").select("score", "low", "high").rows() == [
        pytest.approx((one["score"], one["low"], one["high"])) for one in whole.values()
    ]
    assert comparison.ranking["score"].is_sorted(descending=True)


def test_the_only_group_of_a_facet_differs_as_the_whole_does() -> None:
    """Also where the score is a mean over other groups."""
    metric = replace(RIGHT, mean_over="locale")
    frames = {}
    for name, seed, level in (("a", 1, 0.9), ("b", 2, 0.2)):
        small = judged(1 - level, seed, questions=8, cultures=("IE",))
        rows = pl.concat([small, judged(level, seed + 9, questions=90, cultures=("IR",))])
        frames[name] = rows.with_columns(locale="culture", one=pl.lit("only"))
    comparison = compare_judgements(frames, "x/y", "strict", metric, by="one")
    whole, only = (row_of(comparison, *group) for group in (("all", "all"), ("one", "only")))
    columns = ("first_score", "second_score", "difference", "low", "high", "p", "n", "questions")
    assert [only[name] for name in columns] == [whole[name] for name in columns]
    rows = frames["a"].join(frames["b"], on=["item", "variant"], suffix="_b")
    ireland = rows.filter(culture="IE").select(pl.col("right") - pl.col("right_b")).mean().item()
    assert row_of(comparison, "culture", "IE")["difference"] == pytest.approx(100 * ireland)


@pytest.mark.parametrize("mean_over", [None, "locale"])
def test_a_table_says_where_groups_count_alike(mean_over: str | None) -> None:
    """For the counts of questions beside it may point the other way."""
    metric = replace(RIGHT, mean_over=mean_over)
    frames = {name: judged(0.5, seed).with_columns(locale="culture") for name, seed in (("a", 1), ("b", 2))}
    (pair,) = comparison_tables(compare_judgements(frames, "x/y", "strict", metric))
    assert ("all: every locale counts alike" in " ".join(pair.notes)) == (mean_over is not None)


def total(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return x.sum(axis=axis)


def test_every_number_is_that_of_the_differences_by_question() -> None:
    frames = {"a": judged(0.7, 1, variants=2), "b": judged(0.55, 2, variants=2)}
    found = row_of(compared(frames))
    both = (
        frames["a"]
        .join(frames["b"], on=["item", "variant"], suffix="_b")
        .with_columns(d=pl.col("right") - pl.col("right_b"))
    )
    by_question = both.group_by("question").agg(pl.col("d").sum(), mean=pl.col("d").mean())
    sums = by_question["d"].to_numpy()
    assert found["difference"] == pytest.approx(100 * both["d"].mean())
    assert (found["n"], found["questions"]) == (240, 60)
    expected = reference.permutation_test(
        (sums,), total, permutation_type="samples", n_resamples=9999, vectorized=True, rng=1
    )
    assert found["p"] == pytest.approx(expected.pvalue, abs=0.01)
    names = (
        both["question"]
        .cast(pl.Enum(both["question"].unique().sort()))
        .to_physical()
        .cast(pl.Int64)
        .to_numpy()
    )
    robust = (
        OLS(both["d"].to_numpy(), np.ones(240))
        .fit(cov_type="cluster", cov_kwds={"groups": names})
        .conf_int()[0]
    )
    assert (found["low"], found["high"]) == pytest.approx(100 * robust, abs=1.5)  # of a width of 23
    better, worse = int((sums > 0).sum()), int((sums < 0).sum())
    assert (found["first_better"], found["second_better"], found["same"]) == (
        better,
        worse,
        60 - better - worse,
    )
    assert found["p_mcnemar"] == pytest.approx(reference.binomtest(better, better + worse).pvalue)
    means = by_question["mean"].to_numpy()
    assert found["effect"] == pytest.approx(means.mean() / means.std(ddof=1))
    error = means.std(ddof=1) / math.sqrt(60)
    least = 100 * error * (1.959964 + 0.841621)  # were the differences as far apart at that difference
    assert least < found["detectable"] < 1.3 * least


def test_only_what_all_replied_to_is_compared_and_that_is_said() -> None:
    whole, short = judged(0.8, 1), judged(0.3, 2, questions=40)
    states = (
        pl.when(pl.col("item") == "KR/3")
        .then(pl.lit("failed"))
        .when(pl.col("item") == "KR/4")
        .then(pl.lit("refused"))
    )
    short = short.with_columns(state=states.otherwise("state"))
    comparison = compared({"whole": whole, "short": short})
    assert (row_of(comparison)["n"], row_of(comparison)["questions"]) == (
        79,
        40,
    )  # the refused one is a reply, and counts
    assert comparison.answers.notes(("whole", "short")) == [
        "whole: 79 of 120 rows are compared; 41 are left out.",
        "short: 79 of 80 rows are compared; 1 is left out, 1 of them without a reply of its own.",
    ]
    alone = whole.filter(pl.col("item").is_in(short["item"].implode()) & (pl.col("item") != "KR/3"))
    assert row_of(comparison)["first_score"] == pytest.approx(100 * alone["right"].mean())


def test_rows_may_come_in_any_order() -> None:
    frames = {"a": judged(0.7, 1), "b": judged(0.5, 2)}
    shuffled = {name: frame.sample(fraction=1.0, shuffle=True, seed=4) for name, frame in frames.items()}
    one, other = (compared(each).differences for each in (frames, shuffled))
    assert one.equals(other, null_equal=True)


def test_cultures_are_corrected_for_their_number_and_pairs_for_theirs() -> None:
    cultures = tuple("ABCDEFGH")
    frames = {
        name: judged(0.5, seed, cultures=cultures, boost=boost)
        for name, seed, boost in (("a", 1, 0.4), ("b", 2, 0), ("c", 3, 0))
    }
    comparison = compared(frames)
    pair = comparison.differences.filter(first="a", second="b", facet="culture")
    assert pair.height == 8
    assert pair.sort("p")["value"][0] == "A"
    smallest = comparison.differences.filter(facet="culture").sort("p").row(0, named=True)
    assert smallest["looks"] == 24
    assert smallest["p_holm"] == pytest.approx(min(1.0, 24 * smallest["p"]))  # eight cultures of three pairs
    assert (pair["p_bh"] <= pair["p_holm"]).all()
    whole = comparison.differences.filter(facet="all").sort("p")
    assert whole["p_holm"][0] == pytest.approx(3 * whole["p"][0])
    assert comparison.differences.schema == DIFFERENCES
    assert comparison.ranking.schema == RANKING
    assert comparison.spread.schema == SPREAD
    assert comparison.ranking["model"][0] == "a"


def test_the_spread_of_wordings_stands_beside_that_of_cultures() -> None:
    frames = {name: judged(0.4, seed, variants=3, boost=0.4) for name, seed in (("a", 1), ("b", 2))}
    spread = compared(frames).spread
    assert spread.select("model", "source", "groups").rows() == [
        ("a", "variant", 3),
        ("b", "variant", 3),
        ("a", "culture", 2),
        ("b", "culture", 2),
    ]
    row = spread.row(2, named=True)
    means = (
        frames["a"].group_by("culture").agg((pl.col("right") * 100).mean()).sort("right")["right"].to_list()
    )
    assert (row["lowest"], row["highest"]) == ("ET", "KR")
    assert (row["lowest_score"], row["highest_score"]) == pytest.approx(tuple(means))
    assert row["range"] == pytest.approx(means[1] - means[0])


def test_a_culture_with_few_questions_has_no_interval_and_says_so() -> None:
    frames = {"a": judged(0.9, 1, questions=3), "b": judged(0.1, 2, questions=3)}
    row = row_of(compared(frames), "culture", "KR")
    assert row["low"] is None and row["high"] is None
    assert row["verdict"] == "3 questions are too few to tell a and b apart."


@pytest.mark.parametrize(("questions", "level"), [(6, 0.9), (10, 0.99), (30, 0.95), (100, 0.5)])
def test_p_and_interval_say_the_same(questions: int, level: float) -> None:
    for seed in range(4):
        frames = {
            "a": judged(level, seed, questions=questions),
            "b": judged(level - 0.3, seed + 50, questions=questions),
        }
        for row in compared(frames).differences.iter_rows(named=True):
            assert (row["p"] < 0.05) == (not row["low"] <= 0 <= row["high"])
            assert -100 <= row["low"] < row["high"] <= 100


def test_models_that_are_alike_on_few_questions_are_not_known_to_be() -> None:
    frames = {"a": judged(1.0, 1, questions=10), "b": judged(1.0, 2, questions=10)}
    row = row_of(compared(frames), "culture", "KR")
    assert row["low"] < -20 < 20 < row["high"]  # type: ignore[operator]
    assert row["p"] == 1.0


def test_counts_on_few_questions_have_no_interval_and_no_p() -> None:
    frames = {
        name: judged(level, seed, questions=8, cultures=("KR",)).with_columns(right=3 * pl.col("right"))
        for name, level, seed in (("a", 0.9, 1), ("b", 0.1, 2))
    }
    comparison = compare_judgements(frames, "x/y", "strict", Metric("right", "Right", "", "mean", 1.0, None))
    row = row_of(comparison)
    assert row["interval"] == "none: under 10 questions"
    assert (row["low"], row["p"], row["p_holm"]) == (None, None, None)
    (pair,) = comparison_tables(comparison)
    assert pair.rows["p"].to_list() == ["–", "–"]


def test_nothing_in_common_is_an_error() -> None:
    other = judged(0.5, 2).with_columns(item=pl.col("item") + "x")
    with pytest.raises(FolkwaysError, match="a, b have no item of x/y in common that both"):
        compared({"a": judged(0.5, 1), "b": other})
    silent = {"a": judged(0.5, 1), "b": judged(0.5, 2).with_columns(state=pl.lit("failed"))}
    uncounted = silent | {"b": judged(0.5, 2).with_columns(right=pl.lit(None, pl.Float64))}
    for frames, told in (
        (silent, " (b replied to none of 120)"),
        (uncounted, " (no reply of b counts)"),
        ({"a": silent["a"], "b": other}, ""),
    ):
        with pytest.raises(FolkwaysError, match=re.escape(f"that both of a pair replied to{told}") + "$"):
            compared(frames)
    with pytest.raises(FolkwaysError, match=r"two models.* got a"):
        compared({"a": judged(0.5, 1)})


@pytest.mark.parametrize(("studies", "most"), [(25, 4), pytest.param(100, 11, marks=pytest.mark.nightly)])
def test_alike_models_are_found_different_as_seldom_as_stated(studies: int, most: int) -> None:
    """Comparisons of models that are alike, five cultures each: about one of twenty finds any difference."""
    wrong = 0
    for seed in range(studies):
        frames = {
            name: judged(0.6, 2 * seed + add, questions=30, cultures=tuple("ABCDE"))
            for name, add in (("a", 0), ("b", 1))
        }
        rows = compared(frames).differences.filter(facet="culture")
        wrong += bool((rows["p_holm"] < 0.05).any())
    assert wrong <= most


def test_tables_tell_the_verdict_first_and_json_has_everything() -> None:
    comparison = compared(
        {
            name: judged(level, seed, variants=2)
            for name, level, seed in (("a", 0.9, 1), ("b", 0.3, 2), ("c", 0.32, 3))
        }
    )
    ranking, differences, spread = comparison_tables(comparison)
    assert ranking.rows["rank"].to_list() == ["1", "2 to 3", "2 to 3"]
    assert differences.rows.select("first", "second").rows() == [("a", "b"), ("a", "c"), ("b", "c")]
    assert differences.rows["p (Holm)"].to_list()[0] == "<.001"
    assert spread.rows.height == 6
    document = comparison_document(comparison)
    assert document["verdicts"] == comparison.verdicts and document["models"] == ["a", "b", "c"]
    for name in ("differences", "ranking", "spread", "reversals"):
        frame = getattr(comparison, name)
        assert [list(row) for row in document[name]] == [frame.columns] * frame.height, name


def test_of_many_models_neighbours_in_the_ranking_are_told() -> None:
    frames = {f"m{number}": judged(0.1 + 0.15 * number, number) for number in range(6)}
    pairs = told_pairs(compared(frames))
    assert pairs == [(f"m{number}", f"m{number + 1}") for number in range(5)]


def test_models_are_told_beside_the_best_baseline_and_no_baseline_beside_another() -> None:
    levels = {
        "openai/gpt": 0.9,
        "baseline/first": 0.2,
        "http://h:1/v1#org/half?temperature=0.1": 0.6,
        "baseline/random": 0.5,
    }
    comparison = compared({name: judged(level, seed) for seed, (name, level) in enumerate(levels.items())})
    table = list(comparison_tables(comparison))[-1]
    assert table.rows.select("first", "second").rows() == [
        ("gpt", "half?temperature=0.1"),
        ("gpt", "baseline/random"),
        ("half?temperature=0.1", "baseline/random"),
    ]
    text = as_text(list(comparison_tables(comparison)), 80)
    assert "http:" not in text
    assert text.count("\n") < 24


@pytest.mark.parametrize(("lower", "best"), [(False, "baseline/random"), (True, "baseline/first")])
def test_the_best_baseline_is_the_lowest_where_lower_is_better(lower: bool, best: str) -> None:
    frames = {"m": judged(0.9, 0), "baseline/first": judged(0.2, 1), "baseline/random": judged(0.5, 2)}
    comparison = compare_judgements(frames, "x/y", "strict", replace(RIGHT, lower_is_better=lower))
    assert [set(pair) for pair in told_pairs(comparison)] == [{"m", best}]


def test_the_first_is_not_level_with_itself() -> None:
    ranking = compared({"x/a": judged(0.6, 1), "x/b": judged(0.6, 2), "x/c": judged(0.1, 3)}).ranking
    assert ranking["level"].to_list() == [False, True, False]


def test_places_that_change_are_named_where_models_are_many() -> None:
    one, other = judged(0.95, 1), judged(0.2, 2)
    ethiopian = pl.col("culture") == "ET"
    frames = {
        "x/a": pl.concat([one.filter(~ethiopian), other.filter(ethiopian)]),
        "x/b": pl.concat([other.filter(~ethiopian), one.filter(ethiopian)]),
        "x/c": judged(0.5, 3),
    }
    *_, table = comparison_tables(compared(frames))
    assert table.notes[:4] == (
        "a and b change places in South Korea (a ahead) and Ethiopia (b ahead).",
        "a and c change places in South Korea (a ahead) and Ethiopia (c ahead).",
        "b and c change places in Ethiopia (b ahead) and South Korea (c ahead).",
        "By culture, 6 of 6 differences hold (p below .05, Holm). "
        "Each culture of one pair: folkways compare MODEL MODEL",
    )


def test_differences_without_a_test_are_counted_apart_from_those_that_do_not_hold() -> None:
    frames = {f"x/{name}": judged(0.5, seed, questions=5) for seed, name in enumerate("abc")}
    *_, table = comparison_tables(compared(frames))
    assert any(
        "0 of 6 differences hold (p below .05, Holm; 6 rest on too few" in note for note in table.notes
    )


@pytest.mark.parametrize("turned", [False, True], ids=["first ahead", "second ahead"])
def test_cultures_that_turn_round_are_named_and_told_as_data(turned: bool) -> None:
    cultures = ("US", "ES", "KR", "KP")
    good, poor = judged(0.85, 1, cultures=cultures), judged(0.55, 2, cultures=cultures)
    korean = pl.col("culture").is_in(["KR", "KP"])
    good, poor = (
        pl.concat(
            [
                good.filter(~korean),
                poor.filter(korean),
                *([good.filter(~korean).with_columns(variant=pl.lit("v1"))]),
            ]
        ),
        pl.concat(
            [
                poor.filter(~korean),
                good.filter(korean),
                *([poor.filter(~korean).with_columns(variant=pl.lit("v1"))]),
            ]
        ),
    )
    frames = {"beta": poor, "alpha": good} if turned else {"alpha": good, "beta": poor}
    for by in ("culture", "language"):
        comparison = compared(frames, by=by)
        (told,) = comparison.verdicts
        assert told.startswith("alpha is ahead of beta overall, and behind it in ")
        assert {name for name in ("North Korea", "South Korea", "Spain") if name in told} == {
            "North Korea",
            "South Korea",
        }
        document = json.loads(json_for_terminal(comparison_document(comparison)))
        assert {(row["value"], row["ahead"], row["overall"]) for row in document["reversals"]} == {
            ("KR", "beta", "alpha"),
            ("KP", "beta", "alpha"),
        }
        assert all(
            row["p_holm"] < 0.05 and (row["difference"] < 0) != turned for row in document["reversals"]
        )
        tables = list(comparison_tables(comparison))
        assert tables[0].unit.startswith("alpha is ahead of beta overall, and behind it in ")
        assert "is ahead of beta overall" in as_text(
            tables, 100
        ) and "is ahead of beta overall" in as_markdown(tables)


def test_a_tie_names_the_cultures_of_either_model() -> None:
    one, other = judged(0.85, 1), judged(0.3, 2)
    ethiopian = pl.col("culture") == "ET"
    frames = {
        "a": pl.concat([one.filter(~ethiopian), other.filter(ethiopian)]),
        "b": pl.concat([other.filter(~ethiopian), one.filter(ethiopian)]),
    }
    comparison = compared(frames)
    assert comparison.verdicts[0].startswith(
        "a is ahead in South Korea; b is ahead in Ethiopia. Overall, no difference is shown: "
    )
    assert comparison.reversals["overall"].to_list() == [None, None]


def test_without_reversals_nothing_is_added() -> None:
    comparison = compared({"a": judged(0.9, 1), "b": judged(0.3, 2)})
    assert comparison.verdicts[0].startswith("a does better than b") and comparison.reversals.is_empty()


def test_what_is_not_known_is_null_in_every_frame() -> None:
    comparison = compared({name: judged(0.5, seed, questions=3) for seed, name in enumerate("abc")})
    for frame in (comparison.differences, comparison.ranking, comparison.spread, comparison.reversals):
        assert frame.equals(without_nan(frame))
    assert comparison.differences.filter(facet="culture")["low"].null_count() > 0
