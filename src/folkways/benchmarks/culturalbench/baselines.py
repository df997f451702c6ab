"""What guessing without knowledge gives: chance, one answer for everything, and the options alone (section 5).

Each is an exact expectation: a judgement says how likely the rule is to be right, and nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from folkways.cultures import cultures
from folkways.metrics.labels import TRUTHS
from folkways.metrics.trigrams import TrigramSimilarity
from folkways.records import State

CHANCE, OPTION_ONLY, CONSTANT = "baseline/chance", "baseline/option-only", "baseline/constant:{}"

ABOUT = {
    CHANCE: "every label is equally likely",
    OPTION_ONLY: "the option whose text is most like the name of the country, by rare character trigrams; the question is not seen",
    CONSTANT.format("False"): "every proposed answer is false",
}


def easy(items: pl.DataFrame, labels: Sequence[str]) -> Mapping[str, pl.DataFrame]:
    """Judgements of culturalbench/easy: chance, the letter that is right most often, and the options alone."""
    usable = items.filter(pl.col("answer").is_in(labels))["answer"]
    constant = max(labels, key=lambda label: (usable == label).sum())
    shares = _option_shares(items.select("item", "culture", "options").iter_rows())
    places = {label: place for place, label in enumerate(labels)}
    alone = [
        shares[item][places[answer]] if answer in places else 0.0 for item, answer in items.select("item", "answer").iter_rows()
    ]
    counted = pl.col("answer").is_in(labels)
    return {
        CHANCE: _judgements(items, counted, right=pl.lit(1 / len(labels))),
        CONSTANT.format(constant): _judgements(items, counted, right=(pl.col("answer") == constant).cast(pl.Float64)),
        OPTION_ONLY: _judgements(items, counted, right=pl.Series(alone, dtype=pl.Float64)),
    }


def hard(items: pl.DataFrame) -> Mapping[str, pl.DataFrame]:
    """Judgements of culturalbench/hard: chance, always False, and the options alone.

    The last says True of the option that it would choose in Easy and False of the others, so that it is never right about a
    question with several true options.
    """
    options = items.group_by("question", maintain_order=True).agg(pl.col("culture").first(), "option")
    shares = {
        (question, place): share
        for question, members in _option_shares(options.iter_rows()).items()
        for place, share in enumerate(members)
    }
    numbered = items.with_columns(_place=pl.int_range(pl.len()).over("question"))
    taken = pl.Series([shares[key] for key in numbered.select("question", "_place").iter_rows()], dtype=pl.Float64)
    true = items["answer"] == "True"
    of_question = pl.col("answer").is_in(TRUTHS).all().over("question")
    first = pl.int_range(pl.len()).over("question") == 0
    wholly = (
        pl.DataFrame({"question": items["question"], "true": true, "taken": taken})
        .with_columns(trues=pl.col("true").sum().over("question"), hit=(pl.col("taken") * pl.col("true")).sum().over("question"))
        .select(pl.when(pl.col("trues") == 1).then("hit").otherwise(0.0))
        .to_series()
    )
    expected: dict[str, tuple[pl.Expr | pl.Series, pl.Expr | pl.Series]] = {
        CHANCE: (pl.lit(0.5), 0.5 ** pl.len().over("question").cast(pl.Float64)),
        CONSTANT.format("False"): ((~true).cast(pl.Float64), (pl.col("answer") == "False").all().over("question").cast(pl.Float64)),
        OPTION_ONLY: (pl.select(pl.when(true).then(taken).otherwise(1 - taken)).to_series(), wholly),
    }
    return {
        name: _judgements(items, of_question, right=right, all_right=pl.when(first).then(whole))
        for name, (right, whole) in expected.items()
    }


def _option_shares(questions: Iterator[tuple[str, str, list[str]]]) -> dict[str, list[float]]:
    """Key -> how likely each option is to be taken: all of it for the one most like the country's name, shared among equals.

    questions: key, culture and options of each. Rarity of trigrams is counted over all options.
    """
    asked = list(questions)
    alike = TrigramSimilarity(option for _, _, options in asked for option in options)
    known = cultures()
    found = {}
    for key, culture, options in asked:
        name = known[culture].name if culture in known else culture
        likeness = [round(alike(option, name), 12) for option in options]  # equal sums may differ in the last digits
        best = max(likeness)
        found[key] = [float(like == best) / likeness.count(best) for like in likeness]
    return found


def _judgements(items: pl.DataFrame, counted: pl.Expr, **metrics: pl.Expr | pl.Series) -> pl.DataFrame:
    empty = {name: pl.lit(None, dtype=pl.String) for name in ("answer", "reason")}
    return items.with_columns(
        counted=counted,
        language=pl.lit("en"),
        variant=pl.lit("none"),
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.lit(State.ANSWERED.value),
        **empty,
        **metrics,
    )
