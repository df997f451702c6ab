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


def test_sampled_runs_ask_each_drawn_item_under_every_arm(tmp_path: Path) -> None:
    run = folkways.run(
        "demo/mcq", models=model, treatments="persona-second", until=30, workspace=str(tmp_path / "w.db")
    )
    assert set(run.judgements().group_by("item").len()["len"]) == {6}


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
            until=8.0,
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
    assert "characters" not in data.judgements.columns
    assert "treatments" in {one.result.name for one in data.results}
    means = pl.concat(
        table.rows for one in data.results for table in one.tables if table.name == "treatments"
    )
    assert means.filter(culture="all")["n"].to_list() == [controls]
    (contribution,) = contributions_of([run.name], run.workspace)
    assert contribution.judgements.height == controls
    assert not contribution.faults
    assert not any("asked a part" in warning for warning in data.warnings)
