"""What people write in a notebook, in each spelling of it: one meaning, or an error that says what to write."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.runs.keywords import INSTEAD, options_of, release_names, settings_of, task_names
from folkways.runs.options import AskOptions, RunOptions

TASK = "demo/mcq"


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        ((), {}),
        (("demo",), {"*": "demo"}),
        (("demo@1",), {"*": "demo@1"}),
        (("./made",), {"*": "./made"}),
        (("demo=made",), {"demo": "made"}),
        (("demo=made=2",), {"demo": "made=2"}),
        (("global-piqa=made",), {"global-piqa": "made"}),
        (("./limit=3",), {"*": "./limit=3"}),
        (("a folder=b",), {"*": "a folder=b"}),
        (("=made",), {"*": "=made"}),
        (("demo=",), {"demo": ""}),
        (("demo=one", "xcr=two"), {"demo": "one", "xcr": "two"}),
        (("demo=one", "demo=two", "all", "others"), {"demo": "two", "*": "others"}),
    ],
)
def test_a_release_is_of_the_benchmark_before_its_first_equals_sign_or_of_all(
    texts: tuple[str, ...], named: dict[str, str]
) -> None:
    assert release_names(texts) == named
    if texts:
        assert options_of(TASK, {"releases": list(texts)})[0].releases == named
    if len(texts) == 1:
        assert options_of(TASK, {"releases": texts[0]})[0].releases == named
    assert options_of(TASK, {"releases": named})[0].releases == named


def test_a_folder_of_releases_may_be_a_path_and_none_names_none() -> None:
    assert options_of(TASK, {"releases": Path("made")})[0].releases == {"*": "made"}
    assert options_of(TASK, {"releases": {"demo": Path("made")}})[0].releases == {"demo": "made"}
    assert options_of(TASK, {"releases": None})[0].releases == {}


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("demo/mcq", ("demo/mcq",)),
        (" demo/mcq , demo/saq,", ("demo/mcq", "demo/saq")),
        ("demo/mcq?cultures=KR,ET", ("demo/mcq?cultures=KR,ET",)),
        (["demo/mcq", "demo/saq,demo/true-false"], ("demo/mcq", "demo/saq", "demo/true-false")),
        (("demo/mcq",), ("demo/mcq",)),
        (get_task("demo/mcq"), ("demo/mcq",)),
        ([get_task("demo/mcq"), "demo/saq"], ("demo/mcq", "demo/saq")),
        ([["demo/mcq"], [["demo/saq"]]], ("demo/mcq", "demo/saq")),
    ],
)
def test_tasks_are_named_in_any_way(written: Any, names: tuple[str, ...]) -> None:
    assert task_names(written) == names
    assert options_of(written, {})[0].tasks == names


@pytest.mark.parametrize(
    "written", [3, None, {"demo/mcq": 1}, {"name": "demo/mcq"}, [3], [["demo/mcq"], None]]
)
def test_what_names_no_task_is_an_error(written: Any) -> None:
    with pytest.raises(FolkwaysError, match=r'tasks are names, such as "demo/mcq"'):
        task_names(written)


@pytest.mark.parametrize("name", ["cultures", "languages", "variants", "strata"])
@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("KR", ("KR",)),
        (" KR , ET,", ("KR", "ET")),
        (["KR", " ET "], ("KR", "ET")),
        (("KR", ""), ("KR",)),
        (pl.Series(["KR", "ET"]), ("KR", "ET")),
        ((each for each in ("KR", "ET")), ("KR", "ET")),
    ],
)
def test_lists_are_texts_in_any_order_of_dress(name: str, written: Any, parts: tuple[str, ...]) -> None:
    written = ("KR", "ET") if hasattr(written, "send") else written  # an iterator is read once
    assert getattr(options_of(TASK, {name: written})[0], name) == parts


@pytest.mark.parametrize("name", ["cultures", "languages", "variants", "strata"])
@pytest.mark.parametrize(
    ("written", "problem"),
    [(3, "must be a text or a list"), ([3], "must be a text or a list"), ({"KR": 1}, "must be a text or a list"),
     ([], "is an empty list"), (" , ", "is an empty list")],
)  # fmt: skip
def test_lists_of_nothing_or_of_other_things_are_errors(name: str, written: Any, problem: str) -> None:
    with pytest.raises(FolkwaysError, match=f"^{name} {problem}"):
        options_of(TASK, {name: written})


@pytest.mark.parametrize(
    ("written", "settings"),
    [
        (None, {}),
        ({}, {}),
        ("temperature=0.5", {"temperature": 0.5}),
        ("temperature=0.5&top_p=0.9", {"temperature": 0.5, "top_p": 0.9}),
        ("temperature=0.5, top_p=0.9", {"temperature": 0.5, "top_p": 0.9}),
        (["temperature=0.5", "seed=3"], {"temperature": 0.5, "seed": 3}),
        ({"temperature": 0.5, "top_p": None}, {"temperature": 0.5, "top_p": None}),
        ({"temperature": "None", "seed": 3}, {"temperature": None, "seed": 3}),
        ("temperature=none", {"temperature": None}),
    ],
)
def test_settings_are_a_dict_a_text_or_texts(written: Any, settings: dict[str, Any]) -> None:
    assert settings_of(written) == settings
    assert options_of(TASK, {"settings": written})[0].settings == settings


@pytest.mark.parametrize("written", [3, [3], 0.5])
def test_settings_of_another_kind_are_an_error(written: Any) -> None:
    with pytest.raises(FolkwaysError, match="settings are a dict or a text"):
        settings_of(written)


NAMES = {entry.name for record in (RunOptions, AskOptions) for entry in fields(record)} - {
    "tasks",
    "generation",
}


@pytest.mark.parametrize("other", sorted(INSTEAD.keys() - NAMES))
def test_what_others_call_an_option_is_told_by_its_name_here(other: str) -> None:
    with pytest.raises(FolkwaysError, match=f"there is no option {other!r} here; write "):
        options_of(TASK, {other: 1})


@pytest.mark.parametrize("unknown", ["cutures", "", "read ", "generation", "planed"])
def test_an_unknown_option_is_an_error(unknown: str) -> None:
    with pytest.raises((UnknownNameError, FolkwaysError), match=r"option|write"):
        options_of(TASK, {unknown: 1})


@pytest.mark.parametrize("share", [-0.01, 1.01, 10])
def test_a_share_of_failures_is_from_0_to_1(share: float) -> None:
    for within in (0, 0.5, 1):
        assert options_of(TASK, {"max_failed": within})[1].max_failed == within
    with pytest.raises(FolkwaysError, match="max_failed is a share from 0 to 1"):
        options_of(TASK, {"max_failed": share})


@pytest.mark.parametrize(
    "name", sorted({entry.name for entry in fields(RunOptions)} - {"tasks", "generation"})
)
def test_none_means_the_usual_where_an_option_may_be_left_open(name: str) -> None:
    usual = getattr(RunOptions((TASK,)), name)
    open_ones = usual is None or name in ("settings", "releases", "strata", "prompt_texts", "scoring_models")
    try:
        read = getattr(options_of(TASK, {name: None})[0], name)
    except FolkwaysError:
        assert not open_ones
    else:
        assert open_ones and read == usual


def test_keywords_change_the_options_that_were_made_before() -> None:
    before = RunOptions((TASK,), limit=3, cultures=("KR",))
    asking = AskOptions(attempts=2, timeout=9.0)
    what, how = options_of(before, {"limit": 5, "timeout": 8.0}, asking)
    assert what == RunOptions((TASK,), limit=5, cultures=("KR",))
    assert (how.attempts, how.timeout) == (2, 8.0)


@pytest.mark.parametrize(
    ("name", "written", "read"),
    [
        ("limit", np.int64(5), 5),
        ("seed", np.uint8(3), 3),
        ("until", np.float32(2.5), 2.5),
        ("until", 3, 3),
        ("system", np.str_("Be brief."), "Be brief."),
        ("afresh", np.bool_(True), True),
    ],
)
def test_numbers_of_numpy_are_numbers(name: str, written: Any, read: Any) -> None:
    value = getattr(options_of(TASK, {name: written})[0], name)
    assert value == read and type(value) is type(read)


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("limit", 0, "limit must be at least 1, got 0"),
        ("limit", True, "limit must be a whole number, got True"),
        ("limit", 2.0, "limit must be a whole number, got 2.0"),
        ("samples", 0, "samples must be at least 1, got 0"),
        ("shots", -1, "shots must lie between 0 and 100, got -1"),
        ("shots", 101, "shots must lie between 0 and 100, got 101"),
        ("permute_options", 25, "permute_options must lie between 1 and 24, got 25"),
        ("until", 0.05, "until must lie between 0.1 and 49, got 0.05"),
        ("until", 50, "until must lie between 0.1 and 49, got 50"),
        ("timeout", float("inf"), "timeout must be a finite number, got inf"),
        ("timeout", 0.05, "timeout must be at least 0.1, got 0.05"),
        ("wait", -1, "wait must be at least 0, got -1"),
        ("concurrency", 1001, "concurrency must lie between 1 and 1,000, got 1,001"),
        ("attempts", 0, "attempts must be at least 1, got 0"),
        ("max_errors", -1, "max_errors must be at least 0, got -1"),
        ("afresh", 1, "afresh must be True or False, got 1"),
        ("system", 3, "system must be a text in quotes, got 3"),
    ],
)
def test_values_beyond_what_an_option_takes_are_named_with_its_bounds(
    name: str, value: Any, problem: str
) -> None:
    with pytest.raises(FolkwaysError) as error:
        options_of(TASK, {name: value})
    assert str(error.value) == problem


@pytest.mark.parametrize(
    ("name", "ends"),
    [("shots", (0, 100)), ("permute_options", (1, 24)), ("until", (0.1, 49)), ("concurrency", (1, 1000)), ("limit", (1,)), ("samples", (1,)), ("attempts", (1,)), ("max_errors", (0,)), ("wait", (0,)), ("timeout", (0.1,)), ("max_tokens", (1,))],
)  # fmt: skip
def test_the_ends_of_what_an_option_takes_are_taken(name: str, ends: tuple[float, ...]) -> None:
    for end in ends:
        what, how = options_of(TASK, {name: end})
        assert getattr(what, name, getattr(how, name, None)) == end
