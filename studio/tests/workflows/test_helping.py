"""What models in the loop are asked, and how what they say is read."""

from __future__ import annotations

import pytest

from folkways_studio.workflows.helping import helper_prompt, read_choice, read_suggestion, verifier_prompt

OPTIONS = '["tea", "rice", "bread", "soup"]'


@pytest.mark.parametrize(
    ("reply", "intended"),
    [
        (f'{{"question": "What?", "options": {OPTIONS}, "right": [2]}}', (1,)),
        (f'Sure!\n```json\n{{"question": "What?", "options": {OPTIONS}, "right": [4, 1]}}\n```', (0, 3)),
        (f'{{"question": "What?", "options": {OPTIONS}, "right": "B"}}', (1,)),
        (f'{{"question": "What?", "options": {OPTIONS}, "right": [9]}}', ()),
        (f'{{"question": "What?", "options": {OPTIONS}}}', ()),
        (
            '{"question": "What?", "options": {"A": "tea", "B": "rice", "C": "bread", "D": "soup"}, '
            '"right": ["a"]}',
            (0,),
        ),
        (
            '{"question": "What?", "options": ["A. tea", "(B) rice", "3) bread", "D: soup"], "right": [1]}',
            (0,),
        ),
    ],
)
def test_a_question_is_read_whatever_stands_around_it(reply: str, intended: tuple[int, ...]) -> None:
    found = {"question": "What?", "options": ["tea", "rice", "bread", "soup"], "intended": [*intended]}
    assert read_suggestion(reply) == found


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "No.",
        "{",
        '{"question": "What?"}',
        '{"question": "", "options": ["a", "b", "c", "d"]}',
        '{"question": "W", "options": ["a", "b", "c"]}',
        '["a"]',
        '{"question": 3, "options": ["a", "b", "c", "d"]}',
        '{"question": "W", "options": ["a", "", "c", "d"]}',
    ],
)
def test_what_holds_no_question_is_none(reply: str) -> None:
    assert read_suggestion(reply) is None


@pytest.mark.parametrize(
    ("reply", "choice"),
    [
        ("B", 1),
        ("b.", 1),
        ("The answer is (C).", 2),
        ("A or B", None),
        ("I cannot say", None),
        ("**D**", 3),
        ("", None),
    ],
)
def test_the_verifiers_letter(reply: str, choice: int | None) -> None:
    assert read_choice(reply) == choice


def test_braces_in_what_people_write_stay_as_they_are() -> None:
    scenario = "A note says {place} and {scenario}."
    assert scenario in helper_prompt(scenario, "Korea")
    asked = verifier_prompt("What is {options}?", ["a", "b", "c", "d"], "Korea")
    assert "{options}?" in asked and "right in Korea?" in asked
