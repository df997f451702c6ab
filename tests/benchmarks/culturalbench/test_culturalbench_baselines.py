"""What guessing gives: exact expectations, checked against counting and against guessers that are really
asked."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.culturalbench import BENCHMARK
from folkways.benchmarks.culturalbench.baselines import CHANCE, CONSTANT, OPTION_ONLY
from folkways.records import JUDGEMENTS, require_columns
from folkways.releases.release_records import Release
from tests.support.culturalbench_data import culturalbench_rows, write_culturalbench

EASY, HARD = BENCHMARK.tasks


@pytest.fixture(scope="module")
def judged_of(items_of: dict[str, pl.DataFrame]) -> dict[str, dict[str, pl.DataFrame]]:
    """The baselines of each task, by its name."""
    return {task.name: dict(task.baselines(items_of[task.name])) for task in BENCHMARK.tasks}


@pytest.fixture(scope="module")
def scores_of(judged_of: dict[str, dict[str, pl.DataFrame]]) -> dict[str, dict[str, pl.DataFrame]]:
    """Their scores."""
    return {
        task.name: {name: task.summarise(judged) for name, judged in judged_of[task.name].items()}
        for task in BENCHMARK.tasks
    }


def whole(task_scores: pl.DataFrame, metric: str) -> dict[str, float]:
    return task_scores.filter((pl.col("metric") == metric) & (pl.col("facet") == "all")).row(0, named=True)


def test_chance_is_exact_on_both(scores_of: dict[str, dict[str, pl.DataFrame]]) -> None:
    easy, hard = scores_of[EASY.name][CHANCE], scores_of[HARD.name][CHANCE]
    assert whole(easy, "right")["score"] == 25.0
    assert (whole(hard, "all_right")["score"], whole(hard, "right")["score"]) == (6.25, 50.0)
    for scores, metric in ((easy, "right"), (hard, "all_right")):
        assert (whole(scores, metric)["n"], whole(scores, metric)["questions"]) == (1227, 1227)
        assert whole(scores, metric)["low"] < whole(scores, metric)["score"] < whole(scores, metric)["high"]


def test_constants_are_what_counting_says(
    items_of: dict[str, pl.DataFrame], scores_of: dict[str, dict[str, pl.DataFrame]]
) -> None:
    easy, hard = items_of[EASY.name], items_of[HARD.name]
    (name,) = (name for name in scores_of[EASY.name] if name.startswith("baseline/constant:"))
    most = easy["answer"].value_counts(sort=True).row(0)
    assert name == CONSTANT.format(most[0])
    assert whole(scores_of[EASY.name][name], "right")["score"] == pytest.approx(100 * most[1] / 1227)
    false = scores_of[HARD.name][CONSTANT.format("False")]
    assert whole(false, "all_right")["score"] == 0.0
    assert whole(false, "right")["score"] == pytest.approx(100 * (hard["answer"] == "False").mean())


def test_baselines_are_judgements_with_every_facet(
    judged_of: dict[str, dict[str, pl.DataFrame]], scores_of: dict[str, dict[str, pl.DataFrame]]
) -> None:
    for task in BENCHMARK.tasks:
        for name, judged in judged_of[task.name].items():
            require_columns(judged, {**JUDGEMENTS, **dict.fromkeys(task.facets, pl.String)}, "judgements")
            facets = set(scores_of[task.name][name]["facet"])
            assert {"culture", "mode", "region", "region (pooled)"} <= facets


def options_of(country: str, options: tuple[str, str, str, str], gold: int, tmp_path: Path) -> Release:
    """One question with these options."""
    easy, hard = culturalbench_rows()
    letters = {f"prompt_option_{letter}": text for letter, text in zip("abcd", options, strict=True)}
    rows = [{**row, "prompt_option": text, "answer": str(place == gold), "country": country}
            for place, (row, text) in enumerate(zip(hard[:4], options, strict=True))]  # fmt: skip
    return write_culturalbench(
        tmp_path, [{**easy[0], **letters, "country": country, "answer": "ABCD"[gold]}], rows
    )


def option_only(release: Release) -> tuple[float, float, float]:
    """Easy, and Hard by question and by judgement, in percent."""
    easy = EASY.summarise(EASY.baselines(EASY.items(release))[OPTION_ONLY])
    hard = HARD.summarise(HARD.baselines(HARD.items(release))[OPTION_ONLY])
    return whole(easy, "right")["score"], whole(hard, "all_right")["score"], whole(hard, "right")["score"]


def test_the_option_that_names_the_country_is_taken(tmp_path: Path) -> None:
    taken = ("A cup of tea", "A Peruvian stew", "White bread", "Salted fish")
    assert option_only(options_of("Peru", taken, 1, tmp_path)) == (100.0, 100.0, 100.0)
    assert option_only(options_of("Peru", taken, 2, tmp_path)) == (0.0, 0.0, 50.0)


def test_equals_share_the_chance(tmp_path: Path) -> None:
    nothing = ("xx", "yy", "zz", "ww")
    assert option_only(options_of("Peru", nothing, 0, tmp_path)) == (25.0, 0.0, 75.0)
    two = ("Peru", "yy", "Peru", "ww")
    assert option_only(options_of("Peru", two, 2, tmp_path))[0] == 50.0


def test_hard_judges_each_option_on_its_own(tmp_path: Path) -> None:
    """Of eight options two may be true; both of the first question are, and none of the second."""
    easy, hard = culturalbench_rows()
    texts = ("Peru", "Peruvian food", "zz", "ww", "xx", "yy", "vv", "uu")
    rows = [
        row | {"prompt_option": text, "answer": str(place in (0, 4)), "country": "Peru"}
        for place, (row, text) in enumerate(zip(hard[:8], texts, strict=True))
    ]
    items = HARD.items(write_culturalbench(tmp_path, easy[:2], rows))
    judged = HARD.baselines(items)[OPTION_ONLY]
    assert judged["right"].to_list() == [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]
    assert judged["all_right"].to_list() == [0.0, None, None, None, 0.0, None, None, None]


def test_the_question_is_never_looked_at(
    items_of: dict[str, pl.DataFrame], judged_of: dict[str, dict[str, pl.DataFrame]]
) -> None:
    for task in BENCHMARK.tasks:
        items = items_of[task.name]
        hidden = items.with_columns(
            text=pl.lit("?"), **({"question_text": pl.lit("?")} if task is HARD else {})
        )
        unread = task.baselines(hidden)
        for name, judged in judged_of[task.name].items():
            assert judged["right"].equals(unread[name]["right"])


def test_questions_without_a_usable_answer_are_not_counted(tmp_path: Path) -> None:
    easy, hard = culturalbench_rows()
    easy[0] |= {"answer": "E"}
    hard[1] |= {"answer": "Perhaps"}
    spoilt = write_culturalbench(tmp_path, easy[:3], hard[:12])
    for task, metric in ((EASY, "right"), (HARD, "all_right")):
        assert {
            whole(task.summarise(judged), metric)["n"]
            for judged in task.baselines(task.items(spoilt)).values()
        } == {2}
