"""What a judge is sent, and what is read out of its replies."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.blend.build.calls import (
    Answer,
    Call,
    DummyCall,
    GroupsCall,
    JudgeCall,
    PairsCall,
    prompt_of,
)
from folkways.benchmarks.templates import wordings

JUDGE = JudgeCall("Q-1", ("football", 'the "game"'), "soccer {target}", "South_Korea", "US")
PAIRS = PairsCall("Q-1", "What?", (("tea", "chai"), ("rice", "bread")))
GROUPS = GroupsCall("Q-1", "What?", ("fruit", "apple", "banana"))
DUMMIES = DummyCall("Q-1", "What?", 2, ("tea",))


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (
            JUDGE,
            ("South Korea", "the US", '"football"; "the \\"game\\""', '"soccer {target}"', '{"same": true}'),
        ),
        (PAIRS, ("What?", "1. tea | chai\n2. rice | bread")),
        (GROUPS, ("What?", "1. fruit\n2. apple\n3. banana")),
        (DUMMIES, ("What?", "2 more wrong options", '"tea"')),
    ],
)
def test_prompts_have_every_part_of_a_call(call: Call, parts: tuple[str, ...]) -> None:
    assert [part for part in parts if part not in prompt_of(call)] == []
    assert call.kind in wordings("folkways.benchmarks.blend")["build"]


@pytest.mark.parametrize(
    ("call", "reply", "answer"),
    [
        (JUDGE, '{"same": true}', True),
        (JUDGE, 'Two names of one game.\n```json\n{"same": false}\n```', False),
        (JUDGE, '{"same": true} - no, wait: {"same": false}', False),
        (JUDGE, '{"same": "O"}', None),
        (JUDGE, "yes", None),
        (JUDGE, "", None),
        (PAIRS, '{"same": [1]}', frozenset({0})),
        (PAIRS, '{"same": []}', frozenset()),
        (PAIRS, '{"same": [3]}', None),
        (PAIRS, '{"same": [true]}', None),
        (PAIRS, '{"same": true}', None),
        (GROUPS, '{"groups": [[1, 2], [1, 3], []]}', (frozenset({0, 1}), frozenset({0, 2}))),
        (GROUPS, '{"groups": []}', ()),
        (GROUPS, '{"groups": [[0, 1]]}', None),
        (GROUPS, '{"groups": [1, 2]}', None),
        (DUMMIES, '{"options": ["Moon", "Sun"]}', ("Moon", "Sun")),
        (DUMMIES, '{"options": ["Moon", 3]}', None),
    ],
)
def test_replies(call: Call, reply: str, answer: Answer | None) -> None:
    assert call.read(reply) == answer


@given(st.text(), st.sampled_from([JUDGE, PAIRS, GROUPS, DUMMIES]))
def test_whatever_a_model_says_is_read_or_is_not(reply: str, call: Call) -> None:
    answer = call.read(reply + '{"same": [' * 3)
    assert answer is None or isinstance(answer, bool | frozenset | tuple)


@given(
    st.lists(st.lists(st.integers(1, 3), max_size=3), max_size=4), st.text(alphabet="ab {}[]\n`", max_size=20)
)
def test_groups_come_back_from_whatever_stands_around_them(groups: list[list[int]], noise: str) -> None:
    found = GROUPS.read(f"{noise.replace('{', '(')}{json.dumps({'groups': groups})}{noise.replace('{', '(')}")
    assert found == tuple(frozenset(number - 1 for number in group) for group in groups if group)
