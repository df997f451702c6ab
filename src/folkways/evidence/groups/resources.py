"""Resource classes of languages: do models score lower about cultures whose language has less text?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.cultures import language_name, languages
from folkways.display import count
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
from folkways.stats.intervals import Floats, all_alike

FEWEST_LANGUAGES = 6
"""Languages of known class that a trend needs."""

UNEQUAL = 4
"""How many times the questions of another a language has from which on a trend's p can be too small: least
squares take all to vary alike."""

SOURCE = (
    "Classes are those of Joshi et al. (2020), 0 to 5: how much labelled and unlabelled text a language "
    "had in 2019-20, not what models are trained on. Norwegian is in class 1 and Sinhala in 0 there."
)

CLASSES: Schema = {
    **NAMES,
    "resource_class": pl.Int64,
    "score": pl.Float64,  # mean over languages of the mean over models
    "low": pl.Float64,  # over languages; null below three
    "high": pl.Float64,
    "languages": pl.Int64,
    "cultures": pl.Int64,
    "spoken": pl.String,  # the languages
}

TREND: Schema = {
    **NAMES,
    "endpoint": pl.String,
    "slope": pl.Float64,  # points for each class
    "low": pl.Float64,  # over languages
    "high": pl.Float64,
    "p": pl.Float64,  # two-sided, for no slope
    "p_holm": pl.Float64,
    "r": pl.Float64,  # Pearson's, over languages
    "models_low": pl.Float64,  # over models
    "models_high": pl.Float64,
    "languages": pl.Int64,
    "cultures": pl.Int64,
}


def tables(inputs: Inputs) -> Sequence[Table]:
    """The means by class, and the trend of each model and of their mean.

    Raises NotAvailableError for fewer than FEWEST_LANGUAGES languages, or languages of one class.
    """
    used, classes, trends, unequal = [], [], [], []
    for panel in panels(inputs):
        by_language, of_models = _by_language(panel.rows), _by_language(panel.once)
        if by_language["language"].n_unique() < FEWEST_LANGUAGES or by_language["class"].n_unique() < 2:
            continue
        used.append(panel)
        classes += list(_classes(panel, of_models))
        trends += list(_trends(panel, by_language, of_models))
        fewest, most = int(of_models["questions"].min()), int(of_models["questions"].max())  # type: ignore[arg-type]
        if most >= UNEQUAL * fewest:
            unequal.append(
                f"{panel.task}{f' ({panel.part})' if panel.part else ''}: languages have from "
                f"{count(fewest)} to {count(most)} questions, and each counts alike. Where there is no "
                "trend, p can then be below .05 in more than 5 of 100 cases."
            )
    if not used:
        raise NotAvailableError(
            f"needs cultures of {FEWEST_LANGUAGES} languages or more, of two resource classes or more"
        )
    unit = (
        "The unit is the language: a culture's mean over its questions, then the mean over the cultures "
        "that usually speak the language"
    )
    return [
        Table(
            "resource-classes",
            "Scores by resource class of the culture's language",
            f"{unit}, over all models. Intervals are Student's over languages.",
            of_rows(classes, CLASSES),
            notes=(SOURCE, *notes(used)),
        ),
        Table(
            "resource-trend",
            "Trend of scores with the resource class",
            f"{unit}. Points that a class more goes with, by least squares over languages, so that items "
            "and cultures of one language are one cluster; p is of Student's test.",
            with_holm_apart(of_rows(trends, TREND)),
            notes=(
                "Class and culture cannot be told apart: a culture's class is its language's. Where a "
                "task is asked in English, the class is still that of the culture's own language.",
                "models_low and models_high are Student's over the models' slopes, for these languages.",
                *unequal,
            ),
        ),
    ]


def _by_language(rows: pl.DataFrame) -> pl.DataFrame:
    """endpoint, language, class, score, cultures and questions, for the languages of known class.

    rows: of a Panel.
    """
    codes = rows["culture"].unique().to_list()
    spoken = {code: usual_language(code) for code in codes}
    classes = {
        code: languages()[code].resource
        for code in set(spoken.values())
        if code is not None and code in languages()
    }
    by_culture = rows.group_by("endpoint", "culture").agg(
        pl.col("value").mean(), questions=pl.len().cast(pl.Int64)
    )
    named = by_culture.with_columns(
        language=pl.col("culture").replace_strict(spoken, default=None, return_dtype=pl.String)
    ).with_columns(
        pl.col("language").replace_strict(classes, default=None, return_dtype=pl.Int64).alias("class")
    )
    return (
        named.drop_nulls("class")
        .sort("endpoint", "language", "culture")
        .group_by("endpoint", "language", "class", maintain_order=True)
        .agg(
            score=pl.col("value").mean(),
            cultures=pl.len().cast(pl.Int64),
            questions=pl.col("questions").sum(),
        )
    )


def _over_all_models(by_language: pl.DataFrame) -> pl.DataFrame:
    """language, class, cultures and score, the mean over models."""
    keys = ("language", "class", "cultures")
    return by_language.group_by(*keys, maintain_order=True).agg(pl.col("score").mean())


def _classes(panel: Panel, by_language: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    for (number,), part in (
        _over_all_models(by_language)
        .sort("class", "language", descending=[True, False])
        .group_by("class", maintain_order=True)
    ):
        values = part["score"].to_numpy()
        ends = student_ends(values, scaled_bounds(panel.metric))
        spoken = ", ".join(map(language_name, part["language"]))
        yield (
            *panel.names().values(),
            *(number, float(values.mean()), *ends, part.height, part["cultures"].sum(), spoken),
        )


def _trends(panel: Panel, by_language: pl.DataFrame, of_models: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    if len(panel.models) > 1:
        slopes = np.array(
            [_slope(part)[0] for _, part in of_models.group_by("endpoint", maintain_order=True)]
        )
        yield _trend(panel, mean_name(slopes.size), _over_all_models(of_models), student_ends(slopes))
    for (name,), part in by_language.group_by("endpoint", maintain_order=True):
        yield _trend(panel, str(name), part, (math.nan, math.nan))


def _trend(panel: Panel, name: str, part: pl.DataFrame, ends: tuple[float, float]) -> tuple[Any, ...]:
    slope, low, high, p, r = _slope(part)
    sizes = (part.height, int(part["cultures"].sum()))
    return (*panel.names().values(), name, slope, low, high, p, math.nan, r, *ends, *sizes)


def _slope(part: pl.DataFrame) -> tuple[float, float, float, float, float]:
    """Slope, its ends, p and r of least squares over languages."""
    return least_squares(part["class"].to_numpy().astype(np.float64), part["score"].to_numpy())


def least_squares(x: Floats, y: Floats, confidence: float = 0.95) -> tuple[float, float, float, float, float]:
    """Slope of y over x with Student's interval and p, and Pearson's r; NaN where y does not vary."""
    if all_alike(y):
        return 0.0, math.nan, math.nan, math.nan, math.nan
    from scipy.special import stdtr, stdtrit  # scipy.stats takes a second to import

    by_x, by_y = x - x.mean(), y - y.mean()
    free, spread = x.size - 2, float(by_x @ by_x)
    slope = float(by_x @ by_y) / spread
    r = min(1.0, max(-1.0, slope * math.sqrt(spread / float(by_y @ by_y))))
    rest = by_y - slope * by_x
    error = math.sqrt(float(rest @ rest) / free / spread)
    half = float(stdtrit(free, 0.5 + confidence / 2)) * error
    p = 2 * float(stdtr(free, -abs(slope) / error)) if error else 0.0
    return slope, slope - half, slope + half, p, r


def _fits(inputs: Inputs) -> bool:
    for _, part in inputs.asked_about.group_by("task"):
        spoken = {usual_language(code) for code in part["culture"].drop_nulls().unique()}
        named = [languages()[code] for code in spoken if code is not None and code in languages()]
        classes = [language.resource for language in named if language.resource is not None]
        if len(classes) >= FEWEST_LANGUAGES and len(set(classes)) > 1:
            return True
    return False


RESOURCE_CLASSES = Result(
    "resource-classes",
    "Resource classes of languages",
    tables,
    "",
    "Do models score lower about cultures whose language has less text?",
    fits=_fits,
)
