"""From votes to gold answers: which options a majority chose, and why a question has none (section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import polars as pl

from folkways.benchmarks.culturalbench.data.release import country_name, is_multi_mode
from folkways.benchmarks.culturalbench.votes import (
    ABSTENTIONS,
    CANNOT_ANSWER,
    DONT_KNOW,
    LETTERS,
    OPTIONS,
    Votes,
)
from folkways.errors import FolkwaysError
from folkways.records import Schema, of_rows

SINGLE, MULTI = "single", "multi"

COUNTED: Schema = {
    "item": pl.String,
    "round": pl.Int64,  # the last one with votes, which alone decides; 0 without any
    "population": pl.String,
    "voters": pl.Int64,  # abstentions among them
    **dict.fromkeys((*LETTERS, *ABSTENTIONS), pl.Int64),  # how many chose it
    "gold": pl.List(pl.String),
    "mode": pl.String,  # "single" or "multi"; null for a dropped question
    "dropped": pl.String,  # a Reason; null for a question that is kept
    "why": pl.String,  # the same in words
}


class Reason(StrEnum):
    """Why a question is left out: the first that applies."""

    TOO_FEW_VOTES = "too-few-votes"
    DONT_KNOW = "dont-know"
    CANNOT_ANSWER = "cannot-answer"
    NO_MAJORITY = "no-majority"
    DUPLICATE_OPTION = "duplicate-option"
    COMBINED_OPTIONS = "combined-options"
    DUPLICATE_QUESTION = "duplicate-question"


@dataclass(frozen=True, slots=True)
class MajorityRule:
    """An option is gold when at least ``threshold`` of ``of`` people chose it; the paper's rule is 4 of 5.

    Raises FolkwaysError unless the threshold is more than half: two contrary answers could both be gold
    otherwise.
    """

    threshold: int = 4
    of: int = 5

    def __post_init__(self) -> None:
        if not self.of < 2 * self.threshold <= 2 * self.of:
            raise FolkwaysError(
                f"a majority of {self.threshold} of {self.of} is none: the threshold must be more than half "
                "of the people and at most all of them, for example --threshold 4 --of 5"
            )

    def needed(self, voters: int) -> int:
        """Votes that make an option gold among ``voters`` people: the same share as of ``of``, rounded up (5
        of 6, 8 of 10)."""
        return -(-self.threshold * voters // self.of)

    @property
    def text(self) -> str:
        """``4 of 5``."""
        return f"{self.threshold} of {self.of}"


def count(votes: Votes, rule: MajorityRule) -> pl.DataFrame:
    """COUNTED, one row per question in their order.

    Everybody who voted in a question's last round counts, people who abstained too: four of five have to
    choose an option, not four of those who know. With fewer than ``rule.of`` votes a question is not decided
    yet; with more, the same share is needed.
    """
    counts = _counts(votes)
    need = -(-rule.threshold * pl.col("voters") // rule.of)
    gold = pl.concat_list(
        pl.when(pl.col(letter) >= need).then(pl.lit(letter)) for letter in LETTERS
    ).list.drop_nulls()
    counted = counts.with_columns(
        gold=pl.when(pl.col("voters") >= rule.of).then(gold).otherwise(pl.lit([], pl.List(pl.String)))
    )
    size = pl.col("gold").list.len()
    verdicts = [
        _verdict(row, rule)
        for row in counted.join(votes.items, on="item", maintain_order="left").iter_rows(named=True)
    ]
    _without_twins(votes.items, verdicts)
    reasons = of_rows(verdicts, {"dropped": pl.String, "why": pl.String})
    is_kept = pl.col("dropped").is_null()
    return (
        pl.concat([counted, reasons], how="horizontal")
        .with_columns(
            mode=pl.when(is_kept).then(pl.when(size == 1).then(pl.lit(SINGLE)).otherwise(pl.lit(MULTI)))
        )
        .select(list(COUNTED))
    )


def deciding(votes: Votes) -> pl.DataFrame:
    """The votes with ``counted``: whether they are of their question's last round."""
    return votes.votes.with_columns(counted=pl.col("round") == pl.col("round").max().over("item"))


def _counts(votes: Votes) -> pl.DataFrame:
    chosen = [
        pl.col("chosen").list.contains(name).sum().cast(pl.Int64).alias(name)
        for name in (*LETTERS, *ABSTENTIONS)
    ]
    by_item = (
        deciding(votes)
        .filter("counted")
        .group_by("item")
        .agg(
            pl.col("round").first(),
            pl.col("population").first(),
            pl.len().cast(pl.Int64).alias("voters"),
            *chosen,
        )
    )
    numbers = ["round", "voters", *LETTERS, *ABSTENTIONS]
    return (
        votes.items.select("item")
        .join(by_item, on="item", how="left", maintain_order="left")
        .with_columns(pl.col(numbers).fill_null(0), pl.col("population").fill_null(""))
    )


def _verdict(row: dict[str, Any], rule: MajorityRule) -> tuple[str | None, str | None]:
    """The reason that a question is dropped for, as long as it is not one of other questions, and the reason
    in words."""
    voters, options = row["voters"], [row[name] for name in OPTIONS]
    if voters < rule.of:
        where = f" in round {row['round']}" if row["round"] > 1 else ""
        return Reason.TOO_FEW_VOTES, f"{voters} of {rule.of} votes are there{where}"
    if not row["gold"]:
        for reason, name, advice in (
            (Reason.DONT_KNOW, DONT_KNOW, "a second round may put it to a finer group of people"),
            (Reason.CANNOT_ANSWER, CANNOT_ANSWER, "the question may need other words"),
        ):
            if 2 * row[name] > voters:
                return reason, f"{row[name]} of {voters} say {name}; {advice}"
        most = max(row[letter] for letter in LETTERS)
        return (
            Reason.NO_MAJORITY,
            f"the most frequent option has {most} of {voters} votes and needs {rule.needed(voters)}",
        )
    if len({_folded(text) for text in options}) < len(options):
        return Reason.DUPLICATE_OPTION, "two options say the same, so that no answer is the only right one"
    if is_multi_mode(options):
        return (
            Reason.COMBINED_OPTIONS,
            "its options are combinations, (i), (ii); give the single statements as options to vote on",
        )
    return None, None


def _without_twins(items: pl.DataFrame, verdicts: list[tuple[str | None, str | None]]) -> None:
    """Drop what asks the same as a question that is kept: same country, question and options, in any order of
    options."""
    first: dict[tuple[object, ...], str] = {}
    for index, row in enumerate(items.iter_rows(named=True)):
        if verdicts[index][0] is None:
            options = frozenset(_folded(row[name]) for name in OPTIONS)
            twin = first.setdefault(
                (country_name(row["country"]), _folded(row["question"]), options), row["item"]
            )
            if twin != row["item"]:
                verdicts[index] = Reason.DUPLICATE_QUESTION, f"item {twin} asks the same"


def _folded(text: str) -> str:
    return text.strip().casefold()
