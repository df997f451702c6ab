"""Items and judgements of both tasks as whole rows, and what is found out over several rows against a naive
reading of the rule."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.culturalbench import BENCHMARK
from folkways.benchmarks.multiple_choice.orders import can_be_permuted, order_of, orders_of, split_variant
from folkways.errors import DataError
from folkways.records import ITEMS, JUDGEMENTS, PROMPTS, RESPONSES
from folkways.releases.release_records import Release
from tests.support.culturalbench_data import culturalbench_rows, write_culturalbench

EASY, HARD = BENCHMARK.tasks
FACETS = dict.fromkeys(("mode", "region", "topic", "part"), pl.String)
ASKED = ("item", "language", "variant", "sample", "state", "response")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Three questions; the first row of Easy and of Hard stands there twice, and one of each has no usable
    answer."""
    easy, hard = culturalbench_rows()
    easy[2] |= {"answer": "E"}
    hard[9] |= {"answer": "Perhaps"}
    return write_culturalbench(tmp_path_factory.mktemp("small"), [*easy[:3], easy[0]], [*hard[:12], hard[0]])


def responses(task: Any, rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    table = [{"task": task.name, "reason": None, **dict(zip(ASKED, row, strict=True))} for row in rows]
    return pl.DataFrame(table, schema=dict(RESPONSES))


def test_items_in_full(release: Release) -> None:
    easy, hard = (task.items(release) for task in BENCHMARK.tasks)
    question = "In United States, what do guests bring to feast 0?"
    options = [f"They take {thing}, number 0" for thing in ("bread", '"flat" cakes', "tea\nor milk", "salt")]
    told = (
        "task",
        "item",
        "release_id",
        "question",
        "culture",
        "region",
        "text",
        "gold",
        "answer",
        "gold_letter",
        "options",
    )
    assert easy.select(told).row(0) == (
        *(
            "culturalbench/easy",
            "easy/0",
            "0",
            "0",
            "US",
            "North America",
            question,
            f"A. {options[0]}",
            "A",
            "A",
            options,
        ),
    )
    assert easy["item"].to_list() == ["easy/0", "easy/1", "easy/2", "easy/0-2"]
    assert easy["gold"][2] == "E. "
    assert dict(easy.schema) == {
        **ITEMS,
        **FACETS,
        "answer": pl.String,
        "gold_letter": pl.String,
        "options": pl.List(pl.String),
        "local_language": pl.String,
        "local_question": pl.String,
        "local_options": pl.List(pl.String),
    }
    asked_for = (
        "task",
        "item",
        "release_id",
        "question",
        "text",
        "gold",
        "answer",
        "question_text",
        "option",
        "judgements",
    )
    assert hard.select(asked_for).row(0) == (
        *(
            "culturalbench/hard",
            "hard/0/0",
            "0",
            "0",
            f"{question} {options[0]}",
            "True",
            "True",
            question,
            options[0],
            5,
        ),
    )
    assert hard["item"].to_list() == [*(f"hard/{number // 4}/{number}" for number in range(12)), "hard/0/0-2"]
    assert hard["judgements"].to_list() == [5] * 4 + [4] * 8 + [5]
    own = {"question_text": pl.String, "option": pl.String, "judgements": pl.Int64}
    own |= dict.fromkeys(("local_language", "local_question", "local_option"), pl.String)
    assert dict(hard.schema) == {**ITEMS, **FACETS, "answer": pl.String, **own}


@pytest.mark.parametrize("profile", ["paper", "lenient"])
def test_a_judgement_of_easy_in_full(release: Release, profile: str) -> None:
    items = EASY.items(release)
    third = orders_of("1")[2]
    shown = "ABCD"[third.index(1)]  # where the right option, B in the release, stands in the third order
    wrong = next(letter for letter in "ABCD" if letter != shown)
    table = responses(
        EASY,
        [
            ("easy/0", "en", "plain", 0, "answered", "A"),
            ("easy/0", "en", "plain", 1, "answered", f"Answer: {wrong}"),
            ("easy/1", "en", "plain~order-3", 4, "answered", shown),
            ("easy/1", "en", "plain~order-3", 5, "answered", wrong),
            ("easy/1", "en", "plain", 0, "answered", "I cannot answer."),
            ("easy/1", "en", "plain", 1, "answered", "hm"),
            ("easy/1", "en", "plain", 2, "answered", None),
            ("easy/1", "en", "plain", 3, "failed", "B"),
            ("easy/2", "en", "plain", 0, "answered", "A"),
        ],
    )  # fmt: skip
    judged = EASY.judge(items, table, profile)
    said = ("counted", "state", "answer", "right", "gold_letter", "chosen_letter", "chosen_option")
    unread: tuple[Any, ...] = (True, "unreadable", None, 0.0, "A", None, None)
    assert judged.select(said).rows() == [
        (True, "answered", "A", 1.0, "A", "A", "A"),
        unread if profile == "paper" else (True, "answered", wrong, float(wrong == "A"), "A", wrong, wrong),
        (True, "answered", shown, 1.0, shown, shown, "B"),
        (True, "answered", wrong, 0.0, shown, wrong, "ABCD"[third["ABCD".index(wrong)]]),
        (True, "refused", None, 0.0, "B", None, None),
        (True, "unreadable", None, 0.0, "B", None, None),
        (True, "unreadable", None, 0.0, "B", None, None),
        (True, "failed", None, 0.0, "B", None, None),
        (False, "answered", None, 0.0, "E", None, None),
    ]
    reasons = judged["reason"].to_list()
    assert reasons[2].startswith(f"said {shown}. ") and reasons[2].endswith(", which is right")
    assert reasons[3].startswith(f"said {wrong}. ") and f"; right: {shown}. " in reasons[3]
    assert reasons[4].split()[-1] == "answer"
    assert ("label" in reasons[5], "found" in reasons[5], reasons[7]) == (True, profile == "lenient", None)
    assert "'E'" in reasons[8]
    assert judged["consistent"].null_count() == judged.height  # each was asked in one order only
    letters = dict.fromkeys(("gold_letter", "chosen_letter", "chosen_option"), pl.String)
    assert dict(judged.schema) == {
        **JUDGEMENTS,
        **FACETS,
        **letters,
        "right": pl.Float64,
        "consistent": pl.Float64,
    }
    with pytest.raises(DataError, match="lack the column sample"):
        EASY.judge(items, table.drop("sample"), profile)
    with pytest.raises(DataError, match=r"row 2: .*'easy/9'"):
        EASY.judge(items, table.with_columns(item=pl.Series(["easy/0", "easy/9", *["easy/0"] * 7])), profile)


ENDINGS = ("A", "B", "C", "D", "I cannot answer.", "hm", "failed", "missing")
RANKS = {"refused": 1, "unreadable": 2, "failed": 3, "missing": 4}


def asked(task: Any, item: str, variant: str, sample: int, said: str) -> tuple[Any, ...]:
    lost = said in ("failed", "missing")
    return (item, "en", variant, sample, said if lost else "answered", None if lost else said)


def some(keys: Iterable[tuple[str, str]], endings: tuple[str, ...]) -> Iterator[tuple[str, str, int, str]]:
    """A reply, or none, to each of the keys in each of many samples; in half of them the same one
    throughout."""
    draw = random.Random(7)
    for sample, (item, variant) in itertools.product(range(300), keys):
        if draw.random() < 0.8:
            yield (
                item,
                variant,
                sample,
                endings[sample % len(endings)] if draw.random() < sample % 2 / 1.2 else draw.choice(endings),
            )


def test_whether_one_option_was_taken_in_every_order(release: Release) -> None:
    keys = itertools.product(("easy/0", "easy/1"), ("p", "q", "p~order-2", "q~order-2", "p~order-3"))
    rows = [asked(EASY, *each) for each in some(keys, ENDINGS)]
    judged = EASY.judge(EASY.items(release), responses(EASY, rows), "paper")
    groups = defaultdict(list)
    for place, row in enumerate(judged.iter_rows(named=True)):
        groups[row["item"], split_variant(row["variant"])[0], row["sample"]].append((place, row))
    expected: list[float | None] = [None] * judged.height
    for group in groups.values():
        chosen = [row["chosen_option"] for _, row in group]
        several = len(set(chosen) - {None}) > 1
        ranks = [0 if several and row["chosen_option"] else RANKS.get(row["state"], 5) for _, row in group]
        if len(group) > 1:
            expected[group[ranks.index(min(ranks))][0]] = float(len(set(chosen)) == 1 and None not in chosen)
    assert judged["consistent"].to_list() == expected
    assert min(expected.count(value) for value in (0.0, 1.0)) > 20
    for row in judged.filter(pl.col("chosen_letter").is_not_null()).iter_rows(named=True):
        order = order_of(row["question"], row["variant"])
        assert row["chosen_option"] == "ABCD"[order["ABCD".index(row["chosen_letter"])]]


TRUE_OR_NOT = ("right", "True", "False", "I cannot answer.", "hm", "failed", "missing")


def test_whether_a_question_is_right_and_which_row_says_so(release: Release) -> None:
    keys = itertools.product((f"hard/1/{number}" for number in range(4, 8)), "pq")
    right = {f"hard/1/{number}": str(number == 5) for number in range(4, 8)}
    drawn = some(keys, TRUE_OR_NOT)
    rows = [
        asked(HARD, item, variant, sample, right[item] if said == "right" else said)
        for item, variant, sample, said in drawn
    ]
    judged = HARD.judge(HARD.items(release), responses(HARD, rows), "paper")
    groups = defaultdict(list)
    for place, row in enumerate(judged.iter_rows(named=True)):
        groups[row["variant"], row["sample"]].append((place, row))
    expected: list[float | None] = [None] * judged.height
    for group in groups.values():
        ranks = [
            6 if row["right"] else 0 if row["state"] == "answered" else RANKS[row["state"]]
            for _, row in group
        ]
        if len(group) == 4:
            expected[group[ranks.index(min(ranks))][0]] = float(min(ranks) == 6)
    assert judged["all_right"].to_list() == expected
    assert min(expected.count(value) for value in (0.0, 1.0)) > 1
    assert judged["counted"].all()
    assert dict(judged.schema) == {**JUDGEMENTS, **FACETS, "right": pl.Float64, "all_right": pl.Float64}


def test_a_question_with_an_unusable_answer_does_not_count_with_any_judgement(release: Release) -> None:
    items = HARD.items(release)
    table = responses(HARD, [asked(HARD, item, "p", 0, "True") for item in items["item"]])
    judged = HARD.judge(items, table, "paper")
    assert judged["counted"].to_list() == [True] * 8 + [False] * 4 + [True]
    reasons = judged["reason"].to_list()
    assert ["another judgement" in reason for reason in reasons] == [False] * 8 + [
        True,
        False,
        True,
        True,
        False,
    ]
    assert "'Perhaps'" in reasons[9]
    # The question with a judgement that stands there twice has five, and all count.
    assert judged["all_right"].is_not_null().sum() == 3


def test_prompts_in_full(release: Release) -> None:
    items = EASY.items(release)
    first, own = items.head(1), {"mine": "{question} {a}|{b}|{c}|{d}"}
    prompts = EASY.prompts(first, PromptOptions(prompt_texts=own, orders=3), release)
    options, asked = first["options"][0].to_list(), first["text"][0]
    assert dict(prompts.schema) == PROMPTS
    assert prompts.select(
        "task", "item", "language", "variant", "system", "user", "prompt_source"
    ).rows() == [
        (
            "culturalbench/easy",
            "easy/0",
            "en",
            name,
            None,
            " ".join([asked, "|".join(options[place] for place in order)]),
            "file:mine",
        )
        for name, order in zip(("mine", "mine~order-2", "mine~order-3"), orders_of("0"), strict=False)
    ]
    assert prompts["choices"].to_list() == [list("ABCD")] * 3
    assert dict(EASY.prompts(items.clear(), PromptOptions(), release).schema) == PROMPTS
    assert EASY.prompts(items, PromptOptions(languages=("ko",)), release).is_empty()
    hard = HARD.prompts(
        HARD.items(release).head(1), PromptOptions(prompt_texts={"mine": "{question}: {option}"}), release
    )
    assert hard["user"].to_list() == [f"{first['text'][0]}: {options[0]}"]


def test_orders_beyond_the_last_are_the_released_one() -> None:
    assert order_of("1", "p~order-24") == orders_of("1")[23] != orders_of("1")[0]
    assert order_of("1", "p~order-25") == order_of("1", "p") == orders_of("1")[0]
    # Which order comes when is kept for ever: results of several folkways are compared.
    kept = [(2, 3, 0, 1), (1, 2, 3, 0), (3, 0, 1, 2), (0, 3, 2, 1), (0, 2, 3, 1)]
    assert [orders_of("1")[place] for place in (1, 2, 3, 4, 23)] == kept
    assert split_variant("two\nlines~order-10") == ("two\nlines", 10)
    assert split_variant("p~order-0") == ("p~order-0", 1)


@pytest.mark.parametrize(
    ("option", "anywhere"),
    [
        ("NONE OF THE ABOVE", False),
        ("neither B", False),
        ("Either c", True),
        ("A & B", False),
        ("a & b", True),
        ("last options", False),
    ],
)
def test_places_are_spoken_of_in_any_case_and_letters_in_capitals(option: str, anywhere: bool) -> None:
    assert can_be_permuted([option, "Tea"]) is anywhere


def test_letters_are_summed_up_where_they_were_judged(release: Release) -> None:
    items = EASY.items(release)
    table = responses(EASY, [asked(EASY, item, "p", 0, "A") for item in ("easy/0", "easy/1", "easy/2")])
    judged = EASY.judge(items, table, "paper")
    scores = EASY.summarise(judged)
    found = {
        (row["metric"], row["facet"], row["value"]): (row["score"], row["n"])
        for row in scores.iter_rows(named=True)
    }
    assert found["right", "all", "all"] == (50.0, 2)
    assert [found["letter_chosen", "letter", letter] for letter in "AB"] == [(100.0, 2), (0.0, 2)]
    assert [found["letter_right", "letter", letter] for letter in "AB"] == [(50.0, 2), (50.0, 2)]
    assert [found["letter_bias", "letter", letter] for letter in "AB"] == [(50.0, 2), (-50.0, 2)]
    assert not {metric for metric, *_ in found} & {"consistent"}
    letters = scores.filter(facet="letter")
    assert (letters["at_best"] == letters["score"]).all()
    without = EASY.summarise(
        judged.drop("chosen_letter", "chosen_option", "gold_letter").with_columns(gold_letter=pl.lit("A"))
    )
    assert set(without["metric"]) == {"right"}
