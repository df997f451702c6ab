"""CulturalBench from the command to the analyses, with models behind a real server whose knowledge and habits
are known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.api import Run, load_run
from folkways.benchmarks.results import Inputs, ResultTables, make_results
from folkways.runs.results.judgements import load_inputs, results_of_runs
from tests.support.chat_server import ChatServer
from tests.support.command_line import environment, folkways
from tests.support.culturalbench_data import Row, culturalbench_rows, write_culturalbench
from tests.support.culturalbench_model import share
from tests.support.fingerprints import check_fingerprints

SMALL, LARGE, LATER, STRANGER = (
    "llama-3-8b-instruct",
    "llama-3-70b-instruct",
    "llama-3.1-8b-instruct",
    "house-model",
)
HABITS: dict[str, dict[str, Any]] = {
    SMALL: {"default": 0.3, "knows": {"Japan": 0.9}, "hard": 0.5, "likes": "A", "liking": 0.6, "talks": 0.3},
    LARGE: {"default": 0.6, "knows": {"Japan": 0.9}, "hard": 0.7},
    LATER: {"default": 0.3, "knows": {"Japan": 0.9}, "hard": 0.5},
    STRANGER: {"default": 0.5, "refuses": 0.2, "hard": 1.0},
}
FOUR = ("United States", "Japan", "Peru", "Italy")
EIGHT = (*FOUR, "Canada", "South Korea", "Brazil", "Spain")
TOPICS = {0: "Food", 1: "Greeting", 2: "Religion"}


@pytest.fixture(scope="module", params=[FOUR, pytest.param(EIGHT, marks=pytest.mark.nightly)], ids=len)
def easy(request: pytest.FixtureRequest) -> list[Row]:
    """The rows of Easy of some countries."""
    return [row for row in culturalbench_rows()[0] if row["country"] in request.param]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory, easy: list[Row]) -> Path:
    """The invented release of these countries, sorted by topic."""
    folder = tmp_path_factory.mktemp("sorted")
    countries = {row["country"] for row in easy}
    hard = [row for row in culturalbench_rows()[1] if row["country"] in countries]
    write_culturalbench(folder, easy, hard)
    lines = [f"{row['question_idx']},{TOPICS[int(row['question_idx']) % 3]},Daily life" for row in easy]
    (folder / "topics.csv").write_text(
        "\n".join(["question_idx,topic,head", *lines]) + "\n", encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ChatServer(mode=f"culturalbench:{json.dumps(HABITS)}") as running:
        yield running.url


@pytest.fixture(scope="module")
def no_settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment without the settings of the person who runs the tests."""
    return environment(XDG_CONFIG_HOME=str(tmp_path_factory.mktemp("config")))


@pytest.fixture(scope="module")
def workspace(
    tmp_path_factory: pytest.TempPathFactory, release: Path, server: str, no_settings: dict[str, str]
) -> Path:
    """A run of both tasks with four models, in two templates and four orders."""
    path = tmp_path_factory.mktemp("run") / "w.db"
    models = [part for name in HABITS for part in ("--model", f"{server}/v1#{name}")]
    options = ("--variants", "all", "--permute-options", "4", "--release", release, "--workspace", path)
    done = folkways("run", "culturalbench", *models, *options, env=no_settings)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def run(workspace: Path) -> Iterator[Run]:
    loaded = load_run("last", workspace)
    yield loaded
    loaded.workspace.close()


@pytest.fixture(scope="module")
def findings(run: Run, monkeypatch_module: pytest.MonkeyPatch) -> Inputs:
    return load_inputs(run.workspace, [run.record])


