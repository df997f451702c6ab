"""Easy against Hard, and questions with one right answer against those with several (sections 5.1 and
5.2)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.culturalbench.results.values import (
    EASY,
    HARD,
    SETUPS,
    UNIT,
    by_question,
    present,
    scores_of,
)
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import DIFFERENCE, Layout, NotAvailableError, Table, with_holm
from folkways.records import Schema
from folkways.stats.differences import METHOD, difference_of_groups, paired_mean

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
    """The scores of both setups, and their gap paired by question."""
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
        found = paired_mean(first, second, largest=100.0)
        rows.append(
            (
                endpoint,
                first.mean(),
                second.mean(),
                found.difference,
                found.low,
                found.high,
                found.p,
                None,
                found.n,
            )
        )
    gaps = with_holm(pl.DataFrame(rows, schema=dict(GAPS), orient="row")).sort("easy", descending=True)
    shown = pl.concat(
        scores_of(inputs, task, "all").select(
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
            Layout("endpoint", "setup", "score", decimals=1, drawn="intervals"),
            notes=("Chance is 25 % on Easy and 6.25 % on Hard: the setups are not on one scale.",),
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
    """Single-mode against multi-mode questions."""
    shown, rows = [], []
    for task in present(inputs):
        modes = scores_of(inputs, task, "mode")
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
                found = difference_of_groups(single, multi).columns(100)
                numbers = {"n_single": single.size, "n_multi": multi.size}
                rows.append({"setup": SETUPS[task], "endpoint": endpoint, **means, **found, **numbers})
    if not rows:
        raise NotAvailableError("needs questions of both types; these are of one type only")
    return (
        Table(
            "question-types",
            "One right answer or several (section 5.2)",
            f"Percent of questions. {UNIT}",
            pl.concat(shown),
            Layout("endpoint", "type", "score", decimals=1, by="setup", drawn="intervals"),
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
