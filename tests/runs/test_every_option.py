"""Every option of a run, one at a time: a recipe and the workspace give it back as it was, and it makes another run
of what is asked where it decides that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.treatments import read_treatments
from folkways.runs.keywords import options_of
from folkways.runs.options import AskOptions, RunOptions
from folkways.runs.planning.plan import Plan, config_of, restore_options, stored_options
from folkways.runs.planning.recipe import OF_THIS_SESSION, Recipe, recipe_of
from folkways.runs.planning.tasks import plan_tasks
from folkways.runs.scores.signature import signature

TASK = "demo/mcq"
OTHERS: dict[str, Any] = {
    "tasks": ("demo/saq",),
    "releases": {"demo": "demo@1"},
    "cultures": ("ET", "KR"),
    "languages": ("ko",),
    "variants": ("plain",),
    "limit": 3,
    "skip_missing": True,
    "samples": 2,
    "seed": 5,
    "system": 'You are "new" here.',
    "settings": {"temperature": 0.5, "top_p": None},
    "max_tokens": 77,
    "prompt_texts": {"mine": "{question}", "demo/mcq:mine": "Q: {question}"},
    "permute_options": 3,
    "shots": 2,
    "scoring_models": {"embedding": "e", "bert-zh": "z", "bert-en": "b"},
    "scoring_precision": "fp16",
    "until": 5.0,
    "strata": ("culture", "topic"),
    "afresh": True,
    "generation": 2,
    "treatments": read_treatments("persona-second"),
}
"""Each option of RunOptions -> another value than the usual one."""

ASKING: dict[str, Any] = {
    "concurrency": 3,
    "attempts": 2,
    "max_errors": 9,
    "max_failed": 0.25,
    "timeout": 11.0,
    "wait": 12.0,
    "budget": "100requests",
    "batch": True,
    "prices": "p.toml",
}

OF_TASKS = ("tasks", "releases", "skip_missing")
"""Tell which tasks and data a run has; these decide, however they were named."""


def with_option(name: str) -> RunOptions:
    return replace(RunOptions((TASK,)), **{name: OTHERS[name]})


def toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def read_again(recipe: Mapping[str, Any], folder: Path) -> tuple[RunOptions, AskOptions, str | None]:
    """The options of a recipe that was written to a file."""
    path = folder / "study.toml"
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in recipe.items()), encoding="utf-8")
    read = Recipe.of(path)
    return *options_of(read.tasks, read.under({})), read.profile


def test_every_option_has_another_value_here() -> None:
    assert OTHERS.keys() == {entry.name for entry in fields(RunOptions)}
    assert ASKING.keys() == {entry.name for entry in fields(AskOptions)} - {*OF_THIS_SESSION}
    usual, asking = RunOptions((TASK,)), AskOptions()
    assert [name for name, value in OTHERS.items() if getattr(usual, name) == value] == []
    assert [name for name, value in ASKING.items() if getattr(asking, name) == value] == []


@pytest.mark.parametrize("name", sorted(OTHERS.keys() - {*OF_THIS_SESSION}))
def test_a_recipe_gives_an_option_back(name: str, tmp_path: Path) -> None:
    """But for names of releases: a recipe has those that the tasks were read from."""
    options = with_option(name)
    recipe = recipe_of(Plan(options, ()), AskOptions(), "strict")
    read, asking, profile = read_again(recipe, tmp_path)
    assert read == (RunOptions((TASK,)) if name == "releases" else options)
    assert (asking, profile) == (AskOptions(), "strict")
    usual = recipe_of(Plan(RunOptions((TASK,)), ()), AskOptions(), None)
    assert usual.keys() == {"tasks", "models", "releases"}


@pytest.mark.parametrize("name", sorted(ASKING))
def test_a_recipe_gives_back_how_hard_was_tried(name: str, tmp_path: Path) -> None:
    asking = replace(AskOptions(), **{name: ASKING[name]})
    options = RunOptions((TASK,))
    read, read_asking, profile = read_again(recipe_of(Plan(options, ()), asking, None), tmp_path)
    assert {**vars(read_asking), "planned": None} == {**vars(asking), "planned": None}
    assert (read, profile) == (options, None)


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_a_workspace_gives_an_option_back(name: str) -> None:
    (plan,) = plan_tasks(RunOptions((TASK,)))
    options = with_option(name)
    assert restore_options(stored_options(replace(plan, options=options))) == options


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_an_option_makes_another_run_where_it_decides_what_is_asked(name: str) -> None:
    (plan,) = plan_tasks(RunOptions((TASK,)))
    options = with_option(name)
    usual, other = (config_of(Plan(each, (replace(plan, options=each),))) for each in (plan.options, options))
    decides = name not in (*OF_TASKS, "afresh", "strata")  # strata decide where there is an until, below
    assert (usual != other) is decides
    if decides:
        written = OTHERS[name]
        assert other["options"][name] == (sorted(written) if isinstance(written, tuple) else written)


def test_strata_decide_what_is_asked_where_a_run_goes_on_until_they_are_narrow() -> None:
    (plan,) = plan_tasks(RunOptions((TASK,)))
    narrow = with_option("until")
    configs = [
        config_of(Plan(each, (replace(plan, options=each),)))
        for each in (narrow, replace(narrow, strata=OTHERS["strata"]))
    ]
    assert configs[0] != configs[1]


SIGNED = {
    **{name: name for name in ("system", "samples", "seed", "cultures", "shots", "limit", "treatments")},
    "prompt_texts": "prompts",
    "until": "sampling",
}
"""Options that a signature tells, with its part. It tells others by what came of them: languages, variants and orders
by those of the replies, settings by those that were sent, models by those that scores were made with."""


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_a_signature_tells_an_option_by_its_own_part_alone(name: str) -> None:
    (plan,) = plan_tasks(RunOptions((TASK,)))
    asked = pl.DataFrame({"language": ["en", "ko"], "variant": "plain", "prompt_source": ["ours", "paper"]})
    options = with_option(name)
    usual, other = (
        signature(replace(plan, options=each), asked, ["seed=1"], "strict").parts
        for each in (plan.options, options)
    )
    changed = {part for part in {*usual, *other} if usual.get(part) != other.get(part)}
    assert changed == ({SIGNED[name]} if name in SIGNED else set())
    assert (usual["lang"], usual["prompts"], usual["settings"]) == ("en+ko", "ours+paper", "seed=1")


def test_strata_are_in_the_signature_of_what_was_drawn_from_them() -> None:
    (plan,) = plan_tasks(RunOptions((TASK,)))
    asked = pl.DataFrame({"language": ["en"], "variant": "plain", "prompt_source": "ours"})
    narrow = replace(with_option("until"), strata=OTHERS["strata"])
    parts = signature(replace(plan, options=narrow), asked, [], "strict").parts
    assert parts["sampling"] == "until=5,by=culture+topic"
