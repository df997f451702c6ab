"""Tasks whose headline is by a facet: BLEnD's short answers in the local language and in English, in every
output."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from folkways.api import run
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.summary import ENGLISH, LOCAL
from folkways.display import number
from folkways.endpoints.baselines import BaselineEndpoint
from folkways.reports.data import ReportData
from folkways.reports.formats.markdown import render_markdown
from folkways.reports.formats.terminal import terminal_summary
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.scores import scores_table
from folkways.reports.views.views import ReportView
from tests.support.blend_data import write_release

MODELS = ("lab/tea", "lab/coffee")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    """Two models that always say the same, asked about three cultures, one of which speaks English."""
    folder = tmp_path_factory.mktemp("headline")
    said = {"lab/tea": "barley tea", "lab/coffee": "café, coffee"}
    models = [BaselineEndpoint(name, name[4:], lambda _, text=text: text) for name, text in said.items()]  # type: ignore[misc]
    release = str(write_release(folder / "made"))
    return run(
        "blend/saq", models=models, workspace=str(folder / "w.db"), releases={"blend": release}
    ).report_data()


def printed(what: object) -> str:
    console = Console(width=160)
    with console.capture() as captured:
        console.print(what)
    return captured.get()


def test_each_model_has_two_rows_whose_counts_are_those_of_the_whole(data: ReportData) -> None:
    (task,) = ReportView(data).tasks
    assert [(score.endpoint, score.value) for score in task.headline] == [
        (score.endpoint, value) for score in task.whole for value in (LOCAL, ENGLISH)
    ]
    for whole in task.whole:
        groups = [score for score in task.headline if score.endpoint == whole.endpoint]
        assert sum(score.n for score in groups) == whole.n
        assert sum(score.n * score.score for score in groups) == pytest.approx(whole.n * whole.score)
        assert groups[0].score != groups[1].score
    sem_b = data.scores.filter(metric="sem_b", endpoint="lab/tea")
    in_english = sem_b.filter(facet="language", value="en")["n"].item()
    american = sem_b.filter(facet="culture", value="US")["n"].item()
    english = next(score.n for score in task.headline if score.value == ENGLISH)
    assert english == in_english - american, "English is the language of the United States"


def test_run_table_leaderboard_markdown_and_judge_show_both_and_the_pool_only_among_the_scores(
    data: ReportData,
) -> None:
    view = ReportView(data)
    (task,) = view.tasks
    pooled = {f"{score.score:.1f}" for score in task.whole} - {
        f"{score.score:.1f}" for score in task.headline
    }
    table = printed(terminal_summary(data))
    for value in (LOCAL, ENGLISH):
        assert table.count(value) == 2
    board = Leaderboard(view)
    names = [f"{name}, {value}" for name in ("tea", "coffee") for value in (LOCAL, ENGLISH)]
    assert (
        sorted(row.name for row in board.rows(task))
        == sorted(row.name for row in board.first(task))
        == sorted(names)
    )
    assert sum(row.rank is not None for row in board.rows(task)) == len(board.ranks(task)), (
        "one rank for each model"
    )
    assert "SEM-B, local language" in render_markdown(view)
    judged = printed(scores_table(get_task("blend/saq"), data.scores.filter(endpoint="lab/tea")))
    assert "SEM-B, local language" in judged
    assert "SEM-B, English" in judged
    of_tea = [score for score in task.headline if score.endpoint == "lab/tea"]
    for score in of_tea:
        (line,) = [line for line in judged.splitlines() if line.startswith(f"SEM-B, {score.value}")]
        assert f" {number(score.score, 2)} " in line and f" {score.n} " in line
    assert not any(line.startswith("SEM-B ") for line in judged.splitlines())
    assert pooled, "the pool differs from both, so that its absence can be seen"
    assert not any(f" {score} " in table for score in pooled)


def test_one_language_or_no_declaration_is_one_row(data: ReportData, tmp_path: Path) -> None:
    (task,) = ReportView(replace(data, headline_by={})).tasks
    assert task.headline == task.whole
    models = [BaselineEndpoint("lab/tea", "tea", lambda _: "tea")]
    chosen = {
        "languages": ("en",),
        "cultures": ("KR",),
        "releases": {"blend": str(write_release(tmp_path / "made"))},
    }
    one = run("blend/saq", models=models, workspace=str(tmp_path / "w.db"), **chosen)  # type: ignore[arg-type]
    (alone,) = ReportView(one.report_data()).tasks
    assert alone.headline == alone.whole
    assert len(alone.whole) == 1
