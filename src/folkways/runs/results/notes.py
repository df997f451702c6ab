"""What a reader of scores must know: a part of a task that was not asked, replies that were cut, in another
language, or that another profile reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from folkways.benchmarks.base import Task
from folkways.cultures import get_language
from folkways.display import count, named, number, percent, plural
from folkways.endpoints.base import TEMPLATE
from folkways.endpoints.clean import quotable
from folkways.errors import FolkwaysError, option, quoted
from folkways.evidence.answers import MANY_UNREADABLE, part_of_replies
from folkways.names import WHOLE
from folkways.records import MANY_IN_OTHER_LANGUAGE, OTHER_LANGUAGE, Signature, headline_of, is_baseline
from folkways.reports.formats.summary import MAX_NAMED, listing
from folkways.runs.planning.plan import TaskPlan, stored_plan
from folkways.runs.scores.scoring import judged_pages, scores_of_run, unsummarised
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace

_LIMIT = re.compile(r"(?<!\w)max_tokens=(\d+)")
MORE, LEAST = 8, 256
"""The remedy names so many times the limit, and no fewer tokens than that."""

FEW = 16
"""A task's own limit of so few tokens wants an answer and nothing else: cut replies are what it is for."""


def cut_warnings(
    scores: pl.DataFrame, signatures: Mapping[str, Signature], tasks: Mapping[str, Task]
) -> list[str]:
    """One sentence for each model with replies that the token limit cut, over all tasks with the same remedy;
    profiles with the same counts share it.

    scores: records.SCORES. signatures: each of theirs -> its parts. tasks: by name.
    """
    whole = scores.filter((pl.col("facet") == "all") & (pl.col("cut") > 0)).sort(
        "n", descending=True, maintain_order=True
    )
    with_cut = whole.unique(["endpoint", "task", "profile"], keep="first", maintain_order=True).sort(
        "task", "endpoint", "profile"
    )
    alike: dict[tuple[str, str, int, int, int | None], list[dict[str, Any]]] = {}
    for row in with_cut.iter_rows(named=True):
        replies = row["n"] - row["failed"] - row["missing"]
        limit = _limit(signatures.get(row["signature"], Signature()))
        alike.setdefault((row["task"], row["endpoint"], row["cut"], replies, limit), []).append(row)
    by_remedy: dict[tuple[Any, ...], list[_CutReplies]] = {}
    times: Counter[tuple[str, str]] = Counter()
    often = Counter((task, endpoint) for task, endpoint, *_ in alike)
    for (task, endpoint, _, replies, limit), rows in alike.items():
        times[task, endpoint] += 1  # other counts of the same task have a sentence of their own
        cut = _CutReplies(tasks[task], rows, replies, limit, often[task, endpoint] > 1)
        remedy = (limit is None, cut.is_by_design, cut.is_by_design and cut.profile)
        by_remedy.setdefault((endpoint, times[task, endpoint], remedy), []).append(cut)
    return [_warning(endpoint, of_tasks) for (endpoint, *_), of_tasks in by_remedy.items()]


def _limit(made: Signature) -> int | None:
    return max(map(int, _LIMIT.findall(made.parts.get("settings", ""))), default=None)


@dataclass(frozen=True, slots=True)
class _CutReplies:
    """Replies of a model to a task that the limit cut. rows: scores of them, under one profile or more.
    limit: in tokens; None for the provider's own. among_others: whether others of its replies to the task
    were judged under another profile."""

    task: Task
    rows: Sequence[Mapping[str, Any]]
    replies: int
    limit: int | None
    among_others: bool

    @property
    def is_by_design(self) -> bool:
        return self.limit is not None and self.limit == self.task.max_tokens and self.limit <= FEW

    @property
    def profile(self) -> str:
        """The option with which replies are judged that talk first; empty where the task needs none."""
        other = next((name for name in self.task.scoring.profiles if name != "paper"), None)
        return f" --profile {other}" if other else ""

    def words(self, whose: str = "") -> str:
        """The sentence without its end. whose: " of lab/m"."""
        row = self.rows[0]
        at = f"at {plural(self.limit, 'token')}" if self.limit else "at the limit of its provider"
        unread = _unread(row)
        if any(_unread(other) != unread for other in self.rows):
            unread = ", ".join(f"{_unread(other)} ({other['profile']})" for other in self.rows)
        was = "was" if row["cut"] == 1 else "were"
        words = (
            f"{count(row['cut'])} of {count(self.replies)} replies{whose} on {self.task.name} {was} cut "
            f"{at}, {unread} of them truncated (before an answer)"
        )
        if self.among_others:
            words += f" (of those judged as {named([row['profile'] for row in self.rows])})"
        if self.task.metrics[0].kind == "distribution":  # one asking serves all cultures
            words += " (a reply counts once for each culture that it is compared with)"
        return words


def _warning(endpoint: str, of_tasks: Sequence[_CutReplies]) -> str:
    """What was cut on tasks with the same remedy, and what to do."""
    first, *others = of_tasks
    sentence = "; ".join([first.words(f" of {endpoint}"), *(each.words() for each in others)])
    limits = [each.limit for each in of_tasks if each.limit]
    remedy = (
        f"ask again with --max-tokens {max(LEAST, MORE * max(limits))}"
        if limits
        else "ask again with --max-tokens"
    )
    if not first.is_by_design:
        return f"{sentence}: {remedy}."
    why = (
        "These limits cut replies by design"
        if others
        else f"This limit cuts replies by design: {first.task.name} asks for {plural(limits[0], 'token')}"
    )
    return f"{sentence}. {why}. To let models talk or think first, {remedy}{first.profile}."


def _unread(row: Mapping[str, Any]) -> str:
    return count(row["truncated"]) if row["truncated"] else "none"


