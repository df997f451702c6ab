"""What is said of a task whose declarations break the contract, before any data are read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from folkways.benchmarks.base import Benchmark, Scoring, Task
from folkways.benchmarks.contract import declared_problems
from folkways.benchmarks.frame_checks import prompt_problems
from folkways.benchmarks.itemwise import ItemwiseTask
from folkways.benchmarks.task_errors import TaskError
from folkways.records import PROMPTS, Metric

RIGHT = Metric("right", "Accuracy", "The reply is right.")
SLIPS = Metric("slips", "Slips", "How many slips there are.", "mean", bounds=None, lower_is_better=True)


class Plain(ItemwiseTask):
    """Nothing is wrong with it."""

    name = "plain/one"
    release = "plain"
    title = "Plain"
    about = "Nothing."
    metrics = (RIGHT,)

    def rows(self, release: Any) -> Any:
        """No items."""

    def templates(self, options: Any, release: Any, language: str) -> Any:
        """No templates."""

    def parts(self, item: Any, language: str) -> Any:
        """No parts."""

    def score(self, item: Any, response: Any, profile: str) -> Any:
        """No score."""


def own_worst(task: ItemwiseTask) -> dict[str, float]:
    return {"slips": 9.0}


PERMUTED: dict[str, Any] = {
    "permutes_options": True,
    "labels": ("A", "B"),
    "item_columns": {"options": None, "gold_letter": None, "of": None},
    "permuted": ("options", "of"),
}
NO_GOLD = "the right one's label; set gold_label to its column"


@pytest.mark.parametrize(
    ("declared", "problems"),
    [
        ({}, []),
        ({"scoring": "strict"}, ["scoring = 'strict' has to be a folkways.benchmarks.base.Scoring"]),
        ({"facets": "topic"}, ["facets = 'topic' has to be a tuple; mind the comma in (name,)"]),
        ({"variants": "a"}, ["variants = 'a' has to be a tuple; mind the comma in (name,)"]),
        ({"metrics": RIGHT}, [f"metrics = {RIGHT!r} has to be a tuple; mind the comma in (name,)"]),
        *(
            ({"scoring": Scoring(**{name: "x"})}, [f"scoring.{name} = 'x' has to be a tuple; mind the comma"])
            for name in ("profiles", "text_tools", "models")
        ),
        ({"facets": ["topic"]}, []),
        ({"scoring": Scoring(())}, ["scoring.profiles is empty; name one, such as 'strict'"]),
        ({"metrics": ()}, ["metrics is empty; declare at least one, the headline"]),
        ({"metrics": (RIGHT, "x")}, ["metrics has 'x'; every one has to be a folkways.records.Metric"]),
        # less is better: what a lost reply counts must be known
        ({"metrics": (SLIPS,)}, ["less of the metric 'slips' is better and it has no bounds"]),
        ({"metrics": (SLIPS,), "worst": own_worst}, []),
        ({"metrics": (Metric("slips", "", "", "mean", lower_is_better=True),)}, []),
        ({"metrics": (Metric("words", "", "", "mean", bounds=None),)}, []),
        # kinds and their bounds
        ({"metrics": (Metric("a", "", "", "share"),)}, ["the metric 'a' is of kind 'share'; valid: prop"]),
        ({"metrics": (Metric("a", "", "", bounds=None),)}, ["the metric 'a' is a proportion with the bounds"]),
        ({"metrics": (Metric("a", "", "", bounds=(0.0, 2.0)),)}, ["the metric 'a' is a proportion with"]),
        ({"metrics": (Metric("a", "", "", "distribution", bounds=None),)}, []),
        # names
        ({"metrics": (RIGHT, RIGHT)}, ["two metrics are called 'right'"]),
        ({"facets": ("right",)}, ["a metric cannot be called 'right': a column of judgements has that"]),
        ({"metrics": (Metric("state", "", ""),)}, ["a metric cannot be called 'state': a column of"]),
        ({"facets": ("culture",)}, ["a facet cannot be called 'culture': a column of judgements has that"]),
        # options in several orders
        (PERMUTED, []),
        (PERMUTED | {"permutes_options": False, "labels": None, "permuted": ("x",)}, []),
        (PERMUTED | {"labels": None}, ["permutes_options is set, and labels is not: name the labels"]),
        (PERMUTED | {"gold_label": "key"}, [f"permutes_options is set, and item_columns has no 'key': {NO_GOLD}"]),
        (PERMUTED | {"gold_label": "key", "facets": ("key",)}, []),
        (
            PERMUTED | {"item_columns": {"gold_letter": None}, "permuted": ()},
            ["permutes_options is set, and item_columns has no 'options': a list of the options"],
        ),
        (PERMUTED | {"permuted": ("option",)}, ["permuted or not_permuted names 'option', which item_columns"]),
        (PERMUTED | {"not_permuted": ("texts",)}, ["permuted or not_permuted names 'texts', which item_colu"]),
        (PERMUTED | {"not_permuted": ("of",)}, []),
    ],
)  # fmt: skip
def test_what_is_declared_wrongly_is_said_once(declared: dict[str, Any], problems: list[str]) -> None:
    task = type("Declared", (Plain,), declared)()
    said = [*declared_problems(Benchmark("plain", "Plain", (task,)))]
    assert [
        each.startswith(f"plain/one: {problem}") for each, problem in zip(said, problems, strict=True)
    ] == [True for _ in problems], said


@pytest.mark.parametrize("name", ["release", "title", "about", "metrics"])
def test_what_is_not_declared_is_named(name: str) -> None:
    members = {each: value for each, value in vars(Plain).items() if each not in (name, "__dict__")}
    task = type("Declared", (ItemwiseTask,), members)()
    said = [*declared_problems(Benchmark("plain", "Plain", (task,)))]
    assert said[0] == f"plain/one: declares no {name}"
    assert len(said) == 1 + (name == "metrics")


def test_two_tasks_have_two_names() -> None:
    said = [*declared_problems(Benchmark("plain", "Plain", (Plain(), Plain())))]
    assert said == ["two tasks are called plain/one; give each a name of its own"]


@pytest.mark.parametrize(
    ("kind", "values", "refused"),
    [
        (pl.List(pl.String), [["a"], ("a", "b"), [], None, "a"], 5),
        (pl.List(pl.String), [("a",), ["a"], [["a"]]], 3),
        (pl.String, ["a", "", None, ("a",)], 4),
        (pl.String, ["a", None, ["a"]], 3),
        (pl.Int64, [1, None, True, "x"], 4),
        (pl.Float64, [1.5, 1, None, "x"], 4),
        (pl.List(pl.String), [("a",), ["a"], None], None),
    ],
)
def test_the_row_whose_value_its_column_does_not_keep_is_named(
    kind: Any, values: list[object], refused: int | None
) -> None:
    given = [{"item": str(number), "noted": value} for number, value in enumerate(values, 1)]
    whole = {"question": "1", "culture": "KR", "text": "Why?", "gold": "x"}
    members = {
        "item_columns": {"noted": kind},
        "rows": lambda self, release: ({**whole, **row} for row in given),
    }
    task = type("Declared", (Plain,), members)()
    if refused is None:
        assert task.items(None)["noted"].to_list() == [value and [*value] for value in values]
    else:
        with pytest.raises(TaskError, match=rf"row {refused} \('{refused}'\): noted is"):
            task.items(None)


@pytest.mark.parametrize(
    ("uncounted", "named"),
    [
        ({}, True),
        ({"why_uncounted": lambda item, profile: None}, True),
        ({"why_uncounted": lambda item, profile: "no text" if profile == "strict" else None}, False),
    ],
)
def test_an_item_without_a_question_is_named_unless_a_profile_leaves_it_out(
    uncounted: dict[str, Any], named: bool
) -> None:
    """A task that somebody wrote by hand may know no ``why_uncounted``."""
    task = SimpleNamespace(name="hand/one", scoring=Scoring(("lenient", "strict")), **uncounted)
    items = pl.DataFrame({"item": ["1", "2", "3"], "text": ["Why?", " ", None]})
    asked = {"item": ["1", "2"], "user": ["Why?", "Answer:"]}
    prompts = pl.DataFrame({name: asked.get(name, ["en", "en"]) for name in PROMPTS})
    said = [*prompt_problems(cast(Task, task), items, prompts)]
    assert ["('2'): text is empty" in each for each in said] == [True] * named, said
