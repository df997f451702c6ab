"""Runs: their names, how they stand, and what they expect."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from folkways.errors import FolkwaysError, UnknownNameError
from folkways.workspace import run_records, schema
from folkways.workspace.database import Workspace
from tests.support.planned_runs import plan_prompts


def begin(workspace: Workspace, config: str, name: str | None = None) -> run_records.RunRecord:
    return run_records.begin_run(workspace, {"config": config}, [], "test", name, "run")[0]


def test_a_made_up_name_is_never_one_that_a_person_gave(any_workspace: Workspace) -> None:
    assert begin(any_workspace, "a", "run-2").name == "run-2"
    assert begin(any_workspace, "b").name == "run-3"
    assert begin(any_workspace, "c").name == "run-4"


def test_a_made_up_name_comes_back_after_a_run_was_forgotten(any_workspace: Workspace) -> None:
    begin(any_workspace, "a")
    run_records.forget_run(any_workspace, begin(any_workspace, "b"))
    assert begin(any_workspace, "b").name == "run-2"
    assert len({begin(any_workspace, config).name for config in "abcd"}) == 4


def test_one_name_is_one_run(any_workspace: Workspace) -> None:
    begin(any_workspace, "a", "mine")
    assert begin(any_workspace, "a", "mine").id == 1
    with pytest.raises(FolkwaysError, match=r"'mine'.*name="):
        begin(any_workspace, "b", "mine")


CONFIG = {
    "tasks": ["a/b"],
    "fingerprints": {"a/b": "f"},
    "endpoints": ["m"],
    "options": {"limit": 6, "settings": {"a": 1, "b": 2}, "system": None},
    "version": "1",
}


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"tasks": ["c/d"], "fingerprints": {"c/d": "g"}}, "with other tasks"),
        ({"fingerprints": {"a/b": "g"}}, "with other data (a/b)"),
        ({"endpoints": ["m", "n", "o"]}, "with other models (now also n)"),
        ({"endpoints": ["m@http://h/v1"]}, "with other models (m, now m@http://h/v1)"),
        ({"of_tasks": {"a/b": {"limit": 3}}}, "with other options of single tasks"),
        ({"left_out": {"c/d": "no data"}}, "with other tasks left out"),
        ({"options": {**CONFIG["options"], "limit": 9}}, "with limit 6 (now 9)"),
        ({"options": {**CONFIG["options"], "limit": 6.0}}, "with limit 6 (now 6.0)"),
        ({"options": {**CONFIG["options"], "limit": None}}, "with limit 6 (now none)"),
        ({"options": {**CONFIG["options"], "new": True}}, "with new none (now true)"),
        ({"options": {**CONFIG["options"], "system": "x" * 58}}, f'with system none (now "{"x" * 58}")'),
        ({"options": {**CONFIG["options"], "system": "x" * 59}}, "with another system"),
        ({"options": {"settings": {"b": 2, "a": 1}, "system": None}}, "with limit 6 (now none)"),
        (
            {"endpoints": ["n"], "fingerprints": {"a/b": "g"}, "options": {"limit": 6, "system": "x"}, "version": "2"},
            'with other models (m, now n), other data (a/b), settings {"a":1,"b":2} (now none) and system none (now "x")',
        ),
    ],
)  # fmt: skip
def test_another_configuration_under_a_name_is_refused_with_what_differs(
    any_workspace: Workspace, changed: dict[str, Any], what: str
) -> None:
    run_records.begin_run(any_workspace, CONFIG, [], "1", "mine", "run")
    with pytest.raises(FolkwaysError) as refused:
        run_records.begin_run(any_workspace, CONFIG | changed, [], "1", "mine", "run")
    assert f"has a run named 'mine' {what}; choose another name=" in str(refused.value)


@pytest.mark.parametrize("name", ["last", "7", "", " ", "a\x1b[31mb", "x" * 129])
def test_what_is_no_name(any_workspace: Workspace, name: str) -> None:
    with pytest.raises(FolkwaysError):
        begin(any_workspace, "a", name)
    assert run_records.list_runs(any_workspace) == []


def task_of(name: str) -> run_records.RunTask:
    return run_records.RunTask(
        name, f"release of {name}", f"/root/{name}", f"print-{name}", {"b": [1], "a": name}
    )


def test_a_run_is_found_again_as_it_was_written_down(
    any_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By name, number and ``last``, which passes over what asked no tasks; and its tasks in the order they
    were asked for."""
    monkeypatch.setattr(run_records.time, "time", lambda: 1000.0)
    tasks = [task_of("z/late"), task_of("a/unnamed"), task_of("m/first")]
    config = {"x": 1, "tasks": ["m/first", "z/late"]}
    recipe = {"tasks": ["m/first"]}
    run, continued = run_records.begin_run(any_workspace, config, tasks, "1.2", "mine", "run", recipe)
    known = run_records.RunRecord(
        1, "mine", config, "run", "1.2", "planning", None, 1000.0, None, 0.0, recipe
    )
    assert (run, continued) == (known, False)
    other, _ = run_records.begin_run(any_workspace, {"tasks": ["a/a"]}, [task_of("a/a")], "1.2", None, "run")
    build, _ = run_records.begin_run(
        any_workspace, {"build": "questions"}, [], "1.2", None, "build questions"
    )
    aside, _ = run_records.begin_run(any_workspace, {"aside": "build-votes"}, [], "1.2", None, "build votes")
    assert run_records.list_runs(any_workspace) == [run, other, build, aside]
    assert [
        run_records.find_run(any_workspace, name)
        for name in ("mine", "1", "run-2", "2", "last", "3", "run-4")
    ] == [run, run, other, other, other, build, aside]
    assert run_records.find_asked_run(any_workspace, "1") == run
    with pytest.raises(FolkwaysError, match=r"run-3 belongs to folkways build questions:"):
        run_records.find_asked_run(any_workspace, "run-3")
    with pytest.raises(FolkwaysError, match=r"run-4 belongs to folkways build votes:"):
        run_records.find_asked_run(any_workspace, "4")
    with pytest.raises(UnknownNameError, match=r"run '5'\nvalid: mine, run-2"):
        run_records.find_run(any_workspace, "5")
    assert run_records.run_tasks(any_workspace, run) == [tasks[2], tasks[0], tasks[1]]
    assert run_records.run_tasks(any_workspace, other) == [task_of("a/a")]
    with any_workspace.read() as connection:  # what is the same is written the same way
        configs, options = (
            connection.scalars(sa.select(c)).all() for c in (schema.runs.c.config, schema.run_tasks.c.options)
        )
        assert '{"tasks":["m/first","z/late"],"x":1}' in configs
        assert '{"a":"z/late","b":[1]}' in options
    assert run_records.run_tasks(any_workspace, build) == []
    run_records.forget_run(any_workspace, run)
    assert run_records.list_runs(any_workspace) == [other, build, aside]
    run_records.forget_run(any_workspace, other)
    with pytest.raises(FolkwaysError, match="has asked tasks yet"):
        run_records.find_run(any_workspace, "last")


