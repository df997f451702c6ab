"""What stands beside the scores: ranks with their range, shrunk scores of small cultures, people, published
figures."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
import pytest

from folkways.reports.data import PEOPLE, ReportData
from folkways.reports.views.leaderboard import Leaderboard, Rank
from folkways.reports.views.views import ReportView
from tests.support.report_data import Shape, signed, simulate
from tests.support.report_page import page_without_figures


@pytest.fixture(scope="module")
def equal_models() -> ReportData:
    """Two models of the same skill, and one that is far worse."""
    return simulate(
        Shape(saq=8, easy=6, xcr=2),
        models={"a/one": 4.0, "b/two": 4.0, "c/far": -30.0},
        tasks=("culturalbench/easy",),
    )


def test_models_alike_share_a_range_of_ranks(equal_models: ReportData) -> None:
    view = ReportView(equal_models)
    ranks = Leaderboard(view).ranks(view.tasks[0])
    assert (ranks["c/far"].low, ranks["c/far"].high) == (3, 3)
    for name in ("a/one", "b/two"):
        assert (ranks[name].low, ranks[name].high) == (1, 2)
    assert {ranks["a/one"].value, ranks["b/two"].value} == {1, 2}
    assert ranks["a/one"].span == "1–2" and ranks["c/far"].span == "3"


def test_ranks_are_by_the_questions_that_all_models_were_asked(equal_models: ReportData) -> None:
    """The far model is asked one culture only, and is perfect there: of what all were asked, it is the first."""
    judged, metric = equal_models.judgements, equal_models.metrics["culturalbench/easy"][0].name
    lucky = (pl.col("endpoint") == "c/far") & (pl.col("culture") == "US")
    asked = judged.filter((pl.col("endpoint") != "c/far") | lucky).with_columns(
        pl.when(pl.col("endpoint") == "c/far").then(1.0).otherwise(pl.col(metric)).alias(metric)
    )
    view = ReportView(replace(equal_models, judgements=asked))
    ranks = Leaderboard(view).ranks(view.tasks[0])
    assert ranks["c/far"].value == 1, "of the questions about the United States"
    other_items = pl.when(pl.col("endpoint") == "b/two").then(pl.lit("other")).otherwise("item")
    nothing = ReportView(replace(equal_models, judgements=judged.with_columns(item=other_items)))
    assert Leaderboard(nothing).ranks(nothing.tasks[0]) == {}


def test_one_model_has_no_rank(data: ReportData) -> None:
    lone = replace(data, scores=data.scores.filter(pl.col("endpoint") == "openai/gpt-4o-mini"))
    view = ReportView(lone)
    assert Leaderboard(view).ranks(view.tasks[0]) == {}
    assert '">Rank<' not in page_without_figures(view)


def test_small_cultures_are_drawn_towards_the_others(equal_models: ReportData) -> None:
    view = ReportView(equal_models)
    task = view.tasks[0]
    shrunk = Leaderboard(view).shrunk(task)
    raw = {key: score.score for key, score in task.facets["culture"].scores.items()}
    assert set(shrunk) == set(raw)
    model = [key for key in raw if key[1] == "a/one"]
    spread = {name: max(found) - min(found) for name, found in (
        ("raw", [raw[key] for key in model]), ("shrunk", [shrunk[key].score for key in model]))}  # fmt: skip
    assert spread["shrunk"] < spread["raw"]
    assert all(shrunk[key].low < shrunk[key].score < shrunk[key].high for key in model)
    assert "Shrunk" in page_without_figures(view)


def test_people_and_baselines_stand_below_the_models(data: ReportData) -> None:
    one = data.scores.filter((pl.col("endpoint") == "openai/gpt-4o-mini") & (pl.col("task") == "blend/saq"))
    view = ReportView(replace(data, people=one.with_columns(endpoint=pl.lit(PEOPLE), score=pl.lit(99.0))))
    rows = Leaderboard(view).rows(view.tasks[0])
    assert [row.kind for row in rows] == ["model", "model", "people", "baseline", "baseline"]
    assert rows[2].rank is None and rows[2].score == 99.0
    assert rows[0].rank == Rank(1, 1, 2), "24 questions leave the second place open"


SIGNATURE = "task:xcr/identification|data:xcr@9904292#abc|lang:en|variant:authors|prompts:release|samples:1|profile:{}"


def _published(data: ReportData, profile: str = "paper") -> ReportView:
    """The simulated XCR scores as if of the published data, of one model."""
    own = (pl.col("task") == "xcr/identification") & (pl.col("endpoint") == "openai/gpt-4o-mini")
    signature = SIGNATURE.format(profile)
    scores = data.scores.filter(own).with_columns(signature=pl.lit(signature), profile=pl.lit(profile))
    return ReportView(replace(data, scores=scores, signatures={signature: signed(signature)}))


def test_published_scores_stand_marked_in_the_leaderboard(data: ReportData) -> None:
    view = _published(data)
    board = Leaderboard(view)
    published = [row for row in board.rows(view.tasks[0]) if row.kind == "published"]
    found = {row.name: row.score for row in published}
    assert found["GPT-4o"] == 50.94, "Table 2 of the paper"
    assert all(row.low != row.low and row.counted is None and "Table 2" in row.source for row in published)
    page = page_without_figures(view)
    assert page.count("as published, without an interval") == len(published) > 3
    between = board.published.neighbours[0].places.row(0, named=True)
    score = view.tasks[0].whole[0].score
    assert between["above"] == sum(value > score for value in found.values())


def test_the_leading_model_is_drawn_between_published_ones_table_by_table(data: ReportData) -> None:
    """Best about Korea and Mexico, between the others about Spain, and without a right answer elsewhere."""
    signature = (
        "task:blend/saq|data:blend@3e4dcbd#abc|lang:local+en|variant:inst-4+pers-3|prompts:release|samples:1|"
        "profile:paper"
    )
    value = pl.col("value").str
    best = pl.when(value.contains("KR|MX")).then(99.5).when(value.contains("ES")).then(60.0).otherwise(0.0)
    scores = data.scores.filter(task="blend/saq", endpoint="openai/gpt-4o-mini").with_columns(
        signature=pl.lit(signature), score=best, low=best - 1, high=best + 0.5
    )
    view = ReportView(replace(data, scores=scores, signatures={signature: signed(signature)}))
    neighbours = Leaderboard(view).published.neighbours
    figures = [table.figure for table in neighbours if table.figure]
    told = "gpt-4o-mini is above every published model for {} of {} groups."
    assert [figure.finding for figure in figures] == [
        told.format(0, 2),
        told.format(2, 14),
        told.format(2, 14),
    ]
    assert [table.source for table in neighbours] == ["BLEnD, Table 10", "BLEnD, Table 10", "BLEnD, Table 11"]
    assert len({figure.slug for figure in figures}) == 3, "each has a file of its own"
    assert not any('opacity="0"' in figure.wide for figure in figures), "all can be seen"
    by_culture = "BLEnD, short answers, SEM-B, by culture"
    assert [table.title for table in neighbours] == [
        by_culture,
        f"{by_culture}, in the own language",
        by_culture,
    ]
    native = figures[1]
    assert native.title == f"gpt-4o-mini between published models: {by_culture}, in the own language"
    assert native.measure == "SEM-B, %" and "(BLEnD, Table 10)" in native.caption
    groups = re.findall(r">(South Korea|Mexico|Ethiopia|North Korea)<", native.wide)
    assert set(groups[:2]) == {"South Korea", "Mexico"}, "the highest first"


def test_what_may_not_be_compared_is_said_and_not_shown(data: ReportData) -> None:
    view = _published(data, "strict")
    board = Leaderboard(view)
    assert [row.kind for row in board.rows(view.tasks[0])] == ["model"]
    assert board.published.neighbours == []
    page = page_without_figures(view)
    assert "profile strict here, paper there" in page
    assert "as published, without an interval" not in page
