"""What is not said means the same, wherever questions are asked."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib.util import find_spec
from inspect import signature
from pathlib import Path

import pytest

from folkways.runs.judging.model_judging import judge_run
from folkways.runs.options import RunOptions
from folkways.runs.probing import probe

USUAL = vars(RunOptions(("demo/mcq",)))
OTHERWISE = {("probe", "limit")}
"""Of a function, what has a default of its own."""


def check(function: Callable[..., object]) -> None:
    shared = {name: each.default for name, each in signature(function).parameters.items() if name in USUAL}
    for name, default in shared.items():
        assert default == USUAL[name] or (function.__name__, name) in OTHERWISE, name
    assert "seed" in shared


@pytest.mark.parametrize("function", [judge_run, probe])
def test_defaults_are_those_of_a_run(function: Callable[..., object]) -> None:
    check(function)


def test_in_inspect_as_well() -> None:
    """Read and not called: Inspect is in an environment of its own."""
    spec = find_spec("folkways.integrations.inspect")
    assert spec is not None and spec.submodule_search_locations is not None
    source = (Path(spec.submodule_search_locations[0]) / "tasks.py").read_text(encoding="utf-8")
    (task,) = [each for each in ast.parse(source).body if getattr(each, "name", "") == "inspect_task"]
    assert isinstance(task, ast.FunctionDef)
    names = [each.arg for each in task.args.kwonlyargs]
    defaults = [ast.literal_eval(each) for each in task.args.kw_defaults if each is not None]
    shared = {name: each for name, each in zip(names, defaults, strict=True) if name in USUAL}
    assert shared == {name: USUAL[name] for name in shared} and "seed" in shared
