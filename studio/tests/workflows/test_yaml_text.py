"""Descriptions as text: comments stay."""

from __future__ import annotations

import pytest

from folkways.errors import DataError
from folkways_studio.workflows.templates import TEMPLATES, template_text
from folkways_studio.workflows.yaml_text import as_yaml, parse_yaml, with_settings


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_keeps_its_comments_when_its_settings_are_filled_in(name: str) -> None:
    before = parse_yaml(template_text(name))
    raw = {
        **before,
        "name": "mine",
        "title": "제목: 'x'",
        "populations": [{"name": "korea", "culture": "KR"}],
        "models": {"helper": "h"},
    }
    text = with_settings(template_text(name), raw)
    assert parse_yaml(text) == raw
    kept = [line for line in template_text(name).splitlines() if line.startswith("#")]
    assert kept and all(line in text for line in kept)
    assert with_settings(template_text(name), before) == template_text(name)


def test_a_description_that_nobody_wrote_reads_as_if_somebody_had() -> None:
    raw = {"title": "제목: é", "about": "word " * 17 + "word", "stages": [{"name": "verify", "answers": 2}]}
    assert as_yaml(raw) == (
        f"title: '제목: é'\nabout: {' '.join(['word'] * 18)}\nstages:\n- name: verify\n  answers: 2\n"
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("999999999999999", 10**15 - 1),
        ("-999999999999999", 1 - 10**15),
        ("0.5" + 96 * "0", 0.5),
        ("12:30", "12:30"),
        ("12:30.5", "12:30.5"),
        ("'2024-01-01'", "2024-01-01"),
    ],
)
def test_a_number_within_its_bounds_is_one_and_a_time_of_day_is_text(text: str, value: object) -> None:
    assert parse_yaml(f"a: {text}") == {"a": value}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1000000000000000", "at most 15 digits"),
        ("-1000000000000000", "at most 15 digits"),
        ("1" * 100, "at most 15 digits"),
        ("0.5" + 97 * "0", "fewer than 100 digits"),
        (".inf", "has to be finite"),
        ("2024-01-01", "a date is a text here"),
    ],
)
def test_a_value_that_a_description_cannot_hold_is_named(text: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        parse_yaml(f"a: {text}")
