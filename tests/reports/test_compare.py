"""What two models may be compared by, and where they were not asked alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from folkways.api import run
from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.evidence.conditions import unlike_notes, unlike_parts
from folkways.runs.results.compare import (
    NotJudgedError,
    check_facet,
    check_measured,
    common_tasks,
    compare,
    metric_of,
)
from folkways.runs.results.find_models import StoredModel
from folkways.workspace.database import open_workspace
from folkways.workspace.results import Part
from tests.support.blend_data import write_release


def test_a_metric_is_found_by_name_and_label() -> None:
    task = get_task("blend/saq")
    first, second, third, *_ = task.metrics
    assert metric_of(task, None) is first
    assert metric_of(task, None, {third.name, second.name}) is second
    for metric in task.metrics:
        assert metric_of(task, metric.name) is metric_of(task, metric.label) is metric
    with pytest.raises(
        UnknownNameError, match=f"unknown metric of blend/saq: 'nope'\nvalid: .*{task.metrics[0].name}"
    ):
        metric_of(task, "nope")


def test_judgements_without_the_metric_name_those_they_have() -> None:
    task = get_task("blend/saq")
    first, second, *_ = task.metrics
    with_second = pl.DataFrame({second.name: [1.0]})
    check_measured([with_second], second, task)
    with pytest.raises(
        NotJudgedError, match=f"metric {first.name} is not .*compare by one of {second.name}$"
    ):
        check_measured([with_second], first, task)


def test_a_metric_without_a_value_is_not_in_the_judgements_unless_a_rule_leaves_it_out() -> None:
    task = get_task("blend/saq")
    first, second, *_ = task.metrics
    empty = pl.DataFrame({first.name: [None], second.name: [1.0]}, schema_overrides={first.name: pl.Float64})
    with pytest.raises(NotJudgedError, match=f"compare by one of {second.name}$"):
        check_measured([empty, empty], first, task)
    check_measured([empty, empty], replace(first, leaves_out=True), task)
    check_measured([empty, empty.with_columns(pl.lit(1.0).alias(first.name))], first, task)


def test_a_facet_is_one_that_all_judgements_have() -> None:
    task = get_task("blend/saq")
    base = pl.DataFrame(schema=["culture", "language", "variant", "topic", "odd"])
    for name in ("culture", "language", "variant", "topic"):
        check_facet(name, task, {"a": base, "b": base})
    for name, other in (("odd", base), ("topic", base.drop("topic"))):
        with pytest.raises(UnknownNameError, match=f"facet of blend/saq: '{name}'\nvalid: culture, language"):
            check_facet(name, task, {"a": base, "b": other})


def test_a_facet_that_older_judgements_lack_though_scores_have_it_says_how_to_get_it() -> None:
    task, base = get_task("survey/opinions"), pl.DataFrame({"culture": ["DE"]})
    with pytest.raises(UnknownNameError, match=r"valid: culture\nruns judged .*: folkways score RUN"):
        check_facet("condition", task, {"a": base}, {"condition"})
    with pytest.raises(UnknownNameError, match=r"valid: culture$"):
        check_facet("condition", task, {"a": base})


def asked(*tasks: str) -> StoredModel:
    return StoredModel(None, "m", f"m of {len(tasks)}", tuple(Part(1, "m", task, 1) for task in tasks))  # type: ignore[arg-type]


def test_tasks_are_those_in_common_in_the_order_that_is_asked_for() -> None:
    models = [asked("demo/saq", "demo/mcq", "blend/saq"), asked("demo/mcq", "demo/saq")]

    def names(wanted: tuple[str, ...] | str | None) -> list[str]:
        return [task.name for task in common_tasks(models, wanted)]

    assert names(None) == ["demo/saq", "demo/mcq"]
    assert names(("demo/mcq", "blend/saq", "demo/saq")) == ["demo/mcq", "demo/saq"]
    assert names("demo/saq") == ["demo/saq"]
    with pytest.raises(
        FolkwaysError, match=r"no such task in common \(m of 3: demo/saq, .*; m of 2: demo/mcq, demo/saq\)"
    ):
        names("blend")
    with pytest.raises(FolkwaysError, match=r"no task in common"):
        common_tasks([asked("demo/saq"), asked("demo/mcq")], None)


def test_what_signatures_differ_in_is_told_but_for_how_much_was_asked() -> None:
    signatures = {
        "a": {"data": "x", "prompts": "p:1", "limit": "3", "seed": "0", "cultures": "all", "same": "s"},
        "b": {"data": "y", "prompts": "p:2", "limit": "4", "cultures": "KR", "sampling": "5", "same": "s"},
    }
    assert unlike_parts(signatures) == ["data", "prompts", "seed"]
    assert unlike_notes(signatures) == [
        "Not asked or judged alike, data: a x; b y.",
        "Items with the same name may be different questions in different data: read the differences "
        "with care.",
        "Not asked or judged alike, prompts: a p:1; b p:2.",
        "Not asked or judged alike, seed: a 0; b none.",
    ]
    assert unlike_notes({"a": {"data": "x", "seed": "1"}, "b": {"data": "x", "seed": "1"}}) == []


def test_settings_of_baselines_tell_nothing() -> None:
    ours = {"settings": "temperature=0.5", "data": "x"}
    assert unlike_parts({"a": ours, "baseline/first": {"settings": "temperature=0.0", "data": "x"}}) == []
    both = {
        "a": ours,
        "b": {**ours, "settings": "top_p=1"},
        "baseline/first": {"settings": "temperature=0.0", "data": "y"},
    }
    assert unlike_notes(both)[0] == "Not asked or judged alike, settings: a temperature=0.5; b top_p=1."
    assert unlike_notes(both)[1] == "Not asked or judged alike, data: a and b x; baseline/first y."


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three models, of two tasks whose metrics have other names."""
    path = tmp_path_factory.mktemp("compare") / "w.db"
    models = ["baseline/first", "baseline/echo", "baseline/random"]
    run(["demo/mcq", "demo/true-false"], models=models, workspace=path, name="mine")
    return path


