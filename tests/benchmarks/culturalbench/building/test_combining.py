"""The rewriting of multi-mode questions."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.culturalbench.building.combining import INSTRUCTION, NUMERALS, combine, statements_of, written
from folkways.benchmarks.culturalbench.votes import LETTERS
from folkways.releases.culturalbench import is_multi_mode

GOLD = st.lists(st.sampled_from(LETTERS), min_size=2, max_size=4, unique=True).map(sorted)
STATEMENTS = ("bread", "tea", "salt", "None")


@given(st.text(), GOLD, st.integers())
def test_one_combination_is_the_gold_set_and_none_repeats(item: str, gold: list[str], seed: int) -> None:
    made = combine(item, "What?", STATEMENTS, gold, seed)
    sets = [frozenset(statements_of(option)) for option in made.options]
    assert len(set(sets)) == 4
    assert [letter for letter, chosen in zip(LETTERS, sets, strict=True) if chosen == set(gold)] == [made.answer]
    assert all(chosen ^ set(gold) for letter, chosen in zip(LETTERS, sets, strict=True) if letter != made.answer)
    assert all(len(chosen) >= 2 for chosen in sets)


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
        INSTRUCTION,
    ]
    assert made == combine(item, "What is brought?", STATEMENTS, gold, seed)


def test_where_the_right_option_stands_and_what_stands_beside_it_tell_nothing() -> None:
    """Over many questions with two gold statements each: all letters are right, and all other sets are offered, about as often."""
    made = [combine(f"q{number}", "What?", STATEMENTS, ["A", "C"], seed=0) for number in range(4000)]
    letters = Counter(one.answer for one in made)
    assert all(abs(letters[letter] - 1000) < 4 * (4000 * 0.25 * 0.75) ** 0.5 for letter in LETTERS)
    others = Counter(option for one in made for option in one.options if option != "(i), (iii)")
    assert len(others) == 10  # the sets of two or more statements, without the gold one
    assert all(abs(number - 1200) < 4 * (4000 * 0.3 * 0.7) ** 0.5 for number in others.values())


def test_another_seed_draws_others() -> None:
    drawn = {combine("q", "What?", STATEMENTS, ["A", "C"], seed).options for seed in range(20)}
    assert len(drawn) > 10


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True).map(sorted))
def test_written_combinations_are_read_back(places: list[int]) -> None:
    assert statements_of(written(places)) == tuple(LETTERS[place] for place in places)