@pytest.mark.parametrize("planned", [False, True])
def test_who_cannot_ask_a_run_does_not_forget_it_while_another_goes_on_with_it(
    any_workspace: Workspace, planned: bool
) -> None:
    """The other forgets it, if it cannot either: nobody is left then."""
    mine = begin(any_workspace, "a", "one")
    if planned:
        mine = run_records.set_state(any_workspace, mine, "planned")
    theirs = begin(any_workspace, "a", "one")
    assert not run_records.forget_run(any_workspace, mine)
    assert run_records.list_runs(any_workspace) == [theirs]
    assert run_records.forget_run(any_workspace, theirs)
    again = begin(any_workspace, "a", "one")
    assert run_records.forget_run(any_workspace, run_records.set_state(any_workspace, again, "planned"))


def test_the_newest_unfinished_run_of_a_configuration_goes_on(any_workspace: Workspace) -> None:
    """With its name, a finished one too; without it, a finished one is done again."""
    named = begin(any_workspace, "a", "one")
    second = begin(any_workspace, "a", "two")
    begin(any_workspace, "b")

    def found() -> tuple[int, bool]:
        run, continued = run_records.begin_run(any_workspace, {"config": "a"}, [], "later", None, "run")
        return run.id, continued

    assert found() == (second.id, True)
    run_records.set_state(any_workspace, second, "finished")
    assert found() == (named.id, True)
    again, continued = run_records.begin_run(any_workspace, {"config": "a"}, [], "later", "two", "run")
    assert (again.id, again.state, continued) == (second.id, "finished", True)
    run_records.set_state(any_workspace, named, "finished")
    anew, continued = run_records.begin_run(any_workspace, {"config": "a"}, [], "later", None, "run")
    assert (anew.id, continued) == (4, False)


