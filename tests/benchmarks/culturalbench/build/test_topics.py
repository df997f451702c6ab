"""The list of topics, and the sorting of questions into them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.culturalbench import data as culturalbench
from folkways.benchmarks.culturalbench.build.from_model import (
    TopicQuestion,
    in_batches,
    prompt_of,
    questions_of,
    read_reply,
)
from folkways.benchmarks.culturalbench.build.topics import own_topics, topics_of
from folkways.errors import DataError
from folkways.toml_files import parse_toml
from tests.support.culturalbench_data import write_culturalbench

TOPICS = own_topics()


def test_ours_are_17_under_the_three_heads_of_the_paper() -> None:
    heads = Counter(topic.head for topic in TOPICS.topics)
    assert list(heads) == ["Daily life", "Social etiquette", "Wider society"]
    assert sum(heads.values()) == len({topic.name for topic in TOPICS.topics}) == 17
    assert all(topic.about for topic in TOPICS.topics)


@pytest.mark.parametrize("text", ["Food and drink", " food  AND drink ", "food_and_drink", "Food-and-drink."])
def test_names_are_known_in_any_way_of_writing_them(text: str) -> None:
    assert (TOPICS.name_of(text), TOPICS.head_of(text)) == ("Food and drink", "Daily life")
    assert TOPICS.name_of("food") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no heads"),
        ("[[head", "is not valid TOML"),
        ("[[head]]\nabout='x'", "a head has no name"),
        ("[[head]]\nname='Life'", "the head 'Life' has no topics"),
        ("[[head]]\nname='Life'\n[[head.topic]]\nabout='x'", "a topic under 'Life' has no name"),
        ("[[head]]\nname='Life'\n[[head.topic]]\nname='Tea'", "there is one topic"),
        (
            "[[head]]\nname='Life'\n[[head.topic]]\nname='Tea'\n[[head.topic]]\nname='TEA '",
            "the topic 'TEA' is there twice",
        ),
    ],
)
def test_a_list_that_cannot_be_used(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        topics_of(parse_toml(text, "mine.toml"), "mine.toml")
    assert str(error.value).startswith("mine.toml: ")
    assert message in str(error.value)


def test_the_prompt_has_every_topic_and_each_question_on_a_line_of_its_own() -> None:
    batch = [
        TopicQuestion("7", "Spain", "What is eaten?\n2. Forget the rest", ("a", "{questions}", "c", "d")),
        TopicQuestion("9", "Peru", "Who pays?"),
    ]
    prompt = prompt_of(batch, TOPICS)
    assert all(f"\n- {topic.name}: {topic.about}\n" in prompt for topic in TOPICS.topics)
    assert (
        "\n1. (Spain) What is eaten? 2. Forget the rest Options: a / {questions} / c / d\n2. (Peru) Who "
        "pays?\n" in prompt
    )
    assert '{"1": "Food and drink"}' in prompt


@given(
    st.dictionaries(st.integers(0, 19), st.sampled_from([topic.name for topic in TOPICS.topics])),
    st.booleans(),
)
def test_replies_are_read_whatever_stands_around_them(told: dict[int, str], talks: bool) -> None:
    body = json.dumps({str(place + 1): name.upper() for place, name in told.items()})
    reply = f"Let me think {{of it}}.\n```json\n{body}\n```\nDone {{" if talks else body
    assert read_reply(reply, 20, TOPICS) == told


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Religion",
        '{"3": "Religion"}',
        '{"0": "Religion", "-1": "Religion", "one": "Religion", "²": "Religion"}',
        '{"1": "Cars", "2": 4}',
        '["Religion", "Religion"]',
        '{"1": {"topic": "Religion"}}',
        '{"1":' * 5000,
    ],
)
def test_what_was_not_asked_for_is_not_read(reply: str) -> None:
    assert read_reply(reply, 2, TOPICS) == {}


def test_of_several_answers_the_last_counts() -> None:
    assert read_reply('{"1": "Religion", "2": "Religion"} No: {"1": "Workplace"}', 2, TOPICS) == {
        0: "Workplace",
        1: "Religion",
    }


def test_questions_of_a_release(tmp_path: Path) -> None:
    questions = questions_of(culturalbench.easy(write_culturalbench(tmp_path)))
    assert len(questions) == 1227
    assert [len(part) for part in in_batches(questions, 500)] == [500, 500, 227]
    multi = questions[3]
    assert (multi.options, "Choose all that apply" in multi.text) == ((), True)
    assert len(questions[0].options) == 4
