"""Cultures that share a language, question by question: the one contrast of cultures that is not one of
languages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import DIFFERENCE, NotAvailableError, Table
from folkways.cultures import name_of_code
from folkways.evidence.groups.means import scaled_bounds, student_ends
from folkways.evidence.groups.panel import (
    NAMES,
    Panel,
    mean_name,
    notes,
    panels,
    usual_language,
    with_holm_apart,
)
from folkways.records import Schema, of_rows
from folkways.stats.differences import paired_mean

FEWEST_SHARED = 10
"""Questions that two cultures must share."""

PAIRS: Schema = {
    **NAMES,
    "spoken": pl.String,  # the language that both usually speak
    "pair": pl.String,  # the first and the second culture
    "endpoint": pl.String,
    "first_score": pl.Float64,  # over the shared questions
    "second_score": pl.Float64,
    **DIFFERENCE,  # first minus second, over questions
    "p_holm": pl.Float64,
    "models_low": pl.Float64,  # of the difference, over models
    "models_high": pl.Float64,
    "questions": pl.Int64,
}


def tables(inputs: Inputs) -> Sequence[Table]:
    """PAIRS of the mean over models and of each model.

    Raises NotAvailableError where no two such cultures share FEWEST_SHARED questions.
    """
    used = list(panels(inputs))
    rows = [row for panel in used for row in _rows(panel)]
    if not rows:
        raise NotAvailableError(f"no two cultures of one language share {FEWEST_SHARED} questions or more")
    return [
        Table(
            "same-language",
            "Cultures that share a language",
            "The unit is the question that both cultures are asked: first minus second, paired by "
            "question, with the same template; interval and p are of the paired mean, p_holm over all rows.",
            with_holm_apart(of_rows(rows, PAIRS)),
            notes=(
                "What people of the two cultures agree on differs too: a gap is of models and questions "
                "together.",
                *notes(used),
            ),
        )
    ]


def _rows(panel: Panel) -> Iterator[tuple[Any, ...]]:
    bounds = scaled_bounds(panel.metric)
    largest = None if bounds is None else bounds[1] - bounds[0]
    index = ["endpoint", "question"]
    wide, once = (
        rows.sort("question").pivot("culture", index=index, values="value")
        for rows in (panel.rows, panel.once)
    )
    for language, first, second in pairs(panel.rows["culture"].unique().to_list()):
        shared, of_models = (
            rows.select(*index, one=first, other=second).drop_nulls() for rows in (wide, once)
        )
        if shared["question"].n_unique() < FEWEST_SHARED:
            continue
        gaps = of_models.group_by("endpoint").agg((pl.col("one") - pl.col("other")).mean().alias("gap"))[
            "gap"
        ]
        models = {mean_name(len(panel.models)): of_models} if len(panel.models) > 1 else {}
        models |= {name: shared.filter(endpoint=name) for name in panel.endpoints}
        for number, (name, values) in enumerate(models.items()):
            means = values.group_by("question", maintain_order=True).agg(pl.col("one", "other").mean())
            test = paired_mean(means["one"].to_numpy(), means["other"].to_numpy(), largest=largest)
            yield (
                *panel.names().values(),
                *(name_of_code(language), f"{name_of_code(first)} − {name_of_code(second)}", name),
                *(means["one"].mean(), means["other"].mean(), *test.columns().values(), math.nan),
                *(student_ends(gaps.to_numpy()) if number == 0 else (math.nan, math.nan)),
                test.n,
            )


def pairs(codes: Sequence[str]) -> list[tuple[str, str, str]]:
    """Each language with every two of the cultures that usually speak it, by code."""
    spoken: dict[str, list[str]] = {}
    for code in sorted(codes):
        if language := usual_language(code):
            spoken.setdefault(language, []).append(code)
    return [
        (language, *two) for language, members in sorted(spoken.items()) for two in combinations(members, 2)
    ]


def _fits(inputs: Inputs) -> bool:
    """Whether some question is asked about two cultures of one language."""
    for (task,), part in inputs.asked_about.group_by("task"):
        codes = part["culture"].drop_nulls().unique().to_list()
        if not pairs(codes):
            continue
        spoken = {code: usual_language(code) for code in codes}
        rows = (
            inputs.judged.lazy()
            .filter(pl.col("task") == task, "counted")
            .select("question", "culture")
            .unique()
        )
        languages = pl.col("culture").cast(pl.String).replace_strict(spoken, default=None)
        shared = (
            rows.with_columns(language=languages)
            .drop_nulls("language")
            .group_by("question", "language")
            .len()
        )
        if shared.filter(pl.col("len") > 1).select(pl.len()).collect().item() >= FEWEST_SHARED:
            return True
    return False


SAME_LANGUAGE = Result(
    "same-language",
    "Cultures that share a language",
    tables,
    "",
    "Do models know one of two cultures better that are asked the same questions in the same language?",
    fits=_fits,
)
