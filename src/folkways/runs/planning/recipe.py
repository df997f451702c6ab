"""The recipe of a run: everything that a user asked for, by the keys of a recipe file, so that somebody else
can ask the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from folkways.benchmarks.registry import without_suites
from folkways.runs.models import Model
from folkways.runs.options import AskOptions, RunOptions
from folkways.runs.planning.plan import TaskPlan
from folkways.runs.scores.scoring_models import BERT, EMBEDDING

OF_THIS_SESSION = ("observer", "every", "planned", "reused", "cluster", "generation")
"""Fields of the options that belong to this session, its machines and its workspace."""


def recipe_of(
    options: RunOptions,
    asking: AskOptions,
    profile: str | None,
    planned: Sequence[TaskPlan],
    models: Sequence[Model],
) -> dict[str, Any]:
    """The recipe. What is left at its default is left out, but releases are named, and a suite's tasks, so
    that a later default or suite changes nothing.

    Where workspace and report are belongs to a machine and is no part of it.
    """
    given: dict[str, Any] = {
        "tasks": without_suites(options.tasks),
        "models": [model.name for model in models],
        "releases": {
            plan.task.benchmark: str(plan.release.root)
            if plan.release.name.startswith("dir:")
            else plan.release.name
            for plan in planned
        },
    }
    left_alone = {**vars(RunOptions(("any",))), **vars(AskOptions())}
    chosen = {
        name: value
        for name, value in {**vars(options), **vars(asking)}.items()
        if name not in (*given, *OF_THIS_SESSION) and value != left_alone[name]
    }
    if profile is not None:
        given["profile"] = profile
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
    return given | {
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
