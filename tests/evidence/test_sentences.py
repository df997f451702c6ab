"""Verdicts: what a reader without statistics must not read wrong."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from folkways.display import named
from folkways.evidence.sentences import Contrast, turned_sentence, verdict

CLEAR = Contrast("A", "B", 6.2, 2.0, 10.5, 0.004, 0.012, 60, 31, 200, 3, 5.9)
OPEN = replace(CLEAR, difference=1.2, low=-3.0, high=5.4, p=0.58, p_holm=1.0)


def test_a_difference_is_told_with_its_size_and_doubt() -> None:
    assert (
        verdict(CLEAR)
        == "A does better than B, by 6.2 points (between 2.0 and 10.5 points, with 95 % confidence)."
    )
    reverse = replace(CLEAR, difference=-6.2, low=-10.5, high=-2.0)
    assert (
        verdict(reverse)
        == "B does better than A, by 6.2 points (between 2.0 and 10.5 points, with 95 % confidence)."
    )
    assert verdict(replace(CLEAR, low=math.nan, high=math.nan)) == "A does better than B, by 6.2 points."


def test_no_difference_found_is_not_no_difference() -> None:
    assert verdict(OPEN) == (
        "No difference is shown: A comes out 1.2 points ahead of B, which chance alone could well produce. "
        "The true difference may lie anywhere from 3.0 points in favour of B to 5.4 points in favour of A. "
        "These 200 questions would find a difference of 5.9 points four times out of five."
    )


def test_a_difference_that_many_looks_explain_does_not_count() -> None:
    told = verdict(replace(CLEAR, p=0.03, p_holm=0.4, looks=16))
    assert told == (
        "A comes out 6.2 points ahead of B, but this is one of 16 differences looked at: corrected for "
        "these, p is .400, and it "
        "does not count as a difference."
    )


def test_wordings_that_disagree_are_told() -> None:
    assert verdict(CLEAR, leads=["A", "A"]).endswith("It is ahead in both ways of putting the questions.")
    assert verdict(CLEAR, leads=["A", "B", "A"]).endswith(
        "But 1 of the 3 ways of putting the questions is the other way round."
    )
    assert verdict(CLEAR, leads=["A"]) == verdict(CLEAR)


@pytest.mark.parametrize(
    ("questions", "words"), [(1, "1 question is too few"), (5, "5 questions are too few")]
)
def test_too_few_questions_tell_nothing(questions: int, words: str) -> None:
    assert verdict(replace(CLEAR, questions=questions)).startswith(words)


def test_models_alike_in_every_answer() -> None:
    alike = replace(
        OPEN,
        difference=0.0,
        low=math.nan,
        high=math.nan,
        first_better=0,
        second_better=0,
        detectable=math.nan,
    )
    assert verdict(alike) == "A and B do equally well on every question here."


def test_scores_that_are_no_percentages_have_no_points() -> None:
    assert "by 6.2 (between 2.0 and 10.5, with" in verdict(CLEAR, points=False)


def test_groups_that_turn_round_are_named_first() -> None:
    told = verdict(CLEAR, turned={"North Korea": "B", "South Korea": "B"}, leads=["A", "A"])
    assert told.startswith(
        "A is ahead of B overall, and behind it in North Korea and South Korea. A does better than B, by "
        "6.2 points"
    )
    assert "in all" not in told
    reverse = replace(CLEAR, difference=-6.2, low=-10.5, high=-2.0)
    assert verdict(reverse, turned={"Ethiopia": "A"}).startswith(
        "B is ahead of A overall, and behind it in Ethiopia. B does better than A"
    )


UNCLEAR = {
    "open": OPEN,
    "same score": replace(OPEN, difference=0.0),
    "many looks": replace(CLEAR, p=0.03, p_holm=0.4, looks=16),
    "few questions": replace(OPEN, questions=5),
}
"""Differences that are shown by no test, each with its own sentence."""


@pytest.mark.parametrize("contrast", UNCLEAR.values(), ids=UNCLEAR)
def test_what_is_open_overall_is_said_once_after_the_groups_of_either(contrast: Contrast) -> None:
    sides = {"Ethiopia": "A", "North Korea": "B", "South Korea": "B"}
    overall = verdict(contrast)
    both, one = (verdict(contrast, turned=turned) for turned in (sides, {"Ethiopia": "A"}))
    rest = f"no{overall[2:]}" if overall.startswith("No difference") else overall
    assert both == f"A is ahead in Ethiopia; B is ahead in North Korea and South Korea. Overall, {rest}"
    assert one == f"A is ahead in Ethiopia. Overall, {rest}"
    assert both.lower().count("difference is shown") <= 1


def test_groups_alone_say_that_the_whole_is_open() -> None:
    sides = {"Ethiopia": "A", "North Korea": "B"}
    assert turned_sentence(("A", "B"), None, sides) == (
        "No difference is shown between A and B overall; A is ahead in Ethiopia; B is ahead in North Korea."
    )


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
        assert (
            told == f"{ahead} does better than {behind}, by 0.5{unit} (between 0.2 and 0.8{unit}, with 95 % "
            "confidence)."
        )
        lead = f"{ahead} is ahead of {behind} overall, and behind it in Iran. "
        assert verdict(found, points=points, turned={"Iran": behind}) == lead + told
        assert verdict(replace(found, p_holm=0.05, p=0.04, looks=7), points=points).startswith(
            f"{ahead} comes out 0.5{unit} ahead of {behind}, but this is one of 7 differences looked at: "
            "corrected for these, p is .050"
        )
        unsure = replace(found, p=0.05, p_holm=0.05, low=-0.25, high=0.75)
        assert f"{ahead} comes out 0.5{unit} ahead of {behind}, which" in verdict(unsure, points=points)
        assert f"anywhere from 0.2{unit} in favour of B to 0.8{unit} in favour of A." in verdict(
            unsure, points=points
        )


def test_where_less_is_better_the_model_with_less_is_ahead() -> None:
    fewer = replace(CLEAR, lower_is_better=True)
    assert (fewer.ahead, fewer.behind) == ("B", "A")
    assert (
        verdict(fewer)
        == "B does better than A, by 6.2 points (between 2.0 and 10.5 points, with 95 % confidence)."
    )
    assert "from 3.0 points in favour of A to 5.4 points in favour of B" in verdict(
        replace(OPEN, lower_is_better=True)
    )


def test_the_same_score_is_nobodys_lead() -> None:
    tie = replace(OPEN, difference=0.0, low=-3.0, high=3.0)
    assert (
        tie.ahead,
        verdict(tie).startswith("No difference is shown: A and B score the same. The true difference may"),
    ) == (None, True)


def test_groups_that_one_model_alone_replied_to_are_named() -> None:
    assert verdict(CLEAR, alone={"A": ["Ethiopia", "Iran"]}).endswith(
        " Not compared: B has no reply for Ethiopia and Iran."
    )
    assert verdict(CLEAR, alone={"B": ["Ethiopia"], "A": ["Iran"]}).endswith(
        " Not compared: B has no reply for Iran; A has no reply for Ethiopia."
    )
    assert verdict(CLEAR, alone={"A": ["Iran", "Japan"], "B": ["Ethiopia", "Iran"]}).endswith(
        " Not compared: B has no reply for Japan; A has no reply for Ethiopia; no row for Iran has a reply "
        "of both."
    )


def test_wordings_are_counted_by_the_side_they_are_on() -> None:
    for leads, end in (
        (["A", "A"], " It is ahead in both ways of putting the questions."),
        (["A", None], "with 95 % confidence)."),
        (["A", "B"], " But 1 of the 2 ways of putting the questions is the other way round."),
        (["B", "B", "A"], " But 2 of the 3 ways of putting the questions are the other way round."),
    ):
        assert verdict(CLEAR, leads=leads).endswith(end)
        swapped = [{"A": "B", "B": "A", None: None}[lead] for lead in leads]
        assert verdict(replace(CLEAR, difference=-6.2), leads=swapped).endswith(end)
    assert verdict(OPEN, leads=["A", "A"]) == verdict(OPEN)


def test_six_questions_tell_something_and_what_is_not_known_is_not_said() -> None:
    assert "does better" in verdict(replace(CLEAR, questions=6))
    one_sided = replace(CLEAR, first_better=0, second_better=1, p=0.9, p_holm=0.9)
    assert "No difference is shown" in verdict(one_sided)
    bare = verdict(replace(one_sided, low=math.nan, high=math.nan, detectable=math.nan))
    assert bare.endswith("which chance alone could well produce.")
