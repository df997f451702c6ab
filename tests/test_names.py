"""What readers see in place of codes and addresses."""

from __future__ import annotations

import pytest

from folkways.names import (
    culture_name,
    facet_title,
    language_endonym,
    local_languages,
    plain_names,
    provider,
    short_endpoint,
    short_endpoints,
    value_name,
)

ENDPOINTS = {
    # endpoint: its short name, who serves it
    "openai/gpt-4o-mini": ("gpt-4o-mini", "openai"),
    "openrouter/meta/llama": ("llama", "openrouter/meta"),
    "http://host:8000/v1#org/llama": ("llama", "host:8000"),
    "https://host/v1#llama/": ("llama", "host"),
    "hf/org/name@abc": ("name@abc", "hf/org"),
    "hf/a#b": ("a#b", "hf"),
    "baseline/constant:A/B": ("baseline constant:A/B", ""),
    "replay:runs/llama.recorded.jsonl": ("replay llama", "replay:runs"),
    "replay:llama.parquet": ("replay llama", ""),
    "/": ("/", ""),
}


def test_an_endpoint_has_a_short_name_and_somebody_who_serves_it() -> None:
    assert {name: (short_endpoint(name), provider(name)) for name in ENDPOINTS} == ENDPOINTS


def test_a_short_name_that_two_would_have_is_taken_by_neither() -> None:
    names = ("http://a/v1#x\n", "http://b/v1#x\n", "openai/y", "google/z?temperature=1")
    assert list(short_endpoints(names).values()) == ["http://a/v1#x", "http://b/v1#x", "y", "z?temperature=1"]


def test_the_plainest_name_of_a_model_is_one_that_no_other_has_and_keeps_its_settings() -> None:
    assert plain_names(["baseline/first", "gguf/a?read=loglik"])["gguf/a?read=loglik"] == "a?read=loglik"
    names = {
        "openai/a?temperature=0.1@run-1": "a?temperature=0.1@run-1",
        "openai/a?temperature=0.1@run-2": "a?temperature=0.1@run-2",
        "openai/b?temperature=0.1": "b?temperature=0.1",
        "google/b?temperature=0.5": "b?temperature=0.5",
        "openai/c": "openai/c",
        "google/c": "google/c",
        "baseline/first": "baseline/first",
    }
    assert plain_names(names) == names


@pytest.mark.parametrize(
    ("facet", "title", "value", "name"),
    [
        ("culture", "culture", "KR", "South Korea"),
        ("culture", "culture", "XX", "XX"),
        ("language", "language", "ko", "Korean"),
        ("culture+language", "culture and language", "KR+ko", "South Korea, Korean"),
        (
            "option_culture+part",
            "culture of a wrong option and part of the country",
            "KR+a+b",
            "South Korea, a+b",
        ),
        ("work_life", "work life", "KR", "KR"),
        ("culture+work_life", "culture and work life", "KR", "South Korea"),
        ("topic", "topic", "Food\nand drink", "Food and drink"),
    ],
)
def test_a_facet_and_its_groups_have_names(facet: str, title: str, value: str, name: str) -> None:
    assert (facet_title(facet), value_name(facet, value)) == (title, name)


def test_codes_that_are_none_of_ours_are_shown_as_they_are() -> None:
    assert (culture_name("KR"), culture_name("XX")) == ("South Korea", "XX")
    assert (language_endonym("ko"), language_endonym("xx")) == ("한국어", "")
    assert (local_languages("KR"), local_languages("XX")) == (("ko",), ())
