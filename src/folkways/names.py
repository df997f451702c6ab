"""What readers see in place of codes: cultures, languages, facets and endpoints by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from folkways.cultures import cultures, language_name, languages
from folkways.display import single_line
from folkways.records import is_baseline

WHOLE = "all"
"""Facet and value of the score over every counted item."""

FACET_TITLES = {
    "culture": "culture",
    "language": "language",
    "culture+language": "culture and language",
    "variant": "prompt variant",
    "csi": "culture-specific item",
    "hall": "Hall level",
    "hall_level": "Hall level",
    "gold_letter": "right letter",
    "part": "part of the country",
    "option_culture": "culture of a wrong option",
}


@cache
def culture_name(code: str) -> str:
    """The culture's name in English; the code itself where it is not one of ours."""
    culture = cultures().get(code)
    return culture.name if culture else code


@cache
def language_endonym(code: str) -> str:
    """The language's name in itself; empty where it is not one of ours."""
    language = languages().get(code)
    return language.endonym if language else ""


@cache
def local_languages(culture: str) -> tuple[str, ...]:
    """Codes of the languages that the culture is asked in, the usual one first."""
    entry = cultures().get(culture)
    return entry.languages if entry else ()


def facet_title(facet: str) -> str:
    """A facet's column name in words: ``work_life`` -> ``work life``."""
    return FACET_TITLES.get(facet) or " and ".join(
        FACET_TITLES.get(part, part.replace("_", " ")) for part in facet.split("+")
    )


def value_name(facet: str, value: str) -> str:
    """The name of one group of a facet: ``KR+ko`` -> ``South Korea, Korean``."""
    namers = {"culture": culture_name, "option_culture": culture_name, "language": language_name}
    parts = facet.split("+")
    values = value.split("+", len(parts) - 1)
    return single_line(
        ", ".join(namers.get(part, str)(code) for part, code in zip(parts, values, strict=False))
    )


REPLAY = "replay:"
RECORDED = r"(\.recorded)?\.(jsonl|ndjson|csv|tsv|parquet)$"
"""What follows the model's name in the file of a replay."""


def short_endpoint(endpoint: str) -> str:
    """What is left of an endpoint's name when provider and address are taken away, for the keys of charts.

    ``openai/gpt-4o-mini`` -> ``gpt-4o-mini``; ``http://host:8000/v1#org/llama`` -> ``llama``; baselines keep
    their kind: ``baseline/constant:X`` -> ``baseline constant:X``, and so do replies from a file, without its
    folder and endings: ``replay:runs/llama.recorded.jsonl`` -> ``replay llama``.
    """
    if is_baseline(endpoint):
        return endpoint.replace("/", " ", 1)
    if endpoint.startswith(REPLAY):
        file = re.split(r"[/\\]", endpoint.removeprefix(REPLAY))[-1]
        return f"replay {re.sub(RECORDED, '', file) or file}"
    name = endpoint.rsplit("#", 1)[-1] if endpoint.startswith(("http://", "https://")) else endpoint
    return name.rstrip("/").rsplit("/", 1)[-1] or endpoint


def plain_names(models: Iterable[str]) -> dict[str, str]:
    """Model -> its name without provider and address, unless two share it. Settings of its own stay: the
    same model may have been asked under others. Baselines keep their whole names."""
    models = tuple(models)
    short = short_endpoints(models)
    return {model: model if is_baseline(model) else short[model] for model in models}


def provider(endpoint: str) -> str:
    """Who serves it: ``openai`` of ``openai/gpt-4o-mini``, ``localhost:8000`` of an address; empty for a
    baseline."""
    if endpoint.startswith(("http://", "https://")):
        return endpoint.split("/")[2]
    return "" if is_baseline(endpoint) else endpoint.rpartition("/")[0]


def short_endpoints(endpoints: tuple[str, ...]) -> dict[str, str]:
    """Short name of each endpoint; those whose short names would be equal keep their whole names."""
    short = [single_line(short_endpoint(endpoint)) for endpoint in endpoints]
    return {
        endpoint: name if short.count(name) == 1 else single_line(endpoint)
        for endpoint, name in zip(endpoints, short, strict=True)
    }
