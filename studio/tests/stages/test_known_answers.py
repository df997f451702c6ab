"""How an answer is compared with the known one, for every kind of stage that has any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from folkways_studio.errors import SubmissionError
from folkways_studio.stages.fields import MOST_OF_OTHERS, shared
from folkways_studio.stages.registry import STAGE_KINDS, stage_kind
from folkways_studio.workflows.definition import read_definition
from studio.tests.support.studies import QUESTION, described

SENTENCE = {"sentence": "We spent Boxing Day at my aunt's.", "spans": [[9, 19]]}
REVIEW = {"question": "What?", "options": ["a", "b", "c", "d"]}
CASES: Mapping[
    str, tuple[Mapping[str, Any], Any, Mapping[str, Any], list[Mapping[str, Any]], list[Mapping[str, Any]]]
] = {
    # kind: content, a cell of a table, what is stored, payloads that are right, payloads that are not
    "vote": (
        QUESTION,
        "b D",
        {"choices": [1, 3]},
        [{"choices": [1, 3], "abstain": None, "comment": "hm"}],
        [
            {"choices": [1], "abstain": None},
            {"choices": [], "abstain": "dont_know"},
            {"choices": [0, 1, 3], "abstain": None},
        ],
    ),
    "survey_question": (
        {"text": "Choose rice here.", "options": ["bread", "rice"]},
        "b",
        {"answer": 1},
        [{"answer": 1, "no_answer": None}],
        [{"answer": 0, "no_answer": None}, {"answer": None, "no_answer": "dont_know"}],
    ),
    "review": (
        REVIEW,
        "drop",
        {"decision": "drop"},
        [{"decision": "drop", "reason": "x"}],
        [{"decision": "keep"}],
    ),
    "curate": (
        {"category": "Food", "english": "What?", "question": "What?"},
        {"decision": "duplicate", "of": "Q 1"},
        {"decision": "duplicate", "of": "Q 1"},
        [{"decision": "duplicate", "of": "q  1", "template": ""}],
        [{"decision": "duplicate", "of": "q2", "template": ""}],
    ),
    "localise": (
        {"template": "What do people eat in your country?", "category": "Food"},
        "무엇을 먹나요?",
        {"local": "무엇을 먹나요?"},
        [{"local": "무엇을  먹나요?", "english": "?"}],
        [{"local": "무엇을 마시나요?", "english": "?"}],
    ),
    "short_answers": (
        {"local": "?", "english": "?"},
        "Tostadas; churros",
        {"answers": ["Tostadas", "churros"]},
        [{"answers": ["leche", "TOSTADAS"], "no_answer": None}, {"answers": ["churros"], "no_answer": None}],
        [{"answers": ["leche"], "no_answer": None}, {"answers": [], "no_answer": "idk"}],
    ),
    "group_answers": (
        {"local": "?", "english": "?", "answers": {"p": ["a", "A", "x"]}},
        {"groups": [{"answers": ["a", "A"], "en_answers": ["a"]}], "invalid": ["x"]},
        {"groups": [{"answers": ["a", "A"], "en_answers": ["a"]}], "invalid": ["x"]},
        [{"groups": [{"answers": ["A", "a"], "en_answers": ["other"]}], "invalid": ["x"]}],
        [
            {
                "groups": [{"answers": ["a"], "en_answers": ["a"]}, {"answers": ["A"], "en_answers": ["a"]}],
                "invalid": ["x"],
            }
        ],
    ),
    "choose_best": (
        {"item": "x", "candidates": [{"text": "one"}, {"text": "two"}]},
        "b",
        {"best": "b"},
        [{"best": "b", "ratings": {}}],
        [{"best": "a", "ratings": {}}],
    ),
    "tag_spans": (
        SENTENCE,
        [[8, 19]],
        {"spans": [[9, 19]]},
        [{"spans": [[9, 19]]}],
        [{"spans": [[9, 15]]}, {"spans": [[0, 2]]}],
    ),
    "label_item": (
        SENTENCE,
        {"category": "Social Tradition"},
        {"category": "Social Tradition"},
        [{"category": "Social Tradition", "level": "Visible", "element": "x"}],
        [{"category": "Food", "level": "Visible", "element": "x"}],
    ),
    "adapt": (
        SENTENCE,
        {"strategies": ["neutral_term"]},
        {"strategies": ["neutral_term"]},
        [{"strategies": ["neutral_term"], "intra": "x", "inter": "y"}],
        [{"strategies": ["direct_equivalent"], "intra": "x", "inter": "y"}],
    ),
    "form": (
        {"text": "Guests take off their shoes."},
        {"answer": "At home, yes."},
        {"answer": "At home, yes."},
        [{"text": {"answer": "at home,  yes."}}],
        [{"text": {"answer": "No."}}, {}],
    ),
    "judge_answer": (
        {"question": "?", "reply": "rice"},
        "applicable",
        {"verdict": "applicable"},
        [{"verdict": "applicable", "flags": ["refusal"], "comment": ""}],
        [{"verdict": "incorrect", "flags": [], "comment": ""}],
    ),
}


def config_of(kind: str) -> Mapping[str, Any]:
    return read_definition(described([{"name": "it", "kind": kind}])).stages[0].config


def test_every_kind_with_known_answers_is_tested() -> None:
    assert set(CASES) == {name for name, kind in STAGE_KINDS.items() if kind.known_fields}


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ([], [], 1.0),
        ([[0, 4]], [[0, 4]], 1.0),
        ([[4, 6], [0, 2]], [[0, 2], [4, 6]], 1.0),
        ([[0, 4]], [[0, 2], [2, 4]], MOST_OF_OTHERS),
        ([[0, 4]], [[2, 6]], 1 / 3),
        ([[0, 4]], [], 0.0),
    ],
)
def test_marks_share_the_characters_that_are_in_both(
    first: list[list[int]], second: list[list[int]], share: float
) -> None:
    assert shared(first, second) == shared(second, first) == pytest.approx(share)


@pytest.mark.parametrize("name", list(CASES))
def test_an_answer_is_right_where_it_says_what_is_known(name: str) -> None:
    content, cell, stored, right, wrong = CASES[name]
    kind, config = stage_kind(name), config_of(name)
    content = kind.check_content(content, config)
    known = kind.check_known(kind.read_known(cell), content, config)
    assert known == stored
    lines = kind.describe_known(known, content, str)
    assert lines and all(lines)
    assert [kind.is_right(payload, known, 1.0) for payload in right] == [True] * len(right)
    assert [kind.is_right(payload, known, 1.0) for payload in wrong] == [False] * len(wrong)


@pytest.mark.parametrize("name", list(CASES))
def test_a_known_answer_that_cannot_be_is_refused(name: str) -> None:
    content, _, _, _, _ = CASES[name]
    kind, config = stage_kind(name), config_of(name)
    content = kind.check_content(content, config)
    for known in ({}, {"colour": "red"}, {kind.known_fields[0]: 7}):
        with pytest.raises(SubmissionError) as error:
            kind.check_known(known, content, config)
        assert set(error.value.problems) <= {"", "colour", kind.known_fields[0]}


def test_marks_may_be_compared_by_how_much_they_share() -> None:
    kind = stage_kind("tag_spans")
    known = {"spans": [[0, 10]]}
    assert kind.is_right({"spans": [[0, 8]]}, known, 0.8)
    assert not kind.is_right({"spans": [[0, 8]]}, known, 0.81)
    assert not kind.is_right({"spans": [[0, 4], [4, 10]]}, known, 1.0), "two marks are not one"
    assert not kind.is_right({"spans": []}, known, 0.01)
    assert shared([[2, 2]], []) == 0, "nothing shares nothing"
    assert shared([[0, 1]], [[0, 1], [0, 1]]) == MOST_OF_OTHERS, "the same characters, otherwise marked"


def test_what_is_known_is_told_in_words() -> None:
    assert stage_kind("vote").describe_known({"choices": [1]}, QUESTION, str) == ["rice"]
    assert stage_kind("judge_answer").describe_known({"flags": ["stereotypical"]}, {}, str) == [
        "Stereotypical"
    ]


@pytest.mark.parametrize(
    ("kind", "result", "known"),
    [
        ("vote", {"gold": [1], "mode": "single", "counts": [0, 5]}, {"choices": [1]}),
        ("vote", {"counts": [1, 1]}, {}),
        (
            "label_item",
            {"category": "a", "level": "b", "element": "c"},
            {"category": "a", "level": "b", "element": "c"},
        ),
        ("tag_spans", {"spans": [[0, 2]], "tagged": "x"}, {"spans": [[0, 2]]}),
        ("choose_best", {"sentence": "s", "best": "a", "by": "m"}, {"best": "a"}),
        ("judge_answer", {"label": 0.5, "flags": []}, {"verdict": "conditional"}),
        ("judge_answer", {"label": 0.75, "flags": []}, {}),
        ("review", {"question": "?", "options": []}, {"decision": "keep"}),
        ("short_answers", {"valid": 5, "idk": 0}, {}),
    ],
)
def test_what_a_decided_item_is_known_by(
    kind: str, result: Mapping[str, Any], known: Mapping[str, Any]
) -> None:
    assert stage_kind(kind).known_of(result) == known
