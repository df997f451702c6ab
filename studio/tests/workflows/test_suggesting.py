"""What a model is asked for a suggestion, how its reply is read whatever it says, and how what became of it
is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.stages.base import COMMON_OPTIONS
from folkways_studio.stages.fields import plain
from folkways_studio.stages.registry import stage_kind
from folkways_studio.workflows.suggesting import SUGGESTERS, outcome

GROUPS, LOCAL, ENGLISH = (SUGGESTERS[kind] for kind in ("group_answers", "localise", "collect_question"))
CONTENT = {
    "local": "무엇을 먹나요?",
    "english": "What do people eat?",
    "answers": {"a": ["떡국", "밥"], "b": ["떡국", "떡 국"], "c": ["{answers} 7"]},
}
"""In order of people who gave them: 떡국, 밥, 떡 국, {answers} 7."""


def test_answers_are_numbered_as_people_wrote_them_and_stand_in_no_other_place() -> None:
    prompt = GROUPS.prompt(CONTENT, {}, "South Korea", "Korean")
    assert "1. 떡국\n2. 밥\n3. 떡 국\n4. {answers} 7\n" in prompt
    assert "South Korea" in prompt and "무엇을 먹나요?" in prompt and "What do people eat?" in prompt
    for count in (1, 121):
        with pytest.raises(ConflictError, match="for 2 to 120 different answers"):
            GROUPS.prompt(with_answers(count), {}, "South Korea", "Korean")
    for count in (2, 120):
        assert f"\n{count}. " in GROUPS.prompt(with_answers(count), {}, "South Korea", "Korean")


def with_answers(count: int) -> dict[str, object]:
    return {**CONTENT, "answers": {"a": [f"answer {number}" for number in range(count)]}}


@pytest.mark.parametrize(
    ("reply", "groups", "invalid"),
    [
        (
            {
                "groups": [
                    {"answers": [1, 3], "english": ["rice cake soup; tteokguk", " "]},
                    {"answers": [2], "english": "rice"},
                ],
                "invalid": [4],
            },
            [(["떡국", "떡 국"], ["rice cake soup, tteokguk"]), (["밥"], ["rice"])],
            ["{answers} 7"],
        ),
        # Numbers that are none, that were given before or that are left out: every answer still has its
        # place, once.
        (
            {"groups": [{"answers": [3, 3, 99, "1", True, None]}, 7, {"answers": [3]}, {}], "invalid": "2"},
            [(["떡국"], []), (["밥"], []), (["떡 국"], []), (["{answers} 7"], [])],
            [],
        ),
    ],
)
def test_groups_are_read_by_their_numbers(reply: Any, groups: Any, invalid: list[str]) -> None:
    found = GROUPS.read(f"Here you are:\n```json\n{json.dumps(reply)}\n```", CONTENT)
    assert found is not None
    assert [(group["answers"], group["en_answers"]) for group in found["groups"]] == groups
    assert found["invalid"] == invalid


ODD = st.none() | st.booleans() | st.integers(-1, 5) | st.sampled_from(["1", "rice", ""])
LISTS = st.lists(ODD, max_size=4)
ENTRIES = st.fixed_dictionaries({}, optional={"answers": ODD | LISTS, "english": ODD | LISTS})


@example({"groups": [{"answers": [1, 3, 1], "english": ["rice", None]}, {"answers": "4"}], "invalid": [2, 2]})
@given(
    st.fixed_dictionaries(
        {}, optional={"groups": ODD | st.lists(ENTRIES | ODD, max_size=4), "invalid": ODD | LISTS}
    )
)
def test_whatever_a_model_says_every_answer_ends_in_one_place(said: Any) -> None:
    found = GROUPS.read(json.dumps(said), CONTENT)
    if found is None:
        return
    kind = stage_kind("group_answers")
    whole = {
        **found,
        "groups": [{**group, "en_answers": group["en_answers"] or ["?"]} for group in found["groups"]],
    }
    kind.validate(whole, CONTENT, {})  # raises where an answer is missing or in two places
    assert GROUPS.lines(found)


@pytest.mark.parametrize(
    "reply", ["", "No.", "{", "[]", '{"groups": []}', '{"groups": {}, "invalid": [1]}', '{"translation": 7}']
)
def test_a_reply_without_a_suggestion_is_none(reply: str) -> None:
    assert GROUPS.read(reply, CONTENT) is None
    assert LOCAL.read(reply, {}) is None


def test_translations_go_into_the_field_that_lacks_one() -> None:
    content = {"template": "What do people in your country eat?"}
    assert content["template"] in LOCAL.prompt(content, {}, "South Korea", "Korean")
    assert LOCAL.read('{"translation": " 무엇을\\n먹나요? "}', content) == {"local": "무엇을 먹나요?"}
    assert LOCAL.read(json.dumps({"translation": "x" * 500}), content) == {"local": "x" * 500}
    assert LOCAL.read(json.dumps({"translation": "x" * 501}), content) is None
    assert "무엇을" in ENGLISH.prompt({}, {"question": "무엇을 먹나요?"}, "South Korea", "Korean")
    assert ENGLISH.read('{"translation": "What?"}', {}) == {"english": "What?"}
    with pytest.raises(SubmissionError):
        ENGLISH.prompt({}, {"question": " "}, "South Korea", "Korean")


def became(kind: str, suggested: dict[str, Any], answer: dict[str, Any], **taken: bool) -> Any:
    options = {**COMMON_OPTIONS, **stage_kind(kind).settings}
    config = {name: option.default for name, option in options.items()}
    parts = (stage_kind(kind).answer_parts(each, {"options": "abcd"}, config) for each in (suggested, answer))
    return outcome(*parts, **taken)


@pytest.mark.parametrize(
    ("kind", "suggested", "answer", "word", "parts", "unchanged"),
    [
        ("vote", {"choices": [1]}, {"choices": [1], "abstain": None}, "accepted", 1, 1),
        ("vote", {"choices": [1, 2]}, {"choices": [1], "abstain": None}, "changed", 2, 1),
        ("vote", {"choices": [1]}, {"choices": [1, 2], "abstain": None}, "changed", 1, 1),
        ("vote", {"choices": [1]}, {"choices": [2], "abstain": None}, "rejected", 1, 0),
        ("vote", {"choices": [1]}, {"choices": [], "abstain": "dont_know"}, "rejected", 1, 0),
        ("tag_spans", {"spans": []}, {"spans": []}, "accepted", 0, 0),
        ("tag_spans", {"spans": []}, {"spans": [[0, 2]]}, "rejected", 0, 0),
        ("tag_spans", {"spans": [[0, 2], [4, 5]]}, {"spans": [[0, 2]]}, "changed", 2, 1),
        ("label_item", {"level": "Visible"}, {"level": "Visible", "category": "x"}, "accepted", 1, 1),
        ("label_item", {"level": "Visible", "element": "e"}, {"level": "Visible"}, "changed", 2, 1),
        ("localise", {"local": "the cat and the dog"}, {"local": "The cat and a dog"}, "changed", 5, 4),
        ("localise", {"local": "the the"}, {"local": "the"}, "changed", 2, 1),
        ("localise", {"local": "dog bites man"}, {"local": "man bites dog"}, "changed", 3, 3),
        ("localise", {"local": "吃什么"}, {"local": "吃甚么"}, "changed", 3, 2),
        ("localise", {"local": "What?"}, {"local": "Who!"}, "rejected", 1, 0),
        ("localise", {"local": "What?"}, {"english": "What?"}, "rejected", 1, 0),
    ],
)
def test_what_a_form_began_with_is_told_by_what_is_left_of_it(
    kind: str, suggested: Any, answer: Any, word: str, parts: int, unchanged: int
) -> None:
    assert became(kind, suggested, answer) == (word, parts, unchanged)


@given(st.text(max_size=30), st.text(max_size=30))
def test_a_text_is_accepted_as_it_is_alone_and_no_more_is_kept_than_there_was(one: str, other: str) -> None:
    word, parts, unchanged = became("localise", {"local": one}, {"local": other})
    assert 0 <= unchanged <= parts
    assert (word == "accepted") == (plain(one) == plain(other))
    assert word != "accepted" or unchanged == parts
    assert became("localise", {"local": one}, {"local": one})[:2] == ("accepted", parts)


def test_what_became_of_a_suggestion_is_told_by_its_parts() -> None:
    suggested = {
        "groups": [{"answers": ["a", "b"], "en_answers": ["One"]}, {"answers": ["c"], "en_answers": ["two"]}],
        "invalid": ["d"],
    }
    same = {
        "groups": [
            {"answers": ["c"], "en_answers": ["two"]},
            {"answers": ["b", "a"], "en_answers": ["one "]},
        ],
        "invalid": ["d"],
    }
    other = {
        "groups": [{"answers": ["a"], "en_answers": ["One"]}, {"answers": ["b", "d"], "en_answers": ["b"]}],
        "invalid": ["c"],
    }
    mended = {**same, "invalid": [], "groups": [*same["groups"], {"answers": ["d"], "en_answers": ["dee"]}]}
    groups = "group_answers"
    assert became(groups, suggested, same, taken=True) == ("accepted", 3, 3)
    assert became(groups, suggested, mended, taken=True) == ("changed", 3, 2)
    assert became(groups, suggested, other, taken=True) == ("changed", 3, 0)
    assert became(groups, suggested, same, taken=False) == ("rejected", 3, 3)
    assert became("localise", {"local": "무엇"}, {"local": " 무엇 ", "english": "What?"}, taken=True) == (
        "accepted",
        1,
        1,
    )


def test_a_wording_has_a_version_of_its_own() -> None:
    assert len({each.version for each in SUGGESTERS.values()}) == len(SUGGESTERS)
