"""Means over models count each model once, however many conditions it was asked in."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from folkways.benchmarks.results import Inputs
from folkways.runs.results.judgements import results_of_runs
from tests.support.figure_data import made_inputs

MODEL = "openai/gpt-4-turbo"
CONDITIONS = (f"{MODEL}@one", f"{MODEL}@two")


@cache
def once() -> Inputs:
    made = made_inputs()
    homes = {"OpenAI": "US", "Meta": "KR"}
    cards = {name: replace(card, home=homes[str(card.provider)]) for name, card in made.cards.items()}
    return replace(made, cards=cards, facets={"blend/saq": ("topic",)})


@cache
def twice() -> Inputs:
    """The same, with the replies of one model in two conditions."""
    known = once()
    asked = pl.col("endpoint") == MODEL
    parts = [known.judged.filter(asked).with_columns(endpoint=pl.lit(name)) for name in CONDITIONS]
    cards = {**known.cards, **dict.fromkeys(CONDITIONS, known.cards[MODEL])}
    judged = pl.concat([known.judged.filter(~asked), *parts])
    return replace(known, judged=judged, cards=cards, models=dict.fromkeys(CONDITIONS, MODEL))


def over_models(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that are of no single endpoint, without p over all rows, and how many replies there were."""
    single = [MODEL, *CONDITIONS, *once().cards]
    for column in ("endpoint", "model", "earlier"):
        if column in rows.columns:
            rows = rows.filter(~pl.col(column).is_in(single) | pl.col(column).is_null())
    return rows.drop("p_holm", "n", strict=False)


OVER_MODELS = {
    "languages": ["language-means"],
    "categories": ["category-means", "categories", "category-pairs"],
    "formats": ["formats"],
    "easy-hard": ["easy-hard"],
    "question-types": ["question-types"],
    "region-providers": ["regions", "region-providers"],
    "models": ["model-groups"],
    "model-means": ["model-means", "model-means-topics"],
    "same-language": ["same-language"],
    "resource-classes": ["resource-classes", "resource-trend"],
    "home-advantage": ["home-advantage"],
}
"""Result -> its tables with means over models."""


@pytest.mark.parametrize("name", OVER_MODELS)
def test_a_model_in_two_conditions_moves_no_mean_over_models(name: str) -> None:
    (result,) = results_of_runs(once(), [name])
    expected, found = ({one.name: one.rows for one in result.make(of)} for of in (once(), twice()))
    for table in OVER_MODELS[name]:
        first, second = over_models(expected[table]), over_models(found[table])
        assert first.height and first.columns == second.columns
        assert_frame_equal(first, second)


def test_a_model_counts_as_the_mean_of_its_conditions_and_two_conditions_are_no_two_models() -> None:
    known = once()
    other = "http://127.0.0.1:8000/v1#meta/llama-3.1-8b-instruct"
    apart = replace(known, models={MODEL: "lab/m", other: "lab/m"})
    rows = known.judged.filter(task="culturalbench/easy", culture="KR")
    names = rows["endpoint"].unique()
    scores = {name: 100 * rows.filter(endpoint=name)["right"].mean() for name in names}
    rest = [score for name, score in scores.items() if name not in (MODEL, other)]
    expected = (sum(rest) + (scores[MODEL] + scores[other]) / 2) / (len(rest) + 1)
    (table, *_) = next(one for one in results_of_runs(apart) if one.name == "model-means").make(apart)
    (row,) = table.rows.filter(task="culturalbench/easy", facet="culture", group="KR").to_dicts()
    assert (row["score"], row["models"]) == (pytest.approx(expected), len(names) - 1)
    alone = replace(apart, judged=apart.judged.filter(pl.col("endpoint").is_in([MODEL, other])))
    assert "model-means" not in {result.name for result in results_of_runs(alone)}
    assert alone.count_models([MODEL, other]) == 1
