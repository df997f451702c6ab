"""Distributions of opinions are no knowledge: no rank, no best model, no weak spot, and none of their scores
changes what is said of other tasks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.benchmarks.survey import BENCHMARK
from folkways.benchmarks.survey.task import MEAN_GAP, SIMILARITY, WASSERSTEIN, SurveyTask
from folkways.errors import FolkwaysError
from folkways.evidence.comparison import compare_judgements
from folkways.evidence.requirements import check_range
from folkways.evidence.sentences import Contrast
from folkways.evidence.sentences import verdict as verdict_of
from folkways.evidence.task_verdict import beats_guessing
from folkways.evidence.verdict import verdict
from folkways.records import Metric
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.overview import examples, turned_round
from folkways.reports.views.views import ReportView
from tests.support.made_evidence import CULTURES, RIGHT, evidence, first, judged
from tests.support.report_data import small_report

NEAR = replace(SIMILARITY, name="right")
"""In the column that the made judgements have."""
FAR = replace(WASSERSTEIN, name="right")
SHARES = st.lists(st.integers(0, 60), min_size=2, max_size=4)


def task() -> SurveyTask:
    (one,) = BENCHMARK.tasks
    assert isinstance(one, SurveyTask)
    return one


@pytest.mark.parametrize("metric", [NEAR, FAR])
def test_no_model_has_a_rank(metric: Metric) -> None:
    answers = {"A": first(55), "B": first(5), "C": first(20)}
    assert evidence(answers).ranks
    assert not evidence(answers, metric).ranks
    compared = {name: judged(values) for name, values in answers.items()}
    assert compare_judgements(compared, "t/t", "strict", RIGHT).ranking.height == 3
    assert compare_judgements(compared, "t/t", "strict", metric).ranking.is_empty()


def test_a_verdict_chooses_no_model_by_opinions() -> None:
    made = verdict([evidence({"A": first(55), "B": first(5)}, NEAR, "Survey")])
    assert made.text == "Survey has no right answers, and no model is better on it."
    assert made.chosen == () and made.tasks == () and not made.guessed
    two = verdict([evidence({"A": first(55)}, NEAR, "One"), evidence({"A": first(5)}, FAR, "Two")])
    assert two.text == "One and Two have no right answers, and no model is better on them."


def test_a_model_is_not_weak_where_its_opinions_differ() -> None:
    """Right on everything but Ethiopia, where it is right on half."""
    answers = {"A": [float(number % 3 != 0 or number % 2) for number in range(120)]}
    assert verdict([evidence(answers)]).weakest["A"]
    assert verdict([evidence(answers, NEAR)]).weakest == {"A": ()}


def test_a_model_without_a_reply_to_a_survey_is_silent() -> None:
    made = verdict([evidence({"A": first(30), "B": [None] * 60}, NEAR)])
    assert made.silent == ("B",)


@settings(max_examples=settings().max_examples // 5)  # each makes two verdicts
@given(right=SHARES, near=SHARES)
def test_opinions_change_nothing_that_is_said_of_knowledge(right: list[int], near: list[int]) -> None:
    names = "ABCD"
    knowledge = evidence({name: first(number) for name, number in zip(names, right, strict=False)})
    survey = evidence(
        {name: first(number) for name, number in zip(names[: len(right)], near, strict=False)}, NEAR, "S"
    )
    alone, both = verdict([knowledge]), verdict([knowledge, survey])
    assert both.chosen == alone.chosen and both.weakest == alone.weakest and both.limits == alone.limits
    rest = [sentence for sentence in both.sentences if not sentence.startswith("S has no right answers")]
    assert rest == list(alone.sentences) and len(both.sentences) == len(rest) + 1


def test_guessing_has_no_place_among_opinions() -> None:
    assert beats_guessing(60.0, 70.0, 25.0, RIGHT) is True
    assert beats_guessing(60.0, 70.0, 25.0, NEAR) is None
    assert beats_guessing(1.0, 2.0, 25.0, FAR) is None


@pytest.mark.parametrize(
    ("metric", "nearer", "farther"), [(NEAR, "A", "B"), (FAR, "B", "A")], ids=["similarity", "distance"]
)
def test_a_comparison_says_nearer_and_not_better(metric: Metric, nearer: str, farther: str) -> None:
    frames = {"A": judged(first(55)), "B": judged(first(5))}
    (said,) = compare_judgements(frames, "t/t", "strict", metric).verdicts
    assert said.startswith(f"{nearer} is nearer to people's answers than {farther}, by 83.3 points")
    (open_,) = compare_judgements(
        {"A": judged(first(30)), "B": judged(first(28))}, "t/t", "strict", metric
    ).verdicts
    assert f"{nearer} comes out 3.3 points nearer to people's answers than {farther}, which chance" in open_
    assert "ahead" not in said + open_ and "better" not in said + open_
    (same,) = compare_judgements({"A": frames["A"], "B": frames["A"]}, "t/t", "strict", metric).verdicts
    assert same == "A and B are equally near to people's answers on every question here."


def test_one_of_many_differences_is_nearer_and_not_ahead() -> None:
    contrast = Contrast("A", "B", 5.0, 1.0, 9.0, 0.02, 0.3, 9, 3, 60, looks=20, of_opinions=True)
    assert verdict_of(contrast).startswith(
        "A comes out 5.0 points nearer to people's answers than B, but this is one of 20 differences"
    )


def test_models_that_change_places_are_nearer_in_one_culture_and_farther_in_another() -> None:
    """The first is right in the first culture alone, or in the first two of three."""
    for right, said in (
        (
            (1,),
            "A is nearer to people's answers in Ethiopia; B is nearer to people's answers in South Korea. Overall, no ",
        ),
        ((1, 1), "A is nearer to people's answers than B overall, and farther from them in Mexico."),
    ):
        cultures = CULTURES if len(right) > 1 else CULTURES[:2]
        sides = [float(number % len(cultures) < len(right)) for number in range(120)]
        frames = {"A": judged(sides, cultures), "B": judged([1 - side for side in sides], cultures)}
        (sentence,) = compare_judgements(frames, "t/t", "strict", NEAR).verdicts
        assert sentence.startswith(said)


def test_a_report_of_opinions_shows_no_wrong_answers_and_no_order() -> None:
    rights = {("m/a", "KR"): 55, ("m/b", "KR"): 20, ("m/a", "MX"): 10, ("m/b", "MX"): 45}
    knowledge, opinions = (
        ReportView(small_report(metric, rights, 60, "tea with milk"))
        for metric in (Metric("right", "Right", ""), NEAR)
    )
    assert examples(knowledge) and turned_round(knowledge, Leaderboard(knowledge))
    assert not examples(opinions) and not turned_round(opinions, Leaderboard(opinions))
    assert not Leaderboard(opinions).ranks(opinions.tasks[0])


def test_a_difference_of_means_has_no_better_way() -> None:
    gap = replace(MEAN_GAP, name="right")
    assert NEAR.has_direction and FAR.has_direction and RIGHT.has_direction and not gap.has_direction
    assert Metric("count", "Count", "", kind="mean", bounds=None).has_direction
    with pytest.raises(FolkwaysError, match="neither way of Difference of means is better"):
        compare_judgements({"A": judged(first(5)), "B": judged(first(9))}, "t/t", "strict", gap)
    with pytest.raises(FolkwaysError, match="--min survey=3: neither way"):
        check_range(3, "--min survey=3", task(), MEAN_GAP)
    check_range(40, "--min survey=40", task(), SIMILARITY)
