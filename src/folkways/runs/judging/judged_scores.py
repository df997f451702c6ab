"""Scores of a run as people would have given them: a judge's verdicts corrected by labels, in the form that a
gate decides on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from folkways.errors import DataError, FolkwaysError
from folkways.evidence.requirements import Check, Minimum, Status, check_minimum, group_of
from folkways.records import Schema
from folkways.runs.judging.calibrated import Cases
from folkways.stats.raters.judge_quality import noisy_but_valid
from folkways.text_tables import read_replies

NEEDED = (
    "task",
    "endpoint",
    "question",
    "culture",
    "language",
    "judge",
    "lexical",
    "verdict",
    "ended",
    "label",
)
NUMBERS = ("lexical", "verdict", "label")
ONE_SIDED = 0.025
"""As the 95 % interval leaves out on either side."""

SCORES: Schema = {
    **dict.fromkeys(("task", "endpoint", "metric", "facet", "value"), pl.String),
    **dict.fromkeys(("score", "low", "high", "coverage", "above", "below"), pl.Float64),
    **dict.fromkeys(("questions", "left_out", "labels"), pl.Int64),
}
"""What ``gate.check_minimum`` reads, and of the requirement: one-sided p that the score is above it, and
below, and labels."""


def read_verdicts(path: Path) -> pl.DataFrame:
    """What ``judge-by-model --out`` wrote, of one judge. DataError for a missing column, no labels, or
    several judges."""
    table = read_replies(path)
    missing = [name for name in NEEDED if name not in table.columns]
    if missing:
        raise DataError(
            f"lacks the column {missing[0]!r}; give what folkways judge-by-model --out wrote", file=path
        )
    numbers = [
        pl.col(name).cast(pl.String).replace("", None).cast(pl.Float64, strict=False) for name in NUMBERS
    ]
    verdicts = table.select(NEEDED).with_columns(numbers)
    judges = verdicts["judge"].unique(maintain_order=True).to_list()
    if len(judges) > 1:
        raise DataError(
            f"has verdicts of {len(judges)} judges ({', '.join(judges)}); a gate decides by one: leave the "
            "rest out",
            file=path,
        )
    if verdicts["label"].is_null().all():
        raise DataError("has no labels of people; write it with folkways judge-by-model --labels", file=path)
    return verdicts


def check_judged(
    verdicts: pl.DataFrame, wanted: Minimum, metric: str, endpoints: Sequence[str], *, strict: bool = False
) -> Iterator[Check]:
    """One check for each endpoint, decided on the rate that people's labels correct the judge's to, as
    ``check_minimum`` decides.

    With ``strict``, a check passes only if the test of ``noisy_but_valid`` bears it out as well.
    FolkwaysError where the task was not judged, or an endpoint has no labels there.
    """
    of_task = verdicts.filter(pl.col("task") == wanted.task)
    if of_task.is_empty():
        names = ", ".join(verdicts["task"].unique().sort())
        raise FolkwaysError(f"{wanted.task} was not judged; the verdicts are of: {names}")
    for endpoint in endpoints:
        own = of_task.filter(pl.col("endpoint") == endpoint)
        if own["label"].is_null().all():
            raise FolkwaysError(
                f"no labels of {endpoint} on {wanted.task}: labels of another model cannot correct its "
                "verdicts"
            )
        rows = [
            {
                **_score(part, wanted),
                "task": wanted.task,
                "endpoint": endpoint,
                "metric": metric,
                "facet": facet,
                "value": value,
            }
            for facet, value, part in _groups(own)
        ]
        scores = pl.DataFrame(rows, schema=SCORES)
        facet, value = group_of(scores, wanted)
        row = scores.filter(facet=facet, value=value).row(0, named=True)
        if row["score"] is None:
            told = (
                f"found nothing: {row['labels']} labels are too few to correct by, on fewer than two "
                "questions"
            )
            yield Check(wanted.name, endpoint, Status.FAIL, told)
            continue
        for check in check_minimum(scores, wanted, metric, strict=strict):
            yield _also_noisy_but_valid(check, row, strict=strict)


def _groups(own: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    yield "all", "all", own
    for facet in (["culture"], ["culture", "language"]):
        for values, part in own.group_by(facet, maintain_order=True):
            yield "+".join(facet), "+".join(map(str, values)), part


def _score(part: pl.DataFrame, wanted: Minimum) -> dict[str, object]:
    cases = Cases.of(part)
    found = cases.corrected()
    score, low, high = (
        None if math.isnan(value) else 100 * value
        for value in (found.rate, found.interval.low, found.interval.high)
    )
    above, below = noisy_but_valid(
        cases.verdicts, cases.labels, cases.cultures, cases.questions, wanted.at_least / 100
    )
    told = {"score": score, "low": low, "high": high, "coverage": 1.0, "above": above, "below": below}
    return {**told, "questions": part["question"].n_unique(), "left_out": 0, "labels": found.labelled}


def _also_noisy_but_valid(check: Check, row: dict[str, float], *, strict: bool) -> Check:
    """A check on SCORES with the p of the second test; with ``strict``, a pass that it does not bear out
    fails."""
    p = row["above"] if check.status is Status.PASS else min(row["above"], row["below"])
    told = f"{check.message} ({row['labels']:,} labels; noisy-but-valid p = {p:.3f})"
    if strict and check.status is Status.PASS and p > ONE_SIDED:
        return replace(
            check,
            status=Status.FAIL,
            message=f"{told}; that test does not bear it out: label more, or take a better judge",
        )
    return replace(check, message=told)
