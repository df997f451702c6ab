"""Properties of what is built: every gold answer can be told from it, Easy and Hard belong together, no vote
is lost."""

from __future__ import annotations

from random import Random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.benchmarks.culturalbench.build.counting import MajorityRule, count
from folkways.benchmarks.culturalbench.build.tables import (
    BUILT_VOTES,
    EASY_COLUMNS,
    HARD_COLUMNS,
    dropped_table,
    easy_table,
    hard_table,
    topics_table,
    votes_table,
)
from folkways.benchmarks.culturalbench.build.topics import own_topics
from folkways.benchmarks.culturalbench.data import is_multi_mode
from folkways.benchmarks.culturalbench.votes import LETTERS, OPTIONS, VOTES, Votes
from tests.support.votes_data import collections, statements_of, votes_of


@settings(max_examples=settings().max_examples * 2 // 5)  # each makes nine tables
@given(collections(), st.integers(), st.randoms(use_true_random=False))
def test_whatever_the_votes_what_is_built_of_them_agrees_with_them(
    votes: Votes, seed: int, random: Random
) -> None:
    """Each property is checked by a function of its own: drawing votes takes longer than all of them."""
    check_every_gold_set_can_be_told_from_easy_and_from_hard(votes, seed)
    check_easy_and_hard_have_the_same_questions_in_the_released_schema(votes, seed)
    check_no_vote_and_no_question_is_lost(votes, seed)
    check_adding_and_moving_questions_changes_no_other(votes, seed, random)


def check_every_gold_set_can_be_told_from_easy_and_from_hard(votes: Votes, seed: int) -> None:
    counted = count(votes, MajorityRule())
    gold = dict(counted.filter(pl.col("dropped").is_null()).select("item", "gold").iter_rows())
    from_easy = {}
    for row in easy_table(votes, counted, seed).iter_rows(named=True):
        options = [row[f"prompt_{name}"] for name in OPTIONS]
        right = options[LETTERS.index(row["answer"])]
        from_easy[row["question_idx"]] = (
            list(statements_of(right)) if is_multi_mode(options) else [row["answer"]]
        )
    judgements = hard_table(votes, counted).with_columns(
        letter=pl.Series(LETTERS * len(gold), dtype=pl.String)
    )
    from_hard = {
        str(item): rows.filter("answer")["letter"].to_list()
        for (item,), rows in judgements.group_by("question_idx", maintain_order=True)
    }
    assert from_easy == from_hard == gold


def check_easy_and_hard_have_the_same_questions_in_the_released_schema(votes: Votes, seed: int) -> None:
    counted = count(votes, MajorityRule())
    easy, hard = easy_table(votes, counted, seed), hard_table(votes, counted)
    assert (easy.schema, hard.schema) == (pl.Schema(EASY_COLUMNS), pl.Schema(HARD_COLUMNS))
    assert hard["question_idx"].to_list() == [item for item in easy["question_idx"] for _ in LETTERS]
    assert easy["data_idx"].to_list() == list(range(easy.height))
    assert hard["data_idx"].to_list() == list(range(hard.height))
    assert hard["country"].to_list() == [country for country in easy["country"] for _ in LETTERS]
    texts = {item: options for item, *options in votes.items.select("item", *OPTIONS).iter_rows()}
    for (item,), rows in hard.group_by("question_idx"):
        assert rows["prompt_option"].to_list() == texts[str(item)]


def check_no_vote_and_no_question_is_lost(votes: Votes, seed: int) -> None:
    counted = count(votes, MajorityRule())
    left = votes_table(votes, counted)
    assert left.schema == pl.Schema(BUILT_VOTES)
    assert left.rename({"question_idx": "item"}).select(list(VOTES)).equals(votes.votes)
    kept = easy_table(votes, counted, seed)["question_idx"].to_list()
    assert set(left.filter("kept")["question_idx"]) == set(kept)  # every kept question has votes
    dropped = dropped_table(votes, counted)
    assert sorted([*kept, *dropped["item"]]) == sorted(votes.items["item"])
    assert dropped["why"].null_count() == 0
    deciding = (
        left.filter("counted").group_by("question_idx").agg(pl.col("round").n_unique(), pl.len().alias("n"))
    )
    assert set(deciding["round"]) <= {1}
    assert dict(deciding.select("question_idx", "n").iter_rows()) == {
        item: voters for item, voters in counted.select("item", "voters").iter_rows() if voters
    }


def check_adding_and_moving_questions_changes_no_other(votes: Votes, seed: int, random: Random) -> None:
    """What is drawn for a question depends on the seed and its id: the others may come, go, or stand
    elsewhere."""
    order = random.sample(range(votes.items.height), votes.items.height)
    fewer = Votes(votes.items[order[: max(1, len(order) // 2)]], votes.votes)
    fewer = Votes(fewer.items, votes.votes.join(fewer.items, on="item", how="semi", maintain_order="left"))
    whole = easy_table(votes, count(votes, MajorityRule()), seed).drop("data_idx")
    part = easy_table(fewer, count(fewer, MajorityRule()), seed).drop("data_idx")
    rows = {row[0]: row for row in whole.iter_rows()}
    for row in part.iter_rows():
        assert rows.get(row[0], row) == row  # absent only where it asks the same as another
    assert easy_table(votes, count(votes, MajorityRule()), seed).drop("data_idx").equals(whole)


def test_a_second_round_leaves_with_the_first() -> None:
    votes = votes_of({"q": ["dont_know"] * 3 + ["A", "B"], "w": ["dont_know"] * 5 + ["2:C"] * 5})
    counted = count(votes, MajorityRule())
    table = votes_table(votes, counted)
    assert table.group_by("question_idx", "round", "counted", "kept", maintain_order=True).len().rows() == [
        ("q", 1, True, False, 5),
        ("w", 1, False, True, 5),
        ("w", 2, True, True, 5),
    ]
    assert set(table.filter(pl.col("round") == 2)["population"]) == {"Wales"}
    assert dropped_table(votes, counted).select("item", "dropped", "dont_know").rows() == [
        ("q", "dont-know", 3)
    ]


def test_multi_mode_options_are_judged_one_by_one_with_the_question_as_people_read_it() -> None:
    votes = votes_of({"q": ["A C"] * 5})
    hard = hard_table(votes, count(votes, MajorityRule()))
    assert set(hard["prompt_question"]) == {"What about q?"}
    assert hard["answer"].to_list() == [True, False, True, False]


def test_topics_of_people_get_the_head_of_our_list() -> None:
    votes = votes_of({"a": ["A"] * 5, "b": ["A"] * 5, "lost": ["A"]}, topic="food & drink")
    assert topics_table(votes, count(votes, MajorityRule()), own_topics()).rows() == [
        ("a", "food & drink", None),
        ("b", "food & drink", None),
    ]
    named = votes_of({"a": ["A"] * 5}, topic="food and DRINK")
    assert topics_table(named, count(named, MajorityRule()), own_topics()).rows() == [
        ("a", "Food and drink", "Daily life")
    ]