def test_states_are_of_one_run_and_its_seconds_add_up(
    any_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_records.time, "time", lambda: 1000.0)
    first, second, third = (begin(any_workspace, config) for config in "abc")
    run_records.set_state(any_workspace, first, "running", seconds=1.5)
    run_records.set_state(any_workspace, first, "stopped", reason="budget", seconds=2.0)
    run_records.set_state(any_workspace, second, "running")
    run_records.set_state(any_workspace, third, "asked")
    monkeypatch.setattr(run_records.time, "time", lambda: 2000.0)
    for run in (first, second):  # of neither was everything asked
        run_records.mark_scored(any_workspace, run)

    def stand() -> list[tuple[object, ...]]:
        return [
            (run.state, run.reason, run.finished, run.seconds) for run in run_records.list_runs(any_workspace)
        ]

    assert stand() == [
        ("stopped", "budget", 1000.0, 3.5),
        ("running", None, None, 0.0),
        ("asked", None, 1000.0, 0.0),
    ]
    run_records.mark_scored(any_workspace, third)
    assert stand()[2] == ("finished", None, 2000.0, 0.0)
    run_records.set_state(any_workspace, first, "running")
    assert stand()[0] == ("running", None, None, 3.5)


def test_endpoints_and_settings_have_one_number_each(any_workspace: Workspace) -> None:
    numbers = [run_records.endpoint_id(any_workspace, identity, "name") for identity in ("a", "b", "a")]
    assert numbers == [1, 2, 1]
    assert [run_records.settings_id(any_workspace, json) for json in ("{}", '{"seed":1}', "{}")] == [1, 2, 1]
    with any_workspace.read() as connection:
        assert connection.execute(sa.select(schema.endpoints)).all() == [(1, "a", "name"), (2, "b", "name")]


def test_expected_rows_are_taken_out_of_their_own_run_alone(any_workspace: Workspace) -> None:
    many = [f"question {number}" for number in range(1003)]
    empty = begin(any_workspace, "empty")
    first, _ = plan_prompts(any_workspace, "m", many, config="first")
    second, _ = plan_prompts(any_workspace, "m", many[:2], config="second")
    assert [run_records.last_ordinal(any_workspace, run) for run in (empty, first, second)] == [0, 1003, 2]
    run_records.forget_expected(any_workspace, first, [*range(1, 1001), 1002])
    with any_workspace.read() as connection:
        left = connection.execute(sa.select(schema.expected.c.run_id, schema.expected.c.ordinal)).all()
    assert sorted(left) == [(first.id, 1001), (first.id, 1003), (second.id, 1), (second.id, 2)]
    assert run_records.last_ordinal(any_workspace, second) == 2


@pytest.mark.parametrize(
    "before", ["planned", "asked", "stopped", "interrupted", "budget", "incomplete", "finished"]
)
def test_a_run_that_is_asked_again_has_no_trace_of_how_it_had_ended(
    any_workspace: Workspace, before: str
) -> None:
    """The first that asks it is told so, and no other."""
    run = begin(any_workspace, "a", "mine")
    run_records.set_state(any_workspace, run, before, reason="it had ended", seconds=2.5)
    assert [run_records.start_session(any_workspace, run) for _ in range(2)] == [True, False]
    asked = run_records.find_run(any_workspace, "mine")
    assert (asked.state, asked.reason, asked.finished, asked.seconds) == ("running", None, None, 2.5)
    run_records.set_state(any_workspace, run, "stopped", reason="again")
    assert run_records.start_session(any_workspace, run)
