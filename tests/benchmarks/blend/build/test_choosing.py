"""Both ways of choosing wrong answers, on questions drawn at random."""

from __future__ import annotations

import json
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.blend.build import choosing
from folkways.benchmarks.blend.build.calls import JudgeCall, RuleOracle
from folkways.benchmarks.blend.build.choosing import Memory, OptionSet
from folkways.benchmarks.blend.build.construction import Questions, build_order_free, build_paper
from folkways.benchmarks.blend.build.items import items_of, table, usable
from folkways.benchmarks.blend.build.sources import (
    AnswerForm,
    AnswerGroup,
    SourceQuestion,
    fits,
    form_of,
    settled_by_form,
)
from folkways.benchmarks.templates import Template
from tests.support.mcq_sources import sources

WORDING = Template("{q}\n\n{choices}\n\nSay a letter.", "test")
RULES = st.sampled_from(["overlap", "hash30", "ctx50"])


def build(source: SourceQuestion, profile: str, rule: str = "overlap", **options: int) -> Questions:
    judge = RuleOracle(rule)
    return (build_paper if profile == "paper" else build_order_free)(
        [source], judge, judge, WORDING, **options
    )  # type: ignore[operator]


@given(sources(), RULES, st.integers(1, 9))
def test_whatever_the_answers_the_papers_procedure_keeps_its_promises(
    source: SourceQuestion, rule: str, ahead: int
) -> None:
    """Each is checked by a function of its own: drawing answers takes longer than all of them."""
    whole = build(source, "paper", rule)
    check_same_input_same_items(whole, build(source, "paper", rule))
    check_no_pair_is_asked_again_that_was_found_different(whole)
    check_asking_ahead_changes_nothing(source, rule, ahead, whole)
    check_right_letters_are_answers_of_the_country(source, whole)


@given(sources(), RULES, st.integers(1, 40), st.randoms(use_true_random=False))
def test_whatever_the_answers_the_rule_without_order_keeps_its_promises(
    source: SourceQuestion, rule: str, batch: int, random: Random
) -> None:
    """As of the paper's procedure."""
    whole = build(source, "strict", rule)
    check_same_input_same_items(whole, build(source, "strict", rule))
    check_strict_items_are_questions_with_one_right_letter(source, whole)
    if not rule.startswith("ctx"):  # which looks at what stands beside a pair
        check_it_does_not_depend_on_how_pairs_are_put_to_the_judge(source, rule, batch, whole)
    check_what_was_judged_is_a_set(source, random)


def check_same_input_same_items(first: Questions, second: Questions) -> None:
    assert first.items.equals(second.items)
    assert first.calls == second.calls


def check_no_pair_is_asked_again_that_was_found_different(whole: Questions) -> None:
    """Either way round; and nothing that the words tell."""
    asked = [(entry.call, entry.answer) for entry in whole.calls if isinstance(entry.call, JudgeCall)]
    different = [
        frozenset({call.answers[0], call.target})
        for call, same in asked
        if not same and len(call.answers) == 1
    ]
    assert len(different) == len(set(different))
    assert not any(
        choosing.lexically_same(answer, call.target) for call, _ in asked for answer in call.answers
    )


def check_asking_ahead_changes_nothing(
    source: SourceQuestion, rule: str, ahead: int, whole: Questions
) -> None:
    """Guessed calls are asked for nothing at worst: items, calls and answers are those of one call at a
    time."""

    class Forgetful(RuleOracle):
        """Knows an answer only after it was asked, as a model does."""

        def __init__(self, name: str) -> None:
            super().__init__(name)
            self.told: dict[object, object] = {}

        def recall(self, call):  # type: ignore[no-untyped-def]
            return (self.told[call],) if call in self.told else None

        def ask(self, calls, attempt=0):  # type: ignore[no-untyped-def]
            answers = super().ask(calls, attempt)
            assert len(calls) <= ahead or not isinstance(calls[0], JudgeCall)
            self.told.update(zip(calls, answers, strict=True))
            return answers

    guessed = build_paper([source], Forgetful(rule), RuleOracle(rule), WORDING, ahead=ahead)
    assert guessed.items.equals(whole.items)
    assert guessed.calls == whole.calls
    assert ahead > 1 or guessed.ahead == 0


def check_strict_items_are_questions_with_one_right_letter(source: SourceQuestion, built: Questions) -> None:
    """Options are distinct to a reader, one is the culture's own, and the wrong ones are not, by words or by
    verdict."""
    own = {
        country: {choosing.folded(text) for group in groups for text in group.variants}
        for country, groups in source.groups.items()
    }
    ids = built.items["MCQID"].to_list()
    assert len(ids) == len(set(ids))
    for row in built.items.iter_rows(named=True):
        options, countries = json.loads(row["choices"]), json.loads(row["choice_countries"])
        assert list(options) == list("ABCD") == list(countries)
        assert len({choosing.folded(text) for text in options.values()}) == 4
        mine = [letter for letter, text in options.items() if choosing.folded(text) in own[row["country"]]]
        assert mine == [row["answer_idx"]]
        assert countries[row["answer_idx"]] == row["country"]
        given_by = [country for country in countries.values() if country != "dummy"]
        assert len(given_by) == len(set(given_by))


