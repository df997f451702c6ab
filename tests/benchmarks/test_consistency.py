"""Consistency: figures computed by hand, of answers made up here, and of the demo asked in several orders."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f as f_distribution

from folkways.benchmarks.consistency import consistency_tables
from folkways.benchmarks.tables import NotAvailableError
from folkways.records import compact

NAMES = [
    "endpoint",
    "item",
    "question",
    "culture",
    "language",
    "variant",
    "sample",
    "correct",
    "chosen_option",
]


def judged(*rows: tuple[str, str, str, str, int, str | None], right: str = "A") -> pl.DataFrame:
    """Item, culture, language, variant, sample and what was chosen."""
    full = [
        ("m", item, item, culture, language, variant, sample, float(chosen == right), chosen)
        for item, culture, language, variant, sample, chosen in rows
    ]
    return pl.DataFrame(full, schema=NAMES, orient="row")


def alike(data: pl.DataFrame, **options: Any) -> dict[str, dict[str, Any]]:
    return {
        row["over"]: row
        for row in consistency_tables(data, "t/mcq", "correct", **options)[0].rows.iter_rows(named=True)
    }


@pytest.mark.parametrize(("chosen", "agreement"), [("chosen_option", 0.0), ("not asked", 100.0)])
def test_the_note_says_what_replies_without_an_answer_do(chosen: str, agreement: float) -> None:
    """Among options they agree with nothing; answers in words agree where both are wrong."""
    rows = [(str(item), "KR", "en", "plain", sample, None) for item in range(4) for sample in (0, 1)]
    (table, *_) = consistency_tables(judged(*rows), "t/x", "correct", chosen=chosen)
    assert table.rows["agreement"].to_list() == [agreement]
    assert ("count as disagreement" in table.notes[0]) == (agreement == 0)
    assert ("both are wrong, as replies without an answer are" in table.notes[0]) == (agreement == 100)


def test_agreement_entropy_and_turns_by_hand() -> None:
    orders = ["plain", "plain~order-2", "plain~order-3", "plain~order-4"]
    one = [("1", "KR", "en", variant, 0, chosen) for variant, chosen in zip(orders, "AAAB", strict=True)]
    two = [("2", "KR", "en", variant, 0, chosen) for variant, chosen in zip(orders, "BBBB", strict=True)]
    three = [
        ("3", "KR", "en", variant, 0, chosen)
        for variant, chosen in zip(orders, ["A", None, None, "A"], strict=True)
    ]
    found = alike(judged(*one, *two, *three))
    assert set(found) == {"order"}
    row = found["order"]
    # Three of six pairs, all six, and one of six: what could not be read agrees with nothing.
    assert row["agreement"] == pytest.approx(100 * (3 / 6 + 1 + 1 / 6) / 3)
    entropies = [-(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)), 0.0, 0.5 * 1 + 2 * 0.25 * 2]
    assert row["entropy"] == pytest.approx(sum(entropies) / 3)
    assert row["turned"] == pytest.approx(100 * 2 / 3)
    assert (row["ways"], row["items"], row["questions"]) == (4, 3, 3)
    # The orders are right 2, 1, 1 and 1 times of three.
    assert row["spread"] == pytest.approx(100 / 3)
    assert (
        row["low"] < row["agreement"] < row["high"] and row["turned_low"] < row["turned"] < row["turned_high"]
    )


def test_all_but_one_thing_is_kept_equal() -> None:
    rows = [
        ("1", "KR", "en", "plain", 0, "A"),
        ("1", "KR", "en", "plain", 1, "A"),
        ("1", "KR", "en", "other", 0, "B"),
        ("1", "KR", "ko", "plain", 0, "C"),
    ]
    found = alike(judged(*rows))
    assert {over: row["agreement"] for over, row in found.items()} == {
        "template": 0.0,
        "language": 0.0,
        "sample": 100.0,
    }


def test_a_question_with_an_item_in_each_language() -> None:
    rows = judged(("en/1", "KR", "en", "plain", 0, "A"), ("ko/1", "KR", "ko", "plain", 0, "A")).with_columns(
        question=pl.lit("1")
    )
    with pytest.raises(NotAvailableError, match="--permute-options"):
        alike(rows)
    assert alike(rows, same=("question",))["language"]["agreement"] == 100.0


def test_answers_in_words_agree_where_both_are_wrong() -> None:
    rows = judged(*(("1", "KR", "en", "plain", sample, chosen) for sample, chosen in enumerate("BCA")))
    assert alike(rows, chosen=None)["sample"]["agreement"] == pytest.approx(100 / 3)
    assert alike(rows)["sample"]["agreement"] == 0.0


def replies(culture: str, *right: int, of: int = 10) -> list[tuple[str, str, str, str, int, str | None]]:
    """So many of ten right in each order."""
    return [
        (f"{culture}{number}", culture, "en", f"plain~order-{order}", 0, "A" if number < least else "B")
        for order, least in enumerate(right, start=2)
        for number in range(of)
    ]


def test_gaps_that_could_come_from_the_way_of_asking_are_marked() -> None:
    """Two orders of ten questions, right 7 and 3 times: by hand.

    Between orders: 10 (0.2^2 + 0.2^2) / 1 = 0.8. Four questions turn and six do not, 0.4 on average: 4 *
    0.6^2 + 6 * 0.4^2 = 2.4, half of it is the noise, over 9 degrees of freedom. F = 6; the variance of orders
    is (0.8 - 1.2 / 9) / 10.
    """
    data = judged(*replies("KR", 9, 9), *replies("US", 7, 3), *replies("ES", 4, 4))
    tables = consistency_tables(data, "t/mcq", "correct")
    as_in_reports = compact(data).with_columns(pl.col("correct").cast(pl.Float64))
    for one, other in zip(tables, consistency_tables(as_in_reports, "t/mcq", "correct"), strict=True):
        assert one.rows.equals(other.rows)
    gaps = {row["culture"]: row for row in tables[1].rows.iter_rows(named=True)}
    assert [gaps[code]["score"] for code in ("KR", "US", "ES")] == pytest.approx([90.0, 50.0, 40.0])
    assert [gaps[code]["difference"] for code in ("KR", "US", "ES")] == pytest.approx([45.0, -15.0, -30.0])
    spread = 100 * math.sqrt((0.8 - 1.2 / 9) / 10)
    assert [gaps[code]["wobble"] for code in ("KR", "US", "ES")] == pytest.approx([0.0, spread, 0.0])
    assert [gaps[code]["wobble_p"] for code in ("KR", "US", "ES")] == pytest.approx(
        [1.0, f_distribution.sf(6, 1, 9), 1.0]
    )
    assert [gaps[code]["within_wobble"] for code in ("KR", "US", "ES")] == [False, True, False]
    assert tables[1].notes[1] == "m: 1 of 3 gaps could come from the way of asking: United States."


def test_a_significant_gap_does_not_come_from_the_way_of_asking() -> None:
    """The order turns 30 of 100 answers, and the gap is smaller than that, but p is below .05."""
    data = judged(*replies("KR", 95, 35, of=100), *replies("US", 90, 90, of=100))
    tables = consistency_tables(data, "t/mcq", "correct")
    korea = next(row for row in tables[1].rows.iter_rows(named=True) if row["culture"] == "KR")
    assert korea["p_holm"] < 0.05 and korea["wobble_p"] < 0.05 and abs(korea["difference"]) < korea["wobble"]
    assert not tables[1].rows["within_wobble"].any()
    assert tables[1].notes[1] == "m: no gap is shown to be within what the way of asking does."


@pytest.mark.parametrize(("right", "gap", "within"), [(5, 35.8, False), (4, 19.2, True)])
def test_a_gap_is_within_what_the_way_of_asking_does_up_to_1_96_of_its_spreads(
    right: int, gap: float, within: bool
) -> None:
    """Five of twenty answers turn with the order: a spread of 16.2 points, which reaches to 31.8. No gap is
    shown."""
    data = judged(*replies("US", 12, 7, of=20), *replies("KR", right, right, of=6))
    states = consistency_tables(data, "t/mcq", "correct")[1].rows.row(
        by_predicate=pl.col("culture") == "US", named=True
    )
    assert (states["wobble"], -states["difference"]) == pytest.approx((16.2, gap), abs=0.05)
    assert states["wobble_p"] < 0.05 < states["p_holm"] and states["within_wobble"] is within


def test_questions_that_lack_a_way_do_not_tell_of_the_wobble() -> None:
    whole = [*replies("KR", 9, 5), *replies("US", 6, 2)]
    found = consistency_tables(judged(*whole), "t/mcq", "correct")[1].rows
    less = consistency_tables(
        judged(*whole, ("KR99", "KR", "en", "plain~order-2", 0, "A")), "t/mcq", "correct"
    )[1].rows
    assert less["wobble"].to_list() == pytest.approx(found["wobble"].to_list())
    single = consistency_tables(judged(*replies("KR", 1, 0, of=1), *replies("US", 6, 2)), "t/mcq", "correct")[
        1
    ].rows
    assert [each is None for each in single["wobble"]] == [True, False]
    assert not single["within_wobble"][0]


@pytest.mark.parametrize(
    ("orders", "studies"),
    [(2, 15), (12, 15), *(pytest.param(orders, 60, marks=pytest.mark.nightly) for orders in (2, 4, 12))],
)
def test_where_the_order_does_nothing_no_gap_is_said_to_come_from_it(orders: int, studies: int) -> None:
    """Two equal cultures of 60 questions. From the best order to the worst there are more points, the more
    orders there are."""
    rng, marked, moved = np.random.default_rng(orders), 0, 0
    for _ in range(studies):
        rows = [
            (f"{code}{number}", code, "en", f"plain~order-{order}", 0, "A" if rng.random() < level else "B")
            for code in ("KR", "US")
            for number, level in enumerate(rng.beta(2, 2, 60))
            for order in range(2, 2 + orders)
        ]
        gaps = consistency_tables(judged(*rows), "t/mcq", "correct")[1].rows
        marked += gaps["within_wobble"].sum()
        moved += (gaps["wobble_p"] < 0.05).sum()
    gaps_of_all = 2 * studies
    assert marked <= moved <= 0.05 * gaps_of_all + 3.7 * (0.05 * 0.95 * gaps_of_all) ** 0.5


@given(
    st.lists(st.lists(st.sampled_from(["A", "B", "C", None]), min_size=2, max_size=5), min_size=1, max_size=6)
)
def test_bounds_and_the_order_of_rows(answers: list[list[str | None]]) -> None:
    rows = judged(
        *(
            (str(item), "KR", "en", "plain", sample, chosen)
            for item, chosens in enumerate(answers)
            for sample, chosen in enumerate(chosens)
        )
    )
    (row,) = alike(rows).values()
    assert 0 <= row["low"] <= row["agreement"] + 1e-9 and row["agreement"] - 1e-9 <= row["high"] <= 100
    assert -1e-9 <= row["entropy"] <= math.log2(row["ways"]) + 1e-9
    assert (row["agreement"] == pytest.approx(100)) == (row["entropy"] == pytest.approx(0, abs=1e-12))
    (other,) = alike(rows.sample(fraction=1.0, shuffle=True, seed=2)).values()
    assert [other[name] for name in ("agreement", "turned", "entropy")] == pytest.approx(
        [row[name] for name in ("agreement", "turned", "entropy")]
    )
