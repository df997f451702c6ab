"""Recipes: a whole study in TOML, read for ``folkways run study.toml`` and ``folkways.run("study.toml")``,
and made of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

from folkways.benchmarks.printed_prompts import read_prompt_texts
from folkways.benchmarks.registry import expand_tasks, without_suites
from folkways.benchmarks.suites import task_text
from folkways.benchmarks.treatments import read_treatments
from folkways.engine.budget import parse_budget
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.files import check_folder, check_several
from folkways.metrics.neural.compute import Compute
from folkways.releases.release_records import OWN_FOLDER
from folkways.runs.keywords import settings_of
from folkways.runs.models import SEPARATOR
from folkways.runs.options import (
    OPTION_KINDS,
    AskOptions,
    DeployedModel,
    Deployment,
    OptionKind,
    RunOptions,
    names_of,
    parse_settings,
)
from folkways.runs.planning.plan import Plan
from folkways.runs.scores.scoring_models import BERT, EMBEDDING, ScoringModels, named_models
from folkways.toml_files import read_toml_text

SUFFIX = ".toml"

OF_DEPLOYMENT: Mapping[str, tuple[type, ...]] = {"serve": (str,), "gpus": (int, float), "copies": (int,)}
"""Keys of a model's table that say how it runs on machines of one's own, and the types of their values."""


def is_recipe(tasks: object) -> TypeGuard[str | Path]:
    """Whether it is the name of a recipe file."""
    return isinstance(tasks, (str, Path)) and str(tasks).endswith(SUFFIX)


def read_recipe(path: Path) -> dict[str, Any]:
    """The values of a recipe by its keys (KEYS), checked: a list is a tuple of texts, and so are pairs
    (``temperature=1``).

    DataError with file, line and key for anything that is not valid; an UnknownNameError becomes one too.
    """
    text, table = read_toml_text(path, "recipe; write one with: folkways init")
    values: dict[str, Any] = {}
    for key, value in table.items():
        try:
            if key not in KEYS:
                raise UnknownNameError("key", key, KEYS)
            values[key] = KEYS[key](value)
        except FolkwaysError as error:
            raise DataError(f"line {line_of(text, key)}, key {key!r}: {error}", file=path) from None
    return values


def line_of(text: str, key: str) -> int:
    """The line of a key of the first level, or where the table of that name begins."""
    name = rf"[\"']?{re.escape(key)}[\"']?[ \t]*"
    match = re.search(rf"^[ \t]*(\[\[?[ \t]*{name}[\].]|{name}[=.])", text, re.MULTILINE)
    return text.count("\n", 0, match.start() if match else 0) + 1


def _tasks(value: Any) -> tuple[str, ...]:
    tasks = tuple(map(task_text, value if isinstance(value, list) else [value]))
    expand_tasks(tasks)
    return tasks


def _models(value: Any) -> tuple[str | DeployedModel, ...]:
    return tuple(map(_model, value if isinstance(value, list) else [value]))


def _model(entry: Any) -> str | DeployedModel:
    """A model's name, followed by its own settings if it is a table of both, and how it runs where the table
    says that."""
    if not isinstance(entry, dict):
        return str(_scalar(entry, str))
    if "name" not in entry:
        raise FolkwaysError(
            'a model in a table needs its name: { name = "openai/gpt-4o-mini", temperature = 1 }'
        )
    others = {"name", *OF_DEPLOYMENT}
    pairs = tuple(
        f"{name}={_scalar(value, str, float)}" for name, value in entry.items() if name not in others
    )
    parse_settings(pairs)
    name = SEPARATOR.join(filter(None, (_scalar(entry["name"], str), "&".join(pairs))))
    deployment = {key: _scalar(entry[key], *kinds) for key, kinds in OF_DEPLOYMENT.items() if key in entry}
    try:
        return DeployedModel(name, Deployment(**deployment)) if deployment else name
    except FolkwaysError as error:
        raise FolkwaysError(f"{entry['name']}: {error}") from None


def _prompts(value: Any) -> dict[str, str]:
    return read_prompt_texts(value if isinstance(value, dict) else _scalar(value, str))


def _treatments(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        value = ",".join(_texts(value))
    return dict(read_treatments(value if isinstance(value, dict) else _scalar(value, str)))


def _pairs(value: Any) -> tuple[str, ...]:
    """What the command line repeats as NAME=VALUE, and a recipe may write as a table."""
    return _texts(
        [f"{name}={_scalar(text, str, float)}" for name, text in value.items()]
        if isinstance(value, dict)
        else value
    )


def _settings(value: Any) -> tuple[str, ...]:
    pairs = _pairs(value)
    parse_settings(pairs)
    return pairs


def _berts(value: Any) -> tuple[str, ...]:
    pairs = _pairs(value)
    named_models(None, pairs)
    return pairs


def _list(value: Any) -> tuple[str, ...]:
    return names_of(",".join(_texts(value)))


def _budget(value: Any) -> str:
    budget: str = OPTION_KINDS["budget"].read(value)
    parse_budget(budget)
    return budget


def _precision(value: Any) -> str:
    return Compute(precision=_text(value)).precision


def _report(value: Any) -> str:
    folder = Path(_scalar(value, str))
    check_several(folder, repr)
    check_folder(folder)
    return str(folder)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_scalar(entry, str) for entry in (value if isinstance(value, list) else [value]))


def _scalar(value: Any, *kinds: type) -> Any:
    """The value; FolkwaysError if it is of none of the kinds."""
    for kind in kinds:
        try:
            return OptionKind(kind).read(value)
        except FolkwaysError as error:
            message = error
    if len(kinds) == 1:
        raise message
    words = {int: "a whole number", float: "a number", str: "a text in quotes"}
    raise FolkwaysError(f"must be {' or '.join(words[kind] for kind in kinds)}, got {value!r}")


def _text(value: Any) -> str:
    return str(_scalar(value, str))


KEYS: Mapping[str, Callable[[Any], Any]] = {
    "tasks": _tasks,
    "models": _models,
    "prompts": _prompts,
    "treatments": _treatments,
    "settings": _settings,
    "releases": _pairs,
    "bert-models": _berts,
    **dict.fromkeys(("cultures", "languages", "variants", "strata", "device"), _list),
    **{
        name.replace("_", "-"): partial(kind.read, truth="true or false")
        for name, kind in OPTION_KINDS.items()
    },
    "max-failed": OptionKind(float, 0, 100).read,  # percent, as on the command line
    "budget": _budget,
    "precision": _precision,
    "report": _report,
    **dict.fromkeys(("workspace", "profile", "name", "prices", "embedding-model"), _text),
}
"""Every key of a recipe, one for each option of ``folkways run`` that belongs to no machine, and how its
value is read."""

OF_THIS_SESSION = ("observer", "every", "planned", "reused", "cluster", "generation")
"""Fields of the options that belong to this session, its machines and its workspace."""


@dataclass(frozen=True)
class Recipe:
    """A recipe by the names of the arguments of ``folkways.run``; ``options`` are those of RunKeywords."""

    tasks: tuple[str, ...]
    models: tuple[str | DeployedModel, ...]
    workspace: str | None
    name: str | None
    profile: str | None
    report: Path | None
    device: tuple[str, ...]
    options: Mapping[str, Any]

    @classmethod
    def of(cls, path: str | Path) -> Recipe:
        """The recipe in a file; DataError as ``read_recipe``."""
        values = read_recipe(Path(path))
        report = values.pop("report", None)
        alone = {
            "tasks": values.pop("tasks", ()),
            "models": values.pop("models", ()),
            "device": values.pop("device", ()),
        }
        texts = {key: values.pop(key, None) for key in ("workspace", "name", "profile")}
        return cls(
            **alone, **texts, report=None if report is None else Path(report), options=_by_argument(values)
        )

    def under(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Its options with those of the caller, which go before; how models are read is a setting of its
        own."""
        ours = dict(self.options)
        read = {"read": ours.pop("read")} if "read" in ours else {}
        merged = {**ours, **options}
        return {**merged, "settings": {**read, **settings_of(merged.get("settings"))}} if read else merged

    def scoring(self, models: ScoringModels | None) -> ScoringModels | None:
        """Where scoring models compute, unless the caller says it."""
        if not self.device:
            return models
        models = models or ScoringModels()
        return models if models.devices else replace(models, devices=self.device)