def test_a_comparison_is_of_the_models_tasks_and_facet_that_are_asked_for(workspace: Path) -> None:
    told: list[str] = []
    found = compare(workspace=workspace, tell=told.append, by="language")
    assert [(one.task, one.by, one.metric.name, one.profile) for one in found] == [
        ("demo/mcq", "language", "correct", "strict"),
        ("demo/true-false", "language", "all_right", "strict"),
    ]
    assert found[0].models == ("baseline/first", "baseline/echo", "baseline/random")
    assert told == []
    (pair,) = compare(
        "first", "echo", runs="mine", workspace=open_workspace(workspace), tasks="demo/mcq", profile="strict"
    )
    assert (pair.models, pair.by, pair.notes) == (("baseline/first", "baseline/echo"), "culture", ())


def test_what_cannot_be_compared_is_told_unless_it_was_asked_for(workspace: Path) -> None:
    told: list[str] = []
    (found,) = compare(workspace=workspace, metric="right", tell=told.append)
    assert (found.task, found.metric.name) == ("demo/true-false", "right")
    assert len(told) == 1 and told[0].startswith("left out: demo/mcq (unknown metric of demo/mcq: 'right'")
    for tasks in ("demo/mcq", ("demo/true-false", "demo/mcq")):
        with pytest.raises(UnknownNameError, match="unknown metric of demo/mcq: 'right'"):
            compare(workspace=workspace, metric="right", tasks=tasks, tell=told.append)
    with pytest.raises(UnknownNameError, match="unknown metric of demo/mcq: 'nope'"):
        compare(workspace=workspace, metric="nope", tell=told.append)
    with pytest.warns(UserWarning, match="left out: demo/mcq"):
        compare(workspace=workspace, tasks="demo", metric="right")
    with pytest.raises(FolkwaysError, match=r"two models or more, got baseline/echo of mine\n"):
        compare("echo", workspace=workspace)
    assert len(told) == 1


def test_what_reports_never_pool_is_told_of_the_whole_and_compared_apart(tmp_path: Path) -> None:
    conditions = ["one", "two", "country-one", "country-two"]
    for task, facet, more, parts in (
        ("survey/opinions", "condition", {"variants": conditions}, {"as it is", "country"}),
        ("blend/saq", "asked_in", {"releases": {"blend": str(write_release(tmp_path / "own"))}}, None),
    ):
        workspace = open_workspace(tmp_path / f"{facet}.db")
        run([task], models=["baseline/first", "baseline/random"], workspace=workspace, name="whole", **more)
        (found,) = compare(workspace=workspace)
        (note,) = (note for note in found.notes if note.startswith("The whole is of "))
        (apart,) = compare(workspace=workspace, by=facet)
        assert not any(note.startswith("The whole is of ") for note in apart.notes)
        shown = set(apart.differences.filter(facet=facet)["value"])
        assert len(shown) == 2 and (parts is None or shown == parts)
        assert all(f'"{name}"' in note for name in shown) and note.endswith(
            f"together; folkways compare has each with by={facet!r}."
        )
    english = {"languages": "en", "cultures": "KR", "releases": more["releases"]}
    run([task], models=["baseline/echo"], workspace=workspace, name="english", **english)
    (found,) = compare("baseline/echo", "baseline/first@whole", workspace=workspace)
    assert not any(note.startswith("The whole is of ") for note in found.notes)
    run(["survey/opinions"], models=["baseline/first", "baseline/random"], workspace=tmp_path / "one.db")
    (found,) = compare(workspace=tmp_path / "one.db")
    assert not any("together" in note for note in found.notes)
