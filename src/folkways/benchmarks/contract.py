"""The contract of a benchmark: what its tasks declare, and the frames that their four verbs give.

Every call of a task goes through here: ``items_of``, ``prompts_of``, ``judgements_of`` and ``scores_of``
check the result and turn an exception of the task's code into an error with its place. A slip is named
before a request is sent, and never becomes a wrong number. ``folkways benchmarks check`` goes through all
of it at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from folkways.benchmarks.treatments import by_group
from folkways.records import JUDGEMENTS, Metric

if TYPE_CHECKING:
    from folkways.benchmarks.base import Benchmark, PromptOptions, Task
    from folkways.releases.release_records import Release

from folkways.benchmarks.frame_checks import (
    item_problems,
    judgement_problems,
    prompt_problems,
    score_problems,
    verb_of_items,
)
from folkways.benchmarks.task_errors import failures_of, hold, meant, refuse

# ---- the verbs of a task, checked


def items_of(task: Task, release: Release) -> Iterator[pl.DataFrame]:
    """The task's ``item_batches``, each of them checked. Raises TaskError for what breaks the contract."""
    ids: list[pl.Series] = []
    rows = 0
    batches: Iterator[pl.DataFrame] | None = None
    while True:
        with failures_of(task, "items"):
            batches = iter(task.item_batches(release)) if batches is None else batches
            batch = next(batches, None)
        if batch is None:
            break
        hold(task, item_problems(task, batch, rows))
        rows += batch.height
        ids.append(hashed_ids(batch))
        yield batch
    hold_together(task, release, ids)


def hashed_ids(batch: pl.DataFrame) -> pl.Series:
    """The ids of a batch, for ``hold_together``: a release may have 300,000 items, and their names would take
    30 MB."""
    return batch["item"].hash()


def hold_together(task: Task, release: Release, ids: Sequence[pl.Series]) -> None:
    """Refuse a release without items, and an id that two batches have. ids: ``hashed_ids`` of each batch."""
    rows = sum(map(len, ids))
    if rows == 0:
        reason = f"gives no item for the release {release.name}; look at what it reads"
        if release.record.source == "folder":
            reason += f", or what the folder lacks: folkways data check {release.root}"
        refuse(task, verb_of_items(task), reason)
    if len(ids) > 1 and pl.concat(ids).n_unique() < rows:
        refuse(task, verb_of_items(task), "two batches have an item of the same id; make the ids unique")


def prompts_of(
    task: Task, items: pl.DataFrame, options: PromptOptions, release: Release, *, sent: bool = True
) -> pl.DataFrame:
    """The task's ``prompts``, checked. Raises TaskError for what breaks the contract.

    task, items, options, release: as for ``Task.prompts``.
    sent: whether a model is asked with them.
    """
    with failures_of(task, "prompts"):
        prompts = task.prompts(items, options, release)
    hold(task, prompt_problems(task, items, prompts, sent=sent))
    return prompts


