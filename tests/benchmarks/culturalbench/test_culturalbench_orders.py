"""Easy in several orders of its options: what is shown, what a letter then means, and what it says of a
model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.culturalbench.tasks import Easy
from folkways.benchmarks.multiple_choice.orders import (
    MOST,
    can_be_permuted,
    order_of,
    orders_of,
    split_variant,
    variant_name,
)
from folkways.errors import FolkwaysError
from folkways.records import RESPONSES
from folkways.releases.release_records import Release

EASY = Easy()
ORDERS = 4


@pytest.fixture(scope="module")
def items(release: Release) -> pl.DataFrame:
    return EASY.items(release)


@pytest.fixture(scope="module")
def prompts(items: pl.DataFrame, release: Release) -> pl.DataFrame:
    return EASY.prompts(items, PromptOptions(orders=ORDERS), release)


def shown(prompt: str) -> dict[str, str]:
    """Letter -> option, read out of the prompt as a model would."""
    listed = prompt[prompt.index("\nA. ") + 1 : prompt.index("\n\nReply with")]
    parts = {}
    for letter, following in zip("ABCD", "BCD ", strict=True):
        end = listed.find(f"\n{following}. ") if following != " " else len(listed)
        parts[letter] = listed[listed.index(f"{letter}. ") + 3 : end]
    return parts


def answered(
    prompts: pl.DataFrame, items: pl.DataFrame, reply: Callable[[dict[str, str], str, str], str | None]
) -> pl.DataFrame:
    """Responses of a model that is given what a prompt shows, the text of the right option, and the
    variant."""
    right = {
        item: options["ABCD".index(answer)]
        for item, options, answer in items.select("item", "options", "answer").iter_rows()
    }
    rows = [
        {
            "task": EASY.name,
            "item": item,
            "language": "en",
            "variant": variant,
            "sample": 0,
            "state": state,
            "response": text,
        }
        for item, variant, user in prompts.select("item", "variant", "user").iter_rows()
        for text in [reply(shown(user), right[item], variant)]
        for state in ["missing" if text is None else "answered"]
    ]
    return pl.DataFrame(rows, schema=dict(RESPONSES))


def letter_of(options: dict[str, str], text: str) -> str:
    return next(letter for letter, option in options.items() if option == text)


def scores(items: pl.DataFrame, responses: pl.DataFrame) -> dict[tuple[str, str, str], dict[str, float]]:
    found = EASY.summarise(EASY.judge(items, responses, "paper"))
    return {(row["metric"], row["facet"], row["value"]): row for row in found.iter_rows(named=True)}


@given(st.text(max_size=8))
def test_every_order_once_the_released_one_first_and_each_option_once_in_each_place(question: str) -> None:
    orders = orders_of(question)
    assert orders[0] == (0, 1, 2, 3)
    assert len(set(orders)) == MOST == 24
    for start in range(0, MOST, 4):
        for place in range(4):
            assert {order[place] for order in orders[start : start + 4]} == {0, 1, 2, 3}


def test_questions_differ_in_which_order_comes_second() -> None:
    second = Counter(orders_of(str(number))[1] for number in range(1200))
    assert set(second) == {(1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)}
    assert min(second.values()) > 330


def test_the_name_of_a_variant_tells_template_and_order() -> None:
    assert variant_name("plain", 1) == "plain"
    assert split_variant(variant_name("plain", 12)) == ("plain", 12)
    assert split_variant("my~order") == ("my~order", 1)
    assert order_of("17", "plain~order-3") == orders_of("17")[2]
    assert order_of("17", "plain~order-99") == orders_of("17")[0]


@pytest.mark.parametrize(
    ("option", "anywhere"),
    [
        ("All of the above", False),
        ("None of the options above", False),
        ("Both A and C", False),
        ("(A) and (B)", False),
        ("Option D only", False),
        ("None of them", True),
        ("Both a bow and a nod", True),
        ("Above the door", True),
        ("(i), (ii), (iv)", True),
        ("Vitamin A and C", True),
    ],
)
def test_options_that_speak_of_places_stay_where_they_are(option: str, anywhere: bool) -> None:
    assert can_be_permuted(["Tea", "Salt", "Bread", option]) is anywhere


def test_questions_with_such_an_option_are_asked_in_the_released_order_only(
    items: pl.DataFrame, release: Release
) -> None:
    row = items.head(1).with_columns(options=pl.Series([["Tea", "Salt", "Bread", "All of the above"]]))
    assert EASY.prompts(row, PromptOptions(orders=4), release)["variant"].to_list() == ["strict-format"]


def test_prompts_show_the_released_options_in_other_places(
    items: pl.DataFrame, prompts: pl.DataFrame
) -> None:
    assert prompts.height == ORDERS * items.height
    assert prompts["user"].n_unique() == prompts.height
    assert set(prompts["variant"]) == {
        "strict-format",
        *(f"strict-format~order-{number}" for number in (2, 3, 4)),
    }
    options = dict(items.select("item", "options").iter_rows())
    for item, user in prompts.head(400).select("item", "user").iter_rows():
        assert sorted(shown(user).values()) == sorted(options[item])


def test_a_model_that_knows_is_right_in_every_order(items: pl.DataFrame, prompts: pl.DataFrame) -> None:
    found = scores(items, answered(prompts, items, lambda options, right, _: letter_of(options, right)))
    assert found["right", "all", "all"]["score"] == found["consistent", "all", "all"]["score"] == 100.0
    assert (found["right", "all", "all"]["n"], found["consistent", "all", "all"]["n"]) == (4 * 1227, 1227)
    assert {found["letter_bias", "letter", letter]["score"] for letter in "ABCD"} == {0.0}
    assert {found["letter_chosen", "letter", letter]["score"] for letter in "ABCD"} == {
        25.0
    }  # four rotations: no letter is favoured


def test_a_model_that_likes_a_letter_is_found_out(items: pl.DataFrame, prompts: pl.DataFrame) -> None:
    found = scores(items, answered(prompts, items, lambda *_: "B"))
    assert found["right", "all", "all"]["score"] == 25.0
    assert found["consistent", "all", "all"]["score"] == 0.0
    assert [found["letter_bias", "letter", letter]["score"] for letter in "ABCD"] == [
        -25.0,
        75.0,
        -25.0,
        -25.0,
    ]
    assert found["right", "gold_letter", "B"]["score"] == 100.0


def test_a_model_that_is_wrong_in_the_same_way_is_consistent(
    items: pl.DataFrame, prompts: pl.DataFrame
) -> None:
    def wrong(options: dict[str, str], right: str, variant: str) -> str:
        return letter_of(options, min(option for option in options.values() if option != right))

    found = scores(items, answered(prompts, items, wrong))
    assert (found["right", "all", "all"]["score"], found["consistent", "all", "all"]["score"]) == (0.0, 100.0)


def test_a_missing_order_could_still_be_consistent_and_a_refused_one_could_not(
    items: pl.DataFrame, prompts: pl.DataFrame
) -> None:
    touched = items.filter(pl.col("gold").str.ends_with("0")).height
    assert 100 < touched < 150

    def reply(lost: str | None, otherwise: str = "") -> Callable[[dict[str, str], str, str], str | None]:
        """Loses the third order of the touched questions, and else knows, or says the same letter."""

        def say(options: dict[str, str], right: str, variant: str) -> str | None:
            return (
                lost
                if variant.endswith("-3") and right.endswith("0")
                else otherwise or letter_of(options, right)
            )

        return say

    share = pytest.approx(100 * (1227 - touched) / 1227)
    missing = scores(items, answered(prompts, items, reply(None)))["consistent", "all", "all"]
    assert (missing["score"], missing["missing"], missing["at_best"]) == (share, touched, 100.0)
    refused = scores(items, answered(prompts, items, reply("I cannot answer that.")))[
        "consistent", "all", "all"
    ]
    assert (refused["score"], refused["refused"], refused["at_best"]) == (share, touched, share)
    other_option_too = scores(items, answered(prompts, items, reply(None, "A")))["consistent", "all", "all"]
    assert (other_option_too["missing"], other_option_too["at_best"]) == (0, 0.0)


def test_the_variant_facet_tells_the_orders_apart(items: pl.DataFrame, prompts: pl.DataFrame) -> None:
    only_second = answered(
        prompts, items, lambda options, right, variant: letter_of(options, right) if "~" in variant else "-"
    )
    found = scores(items, only_second)
    assert found["right", "variant", "strict-format"]["score"] == 0.0
    assert found["right", "variant", "strict-format~order-2"]["score"] == 100.0
    assert found["right", "all", "all"]["score"] == 75.0


def test_one_order_has_no_consistency(items: pl.DataFrame, release: Release) -> None:
    once = EASY.prompts(items, PromptOptions(), release)
    assert ("consistent", "all", "all") not in scores(items, answered(once, items, lambda *_: "A"))


def test_templates_may_not_be_called_like_an_order(items: pl.DataFrame, release: Release) -> None:
    own = PromptOptions(prompt_texts={"mine~order-2": "{question} {a} {b} {c} {d}"})
    with pytest.raises(FolkwaysError, match="~order-N"):
        EASY.prompts(items, own, release)
