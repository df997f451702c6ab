"""Judges and scores what a run was told. Scoring never asks a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from folkways import __version__
from folkways.benchmarks.base import Task
from folkways.benchmarks.contract import scores_of
from folkways.benchmarks.cut_replies import judge_replies
from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.task_errors import TaskError
from folkways.errors import FolkwaysError
from folkways.records import Subject, compact
from folkways.releases.base import Release
from folkways.runs.options import Cluster, RunOptions
from folkways.runs.planning.plan import POPULATIONS, item_batches, restore_options
from folkways.runs.sampled.scores import of_sample
from folkways.runs.scores.reference_scores import labelled, people_elsewhere, reference_scores
from folkways.runs.scores.scoring_models import ScoringModels, chosen_models, equip
from folkways.runs.scores.signature import same_rule, signature
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace

NOT_SUMMARISED = ("task", "item", "sample", "ordinal", "answer", "reason")
"""Columns of judgements that no summary looks at, left out while all judgements of a part are in memory
together."""

LEFT_OUT_OF_SAMPLES = ("task", "sample", "answer", "reason")
"""The same of a sampled run, whose scores depend on which items were drawn, and in which order."""


@dataclass(frozen=True)
class Scored:
    """Scores of a run, the profile each task was judged in, and what is wrong with models that metrics
    needed."""

    scores: pl.DataFrame
    profiles: dict[str, str]
    problems: tuple[FolkwaysError, ...] = ()


def score_run(
    workspace: Workspace,
    run: run_records.RunRecord,
    profile: str | None = None,
    text_tools: str | None = None,
    models: ScoringModels | None = None,
    cluster: Cluster | None = None,
) -> Scored:
    """Judge every stored response of a run and score it; judgements and scores are stored in place of earlier
    ones.

    The scores of people and of the tasks' baselines on the same items are stored with them, for reports.

    A run of which everything was asked is finished with that.

    profile: ``paper``, ``strict`` or another name that the run's tasks know; None for each task's default.
    text_tools: a set of text tools (folkways.text.tools.TOOL_SETS), for the tasks that use any; the signature
    names them. models:     language models to compare texts with, before those that the run was planned with.
    One that cannot be had leaves its
                metrics out and is among the problems.
    cluster:    where each task is judged by a worker of its own; None for here, one after the other.
    Raises FolkwaysError when a release is no longer there or its files have changed since the run was
    planned; TaskError, when all other tasks are scored, for one whose code fails.
    """
    run_tasks = run_records.run_tasks(workspace, run)
    if not run_tasks:
        raise FolkwaysError(
            f"run {run.name} asked no questions of a benchmark (it built or judged something): nothing can "
            "be scored"
        )
    if cluster is None:
        shares = results.parts(workspace, run)
        scored: Iterator[Scored | TaskError] = (
            _scored(workspace, run, run_task, shares, profile, text_tools, models) for run_task in run_tasks
        )
    else:
        from folkways.runs.on_ray.judging import score_on_ray

        scored = score_on_ray(workspace, run, run_tasks, profile, text_tools, models, cluster)
    profiles: dict[str, str] = {}
    problems: list[FolkwaysError] = []
    broken: list[TaskError] = []
    for run_task, done in zip(run_tasks, scored, strict=True):
        if isinstance(done, TaskError):
            broken.append(done)
            continue
        profiles |= done.profiles
        problems += done.problems
        if done.scores.height:
            results.save_scores(workspace, run, run_task.task, done.profiles[run_task.task], done.scores)
    if broken:
        raise broken[0] if len(broken) == 1 else TaskError("\n".join(map(str, broken)))
    run_records.mark_scored(workspace, run)
    stored = results.load_scores(workspace, run)
    now = pl.col("profile") == pl.col("task").replace_strict(profiles, default=None, return_dtype=pl.String)
    return Scored(stored.filter(now), profiles, tuple(problems))


def _scored(
    workspace: Workspace,
    run: run_records.RunRecord,
    run_task: run_records.RunTask,
    shares: Sequence[results.Part],
    profile: str | None,
    text_tools: str | None,
    models: ScoringModels | None,
) -> Scored | TaskError:
    """``score_task``, or what is wrong with the task, so that the other tasks of the run are scored all the
    same."""
    try:
        return score_task(workspace, run, run_task, shares, profile, text_tools, models)
    except TaskError as error:
        return error


def score_task(
    workspace: Workspace,
    run: run_records.RunRecord,
    run_task: run_records.RunTask,
    shares: Sequence[results.Part],
    profile: str | None,
    text_tools: str | None,
    models: ScoringModels | None,
) -> Scored:
    """Judge what a run was told on one task: judgements are stored, its scores (of models, people and
    baselines) returned.

    shares: the parts of the run, those of other tasks among them. See ``score_run`` for the rest.
    """
    task = get_task(run_task.task)
    if text_tools is not None and task.scoring.text_tools:
        task = task.with_tools(text_tools)
    resolved = task.resolve_profile(profile)
    options = restore_options(run_task.options)
    equipped = equip(task, chosen_models(options, models))
    task = equipped.task
    release = release_of(run_task)
    run_records.mark_unscored(workspace, run)
    scores: list[pl.DataFrame] = []
    for part in (share for share in shares if share.task == task.name):
        slim, asked = [], []
        for judged, told in judged_pages(
            task, release, options, results.response_pages(workspace, run, part), resolved
        ):
            results.save_judgements(workspace, run, resolved, judged)
            kept = judged.drop(NOT_SUMMARISED if options.until is None else LEFT_OUT_OF_SAMPLES)
            slim.append(compact(kept) if task.scoring.per_reply and options.until is None else kept)
            asked.append(told)
        _check_complete(run, task, sum(frame.height for frame in slim), part.expected)
        sent = results.settings_sent(workspace, run, part)
        served = results.served(workspace, run, part)
        made = signature(task, run_task, pl.concat(asked), sent, resolved, served)
        whole = pl.concat(slim, how="vertical_relaxed")
        del slim
        scored = scores_of(task, whole)
        if options.until is not None:
            scored = of_sample(scored, task, whole, options, run_task.options[POPULATIONS])
        scores.append(labelled(scored, Subject.MODEL, part.endpoint, resolved, made))
    if scores:
        scores += reference_scores(task, release, options, resolved)
    return Scored(pl.concat(scores) if scores else pl.DataFrame(), {task.name: resolved}, equipped.problems)


def scores_stand(
    workspace: Workspace,
    run: run_records.RunRecord,
    profile: str | None = None,
    models: ScoringModels | None = None,
) -> bool:
    """Whether ``score_run`` would store again what is stored, if the replies are those that it judged last.

    False also where that is not certain: a task of another package may judge by a new rule and look the same.
    """
    stored = results.scored_by(workspace, run)
    for run_task in run_records.run_tasks(workspace, run):
        task = equip(get_task(run_task.task), chosen_models(restore_options(run_task.options), models)).task
        resolved = task.resolve_profile(profile)
        made = [
            (subject, made)
            for subject, name, judged_in, made in stored
            if (name, judged_in) == (task.name, resolved)
        ]
        of_models = [made for subject, made in made if subject is Subject.MODEL]
        ours = type(task).__module__.startswith("folkways.")
        if not (ours and of_models and all(same_rule(made, task, resolved) for made in of_models)):
            return False
        if Subject.PEOPLE not in {subject for subject, _ in made} and people_elsewhere(task):
            return False
    return True


def stored_scores(workspace: Workspace, run: run_records.RunRecord) -> pl.DataFrame:
    """The scores of a run: records.SCORES. FolkwaysError if it has not been scored."""
    stored = results.load_scores(workspace, run)
    if stored.is_empty():
        raise FolkwaysError(
            f"run {run.name} has not been scored yet; score it first: folkways score {run.name}"
        )
    return stored


def _check_complete(run: run_records.RunRecord, task: Task, judged: int, expected: int) -> None:
    """A denominator never shrinks: what was expected and is not among the task's items any more is an error,
    not a gap."""
    if judged != expected:
        raise FolkwaysError(
            f"run {run.name} expects {expected:,} answers on {task.name}, but only {judged:,} of their "
            "items are found in the data "
            f"by folkways {__version__}; the run was planned by folkways {run.version}: score it with that "
            "version, or run anew "
            "(nothing that is stored is asked again)"
        )


def judged_pages(
    task: Task, release: Release, options: RunOptions, pages: Iterator[pl.DataFrame], profile: str
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Judgements with ``ordinal``, and how the replies were asked for: batch by batch of the items, or less
    where the task allows.

    Responses were planned in the order of the items, so that neither is ever in memory as a whole. Those of a
    sampled run come as they were drawn.
    """
    if options.until is not None:
        pages = iter([pl.concat(pages)])
    page = next(pages, None)
    for items in item_batches(task, release, options):
        found: list[pl.DataFrame] = []
        while page is not None:
            own = page.join(items.select("item"), on="item", how="semi", maintain_order="left")
            found.append(own)
            if own.height < page.height:
                page = page.join(own.select("ordinal"), on="ordinal", how="anti", maintain_order="left")
                break
            page = next(pages, None)
            if task.scoring.per_reply:
                yield from _judged_together(task, items, found, profile)
                found = []
        yield from _judged_together(task, items, found, profile)
    if page is not None:  # planned in another order, by a folkways that read the release otherwise
        rest = pl.concat([page, *pages])
        for items in item_batches(task, release, options):
            own = rest.join(items.select("item"), on="item", how="semi", maintain_order="left")
            yield from _judged_together(task, items, [own], profile)


def _judged_together(
    task: Task, items: pl.DataFrame, found: Sequence[pl.DataFrame], profile: str
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    share = pl.concat(found) if found else pl.DataFrame()
    if share.height:
        yield (
            judge_replies(task, items, share, profile).with_columns(share["ordinal"]),
            share.select("language", "variant", "prompt_source").unique(),
        )


def release_of(run_task: run_records.RunTask) -> Release:
    """The release that a task of a run was planned with, found by name or at its old place; its files must be
    unchanged."""
    problem: FolkwaysError | None = None
    changed = False
    for name in (
        (run_task.root,) if run_task.release.startswith("dir:") else (run_task.release, run_task.root)
    ):
        try:
            release = open_release(name, run_task.task.split("/", 1)[0])
        except FolkwaysError as error:
            problem = problem or error
            continue
        if release.fingerprint == run_task.fingerprint:
            return release
        changed = True
    if problem is not None and not changed:
        raise problem
    raise FolkwaysError(
        f"the files of release {run_task.release} ({run_task.root}) have changed since the run was planned "
        f"(fingerprint {run_task.fingerprint}); fetch the old state again, or start a new run on the new data"
    )
