"""Which replies people should judge next, so that the corrected rates become as sure as they can.

A label in a culture takes off the variance of the corrected rate what Neyman's allocation says: the culture's share of all replies,
squared, times how much the judge errs there, by 1/n less 1/(n + 1) for n labels so far. Cultures take turns by that; within a
culture replies come at random, because labels that were chosen by what the judge said would not correct it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import polars as pl

from folkways.records import Schema
from folkways.stats.raters.stratified_calibration import FEWEST

TO_LABEL: Schema = {
    "id": pl.String,
    "culture": pl.String,
    "question": pl.String,
    "reply": pl.String,
    "accepted": pl.List(pl.String),  # what people answered, one text per group
    "language": pl.String,
    "task": pl.String,
    "item_id": pl.String,
    "variant": pl.String,
    "sample": pl.Int64,
    "endpoint": pl.String,
    "run": pl.String,
}
"""As an item of the studio's stage ``judge_answer``."""

LONGEST_ID = 120
PRIOR = 4.0
"""Labels that the disagreement of judges and rule counts as, where it stands for how much the judge errs."""

_Stratum = tuple[str, str, str]
"""Task, endpoint, culture."""


def next_labels(rows: Sequence[Mapping[str, Any]], frames: Sequence[pl.DataFrame], count: int, run: str) -> pl.DataFrame:
    """At most ``count`` unlabelled replies (TO_LABEL), the one that tells most first.

    rows: of ``replies_to_judge``, with ``_order``; frames: VERDICTS of the same rows, one frame per judge, of which the first is to
    be corrected.
    """
    if not count:
        return pl.DataFrame(schema=TO_LABEL)
    waiting: dict[_Stratum, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: str(row["_order"])):
        if row["_prompt"] is not None and row["label"] is None:
            waiting.setdefault((row["task"], row["endpoint"], row["culture"]), []).append(row)
    worth, labelled = _worth(frames)
    return pl.DataFrame([_shown(row, run) for row in islice(_turns(waiting, worth, labelled), count)], schema=TO_LABEL)


def _turns(
    waiting: Mapping[_Stratum, Sequence[Mapping[str, Any]]], worth: Mapping[_Stratum, float], labelled: Mapping[_Stratum, int]
) -> Iterator[Mapping[str, Any]]:
    queue = [(_rank(worth[stratum], labelled[stratum]), stratum, 0) for stratum in waiting]
    heapq.heapify(queue)
    while queue:
        _, stratum, taken = heapq.heappop(queue)
        yield waiting[stratum][taken]
        if taken + 1 < len(waiting[stratum]):
            heapq.heappush(queue, (_rank(worth[stratum], labelled[stratum] + taken + 1), stratum, taken + 1))


def _rank(worth: float, labels: int) -> tuple[int, float]:
    """What is to be labelled sooner is smaller: where there are fewer than FEWEST labels, then by what one more takes off."""
    return (labels if labels < FEWEST else FEWEST), -worth / (labels * (labels + 1) if labels else 1)


def _worth(frames: Sequence[pl.DataFrame]) -> tuple[dict[_Stratum, float], dict[_Stratum, int]]:
    """How much a stratum's replies count, squared, times how much the judge seems to err there; and its labels so far.

    Before there are labels, the judge's errors are told by how often the rule and other judges say something else.
    """
    keys = ("task", "endpoint", "culture")
    replied = pl.col("ended") != "no reply"
    guess = pl.coalesce("verdict", "lexical")
    doubts = pl.concat(frame.filter(replied).select(*keys, doubt=(pl.col("lexical") - guess).abs()) for frame in frames)
    if len(frames) > 1:
        first, *others = (frame.filter(replied).select(*keys, verdict=guess) for frame in frames)
        more = [first.select(*keys, doubt=(first["verdict"] - other["verdict"]).abs()) for other in others]
        doubts = pl.concat([doubts, *more])
    error = (pl.col("label") - guess).abs()
    of_all = pl.col("rows") / pl.col("rows").sum().over("task", "endpoint")
    found = (
        frames[0].group_by(keys)
        .agg(rows=replied.sum(), labels=pl.col("label").count(), wrong=error.filter(replied).sum())
        .join(doubts.group_by(keys).agg(doubt=(pl.col("doubt").sum() + 0.5) / (pl.len() + 1)), on=keys)
        .with_columns(errs=(pl.col("wrong") + PRIOR * pl.col("doubt")) / (pl.col("labels") + PRIOR), part=of_all)
        .with_columns(worth=pl.col("part") ** 2 * pl.col("errs"))
    )  # fmt: skip
    strata = [(row["task"], row["endpoint"], row["culture"]) for row in found.iter_rows(named=True)]
    return dict(zip(strata, found["worth"], strict=True)), dict(zip(strata, found["labels"], strict=True))


def _shown(row: Mapping[str, Any], run: str) -> dict[str, Any]:
    key = ":".join(str(row[name]) for name in ("endpoint", "task", "item", "language", "variant", "sample"))
    return {
        "id": key[-LONGEST_ID:],
        "question": row["_text"],
        "reply": row["response"],
        "accepted": [" / ".join(group) for group in row["_groups"]],
        "item_id": row["item"],
        "run": run,
        **{name: row[name] for name in ("culture", "language", "task", "variant", "sample", "endpoint")},
    }
