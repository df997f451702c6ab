"""What guessing without knowledge gives: chance, one answer for everything, and the options alone (section
5).

Each is an exact expectation: a judgement says how likely the rule is to be right, and nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from folkways.cultures import name_of_code
from folkways.metrics.strings import TrigramSimilarity
from folkways.records import State
from folkways.text.labels import TRUTHS

CHANCE, OPTION_ONLY, CONSTANT = "baseline/chance", "baseline/option-only", "baseline/constant:{}"

RULES = {
    ("Easy", CHANCE): "every letter is equally likely",
    (
        "Easy",
        OPTION_ONLY,
    ): "the option most like the name of the country, by rare trigrams; the question is not seen",
    ("Hard", CHANCE): "True and False are equally likely",
    ("Hard", CONSTANT.format("False")): "every proposed answer is false",
    (
        "Hard",
        OPTION_ONLY,
    ): "the quarter of all options most like the name of their country is true; the question is not seen",
}
"""Setup and baseline -> how it answers, where its name does not say so."""

TRUE_SHARE = 0.25
"""Share of the options that are true where a question has one right answer of four: all that the rule for
Hard knows."""


def easy(items: pl.DataFrame, labels: Sequence[str]) -> Mapping[str, pl.DataFrame]:
    """Judgements of culturalbench/easy: chance, the letter that is right most often, and the options
    alone."""
    usable = items.filter(pl.col("answer").is_in(labels))["answer"]
    constant = max(labels, key=lambda label: (usable == label).sum())
    shares = _option_shares(items.select("item", "culture", "options").iter_rows())
    indexes = {label: index for index, label in enumerate(labels)}
    alone = [
        shares[item][indexes[answer]] if answer in indexes else 0.0
        for item, answer in items.select("item", "answer").iter_rows()
    ]
    counted = pl.col("answer").is_in(labels)
    return {
        CHANCE: _judgements(items, counted, right=pl.lit(1 / len(labels))),
        CONSTANT.format(constant): _judgements(
            items, counted, right=(pl.col("answer") == constant).cast(pl.Float64)
        ),
        OPTION_ONLY: _judgements(items, counted, right=pl.Series(alone, dtype=pl.Float64)),
    }


def hard(items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
    """Judgements of culturalbench/hard: chance, always False, and the options alone.

    The last judges each option on its own, as models have to: those that are more like the name of their
    country than three quarters of all options are true, the others false.
    """
    of_question = pl.col("answer").is_in(TRUTHS).all().over("question")
    first = pl.int_range(pl.len()).over("question") == 0
    alike = TrigramSimilarity(items["option"])
    likeness = np.array(
        [
            alike(option, name_of_code(culture))
            for option, culture in items.select("option", "culture").iter_rows()
        ]
    )
    taken = (
        likeness > np.quantile(likeness, 1 - TRUE_SHARE, method="lower") if likeness.size else likeness > 0
    )
    false = (items["answer"] == "False").cast(pl.Float64)
    alone = pl.Series(taken == (items["answer"] == "True").to_numpy()).cast(pl.Float64)
    expected: dict[str, tuple[pl.Series | pl.Expr, pl.Expr]] = {
        CHANCE: (pl.lit(0.5), 0.5 ** pl.len().over("question").cast(pl.Float64)),
        CONSTANT.format("False"): (false, pl.col("right").min().over("question")),
        OPTION_ONLY: (alone, pl.col("right").min().over("question")),
    }
    return {
        name: _judgements(items, of_question, right=right).with_columns(all_right=pl.when(first).then(whole))
        for name, (right, whole) in expected.items()
    }


def _option_shares(questions: Iterator[tuple[str, str, list[str]]]) -> dict[str, list[float]]:
    """Key -> how likely each option is to be taken: all of it for the one most like the country's name,
    shared among equals.

    questions: key, culture and options of each. Rarity of trigrams is counted over all options.
    """
    rows = list(questions)
    alike = TrigramSimilarity(option for _, _, options in rows for option in options)
    shares = {}
    for key, culture, options in rows:
        name = name_of_code(culture)
        # equal sums may differ in the last digits
        likeness = [round(alike(option, name), 12) for option in options]
        best = max(likeness)
        shares[key] = [float(like == best) / likeness.count(best) for like in likeness]
    return shares


def _judgements(items: pl.DataFrame, counted: pl.Expr, right: pl.Expr | pl.Series) -> pl.DataFrame:
    empty = {name: pl.lit(None, dtype=pl.String) for name in ("answer", "reason")}
    return items.with_columns(
        counted=counted,
        language=pl.lit("en"),
        variant=pl.lit("none"),
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.lit(State.ANSWERED.value),
        **empty,
        right=right,
    )
