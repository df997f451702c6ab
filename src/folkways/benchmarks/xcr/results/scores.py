"""Scores of all tasks: by category, Hall level and element (Figures 2, 5 and 6, Table 9), with and without
the examples of the prompts, and with more or less reasoning (section 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import DIFFERENCE, Form, Layout, NotAvailableError, Plot, Table, with_holm
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.labels import LEVELS
from folkways.benchmarks.xcr.release import prompt_example_rows
from folkways.benchmarks.xcr.results.measures import (
    ADAPTATION,
    TASKS,
    by_items,
    measures,
    per_sentence,
    task_by_task,
)
from folkways.cultures import cultures
from folkways.records import Schema, of_rows
from folkways.releases.release_records import Release
from folkways.stats.differences import paired_mean

FACETS = {"category": "category", "hall_level": "level", "element": "element"}
"""Column of the judgements -> what the tables call it."""

TABLES = {
    "category": ("csi-categories", "Scores by category (Figure 2)"),
    "hall_level": ("hall-levels", "Scores by Hall level (Figures 5 and 6)"),
    "element": ("hall-elements", "Scores by element (Table 9)"),
}
"""Column of the judgements -> name and title of its table."""

FORMS: dict[str, Form] = {"category": "intervals", "hall_level": "lines", "element": "heatmap"}
"""Column of the judgements -> form of the figure of all models."""

WHOLE = "all"
"""The group of all."""

FEW = 20
"""Sentences below which a group's score is a rough guess, whatever its interval; notes name such groups."""

UNIT = (
    "The unit is the sentence: intervals are for drawing other sentences. n counts judged rows (strict "
    "prediction: gold items), sentences the sentences that they are of."
)


def group_tables(inputs: Inputs, facet: str) -> Sequence[Table]:
    """Scores of all judged tasks by one of FACETS.

    Raises NotAvailableError if the judged sentences are of a single group.
    """
    rows = pl.concat(task_by_task(inputs, lambda task: _group_scores(inputs, task, facet)))
    column = FACETS[facet]
    if rows[column].n_unique() < 3:  # one group and the whole
        raise NotAvailableError(f"the judged sentences are of a single {column}; judge more of them")
    rows = in_order(rows, column, "sentences")
    layout = Layout(column, "endpoint", "score", decimals=1, by="measure", drawn="heatmap")
    by_model = replace(layout, drawn=FORMS[facet])
    of_groups = rows.filter(pl.col(column) != WHOLE)
    title = f"{TABLES[facet][1]}, all models"
    plots = (Plot(by_model, "models", title, of_groups),)
    return [Table(*TABLES[facet], UNIT, rows, layout, _notes(rows, column), plots)]


def in_order(rows: pl.DataFrame, column: str, size: str) -> pl.DataFrame:
    """The rows with their groups in one order everywhere: levels in Hall's order, others by ``size``, the
    whole at the end."""
    if column == "level":
        groups = list(LEVELS)
    else:
        sizes = rows.group_by(column).agg(pl.col(size).max()).sort(size, column, descending=[True, False])
        groups = [group for group in sizes[column] if group != WHOLE]
    places = {group: index for index, group in enumerate([*groups, WHOLE])}
    order = rows.select(pl.col("measure").unique(maintain_order=True)).with_row_index("__measure")
    return (
        rows.join(order, on="measure", how="left", maintain_order="left")
        .sort("__measure", pl.col(column).replace_strict(places, default=len(places)), maintain_order=True)
        .drop("__measure")
    )


