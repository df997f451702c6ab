"""Eligibility, counts and votes: by hand, and properties that hold for any numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.culturalbench.votes import CANNOT_ANSWER, DONT_KNOW
from folkways.studio.rules.counts import missing_answers, room
from folkways.studio.rules.eligibility import eligibility
from folkways.studio.rules.votes import Ballot, best_of, count_votes

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
    found = eligibility(CRITERIA, {**ANSWERS, **changes})
    assert found.failed == failed
    assert found.eligible == (not failed)


def test_without_criteria_everybody_is_eligible() -> None:
    assert eligibility([], {}).eligible


@pytest.mark.parametrize(
    ("valid", "idk", "missing"),
    [(0, 0, 5), (4, 0, 1), (5, 0, 0), (6, 0, 0), (4, 1, 1), (0, 5, 5), (4, 5, 1), (0, 6, 0), (4, 6, 0), (5, 5, 0)],
)
def test_only_i_dont_know_is_replaced_until_five_are_valid_or_six_do_not_know(valid: int, idk: int, missing: int) -> None:
    assert missing_answers(valid, idk) == missing


@given(st.lists(st.booleans(), max_size=30))
def test_asking_always_ends(answers: list[bool]) -> None:
    """However people answer, nobody is asked after the fifth valid answer or the sixth that is none; ten people at most."""
    valid = idk = asked = 0
    for knows in answers:
        if not missing_answers(valid, idk):
            break
        asked += 1
        valid, idk = valid + knows, idk + (not knows)
    assert asked <= 10
    assert valid <= 5
    assert idk <= 6


@pytest.mark.parametrize(("taken", "most", "left"), [(0, None, None), (9, None, None), (0, 7, 7), (7, 7, 0), (9, 7, 0)])
def test_room(taken: int, most: int | None, left: int | None) -> None:
    assert room(taken, most) == left


def ballots(*said: str) -> list[Ballot]:
    """ "AC" chooses the first and third option; "?" does not know, "!" says that it cannot be answered."""
    ways = {"?": DONT_KNOW, "!": CANNOT_ANSWER}
    return [
        Ballot(frozenset(), ways[each]) if each in ways else Ballot(frozenset(ord(letter) - ord("A") for letter in each))
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


@given(st.lists(st.sets(st.integers(0, 3)).map(lambda chosen: Ballot(frozenset(chosen))), min_size=5, max_size=5))
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
