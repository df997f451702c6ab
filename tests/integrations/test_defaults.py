"""What is not said means the same, wherever questions are asked."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

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
    pytest.importorskip("inspect_ai", reason="needs the extra inspect")
    from folkways.integrations.inspect.tasks import inspect_task

    check(inspect_task)