def _group_scores(inputs: Inputs, task: str, facet: str) -> pl.DataFrame:
    judged = inputs.of(task)
    looked_at = measures(inputs, task, judged)
    needed = [
        "endpoint",
        "culture",
        "question",
        "counted",
        "state",
        facet,
        *(measure.name for measure in looked_at),
    ]
    rows = by_items(judged, task).select(needed).drop_nulls(facet)
    if rows.is_empty():
        raise NotAvailableError(f"no judged sentence of {task} has a {FACETS[facet]}")
    scores_by_model = []
    for (endpoint, culture), part in rows.group_by(["endpoint", "culture"], maintain_order=True):
        scores = summarise_means(
            part, task, [measure.metric for measure in looked_at], (), groupings=((), (facet,))
        )
        scores_by_model.append(scores.with_columns(endpoint=pl.lit(endpoint), culture=pl.lit(culture)))
    labels = {measure.name: measure.label for measure in looked_at}
    of_culture = pl.col("culture").replace_strict(
        {code: f", {culture.name}" for code, culture in cultures().items()}, default=""
    )
    return pl.concat(scores_by_model).select(
        "endpoint",
        "task",
        "culture",
        "metric",
        (pl.col("metric").replace_strict(labels) + (of_culture if task == ADAPTATION else pl.lit(""))).alias(
            "measure"
        ),
        pl.col("value").alias(FACETS[facet]),
        "score",
        "low",
        "high",
        "n",
        pl.col("questions").alias("sentences"),
    )


def sizes_told(rows: pl.DataFrame, column: str, size: str) -> str:
    """A note on the number of sentences of the groups' scores: maps show no n, and every row of the table has
    its own."""
    sizes = (
        rows.filter(pl.col(column) != WHOLE)
        .group_by(column)
        .agg(pl.col(size).min().alias("least"), pl.col(size).max())
    )
    sizes_of_groups = (
        f"{group} {least}" + (f" to {most}" if most > least else "")
        for group, least, most in sizes.sort(size, column, descending=[True, False])
        .select(column, "least", size)
        .iter_rows()
    )
    return f"Sentences: {', '.join(sizes_of_groups)}."


def _notes(rows: pl.DataFrame, column: str) -> tuple[str, ...]:
    small = rows.filter((pl.col("sentences") < FEW) & (pl.col(column) != WHOLE))[column].unique().sort()
    few = (f"A rough guess, of fewer than {FEW} sentences: {', '.join(small)}.",) if small.len() else ()
    return (f"{WHOLE}: every group together. {sizes_told(rows, column, 'sentences')}", *few)


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
    """Each score of the judged tasks, over all sentences and without those that any of the prompts shows.

    Raises NotAvailableError without the authors' prompts, or if none of their examples was asked.
    """
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
        for of_task in task_by_task(inputs, lambda task: list(_example_rows(inputs, task, list(shown))))
        for row in of_task
    ]
    if not rows:
        raise NotAvailableError("none of the sentences that the prompts show was asked")
    sentences = "; ".join(f"{item}: {' '.join(sentence.split())}" for item, sentence in shown.items())
    return [
        Table(
            "prompt-examples",
            "Scores with and without the sentences that the prompts show",
            "The unit is the sentence: intervals are for drawing other sentences.",
            of_rows(rows, EXAMPLES),
            notes=(f"Left out in every task, whichever prompt shows them: {sentences}",),
        )
    ]