def judgements_of(task: Task, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
    """The task's ``judge``, checked. Raises TaskError for what breaks the contract.

    task, items, responses, profile: as for ``Task.judge``.
    """
    groups = by_group(responses, apart=None)
    if len(groups) > 1:  # a task that looks at several replies has those to prompts of one kind
        numbered = responses.with_columns(_row=pl.int_range(pl.len()))
        judged_groups = [
            judgements_of(task, items, group.drop("_row"), profile).with_columns(group["_row"])
            for group in by_group(numbered, apart=None).values()
        ]
        together = pl.concat(judged_groups, how="diagonal_relaxed").sort("_row").drop("_row")
        return together.with_columns(responses["variant"])
    (group,) = groups.values()
    with failures_of(task, "judge", f"in the profile {profile}"):
        judged = task.judge(items, group, profile)
    hold(task, judgement_problems(task, group, judged))
    return judged if group is responses else judged.with_columns(responses["variant"])


def scores_of(task: Task, judgements: pl.DataFrame) -> pl.DataFrame:
    """The task's ``summarise``, checked. Raises TaskError for what breaks the contract."""
    with failures_of(task, "summarise"):
        scores = task.summarise(judgements)
    hold(task, score_problems(task, scores))
    return scores


# ---- what is declared


def declared_problems(benchmark: Benchmark) -> Iterator[str]:
    """What is wrong with the declarations of a benchmark's tasks, before any data are read."""
    names = [task.name for task in benchmark.tasks]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"two tasks are called {name}; give each a name of its own"
    for task in benchmark.tasks:
        yield from (f"{task.name}: {what}" for what in _declared(task))


def _declared(task: Task) -> Iterator[str]:
    from folkways.benchmarks.base import Scoring
    from folkways.benchmarks.itemwise import ItemwiseTask

    for name in ("release", "title", "about", "metrics"):
        if not hasattr(task, name):
            yield f"declares no {name}"
    if not isinstance(task.scoring, Scoring):
        yield f"scoring = {task.scoring!r} has to be a folkways.benchmarks.base.Scoring"
        return
    lists = {name: getattr(task, name, ()) for name in ("metrics", "facets", "variants")}
    lists |= {f"scoring.{name}": getattr(task.scoring, name) for name in ("profiles", "text_tools", "models")}
    for name, value in lists.items():
        if not isinstance(value, (tuple, list)):
            yield f"{name} = {value!r} has to be a tuple; mind the comma in (name,)"
            return
    if not task.scoring.profiles:
        yield "scoring.profiles is empty; name one, such as 'strict'"
    metrics = getattr(task, "metrics", ())
    if not metrics:
        yield "metrics is empty; declare at least one, the headline"
    for metric in metrics:
        if not isinstance(metric, Metric):
            yield f"metrics has {metric!r}; every one has to be a folkways.records.Metric"
            return
        yield from _declared_metric(metric)
        own_worst = getattr(type(task), "worst", None) is not ItemwiseTask.worst
        if metric.lower_is_better and metric.bounds is None and not own_worst:
            yield (
                f"less of the metric {metric.name!r} is better and it has no bounds, so that a lost reply "
                "would count as the best, 0: give it bounds, or define worst() with what a lost reply counts"
            )
    columns = [metric.name for metric in metrics]
    facets = getattr(task, "facets", ())
    for name in sorted({name for name in columns if columns.count(name) > 1}):
        yield f"two metrics are called {name!r}"
    for name in columns:
        if name in JUDGEMENTS or name in facets:
            yield f"a metric cannot be called {name!r}: a column of judgements has that name"
    for name in facets:
        if name in JUDGEMENTS:
            yield (
                f"a facet cannot be called {name!r}: a column of judgements has that name (scores by it "
                "come of themselves)"
            )
    yield from _declared_options(task)


def _declared_metric(metric: Metric) -> Iterator[str]:
    if metric.kind not in ("proportion", "mean", "distribution"):
        yield f"the metric {metric.name!r} is of kind {metric.kind!r}; valid: proportion, mean, distribution"
    if metric.kind == "proportion" and metric.bounds != (0.0, 1.0):
        bounds = f"the metric {metric.name!r} is a proportion with the bounds {metric.bounds}"
        yield f"{bounds}; say kind='mean' if its values are not 0 or 1"


def _declared_options(task: Task) -> Iterator[str]:
    columns = getattr(task, "item_columns", None)
    if columns is None or not task.permutes_options:
        return
    if not getattr(task, "labels", None):
        yield (
            "permutes_options is set, and labels is not: name the labels that options get, such as ('A', "
            "'B', 'C')"
        )
    gold = getattr(task, "gold_label", "")
    for name, what in (
        ("options", "a list of the options"),
        (gold, "the right one's label; set gold_label to its column"),
    ):
        if name not in columns and name not in task.facets:
            yield f"permutes_options is set, and item_columns has no {name!r}: {what}"
    for name in (*getattr(task, "permuted", ()), *getattr(task, "not_permuted", ())):
        if name not in columns:
            yield (
                f"permuted or not_permuted names {name!r}, which item_columns does not "
                f"have{meant(name, columns)}"
            )