def _by_argument(values: dict[str, Any]) -> dict[str, Any]:
    """Values by key as options by their names in Python."""
    scoring = named_models(values.pop("embedding-model", None), values.pop("bert-models", ()))
    options = {key.replace("-", "_"): value for key, value in values.items()}
    if scoring:
        options["scoring_models"] = scoring
    if "max_failed" in options:
        options["max_failed"] /= 100
    for key, name in (("prompts", "prompt_texts"), ("precision", "scoring_precision")):
        if key in options:
            options[name] = options.pop(key)
    return options


def recipe_of(plan: Plan, asking: AskOptions, profile: str | None) -> dict[str, Any]:
    """The recipe of a run, by the keys of a recipe file, so that others can ask the same.

    asking, profile: as the user gave them. Defaults are left out, but releases are named, and a suite's
    tasks, so that a later default or suite changes nothing. Workspace and report belong to a machine and are
    not part of it.
    """
    options = plan.options
    recipe: dict[str, Any] = {
        "tasks": without_suites(options.tasks),
        "models": [model.name for model in plan.models],
        "releases": {
            one.task.benchmark: str(one.release.root)
            if one.release.name.startswith(OWN_FOLDER)
            else one.release.name
            for one in plan.tasks
        },
    }
    left_alone = {**vars(RunOptions(("any",))), **vars(AskOptions())}
    chosen = {
        name: value
        for name, value in {**vars(options), **vars(asking)}.items()
        if name not in (*recipe, *OF_THIS_SESSION) and value != left_alone[name]
    }
    if profile is not None:
        recipe["profile"] = profile
    if "max_failed" in chosen:
        chosen["max_failed"] *= 100
    if "prices" in chosen:
        chosen["prices"] = str(chosen["prices"])
    if "settings" in chosen:
        chosen["settings"] = {
            name: "none" if value is None else value for name, value in options.settings.items()
        }
    if scoring := chosen.pop("scoring_models", {}):
        berts = {role.removeprefix(BERT): model for role, model in scoring.items() if role.startswith(BERT)}
        named = {"embedding_model": scoring.get(EMBEDDING), "bert_models": berts}
        chosen |= {name: model for name, model in named.items() if model}
    if "scoring_precision" in chosen:
        chosen["precision"] = chosen.pop("scoring_precision")
    if "prompt_texts" in chosen:
        chosen["prompts"] = _nested(chosen.pop("prompt_texts"))
    return recipe | {
        name.replace("_", "-"): list(value) if isinstance(value, tuple) else value
        for name, value in chosen.items()
    }


def _nested(texts: Mapping[str, str]) -> dict[str, Any]:
    """Texts by name, those of one task in a table named like it, as a file of prompts has them."""
    nested: dict[str, Any] = {}
    for key, text in texts.items():
        owner, _, name = key.rpartition(":")
        (nested.setdefault(owner, {}) if owner else nested)[name] = text
    return nested
