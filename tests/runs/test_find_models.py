"""Models by the names that people give them, in a workspace of several runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from folkways.errors import FolkwaysError, UnknownNameError
from folkways.runs.results.find_models import StoredModel, find_models, judgements_of
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace, open_workspace
from tests.support.planned_runs import plan_prompts

GPT, LOCAL, REVISION = "openai/gpt", "http://h/v1#org/gpt", "hf/org/small@v2"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Run one asked three models, one of them two tasks; run two a model of the first; then something without
    scores was built."""
    workspace = open_workspace(tmp_path / "w.db")
    one, two = {"tasks": ["t/a"], "x": 1}, {"tasks": ["t/a"], "x": 2}
    plan_prompts(workspace, GPT, ["a", "b"], config=one, command="run", name="one", first=1, task="t/b")
    plan_prompts(workspace, LOCAL, ["a"], config=one, command="run", name="one", first=3, task="t/a")
    plan_prompts(workspace, GPT, ["a"], config=one, command="run", name="one", first=4, task="t/a")
    plan_prompts(workspace, REVISION, ["a"], config=one, command="run", name="one", first=5, task="t/a")
    plan_prompts(workspace, GPT, ["a"], config=two, command="run", name="two", task="t/a")
    plan_prompts(workspace, "builder", ["a"], config={"build": "questions"}, name="built")
    return workspace


def told(found: Sequence[StoredModel]) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(asked.run.name, asked.endpoint, asked.label, asked.tasks) for asked in found]


FIRST = ("one", GPT, GPT, ("t/b", "t/a"))
SECOND = ("two", GPT, GPT, ("t/a",))
OWN, SMALL = ("one", LOCAL, LOCAL, ("t/a",)), ("one", REVISION, REVISION, ("t/a",))


@pytest.mark.parametrize(
    ("names", "runs", "expected"),
    [
        ((), (), [SECOND]),
        ((), ("one",), [FIRST, OWN, SMALL]),
        (("gpt",), (), [SECOND]),
        ((GPT,), ("1",), [FIRST]),
        (("small@v2", LOCAL), ("one",), [SMALL, OWN]),
        (("small@v2@one", "gpt@two"), (), [SMALL, SECOND]),
        (("gpt@2", f"{LOCAL}@1"), (), [SECOND, OWN]),
        (("gpt@last",), ("one",), [SECOND]),
        ((REVISION,), ("one", "two"), [SMALL]),
        (
            ("gpt@two", f"{GPT}@one"),
            (),
            [(*SECOND[:2], f"{GPT}@two", *SECOND[3:]), (*FIRST[:2], f"{GPT}@one", *FIRST[3:])],
        ),
    ],
)
def test_models_are_found_by_their_names_in_the_runs_that_are_meant(
    workspace: Workspace,
    names: tuple[str, ...],
    runs: tuple[str, ...],
    expected: list[tuple[str, str, str, tuple[str, ...]]],
) -> None:
    found = find_models(workspace, names, runs)
    assert told(found) == expected
    for asked in found:
        assert asked.parts == tuple(
            part for part in results.parts(workspace, asked.run) if part.endpoint == asked.endpoint
        )


def test_the_name_of_a_run_may_have_an_at_of_its_own(workspace: Workspace) -> None:
    """And the longest that is a run's counts, so that "one" is not taken for the run of "small@v2@x@one"."""
    for name in ("a@b", "x@one"):
        config = {"tasks": ["t/a"], "name": name}
        plan_prompts(workspace, REVISION, ["a"], config=config, command="run", name=name, task="t/a")
    for name, run in (("small@v2@a@b", "a@b"), (f"{REVISION}@x@one", "x@one"), ("small@v2@one", "one")):
        (asked,) = find_models(workspace, [name])
        assert (asked.endpoint, asked.run.name) == (REVISION, run)


@pytest.mark.parametrize(
    ("names", "runs", "words"),
    [
        (("gpt",), ("one",), f"'gpt' stands for several; say which: {GPT}@one, {LOCAL}@one"),
        ((GPT,), ("one", "two"), "run one has not been scored yet; score it first: folkways score one"),
        (("gpt@one+nope",), (), "unknown model 'gpt@one+nope'"),
        (("gpt@two", GPT), ("two",), f"{GPT} is named twice, both times of run two (gpt@two, {GPT});"),
        (("nope",), (), f"unknown model 'nope'\nvalid: {GPT}\nlooked in two;"),
        (("nope@one",), (), "unknown model 'nope'\n"),
        (("nope",), ("one", "two"), "looked in one, two;"),
        (("one",), (), "one is a run; its models are compared with: runs='one'"),
        (("gpt@nope",), ("one",), "unknown model 'gpt@nope'"),
        (("@one",), ("one",), "unknown model '@one'"),
        (("gpt",), ("built",), "run built belongs to folkways build questions"),
    ],
)
def test_a_name_that_is_no_models_or_of_several_is_refused_with_what_there_is(
    workspace: Workspace, names: tuple[str, ...], runs: tuple[str, ...], words: str
) -> None:
    with pytest.raises(FolkwaysError) as error:
        find_models(workspace, names, runs)
    assert words in str(error.value)
    assert isinstance(error.value, UnknownNameError) == (
        "unknown" in words or "looked" in words or "is a run" in words
    )


def test_judgements_are_those_of_the_models_own_part_and_of_one_profile(workspace: Workspace) -> None:
    one = run_records.find_run(workspace, "one")
    for profile, answer in (("paper", "P"), ("strict", "S")):
        numbers = list(range(1, 6))
        rows = pl.DataFrame(
            {"ordinal": numbers, "question": "q", "culture": "KR", "counted": True, "state": "answered"}
        )
        results.save_judgements(
            workspace,
            one,
            profile,
            rows.with_columns(answer=pl.lit(answer), reason=pl.lit(None, dtype=pl.String)),
        )
    gpt, local, _ = find_models(workspace, (), ("one",))
    found = [
        judgements_of(workspace, asked, task, "strict")
        for asked, task in ((gpt, "t/a"), (gpt, "t/b"), (local, "t/a"))
    ]
    assert [frame["ordinal"].to_list() for frame in found] == [[4], [1, 2], [3]]
    assert {answer for frame in found for answer in frame["answer"]} == {"S"}
    (unjudged,) = find_models(workspace, (), ("two",))
    with pytest.raises(FolkwaysError, match=r"folkways score two --profile strict"):
        judgements_of(workspace, unjudged, "t/a", "strict")


@pytest.mark.parametrize("settings", ["", "?temperature=1", "?reasoning_effort=low&temperature=1"])
def test_a_label_of_a_model_with_settings_of_its_own_is_a_name_of_it(tmp_path: Path, settings: str) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    endpoint = GPT + settings
    for name in ("one", "two"):
        plan_prompts(workspace, endpoint, ["a"], config={"x": name}, command="run", name=name, task="t/a")
    found = find_models(workspace, [f"{endpoint}@{name}" for name in ("one", "two")])
    assert [one.label for one in found] == [f"{GPT}@{name}{settings}" for name in ("one", "two")]
    assert find_models(workspace, [one.label for one in found]) == found
