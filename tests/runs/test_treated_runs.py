"""Runs with treatments: what is asked, estimated, scored and signed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import folkways
from folkways.api import Run
from folkways.benchmarks.treatments import Arm
from folkways.integrations.leaderboard import contributions_of
from folkways.runs.results.judgements import load_inputs
from tests.support.mcq_data import right_letter


def model(prompt: str, system: str | None = None) -> str:
    """Answers A, but B to somebody who was born somewhere."""
    return "B" if system and "born in" in system else "A"


def always_b(prompt: str, system: str | None = None) -> str:
    return "B"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    workspace = tmp_path_factory.mktemp("treated") / "w.db"
    return folkways.run("demo/mcq", models=model, treatments="persona-second", workspace=str(workspace))


def test_scores_are_of_the_prompts_as_they_are(run: Run, tmp_path: Path) -> None:
    plain = folkways.run("demo/mcq", models=model, workspace=str(tmp_path / "w.db"))
    columns = ["metric", "facet", "value", "score", "low", "high", "n", "coverage"]
    key = ["metric", "facet", "value"]
    treated = pl.col("value").str.contains("~with-")
    assert (
        run.scores()
        .filter(~treated)
        .select(columns)
        .sort(key)
        .equals(plain.scores().select(columns).sort(key))
    )


def test_each_arm_has_a_score_by_variant(run: Run) -> None:
    scores = run.scores().filter(facet="variant", metric="correct")
    assert set(scores["value"]) == {
        "plain~with-persona-second",
        "plain~with-persona-second:for-others",
        *(f"plain~with-persona-second:placebo-{number}" for number in (1, 2, 3)),
    }
    judged = run.judgements()
    for variant, group in (
        ("plain~with-persona-second", "persona-second"),
        ("plain~with-persona-second:for-others", "persona-second:for-others"),
    ):
        of_arm = judged.filter(
            pl.col("variant").map_elements(
                lambda name, group=group: Arm.of(name).group() == group, return_dtype=pl.Boolean
            )
        )
        assert of_arm.filter("counted")["correct"].mean() * 100 == pytest.approx(
            scores.filter(value=variant)["score"][0]
        )


def test_the_signature_names_the_treatments(run: Run, tmp_path: Path) -> None:
    (signature,) = run.scores()["signature"].unique()
    assert "treatments:persona-second#" in signature
    assert "variant:plain|" in signature
    tables = {"persona-second": {"system": "You were born in {country}."}}
    other = folkways.run("demo/mcq", models=model, treatments=tables, workspace=str(tmp_path / "w.db"))
    assert other.scores()["signature"][0] != signature


def test_estimates_count_the_arms() -> None:
    plain = folkways.estimate("demo/mcq", models=model)
    treated = folkways.estimate("demo/mcq", models=model, treatments="persona-second")
    assert treated["requests"].sum() == 6 * plain["requests"].sum()


def test_sampled_runs_ask_each_drawn_item_under_every_arm(tmp_path: Path, mcq: Callable[[int], Path]) -> None:
    run = folkways.run(
        "blend/mcq",
        models=model,
        releases={"blend": str(mcq(600))},
        cultures="KR,US",
        treatments="persona-second",
        until=20,
        workspace=str(tmp_path / "w.db"),
    )
    of_items = run.judgements().group_by("item").len()
    assert set(of_items["len"]) == {6}
    assert of_items.height < 120


EVERY = {"persona-second": {"crossed": "all"}}


def test_estimates_count_every_culture_named_before_anything_is_asked() -> None:
    options = {"models": model, "cultures": "KR,KE,MX"}
    plain = folkways.estimate("demo/mcq", **options)
    treated = folkways.estimate("demo/mcq", treatments=EVERY, **options)
    assert treated["requests"].sum() == (1 + 1 + 3 + 2) * plain["requests"].sum()


def test_with_every_culture_named_each_has_a_score_and_the_matrix_is_whole(tmp_path: Path) -> None:
    run = folkways.run(
        "demo/mcq", models=model, treatments=EVERY, cultures="KR,KE,MX", workspace=str(tmp_path / "w.db")
    )
    named = run.scores().filter(facet="variant", metric="correct")["value"].to_list()
    assert {f"plain~with-persona-second:for-{code}" for code in ("KR", "KE", "MX")} <= {*named}
    assert "plain~with-persona-second:for-others" not in named
    judged = run.judgements().with_columns(
        which=pl.col("variant").map_elements(lambda name: Arm.of(name).which, return_dtype=pl.String)
    )
    for_korea = judged.filter(pl.col("variant").str.ends_with(":for-KR"))
    assert set(for_korea["culture"]) == {"KE", "MX"}
    score = run.scores().filter(facet="variant", metric="correct", value="plain~with-persona-second:for-KR")
    assert score["score"][0] == pytest.approx(for_korea.filter("counted")["correct"].mean() * 100)
    tables = {table.name: table for one in run.report_data().results for table in one.tables}
    cells = tables["treatments-matrix"].rows
    assert {*cells.select("culture", "named").iter_rows()} == {
        (about, culture) for about in ("KR", "KE", "MX") for culture in ("KR", "KE", "MX")
    }


def test_arms_of_a_sampled_run_have_scores_of_the_whole(tmp_path: Path, mcq: Callable[[int], Path]) -> None:
    def of_country(prompt: str, system: str | None = None) -> str:
        number = int(prompt.split("Riddle ")[1].split(":")[0])
        right = right_letter(number)
        wrong = "ABCD"[("ABCD".index(right) + 1) % 4]
        return f'{{"answer_choice": "{right if system and number % 3 else wrong}"}}'

    run = folkways.run(
        "blend/mcq",
        models=of_country,
        releases={"blend": str(mcq(600))},
        until=9.0,
        treatments="persona-second",
        workspace=str(tmp_path / "w.db"),
    )
    judged = run.judgements()
    assert judged["item"].n_unique() < 600
    scores = run.scores().filter(facet="variant")
    groups = ("", ":placebo-1", ":placebo-2", ":placebo-3", ":for-others")
    variants = {value.split("~with-")[0] for value in scores["value"]}
    assert variants
    assert {*scores["value"]} == {
        f"{variant}~with-persona-second{group}" for variant in variants for group in groups
    }
    for row in scores.filter(metric="accuracy").iter_rows(named=True):
        assert row["low"] < row["score"] < row["high"]
        assert row["score"] == pytest.approx(200 / 3, abs=9)
        assert row["low"] < 200 / 3 < row["high"]
    whole = run.scores().filter(facet="all", metric="accuracy")
    assert whole["score"][0] < 10


def test_an_arm_of_a_sampled_run_is_scored_over_the_cultures_that_are_asked_in_it(
    tmp_path: Path, mcq: Callable[[int], Path]
) -> None:
    def by_culture(prompt: str, system: str | None = None) -> str:
        number = int(prompt.split("Riddle ")[1].split(":")[0])
        return right_letter(number) if "US" not in prompt or number // 10 % 2 else "?"

    run = folkways.run(
        "blend/mcq",
        models=by_culture,
        releases={"blend": str(mcq(600))},
        cultures="KR,US,MX",
        until=12.0,
        treatments=EVERY,
        workspace=str(tmp_path / "w.db"),
    )
    assert run.judgements()["item"].n_unique() < 180
    scores = {
        row["value"].rpartition(":for-")[2]: row
        for row in run.scores().filter(facet="variant", metric="accuracy").iter_rows(named=True)
        if ":for-" in row["value"]
    }
    judged = run.judgements().filter("counted", pl.col("variant").str.contains(":for-KR"))
    for code, others in (("KR", ("US", "MX")), ("US", ("KR", "MX")), ("MX", ("KR", "US"))):
        row = scores[code]
        shares = {
            about: run.judgements().filter(culture=about, counted=True)["accuracy"].mean() for about in others
        }
        assert row["score"] == pytest.approx(100 * sum(shares.values()) / 2, abs=8)
        assert row["low"] < row["score"]
        assert row["high"] - row["low"] < 28, "the culture that is named is not unknown, but no part of it"
    assert set(judged["culture"]) == {"US", "MX"}
    assert scores["US"]["score"] > scores["KR"]["score"]


def test_a_sampled_run_stops_by_what_it_knows_of_the_prompts_as_they_are(
    tmp_path: Path, mcq: Callable[[int], Path]
) -> None:
    def never_right(prompt: str, system: str | None = None) -> str:
        return '{"answer_choice": "A"}' if system else "?"

    def drawn(**treated: str) -> set[str]:
        run = folkways.run(
            "blend/mcq",
            models=never_right,
            releases={"blend": str(mcq(400))},
            until=12.0,
            workspace=str(tmp_path / f"{len(treated)}.db"),
            **treated,
        )
        return set(run.judgements()["item"])

    plain = drawn()
    assert len(plain) < 400
    assert drawn(treatments="persona-second") == plain


def test_the_system_prompt_of_a_run_names_the_culture(tmp_path: Path) -> None:
    heard: set[str | None] = set()

    def listening(prompt: str, system: str | None = None) -> str:
        heard.add(system)
        return "A"

    folkways.run(
        "demo/mcq",
        models=listening,
        system="You help {people}.",
        cultures="KR,MX",
        workspace=str(tmp_path / "w.db"),
    )
    assert heard == {"You help people in South Korea.", "You help people in Mexico."}


def test_placeholders_work_in_prompt_texts(tmp_path: Path) -> None:
    asked: list[str] = []

    def listening(prompt: str) -> str:
        asked.append(prompt)
        return "A"

    text = "In {country}: {question}\n{options}"
    folkways.run(
        "demo/mcq",
        models=listening,
        prompt_texts={"mine": text},
        cultures="KR",
        workspace=str(tmp_path / "w.db"),
    )
    assert asked
    assert all(prompt.startswith("In South Korea: ") for prompt in asked)


def test_comparisons_reports_and_leaderboards_are_of_the_prompts_as_they_are(run: Run) -> None:
    controls = run.judgements().filter(~pl.col("variant").str.contains("~with-")).height
    other = folkways.run("demo/mcq", models=always_b, treatments="persona-second", workspace=run.workspace)
    (comparison,) = folkways.compare(run, other, workspace=run.workspace)
    assert comparison.differences.filter(facet="all")["n"].to_list() == [controls]
    inputs = load_inputs(run.workspace, [run.record])
    assert (inputs.judged.height, inputs.treated.height) == (controls, run.judgements().height)
    data = run.report_data()
    assert data.judgements.height == controls
    assert {*data.judgements["response"]} == {"A"}, "of nobody who was born somewhere"
    assert "characters" not in data.judgements.columns
    assert "treatments" in {one.result.name for one in data.results}
    means = pl.concat(
        table.rows for one in data.results for table in one.tables if table.name == "treatments"
    )
    assert means.filter(culture="all")["n"].to_list() == [controls]
    (contribution,) = contributions_of([run.name], run.workspace)
    assert contribution.judgements.height == controls
    assert not contribution.faults
    assert not any("rows that the task asks by default" in warning for warning in data.warnings)
