"""Eligibility, counts and votes: by hand, and properties that hold for any numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways_studio.people.eligibility import failed_criteria, unclear_criteria
from folkways_studio.stages.votes import CANNOT_ANSWER, DONT_KNOW, Ballot, VoteCount, best_of, count_votes
from folkways_studio.work.counts import missing_answers, room

CRITERIA = [
    {"name": "home", "ask": "?", "accept": ["Wales", "Cymru"]},
    {"name": "age", "ask": "?", "least": 18, "most": 99},
    {"name": "note", "ask": "?"},
    {"name": "dialect", "ask": "?", "optional": True, "accept": ["north"]},
]
ANSWERS = {"home": "wales", "age": "18", "note": "anything"}


@pytest.mark.parametrize(
    ("changes", "failed"),
    [
        ({}, ()),
        ({"home": " CYMRU "}, ()),
        ({"home": "England"}, ("home",)),
        ({"age": "17.9"}, ("age",)),
        ({"age": "100"}, ("age",)),
        ({"age": "nan"}, ("age",)),
        ({"age": "old"}, ("age",)),
        ({"note": ""}, ("note",)),
        ({"dialect": "north"}, ()),
        ({"dialect": "south"}, ("dialect",)),
        ({"home": "", "age": ""}, ("home", "age")),
    ],
)
def test_eligibility(changes: dict[str, str], failed: tuple[str, ...]) -> None:
    assert failed_criteria(CRITERIA, {**ANSWERS, **changes}) == [*failed]


def test_without_criteria_everybody_is_eligible() -> None:
    assert failed_criteria([], {}) == []


@pytest.mark.parametrize(
    ("valid", "idk", "missing"),
    [
        (0, 0, 5),
        (4, 0, 1),
        (5, 0, 0),
        (6, 0, 0),
        (4, 1, 1),
        (0, 5, 5),
        (4, 5, 1),
        (0, 6, 0),
        (4, 6, 0),
        (5, 5, 0),
    ],
)
def test_only_i_dont_know_is_replaced_until_five_are_valid_or_six_do_not_know(
    valid: int, idk: int, missing: int
) -> None:
    assert missing_answers(valid, idk) == missing


@given(st.lists(st.booleans(), max_size=30))
def test_asking_always_ends(answers: list[bool]) -> None:
    """However people answer, nobody is asked after the fifth valid answer or the sixth that is none; ten
    people at most."""
    valid = idk = asked = 0
    for knows in answers:
        if not missing_answers(valid, idk):
            break
        asked += 1
        valid, idk = valid + knows, idk + (not knows)
    assert asked <= 10
    assert valid <= 5
    assert idk <= 6


@pytest.mark.parametrize(
    ("taken", "most", "left"), [(0, None, None), (9, None, None), (0, 7, 7), (7, 7, 0), (9, 7, 0)]
)
def test_room(taken: int, most: int | None, left: int | None) -> None:
    assert room(taken, most) == left


def ballots(*said: str) -> list[Ballot]:
    """ "AC" chooses the first and third option; "?" does not know, "!" says that it cannot be answered."""
    ways = {"?": DONT_KNOW, "!": CANNOT_ANSWER}
    return [
        Ballot(frozenset(), ways[each])
        if each in ways
        else Ballot(frozenset(ord(letter) - ord("A") for letter in each))
        for each in said
    ]


@pytest.mark.parametrize(
    ("said", "gold", "outcome"),
    [
        (("A", "A", "A", "A", "B"), (0,), "single"),
        (("A", "A", "A", "B", "B"), (), "none"),
        (("AC", "AC", "AC", "AC", "C"), (0, 2), "multi"),
        (("?", "?", "?", "A", "A"), (), "unknown"),
        (("?", "?", "A", "B", "C"), (), "none"),
        (("A", "A", "A", "A", "?"), (0,), "single"),
        (("!", "!", "!", "!", "!"), (), "none"),
    ],
)
def test_four_of_five(said: tuple[str, ...], gold: tuple[int, ...], outcome: str) -> None:
    found = count_votes(ballots(*said), 4, 4)
    assert (found.gold, found.outcome) == (gold, outcome)


@given(
    st.lists(st.sets(st.integers(0, 3)).map(lambda chosen: Ballot(frozenset(chosen))), min_size=5, max_size=5)
)
def test_every_vote_is_counted_once(votes: list[Ballot]) -> None:
    found = count_votes(votes, 4, 4)
    assert sum(found.counts) == sum(len(vote.choices) for vote in votes)
    assert set(found.gold) == {place for place, count in enumerate(found.counts) if count >= 4}


@pytest.mark.parametrize(
    ("choices", "scores", "best"),
    [
        ([], [1.0, 2.0], None),
        ([0, 0], [1.0, 5.0], 0),
        ([0, 1], [3.0, 4.0], 1),
        ([0, 1], [3.0, 3.0], None),
        ([0, 1, 1], [5.0, 1.0], 1),
        ([0, 1, 2], [2.0, 3.0, 3.0], None),
    ],
)
def test_the_best_of_several(choices: list[int], scores: list[float], best: int | None) -> None:
    assert best_of(choices, scores) == best


@pytest.mark.parametrize(
    ("criterion", "answer", "passes"),
    [
        ({"least": 5}, "5", True),
        ({"least": 5}, "4.9", False),
        ({"least": 5}, "1e9", True),
        ({"most": 5}, " 5 ", True),
        ({"most": 5}, "5.1", False),
        ({"most": 5}, "-1e9", True),
        ({"most": 5}, "five", False),
        ({"least": 1, "most": 3}, "0", False),
        ({"least": 1, "most": 3}, "4", False),
        ({"accept": [2, " Two "], "least": 1}, "two", False),
        ({"accept": [2, " Two "]}, "TWO", True),
        ({"accept": [2, "3"], "least": 3}, "2", False),
        ({"accept": [2, "3"], "least": 3}, "3", True),
        ({"accept": [2, "3"], "least": 3}, "4", False),
        ({}, "anything", True),
        ({}, " ", False),
        ({"optional": True, "least": 5}, " ", True),
        ({"optional": False}, "", False),
        ({"optional": True, "least": 5}, "4", False),
    ],
)
def test_a_criterion_alone(criterion: dict[str, object], answer: str, passes: bool) -> None:
    failed = failed_criteria([{"name": "it", "ask": "?", **criterion}], {"it": answer, "other": "5"})
    assert failed == ([] if passes else ["it"])


@pytest.mark.parametrize(
    ("years", "age", "passes", "waits"),
    [
        ("15", "30", False, False),  # half is not over half
        ("15.5", "30", True, False),
        ("30", "30", True, False),
        ("31", "30", False, False),  # a slip
        ("20", "thirty", False, True),  # a researcher looks at it
        ("twenty", "30", False, True),
        ("20", "", False, False),
        ("", "30", False, False),
    ],
)
def test_over_half_of_life_is_a_rule_over_two_answers(
    years: str, age: str, passes: bool, waits: bool
) -> None:
    criteria = [
        {"name": "age", "ask": "?", "optional": True},
        {"name": "years", "ask": "?", "of": "age", "over": 0.5},
    ]
    answers = {"age": age, "years": years}
    assert (failed_criteria(criteria, answers) == []) is passes
    assert unclear_criteria(criteria, answers) == (["years"] if waits else [])


@given(st.lists(st.sampled_from(["A", "AB", "B", "ABC", "?", "!"]), max_size=9), st.integers(1, 4))
def test_the_result_of_any_votes_as_by_hand(said: list[str], needed: int) -> None:
    counts = tuple(sum(letter in each for each in said) for letter in "ABCD")
    gold = tuple(place for place in range(4) if counts[place] >= needed)
    outcome = (
        "single"
        if len(gold) == 1
        else "multi"
        if gold
        else "unknown"
        if said.count("?") > len(said) / 2
        else "none"
    )
    found = count_votes(ballots(*said), 4, needed)
    assert found == VoteCount(gold, counts, said.count("?"), said.count("!"), len(said), outcome)  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 2), max_size=6), st.tuples(*[st.integers(1, 3).map(float)] * 3))
def test_the_best_of_any_as_by_hand(choices: list[int], scores: tuple[float, ...]) -> None:
    most = max((choices.count(each) for each in choices), default=0)
    first = [option for option in range(3) if most and choices.count(option) == most]
    best = [option for option in first if scores[option] == max(scores[each] for each in first)]
    assert best_of(choices, scores) == (best[0] if len(best) == 1 else None)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 6), st.integers(0, 6))
def test_what_is_missing_as_by_hand(valid: int, not_known: int, wanted: int, most: int) -> None:
    expected = 0 if not_known > most else max(0, wanted - valid)
    assert missing_answers(valid, not_known, wanted=wanted, most_not_known=most) == expected