def check_it_does_not_depend_on_how_pairs_are_put_to_the_judge(
    source: SourceQuestion, rule: str, batch: int, grouped: Questions
) -> None:
    """One pair at a time, many at a time, or a question's answers in groups."""
    assert build(source, "strict", rule, pairs_per_call=batch).items.equals(grouped.items)
    assert grouped.judge_calls <= 1


def check_what_was_judged_is_a_set(source: SourceQuestion, random: Random) -> None:
    """The order in which a country's answers stand changes none of the pairs."""
    shuffled = {
        country: tuple(random.sample(groups, len(groups))) for country, groups in source.groups.items()
    }
    other = SourceQuestion(source.question, source.text, source.form, source.texts, shuffled)
    assert sorted(choosing.meanings(other).open_pairs()) == sorted(choosing.meanings(source).open_pairs())


def check_right_letters_are_answers_of_the_country(source: SourceQuestion, whole: Questions) -> None:
    for row in whole.items.iter_rows(named=True):
        options = json.loads(row["choices"])
        votes = {group.variants[0]: group.count for group in source.groups[row["country"]]}
        assert votes[options[row["answer_idx"]]] == max(votes.values())
        assert all(fits(text, source.form) or text.startswith("dummy") for text in options.values())


def question(**answers: list[tuple[str, int]]) -> SourceQuestion:
    text = "What is it in your country?"
    groups = {
        country: tuple(AnswerGroup((answer,), count) for answer, count in pairs)
        for country, pairs in answers.items()
    }
    return SourceQuestion("Q-1", text, form_of(text), dict.fromkeys(groups, text), groups)


def test_what_strict_mends() -> None:
    """A repeated answer keeps its votes, "tea" is not in "steak", capitals do not matter, and empty answers
    block nothing."""
    source = question(
        UK=[("tea", 4), ("", 3), ("tea", 1)], Spain=[("steak", 5)], Iran=[("Tea", 3), ("rice", 2)]
    )
    choices = choosing.meanings(source).choose(frozenset())
    assert choices["UK"] == OptionSet(("tea",), {"Spain": "steak", "Iran": "rice"})
    chosen = choosing.choose(source, Memory(), lambda _call: False)
    assert chosen["UK"].wrong == {}  # the empty answer is in every other one
    assert chosen["UK"].right == ("",)  # and the second count of tea is the one that stays


def test_strict_has_the_most_frequent_answers_right_and_no_other() -> None:
    source = question(UK=[("tea", 4), ("milk", 4), ("cola", 3)], Spain=[("steak", 5)])
    assert choosing.meanings(source).right == {"UK": ("tea", "milk"), "Spain": ("steak",)}


def test_no_judge_is_asked_whether_equal_words_mean_the_same() -> None:
    source = question(UK=[("tea", 3), ("soup", 3)], Iran=[("Tea", 3)])
    assert choosing.meanings(source).open_pairs() == [("soup", "tea")]


def test_most_frequent_answers_without_the_form_leave_a_country_without_questions() -> None:
    text = "How many in your country? (Arabic numerals)"
    groups = {"UK": (AnswerGroup(("some",), 5), AnswerGroup(("4",), 2)), "Spain": (AnswerGroup(("3",), 5),)}
    source = SourceQuestion("Q-1", text, form_of(text), dict.fromkeys(groups, text), groups)
    for profile in ("paper", "strict"):
        built = build(source, profile)
        assert built.items["country"].unique().to_list() == ["Spain"]
        assert list(built.left_out) == ["Q-1 UK"]


@pytest.mark.parametrize(
    ("answers", "target", "settled"),
    [
        (("3", "4.0"), "4", True),
        (("3",), "12", False),
        (("3", "three"), "4", None),
        (("12/25",), "12/24", False),
        (("07:00",), "07:00", True),
        (("tea",), "steak", None),
    ],
)
def test_numbers_dates_and_times_need_no_judge(
    answers: tuple[str, ...], target: str, settled: bool | None
) -> None:
    assert settled_by_form(answers, target) is settled


def test_forms() -> None:
    assert form_of("When? (Provide in MM/DD format)") is AnswerForm.DATE
    assert [fits(text, AnswerForm.TIME) for text in ("07:00", "7:00", "07:00 am")] == [True, False, False]


def test_made_up_options_are_new_to_everybody() -> None:
    assert usable(["Moon ", "moon", "TEA", "", "Sun"], ["tea"]) == ("moon", "sun")


def test_every_combination_is_an_item_and_ids_run_on() -> None:
    source = question(UK=[("a b", 3)], Spain=[("c", 3)])
    wrong = {f"country {letter}": letter for letter in "vwxyz"}
    rows = list(
        items_of(source, {"UK": OptionSet(("a b",), wrong), "Spain": OptionSet(("c",), wrong)}, (), WORDING)
    )
    assert [row[0] for row in rows] == [
        f"Q-1_{number}" for number in range(2 * len(list(combinations(range(5), 3))))
    ]
    built = table(rows)
    assert built["choices"].n_unique() == 20
    assert built["prompt"][0] == "What is it in your country?\n\nA. a b\nB. v\nC. w\nD. x\n\nSay a letter."
