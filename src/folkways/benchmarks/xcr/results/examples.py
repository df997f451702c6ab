"""Scores with and without the sentences that the authors' prompts show, solved, as their examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.benchmarks.xcr import data as xcr
from folkways.benchmarks.xcr.data.check import prompt_example_rows
from folkways.benchmarks.xcr.results.measures import TASKS, by_items, measures, task_by_task
from folkways.records import Schema
from folkways.releases.base import Release

EXAMPLES: Schema = {
    "endpoint": pl.String,
    "task": pl.String,
    "culture": pl.String,
    "measure": pl.String,
    "score": pl.Float64,  # over all sentences
    "low": pl.Float64,
    "high": pl.Float64,
    "without": pl.Float64,  # the examples
    "without_low": pl.Float64,
    "without_high": pl.Float64,
    "difference": pl.Float64,  # with minus without
    "on_examples": pl.Float64,
    "n": pl.Int64,  # judged rows (strict prediction: gold items)
    "n_without": pl.Int64,
    "examples": pl.Int64,  # sentences left out
}


def shown_sentences(release: Release) -> dict[str, str]:
    """Id of each sentence that one of the authors' prompts shows as its example -> the sentence."""
    base = xcr.corpus(release)
    sentences = base["sentence"].to_list()
    shown: dict[str, str] = {}
    for task in xcr.PROMPT_FILES:
        for row in prompt_example_rows(xcr.read_prompt(release, task) or "", sentences):
            shown[base["id"][row - 1]] = sentences[row - 1]
    return shown


def example_tables(inputs: Inputs) -> Sequence[Table]:
    """Each score of the judged tasks, over all sentences and without those that any of the prompts shows."""
    tasks = [task for task in TASKS if task in inputs.tasks]
    release = next((inputs.releases[task] for task in tasks if task in inputs.releases), None)
    shown = shown_sentences(release) if release is not None else {}
    if not shown:
        raise NotAvailableError(
            "needs the authors' prompts, which the data that were judged lack; fetch them: folkways data "
            "fetch xcr"
        )
    rows = [
        row
        for found in task_by_task(inputs, lambda task: list(_compared(inputs, task, list(shown))))
        for row in found
    ]
    if not rows:
        raise NotAvailableError("none of the sentences that the prompts show was asked")
    told = "; ".join(f"{item}: {' '.join(sentence.split())}" for item, sentence in shown.items())
    return [
        Table(
            "prompt-examples",
            "Scores with and without the sentences that the prompts show",
            "The unit is the sentence: intervals are for drawing other sentences.",
            pl.DataFrame(rows, schema=dict(EXAMPLES), orient="row"),
            notes=(f"Left out in every task, whichever prompt shows them: {told}",),
        )
    ]


def _compared(inputs: Inputs, task: str, shown: list[str]) -> Iterator[tuple[Any, ...]]:
    judged = inputs.of(task)
    looked_at = measures(inputs, task, judged)
    for (endpoint, culture), part in judged.group_by(["endpoint", "culture"], maintain_order=True):
        leaked = part.filter(pl.col("question").is_in(shown))
        if leaked.is_empty():
            continue
        versions = (part, part.filter(~pl.col("question").is_in(shown)), leaked)
        every, rest, only = (
            {row["metric"]: row for row in _scores(version, task, looked_at)} for version in versions
        )
        for measure in looked_at:
            if measure.name not in every or measure.name not in rest:
                continue
            one, other = every[measure.name], rest[measure.name]
            yield (
                *(endpoint, task, culture, measure.label, one["score"], one["low"], one["high"]),
                *(other["score"], other["low"], other["high"], one["score"] - other["score"]),
                only.get(measure.name, {}).get("score"),
                *(one["n"], other["n"], leaked["question"].n_unique()),
            )


def _scores(rows: pl.DataFrame, task: str, looked_at: Sequence[Any]) -> list[dict[str, Any]]:
    metrics = [measure.metric for measure in looked_at]
    whole = summarise_means(by_items(rows, task), task, metrics, (), groupings=((),))
    return whole.filter(pl.col("n") > 0).to_dicts()
