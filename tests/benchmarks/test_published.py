"""Published figures: complete, and the same numbers as the reference data have."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.published import FIGURES
from folkways.benchmarks.registry import benchmarks, get_task, published_figures
from folkways.cultures import cultures
from folkways.releases.registry import get_record

PARTS = {"AS": "IN-AS", "JB": "ID-JB", "NG": "NG-N"}
CULTURES = {"Arabic": "ARAB", "Chinese": "CN", "Bengali (West Bengal)": "IN-WB", "Bengali (Bangladesh)": "BD"}


def test_every_row_is_of_a_task_a_metric_a_release_and_a_profile_that_folkways_has() -> None:
    figures = published_figures()
    assert figures.schema == FIGURES
    assert set(figures["paper"]) == {name for name, known in benchmarks().items() if known.published}
    assert figures.drop("note").null_count().row(0) == (0,) * (len(FIGURES) - 1)
    models = figures.filter(pl.col("kind") == "model")
    for task, metric, data, profile in (
        models.select("task", "metric", "data", "profile").unique().iter_rows()
    ):
        known = get_task(task)
        assert metric in [one.name for one in known.metrics]
        assert get_record(data).benchmark == known.benchmark
        assert profile in known.scoring.profiles
    codes = figures.filter(pl.col("facet") == "culture")["value"].unique().to_list()
    assert set(codes) <= set(cultures())


def test_figures_of_the_data_are_apart_from_scores_and_have_no_task() -> None:
    every = published_figures(of_data=True)
    assert every.filter(pl.col("task").is_not_null()).equals(published_figures())
    assert {"Table 1", "Table 2", "Table 7", "Table 13"} <= set(
        every.filter(pl.col("task").is_null())["place"]
    )


def test_scores_are_unique_and_percentages_are_percentages() -> None:
    figures = published_figures()
    scores = figures.filter(pl.col("unit") == "percent")
    assert scores["score"].is_between(0, 100).all()
    assert figures.filter(pl.col("unit") == "share")["score"].is_between(-1, 1).all()
    assert (
        scores.select("paper", "place", "task", "metric", "kind", "model", "facet", "value", "language")
        .is_unique()
        .all()
    )


def test_tables_that_do_not_hold_together_say_so() -> None:
    noted = published_figures().filter(pl.col("note") != "").select("paper", "place").unique()
    assert {("blend", "Table 12"), ("xcr", "Table 4"), ("xcr", "Table 9"), ("xcr", "Table 10")} <= set(
        noted.iter_rows()
    )
    assert published_figures().filter(pl.col("place") == "Table 10", pl.col("paper") == "blend")[
        "note"
    ].unique().to_list() == [""]


@pytest.mark.shared
def test_blend_has_every_published_score(shared: Path) -> None:
    source = pl.read_csv(shared / "data" / "published" / "published_blend.csv")
    ours = published_figures().filter(pl.col("paper") == "blend")
    keys = {"table": "place", "model": "model", "country": "value", "language": "language", "score": "score"}
    theirs = source.select(pl.col(old).alias(new) for old, new in keys.items()).with_columns(
        pl.col("value").replace(PARTS)
    )
    assert ours.height == source.height == 766
    assert theirs.join(ours, on=list(theirs.columns), how="anti").is_empty()


@pytest.mark.shared
def test_xcr_has_every_published_score(shared: Path) -> None:
    source = pl.read_csv(
        shared / "data" / "published" / "published_xcr.csv", schema_overrides={"category": pl.String}
    )
    ours = published_figures().filter(pl.col("paper") == "xcr")
    assert ours.height == source.height
    for place, part in source.partition_by("table", as_dict=True).items():
        mine = ours.filter(pl.col("place") == place[0])
        assert sorted(part["score"].to_list()) == pytest.approx(sorted(mine["score"].to_list()))
    adapted = source.filter(pl.col("table") == "Table 3", pl.col("model") != "Average").select(
        metric=pl.col("metric").str.to_lowercase() + "_" + pl.col("setting"),
        value=pl.col("culture").replace_strict(CULTURES),
        score="score",
    )
    mine = ours.filter(pl.col("place") == "Table 3", pl.col("kind") == "model").select(
        "metric", "value", "score"
    )
    assert adapted.sort(adapted.columns).equals(mine.sort(mine.columns))
    elements = source.filter(pl.col("table") == "Table 9").select(
        metric=pl.col("metric").str.to_lowercase().str.replace("-", "_"),
        value=pl.col("category").str.replace("Behavior", "Behaviour"),
        score="score",
    )
    mine = ours.filter(pl.col("place") == "Table 9").select("metric", "value", "score")
    assert elements.sort(elements.columns).equals(mine.sort(mine.columns))


@pytest.mark.shared
@pytest.mark.parametrize("setup", ["easy", "hard"])
def test_the_leaderboard_is_that_of_the_reference_data(shared: Path, setup: str) -> None:
    source = pl.read_csv(shared / "data" / "published" / f"cb_leaderboard_{setup}_per_continent_partial.csv")
    theirs = source.unpivot(index="models", variable_name="value", value_name="score").select(
        pl.col("score").cast(pl.Float64)
    )
    ours = published_figures().filter(
        pl.col("place") == "leaderboard", pl.col("task") == f"culturalbench/{setup}"
    )
    assert sorted(ours["score"].to_list()) == sorted(theirs["score"].to_list())
