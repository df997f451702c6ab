"""What the way of asking decides: Easy or Hard, one right answer or several, templates, orders of options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.culturalbench.results.values import (
    ACCURACY,
    EASY,
    HARD,
    SETUPS,
    UNIT,
    WITH_PEOPLE,
    by_question,
    judgements_of,
    present,
    scores_of,
    with_people,
)
from folkways.benchmarks.multiple_choice.orders import split_variant
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import DIFFERENCE, Layout, NotAvailableError, Table, in_order, with_holm
from folkways.records import Metric, Schema, of_rows
from folkways.stats.differences import METHOD, difference_of_groups, difference_of_shares, paired_mean
from folkways.stats.intervals import Floats

GAPS: Schema = {
    "endpoint": pl.String,
    "easy": pl.Float64,  # percent of the questions that were asked in both setups
    "hard": pl.Float64,
    "gap": pl.Float64,  # points
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
    "p_holm": pl.Float64,
    "questions": pl.Int64,
}

MODES: Schema = {
    "setup": pl.String,
    "endpoint": pl.String,
    "single": pl.Float64,  # percent
    "multi": pl.Float64,
    **DIFFERENCE,  # points
    "p_holm": pl.Float64,
    "n_single": pl.Int64,
    "n_multi": pl.Int64,
}


def easy_against_hard(inputs: Inputs) -> Sequence[Table]:
    """The scores of both setups, and their gap paired by question; NotAvailableError without both setups."""
    if len(present(inputs)) < 2:
        missing = next(task for task in (EASY, HARD) if task not in inputs.tasks)
        if missing in inputs.asked:
            raise inputs.lacking(missing)
        raise NotAvailableError(
            f"needs both setups; {missing} was not asked: folkways run {missing} --model NAME"
        )
    easy, hard = (by_question(inputs, task) for task in (EASY, HARD))
    pairs = easy.join(hard, on=["endpoint", "question"], how="inner", suffix="_hard", maintain_order="left")
    if pairs.is_empty():
        raise NotAvailableError("needs a model that was asked the same questions in both setups")
    rows = []
    for (endpoint,), group in pairs.group_by(["endpoint"], maintain_order=True):
        first, second = 100 * group["value"].to_numpy(), 100 * group["value_hard"].to_numpy()
        test = paired_mean(first, second, largest=100.0)
        rows.append(
            (
                endpoint,
                first.mean(),
                second.mean(),
                test.difference,
                test.low,
                test.high,
                test.p,
                None,
                test.n,
            )
        )
    gaps = with_holm(of_rows(rows, GAPS)).sort("easy", descending=True)
    shown = pl.concat(
        with_people(inputs, task, "all", scores_of(inputs, task, "all")).select(
            "endpoint", setup=pl.lit(SETUPS[task]), score="score", low="low", high="high", n="n"
        )
        for task in (EASY, HARD)
    )
    return (
        Table(
            "easy-hard",
            "Easy and Hard (section 5.1)",
            f"Percent of questions. {UNIT}",
            shown,
            Layout("endpoint", "setup", "score", decimals=1, drawn="intervals", measure=ACCURACY),
            notes=(
                "Chance is 25 % on Easy and 6.25 % on Hard: the setups are not on one scale.",
                WITH_PEOPLE,
            ),
        ),
        Table(
            "easy-hard-gap",
            "The gap between Easy and Hard (section 5.1)",
            f"Points, over the questions that a model was asked in both setups, paired by question. {UNIT}",
            gaps,
            notes=(
                "Wilson's interval of the effective answers and its test, paired; p_holm is corrected for "
                "the number of models.",
            ),
        ),
    )


def by_mode(inputs: Inputs) -> Sequence[Table]:
    """Single-mode against multi-mode questions; NotAvailableError if all are of one mode."""
    shown, rows = [], []
    for task in present(inputs):
        modes = with_people(inputs, task, "mode", scores_of(inputs, task, "mode"))
        shown.append(
            modes.select(
                pl.lit(SETUPS[task]).alias("setup"),
                "endpoint",
                type="value",
                score="score",
                low="low",
                high="high",
                n="n",
            )
        )
        values = by_question(inputs, task, "mode")
        for (endpoint,), group in values.group_by(["endpoint"], maintain_order=True):
            single, multi = (
                group.filter(pl.col("mode") == mode)["value"].to_numpy() for mode in ("single", "multi")
            )
            if single.size and multi.size:
                means = {"single": 100 * float(single.mean()), "multi": 100 * float(multi.mean())}
                contrast = difference_of_groups(single, multi).columns(100)
                numbers = {"n_single": single.size, "n_multi": multi.size}
                rows.append({"setup": SETUPS[task], "endpoint": endpoint, **means, **contrast, **numbers})
    if not rows:
        raise NotAvailableError("needs questions of both types; these are of one type only")
    return (
        Table(
            "question-types",
            "Figure 5, left: one right answer or several (section 5.2)",
            f"Percent of questions. {UNIT}",
            pl.concat(shown).sort(in_order("type", ("single", "multi")), maintain_order=True),
            Layout("endpoint", "type", "score", decimals=1, by="setup", drawn="intervals", measure=ACCURACY),
            notes=(WITH_PEOPLE,),
        ),
        Table(
            "question-type-gap",
            "The gap between question types (section 5.2)",
            "Points: questions with one right answer minus those with several, which are other questions.",
            with_holm(pl.DataFrame(rows)).select(list(MODES)),
            notes=(
                f"Interval: {METHOD} (Newcombe); p_holm is corrected for the number of models and setups.",
            ),
        ),
    )


DIFFERENCES: Schema = {
    "setup": pl.String,
    "endpoint": pl.String,
    "group": pl.String,
    "score": pl.Float64,  # percent, the mean over the countries of the group
    **DIFFERENCE,  # points, from the mean over all other countries
    "p_holm": pl.Float64,
    "formats": pl.Int64,  # in how many formats it was asked
    "least": pl.Float64,  # the difference in the format in which it is least
    "most": pl.Float64,
    "format_spread": pl.Float64,  # points between the best and the worst format, over all questions
    "questions": pl.Int64,
}

_CONSISTENT = Metric("consistent", "", "")
ONE_FORMAT = (
    "Asked in one format only, so it is unknown how much the format decides: --variants all "
    "--permute-options 4."
)


def spread(inputs: Inputs) -> Sequence[Table]:
    """Scores by format, effects of the order of options, and differences between cultures with that spread.

    NotAvailableError with one format and one country.
    """
    scored: list[pl.DataFrame] = []
    groups: dict[str, list[pl.DataFrame]] = {"region": [], "culture": []}
    for task in present(inputs):
        values = by_question(inputs, task, "variant", "region")
        for (endpoint,), of_model in values.group_by(["endpoint"], maintain_order=True):
            names = {"setup": SETUPS[task], "endpoint": str(endpoint)}
            formats = _formats(of_model)
            scored.append(formats.select(*_literals(names), pl.all()))
            between = float(np.ptp(formats["score"].to_numpy())) if formats.height > 1 else None
            for grouping, rows in groups.items():
                differences_of = pl.DataFrame(list(_differences(of_model, grouping)))
                if differences_of.height:
                    columns = {**names, "formats": formats.height, "format_spread": between}
                    complete = with_holm(differences_of).with_columns(*_literals(columns))
                    rows.append(complete.select(list(DIFFERENCES)).cast(pl.Schema(DIFFERENCES)))
    scores = pl.concat(scored)
    notes = (ONE_FORMAT,) if scores["format"].n_unique() < 2 else ()
    differences = [
        _difference_table(grouping, pl.concat(rows), notes) for grouping, rows in groups.items() if rows
    ]
    if notes and not differences:
        raise NotAvailableError("needs two formats (--variants all, --permute-options 4), or two countries")
    orders = list(_orders(judgements_of(inputs, EASY))) if EASY in inputs.tasks else []
    return (_format_table(scores, notes), *([_order_table(orders)] if orders else []), *differences)


def _format_table(scores: pl.DataFrame, notes: tuple[str, ...]) -> Table:
    return Table(
        "format-scores",
        "Scores by template and order of the options",
        "Percent of questions, one row per format.",
        scores,
        Layout("endpoint", "format", "score", decimals=1, by="setup", drawn="intervals", measure=ACCURACY),
        notes=notes,
    )


def _order_table(orders: list[dict[str, Any]]) -> Table:
    return Table(
        "orders",
        "The same questions with their options in other orders",
        "Consistency is the percent of questions for which the same option was chosen in every order; a "
        "letter's number is by how many points it is named oftener than it is right.",
        pl.DataFrame(orders),
        notes=(
            "Consistency says nothing of being right; a model that guesses anew each time has little of it.",
        ),
    )


def _difference_table(grouping: str, rows: pl.DataFrame, notes: tuple[str, ...]) -> Table:
    what = {"region": "Regions", "culture": "Countries"}[grouping]
    return Table(
        f"{grouping}-differences",
        f"{what} against all others, beside the spread from format",
        "A group's score is the unweighted mean over its countries; the difference is from that over all "
        f"other countries. {UNIT}",
        rows,
        notes=(
            f"Interval: {METHOD} (Zou and Donner); p_holm is corrected for the number of groups of a model.",
            "least and most: the same difference in single formats. A difference that changes its sign "
            "there, or is smaller than format_spread, may be one of format.",
            *notes,
        ),
    )


def _literals(names: dict[str, Any]) -> Iterator[pl.Expr]:
    return (pl.lit(value).alias(name) for name, value in names.items())


def _formats(values: pl.DataFrame) -> pl.DataFrame:
    """format, score, low, high, n: one row per variant."""
    metric = Metric("value", "", "")
    judged = values.with_columns(counted=pl.lit(True), state=pl.lit("answered"), format="variant")
    whole = summarise_means(judged, "", (metric,), (), [("format",)])
    if whole.is_empty():  # a single format repeats the whole
        whole = summarise_means(judged, "", (metric,), (), [()]).with_columns(
            value=pl.lit(values["variant"][0])
        )
    return whole.select(format="value", score="score", low="low", high="high", n="n")


def _differences(values: pl.DataFrame, grouping: str) -> Iterator[dict[str, Any]]:
    """Each group against the countries of all others, over all formats and in each one."""
    means = _country_means(values)
    if means[grouping].n_unique() < 2:
        return
    by_format = [
        _from_the_others(_country_means(of_format), grouping) for of_format in values.partition_by("variant")
    ]
    for group in means[grouping].unique(maintain_order=True):
        inside, outside = means.filter(pl.col(grouping) == group), means.filter(pl.col(grouping) != group)
        contrast = difference_of_shares(*_sides(inside), *_sides(outside))
        single = [differences[group] for differences in by_format if group in differences]
        yield {
            "group": group,
            "score": 100 * float(np.mean(inside["share"].to_numpy())),
            **contrast.columns(100),
            "least": 100 * min(single) if len(single) > 1 else None,
            "most": 100 * max(single) if len(single) > 1 else None,
            "questions": int(inside["questions"].sum()),
        }


def _country_means(values: pl.DataFrame) -> pl.DataFrame:
    """region, culture, share, questions: formats of one question are averaged first."""
    return (
        values.group_by("region", "culture", "question", maintain_order=True)
        .agg(pl.col("value").mean())
        .group_by("region", "culture", maintain_order=True)
        .agg(share=pl.col("value").mean(), questions=pl.len())
    )


def _sides(means: pl.DataFrame) -> tuple[Floats, Floats]:
    return means["share"].to_numpy(), means["questions"].to_numpy().astype(np.float64)


def _from_the_others(means: pl.DataFrame, grouping: str) -> dict[str, float]:
    """Group -> its mean over countries minus that over all other countries; without a group that has no
    others."""
    total, countries = float(means["share"].sum()), means.height
    groups = means.group_by(grouping, maintain_order=True).agg(
        pl.col("share").sum(), pl.len().alias("countries")
    )
    return {
        group: share / size - (total - share) / (countries - size)
        for group, share, size in groups.iter_rows()
        if size < countries
    }


def _orders(judged: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """One row per model that was asked in several orders: consistency, and how much oftener each letter is
    named than right."""
    if "consistent" not in judged.columns:
        return
    number = {name: split_variant(name)[1] for name in judged["variant"].unique()}
    for (endpoint,), group in judged.group_by(["endpoint"], maintain_order=True):
        orders = {number[name] for name in group["variant"].unique()}
        if len(orders) < 2:
            continue
        whole = summarise_means(group, "", (_CONSISTENT,), (), [()]).row(0, named=True)
        questions = group.group_by("question", maintain_order=True).agg(pl.col("value").mean())
        bias = group.drop_nulls("chosen_letter").select(  # null where no letter was read
            ((pl.col("chosen_letter") == letter).cast(pl.Float64) - (pl.col("gold_letter") == letter))
            .mean()
            .alias(f"letter {letter}")
            for letter in "ABCD"
        )
        yield {
            "endpoint": endpoint,
            "orders": len(orders),
            "score": 100 * float(np.mean(questions["value"].to_numpy())),
            "consistency": whole["score"],
            "low": whole["low"],
            "high": whole["high"],
            "questions": whole["questions"],
            **(100 * bias).row(0, named=True),
        }
