"""The rewriting of multi-mode questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.culturalbench.build.tables import NUMERALS, combine, written
from folkways.benchmarks.culturalbench.data import is_multi_mode
from folkways.benchmarks.culturalbench.votes import LETTERS
from tests.support.votes_data import statements_of

GOLD = st.lists(st.sampled_from(LETTERS), min_size=2, max_size=4, unique=True).map(sorted)
STATEMENTS = ("bread", "tea", "salt", "None")
TRIALS = 1000


def _shared(option: str, frequency: Counter[str]) -> float:
    letters = statements_of(option)
    return sum(frequency[letter] for letter in letters) / len(letters)


STRATEGIES: tuple[Callable[[str, Counter[str]], float], ...] = (
    lambda option, _: len(statements_of(option)),
    lambda option, _: -len(statements_of(option)),
    _shared,
    lambda option, frequency: -_shared(option, frequency),
)
"""Ways of choosing among combinations by how long they are, or by how many of the others have their
statements."""


@given(st.text(), GOLD, st.integers())
def test_one_combination_is_the_gold_set_and_none_repeats(item: str, gold: list[str], seed: int) -> None:
    made = combine(item, "What?", STATEMENTS, gold, seed)
    sets = [frozenset(statements_of(option)) for option in made.options]
    assert len(set(sets)) == 4
    assert [letter for letter, chosen in zip(LETTERS, sets, strict=True) if chosen == set(gold)] == [
        made.answer
    ]
    assert all(
        chosen ^ set(gold) for letter, chosen in zip(LETTERS, sets, strict=True) if letter != made.answer
    )
    sizes = sorted(len(chosen) for chosen in sets)
    assert sizes in {2: [[2] * 4], 3: [[3] * 4, [3, 3, 3, 4]], 4: [[3, 3, 3, 4]]}[len(gold)]


@given(st.text(), GOLD, st.integers())
def test_readers_of_the_released_schema_see_its_mode(item: str, gold: list[str], seed: int) -> None:
    assert is_multi_mode(combine(item, "What?", STATEMENTS, gold, seed).options)


@given(st.text(), GOLD, st.integers())
def test_the_question_has_every_statement_with_its_number(item: str, gold: list[str], seed: int) -> None:
    made = combine(item, "What is brought?", STATEMENTS, gold, seed)
    assert made.question.split("\n") == [
        "What is brought?",
        "",
        *(f"{numeral} {text}" for numeral, text in zip(NUMERALS, STATEMENTS, strict=True)),
        "",
        "Choose the option that lists every statement that applies, and none that does not.",
    ]
    assert made == combine(item, "What is brought?", STATEMENTS, gold, seed)


def test_where_the_right_option_stands_and_what_stands_beside_it_tell_nothing() -> None:
    """Over many questions with two gold statements each: all letters are right, and all other pairs are
    offered, about as often."""
    made = [combine(f"q{number}", "What?", STATEMENTS, ["A", "C"], seed=0) for number in range(4000)]
    letters = Counter(one.answer for one in made)
    assert all(abs(letters[letter] - 1000) < 4 * (4000 * 0.25 * 0.75) ** 0.5 for letter in LETTERS)
    others = Counter(option for one in made for option in one.options if option != "(i), (iii)")
    assert len(others) == 5
    assert all(abs(number - 2400) < 4 * (4000 * 0.6 * 0.4) ** 0.5 for number in others.values())


def blind(sizes: tuple[int, ...], strategy: Callable[[str, Counter[str]], float]) -> float:
    """How often somebody is right who has read no question and takes the option that the strategy rates
    highest."""
    random = Random(3)
    right = 0
    for number in range(TRIALS):
        made = combine(
            f"q{number}", "What?", STATEMENTS, random.sample(LETTERS, random.choice(sizes)), seed=0
        )
        frequency = Counter(letter for option in made.options for letter in statements_of(option))
        taken = max(
            random.sample(made.options, 4), key=lambda option, found=frequency: strategy(option, found)
        )
        right += taken == made.options[LETTERS.index(made.answer)]
    return right / TRIALS


@pytest.mark.parametrize("strategy", STRATEGIES, ids=["longest", "shortest", "most shared", "least shared"])
def test_who_has_not_read_the_question_is_right_by_chance(
    strategy: Callable[[str, Counter[str]], float],
) -> None:
    """A quarter of the time where two statements are right, and not much oftener in a mix of two, three and
    four."""
    assert abs(blind((2,), strategy) - 0.25) < 4 * (0.25 * 0.75 / TRIALS) ** 0.5
    assert blind((2, 2, 2, 2, 2, 2, 2, 3, 3, 4), strategy) < 0.33


def test_all_four_are_offered_whether_they_are_right_or_not() -> None:
    made = [combine(f"q{number}", "What?", STATEMENTS, ["A", "B", "D"], seed=0) for number in range(1000)]
    offered = sum("(i), (ii), (iii), (iv)" in one.options for one in made)
    assert abs(offered - 500) < 4 * (1000 * 0.5 * 0.5) ** 0.5


def test_another_seed_draws_others() -> None:
    drawn = {combine("q", "What?", STATEMENTS, ["A", "C"], seed).options for seed in range(20)}
    assert len(drawn) > 10


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True).map(sorted))
def test_written_combinations_are_read_back(places: list[int]) -> None:
    assert statements_of(written(places)) == tuple(LETTERS[place] for place in places)
