"""What files for other programs take from a run's settings and signature."""

from __future__ import annotations

from typing import Any

import pytest

from folkways.integrations.stored_run import generation_arguments, signature_part


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ("temperature=0.0,max_tokens=16", {"temperature": 0.0, "max_tokens": 16}),
        ("temperature=0.7,top_p=0.95", {"temperature": 0.7, "top_p": 0.95}),
        ("max_tokens=16", {"max_tokens": 16}),
        ("top_p=1,max_tokens=8", {"top_p": 1.0, "max_tokens": 8}),
        ("seed=3,reasoning=low", {}),
        ("temperature=0.0+0.7,max_tokens=16", {"max_tokens": 16}),  # several sets
        ("temperature=0.2,max_tokens=16+32", {"temperature": 0.2}),
        ("", {}),
    ],
)
def test_each_setting_that_the_schema_names_is_told_whatever_others_are(
    settings: str, arguments: dict[str, Any]
) -> None:
    made = generation_arguments(settings)
    assert made == arguments
    assert {name: type(value) for name, value in made.items()} == {
        name: type(value) for name, value in arguments.items()
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [("task", "demo/mcq"), ("settings", "temperature=0.0"), ("prompts", "a:b"), ("ask", ""), ("set", "")],
)
def test_a_part_of_a_signature_is_found_by_its_whole_name(name: str, value: str) -> None:
    assert signature_part("task:demo/mcq|settings:temperature=0.0|prompts:a:b", name) == value
