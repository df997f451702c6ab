"""The analyses on small judgements, against figures worked out by hand, and what they say when something is
lacking."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.base import needs_whole_questions
from folkways.benchmarks.culturalbench import BENCHMARK
from folkways.benchmarks.results import Inputs, make_results
from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.cli.table_output import as_text
from folkways.records import JUDGEMENTS, ModelCard
from tests.support.fingerprints import check_text

EASY, HARD = (task.name for task in BENCHMARK.tasks)
REGIONS = {"JP": "East Asia", "KR": "East Asia", "PE": "South America"}
BY_NAME = {result.name: result for result in BENCHMARK.results if result.tasks}


def judged(
    task: str,
    endpoint: str,
    values: dict[str, Sequence[float]],
    variant: str = "plain",
    mode: str = "single",
    first: int = 0,
) -> pl.DataFrame:
    """One row per value, country by country; questions are numbered on."""
    rows = [(culture, value) for culture, found in values.items() for value in found]
    metric = "right" if task == EASY else "all_right"
    return pl.DataFrame(
        {
            "task": task,
            "item": [f"{task}/{number}" for number in range(first, first + len(rows))],
            "question": [str(number) for number in range(first, first + len(rows))],
            "culture": [culture for culture, _ in rows],
            "language": "en",
            "variant": variant,
            "sample": 0,
            "counted": True,
            "state": "answered",
            "answer": "A",
            "reason": "",
            "endpoint": endpoint,
            "profile": "paper",
            "mode": mode,
            "region": [REGIONS[culture] for culture, _ in rows],
            metric: [value for _, value in rows],
        },
        schema_overrides={**JUDGEMENTS, metric: pl.Float64},
    )


def findings(*frames: pl.DataFrame, cards: dict[str, ModelCard] | None = None) -> Inputs:
    """Inputs of these judgements."""
    whole = frozenset(task.name for task in BENCHMARK.tasks if needs_whole_questions(task))
    return Inputs(pl.concat(frames, how="diagonal_relaxed"), cards=cards or {}, whole_questions=whole)


def rows_of(analysis: str, found: Inputs, name: str) -> list[dict[str, object]]:
    return next(table for table in BY_NAME[analysis].make(found) if table.name == name).rows.to_dicts()


def test_the_mean_over_models_is_over_the_questions_that_all_were_asked() -> None:
    models = [judged(EASY, "a", {"JP": [1, 1, 0]}), judged(EASY, "b", {"JP": [1, 0, 0, 1]})]
    hard = judged(HARD, "a", {"JP": [1, 0, 0]})
    rows = rows_of("easy-hard", findings(*models, hard), "easy-hard")
    scores = {(row["endpoint"], row["setup"]): (row["score"], row["n"]) for row in rows}
    assert scores["mean of 2 models", "Easy"] == (pytest.approx(50.0), 3)
    assert ("mean of 1 models", "Hard") not in scores
    assert not any(row["endpoint"] == "people" for row in rows), "no release tells of them"


def test_sizes_stand_in_the_order_of_numbers_over_all_families() -> None:
    sizes = {"a8": ("a", 8.0), "a70": ("a", 70.0), "b7": ("b", 7.0), "b405": ("b", 405.0)}
    cards = {name: ModelCard(family=family, size=size) for name, (family, size) in sizes.items()}
    frames = [judged(EASY, name, {"JP": [1, 0]}) for name in sizes]
    rows = rows_of("sizes", findings(*frames, cards=cards), "sizes")
    assert [row["size"] for row in rows] == ["7 B", "8 B", "70 B", "405 B"]


ONES = {"JP": [1, 1, 0, 1], "KR": [1, 0], "PE": [0, 0, 1, 0]}
ZEROS = {"JP": [0, 1, 0, 0], "KR": [0, 0], "PE": [0, 0, 1, 0]}


def test_the_gap_is_over_the_questions_of_both_setups() -> None:
    easy = judged(EASY, "m", {**ONES, "PE": [0, 0, 1, 0, 1, 1]})
    (row,) = rows_of("easy-hard", findings(easy, judged(HARD, "m", ZEROS)), "easy-hard-gap")
    assert (row["easy"], row["hard"], row["gap"], row["questions"]) == (50.0, 20.0, 30.0, 10)
    # Three of ten questions go one way and none the other: McNemar's mid-p is .125. Worth 26.4 answers
    # (test_clusters): z = 1.54.
    assert row["p"] == row["p_holm"] == pytest.approx(0.1227, abs=5e-5)


def test_the_best_model_comes_first_among_gaps_and_a_baseline_is_no_model_of_a_setup() -> None:
    models = {"worse": ZEROS, "better": ONES}
    frames = [judged(task, name, values) for name, values in models.items() for task in (EASY, HARD)]
    rows = rows_of("easy-hard", findings(*frames), "easy-hard-gap")
    assert [row["endpoint"] for row in rows] == ["better", "worse"]
    with pytest.raises(NotAvailableError, match="not of baselines alone"):
        BY_NAME["easy-hard"].make(findings(frames[0], judged(HARD, "baseline/random", ONES)))


def test_formats_of_one_question_are_averaged_before_anything_is_compared() -> None:
    plain = judged(EASY, "m", {"JP": [1, 1], "PE": [0, 0]}, "plain")
    strict = judged(EASY, "m", {"JP": [1, 0], "PE": [1, 0]}, "strict-format")
    (east, _) = rows_of("format-spread", findings(plain, strict), "region-differences")
    assert (east["group"], east["score"], east["difference"]) == ("East Asia", 75.0, 50.0)
    assert (east["least"], east["most"], east["format_spread"], east["formats"]) == (0.0, 100.0, 0.0, 2)
    assert east["questions"] == 2


def test_a_group_is_the_mean_over_its_countries_against_that_over_all_others() -> None:
    (east, south) = rows_of("format-spread", findings(judged(EASY, "m", ONES)), "region-differences")
    assert east["score"] == pytest.approx(100 * (0.75 + 0.5) / 2)
    assert east["difference"] == pytest.approx(100 * ((0.75 + 0.5) / 2 - 0.25))
    assert (east["difference"], east["low"]) == (
        pytest.approx(-south["difference"]),
        pytest.approx(-south["high"]),
    )
    assert (east["least"], east["format_spread"]) == (None, None)
    countries = rows_of("format-spread", findings(judged(EASY, "m", ONES)), "culture-differences")
    assert [row["group"] for row in countries] == ["JP", "KR", "PE"]
    assert countries[0]["difference"] == pytest.approx(100 * (0.75 - (0.5 + 0.25) / 2))


def test_a_format_that_one_region_alone_was_asked_in_tells_no_difference() -> None:
    plain = judged(EASY, "m", {"JP": [1, 1], "PE": [0, 0]}, "plain")
    found = findings(plain, judged(EASY, "m", {"JP": [1, 0]}, "strict-format"))
    rows = rows_of("format-spread", found, "region-differences")
    assert {(row["formats"], row["least"], row["most"]) for row in rows} == {(2, None, None)}


def test_orders_are_told_of_models_that_were_asked_in_several() -> None:
    """A letter that was not read tells nothing of letters; sameness is on one row of a question."""

    def ordered(
        variant: str, chosen: list[str | None], gold: list[str], same: list[float | None]
    ) -> pl.DataFrame:
        letters = {"chosen_letter": chosen, "gold_letter": gold}
        columns = [pl.Series(name, values, pl.String) for name, values in letters.items()]
        values = [float(one == other) for one, other in zip(chosen, gold, strict=True)]
        frame = judged(EASY, "m", {"JP": values}, variant)
        return frame.with_columns(*columns, pl.Series("consistent", same, pl.Float64))

    first = ordered("plain", ["A", "A"], ["A", "B"], [0.0, 1.0])
    second = ordered("plain~order-2", ["A", None], ["C", "D"], [None, None])
    once = first.with_columns(endpoint=pl.lit("once"))
    (row,) = rows_of("format-spread", findings(first, second, once), "orders")
    assert (row["endpoint"], row["orders"], row["score"], row["consistency"], row["questions"]) == (
        "m", 2, 25.0, 50.0, 2
    )  # fmt: skip
    bias = [row[f"letter {letter}"] for letter in "ABCD"]
    assert bias == pytest.approx([200 / 3, -100 / 3, -100 / 3, 0])


def test_a_question_counts_once_in_every_table_however_many_orders_it_was_asked_in() -> None:
    """Of four questions two were asked in two orders more, which are right where the first is not."""
    easy = judged(EASY, "m", {"JP": [0, 0], "PE": [1, 1]}, mode="single")
    easy = easy.with_columns(mode=pl.Series(["single", "multi"] * 2))
    again = [
        easy.head(2).with_columns(variant=pl.lit(f"plain~order-{number}"), right=pl.lit(1.0))
        for number in (2, 3)
    ]
    found = findings(
        *(frame.with_columns(consistent=0.0, chosen_letter=pl.lit("A"), gold_letter=pl.lit("A"))
          for frame in (easy, *again)),
        judged(HARD, "m", {"JP": [0, 0], "PE": [1, 0]}),
    )  # fmt: skip
    whole = pytest.approx(100 * (2 / 3 + 1) / 2)
    (gap,) = rows_of("easy-hard", found, "easy-hard-gap")
    (score, _) = rows_of("easy-hard", found, "easy-hard")
    (of_all,) = (row for row in rows_of("region-providers", found, "regions")
                 if (row["region"], row["setup"]) == ("all", "Easy"))  # fmt: skip
    (model, _) = rows_of("models", found, "models")
    (orders,) = rows_of("format-spread", found, "orders")
    assert gap["easy"] == whole and orders["score"] == whole
    assert [(row["score"], row["n"]) for row in (score, of_all, model)] == [(whole, 4)] * 3
    kinds = rows_of("question-types", found, "question-types")
    assert {(row["type"], row["score"], row["n"]) for row in kinds} == {
        ("single", orders["score"], 2), ("multi", orders["score"], 2)
    }  # fmt: skip


def test_the_map_of_regions_has_the_mean_and_the_whole_with_the_best_model_first() -> None:
    """A region is the mean over its countries, for models and for their mean; the whole is over questions."""
    found = findings(
        judged(EASY, "worse", {"JP": [1, 0, 0, 0], "KR": [0], "PE": [1]}),
        judged(EASY, "better", {"JP": [1, 1, 0, 0], "KR": [1], "PE": [1]}),
    )
    rows = rows_of("region-providers", found, "regions")
    scores = {(row["endpoint"], row["region"]): row["score"] for row in rows}
    mean = "mean of 2 models"
    assert [row["endpoint"] for row in rows[:3]] == ["better", "worse", mean]
    assert list(dict.fromkeys(row["region"] for row in rows)) == ["South America", "East Asia", "all"]
    assert scores["better", "East Asia"] == pytest.approx(75.0)
    assert scores[mean, "East Asia"] == pytest.approx((75.0 + 12.5) / 2)
    assert scores[mean, "South America"] == pytest.approx(100.0)
    assert scores["better", "all"] == pytest.approx(100 * 4 / 6)
    assert scores[mean, "all"] == pytest.approx(50.0)


def test_question_types_and_their_gap() -> None:
    found = findings(
        judged(EASY, "m", ONES), judged(EASY, "m", {"JP": [0, 1], "KR": [0, 0]}, mode="multi", first=10)
    )
    (row,) = rows_of("question-types", found, "question-type-gap")
    assert (row["single"], row["multi"], row["difference"], row["n_single"], row["n_multi"]) == (
        50.0,
        25.0,
        25.0,
        10,
        4,
    )


def test_steps_go_from_each_model_to_the_next_of_its_line() -> None:
    def card(size: float | None, year: int) -> ModelCard:
        return ModelCard("Us", "Ours", size, date(year, 1, 1))

    cards = {"big": card(70, 2024), "small": card(8, 2024), "late": card(8, 2025), "nosize": card(None, 2023)}
    found = findings(
        judged(EASY, "big", ONES), judged(EASY, "small", ZEROS), judged(EASY, "late", ONES),
        judged(EASY, "nosize", ONES),
        judged(EASY, "stranger", ONES), cards=cards,
    )  # fmt: skip
    (size,) = rows_of("sizes", found, "sizes-steps")
    assert (size["earlier"], size["later"], size["from"], size["to"], size["difference"]) == (
        "small",
        "big",
        "8 B",
        "70 B",
        30.0,
    )
    (step,) = rows_of("dates", found, "dates-steps")
    assert (step["family"], step["earlier"], step["later"], step["difference"]) == (
        "Ours 8 B",
        "small",
        "late",
        30.0,
    )
    groups = rows_of("models", found, "model-groups")
    shown = {(row["by"], row["group"]): (row["models"], row["score"]) for row in groups}
    assert shown["provider", "Us"] == (4, pytest.approx((50 + 20 + 50 + 50) / 4))
    assert shown["provider", "unknown"] == (1, 50.0)
    assert shown["size", "8 B"] == (2, 35.0)
    assert shown["released", "2024-01"] == (2, 35.0)


def test_groups_come_by_name_and_what_is_not_known_last() -> None:
    cards = {"a": ModelCard(provider="zebra"), "b": ModelCard(), "c": ModelCard(provider="ant")}
    rows = rows_of(
        "models", findings(*(judged(EASY, name, ONES) for name in "abc"), cards=cards), "model-groups"
    )
    groups = [row["group"] for row in rows if row["by"] == "provider"]
    assert groups == ["ant", "zebra", "unknown"]


def test_lines_are_of_one_family_and_date_or_size_and_the_first_of_two_in_one_place_counts() -> None:
    about = {
        "small": ("F", 1, 2024), "big": ("F", 2.5, 2024), "again": ("F", 2.5, 2024), "later": ("F", 9, 2025),
        "undated": ("F", 4, None), "undated too": ("F", 5, None), "alone": ("G", 3, 2024),
    }  # fmt: skip
    cards = {
        name: ModelCard(family=family, size=size, released=year and date(year, 1, 1))
        for name, (family, size, year) in about.items()
    }
    frames = [judged(EASY, name, ZEROS if name in ("small", "again") else ONES) for name in about]
    found = findings(*frames, cards=cards)
    steps = [(row["family"], row["earlier"], row["later"]) for row in rows_of("sizes", found, "sizes-steps")]
    assert steps == [("F", "undated", "undated too"), ("F (2024-01-01)", "small", "big")]
    shown = [(row["size"], row["family"]) for row in rows_of("sizes", found, "sizes")]
    assert shown == [("1 B", "F (2024-01-01)"), ("2.5 B", "F (2024-01-01)"), ("4 B", "F"), ("5 B", "F")]


def test_a_group_of_models_is_compared_on_what_all_of_them_were_asked() -> None:
    found = findings(judged(EASY, "one", {"JP": [1, 1, 1, 1]}), judged(EASY, "two", {"JP": [0, 0]}))
    (row,) = (row for row in rows_of("models", found, "model-groups") if row["by"] == "provider")
    assert (row["score"], row["n"], row["models"]) == (50.0, 2, 2)


@pytest.mark.parametrize(
    ("analysis", "what"),
    [
        ("easy-hard", "culturalbench/hard was not asked"),
        ("question-types", "of one type only"),
        ("sizes", "two models of one family and date"),
        ("dates", "two models of one family and size"),
    ],
)
def test_what_is_lacking_is_said(analysis: str, what: str) -> None:
    with pytest.raises(NotAvailableError, match=what):
        BY_NAME[analysis].make(findings(judged(EASY, "m", ONES)))


def test_one_country_in_one_format_has_no_spread() -> None:
    with pytest.raises(NotAvailableError, match="two formats"):
        BY_NAME["format-spread"].make(findings(judged(EASY, "m", {"JP": [1, 0]})))


def test_baselines_are_no_models() -> None:
    alone = findings(judged(EASY, "baseline/random", ONES))
    for name in ("question-types", "region-providers", "models", "format-spread"):
        with pytest.raises(NotAvailableError, match="not of baselines alone"):
            BY_NAME[name].make(alone)
    beside = findings(judged(EASY, "baseline/random", ONES), judged(EASY, "m", ONES))
    assert {row["endpoint"] for row in rows_of("region-providers", beside, "regions")} == {"m"}


def test_published_figures_stand_in_tables_of_their_own() -> None:
    tables: Sequence[Table] = BY_NAME["reference-points"].make(findings(judged(EASY, "m", ONES)))
    assert [table.name for table in tables] == ["published-scores", "published-regions"]
    assert all(table.title.startswith("Published") for table in tables)
    (scores, regions) = (table.rows for table in tables)
    assert scores.filter(pl.col("subject") == "GPT-4o").select("setup", "published").rows() == [
        ("Easy", 88.8)
    ]
    gpt = regions.filter(pl.col("model") == "gpt4o (published)", pl.col("region") == "South Asia")
    assert gpt["published"].to_list() == [90.13]


def test_every_analysis_names_what_it_lacks_or_is_made() -> None:
    found = findings(judged(EASY, "m", ONES), judged(HARD, "m", ZEROS))
    made, left_out = make_results([result for name, result in BY_NAME.items() if name != "guessing"], found)
    assert {one.result.name for one in made} | set(left_out) == set(BY_NAME) - {"guessing"}
    assert set(left_out) == {"question-types", "sizes", "dates", "consistency-culturalbench-easy"}


def test_every_table_is_printed_as_recorded() -> None:
    cards = {
        name: ModelCard(maker, "F", size, date(year, 1, 1))
        for name, maker, size, year in [
            ("small", "A", 1, 2024),
            ("big", "A", 70, 2024),
            ("late", "B", 70, 2025),
        ]
    }
    asked = [(task, name, ZEROS, "plain") for task in (EASY, HARD) for name in ("small", "late")]
    asked += [(task, "big", ONES, "plain") for task in (EASY, HARD)]
    asked += [(EASY, "late", ONES, "shuffled"), (EASY, "late", ONES, "reversed")]
    more = {culture: values[1:] for culture, values in ONES.items()}
    frames = [
        judged(task, name, values, variant, mode, first)
        for task, name, single, variant in asked
        for mode, values, first in (("single", single, 0), ("multi", more, 20))
    ]
    made, left_out = make_results(
        [result for name, result in BY_NAME.items() if name not in ("guessing", "reference-points")],
        findings(*frames, cards=cards),
    )
    tables = [table for one in made for table in one.tables]
    text = "\n".join(
        [as_text(tables, 140), "left out:", *(f"{name}: {why}" for name, why in left_out.items())]
    )
    check_text(text, Path(__file__).parent / "recorded" / "tables.txt")
