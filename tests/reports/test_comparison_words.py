"""Verdicts: what a reader without statistics must not read wrong."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from folkways.reports.views.comparison_words import Found, named, verdict

CLEAR = Found("A", "B", 6.2, 2.0, 10.5, 0.004, 0.012, 5.9, 60, 31, 200, 3)
OPEN = replace(CLEAR, difference=1.2, low=-3.0, high=5.4, p=0.58, p_holm=1.0)


def test_a_difference_is_told_with_its_size_and_doubt() -> None:
    assert verdict(CLEAR) == "A does better than B, by 6.2 points (between 2.0 and 10.5 points, with 95 % confidence)."
    reverse = replace(CLEAR, difference=-6.2, low=-10.5, high=-2.0)
    assert verdict(reverse) == "B does better than A, by 6.2 points (between 2.0 and 10.5 points, with 95 % confidence)."
    assert verdict(replace(CLEAR, low=math.nan, high=math.nan)) == "A does better than B, by 6.2 points."


def test_no_difference_found_is_not_no_difference() -> None:
    assert verdict(OPEN) == (
        "No difference can be told: A comes out 1.2 points ahead of B, which chance alone may well do. "
        "The true difference may lie anywhere from 3.0 points for B to 5.4 points for A. "
        "These 200 questions would find one of 5.9 points four times of five."
    )


def test_a_difference_that_many_looks_explain_does_not_count() -> None:
    told = verdict(replace(CLEAR, p=0.03, p_holm=0.4, looks=16))
    assert told.startswith("A comes out 6.2 points ahead of B, but among 16 differences looked at")
    assert told.endswith("it does not count as found.")


def test_wordings_that_disagree_are_told() -> None:
    assert verdict(CLEAR, by_variant=[3.0, 9.4]).endswith("It is ahead in all 2 ways of putting the questions.")
    assert verdict(CLEAR, by_variant=[13.0, -1.0, 6.0]).endswith(
        "But 1 of the 3 ways of putting the questions is the other way round."
    )
    assert verdict(CLEAR, by_variant=[6.2]) == verdict(CLEAR)


@pytest.mark.parametrize(("questions", "words"), [(1, "1 question is too few"), (5, "5 questions are too few")])
def test_too_few_questions_tell_nothing(questions: int, words: str) -> None:
    assert verdict(replace(CLEAR, questions=questions)).startswith(words)


def test_models_alike_in_every_answer() -> None:
    alike = replace(OPEN, difference=0.0, low=math.nan, high=math.nan, first_better=0, second_better=0, detectable=math.nan)
    assert verdict(alike) == "A and B do equally well on every question here."


def test_scores_that_are_no_percentages_have_no_points() -> None:
    assert "by 6.2 (between 2.0 and 10.5, with" in verdict(CLEAR, points=False)


def test_groups_that_turn_round_are_named_first() -> None:
    told = verdict(CLEAR, turned={"North Korea": -11.0, "South Korea": -5.7}, by_variant=[3.0, 9.4])
    assert told.startswith("A is ahead overall; behind in North Korea and South Korea. A does better than B, by 6.2 points")
    assert "in all" not in told
    reverse = replace(CLEAR, difference=-6.2, low=-10.5, high=-2.0)
    assert verdict(reverse, turned={"Ethiopia": 4.0}).startswith("B is ahead overall; behind in Ethiopia. B does better than A")


def test_a_tie_over_everything_tells_the_groups_of_either() -> None:
    both = verdict(OPEN, turned={"Ethiopia": 9.0, "North Korea": -8.0, "South Korea": -7.0})
    assert both.startswith(
        "No difference overall; A is ahead in Ethiopia; B is ahead in North Korea and South Korea. No difference can"
    )
    assert verdict(OPEN, turned={"Ethiopia": 9.0}).startswith("No difference overall; A is ahead in Ethiopia. ")


@pytest.mark.parametrize(
    ("names", "words"),
    [("a", "a"), ("ab", "a and b"), ("abcde", "a, b, c, d and e"), ("abcdefgh", "a, b, c, d, e and 3 more")],
)
def test_long_lists_are_cut(names: str, words: str) -> None:
    assert named(tuple(names)) == words


@pytest.mark.parametrize("points", [True, False])
def test_small_differences_are_of_the_one_ahead_too(points: bool) -> None:
    """Scores that are no percentages lie between 0 and 1, and so do their differences."""
    unit = " points" if points else ""
    small = replace(CLEAR, difference=0.5, low=0.2, high=0.8)
    mirrored = replace(small, difference=-0.5, low=-0.8, high=-0.2)
    for found, ahead, behind in ((small, "A", "B"), (mirrored, "B", "A")):
        told = verdict(found, points=points)
        assert told == f"{ahead} does better than {behind}, by 0.5{unit} (between 0.2 and 0.8{unit}, with 95 % confidence)."
        turned = {"Iran": -found.difference / 2}
        assert verdict(found, points=points, turned=turned) == f"{ahead} is ahead overall; behind in Iran. {told}"
        assert verdict(replace(found, p_holm=0.05, p=0.04, looks=1)).startswith(
            f"{ahead} comes out 0.5 points ahead of {behind}, but among 1 "
        )
        unsure = replace(found, p=0.05, p_holm=0.05, low=-0.25, high=0.75)
        assert f"{ahead} comes out 0.5{unit} ahead of {behind}, which" in verdict(unsure, points=points)
        assert f"anywhere from 0.2{unit} for B to 0.8{unit} for A." in verdict(unsure, points=points)
    tie = verdict(replace(small, p=0.9, p_holm=0.9), turned={"Iran": 0.5, "Chad": -0.5})
    assert tie.startswith("No difference overall; A is ahead in Iran; B is ahead in Chad. No difference can be told")
    assert verdict(replace(small, p=0.9, p_holm=0.05), turned={"Chad": -0.5}).startswith(
        "No difference overall; B is ahead in Chad. "
    )


def test_wordings_are_counted_by_the_side_they_are_on() -> None:
    for by_variant, end in (
        ([0.5, 0.25], "It is ahead in all 2 ways of putting the questions."),
        ([0.5, 0.0], "It is ahead in all 2 ways of putting the questions."),
        ([0.5, -0.25], "But 1 of the 2 ways of putting the questions is the other way round."),
        ([-0.5, -0.25, 1.0], "But 2 of the 3 ways of putting the questions are the other way round."),
    ):
        assert verdict(replace(CLEAR, difference=0.25), by_variant=by_variant).endswith(end)
        assert verdict(replace(CLEAR, difference=-0.25), by_variant=[-one for one in by_variant]).endswith(end)


def test_six_questions_tell_something_and_what_is_not_known_is_not_said() -> None:
    assert "does better" in verdict(replace(CLEAR, questions=6))
    one_sided = replace(CLEAR, first_better=0, second_better=1, p=0.9, p_holm=0.9)
    assert "No difference can be told" in verdict(one_sided)
    bare = verdict(replace(one_sided, low=math.nan, high=math.nan, detectable=math.nan))
    assert bare.endswith("which chance alone may well do.")
