"""Scoring what a run was told: nothing that was expected leaves the denominator."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import sqlalchemy as sa

from folkways.api import load_run, run
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.errors import FolkwaysError
from folkways.records import Signature
from folkways.runs.planning.plan import release_of
from folkways.runs.scores.scoring import score_run
from folkways.workspace import results, run_records, run_rows, schema
from folkways.workspace.database import open_workspace
from tests.support.blend_data import write_release
from tests.support.planned_runs import plan_prompts


def test_items_that_are_not_found_any_more_are_an_error_and_no_smaller_denominator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of folkways may give items other names."""
    asked = run("demo/mcq", models="baseline/first", workspace=tmp_path / "w.db")
    before = asked.scores()
    task = get_task("demo/mcq")
    items = task.items
    monkeypatch.setattr(
        type(task), "items", lambda _, release: items(release).filter(pl.col("culture") != "KR")
    )
    with pytest.raises(FolkwaysError, match=r"run-1 expects \d+ answers on demo/mcq, but only \d+"):
        asked.score("strict")
    assert asked.scores().equals(before, null_equal=True)


def test_pages_and_the_order_of_the_items_change_no_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Responses are read as they were planned; where the items of a release come in another order now, all
    are found as well."""
    release = write_release(tmp_path / "blend")
    asked = run(
        "blend/saq",
        models="baseline/random",
        releases={"blend": str(release)},
        samples=3,
        workspace=tmp_path / "w.db",
    )
    key = ["metric", "facet", "value"]
    scores, judged = asked.scores().sort(key), asked.judgements()
    task = get_task("blend/saq")
    items = task.items
    for size, order in ((5, 1), (4000, -1), (5, -1)):
        monkeypatch.setattr(run_rows, "PAGE", size)
        batches = lambda _, of, order=order: iter([*items(of).iter_slices(2)][::order])  # noqa: E731
        monkeypatch.setattr(type(task), "item_batches", batches)
        asked.score()
        assert asked.scores().sort(key).equals(scores, null_equal=True)
        assert asked.judgements().equals(judged, null_equal=True)


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


def test_data_that_changed_with_a_package_are_those_of_its_older_version() -> None:
    release = open_release("demo", "demo")
    task = run_records.RunTask("demo/mcq", release.name, str(release.root), "deadbeef", {})
    with pytest.raises(FolkwaysError, match="they come with folkways: install the version that planned"):
        release_of(task)


def test_a_release_is_read_where_the_run_read_it_though_it_lies_elsewhere_too(tmp_path: Path) -> None:
    folder, copy = write_release(tmp_path / "blend"), write_release(tmp_path / "copy")
    planned = open_release(str(folder), "blend")
    task = run_records.RunTask("blend/saq", str(copy), str(planned.root), planned.fingerprint, {})
    assert release_of(task).root == planned.root
    shutil.rmtree(folder)
    assert release_of(task).root == copy.absolute()


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
    found = score_run(
        workspace, run_records.find_run(workspace, "mine"), "strict", "nothing that these tasks know"
    )
    assert (found.profiles, found.problems) == ({"demo/true-false": "strict", "demo/mcq": "strict"}, ())
    assert run_records.find_run(workspace, "mine").state == "finished"
    stored = results.load_scores(workspace, run_records.find_run(workspace, "mine"))
    order = ["task", "endpoint", "metric", "facet", "value"]
    assert stored.sort(order).equals(found.scores.sort(order), null_equal=True)
    assert asked.scores().sort(order).equals(found.scores.sort(order), null_equal=True)
    parts = [(task, endpoint) for task in tasks for endpoint in ("baseline/first", "baseline/echo")]
    assert found.scores.select("task", "endpoint").unique(maintain_order=True).rows() == parts
    assert results.load_scores(workspace, run_records.find_run(workspace, "other")).equals(
        other, null_equal=True
    )


ALL = {"judgements", "scores"}


class Again:
    """A finished run that is started again, in a workspace that counts the judgements and scores it is told
    to store."""

    def __init__(self, path: Path, *tasks: str, **options: Any) -> None:
        self.path, self.tasks, self.options = path, tasks or ("demo/mcq",), options
        with open_workspace(path).write() as connection:
            connection.exec_driver_sql("CREATE TABLE told (what TEXT)")
            for table, event in product(sorted(ALL), ("INSERT", "UPDATE")):
                connection.exec_driver_sql(
                    f"CREATE TRIGGER {table}_{event} AFTER {event} ON {table} BEGIN INSERT INTO told "
                    f"VALUES ('{table}'); END"
                )
        assert self.stored() == ALL

    def stored(self, **options: Any) -> set[str]:
        """What is stored when the run is started once more; it is finished then."""
        done = run(
            list(self.tasks),
            models="baseline/first",
            workspace=self.path,
            name="mine",
            **self.options,
            **options,
        )
        assert done.record.state == run_records.find_run(done.workspace, "mine").state == "finished"
        return self.told()

    def told(self) -> set[str]:
        """What was stored since it was looked at last."""
        with open_workspace(self.path).write() as connection:
            told = set(connection.exec_driver_sql("SELECT what FROM told").scalars())
            connection.exec_driver_sql("DELETE FROM told")
        return told

    def change(self, statement: sa.Update | sa.Delete) -> None:
        """What somebody else did in the workspace meanwhile."""
        with open_workspace(self.path).write() as connection:
            assert connection.execute(statement).rowcount
        self.told()

    def take_back_a_reply(self) -> None:
        """What somebody does who deletes it."""
        workspace = open_workspace(self.path)
        with workspace.read() as connection:
            key = connection.scalar(sa.select(schema.expected.c.key).limit(1))
        self.change(sa.delete(schema.responses).where(schema.responses.c.key == key))
        run_records.set_state(workspace, run_records.find_run(workspace, "mine"), "stopped")
        self.told()


def test_a_finished_run_that_is_started_again_is_not_scored_again(tmp_path: Path) -> None:
    again = Again(tmp_path / "w.db", "demo/mcq", "demo/true-false")
    before = load_run("mine", again.path)
    judgements, scores = before.judgements(), before.scores()
    assert again.stored() == again.stored() == set()
    after = load_run("mine", again.path)
    assert after.judgements().equals(judgements)
    assert after.scores().equals(scores, null_equal=True)
    after.score()
    assert again.told() == ALL  # who asks for scores gets new ones


def test_a_new_profile_is_scored_once_and_scores_of_other_text_tools_are_made_again(tmp_path: Path) -> None:
    again = Again(tmp_path / "w.db", "blend/saq", releases={"blend": str(write_release(tmp_path / "blend"))})
    assert [again.stored(profile="strict"), again.stored(profile="strict"), again.stored()] == [
        ALL,
        set(),
        set(),
    ]
    load_run("mine", again.path).score(text_tools="simple")
    assert again.told() == ALL
    assert [again.stored(profile="strict"), again.stored(), again.stored()] == [set(), ALL, set()]


@pytest.mark.parametrize(
    ("changed", "value"),
    [("folkways", "0.0.1"), ("text-en", "another 1.0"), ("models", "absent"), ("profile", "draft")],
)
def test_scores_that_were_made_by_another_rule_are_made_again(
    tmp_path: Path, changed: str, value: str
) -> None:
    again = Again(tmp_path / "w.db")
    parts = next(
        iter(
            results.load_signatures(open_workspace(again.path), load_run("mine", again.path).record).values()
        )
    ).parts
    again.change(sa.update(schema.scores).values(signature=Signature({**parts, changed: value}).json()))
    assert [again.stored(), again.stored()] == [ALL, set()]


def test_new_replies_are_judged(tmp_path: Path) -> None:
    """Those that this run asked for, and those that another run asked for and that it shares."""
    again = Again(tmp_path / "w.db")
    again.take_back_a_reply()
    assert [again.stored(), again.stored()] == [ALL, set()]
    again.take_back_a_reply()
    run("demo/mcq", models="baseline/first", workspace=again.path, name="other")
    assert again.told() == ALL
    assert [again.stored(), again.stored()] == [ALL, set()]


def test_what_was_judged_by_halves_is_judged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scoring that ends halfway leaves some judgements of the new rule and the scores of the old one."""
    again = Again(tmp_path / "w.db")
    with monkeypatch.context() as patched:
        patched.setattr(results, "save_scores", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            load_run("mine", again.path).score()
    assert load_run("mine", again.path).record.state == "asked"
    assert again.told() == {"judgements"}
    assert [again.stored(), again.stored()] == [ALL, set()]


def test_a_task_of_another_package_is_always_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rule may have changed under the same version of folkways."""
    again = Again(tmp_path / "w.db")
    monkeypatch.setattr(type(get_task("demo/mcq")), "__module__", "somebody.elses")
    assert again.stored() == ALL
