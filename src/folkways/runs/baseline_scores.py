"""What guessing would score: the marks that a report draws beside the models for scale, whether or not a baseline was asked."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from folkways import __version__
from folkways.benchmarks.base import Task
from folkways.records import SCORES, Signature
from folkways.releases.base import Release


def baseline_scores(task: Task, items: pl.DataFrame, release: Release, scores: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """records.SCORES of the task's own baselines on these items, for each profile of ``scores`` (a run's, of this task).

    They are exact expectations, made from the items alone: nobody is asked, nothing is drawn, and no profile changes them.
    """
    for name, judged in task.baselines(items).items():
        scored = task.summarise(judged)
        for profile in scores["profile"].unique(maintain_order=True):
            made = Signature(
                {
                    "task": task.name,
                    "data": f"{release.name}#{release.fingerprint}",
                    "baseline": "expectation over the items asked, without asking",
                    "profile": profile,
                    "folkways": __version__,
                }
            )
            yield scored.with_columns(endpoint=pl.lit(name), profile=pl.lit(profile), signature=pl.lit(made.text())).select(
                list(SCORES)
            )
