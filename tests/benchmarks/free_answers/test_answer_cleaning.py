"""What is left of a reply: the authors' cleaning, quirks included, and ours."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.free_answers.matching import answers_in, clean_as_paper, clean_strictly
from folkways.benchmarks.xcr.adaptation_reader import read_adaptation
from folkways.endpoints.clean import thoughts_apart

PROMPT = "One word.\n\nQuestion: what is drunk?\nAnswer:"


@pytest.mark.parametrize(
    ("reply", "cleaned"),
    [
        ("Tea.", "tea"),
        (PROMPT + " Tea", "tea"),
        ("Answer: Tea", "tea"),
        ("Answer:tea", "answer:tea"),  # no space: kept
        ("Final answer: tea", "final answer: tea"),
        (
            "Answer: tea. Another answer: milk",
            "tea. another  milk",
        ),  # every "answer:" goes once the first does
        ("Drinks: tea", "drinks: tea"),  # not a word of the prompt
        ("Tea，milk、water。", "tea,milk,water"),
        ("  ...tea..  ", "tea"),
        ("...", ""),
    ],
)
def test_the_authors_cleaning(reply: str, cleaned: str) -> None:
    assert clean_as_paper(reply, PROMPT) == cleaned


@pytest.mark.parametrize(
    ("reply", "cleaned"),
    [
        ("**Answer:** Tea.", "Tea"),
        ("Answer:Tea", "Tea"),
        ("18:00", "18:00"),
        ("Drinks: tea", "Drinks: tea"),
        ("“Tea”", "Tea"),
        (PROMPT + " Tea", "Tea"),
        ("1. Five breaks.\n2. Six breaks.\n3.", "Five breaks.\n Six breaks"),
        ("Breaks:\n**1.** 4\n**2)** 5", "Breaks:\n 4\n 5"),
        ("1. Bundesliga", "1. Bundesliga"),
        ("1. Bundesliga\n3. Liga", "1. Bundesliga\n3. Liga"),
        ("2. May\n3. June", "2. May\n3. June"),
        ("1.5\n2.5", "1.5\n2.5"),
    ],
)
def test_strict_cleaning(reply: str, cleaned: str) -> None:
    assert clean_strictly(reply, PROMPT) == cleaned


def test_a_word_of_the_prompt_is_a_label_even_where_it_was_none() -> None:
    assert clean_strictly("Drink: tea", "Name a drink.") == "tea"


def test_a_time_is_no_label_even_if_its_hour_is_in_the_prompt() -> None:
    assert clean_strictly("18:00", "When, 18:00 or later?") == "18:00"


@pytest.mark.parametrize(
    ("reply", "answers"),
    [
        ("tea", ["tea"]),
        ("tea, milk and water", ["tea", "milk and water"]),
        ("1. tea\n2. milk", ["tea", "milk"]),
        ('["tea", "milk"]', ["tea", "milk"]),
        *((f"茶{mark} 牛奶", ["茶", "牛奶"]) for mark in ",，、､،፣;；؛፤\n"),
        *((f"1{mark}茶\n2{mark}牛奶", ["茶", "牛奶"]) for mark in "、,，"),
        ("10、11", ["10", "11"]),
        ("1,000 won", ["1,000 won"]),
        ("", []),
    ],
)
def test_answers_of_a_list(reply: str, answers: list[str]) -> None:
    assert answers_in(reply) == answers


@given(st.text(), st.text())
def test_strict_cleaning_leaves_no_outer_space_and_the_authors_no_capitals(reply: str, prompt: str) -> None:
    assert clean_strictly(reply, prompt) == clean_strictly(reply, prompt).strip()
    assert clean_as_paper(reply, prompt).lower() == clean_as_paper(reply, prompt)


def _as_stated(reply: str) -> list[str]:
    """``answers_in`` by patterns that state what goes, and try every place of a reply."""
    dress, brackets = r"""[\s*_`"'“”‘’.。]+""", r"[\s\[\](){}]+"

    def bare(outer: str, text: str) -> str:
        return re.sub(rf"\A{outer}|{outer}\Z", "", text)

    lines = re.sub(r"^\s*\d{1,2}[、,，](?=[^\W\d])", "", bare(brackets, reply), flags=re.MULTILINE)
    parts = re.split(r"\n|[;；؛፤、､،፣]|[,，](?!\d)", lines)
    marked = (re.sub(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+", "", part) for part in parts)
    return [part for part in (bare(dress, bare(brackets, each)) for each in marked) if part]


@given(st.text("a茶1. \n\t\r\u2028,、*_\"'[](){}-"))
def test_answers_are_those_of_the_stated_patterns(reply: str) -> None:
    assert answers_in(reply) == _as_stated(reply)


@pytest.mark.parametrize("filler", [" ", "\n", "\t\n", ".", "* ", "]", "{", '"', "1、", "<think>", "<"])
def test_a_reply_of_a_model_that_repeats_itself_is_read_at_once(filler: str) -> None:
    """Some write one character to the end of their budget, and a word after it: reading that took minutes."""
    reply = "tea" + filler * (60_000 // len(filler)) + "!"
    began = time.process_time()
    clean_strictly(reply, PROMPT)
    answers_in(reply)
    thoughts_apart(f"<think>x</think>{reply}")
    read_adaptation("<" + reply.removeprefix("tea"))
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    "reply",
    [
        "tea<|im_end|>\n<|im_start|>user\nAnd wine?<|im_end|>\n<|im_start|>assistant\nwine",
        "<|im_start|>user\nWhat?<|im_end|>\n<|im_start|>assistant\ntea<|im_end|>",
        "<|assistant|>\ntea<|user|>\nwine",
        "tea</s><s>[INST] wine? [/INST] wine",
        "tea</s>",
        "[gMASK]<sop><|user|>\nWhat?<|assistant|>\ntea",
        "<start_of_turn>model\ntea<end_of_turn>",
    ],
)
def test_strictly_read_answers_are_those_of_the_first_turn(reply: str) -> None:
    assert clean_strictly(reply, "What?") == "tea"
