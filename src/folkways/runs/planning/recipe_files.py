"""A recipe file as the options of ``folkways.run``. The command line reads the same files as values of its own options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from folkways.benchmarks.suites import task_text
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.runs.keywords import RunKeywords
from folkways.runs.options import DeployedModel, Deployment
from folkways.runs.scores.scoring_models import BERT, EMBEDDING
from folkways.toml_files import read_toml, read_toml_text

SUFFIX = ".toml"
OF_RUN = ("models", "workspace", "profile", "name")
ELSEWHERE = ("report", "device", "text-tools")
"""Keys of what ``folkways run`` does beyond asking and scoring: a report, and where scoring models compute."""


def is_recipe(tasks: Any) -> bool:
    """Whether it is the name of a recipe file."""
    return isinstance(tasks, (str, Path)) and str(tasks).endswith(SUFFIX)


def of_recipe(path: str | Path) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Tasks of a recipe, and its other values by the names of the arguments of ``folkways.run``. DataError for an unknown key."""
    path = Path(path)
    _, table = read_toml_text(path, "recipe; write one with: folkways init")
    tasks = table.pop("tasks", [])
    values: dict[str, Any] = {}
    try:
        for key, value in table.items():
            values |= _read(key, value)
        return tuple(map(task_text, tasks if isinstance(tasks, list) else [tasks])), _together(values)
    except FolkwaysError as error:
        raise DataError(str(error), file=path) from None


def _read(key: str, value: Any) -> dict[str, Any]:
    name = key.replace("-", "_")
    if key in ELSEWHERE:
        return {}
    if key == "models":
        return {"models": [_model(entry) for entry in (value if isinstance(value, list) else [value])]}
    if key == "read":
        return {"read": value}
    if key == "prompts":
        return {"prompt_texts": _texts(value if isinstance(value, dict) else read_toml(Path(value), "prompts file"))}
    if key == "releases" and isinstance(value, list):
        return {"releases": dict(part.split("=", 1) for part in value)}
    if key == "max-failed":
        return {"max_failed": value / 100}
    if key == "embedding-model":
        return {"embedding": value}
    if key == "bert-models":
        pairs = value.items() if isinstance(value, dict) else (part.split("=", 1) for part in value)
        return {"berts": {f"{BERT}{language}": model for language, model in pairs}}
    if key == "precision":
        return {"scoring_precision": value}
    if name not in RunKeywords.__annotations__ and key not in OF_RUN:
        valid = {known.replace("_", "-") for known in RunKeywords.__annotations__} | {*OF_RUN, *ELSEWHERE, "tasks"}
        raise UnknownNameError("key", key, valid)
    return {name: value}


def _together(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with those put together that a recipe has apart: how a model is read, and the scoring models."""
    found = dict(values)
    if read := found.pop("read", None):
        found["settings"] = {**found.get("settings", {}), "read": read}
    scoring = {EMBEDDING: found.pop("embedding", None), **found.pop("berts", {})}
    if any(scoring.values()):
        found["scoring_models"] = {role: model for role, model in scoring.items() if model}
    return found


def _model(entry: Any) -> str | DeployedModel:
    if not isinstance(entry, dict):
        return str(entry)
    if "name" not in entry:
        raise FolkwaysError('a model in a table needs its name: { name = "openai/gpt-4o-mini", temperature = 1 }')
    placed = {field.name for field in fields(Deployment)}
    pairs = [f"{name}={value}" for name, value in entry.items() if name != "name" and name not in placed]
    name = "?".join(filter(None, (entry["name"], "&".join(pairs))))
    deployment = {key: value for key, value in entry.items() if key in placed}
    return DeployedModel(name, Deployment(**deployment)) if deployment else name


def _texts(table: Mapping[str, Any]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for key, entry in table.items():
        texts |= {f"{key}:{name}": text for name, text in entry.items()} if isinstance(entry, dict) else {key: entry}
    return texts
