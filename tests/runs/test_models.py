"""Models as a run names them: an endpoint and settings of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from folkways.endpoints.base import EndpointOptions, Settings
from folkways.errors import FolkwaysError
from folkways.runs.models import open_models, split_name
from folkways.runs.options import RunOptions, settings_for
from folkways.runs.planning.tasks import plan_tasks

OPTIONS = EndpointOptions()


@pytest.mark.parametrize(
    ("text", "name", "settings"),
    [
        ("baseline/random", "baseline/random", {}),
        ("openai/gpt-5?reasoning_effort=low", "openai/gpt-5", {"reasoning_effort": "low"}),
        ("openai/o3?temperature=none&seed=4", "openai/o3", {"temperature": None, "seed": 4}),
        ("http://localhost:8000/v1#m?top_p=0.9", "http://localhost:8000/v1#m", {"top_p": 0.9}),
        ("replay:what was that?.csv", "replay:what was that?.csv", {}),
        ("http://host/v1?api-version=2#m", "http://host/v1?api-version=2#m", {}),
    ],
)
def test_settings_behind_a_name(text: str, name: str, settings: dict[str, object]) -> None:
    assert split_name(text) == (name, settings)


@example(1.0)
@example(0.00001)
@example(0.12345678)
@given(st.floats(0, 2))
def test_a_name_has_every_digit_of_a_setting(temperature: float) -> None:
    """Others repeat a run by the names of its models."""
    (model,) = open_models([f"baseline/random?temperature={temperature!r}"], OPTIONS)
    assert split_name(model.name) == ("baseline/random", {"temperature": temperature})
    (again,) = open_models([model.name], OPTIONS)
    assert (again.name, again.identity) == (model.name, model.identity)


def test_one_endpoint_asked_in_two_ways_is_two_models() -> None:
    plain, warm = open_models(["baseline/random", "baseline/random?temperature=1"], OPTIONS)
    assert (plain.name, warm.name) == ("baseline/random", "baseline/random?temperature=1")
    assert plain.identity != warm.identity
    assert plain.endpoint.identity == warm.endpoint.identity


def test_the_way_a_setting_was_given_makes_no_difference_to_the_request() -> None:
    (own,) = open_models(["baseline/random?temperature=1"], OPTIONS)
    (plain,) = open_models(["baseline/random"], OPTIONS)
    with_run = RunOptions(tasks=("demo",), settings={"temperature": 1.0})
    without = RunOptions(tasks=("demo",))
    assert settings_for(without, 64, own.settings) == settings_for(with_run, 64, plain.settings)


def test_the_models_own_settings_win() -> None:
    options = RunOptions(tasks=("demo",), settings={"temperature": 0.5}, max_tokens=9)
    assert settings_for(options, 64, {"temperature": None}) == Settings(temperature=None, max_tokens=9)


def test_a_task_is_asked_at_its_own_temperature_unless_the_user_names_another() -> None:
    """A survey measures how answers spread, and is sampled."""
    (model,) = open_models(["baseline/random"], OPTIONS)
    (warmer,) = open_models(["baseline/random?temperature=0.7"], OPTIONS)
    for task, temperature in (("demo/saq", 0.0), ("survey/opinions", 1.0)):
        (plain,), (changed,) = (
            plan_tasks(RunOptions(tasks=(task,), settings=settings))
            for settings in ({}, {"temperature": 0.5})
        )
        assert plain.settings(model).temperature == temperature
        assert changed.settings(model).temperature == 0.5
        assert plain.settings(warmer).temperature == changed.settings(warmer).temperature == 0.7


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([], "at least one model"),
        (["baseline/first", "baseline/first"], "named twice"),
        (["baseline/first?temperature=7"], "between 0 and 2"),
        (["baseline/first?temperature=warm"], "must be a number"),
    ],
)
def test_models_that_cannot_be(models: list[str], message: str) -> None:
    with pytest.raises(FolkwaysError, match=message):
        open_models(models, OPTIONS)


def test_two_files_with_the_same_contents_are_named(tmp_path: Path) -> None:
    names = [f"replay:{tmp_path / name}.jsonl" for name in ("one", "copy")]
    for name in names:
        Path(name.removeprefix("replay:")).write_text('{"item": "DE/money-1", "response": "A"}\n')
    with pytest.raises(FolkwaysError, match=r"one\.jsonl and .*copy\.jsonl are one model.* name one of them"):
        open_models(names, OPTIONS)
