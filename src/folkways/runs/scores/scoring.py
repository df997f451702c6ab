"""Judges and scores what was replied to a run. Scoring never asks a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from folkways import __version__
from folkways.benchmarks.base import HumanBaseline, Task, overrides
from folkways.benchmarks.contract import scores_of
from folkways.benchmarks.cut_replies import judge_replies
from folkways.benchmarks.task_errors import TaskError, failures_of
from folkways.benchmarks.treatments import EVERY, MARK, by_group
from folkways.errors import FolkwaysError
from folkways.records import ITEMS, SCORES, Signature, Subject, compact
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from folkways.releases.stored_releases import locate, state_of
from folkways.reports.data import PEOPLE
from folkways.runs.options import RunOptions
from folkways.runs.planning.plan import TaskPlan, stored_plans
from folkways.runs.results.completeness import save_lacking
from folkways.runs.results.contrasts import make_contrasts
from folkways.runs.sampling.strata import of_sample, stratum_names
from folkways.runs.scores.scoring_models import ScoringModels, check_roles, chosen_models, equip
from folkways.runs.scores.signature import same_rule, signature
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


@dataclass(frozen=True)
class ScoredRun:
    """Scores of a run, the profile each task was judged in, and what is wrong with models that metrics
    needed."""

    scores: pl.DataFrame
    profiles: dict[str, str]
    problems: tuple[FolkwaysError, ...] = ()


ScoreAll = Callable[
    [
        Workspace,
        run_records.RunRecord,
        Sequence[TaskPlan],
        "str | None",
        "str | None",
        "ScoringModels | None",
    ],
    "Iterator[ScoredRun | TaskError]",
]
"""Judges each task of a run: workspace, run, plans, profile, text tools and models as in ``score_run`` ->
what ``score_task`` returns for each plan, in order, or what is wrong with the task."""


def score_each(
    workspace: Workspace,
    run: run_records.RunRecord,
    plans: Sequence[TaskPlan],
    profile: str | None,
    text_tools: str | None,
    models: ScoringModels | None,
) -> Iterator[ScoredRun | TaskError]:
    """A ScoreAll in this process, one task after the other: workspace, run, plans, profile, text_tools and
    models as in ``score_run``."""
    parts = results.parts(workspace, run)
    for plan in plans:
        try:
            yield score_task(workspace, run, plan, parts, profile, text_tools, models)
        except TaskError as error:
            yield error


def score_run(
    workspace: Workspace,
    run: run_records.RunRecord,
    profile: str | None = None,
    text_tools: str | None = None,
    models: ScoringModels | None = None,
    *,
    plans: Sequence[TaskPlan] | None = None,
    score_all: ScoreAll = score_each,
) -> ScoredRun:
    """Judge every stored response of a ``run`` of the ``workspace`` and score it; judgements and scores
    replace the stored ones.

    The scores of people and of the tasks' baselines on the same items are stored with them. A run that was
    asked completely is finished with that.

    profile: ``paper``, ``strict`` or another name that the run's tasks know; None for each task's default.
    text_tools: a set of text tools (folkways.text.tools.TOOL_SETS), for the tasks that use any.
    models: language models to compare texts with, before those that the run was planned with. One that cannot
        be had leaves its metrics out and is among the problems; one that no task can use is an error.
    plans: those of the run's tasks, where the caller has them; read from the workspace if None.
    score_all: judges the tasks.

    Raises FolkwaysError when a release is no longer there or its files have changed since the run was
    planned; TaskError, when all other tasks are scored, for one whose code fails.
    """
    if plans is None:
        plans = stored_plans(workspace, run)
    if not plans:
        raise FolkwaysError(
            f"run {run.name} asked no questions of a benchmark (it built or judged something): nothing can "
            "be scored"
        )
    check_roles((plan.task for plan in plans), models or ScoringModels())
    profiles: dict[str, str] = {}
    problems: list[FolkwaysError] = []
    broken: list[TaskError] = []
    for plan, done in zip(plans, score_all(workspace, run, plans, profile, text_tools, models), strict=True):
        if isinstance(done, TaskError):
            broken.append(done)
            continue
        profiles |= done.profiles
        problems += done.problems
        if done.scores.height:
            task = plan.task.name
            results.save_scores(workspace, run, task, done.profiles[task], done.scores)
    if broken:
        raise broken[0] if len(broken) == 1 else TaskError("\n".join(map(str, broken)))
    stored = results.load_scores(workspace, run)
    make_contrasts(workspace, run, stored, [plan.task for plan in plans], profiles)
    for run_task in run_records.run_tasks(workspace, run):
        if run_task.task in stored["task"]:
            save_lacking(workspace, run, run_task)
    results.save_usage(workspace, run)
    run_records.mark_scored(workspace, run)
    current = pl.col("profile") == pl.col("task").replace_strict(
        profiles, default=None, return_dtype=pl.String
    )
    return ScoredRun(stored.filter(current), profiles, tuple(problems))


def score_task(
    workspace: Workspace,
    run: run_records.RunRecord,
    plan: TaskPlan,
    parts: Sequence[results.Part],
    profile: str | None,
    text_tools: str | None,
    models: ScoringModels | None,
) -> ScoredRun:
    """Judge the replies to the task of a ``plan``: judgements are stored, scores (of models, people and
    baselines) returned.

    parts: those of the run, other tasks' among them. workspace, run, profile, text_tools, models and the
    errors are those of ``score_run``.
    """
    task, options = plan.task, plan.options
    if text_tools is not None and task.scoring.text_tools:
        task = task.with_tools(text_tools)
    resolved = task.resolve_profile(profile)
    equipped = equip(task, chosen_models(options, models))
    plan = replace(plan, task=equipped.task)
    task = plan.task
    run_records.mark_unscored(workspace, run)
    scores: list[pl.DataFrame] = []
    for part in (part for part in parts if part.task == task.name):
        slim, prompts, recent = list[pl.DataFrame](), [], list[pl.DataFrame]()
        pages = results.response_pages(workspace, run, part)
        for judged, asked_by in judged_pages(plan, pages, resolved):
            results.save_judgements(workspace, run, resolved, judged)
            summarised = judged.drop(unsummarised(options))
            recent.append(
                compact(summarised) if task.scoring.per_reply and options.until is None else summarised
            )
            if len(recent) == results.TOGETHER:
                slim.append(pl.concat(recent, how="vertical_relaxed", rechunk=True))
                recent.clear()
            prompts.append(asked_by)
        slim += recent
        _check_complete(run, task, sum(frame.height for frame in slim), part.expected)
        sent = results.settings_sent(workspace, run, part)
        served = results.served(workspace, run, part)
        made = signature(plan, pl.concat(prompts), sent, resolved, served)
        whole = pl.concat(slim, how="vertical_relaxed")
        del slim, recent
        scored = scores_of_run(task, options, plan.populations, whole)
        del whole  # before the next endpoint's are read
        scores.append(labelled(scored, Subject.MODEL, part.endpoint, resolved, made))
    if scores:
        scores += reference_scores(plan, resolved)
    return ScoredRun(
        pl.concat(scores) if scores else pl.DataFrame(), {task.name: resolved}, equipped.problems
    )


def unsummarised(options: RunOptions) -> tuple[str, ...]:
    """Columns of judgements that no summary needs; left out while all judgements of a part are in memory.

    Scores of a sampled run depend on which items were drawn, and in which order.
    """
    unused = ("task", "sample", "answer", "reason")
    return unused if options.until is not None else (*unused, "item", "ordinal")


def scores_of_run(
    task: Task, options: RunOptions, populations: Mapping[str, int] | None, judged: pl.DataFrame
) -> pl.DataFrame:
    """What the task's ``summarise`` makes of all judgements of one endpoint; of a sampled run, for the whole
    benchmark.

    judged: by the ``task``. options: those of the run; populations: of a sampled one (``TaskPlan``). Treated
    prompts have scores by variant alone, one for each arm.
    """
    apart = {name for name, table in options.treatments.items() if table.get("crossed") == EVERY}
    (_, control), *treated = by_group(judged, apart).items()
    scored = scores_of(task, control)
    if options.until is None:
        of_arms = [_by_variant(scores_of(task, rows), rows["variant"], group) for group, rows in treated]
        return pl.concat([scored, *of_arms])
    strata = stratum_names(options.strata)
    of_control = {*control.select(strata).to_series()}
    parts = [(of_sample(scored, task, control, options, populations or {}))]
    for group, arm in treated:
        for rows in arm.partition_by("variant"):
            # An arm never asks about the culture that it names, or about those that none is named for.
            never = of_control - {*rows.select(strata).to_series()}
            of_arm = {name: size for name, size in (populations or {}).items() if name not in never}
            whole = scores_of(task, rows).filter(pl.col("facet") == "all")
            sampled = of_sample(whole, task, rows, options, of_arm)
            parts.append(_by_variant(sampled, rows["variant"], group))
    return pl.concat(parts)


def _by_variant(scored: pl.DataFrame, variants: pl.Series, group: str) -> pl.DataFrame:
    """The scores by variant of an arm (``Arm.group``), with its name after each variant. Of a single
    variant a task gives no score by variant: the whole is taken instead."""
    by_variant = scored.filter(pl.col("facet") == "variant")
    if by_variant.is_empty():
        whole = pl.lit(str(variants[0]))
        by_variant = scored.filter(pl.col("facet") == "all").with_columns(
            facet=pl.lit("variant"), value=whole
        )
    return by_variant.with_columns(pl.col("value") + MARK + group)


def scores_up_to_date(
    workspace: Workspace,
    run: run_records.RunRecord,
    plans: Sequence[TaskPlan],
    profile: str | None = None,
    models: ScoringModels | None = None,
) -> bool:
    """Whether ``score_run`` would store again what is stored, if no reply has changed.

    workspace, run, plans, profile, models: as in ``score_run``. False also where that is not certain: a task
    of another package may judge by a new rule and look the same.
    """
    stored = results.scored_by(workspace, run)
    for plan in plans:
        task = equip(plan.task, chosen_models(plan.options, models)).task
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
            f"run {run.name} has not been scored yet; score it first: {workspace.command('score', run.name)}"
        )
    return stored


def _check_complete(run: run_records.RunRecord, task: Task, judged: int, expected: int) -> None:
    """A denominator never shrinks: what was expected and is not among the task's items any more is an error,
    not a gap."""
    if judged != expected:
        raise FolkwaysError(
            f"run {run.name} expects {expected:,} answers on {task.name}, but only {judged:,} of their items "
            f"are found in the data by folkways {__version__}; the run was planned by folkways "
            f"{run.version}: score it with that version, or run anew (nothing that is stored is asked again)"
        )


def judged_pages(
    plan: TaskPlan, pages: Iterator[pl.DataFrame], profile: str
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Judgements with ``ordinal``, and the language, variant and prompt_source of their prompts.

    pages: of the responses, in the order of the items, as they were planned; so neither is ever in memory as
    a whole, and a page may be judged by itself where the task allows. Those of a sampled run come in the
    order of drawing.
    """
    task = plan.task
    if plan.options.until is not None:
        pages = iter([pl.concat(pages)])
    page = next(pages, None)
    for items in plan.batches():
        of_items: list[pl.DataFrame] = []
        while page is not None:
            matching = page.join(items.select("item"), on="item", how="semi", maintain_order="left")
            of_items.append(matching)
            if matching.height < page.height:
                page = page.join(matching.select("ordinal"), on="ordinal", how="anti", maintain_order="left")
                break
            page = next(pages, None)
            if task.scoring.per_reply:
                yield from _judged_together(task, items, of_items, profile)
                of_items = []
        yield from _judged_together(task, items, of_items, profile)
    if page is not None:  # planned in another order, by a folkways that read the release otherwise
        rest = pl.concat([page, *pages])
        for items in plan.batches():
            matching = rest.join(items.select("item"), on="item", how="semi", maintain_order="left")
            yield from _judged_together(task, items, [matching], profile)


