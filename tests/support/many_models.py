"""A made report of many models and tasks, at the size of a real study, from frames alone: nobody is asked."""

from __future__ import annotations

import numpy as np
import polars as pl

from folkways.records import Metric, State
from folkways.reports.data import ReportData, RunInfo
from tests.support.report_data import ACCURACY, BLEND, SEM_B, SKILL, signed

WORDS = ("Everyday", "Proverbs", "Etiquette", "Festivals", "Kitchen", "Markets", "Weddings")
SIGNATURE = "task:{}|lang:en|profile:strict|seed:0"


def task_names(tasks: int) -> dict[str, tuple[str, Metric]]:
    """Task -> its title and metric."""
    return {
        f"made/{number}": (
            f"{WORDS[number % len(WORDS)]} {number + 1}, {'short answers' if number % 2 else 'choices'}",
            SEM_B if number % 2 else ACCURACY,
        )
        for number in range(tasks)
    }


def many(models: int = 30, tasks: int = 14, rows: int = 80_000) -> ReportData:
    """``rows`` judgements of ``models`` on ``tasks`` over sixteen cultures, and their scores.

    Models differ in skill from -15 to +15 points; every question is asked once in English.
    """
    rng = np.random.default_rng(11)
    names = [
        f"lab-{number % 5}/model-{number + 1}-{(1, 7, 70)[number % 3]}b-instruct" for number in range(models)
    ]
    questions = max(1, rows // (models * tasks * len(BLEND)))
    shape = (tasks, models, len(BLEND), questions)
    task, model, culture, question = (axis.ravel() for axis in np.indices(shape))
    chance = np.array([SKILL[code] for code in BLEND])[culture] / 100
    chance = chance + np.linspace(0.15, -0.15, models)[model] + 0.05 * np.sin(task + model)
    right = (rng.random(chance.size) < chance).astype(float)
    wording = task_names(tasks)
    which = pl.Series(list(wording))[task]
    frame = pl.DataFrame(
        {
            "task": which,
            "item": pl.Series(BLEND)[culture] + "/" + pl.Series(question).cast(pl.String),
            "culture": pl.Series(BLEND)[culture],
            "endpoint": pl.Series(names)[model],
            "right": right,
        }
    )
    frame = frame.with_columns(
        question="item", language=pl.lit("en"), variant=pl.lit("plain"), sample=pl.lit(0, pl.Int64),
        counted=pl.lit(True), state=pl.lit(State.ANSWERED.value), profile=pl.lit("strict"),
        text=pl.format("What do people usually do on occasion {} there?", "item"), gold=pl.lit("rice porridge"),
        response=pl.when(pl.col("right") > 0).then(pl.lit("rice porridge")).otherwise(pl.format("noodles {}", pl.int_range(pl.len()) % 997)),
        answer=pl.lit("as said"), reason=pl.lit(None, pl.String),
        **{
            metric.name: pl.when(pl.col("task").is_in([name for name, (_, own) in wording.items() if own is metric])).then("right")
            for metric in (SEM_B, ACCURACY)
        },
    )  # fmt: skip
    groups = ("endpoint", "task")
    whole = _scores(frame, groups).with_columns(facet=pl.lit("all"), value=pl.lit("all"))
    by_culture = (
        _scores(frame, (*groups, "culture"))
        .rename({"culture": "value"})
        .with_columns(facet=pl.lit("culture"))
    )
    metrics = {name: own.name for name, (_, own) in wording.items()}
    scores = pl.concat([whole, by_culture], how="diagonal").with_columns(
        profile=pl.lit("strict"),
        metric=pl.col("task").replace_strict(metrics),
        signature=pl.format(SIGNATURE, "task"),
    )
    texts = scores["signature"].unique(maintain_order=True).to_list()
    run = RunInfo(
        "large",
        "2026-01-01T00:00:00+00:00",
        "finished",
        tuple(names),
        tuple(wording),
        12.5,
        frame.height,
        3600.0,
        "0.2",
    )
    return ReportData(
        title="Thirty models", created="2026-01-01T00:00:00+00:00", runs=(run,), scores=scores,
        judgements=frame.drop("right"), metrics={name: (own,) for name, (_, own) in wording.items()},
        task_titles={name: title for name, (title, _) in wording.items()},
        signatures={text: signed(text) for text in texts},
        chance={name: 25.0 for name, (_, own) in wording.items() if own is ACCURACY},
    )  # fmt: skip


def _scores(frame: pl.DataFrame, groups: tuple[str, ...]) -> pl.DataFrame:
    """records.SCORES of the share of right answers by ``groups``, with Wilson's interval."""
    counts = frame.group_by(groups, maintain_order=True).agg(
        n=pl.len().cast(pl.Int64), share=pl.col("right").mean()
    )
    z, n, share = 1.959964, pl.col("n"), pl.col("share")
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * (share * (1 - share) / n + z**2 / (4 * n**2)).sqrt() / (1 + z**2 / n)
    nothing = {state.value: pl.lit(0, pl.Int64) for state in State if state != State.ANSWERED}
    return counts.with_columns(
        score=100 * share, low=100 * (middle - half), high=100 * (middle + half), interval=pl.lit("wilson 95%"),
        questions="n", effective_questions=pl.lit(None, pl.Float64), answered="n", **nothing,
        cut=pl.lit(0, pl.Int64), left_out=pl.lit(0, pl.Int64), why_left_out=pl.lit(None, pl.String),
        coverage=pl.lit(1.0), at_best=100 * share,
    ).drop("share")  # fmt: skip
