"""Replies that the token limit cut. What such a reply is worth is the task's rule; how it is recorded is the
same for all tasks."""

from __future__ import annotations

import polars as pl

from folkways.benchmarks.base import Task
from folkways.benchmarks.contract import judgements_of
from folkways.records import CUT, LEFT_OUT, State

TOKEN_LIMIT = ("length", "max_tokens", "max_output_tokens", "model_length")
"""Finish reasons, in lower case, with which a provider says that its limit of output tokens ended the reply:
chat completions have the first, Anthropic and Google the second, the Responses interface the third, Mistral
the last."""


def is_cut(finish_reason: str | None) -> bool:
    """Whether the token limit ended a reply, as its provider says; one without a finish reason is whole."""
    return (finish_reason or "").lower() in TOKEN_LIMIT


def cut_by_limit(finish_reason: pl.Expr) -> pl.Expr:
    """records.CUT of replies, by their finish reasons: ``is_cut`` of each."""
    return finish_reason.str.to_lowercase().is_in(TOKEN_LIMIT).fill_null(False).alias(CUT)


REMEDY = "the token limit cut the reply: ask again with a higher --max-tokens"


def judge_replies(task: Task, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
    """The task's ``judge`` with records.CUT: whether the token limit ended the reply, by its
    ``finish_reason``.

    A cut reply that is empty, or that the task finds unreadable, is truncated, and its reason names the
    remedy; its metrics stay as they were. A reply that was read or refused keeps its state. Responses without
    a ``finish_reason`` count as whole.

    task, items, responses, profile: as for ``Task.judge``.
    """
    judged = judgements_of(task, items, responses, profile)
    if "finish_reason" not in responses.columns:
        return judged.with_columns(pl.lit(False).alias(CUT))
    cut = responses.select(cut_by_limit(pl.col("finish_reason")))[CUT]
    judged = judged.with_columns(cut)
    if not cut.any():
        return judged
    empty = responses["response"].fill_null("").str.strip_chars() == ""
    unread = judged["state"] == State.UNREADABLE.value
    nothing = cut & (unread | (empty & (judged["state"] == State.ANSWERED.value)))
    truncated = pl.lit(State.TRUNCATED.value)
    changed = {
        "state": truncated,
        "reason": pl.concat_str("reason", pl.lit(REMEDY), separator="; ", ignore_nulls=True),
    }
    if LEFT_OUT in judged.columns:
        changed[LEFT_OUT] = (
            pl.when(pl.col(LEFT_OUT) == State.UNREADABLE.value).then(truncated).otherwise(LEFT_OUT)
        )
    return judged.with_columns(
        pl.when(nothing).then(new).otherwise(name).alias(name) for name, new in changed.items()
    )
