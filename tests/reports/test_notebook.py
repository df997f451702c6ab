"""What notebooks show: the numbers of the report, and nothing of what a model said that could act."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from markupsafe import escape

import folkways
from folkways import api
from folkways.api import Scores
from folkways.benchmarks.tables import Table
from folkways.display import interval, number
from folkways.engine.progress import ModelProgress
from folkways.reports.data import ReportData
from folkways.reports.formats.notebook import MOST_ROWS, run_html, scores_html, tables_html
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.verdicts import verdict_of
from folkways.reports.views.views import ReportView
from folkways.runs.notebook_progress import bars, in_notebook
from folkways.runs.options import AskOptions

ACTS = re.compile(r"<(script|img src=x|svg onload)", re.IGNORECASE)


def test_a_run_shows_the_verdict_the_matrix_and_the_map(data: ReportData) -> None:
    view = ReportView(data)
    shown = run_html(view)
    assert escape(verdict_of(Leaderboard(view)).text) in shown
    for row in (
        data.scores.filter(facet="all", metric="sem_b", task="blend/saq").head(2).iter_rows(named=True)
    ):
        cell = f">{number(row['score'])} ({interval(row['low'], row['high'], '–')})"
        assert cell in shown
    assert shown.count("<img") == 1 and "data:image/svg+xml;base64," in shown


def sides(shown: str) -> list[str]:
    """How the columns of each table are aligned, a letter for each."""
    tables = re.findall(r"<thead>(.*?)</thead>", shown)
    return ["".join(side[0] for side in re.findall(r"text-align:(\w+)", table)) for table in tables]


def test_names_stand_on_the_left_and_numbers_on_the_right(data: ReportData) -> None:
    matrix, expenses = sides(run_html(ReportView(data)))
    assert re.fullmatch("lr+", matrix) and re.fullmatch("lr+", expenses)
    assert sides(scores_html(data.scores)) == ["lllllrrrr"]
    tables = tables_html([Table("x", "X", "", pl.DataFrame({"model": ["a"], "score": ["1"]}))])
    assert sides(tables) == ["lr"]


@pytest.mark.parametrize(("rows", "more"), [(MOST_ROWS, ""), (MOST_ROWS + 1001, "and 1,001 more rows")])
def test_scores_beyond_the_first_are_counted(rows: int, more: str, data: ReportData) -> None:
    shown = scores_html(pl.concat([data.scores.head(1)] * rows))
    assert shown.count("<tr>") == MOST_ROWS + 1
    assert re.sub(".*</table>(<p>)?|(</p>)?</div>", "", shown) == more


def test_nothing_that_a_model_said_or_was_called_acts(hostile: ReportData) -> None:
    for shown in (run_html(ReportView(hostile)), scores_html(hostile.scores)):
        assert "pwned" in shown
        assert not ACTS.search(shown)
        assert "\u202e" not in shown


def test_scores_are_named_and_bounded_and_parts_of_them_are_shown_as_polars_does(data: ReportData) -> None:
    whole = Scores(data.scores)._repr_html_()
    assert whole.count("<tr>") == min(data.scores.height, MOST_ROWS) + 1
    assert "gpt-4o-mini" in whole and "shape:" not in whole
    assert "shape:" in Scores(data.scores.select("score", "low"))._repr_html_()


def test_a_comparison_and_an_item_show_themselves(tmp_path: Path) -> None:
    where = tmp_path / "w.db"
    run = folkways.run(
        "demo/saq", models=["baseline/first", "baseline/random"], workspace=where, cultures="KR"
    )
    assert "No model was asked" in run._repr_html_() and "random" in run._repr_html_()
    compared = folkways.compare("first", "random", workspace=where)
    assert "against" in compared._repr_html_()
    name = run.judgements()["item"][0]
    known = folkways.item(f"demo/saq:{name}", workspace=where)
    assert known._repr_html_().startswith("<pre")
    assert known.responses.height == 4  # two models, two languages
    assert folkways.item(f"demo/saq:{name}", workspace=tmp_path / "none.db").responses.height == 0
    with pytest.raises(folkways.FolkwaysError, match="nothing"):
        folkways.item("demo/saq:nothing", workspace=where)


def test_a_bar_for_each_model_that_has_something_to_ask() -> None:
    asked = ModelProgress("m/<b>", total=10)
    asked.done, asked.warning = 4, "slow <i>"
    shown = bars([asked, ModelProgress("m/done", total=0)])
    assert shown.count("<progress") == 1
    assert 'value="4" max="10"' in shown and "m/&lt;b&gt;" in shown and "warning: slow &lt;i&gt;" in shown
    assert not in_notebook()


@pytest.mark.parametrize("given", [False, True])
def test_bars_are_drawn_in_a_notebook_unless_somebody_else_looks_on(
    given: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No kernel is at work here: api is told that there is one."""
    drawn: list[Any] = []
    monkeypatch.setattr(api, "in_notebook", lambda: True)
    monkeypatch.setattr(api, "NotebookProgress", lambda: drawn.append)
    seen: list[Any] = []
    asking = AskOptions(observer=seen.append if given else None, max_failed=1.0)
    folkways.run(
        "demo/mcq", models={"US/school-1": "A"}, workspace=tmp_path / "w.db", cultures="US", asking=asking,
    )  # fmt: skip
    assert (bool(drawn), bool(seen)) == (not given, given)


def test_frames_keep_their_columns(data: ReportData) -> None:
    assert (
        isinstance(Scores(data.scores), pl.DataFrame) and Scores(data.scores).columns == data.scores.columns
    )
