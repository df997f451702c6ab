"""CulturalBench from items to scores, at its real size, and the rules that its scores follow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.culturalbench import BENCHMARK
from folkways.benchmarks.summary import SCORE_COLUMNS
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, RESPONSES, require_columns
from folkways.releases.release_records import Release
from tests.support.culturalbench_data import culturalbench_rows, write_culturalbench

EASY, HARD = BENCHMARK.tasks


def asked(
    task: Task, items: pl.DataFrame, reply: Callable[[dict[str, object]], str | None], state: str = "answered"
) -> pl.DataFrame:
    rows = []
    for item in items.iter_rows(named=True):
        response = reply(item)
        rows.append(
            {
                "task": task.name,
                "item": item["item"],
                "language": "en",
                "variant": "plain",
                "sample": 0,
                "state": state if response is not None else "missing",
                "response": response,
            }
        )
    return pl.DataFrame(rows, schema=dict(RESPONSES))


def score(
    task: Task, judgements: pl.DataFrame, metric: str, facet: str = "all", value: str = "all"
) -> dict[str, float]:
    scores = task.summarise(judgements)
    assert scores.columns == SCORE_COLUMNS
    return scores.filter(
        (pl.col("metric") == metric) & (pl.col("facet") == facet) & (pl.col("value") == value)
    ).row(0, named=True)


def test_items_are_stable_and_complete(items_of: dict[str, pl.DataFrame]) -> None:
    easy, hard = (require_columns(items_of[task.name], ITEMS, "items") for task in BENCHMARK.tasks)
    assert easy["item"].n_unique() == easy.height == 1227
    assert hard["item"].n_unique() == hard.height == 4908
    assert easy["item"][0] == "easy/0"
    assert hard["item"][5] == "hard/1/5"
    assert hard["question"].n_unique() == 1227


@pytest.mark.parametrize("task", BENCHMARK.tasks)
def test_prompts_show_the_item_and_name_the_labels(
    task: Task, release: Release, items_of: dict[str, pl.DataFrame]
) -> None:
    items = items_of[task.name]
    prompts = require_columns(
        task.prompts(items, PromptOptions(variants=("all",)), release), PROMPTS, "prompts"
    )
    assert prompts.height == 2 * items.height
    assert set(prompts["variant"]) == {"plain", "strict-format"}
    assert set(prompts["prompt_source"]) == {"folkways"}
    assert prompts["choices"][0].to_list() == (["A", "B", "C", "D"] if task is EASY else ["True", "False"])
    none = items.filter(
        pl.col("text").str.ends_with(" None") if task is HARD else pl.col("options").list.contains("None")
    )["item"].item()
    shown = prompts.filter(pl.col("item") == none)["user"]
    assert all("None" in text and "{" not in text for text in shown)
    assert task.prompts(items, PromptOptions(), release)["variant"].unique().to_list() == list(task.variants)
    assert task.max_tokens == 2


def test_texts_of_the_user_and_unknown_variants(release: Release, items_of: dict[str, pl.DataFrame]) -> None:
    items = items_of[EASY.name].head(1)
    own = PromptOptions(prompt_texts={"mine": "{question} {a}/{b}/{c}/{d}"})
    assert EASY.prompts(items, own, release)["prompt_source"].to_list() == ["file:mine"]
    with pytest.raises(FolkwaysError, match=r"write \{question\}"):
        EASY.prompts(items, PromptOptions(prompt_texts={"mine": "?"}), release)
    with pytest.raises(UnknownNameError, match="valid: all, plain, strict-format"):
        EASY.prompts(items, PromptOptions(variants=("inst-4",)), release)


def test_profiles_and_their_alias() -> None:
    for task in BENCHMARK.tasks:
        assert task.resolve_profile(None) == "paper"
        assert task.resolve_profile("strict") == "lenient"


def test_gold_labels_score_everything(items_of: dict[str, pl.DataFrame]) -> None:
    for task, metric in ((EASY, "right"), (HARD, "all_right")):
        items = items_of[task.name]
        judged = require_columns(
            task.judge(items, asked(task, items, lambda item: str(item["answer"])), "paper"),
            JUDGEMENTS,
            "judgements",
        )
        found = score(task, judged, metric)
        assert (found["score"], found["n"], found["questions"]) == (100.0, 1227, 1227)


def test_constant_false_gets_no_question_and_most_judgements(items_of: dict[str, pl.DataFrame]) -> None:
    items = items_of[HARD.name]
    judged = HARD.judge(items, asked(HARD, items, lambda item: "False"), "paper")
    true = items.filter(pl.col("answer") == "True").height
    assert score(HARD, judged, "all_right")["score"] == 0.0
    by_judgement = score(HARD, judged, "right")
    assert by_judgement["score"] == pytest.approx(100 * (4908 - true) / 4908)
    assert by_judgement["n"] == 4908


def test_talking_models_are_wrong_in_paper_and_read_in_lenient(items_of: dict[str, pl.DataFrame]) -> None:
    easy, hard = items_of[EASY.name], items_of[HARD.name]
    talk = asked(EASY, easy, lambda item: f"Answer: {item['answer']}.")
    truth = asked(HARD, hard, lambda item: f"That is {str(item['answer']).lower()}.")
    for task, items, table, metric in ((EASY, easy, talk, "right"), (HARD, hard, truth, "all_right")):
        paper, lenient = (
            score(task, task.judge(items, table, profile), metric) for profile in ("paper", "lenient")
        )
        assert (paper["score"], paper["unreadable"], paper["coverage"]) == (0.0, 1227, 1.0)
        assert (lenient["score"], lenient["unreadable"]) == (100.0, 0)


def test_refusals_are_counted_apart(items_of: dict[str, pl.DataFrame]) -> None:
    items = items_of[EASY.name]
    replies = ["I cannot answer this.", "maybe", "", None] * 400
    judged = EASY.judge(
        items, asked(EASY, items, lambda item: replies[int(str(item["question"]))]), "lenient"
    )
    found = score(EASY, judged, "right")
    assert (found["refused"], found["unreadable"], found["missing"]) == (307, 614, 306)
    assert found["at_best"] == pytest.approx(100 * 306 / 1227)


def test_a_region_is_the_mean_of_its_countries_with_pooled_accuracy_beside(
    items_of: dict[str, pl.DataFrame],
) -> None:
    items = items_of[EASY.name]
    judged = EASY.judge(
        items,
        asked(EASY, items, lambda item: str(item["answer"]) if item["culture"] == "US" else "-"),
        "paper",
    )
    region = score(EASY, judged, "right", "region", "North America")
    pooled = score(EASY, judged, "right", "region (pooled)", "North America")
    assert region["score"] == pytest.approx(50.0)
    assert pooled["score"] == pytest.approx(100 * 20 / 27)
    assert (region["n"], pooled["n"]) == (27, 27)
    assert region["interval"] == "wilson 95% within country"
    assert pooled["interval"] == "wilson 95%"


def test_one_canadian_question_moves_north_america_by_seven_points(items_of: dict[str, pl.DataFrame]) -> None:
    items = items_of[EASY.name]
    canadian = items.filter(pl.col("culture") == "CA")["item"][0]
    judged = EASY.judge(
        items,
        asked(EASY, items, lambda item: str(item["answer"]) if item["item"] == canadian else "-"),
        "paper",
    )
    region = score(EASY, judged, "right", "region", "North America")
    assert region["score"] == pytest.approx(100 / 7 / 2)
    assert region["low"] <= region["score"] <= region["high"]


def test_a_region_of_one_country_has_the_interval_of_the_country(items_of: dict[str, pl.DataFrame]) -> None:
    items = items_of[EASY.name].filter(pl.col("culture") != "CA")
    right = {str(number) for number in range(0, 2000, 3)}
    judged = EASY.judge(
        items,
        asked(EASY, items, lambda item: str(item["answer"]) if item["question"] in right else "-"),
        "paper",
    )
    found, own = (
        score(EASY, judged, "right", "region", "North America"),
        score(EASY, judged, "right", "culture", "US"),
    )
    assert 0 < own["score"] < 100
    for name in ("score", "low", "high", "interval"):
        assert found[name] == own[name]


def test_a_region_without_any_variation_is_not_certain(items_of: dict[str, pl.DataFrame]) -> None:
    """The interval comes from those of the countries, and is no point."""
    items = items_of[EASY.name]
    for country, points in (("US", 50.0), ("CA", 50.0), (None, 0.0), ("both", 100.0)):
        judged = EASY.judge(
            items,
            asked(
                EASY,
                items,
                lambda item, country=country: (
                    str(item["answer"]) if country in (item["culture"], "both") else "-"
                ),
            ),
            "paper",
        )
        region = score(EASY, judged, "right", "region", "North America")
        assert region["score"] == points
        assert region["interval"] == "wilson 95% within country"
        assert 0 <= region["low"] <= points <= region["high"] <= 100
        assert 10 < region["high"] - region["low"] < 60


def test_regional_scores_do_not_depend_on_the_order_of_rows(items_of: dict[str, pl.DataFrame]) -> None:
    items = items_of[EASY.name]
    judged = EASY.judge(items, asked(EASY, items, lambda item: "A"), "paper")
    shuffled = judged.sample(fraction=1.0, shuffle=True, seed=3)
    key = ["metric", "facet", "value"]
    assert EASY.summarise(judged).sort(key).equals(EASY.summarise(shuffled).sort(key), null_equal=True)


def test_a_question_with_one_bad_judgement_is_not_right_and_says_why(
    items_of: dict[str, pl.DataFrame],
) -> None:
    items = items_of[HARD.name]
    spoil: dict[str, str | None] = {"hard/0/1": None, "hard/1/5": "hm", "hard/2/8": None, "hard/2/9": "wrong"}

    def reply(item: dict[str, object]) -> str | None:
        name = str(item["item"])
        if spoil.get(name, "") == "wrong":
            return {"True": "False", "False": "True"}[str(item["answer"])]
        return spoil[name] if name in spoil else str(item["answer"])

    judged = HARD.judge(items, asked(HARD, items, reply), "paper")
    speaking = judged.filter(pl.col("all_right") == 0.0)
    assert speaking.select("item", "state").rows() == [
        ("hard/0/1", "missing"),
        ("hard/1/5", "unreadable"),
        ("hard/2/9", "answered"),
    ]
    found = score(HARD, judged, "all_right")
    assert (found["n"], found["missing"], found["unreadable"]) == (1227, 1, 1)
    assert found["score"] == pytest.approx(100 * 1224 / 1227)
    assert found["at_best"] == pytest.approx(100 * 1225 / 1227)
    assert score(HARD, judged, "right")["missing"] == 2


def test_questions_that_were_not_asked_in_full_have_no_score(items_of: dict[str, pl.DataFrame]) -> None:
    items = items_of[HARD.name]
    judged = HARD.judge(items, asked(HARD, items.head(6), lambda item: str(item["answer"])), "paper")
    assert judged["all_right"].to_list() == [1.0, None, None, None, None, None]
    assert judged["right"].to_list() == [1.0] * 6


def test_every_sample_and_variant_is_a_question_of_its_own(items_of: dict[str, pl.DataFrame]) -> None:
    items = items_of[HARD.name].head(4)
    once = asked(HARD, items, lambda item: str(item["answer"]))
    wrong = asked(HARD, items, lambda item: "True").with_columns(sample=pl.lit(1, pl.Int64))
    judged = HARD.judge(items, pl.concat([once, wrong]), "paper")
    assert judged["all_right"].drop_nulls().to_list() == [1.0, 0.0]


def test_gold_outside_the_labels_is_not_counted_and_says_so(tmp_path: Path) -> None:
    easy, hard = culturalbench_rows()
    easy[0] |= {"answer": "E"}
    hard[1] |= {"answer": "Perhaps"}
    spoilt = write_culturalbench(tmp_path, easy[:3], hard[:12])
    for task, wrong in ((EASY, 1), (HARD, 4)):
        items = task.items(spoilt)
        judged = task.judge(items, asked(task, items, lambda item: "A"), "paper")
        assert judged["counted"].to_list() == [False] * wrong + [True] * (items.height - wrong)
        assert all(judged.filter(~pl.col("counted"))["reason"])


def test_a_region_that_never_replied_has_no_score(items_of: dict[str, pl.DataFrame]) -> None:
    items = items_of[EASY.name]
    silent = {"AU", "NZ"}
    replies = asked(EASY, items, lambda item: None if item["culture"] in silent else "A")
    scores = EASY.summarise(EASY.judge(items, replies, "paper")).filter(pl.col("metric") == "right")
    for facet in ("region", "region (pooled)"):
        row = scores.row(by_predicate=(pl.col("facet") == facet) & (pl.col("value") == "Oceania"), named=True)
        assert row["score"] is None
        assert (row["coverage"], row["at_best"], row["n"]) == (0.0, 100.0, 26)