_LOOKED_AT = ["score", "facet", "value", "signature"]


def other_language_warnings(
    scores: pl.DataFrame, signatures: Mapping[str, Signature], tasks: Mapping[str, Task]
) -> list[str]:
    """One sentence for each model and task with such replies in more than a tenth of those asked for in some
    language.

    scores: records.SCORES; where a model was asked in one language alone, ``signatures`` (each of theirs ->
    its parts) names it.
    """
    measured = scores.filter(
        pl.col("metric") == OTHER_LANGUAGE, pl.col("facet").is_in(["all", "language"]), pl.col("n") > 0
    )
    whole = measured.unique(["endpoint", "task", "facet", "value"], keep="first", maintain_order=True)
    sentences = []
    for (endpoint, task), rows in whole.drop_nulls("score").group_by("endpoint", "task", maintain_order=True):
        by_language = rows.filter(facet="language") if "language" in rows["facet"] else rows
        many = by_language.filter(pl.col("score") > 100 * MANY_IN_OTHER_LANGUAGE)
        if many.is_empty() or is_baseline(str(endpoint)):
            continue
        worst = many.sort("score", descending=True, maintain_order=True).select(_LOOKED_AT)
        named = [(percent(score / 100), _language(row, signatures)) for score, *row in worst.iter_rows()]
        (share, language), *others = named[:MAX_NAMED]
        shares = [f"{share} of the replies{f' asked for in {language}' if language else ''}"]
        shares += [f"{share} of those in {language}" for share, language in others]
        shares += [plural(len(named) - MAX_NAMED, "further language")] if len(named) > MAX_NAMED else []
        sentences.append(
            f"{endpoint}, {tasks[str(task)].title}: {listing(shares)} are in another language or script than "
            "asked. These scores say what the model knows in the language that it chose."
        )
    return sentences


def _language(row: Sequence[str], signatures: Mapping[str, Signature]) -> str:
    facet, value, signature = row
    code = value if facet == "language" else signatures.get(signature, Signature()).parts.get("lang", "")
    return get_language(code).name if code and "+" not in code else ""


def read_otherwise(
    workspace: Workspace,
    run: run_records.RunRecord,
    run_task: run_records.RunTask,
    task: Task,
    scores: pl.DataFrame,
) -> Iterator[str]:
    """One sentence for each model with many unreadable replies (MANY_UNREADABLE), on the profile that reads
    most of them.

    workspace, run, run_task: where the replies are.
    scores: records.SCORES of the run on the task. Where they lack another profile, replies are judged here,
        and nothing is stored.
    """
    metric = headline_of(task.metrics, {*scores["metric"]})
    whole = scores.filter(facet=WHOLE, metric=metric.name)
    for row in whole.iter_rows(named=True):
        replies = row["n"] - row["failed"] - row["missing"]
        if is_baseline(row["endpoint"]) or replies - _read(row) <= MANY_UNREADABLE * replies:
            continue
        others = []
        for profile in task.scoring.profiles:
            stored = whole.filter((pl.col("endpoint") == row["endpoint"]) & (pl.col("profile") == profile))
            try:
                beside = (
                    stored
                    if stored.height
                    else _judged(workspace, run, stored_plan(run_task), row["endpoint"], profile)
                )
            except FolkwaysError:  # the data are not here any more; the report says so where it needs them
                continue
            others += beside.with_columns(profile=pl.lit(profile)).rows(named=True)
        best = max(others, key=_read, default=row)
        if _read(best) > _read(row):
            read = part_of_replies(_read(row), replies, metric.per, of_question="the replies")
            yield (
                f"{row['endpoint']} on {task.name}: {row['profile']} reads {read}, which gives "
                f"{number(row['score'])}; {best['profile']} reads {count(_read(best))}, which gives "
                f"{number(best['score'])}: folkways score {quoted(run.name)} --profile {best['profile']}"
            )


def _read(row: Mapping[str, Any]) -> int:
    """The replies of a score that an answer, or a refusal, was read out of."""
    return int(row["answered"] + row["refused"])


def _judged(
    workspace: Workspace, run: run_records.RunRecord, plan: TaskPlan, endpoint: str, profile: str
) -> pl.DataFrame:
    """The headline of a model under the profile."""
    task = plan.task
    pages = (
        page.drop(unsummarised(plan.options))
        for part in results.parts(workspace, run)
        if (part.task, part.endpoint) == (task.name, endpoint)
        for page, _ in judged_pages(plan, results.response_pages(workspace, run, part), profile)
    )
    judged = pl.concat(pages, how="vertical_relaxed")
    scored = scores_of_run(task, plan.options, plan.populations, judged)
    return scored.filter(facet=WHOLE, metric=headline_of(task.metrics, {*scored["metric"]}).name)


def served_warnings(used: Mapping[str, Sequence[results.Usage]]) -> Iterator[str]:
    """A sentence for each model whose replies name several models: its name was given to another version
    meanwhile, a router chose, or a transformers model got another chat template. used: by run; of the models
    that folkways ran itself from a file the signature tells. Replies of version 0.1 tell no template.
    """
    for run, uses in used.items():
        for use in uses:
            with_template = {name.partition(TEMPLATE)[0] for name in use.served if TEMPLATE in name}
            served = {name: count for name, count in use.served.items() if name not in with_template}
            if len(served) > 1 and not use.endpoint.startswith(results.SERVED_HERE):
                names = [f"{quotable(name, limit=120)} ({count:,})" for name, count in served.items()]
                names[MAX_NAMED:] = ["others"] if len(names) > MAX_NAMED else []
                yield (
                    f"In run {run} the replies of {use.endpoint} say that they come from different models: "
                    f"{listing(names)}. Its scores mix them; {option('afresh', True)} asks everything anew."
                )
