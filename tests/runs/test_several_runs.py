"""Reports of several runs, of which a model was asked the same in two, or which are one run by two names."""

from __future__ import annotations

import polars as pl
import pytest

import folkways
from folkways.api import Run
from folkways.runs.results.report import collect, verdict_on_runs
from folkways.workspace.database import open_workspace
from folkways.workspace.run_records import find_asked_runs


def changing(prompt: str, system: str | None = None) -> str:
    """Another letter for each system prompt."""
    return f"The answer is {'B' if system else 'A'}."


def steady(prompt: str) -> str:
    return "C"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """All questions without a system prompt, those about two cultures with one, and those about a third."""
    workspace = open_workspace(tmp_path_factory.mktemp("several") / "w.db")
    models = [changing, steady]
    return [
        folkways.run("demo/mcq", models, name="first", workspace=workspace),
        folkways.run("demo/mcq", models, name="second", workspace=workspace, system="Think.", cultures="KR,ET"),
        folkways.run("demo/mcq", models, name="third", workspace=workspace, cultures="DE"),
    ]  # fmt: skip


KEY = ["endpoint", "item", "profile"]


def test_what_two_runs_asked_a_model_counts_once_as_the_later_one_has_it(runs: list[Run]) -> None:
    first, second, _ = runs
    later = second.judgements()
    expected = pl.concat([first.judgements().join(later, on=KEY, how="anti"), later])
    told = collect(first.workspace, [first.record, second.record])
    assert told.replies is not None
    columns = [*KEY, "answer", "correct", "response"]
    assert (
        told.with_responses().judgements.select(columns).sort(KEY).equals(expected.select(columns).sort(KEY))
    )
    assert set(told.judgements["response"].unique()) == {None}
    turned = collect(first.workspace, [second.record, first.record], with_judgements=False, with_verdict=True)
    of_first = first.judgements().select(*KEY, "correct").sort(KEY)
    assert turned.judgements.select(*KEY, "correct").sort(KEY).equals(of_first)


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (1, 2), (2, 1), (2, 1, 0)])
def test_a_score_over_what_two_runs_asked_is_of_all_that(runs: list[Run], order: tuple[int, ...]) -> None:
    records = [runs[number].record for number in order]
    data = collect(runs[0].workspace, records)
    whole = data.scores.filter(metric="correct", facet="all")
    for endpoint, rows in data.judgements.group_by("endpoint"):
        (score,) = whole.filter(pl.col("endpoint").cast(pl.String) == str(endpoint[0])).to_dicts()
        assert score["n"] == rows.height
        assert score["score"] == pytest.approx(100 * rows["correct"].mean())
        of_cultures = data.scores.filter(
            metric="correct", facet="culture", endpoint=str(endpoint[0]), profile=score["profile"]
        )
        assert of_cultures["n"].sum() == score["n"]
        assert score["signature"] in data.signatures
    without = collect(runs[0].workspace, records, with_judgements=False).scores
    assert without.equals(data.scores)


def test_a_run_that_is_named_twice_is_one(runs: list[Run]) -> None:
    workspace = runs[0].workspace
    found = find_asked_runs(workspace, ["third", "last", "1", "first", "3"])
    assert [run.name for run in found] == ["third", "first"]
    one, both = (verdict_on_runs(names, workspace=workspace) for names in (["last"], ["last", "third"]))
    assert one == both
    (named,) = folkways.compare("changing", "steady", runs=["third", "last"], workspace=workspace)
    (alone,) = folkways.compare("changing", "steady", runs="third", workspace=workspace)
    assert named.models == alone.models and named.differences.equals(alone.differences)
