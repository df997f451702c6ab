"""blend/mcq in several orders of its options: the released prompt with its list in another order, and what a
letter then means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from folkways.benchmarks.multiple_choice import orders
from folkways.records import Schema

ORDER_KEY = pl.concat_str("culture", "question", separator="/").alias("order_key")
"""What orders are drawn by: the culture's question, of which there are several versions."""

MOVED = ("choices", "choice_countries")
"""What stands beside the labels, and moves."""


def lettered(labels: Sequence[str], choices: Sequence[str]) -> str:
    """The options as prompts list them."""
    return "\n".join(f"{label}. {choice}" for label, choice in zip(labels, choices, strict=True))


def in_orders(items: pl.DataFrame, wanted: int) -> Iterator[tuple[int, pl.DataFrame]]:
    """Number of the order, and the items that are asked in it, with prompt and choices as they are shown; for
    each that is wanted.

    A question whose options speak of places, or stand otherwise in its prompt than they are listed, has the
    released order alone.
    """
    yield 1, items
    for number in range(2, wanted + 1):
        shown = []
        for row in items.select(ORDER_KEY, "prompt", "labels", "choices").iter_rows(named=True):
            order = orders.order_of(row["order_key"], orders.variant_name("", number), len(row["choices"]))
            listed = lettered(row["labels"], row["choices"])
            able = (
                orders.can_be_permuted(row["choices"])
                and order != tuple(range(len(order)))
                and row["prompt"].count(listed) == 1
            )
            choices = [row["choices"][place] for place in order]
            shown.append(
                (
                    able,
                    choices,
                    row["prompt"].replace(listed, lettered(row["labels"], choices)) if able else "",
                )
            )
        schema: Schema = {"able": pl.Boolean, "choices": pl.List(pl.String), "prompt": pl.String}
        moved = items.drop("choices", "prompt").hstack(pl.DataFrame(shown, schema=dict(schema), orient="row"))
        yield number, moved.filter("able").drop("able").select(items.columns)


def as_asked(asked: pl.DataFrame) -> pl.DataFrame:
    """The items beside responses (with ``variant``), with choices, countries and right letter as the variant
    showed them."""
    if not asked["variant"].str.contains("~order-", literal=True).any():
        return asked
    rows = asked.select(ORDER_KEY, "variant", "labels", "answer_idx", *MOVED).iter_rows(named=True)
    found = []
    for row in rows:
        order = orders.order_of(row["order_key"], row["variant"], len(row["choices"]))
        moved = (
            [row[name][place] for place in order] if len(row[name]) == len(order) else row[name]
            for name in MOVED
        )
        found.append((*moved, orders.moved(row["answer_idx"], row["labels"], order)))
    schema: Schema = {**dict.fromkeys(MOVED, pl.List(pl.String)), "answer_idx": pl.String}
    return asked.with_columns(pl.DataFrame(found, schema=dict(schema), orient="row"))


def released_letters(asked: pl.DataFrame, letters: pl.Series) -> pl.Series:
    """The letter in the release of each option that was chosen; null where none was."""
    if not asked["variant"].str.contains("~order-", literal=True).any():
        return letters
    rows = zip(asked.select(ORDER_KEY, "variant", "labels").iter_rows(), letters, strict=True)
    found = [
        orders.released(letter, labels, orders.order_of(order_key, variant, len(labels))) if letter else None
        for (order_key, variant, labels), letter in rows
    ]
    return pl.Series(found, dtype=pl.String)