def _example_rows(inputs: Inputs, task: str, shown: list[str]) -> Iterator[tuple[Any, ...]]:
    judged = inputs.of(task)
    looked_at = measures(inputs, task, judged)
    for (endpoint, culture), part in judged.group_by(["endpoint", "culture"], maintain_order=True):
        leaked = part.filter(pl.col("question").is_in(shown))
        if leaked.is_empty():
            continue
        versions = (part, part.filter(~pl.col("question").is_in(shown)), leaked)
        every, rest, only = (
            {row["metric"]: row for row in _mean_scores(version, task, looked_at)} for version in versions
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


def _mean_scores(rows: pl.DataFrame, task: str, looked_at: Sequence[Any]) -> list[dict[str, Any]]:
    metrics = [measure.metric for measure in looked_at]
    whole = summarise_means(by_items(rows, task), task, metrics, (), groupings=((),))
    return whole.filter(pl.col("n") > 0).to_dicts()


SETTING = "reasoning_effort"
NOT_SET = "provider's own"
"""The effort of an endpoint without the setting."""

EFFORTS = (NOT_SET, "none", "off", "minimal", "low", "medium", "high")
"""From least to most; other efforts come last. Without the setting, only the provider knows the effort."""

REASONING: Schema = {
    "model": pl.String,
    "task": pl.String,
    "culture": pl.String,
    "measure": pl.String,
    "less": pl.String,  # effort
    "more": pl.String,
    "score_less": pl.Float64,
    "score_more": pl.Float64,
    **DIFFERENCE,  # more minus less effort, in points; p is two-sided, paired t over sentences
    "p_holm": pl.Float64,  # over the rows of this table
    "sentences": pl.Int64,
}


@dataclass(frozen=True, slots=True)
class ModelAtEffort:
    """The parts of an endpoint's name: the model with all its other settings, and the effort."""

    endpoint: str
    model: str
    effort: str

    @classmethod
    def of(cls, endpoint: str) -> ModelAtEffort:
        """From the name as runs write it: ``openai/gpt-5?reasoning_effort=low&temperature=1``."""
        name, _, tail = endpoint.rpartition("?")
        settings = [pair.partition("=") for pair in tail.split("&")] if name else []
        effort = next((value for key, _, value in settings if key == SETTING), None)
        if effort is None:
            return cls(endpoint, endpoint, NOT_SET)
        others = "&".join(f"{key}={value}" for key, _, value in settings if key != SETTING)
        return cls(endpoint, f"{name}?{others}" if others else name, effort)

    @property
    def rank(self) -> tuple[int, str]:
        """Sorts from least to most effort."""
        return (EFFORTS.index(self.effort) if self.effort in EFFORTS else len(EFFORTS), self.effort)


def effort_pairs(endpoints: Sequence[str]) -> list[tuple[ModelAtEffort, ModelAtEffort]]:
    """Every two endpoints of one model, the one with less effort first."""
    models: dict[str, list[ModelAtEffort]] = {}
    for endpoint in endpoints:
        model = ModelAtEffort.of(endpoint)
        models.setdefault(model.model, []).append(model)
    return [
        pair
        for members in models.values()
        for pair in combinations(sorted(members, key=lambda model: model.rank), 2)
    ]


def reasoning_tables(inputs: Inputs) -> Sequence[Table]:
    """The difference that more reasoning makes, by task, metric and culture.

    Raises NotAvailableError if no model was asked the same sentences at two efforts.
    """
    of_xcr = inputs.judgements.filter(pl.col("task").is_in(TASKS))
    model_pairs = effort_pairs(of_xcr["endpoint"].unique(maintain_order=True).to_list())
    if not model_pairs:
        raise NotAvailableError(
            f"needs one model asked with different {SETTING}: folkways run xcr --model NAME --model "
            f"'NAME?{SETTING}=high'"
        )
    rows = [
        row
        for compared in task_by_task(inputs, lambda task: list(_effort_rows(inputs, task, model_pairs)))
        for row in compared
    ]
    if not rows:
        raise NotAvailableError("the two endpoints of one model were not asked the same sentences")
    return [
        Table(
            "reasoning",
            "More against less reasoning of one model (section 4.1)",
            "The unit is the sentence that both endpoints answered: difference, interval and p are of a "
            "paired t test.",
            with_holm(of_rows(rows, REASONING)),
            notes=(
                f"'{NOT_SET}' leaves the effort to the provider, who may reason or not.",
                "The paper compares two models, DeepSeek-R1 and V3.2, as reasoning-models does; these rows "
                "are of one.",
            ),
        )
    ]


def _effort_rows(
    inputs: Inputs, task: str, found: list[tuple[ModelAtEffort, ModelAtEffort]]
) -> Iterator[tuple[Any, ...]]:
    judged = inputs.of(task)
    for measure in measures(inputs, task, judged):
        sentences = per_sentence(judged, ["endpoint", "culture"], {"score": measure.name}).drop_nulls("score")
        for less, more in found:
            one, other = (sentences.filter(pl.col("endpoint") == model.endpoint) for model in (less, more))
            both = one.join(
                other, on=["culture", "question"], how="inner", maintain_order="left", suffix="_more"
            )
            for (culture,), part in both.group_by(["culture"], maintain_order=True):
                mean = paired_mean(part["score_more"].to_numpy(), part["score"].to_numpy())
                key = (less.model, task, culture, measure.label, less.effort, more.effort)
                scores = (part["score"].mean(), part["score_more"].mean())
                yield (*key, *scores, mean.difference, mean.low, mean.high, mean.p, None, mean.n)
