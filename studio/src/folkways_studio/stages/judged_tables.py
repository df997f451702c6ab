"""Judged answers of models as tables: the labels, and the errors that they show (BLEnD, Table 13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from folkways.sdk.files import Schema
from folkways.sdk.studies import StudyItem

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
}


def label_table(items: Iterable[StudyItem], verdicts: Mapping[str, float]) -> pl.DataFrame:
    """LABELS, one row per judgement, not averaged over a reply. verdicts: name -> label."""
    rows = [
        {
            **{
                name: item.content.get(name)
                for name in ("run", "task", "language", "variant", "sample", "endpoint")
            },
            "item": item.content.get("item_id", item.key),
            "participant": vote.participant,
            "label": verdicts[vote.payload["verdict"]],
            "verdict": vote.payload["verdict"],
            "flags": " ".join(vote.payload["flags"]),
            "comment": vote.payload["comment"],
        }
        for item in items
        for vote in item.votes
    ]
    return pl.DataFrame(rows, schema=dict(LABELS))


def error_table(items: Iterable[StudyItem], verdicts: Sequence[str], flags: Sequence[str]) -> pl.DataFrame:
    """ERRORS and the percentage of judgements with each verdict and flag, by culture, language and model, in
    order of first appearance."""
    shown = (*verdicts, *flags)
    shares = [
        {
            **{
                "culture": item.culture,
                "language": item.content.get("language"),
                "endpoint": item.content.get("endpoint"),
            },
            "item": item.id,
            **{name: 100.0 * (name == vote.payload["verdict"]) for name in verdicts},
            **{name: 100.0 * (name in vote.payload["flags"]) for name in flags},
        }
        for item in items
        for vote in item.votes
    ]
    columns = {**ERRORS, **dict.fromkeys(shown, pl.Float64), "item": pl.Int64}
    return (
        pl.DataFrame(
            shares,
            schema={name: kind for name, kind in columns.items() if name not in ("answers", "judgements")},
        )
        .group_by("culture", "language", "endpoint", maintain_order=True)
        .agg(
            pl.col("item").n_unique().cast(pl.Int64).alias("answers"),
            pl.len().cast(pl.Int64).alias("judgements"),
            *(pl.col(name).mean() for name in shown),
        )
        .select(*ERRORS, *shown)
    )
