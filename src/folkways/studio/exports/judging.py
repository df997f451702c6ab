"""Judgements of model answers leave as a table of errors (BLEnD, Table 13) and as labels for ``judge-by-model --labels``."""

from __future__ import annotations

from typing import Any

import polars as pl

from folkways.errors import FolkwaysError
from folkways.records import Schema
from folkways.studio.services.gathering import Gathered
from folkways.studio.workflows.judging import FLAGS, VERDICTS

LABELS: Schema = {
    "run": pl.String,
    "task": pl.String,
    "item": pl.String,
    "language": pl.String,
    "variant": pl.String,
    "sample": pl.Int64,
    "endpoint": pl.String,
    "participant": pl.String,
    "label": pl.Float64,  # 1, 0.5 or 0
    "verdict": pl.String,
    "flags": pl.String,  # separated by spaces
    "comment": pl.String,
}

ERRORS: Schema = {
    "culture": pl.String,
    "language": pl.String,
    "endpoint": pl.String,
    "answers": pl.Int64,  # how many were judged
    "judgements": pl.Int64,
    **dict.fromkeys((*VERDICTS, *FLAGS), pl.Float64),  # percent of the judgements
}


def labels(found: Gathered, stage: str | None = None) -> pl.DataFrame:
    """LABELS, one row per judgement. Several of one reply are averaged by whoever reads them."""
    rows = [
        {
            **{name: item.content.get(name) for name in ("run", "task", "language", "variant", "sample", "endpoint")},
            "item": item.content.get("item_id", item.key),
            "participant": vote.participant,
            "label": VERDICTS[vote.payload["verdict"]],
            "verdict": vote.payload["verdict"],
            "flags": " ".join(vote.payload["flags"]),
            "comment": vote.payload["comment"],
        }
        for item in found.of(found.stage_of("judge_answer", stage))
        for vote in found.votes(item)
    ]
    if not rows:
        raise FolkwaysError("no answer has been judged yet: there is nothing to export")
    return pl.DataFrame(rows, schema=dict(LABELS))


def error_table(found: Gathered, stage: str | None = None) -> pl.DataFrame:
    """ERRORS, by culture, language and model, in order of first appearance."""
    rows: list[dict[str, Any]] = []
    for item in found.of(found.stage_of("judge_answer", stage)):
        population = found.population(item)
        for vote in found.votes(item):
            flags = {flag: 100.0 * (flag in vote.payload["flags"]) for flag in FLAGS}
            verdicts = {verdict: 100.0 * (verdict == vote.payload["verdict"]) for verdict in VERDICTS}
            place = {"culture": population.culture if population else None, "language": item.content.get("language")}
            rows.append({**place, "endpoint": item.content.get("endpoint"), "item": item.id, **verdicts, **flags})
    if not rows:
        raise FolkwaysError("no answer has been judged yet: there is nothing to export")
    kinds = {"culture": pl.String, "language": pl.String, "endpoint": pl.String, "item": pl.Int64}
    table = pl.DataFrame(rows, schema={**kinds, **dict.fromkeys((*VERDICTS, *FLAGS), pl.Float64)})
    return (
        table.group_by("culture", "language", "endpoint", maintain_order=True)
        .agg(
            pl.col("item").n_unique().cast(pl.Int64).alias("answers"),
            pl.len().cast(pl.Int64).alias("judgements"),
            *(pl.col(name).mean() for name in (*VERDICTS, *FLAGS)),
        )
        .select(list(ERRORS))
    )
