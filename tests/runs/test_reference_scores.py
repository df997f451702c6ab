"""What people and guessing score on a run's items: made when the run is scored, stored with it, and only read
after that."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest
import sqlalchemy as sa

from folkways.api import Run, run
from folkways.records import SCORES, Subject
from folkways.reports.data import PEOPLE
from folkways.workspace import results, schema
from tests.reports.test_people import with_raw_answers
from tests.support.blend_data import write_release
from tests.support.culturalbench_data import culturalbench_rows, write_culturalbench
from tests.support.semeval_data import write_semeval


@pytest.fixture
def guessed(tmp_path: Path) -> Run:
    """A run of a task with baselines, one of which was also asked."""
    easy, hard = culturalbench_rows()
    data = tmp_path / "data"
    data.mkdir()
    write_culturalbench(data, easy[:40], hard[:160])
    models = ["baseline/first", "baseline/constant:A"]
    return run(
        "culturalbench/easy",
        models=models,
        workspace=tmp_path / "w.db",
        releases={"culturalbench": str(data)},
    )


def stored(asked: Run, subject: Subject) -> pl.DataFrame:
    return results.load_scores(asked.workspace, asked.record, subject)


def change(asked: Run, statement: sa.Update | sa.Delete) -> None:
    with asked.workspace.write() as connection:
        connection.execute(statement)


def test_baselines_are_stored_apart_from_the_models_for_each_profile(guessed: Run) -> None:
    guessed.score("lenient")
    guessed.score("lenient")
    found = stored(guessed, Subject.BASELINE)
    whole = found.filter(facet="all", metric="right").select("endpoint", "profile").rows()
    names = {name for name, _ in whole}
    assert "baseline/chance" in names
    assert sorted(whole) == sorted((name, profile) for name in names for profile in ("paper", "lenient"))
    assert set(guessed.scores()["endpoint"]) == {"baseline/first", "baseline/constant:A"}
    assert found["signature"].str.contains("|baseline:expectation", literal=True).all()
    shown = guessed.report_data().scores
    assert names <= set(shown["endpoint"])
    asked = shown.filter(endpoint="baseline/constant:A", facet="all", metric="right", profile="paper")
    assert asked["signature"].str.contains("|prompts:", literal=True).to_list() == [True], (
        "the one that was asked wins"
    )


def test_guessing_is_scored_where_no_people_are_known(tmp_path: Path) -> None:
    data = {"semeval2026": str(write_semeval(tmp_path / "data"))}
    asked = run("semeval2026/mcq", models=["baseline/first"], workspace=tmp_path / "w.db", releases=data)
    assert "baseline/chance" in set(stored(asked, Subject.BASELINE)["endpoint"])


def test_a_report_takes_what_is_stored_and_makes_nothing_anew(guessed: Run) -> None:
    of = schema.scores.c.subject == Subject.BASELINE
    change(guessed, sa.update(schema.scores).where(of).values(score=12.5))
    shown = guessed.report_data().scores.filter(endpoint="baseline/chance")
    assert set(shown["score"]) == {12.5}


def test_a_run_that_was_scored_before_they_were_stored_says_so_until_it_is_scored_again(guessed: Run) -> None:
    assert not any("earlier folkways" in warning for warning in guessed.report_data().warnings)
    change(guessed, sa.delete(schema.scores).where(schema.scores.c.subject == Subject.BASELINE))
    before = guessed.report_data()
    assert [
        warning
        for warning in before.warnings
        if "earlier folkways" in warning and "folkways score run-1" in warning
    ]
    assert set(before.scores["endpoint"]) == {"baseline/first", "baseline/constant:A"}
    guessed.score()
    after = guessed.report_data()
    assert "baseline/chance" in set(after.scores["endpoint"])
    assert not any("earlier folkways" in warning for warning in after.warnings)


def test_stored_scores_are_there_when_the_release_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLKWAYS_DATA", str(tmp_path / "nothing"))
    release = with_raw_answers(write_release(tmp_path / "made"))
    models, chosen = "baseline/constant:tea", {"blend": str(release)}
    asked = run(
        "blend/saq", models=models, workspace=tmp_path / "w.db", releases=chosen, cultures=["KR", "ES"]
    )
    people = asked.report_data().people
    shutil.rmtree(release)
    alone = asked.report_data(with_judgements=False)
    assert alone.people.equals(people, null_equal=True) and people.height > 10
    assert alone.people.schema == pl.Schema(SCORES) and set(people["endpoint"]) == {PEOPLE}
    assert alone.scores.equals(asked.scores(), null_equal=True)
    assert set(alone.signatures) == {*people["signature"], *asked.scores()["signature"]}
