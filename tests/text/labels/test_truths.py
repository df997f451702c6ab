"""The words that say true and false, yes and no: each of them, alone, after an answer, and against one."""

from __future__ import annotations

import pytest

from folkways.text.labels.truths import settled_truth, settled_word

TRUTH = {
    **dict.fromkeys(("true", "correct", "accurate"), 1),
    **dict.fromkeys(("false", "untrue", "incorrect", "wrong", "inaccurate"), -1),
}
ACCEPTANCE = {"acceptable": 1, "appropriate": 1, "unacceptable": -1, "inappropriate": -1}
ANSWERS = {"yes": 1, "yeah": 1, "yep": 1, "no": -1, "nope": -1}
FOLLOWERS = ("it", "this", "that", "the statement")
"""Behind these a yes or no that begins a clause is an answer."""


def truth(reply: str) -> int | None:
    return {"True": 1, "False": -1, None: None}[settled_truth(reply)]


def acceptance(reply: str) -> int | None:
    return {"Y": 1, "N": -1, None: None}[settled_word(reply, {"yes": "Y", "no": "N"})]


@pytest.mark.parametrize("dress", ["{}", "{}!", "**{}**", "It is {}.", "The answer is {}.", "the answer: {}"])
def test_every_word_says_what_it_says_and_the_opposite_denied(dress: str) -> None:
    said = {word: truth(dress.format(word)) for word in TRUTH}
    assert said == TRUTH
    assert {word: truth(f"It is not {word}.") for word in TRUTH} == {
        word: -sign for word, sign in TRUTH.items()
    }
    both = {**TRUTH, **ACCEPTANCE}
    assert {word: acceptance(dress.format(word)) for word in both} == both
    assert {word: acceptance(dress.format(word.title())) for word in both} == both
    assert {word: truth(dress.format(word)) for word in ACCEPTANCE} == dict.fromkeys(ACCEPTANCE)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("word", TRUTH)
def test_an_answer_and_a_word_count_once_together_and_against_each_other_not(answer: str, word: str) -> None:
    """In one clause; where the answer denies what the clause goes on to say, nothing is settled."""
    expected = TRUTH[word] if TRUTH[word] == ANSWERS[answer] else None
    denied = -TRUTH[word] if -TRUTH[word] == ANSWERS[answer] else None
    for follower in FOLLOWERS:
        assert truth(f"{answer} {follower} is {word}") == expected, follower
        assert acceptance(f"{answer} {follower} is {word}") == expected, follower
        assert truth(f"{answer} {follower} is not {word}") == denied, follower
    assert truth(f"It is {word} {answer}") == expected


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_alone_or_before_what_is_asked_of(answer: str) -> None:
    sign = ANSWERS[answer]
    assert truth(answer) == acceptance(answer.upper()) == sign
    for follower in (
        "it does",
        "this would",
        "that will do",
        "he does",
        "she may not mind",
        "they do",
        "I do",
        "the people do",
    ):
        expected = None if " may " in f" {follower} " else sign
        assert truth(f"{answer} {follower}") == expected, follower
    noun = sign if sign > 0 else None  # "no people" counts people
    assert truth(f"{answer} people bow there") == acceptance(f"{answer} people bow there") == noun
    assert truth(f"People there would never say {answer}") is None
    assert truth(f"I would say {answer}") == sign


@pytest.mark.parametrize(
    ("reply", "truth"),
    [
        ("It is true. Quite false.", None),
        ("It is true. Tea is false.", "True"),
        ("It is true. Well, well no.", None),
        ("It is true. Then again they say no.", "True"),
        ("It is true. My answer would then be no.", "False"),
        ("Is it true? I think so.", "True"),
        ("Is it false? I think so.", "False"),
        ("Is it true? I don't think so.", "False"),
        ("Is it false? I do not believe so.", "True"),
    ],
)
def test_what_follows_counts_where_it_is_short_or_speaks_of_the_question(
    reply: str, truth: str | None
) -> None:
    assert settled_truth(reply) == truth
