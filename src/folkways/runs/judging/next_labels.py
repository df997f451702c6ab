"""Which replies people should judge next, so that the corrected rates become as sure as they can.

Cultures take turns by what a label there takes off the variance (``stats.raters.stratified_calibration``). Within a
culture replies come at random, because labels that were chosen by what the judge said would not correct it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import polars as pl

from folkways.records import Schema
from folkways.stats.raters.stratified_calibration import allocate, errors_to_expect

TO_LABEL: Schema = {
    **dict.fromkeys(("id", "culture", "question", "reply"), pl.String),
    "accepted": pl.List(pl.String),  # what people answered, one text per group
    **dict.fromkeys(("language", "task", "item_id", "variant"), pl.String),
    "sample": pl.Int64,
    **dict.fromkeys(("endpoint", "run"), pl.String),
}
"""As an item of the studio's stage ``judge_answer``."""

LONGEST_ID = 120
_Stratum = tuple[str, str, str]
"""Task, endpoint, culture."""


def next_labels(
    rows: Sequence[Mapping[str, Any]], frames: Sequence[pl.DataFrame], count: int, run: str
) -> pl.DataFrame:
    """At most ``count`` unlabelled replies (TO_LABEL), the one that tells most first.

    rows: of ``replies_to_judge``, with ``_order``; frames: VERDICTS of the same rows, one frame per judge, of
    which the first is to be corrected.
    """
    if not count:
        return pl.DataFrame(schema=TO_LABEL)
    waiting: dict[_Stratum, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: str(row["_order"])):
        if row["_prompt"] is not None and row["label"] is None:
            waiting.setdefault((row["task"], row["endpoint"], row["culture"]), []).append(row)
    worth, labelled = _worth(frames)
    strata = list(waiting)
    left = [len(waiting[stratum]) for stratum in strata]
    places = allocate([worth[stratum] for stratum in strata], [labelled[stratum] for stratum in strata], left)
    replies = [iter(waiting[stratum]) for stratum in strata]
    return pl.DataFrame(
        [_shown(next(replies[place]), run) for place in islice(places, count)], schema=TO_LABEL
    )


def _worth(frames: Sequence[pl.DataFrame]) -> tuple[dict[_Stratum, float], dict[_Stratum, int]]:
    """How much a stratum's replies count, squared, times how much the judge seems to err there; and its
    labels so far.

    Before there are labels, the judge's errors are told by how often the rule and other judges say something
    else.
    """
    keys = ("task", "endpoint", "culture")
    replied = pl.col("ended") != "no reply"
    guess = pl.coalesce("verdict", "lexical")
    doubts = pl.concat(
        frame.filter(replied).select(*keys, doubt=(pl.col("lexical") - guess).abs()) for frame in frames
    )
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
        .with_columns(errs=errors_to_expect(pl.col("wrong"), pl.col("labels"), pl.col("doubt")), part=of_all)
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
