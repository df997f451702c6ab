"""The JSON schema of recipes, for editors: made of the options of ``folkways run``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from folkways.benchmarks.suites import LISTS
from folkways.cli.recipe import about, keys
from folkways.runs.options import KNOWN_WORDS, SETTING_TYPES, SETTING_WORDS

NAMED_VALUES = ("settings", "releases", "bert-models")
"""Keys that the command line repeats as NAME=VALUE and a recipe may write as a table."""

JSON_TYPES: Mapping[type, str] = {int: "integer", float: "number", str: "string", bool: "boolean"}


def _type_of(parameter: click.Parameter) -> type:
    return {"integer": int, "float": float, "boolean": bool}.get(parameter.type.name.split()[0], str)


def json_schema(run: click.Command) -> dict[str, Any]:
    """The JSON Schema (2020-12) of recipes, for editors. run: ``folkways run``, whose options are the
    keys."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Recipe of folkways run",
        "type": "object",
        "properties": {
            key: {"description": about(parameter), **_schema_of(key, parameter)}
            for key, parameter in keys(run).items()
        },
        "additionalProperties": False,
    }


def _schema_of(key: str, parameter: click.Parameter) -> dict[str, Any]:
    settings = {name: _schema_of_setting(name, kind) for name, kind in SETTING_TYPES.items()}
    text = {"type": "string"}
    if key == "models":
        deployment = {
            "serve": {"type": "string", "pattern": r"\{port\}"},
            "gpus": {
                "anyOf": [
                    {"type": "integer", "minimum": 0},
                    {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
                ]
            },
            "copies": {"type": "integer", "minimum": 1},
        }
        properties = {"name": text, **settings, **deployment}
        return _names_or_tables(properties)
    if key == "tasks":
        words = {"type": ["string", "array"], "items": text}
        own_keys = {"name": text, "limit": {"type": "integer", "minimum": 1}, **dict.fromkeys(LISTS, words)}
        return _names_or_tables(own_keys)
    if key == "settings":
        return {"type": "object", "properties": settings, "additionalProperties": False}
    if key == "prompts":
        return {
            "type": ["string", "object"],
            "additionalProperties": {"type": ["string", "object"], "additionalProperties": text},
        }
    if key == "treatments":
        return {"type": ["string", "array", "object"], "items": text, "additionalProperties": _TREATMENT}
    if key in NAMED_VALUES:
        return {"type": ["string", "array", "object"], "items": text, "additionalProperties": text}
    if parameter.metavar == "LIST":
        return {"type": ["string", "array"], "items": text}
    if isinstance(parameter.type, click.Choice):
        return {"enum": list(parameter.type.choices)}
    bounds = {
        name: getattr(parameter.type, end, None) for name, end in (("minimum", "min"), ("maximum", "max"))
    }
    return {
        "type": JSON_TYPES[_type_of(parameter)],
        **{name: bound for name, bound in bounds.items() if bound is not None},
    }


def _names_or_tables(properties: Mapping[str, Any]) -> dict[str, Any]:
    """A name, or a list of names and of tables with these keys, of which ``name`` is needed."""
    text = {"type": "string"}
    table = {"type": "object", "properties": properties, "required": ["name"], "additionalProperties": False}
    return {"anyOf": [text, {"type": "array", "items": {"anyOf": [text, table]}}]}


_TREATMENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "system": {"type": ["string", "object"], "additionalProperties": {"type": "string"}},
        "prompt": {"type": ["string", "object"], "additionalProperties": {"type": "string"}},
        "texts": {"type": "string"},
        "digest": {"type": "string"},
        "placebos": {"type": "array", "items": {"type": "string"}},
        "crossed": {"enum": [True, False, "all"]},
    },
    "additionalProperties": False,
}


def _schema_of_setting(name: str, kind: type) -> dict[str, Any]:
    if name in SETTING_WORDS:
        return {"enum": [*SETTING_WORDS[name], "none"]}
    if name in KNOWN_WORDS:
        other = {"type": "string", "pattern": "^([a-z]+|[0-9]{1,9})$"}
        return {"anyOf": [{"enum": [*KNOWN_WORDS[name], "none"]}, {"type": "integer", "minimum": 0}, other]}
    return {"type": sorted({JSON_TYPES[kind], "string"})}