@pytest.fixture(scope="module")
def monkeypatch_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    """No model cards of the person who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        folder = str(tmp_path_factory.mktemp("cards"))
        patch.setattr("folkways.endpoints.cards.user_config_dir", lambda *_, **__: folder)
        yield patch


@pytest.fixture(scope="module")
def results(findings: Inputs) -> dict[str, ResultTables]:
    found, left_out = make_results(results_of_runs(findings), findings)
    assert left_out == {}
    return {one.result.name: one for one in found}


def table(results: dict[str, ResultTables], analysis: str, name: str) -> pl.DataFrame:
    return next(found.rows for found in results[analysis].tables if found.name == name)


def of_model(rows: pl.DataFrame, model: str, **where: str) -> dict[str, Any]:
    """The one row of a model."""
    chosen = [pl.col(column) == value for column, value in where.items()]
    return rows.filter(pl.col("endpoint").str.ends_with(f"#{model}"), *chosen).row(0, named=True)


def known(model: str, easy: Sequence[Row], *, hard: bool) -> float:
    """The share of questions that a model knows, counted without folkways, in percent."""
    habits = HABITS[model]
    hits = [
        share("knows", "", int(row["question_idx"]))
        < habits.get("knows", {}).get(row["country"], habits["default"]) * (habits["hard"] if hard else 1)
        for row in easy
    ]
    return 100 * sum(hits) / len(hits)


def scores(run: Run, **where: str) -> pl.DataFrame:
    return run.scores().filter(*(pl.col(column) == value for column, value in where.items()))


def test_hard_scores_are_what_the_models_know(run: Run, easy: list[Row]) -> None:
    """Saying False to everything gets no question right, so only what is known counts."""
    for model in (SMALL, LARGE, LATER):
        row = of_model(
            scores(run, task="culturalbench/hard", metric="all_right", facet="variant"),
            model,
            value="strict-format",
        )
        assert row["score"] == pytest.approx(known(model, easy, hard=True))
        assert (row["n"], row["unreadable"], row["refused"]) == (len(easy), 0, 0)


def test_refusals_are_counted_apart_and_as_wrong(run: Run) -> None:
    row = of_model(scores(run, task="culturalbench/easy", metric="right", facet="all"), STRANGER)
    assert row["refused"] / row["n"] == pytest.approx(0.2, abs=0.07)
    assert row["unreadable"] == 0
    assert row["coverage"] == 1.0


def test_replies_of_two_tokens_are_asked_for(run: Run) -> None:
    assert all("max_tokens=2," in signature for signature in run.scores()["signature"])


def test_talk_is_unreadable_in_paper_and_read_in_lenient(run: Run) -> None:
    plain = {"task": "culturalbench/easy", "metric": "right", "facet": "variant"}
    paper = of_model(scores(run, **plain), SMALL, value="plain")
    lenient = of_model(
        run.score("lenient").filter(*(pl.col(name) == value for name, value in plain.items())),
        SMALL,
        value="plain",
    )
    assert paper["unreadable"] / paper["n"] == pytest.approx(0.3, abs=0.08)
    assert lenient["unreadable"] == 0
    assert lenient["score"] > paper["score"] + 8


def test_topics_of_the_release_are_a_facet(run: Run) -> None:
    for task, metric in (("culturalbench/easy", "right"), ("culturalbench/hard", "all_right")):
        assert set(scores(run, task=task, metric=metric, facet="topic")["value"]) == set(TOPICS.values())


def test_the_gap_between_setups_is_found(results: dict[str, ResultTables], easy: list[Row]) -> None:
    gaps = table(results, "easy-hard", "easy-hard-gap")
    small = of_model(gaps, SMALL)
    assert small["low"] > 10
    assert small["p_holm"] < 0.001
    assert small["gap"] == pytest.approx(small["easy"] - small["hard"])
    assert small["questions"] == len(easy)
    assert gaps["easy"].is_sorted(descending=True)


def test_a_known_country_stands_out_beside_the_spread_from_format(results: dict[str, ResultTables]) -> None:
    countries = table(results, "format-spread", "culture-differences")
    japan = of_model(countries, LATER, setup="Easy", group="JP")
    assert japan["difference"] > 30
    assert japan["p_holm"] < 0.001
    assert japan["least"] <= japan["difference"] <= japan["most"]
    assert japan["least"] > japan["format_spread"] > 0
    assert japan["formats"] == 8
    others = countries.filter(
        pl.col("endpoint").str.ends_with(LATER), pl.col("setup") == "Easy", pl.col("group") != "JP"
    )
    assert (others["p_holm"] > 0.05).all()


def test_format_spread_is_large_where_the_format_decides(results: dict[str, ResultTables]) -> None:
    regions = table(results, "format-spread", "region-differences")
    talks = of_model(regions, SMALL, setup="Easy", group="East Asia")["format_spread"]
    steady = of_model(regions, LATER, setup="Easy", group="East Asia")["format_spread"]
    assert talks > 20 > 12 > steady
    formats = table(results, "format-spread", "format-scores")
    assert formats.filter(pl.col("setup") == "Easy")["format"].n_unique() == 8
    assert formats.filter(pl.col("setup") == "Hard")["format"].n_unique() == 2


def test_orders_tell_knowledge_from_habit(results: dict[str, ResultTables], easy: list[Row]) -> None:
    """A question that is known is answered alike in four orders; one that is guessed, in one of 64 cases."""
    orders = table(results, "format-spread", "orders")
    small, large = of_model(orders, SMALL), of_model(orders, LARGE)
    assert small["letter A"] > 20 > -5 > small["letter B"]
    assert abs(large["letter A"]) < 5
    assert (small["orders"], large["orders"]) == (4, 4)
    easy_known = known(LARGE, easy, hard=False)
    assert large["consistency"] == pytest.approx(easy_known + (100 - easy_known) / 64, abs=3)
    assert large["score"] == pytest.approx(easy_known + (100 - easy_known) / 4, abs=3)
    assert small["consistency"] < large["consistency"]


def test_sizes_and_dates_within_a_family_and_unknown_models(results: dict[str, ResultTables]) -> None:
    sizes = table(results, "sizes", "sizes-steps").filter(pl.col("setup") == "Easy").row(0, named=True)
    assert (sizes["family"], sizes["from"], sizes["to"]) == ("Llama (2024-04-18)", "8 B", "70 B")
    assert sizes["low"] > 10
    assert sizes["earlier"].endswith(SMALL)
    dates = table(results, "dates", "dates-steps").filter(pl.col("setup") == "Hard").row(0, named=True)
    assert (dates["family"], dates["from"], dates["to"]) == ("Llama 8 B", "2024-04-18", "2024-07-23")
    assert (
        0 < dates["low"] < dates["high"] < 15
    )  # the earlier one knows as much, and talks in one of two templates
    cards = table(results, "models", "models")
    assert of_model(cards, STRANGER, setup="Easy")["provider"] == "unknown"
    assert of_model(cards, LARGE, setup="Easy")["size"] == "70 B"
    groups = table(results, "models", "model-groups").filter(
        pl.col("setup") == "Easy", pl.col("by") == "provider"
    )
    assert groups.select("group", "models").rows() == [("Meta", 3), ("unknown", 1)]


def test_a_makers_score_is_the_mean_of_its_models(results: dict[str, ResultTables]) -> None:
    models = table(results, "region-providers", "regions").filter(
        pl.col("region") == "East Asia", pl.col("setup") == "Easy"
    )
    makers = table(results, "region-providers", "region-providers").filter(
        pl.col("region") == "East Asia", pl.col("setup") == "Easy"
    )
    meta = makers.filter(pl.col("provider") == "Meta").row(0, named=True)
    own = models.filter(pl.col("endpoint").str.contains("llama"))["score"]
    assert meta["score"] == pytest.approx(own.mean())
    assert meta["low"] < meta["score"] < meta["high"]
    assert meta["models"] == 3


def test_question_types_are_compared_as_other_questions(
    results: dict[str, ResultTables], easy: list[Row]
) -> None:
    multi = sum("Choose all that apply" in row["prompt_question"] for row in easy)
    gap = of_model(table(results, "question-types", "question-type-gap"), LARGE, setup="Hard")
    assert (gap["n_single"], gap["n_multi"]) == (len(easy) - multi, multi)
    assert gap["low"] < gap["difference"] < gap["high"]
    assert gap["p_holm"] > 0.01  # nothing of the kind was planted


def test_guessing_stands_beside_what_was_published_and_published_figures_stand_apart(
    results: dict[str, ResultTables], easy: list[Row]
) -> None:
    guessing = table(results, "guessing", "guessing")
    alone = guessing.filter(pl.col("baseline") == "baseline/option-only", pl.col("setup") == "Easy").row(
        0, named=True
    )
    assert alone["published"] == 40.0
    assert alone["n"] == len(easy)
    chance = guessing.filter(pl.col("baseline") == "baseline/chance")
    assert dict(chance.select("setup", "score").iter_rows()) == {"Easy": 25.0, "Hard": 6.25}
    leaderboard = table(results, "reference-points", "published-regions")
    assert leaderboard.height == 2 * 16 * 11
    assert leaderboard["model"].str.ends_with("(published)").all()
    elsewhere = [
        found.rows
        for name, one in results.items()
        if name not in ("reference-points", "guessing")
        for found in one.tables
    ]
    assert not any("published" in column for rows in elsewhere for column in rows.columns)
    assert not any("(published)" in str(row) for rows in elsewhere for row in rows.iter_rows())


@pytest.mark.nightly
def test_every_report_shows_guessing_and_every_analysis(
    workspace: Path, no_settings: dict[str, str], tmp_path: Path
) -> None:
    done = folkways(
        "report", "--workspace", workspace, "--out", tmp_path, "--profile", "paper", env=no_settings
    )
    assert done.returncode == 0, done.stderr
    shown = pl.read_csv(tmp_path / "scores.csv", infer_schema_length=None)
    names = set(shown["endpoint"])
    assert {"baseline/chance", "baseline/option-only", "baseline/constant:False"} <= names
    assert len([name for name in names if name.startswith("baseline/constant:")]) == 2
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "not everyone was asked the same" not in text
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for title in (
        "Easy against Hard",
        "Larger models of a family",
        "How much the format decides",
        "Published",
    ):
        assert title in page


def test_the_command_makes_the_analysis_that_is_named_and_no_unknown_one(
    workspace: Path, no_settings: dict[str, str]
) -> None:
    done = folkways("analyse", "--workspace", workspace, "--only", "orders", env=no_settings)
    assert done.returncode == 2
    assert "format-spread" in done.stderr
    done = folkways(
        "analyse", "--workspace", workspace, "--only", "format-spread", "--format", "json", env=no_settings
    )
    assert done.returncode == 0, done.stderr
    names = [found["name"] for found in json.loads(done.stdout)["tables"]]
    assert names == ["format-scores", "orders", "region-differences", "culture-differences"]


def test_no_number_of_an_analysis_changes_unnoticed(
    results: dict[str, ResultTables], server: str, easy: list[Row]
) -> None:
    tables = {
        f"{analysis}: {table.name}": table.rows for analysis, one in results.items() for table in one.tables
    }
    countries = len({row["country"] for row in easy})
    name = "culturalbench.json" if countries == len(EIGHT) else f"culturalbench-{countries}-countries.json"
    recorded = Path(__file__).parent / "recorded" / name
    check_fingerprints(tables, recorded, aliases={server: "http://server"})
