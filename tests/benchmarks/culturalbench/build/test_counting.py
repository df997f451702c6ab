"""Which options are gold, and why a question has none."""

from __future__ import annotations

from collections import defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.benchmarks.culturalbench.build.counting import COUNTED, MajorityRule, count
from folkways.benchmarks.culturalbench.votes import LETTERS, Votes
from folkways.errors import FolkwaysError
from tests.support.votes_data import collections, votes_of

FIVE = ["A"] * 4 + ["B"]


@pytest.mark.parametrize(
    ("cast", "gold", "mode"),
    [
        (["A"] * 5, "A", "single"),
        (["A"] * 4 + ["B"], "A", "single"),
        (["A"] * 4 + ["dont_know"], "A", "single"),  # four of five, whoever the fifth is
        (["A C"] * 4 + ["A"], "A C", "multi"),
        (["A B C D"] * 5, "A B C D", "multi"),
        (["B D", "B", "B D", "D", "B D"], "B D", "multi"),
        (["A"] * 5 + ["B"], "A", "single"),  # six people: five needed
        (["A"] * 8 + ["B"] * 2, "A", "single"),  # ten people: eight needed
        (["A"] * 5 + ["2:B"] * 5, "B", "single"),  # the second round decides, whatever the first said
    ],
)
def test_gold(cast: list[str], gold: str, mode: str) -> None:
    row = count(votes_of({"q": cast}), MajorityRule()).row(0, named=True)
    assert (row["gold"], row["mode"], row["dropped"]) == (gold.split(), mode, None)


@pytest.mark.parametrize(
    ("cast", "reason", "why"),
    [
        (["A"] * 4, "too-few-votes", "4 of 5 votes are there"),
        ([], "too-few-votes", "0 of 5 votes are there"),
        (["A"] * 5 + ["2:B"] * 3, "too-few-votes", "3 of 5 votes are there in round 2"),
        (["A"] * 3 + ["B"] * 2, "no-majority", "the most frequent option has 3 of 5 votes and needs 4"),
        (["A"] * 4 + ["B"] * 2, "no-majority", "the most frequent option has 4 of 6 votes and needs 5"),
        (
            ["A", "A"] + ["dont_know"] * 3,
            "dont-know",
            "3 of 5 say dont_know; a second round may put it to a finer group",
        ),
        (["A", "A"] + ["cannot_answer"] * 3, "cannot-answer", "3 of 5 say cannot_answer"),
        (["A"] * 3 + ["dont_know", "cannot_answer"], "no-majority", "3 of 5"),
        *(
            (["A"] * (of - no) + [word] * no, "no-majority", f"{of - no} of {of}")  # not more than half
            for word in ("dont_know", "cannot_answer")
            for no, of in ((2, 5), (3, 6))
        ),
    ],
)
def test_dropped(cast: list[str], reason: str, why: str) -> None:
    row = count(votes_of({"q": cast}), MajorityRule()).row(0, named=True)
    assert (row["dropped"], row["mode"]) == (reason, None)
    assert row["why"].startswith(why) or why in row["why"]


def test_what_the_texts_of_a_question_make_impossible() -> None:
    same = votes_of({"q": FIVE}, option_b="Tea", option_d="tea ")
    assert count(same, MajorityRule())["dropped"].to_list() == ["duplicate-option"]
    lists = votes_of(
        {"q": FIVE}, option_a="(i)", option_b="(i), (ii)", option_c="(iii), (iv)", option_d="(i), (iv)"
    )
    assert count(lists, MajorityRule())["dropped"].to_list() == ["combined-options"]


def test_of_questions_that_ask_the_same_the_first_that_can_be_kept_is() -> None:
    texts = dict(
        zip((f"option_{letter}" for letter in "abcd"), ("tea", "rice", "salt", "bread"), strict=True)
    )
    votes = votes_of(
        {"lost": ["A", "B", "C", "D", "A"], "kept": FIVE, "again": FIVE}, question="What?", **texts
    )
    counted = count(votes, MajorityRule())
    assert counted["dropped"].to_list() == ["no-majority", None, "duplicate-question"]
    assert counted["why"][2] == "item kept asks the same"
    other = votes.items.with_columns(
        pl.when(pl.col("item") == "again").then(pl.lit("Peru")).otherwise("country").alias("country")
    )
    assert count(Votes(other, votes.votes), MajorityRule())["dropped"].to_list() == [
        "no-majority",
        None,
        None,
    ]


def test_names_of_one_country_are_one_country() -> None:
    texts = dict(
        zip((f"option_{letter}" for letter in "abcd"), ("tea", "rice", "salt", "bread"), strict=True)
    )
    votes = votes_of({"a": FIVE, "b": FIVE}, question="What?", **texts)
    renamed = votes.items.with_columns(country=pl.Series(["US", "United States"]))
    assert count(Votes(renamed, votes.votes), MajorityRule())["dropped"].to_list() == [
        None,
        "duplicate-question",
    ]


@pytest.mark.parametrize("rule", [(2, 5), (6, 5), (1, 2), (0, 1)])
def test_a_rule_that_is_no_majority_is_refused(rule: tuple[int, int]) -> None:
    with pytest.raises(FolkwaysError, match=r"--threshold 4 --of 5"):
        MajorityRule(*rule)


@given(
    st.integers(1, 9).flatmap(lambda of: st.tuples(st.integers(of // 2 + 1, of), st.just(of))),
    st.integers(1, 60),
)
def test_the_share_that_is_needed_stays_the_same(rule: tuple[int, int], voters: int) -> None:
    threshold, of = rule
    needed = MajorityRule(threshold, of).needed(voters)
    assert needed / voters >= threshold / of > (needed - 1) / voters
    assert MajorityRule(threshold, of).needed(of) == threshold


@given(collections())
def test_every_question_is_kept_or_dropped_for_a_reason(votes: Votes) -> None:
    counted = count(votes, MajorityRule())
    assert counted.schema == pl.Schema(COUNTED)
    assert counted["item"].to_list() == votes.items["item"].to_list()
    cast = defaultdict(list)
    for item, number, chosen in votes.votes.select("item", "round", "chosen").iter_rows():
        cast[item, number].append(chosen)
    for row in counted.iter_rows(named=True):
        assert (row["dropped"] is None) == (row["mode"] is not None) == (row["why"] is None)
        last = cast[row["item"], row["round"]]
        assert row["voters"] == len(last)
        by_hand = [
            letter for letter in LETTERS if sum(letter in chosen for chosen in last) >= 0.8 * len(last)
        ]
        assert row["gold"] == (by_hand if len(last) >= 5 else [])
        if row["mode"]:
            assert row["mode"] == ("single" if len(by_hand) == 1 else "multi")


@settings(max_examples=settings().max_examples * 3 // 5)  # each counts twice
@given(collections(), st.randoms(use_true_random=False))
def test_the_order_of_votes_does_not_matter(votes: Votes, random: object) -> None:
    shuffled = Votes(votes.items, votes.votes.sample(fraction=1.0, shuffle=True, seed=random.randrange(1000)))  # type: ignore[attr-defined]
    assert count(shuffled, MajorityRule()).equals(count(votes, MajorityRule()))
