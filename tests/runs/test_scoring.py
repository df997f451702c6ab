"""Scoring what a run was told: nothing that was expected leaves the denominator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from folkways.api import run
from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError
from folkways.releases.store import open_release
from folkways.runs.scores.scoring import release_of, score_run
from folkways.workspace import results, run_records
from folkways.workspace.database import open_workspace
from tests.support.blend_data import write_release
from tests.support.planned import plan_prompts


def test_items_that_are_not_found_any_more_are_an_error_and_no_smaller_denominator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of folkways may give items other names."""
    asked = run("demo/mcq", models="baseline/first", workspace=tmp_path / "w.db")
    before = asked.scores()
    task = get_task("demo/mcq")
    items = task.items
    monkeypatch.setattr(type(task), "items", lambda _, release: items(release).filter(pl.col("culture") != "KR"))
    with pytest.raises(FolkwaysError, match=r"run-1 expects \d+ answers on demo/mcq, but only \d+"):
        asked.score("strict")
    assert asked.scores().equals(before, null_equal=True)


def test_a_release_is_found_by_its_name_or_where_it_was_as_long_as_it_is_the_same(tmp_path: Path) -> None:
    folder, other = write_release(tmp_path / "blend"), write_release(tmp_path / "other")
    extra = other / "questions" / "US_questions.csv"
    extra.write_bytes(extra.read_bytes().replace(b"a", b"e"))
    release, changed = (open_release(str(place), "blend") for place in (folder, other))
    assert release.fingerprint != changed.fingerprint
    known = run_records.RunTask("blend/saq", release.name, str(release.root), release.fingerprint, {})
    named = replace(known, release=str(folder), root=str(tmp_path / "gone"))

    def found(task: run_records.RunTask) -> str | None:
        """The fingerprint of what is found; what is wrong otherwise."""
        try:
            return str(release_of(task).fingerprint)
        except FolkwaysError as error:
            return "changed" if "have changed since the run was planned" in str(error) else str(error)

    gone = str(tmp_path / "gone")
    told = [
        found(task)
        for task in (
            known,
            named,
            replace(known, release=gone),
            replace(known, release=str(other)),
            replace(known, fingerprint="x"),
            replace(named, root=str(other), release=gone),
            replace(named, release=str(other)),
        )
    ]
    assert told == [release.fingerprint] * 4 + ["changed"] * 3
    first, second = tmp_path / "first", tmp_path / "second"
    neither = found(replace(known, release=str(first), root=str(second)))
    assert neither is not None and "first" in neither and "second" not in neither
    moved = replace(known, release="dir:blend", root=gone)
    assert "gone" in str(found(moved)) and "dir:blend" not in str(found(moved))


def test_a_run_that_asked_no_benchmark_is_not_scored(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    built, _ = plan_prompts(workspace, "m", ["a"])
    with pytest.raises(FolkwaysError, match="run-1 asked no questions of a benchmark"):
        score_run(workspace, built)


def test_a_run_is_scored_part_by_part_and_is_finished_with_that(tmp_path: Path) -> None:
    """Text tools are for the tasks that use any. What another run of the same models has is its own."""
    path = tmp_path / "w.db"
    tasks = ["demo/true-false", "demo/mcq"]
    asked = run(tasks, models=["baseline/first", "baseline/echo"], workspace=path, name="mine")
    run(["demo/mcq"], models=["baseline/first"], workspace=path, name="other", limit=3)
    workspace = open_workspace(path)
    other = results.load_scores(workspace, run_records.find_run(workspace, "other"))
    run_records.set_state(workspace, run_records.find_run(workspace, "mine"), "asked")
    found = score_run(workspace, run_records.find_run(workspace, "mine"), "strict", "nothing that these tasks know")
    assert (found.profiles, found.problems) == ({"demo/true-false": "strict", "demo/mcq": "strict"}, ())
    assert run_records.find_run(workspace, "mine").state == "finished"
    stored = results.load_scores(workspace, run_records.find_run(workspace, "mine"))
    order = ["task", "endpoint", "metric", "facet", "value"]
    assert stored.sort(order).equals(found.scores.sort(order), null_equal=True)
    assert asked.scores().sort(order).equals(found.scores.sort(order), null_equal=True)
    parts = [(task, endpoint) for task in tasks for endpoint in ("baseline/first", "baseline/echo")]
    assert found.scores.select("task", "endpoint").unique(maintain_order=True).rows() == parts
    assert results.load_scores(workspace, run_records.find_run(workspace, "other")).equals(other, null_equal=True)
