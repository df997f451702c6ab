"""Recipe files on the command line: every option of ``folkways run`` is a key, and the file's values are the
defaults. Also the JSON schema of recipes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from folkways.benchmarks.suites import LISTS
from folkways.errors import FolkwaysError
from folkways.runs.options import KNOWN_WORDS, SETTING_TYPES, SETTING_WORDS

SUFFIX = ".toml"

NAMED_VALUES = ("settings", "releases", "bert-models")
"""Keys that the command line repeats as NAME=VALUE and a recipe may write as a table."""

OF_MACHINES = ("on", "workers", "gpus", "serve")
"""Options about workers, which depend on the machine and are not part of a recipe."""

JSON_TYPES: Mapping[type, str] = {int: "integer", float: "number", str: "string", bool: "boolean"}


class TasksArgument(click.Argument):
    """TASK..., or one recipe file, whose values become the defaults of the command's options."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        # eager: the recipe decides the defaults of the options
        super().__init__(*args, is_eager=True, **attributes)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, Any]:
        """The names of tasks, from the command line or the recipe. FolkwaysError for both at once."""
        value, source = super().consume_value(ctx, opts)
        texts = value if isinstance(value, tuple) else ()
        if not any(name.endswith(SUFFIX) for name in texts):
            return value, source
        if len(texts) > 1:
            raise FolkwaysError(
                f"a recipe has its own tasks: name either a recipe or tasks, not both ({', '.join(texts)})"
            )
        ctx.default_map = read(Path(texts[0]), run_command(ctx))
        return ctx.default_map.get("tasks", ()), source


def run_command(ctx: click.Context) -> click.Command:
    """``folkways run``, from the context of any command of ``folkways``. LookupError if there is none."""
    root = ctx.find_root()
    command = root.command.get_command(root, "run") if isinstance(root.command, click.Group) else root.command
    if command is None:
        raise LookupError("the command line has no command 'run'")
    return command


def keys(run: click.Command) -> dict[str, click.Parameter]:
    """Key of a recipe -> the parameter of ``run`` (``folkways run``). Keys of repeatable options are in the
    plural."""
    parameters = {}
    for parameter in run.params:
        plural = isinstance(parameter, click.Argument) or parameter.multiple
        key = (
            str(parameter.name).replace("_", "-")
            if plural
            else max(parameter.opts, key=len).removeprefix("--")
        )
        if key not in OF_MACHINES:
            parameters[key] = parameter
    return parameters


def read(path: Path, run: click.Command) -> dict[str, Any]:
    """The values of a recipe by the names of the parameters of ``run`` (``folkways run``). DataError with
    file, line and key for anything invalid."""
    from folkways.runs.planning.recipe import read_recipe

    parameters = keys(run)
    return {
        str(parameters[key].name): ",".join(value) if parameters[key].metavar == "LIST" else value
        for key, value in read_recipe(path).items()
    }


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


def about(parameter: click.Parameter) -> str:
    """The help text of an option on one line."""
    of_tasks = "Tasks, benchmarks with all their tasks, or suites; in a table with settings of a task's own."
    return " ".join((getattr(parameter, "help", None) or of_tasks).split())


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
        table = {
            "type": "object",
            "properties": properties,
            "required": ["name"],
            "additionalProperties": False,
        }
        return {"anyOf": [text, {"type": "array", "items": {"anyOf": [text, table]}}]}
    if key == "tasks":
        words = {"type": ["string", "array"], "items": text}
        own_keys = {"name": text, "limit": {"type": "integer", "minimum": 1}, **dict.fromkeys(LISTS, words)}
        table = {
            "type": "object",
            "properties": own_keys,
            "required": ["name"],
            "additionalProperties": False,
        }
        return {"anyOf": [text, {"type": "array", "items": {"anyOf": [text, table]}}]}
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