def _judged_together(
    task: Task, items: pl.DataFrame, pages: Sequence[pl.DataFrame], profile: str
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    replies = pl.concat(pages) if pages else pl.DataFrame()
    if replies.height:
        yield (
            judge_replies(task, items, replies, profile).with_columns(replies["ordinal"]),
            replies.select("language", "variant", "prompt_source").unique(),
        )


def reference_scores(
    plan: TaskPlan, profile: str, further: Sequence[TaskPlan] = ()
) -> Iterator[pl.DataFrame]:
    """What people of the cultures score, and what guessing would, as ``results.save_scores`` takes it: on the
    items that the run asks, and those of ``further`` runs.

    Baselines are exact expectations, made from the items alone: nothing is asked or drawn, and no profile
    changes them. People are judged by the profile's rule, with the task's text tools. Their answers come from
    the run's release, or else from the one that the task names, if it is on this disk; there are none where
    neither has any.
    """
    task, release = plan.task, plan.release
    human = task.human_baseline()
    if human is None and not overrides(task, "baselines"):
        return
    items = pl.concat(batch for one in (plan, *further) for batch in one.batches())
    items = items.unique("item", keep="first", maintain_order=True) if further else items
    with failures_of(task, "baselines"):
        guessed = task.baselines(items)
    for name, judged in guessed.items():
        parts = {
            "task": task.name,
            "data": f"{release.name}#{release.fingerprint}",
            "baseline": "expectation over the items asked, without asking",
            "profile": profile,
            "folkways": __version__,
        }
        yield labelled(scores_of(task, judged), Subject.BASELINE, name, profile, Signature(parts))
    if human is not None:
        yield from _of_people(task, human, items.select(*ITEMS, *task.facets), release, profile)


def people_elsewhere(task: Task) -> str | None:
    """The release that the task names for people's answers, if it is on this disk."""
    human = task.human_baseline()
    named = human.release if human else None
    return named if named and state_of(get_record(named)) == "here" else None


def _of_people(
    task: Task, human: HumanBaseline, items: pl.DataFrame, release: Release, profile: str
) -> Iterator[pl.DataFrame]:
    sources = [release]
    if elsewhere := people_elsewhere(task):
        sources.append(locate(elsewhere))
    for source in sources:
        with failures_of(task, "human_baseline"):
            judged = human.judge(items, source, profile)
        if judged is None or not judged["counted"].any():
            continue
        tools = {f"text-{name}": version for name, version in sorted(task.text_tools().items())}
        parts = {
            "task": task.name,
            "data": source.label,
            "people": human.how,
            "profile": profile,
            **tools,
            "folkways": __version__,
        }
        scored = scores_of(task, judged.drop("task", "item", "sample", "answer", "reason"))
        yield labelled(scored, Subject.PEOPLE, PEOPLE, profile, Signature(parts))
        return


def labelled(
    scored: pl.DataFrame, subject: Subject, endpoint: str, profile: str, signature: Signature
) -> pl.DataFrame:
    """``scored``, as a task's ``summarise`` returns it, with the columns that ``results.save_scores`` needs
    besides: subject, endpoint, profile, signature."""
    return scored.with_columns(
        subject=pl.lit(subject.value),
        endpoint=pl.lit(endpoint),
        profile=pl.lit(profile),
        signature=pl.lit(signature.json()),
    ).select("subject", *SCORES)
