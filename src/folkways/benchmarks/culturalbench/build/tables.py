"""Kept questions in the released schema, multi-mode ones rewritten (section 3.3), and every vote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from random import Random
from typing import Any

import polars as pl

from folkways.benchmarks.culturalbench.build.counting import COUNTED, MULTI, deciding
from folkways.benchmarks.culturalbench.build.topics import TOPIC_COLUMNS, Topics
from folkways.benchmarks.culturalbench.data.release import country_name
from folkways.benchmarks.culturalbench.votes import LETTERS, OPTIONS, Votes
from folkways.benchmarks.templates import Template, wordings
from folkways.records import Schema, of_rows

NUMERALS = ("(i)", "(ii)", "(iii)", "(iv)")

WHOLE_BESIDE_THREE = 0.5
"""Probability that all four are offered with a right combination of three: if they were offered only where
right, they would give themselves away."""


@dataclass(frozen=True, slots=True)
class MultiModeQuestion:
    """A multi-mode question as it is asked: its text, the options A to D, and the right letter."""

    question: str
    options: tuple[str, ...]
    answer: str


def combine(
    item: str,
    question: str,
    statements: Sequence[str],
    gold: Sequence[str],
    seed: int,
    text: Template | None = None,
) -> MultiModeQuestion:
    """The question with its statements, and four combinations; one has exactly the statements of ``gold``.

    statements: the four;
    gold: letters of two or more of them. Wrong combinations are drawn without repeats and have as many
        statements as the right one, so that length gives nothing away; if the right one has three, all four
        may be offered too (WHOLE_BESIDE_THREE), and if it has four, the others have three. The draw depends
        on ``seed`` and ``item`` alone: adding or dropping questions changes no other.
    text: with {question} and {statements}; None for ours, since the authors' instruction is not.
    """
    right = tuple(sorted(LETTERS.index(letter) for letter in gold))
    random = Random(int.from_bytes(blake2b(f"{seed}\0{item}".encode(), digest_size=8).digest(), "big"))  # noqa: S311 - no secret
    chosen = [right, *_others(right, random)]
    random.shuffle(chosen)
    listed = "\n".join(
        f"{numeral} {statement}" for numeral, statement in zip(NUMERALS, statements, strict=True)
    )
    whole = (text or own_text()).fill({"question": question, "statements": listed})
    return MultiModeQuestion(whole, tuple(map(written, chosen)), LETTERS[chosen.index(right)])


def own_text() -> Template:
    """Our text of a multi-mode question."""
    return Template(wordings("folkways.benchmarks.culturalbench")["build"]["multi-mode"], "folkways")


def _others(right: tuple[int, ...], random: Random) -> list[tuple[int, ...]]:
    """The three wrong combinations."""
    whole = tuple(range(len(LETTERS)))
    size = min(len(right), len(LETTERS) - 1)
    alike = [places for places in combinations(whole, size) if places != right]
    others = random.sample(alike, len(LETTERS) - 1)
    if len(right) == len(LETTERS) - 1 and random.random() < WHOLE_BESIDE_THREE:
        others[0] = whole
    return others


def written(indexes: Sequence[int]) -> str:
    """Places from 0 as an option: ``(i), (iii)``."""
    return ", ".join(NUMERALS[index] for index in indexes)


EASY_COLUMNS: Schema = {
    "data_idx": pl.Int64,  # number of the row, from 0
    "question_idx": pl.String,  # the item
    "prompt_question": pl.String,
    **{f"prompt_{name}": pl.String for name in OPTIONS},
    "answer": pl.String,
    "country": pl.String,
}
HARD_COLUMNS: Schema = {
    "data_idx": pl.Int64,
    "question_idx": pl.String,
    "prompt_question": pl.String,
    "prompt_option": pl.String,
    "answer": pl.Boolean,
    "country": pl.String,
}
BUILT_VOTES: Schema = {
    "question_idx": pl.String,
    "annotator": pl.String,
    "chosen": pl.List(pl.String),  # letters of the options as they were voted on, or an abstention
    "round": pl.Int64,
    "population": pl.String,
    "counted": pl.Boolean,  # of the round that decided
    "kept": pl.Boolean,  # the question is in the benchmark
}
DROPPED: Schema = {
    **{name: kind for name, kind in COUNTED.items() if name not in ("mode", "gold")},
    "question": pl.String,
    **dict.fromkeys(OPTIONS, pl.String),
    "country": pl.String,
}


def easy_table(
    votes: Votes, counted: pl.DataFrame, seed: int, multi_mode: Template | None = None
) -> pl.DataFrame:
    """EASY_COLUMNS of the kept questions: single-mode ones with their options, multi-mode ones rewritten
    (``combine``).

    votes, counted: questions, votes and what they decide; seed, multi_mode: as in ``combine``.
    """
    rows = []
    for number, row in enumerate(_kept_items(votes, counted)):
        options = [row[name] for name in OPTIONS]
        question, answer = row["question"], row["gold"][0]
        if row["mode"] == MULTI:
            combined = combine(row["item"], question, options, row["gold"], seed, multi_mode)
            question, options, answer = combined.question, list(combined.options), combined.answer
        rows.append((number, row["item"], question, *options, answer, country_name(row["country"])))
    return of_rows(rows, EASY_COLUMNS)


def hard_table(votes: Votes, counted: pl.DataFrame) -> pl.DataFrame:
    """HARD_COLUMNS: each option of each kept question, in their order, true where a majority chose it.

    The question is as people read it, without the list of statements that Easy's multi-mode questions have.
    """
    rows = [
        (item["item"], item["question"], item[name], letter in item["gold"], country_name(item["country"]))
        for item in _kept_items(votes, counted)
        for name, letter in zip(OPTIONS, LETTERS, strict=True)
    ]
    return of_rows(((number, *row) for number, row in enumerate(rows)), HARD_COLUMNS)


def votes_table(votes: Votes, counted: pl.DataFrame) -> pl.DataFrame:
    """BUILT_VOTES: every vote of every round, also on questions that were dropped."""
    is_kept = counted.select("item", kept=pl.col("dropped").is_null())
    rows = deciding(votes).join(is_kept, on="item", how="left", maintain_order="left")
    return rows.rename({"item": "question_idx"}).select(list(BUILT_VOTES))


def dropped_table(votes: Votes, counted: pl.DataFrame) -> pl.DataFrame:
    """DROPPED: the questions that were left out, with the reason and what people chose."""
    lost = counted.filter(pl.col("dropped").is_not_null())
    return lost.join(votes.items, on="item", how="left", maintain_order="left").select(list(DROPPED))


def topics_table(votes: Votes, counted: pl.DataFrame, topics: Topics) -> pl.DataFrame:
    """TOPIC_COLUMNS of the kept questions that people gave a topic; one that is on no list of ours has no
    head."""
    ids = counted.filter(pl.col("dropped").is_null()).select("item")
    named = ids.join(votes.items, on="item", how="left", maintain_order="left").filter(
        pl.col("topic").is_not_null()
    )
    rows = [
        (item, topics.name_of(topic) or topic, topics.head_of(topic))
        for item, topic in named.select("item", "topic").iter_rows()
    ]
    return of_rows(rows, TOPIC_COLUMNS)


def _kept_items(votes: Votes, counted: pl.DataFrame) -> Iterator[dict[str, Any]]:
    decisions = counted.filter(pl.col("dropped").is_null()).select("item", "gold", "mode")
    yield from decisions.join(votes.items, on="item", how="left", maintain_order="left").iter_rows(named=True)
