"""JSON in replies, whatever stands around it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.text.json_replies import last_value, objects_in


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"a": 1}', 1),
        ('Sure! ```json\n{"a": [1, 2]}\n``` done', [1, 2]),
        ('{"a": 1} no, rather {"a": 2}', 2),
        ('{"a": 1} {"b": 2}', 1),
        ('{broken {"a": 3}', 3),
        ('{"b": {"a": 1}}', None),
        ("none at all", None),
        ("{" * 5000, None),
        ("", None),
    ],
)
def test_the_last_object_that_has_the_key(reply: str, value: object) -> None:
    assert last_value(reply, "a") == value


@given(st.text(), st.dictionaries(st.text(), st.integers() | st.text()), st.text())
def test_an_object_is_found_whatever_is_written_after_it(
    before: str, value: dict[str, object], after: str
) -> None:
    assert value in list(
        objects_in(before.replace("{", "(").replace("}", ")") + json.dumps(value) + after.replace("{", "("))
    )
