"""Known answers: at whose turn they come, and whom the rules catch. What the guide says of the rules is
computed here."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from folkways_studio.work.known_answer_rules import Gold, Qualification, Rule, action

DEFAULT = Rule("exclude", 0.6, 5, "completed")
GOLD = {"every": None, "share": 0.1, "overlap": 1.0, "rules": []}


@cache
def acted(rule: Rule, skill: float, most: int = 100) -> list[float]:
    """The chance that the rule has acted after 1 to ``most`` known answers on somebody who is right with this
    chance: exactly."""
    still, gone, found = {0: 1.0}, 0.0, []
    for asked in range(1, most + 1):
        after: Counter[int] = Counter()
        for right, chance in still.items():
            after[right + 1] += chance * skill
            after[right] += chance * (1 - skill)
        gone += sum(chance for right, chance in after.items() if rule.acts(right, asked))
        still = {right: chance for right, chance in after.items() if not rule.acts(right, asked)}
        found.append(gone)
    return found


def needed(rule: Rule, skill: float, chance: float) -> int:
    """How many known answers it takes to catch such a person with that chance."""
    return next(number for number, each in enumerate(acted(rule, skill), 1) if each >= chance)


def test_two_of_three_wrong_excludes_nobody() -> None:
    assert not any(Rule("exclude", below, 1, "none").acts(1, 3) for below in (0.3, 0.5, 0.6, 0.75))
    assert not DEFAULT.acts(0, 4), "too few were asked"
    assert DEFAULT.acts(0, 5)
    assert not DEFAULT.acts(1, 5), "the upper end is 0.62"


def test_random_answers_are_caught_and_careful_people_are_not() -> None:
    """The figures of docs/guides/studio.md. Random: one option of four, one of two."""
    assert (needed(DEFAULT, 0.25, 0.5), needed(DEFAULT, 0.25, 0.95)) == (6, 21)
    assert f"{acted(DEFAULT, 0.9)[-1]:.5f}" == "0.00007"
    assert f"{acted(DEFAULT, 0.8)[-1]:.4f}" == "0.0024"
    stricter = Rule("exclude", 0.7, 5, "completed")
    assert (needed(stricter, 0.25, 0.95), needed(stricter, 0.5, 0.5), needed(stricter, 0.5, 0.95)) == (
        12,
        14,
        59,
    )
    assert f"{acted(stricter, 0.9)[-1]:.4f}" == "0.0005"


def test_the_hardest_rule_that_acts_is_taken() -> None:
    rules = [Rule("exclude", 0.4, 5, "none"), Rule("warn", 0.9, 1, "none"), Rule("pause", 0.6, 5, "none")]
    assert [
        getattr(action(rules, right, asked), "then", None)
        for right, asked in ((0, 8), (1, 8), (0, 3), (4, 5))
    ] == ["exclude", "pause", "warn", None]


@pytest.mark.parametrize("share", [0.01, 0.07, 0.1, 0.15, 0.3, 0.37, 0.5])
def test_the_share_of_known_answers_is_kept(share: float) -> None:
    """In every run of the work, as many as the share asks for, but for one."""
    gold = Gold.of({"gold": {**GOLD, "share": share}})
    assert gold is not None
    for seed in "ab":
        turns = [gold.is_turn(number, seed) for number in range(1, 121)]
        assert all(abs(sum(turns[:asked]) - share * asked) <= 1 for asked in range(1, 121))


def test_known_answers_come_at_other_places_for_other_people_and_checks_at_the_last_of_each() -> None:
    gold = Gold.of({"gold": {**GOLD, "share": None, "every": 5}})
    check = Gold.of({"check_every": 5})
    assert gold is not None and check is not None
    places = {tuple(number for number in range(1, 21) if gold.is_turn(number, seed)) for seed in "abcdef"}
    assert len(places) > 1 and {len(each) for each in places} == {4}
    assert [number for number in range(1, 21) if check.is_turn(number, "a")] == [5, 10, 15, 20]
    assert Gold.of({}) is None


def test_as_many_are_ahead_as_come() -> None:
    gold = Gold.of({"gold": {**GOLD, "share": 0.25}})
    assert gold is not None
    for asked in range(12):
        for real, known in ((0, 3), (7, 1), (9, 9)):
            come, number, left = 0, asked, real
            while left:
                number += 1
                if gold.is_turn(number, "me") and come < known:
                    come += 1
                else:
                    left -= 1
            assert gold.ahead(asked, real, known, "me") == come


@pytest.mark.parametrize(("mark", "needs"), [(0.75, 6), (0.7, 6), (1.0, 8), (0.01, 1)])
def test_a_pass_mark_is_a_share_of_the_questions_rounded_up(mark: float, needs: int) -> None:
    told = {
        "questions": 8,
        "pass_mark": mark,
        "tries": 1,
        "feedback": False,
        "populations": [],
        "pay": "none",
    }
    found = Qualification.of({"qualification": told})
    assert found is not None and found.needed == needs
