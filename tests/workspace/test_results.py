"""Judgements come back as they were stored, however many there are and whatever the first ones lack."""

from __future__ import annotations

import polars as pl

from folkways.workspace import results
from folkways.workspace.database import Workspace
from tests.support.planned import plan_prompts

MANY = 2 * results.CHUNK + 7


def test_details_that_begin_late_are_of_their_own_type(any_workspace: Workspace) -> None:
    """Columns are told from values, and a chunk that has none of them must not decide for the others."""
    run, _ = plan_prompts(any_workspace, "m", [f"question {number}" for number in range(MANY)])
    (part,) = results.parts(any_workspace, run)
    late = pl.int_range(MANY, dtype=pl.Int64) >= MANY - 3
    judged = pl.select(ordinal=pl.int_range(1, MANY + 1, dtype=pl.Int64)).with_columns(
        question=pl.format("q{}", "ordinal"),
        culture=pl.lit("KR"),
        counted=pl.lit(value=True),
        state=pl.lit("answered"),
        answer=pl.lit("A"),
        reason=pl.lit(None, dtype=pl.String),
        share=pl.col("ordinal") / 3,
        topic=pl.when(late).then(pl.lit("food")),
        score=pl.when(late).then(pl.lit(0.5)),
        words=pl.when(late).then(pl.lit(["a", "b"])),
        never=pl.lit(None, dtype=pl.String),
    )
    results.save_judgements(any_workspace, run, "strict", judged)
    loaded = results.load_judgements(any_workspace, run, "strict", part)
    assert loaded.columns[-5:] == ["share", "topic", "score", "words", "never"]
    kept = ["ordinal", "question", "counted", "answer", "share", "topic", "score", "words"]
    assert loaded.select(kept).equals(judged.select(kept))
    assert loaded.schema["words"] == pl.List(pl.String)
    assert loaded["never"].null_count() == loaded.height == MANY
    assert set(loaded["endpoint"]) == {"m"}
    assert set(loaded["task"]) == {"test/task"}
