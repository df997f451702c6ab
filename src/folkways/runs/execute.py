"""Carries out a run: plan, ask what has no response yet, score."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from folkways.benchmarks.registry import expand_tasks
from folkways.endpoints.base import EndpointOptions
from folkways.engine.budget import Budget, require_token_limits
from folkways.engine.progress import ModelProgress
from folkways.engine.session import ask
from folkways.errors import FolkwaysError, FolkwaysWarning, option
from folkways.runs.models import Model, batches_of, limit_and_prices, open_models
from folkways.runs.options import AskOptions, Cluster, DeployedModel, RunOptions
from folkways.runs.planning import plan
from folkways.runs.planning.generations import of_generation
from folkways.runs.planning.recipe import recipe_of
from folkways.runs.planning.tasks import left_out, plan_tasks
from folkways.runs.reused import given_by_other_code, reused_replies
from folkways.runs.sampled.adaptive_sampling import Sampling, ask_in_rounds
from folkways.runs.sampled.strata import sampling_frame
from folkways.runs.scores.scoring import score_run, scores_up_to_date
from folkways.runs.scores.scoring_models import ScoringModels, check_models, chosen_models
from folkways.runs.work import answered, by_signal, end_of, orders_of
from folkways.workspace import results, run_records
from folkways.workspace.database import WORKSPACE, Workspace, open_workspace
from folkways.workspace.errors import WorkspaceError
from folkways.workspace.queue.judging_turn import turn_to_judge
from folkways.workspace.queue.request_queue import RequestQueue


@dataclass(frozen=True)
class Session:
    """What one session of a run did.

    news: whether there is something that scores cannot know yet; not where a run that was finished had
    nothing left to ask.
    """

    run: run_records.RunRecord
    progresses: tuple[ModelProgress, ...]
    news: bool


def execute(
    workspace: Workspace,
    options: RunOptions,
    models: Sequence[Model],
    asking: AskOptions,
    *,
    name: str | None = None,
    profile: str | None = None,
) -> Session:
    """Plan the run (or go on with an earlier one of the same configuration) and ask everything that has no
    response yet.

    profile: how replies are judged where the options say to ask until scores are known well enough. The state
    of the run is recorded whatever happens. Raises FolkwaysError for unknown names, a budget in money for a
    model without a price, and problems of the workspace.
    """
    budget, prices = limit_and_prices(models, asking)
    if asking.batch and options.until is not None:
        raise FolkwaysError(
            f"{option('until')} asks in rounds, and {option('batch')} may take a day for each; leave one "
            "of them out"
        )
    if asking.cluster is not None and (asking.batch or options.until is not None):
        raise FolkwaysError(
            f"{option('cluster')} asks one request at a time, all that a run expects: "
            f"leave {option('batch')} and {option('until')} out, or {option('cluster')}"
        )
    if options.until is not None and any(model.deployment is not None for model in models):
        raise FolkwaysError(
            f"{option('until')} asks in rounds, each of which would start the servers anew: leave it out, "
            "or serve, gpus and copies"
        )
    batches = batches_of(models) if asking.batch else {}
    tasks = plan_tasks(options)
    remote = [model for model in models if not model.endpoint.local]
    require_token_limits(
        budget,
        [model.name for model in remote if any(task.settings(model).max_tokens is None for task in tasks)],
    )
    frames = (
        {task.task.name: sampling_frame(task, profile) for task in tasks} if options.until is not None else {}
    )
    tasks = [
        replace(task, populations=frames[task.task.name].populations) if frames else task for task in tasks
    ]
    recipe = recipe_of(options, asking, profile, tasks, models)
    absent = left_out(options, [task.task.name for task in tasks])
    tasks = of_generation(workspace, tasks, models, name, absent)
    run, continued = plan.begin(workspace, tasks, models, name, recipe, absent)
    if asking.cluster is None:  # the nodes of a cluster have packages of their own
        _check_models(workspace, run, models, new=not continued)
    _warn_of_other_code(workspace, run, models)
    asking.planned(run, continued)
    if asking.reused is not None and not options.afresh:
        for reused in reused_replies(workspace, run, models):
            asking.reused(reused)
    whole = None if options.until is not None else answered(workspace, run, models)
    run_records.set_state(workspace, run, "running")
    began = time.monotonic()
    spending = Budget(budget)

    def ask_expected() -> list[ModelProgress]:
        if whole is not None:
            if asking.observer is not None:
                asking.observer(whole)
            return whole
        if asking.cluster is not None:
            from folkways.runs.on_ray.crew import RayCrew

            with RayCrew(workspace, run, models, prices, asking, asking.cluster, budget) as crew:
                return crew.ask()
        orders = orders_of(workspace, models, prices, asking, batches)
        return ask(workspace, run.id, orders, budget=spending, observer=asking.observer, every=asking.every)

    try:
        if options.until is None:
            progresses = ask_expected()
        else:
            limits = Sampling(options.until, profile, sparing=budget is not None)
            progresses = ask_in_rounds(workspace, run, tasks, frames, models, ask_expected, limits)
    except BaseException as error:
        ended, why = (
            by_signal()
            if isinstance(error, KeyboardInterrupt)
            else ("stopped", str(error) or type(error).__name__)
        )
        with suppress(WorkspaceError):  # the database may be what is wrong; that has been said already
            run_records.set_state(workspace, run, ended, reason=why, seconds=time.monotonic() - began)
        raise
    state, reason = end_of(progresses, asking.max_failed)
    now = run_records.find_run(workspace, str(run.id))
    # Another process that asked with this one waited for the last reply too, and may have judged them all by
    # now.
    over = (
        options.until is None
        and (state, now.state) == ("asked", "finished")
        and not any(told.failed for told in progresses)
    )
    state = "finished" if over else state
    run_records.set_state(workspace, run, state, reason=reason, seconds=time.monotonic() - began)
    # As this session left it: another process may have opened the same run again by now, and will end it in
    # its turn.
    left = replace(run_records.find_run(workspace, str(run.id)), state=state, reason=reason)
    # Another run may have asked for the same replies anew.
    quiet = (
        run.state == "finished"
        and options.until is None
        and all(progress.total == 0 for progress in progresses)
    )
    known = (now if over else run).finished or 0.0
    return Session(
        left, tuple(progresses), not (over or quiet) or results.has_newer_replies(workspace, run, known)
    )


def score_news(
    workspace: Workspace,
    session: Session,
    profile: str | None = None,
    models: ScoringModels | None = None,
    cluster: Cluster | None = None,
) -> None:
    """Judge and score what a session brought, unless the scores that are stored know it, or another process
    has just done it."""
    if session.news or not scores_up_to_date(workspace, session.run, profile, models):
        with turn_to_judge(workspace, session.run.id) as began:
            if began is None or not _judged_since(workspace, session, began, profile, models):
                score_run(workspace, session.run, profile, models=models, cluster=cluster)
    run_records.mark_scored(workspace, session.run)


def _judged_since(
    database: Workspace, session: Session, began: float, profile: str | None, scoring: ScoringModels | None
) -> bool:
    """Whether another process, which began at that moment, has judged all that this one knows."""
    if run_records.find_run(database, str(session.run.id)).state != "finished" or any(
        progress.failed for progress in session.progresses
    ):
        return False
    return not results.has_newer_replies(database, session.run, began) and scores_up_to_date(
        database, session.run, profile, scoring
    )


def plan_run(
    options: RunOptions,
    *,
    models: Sequence[str | DeployedModel],
    workspace: str | Path | Workspace = WORKSPACE,
    name: str | None = None,
) -> tuple[Workspace, run_records.RunRecord, bool]:
    """Write down everything that a run of ``models`` expects, for workers to ask (folkways.runs.work); no key
    is needed.

    Returns its workspace, the run, and whether it was planned before. Raises FolkwaysError for anything that
    the caller can put right.
    """
    if options.until is not None:
        raise FolkwaysError(
            "until draws questions by what earlier ones were worth, so that nothing can be planned ahead: "
            "folkways run"
        )
    asked = open_models(models, EndpointOptions(seed=options.seed), need_key=False)
    planned = plan_tasks(options)
    check_models(expand_tasks(options.tasks), chosen_models(options, None))
    database = workspace if isinstance(workspace, Workspace) else open_workspace(workspace)
    absent = left_out(options, [one.task.name for one in planned])
    planned = of_generation(database, planned, asked, name, absent)
    record, before = plan.begin(
        database, planned, asked, name, recipe_of(options, AskOptions(), None, planned, asked), absent
    )
    return database, run_records.find_run(database, str(record.id)), before


def _warn_of_other_code(workspace: Workspace, run: run_records.RunRecord, models: Sequence[Model]) -> None:
    """A FolkwaysWarning for stored replies under the name and version of a model whose code is another
    now."""
    for model in models:
        if count := given_by_other_code(workspace, run, model):
            told = "stored reply of {} was" if count == 1 else "stored replies of {} were"
            warnings.warn(
                f"{count:,} {told.format(model.name)} made by other code than it has now, and used as they "
                "are; give the model "
                "another version where that matters",
                FolkwaysWarning,
                stacklevel=2,
            )


def _check_models(
    workspace: Workspace, run: run_records.RunRecord, models: Sequence[Model], *, new: bool
) -> None:
    """FolkwaysError where a model that is still to be asked cannot be on this machine; a new run is then not
    kept."""
    for model in models:
        check = getattr(model.endpoint, "check", None)
        try:
            if check is not None:
                check()
        except FolkwaysError:
            if RequestQueue(workspace, run.id).pending(
                run_records.endpoint_id(workspace, model.identity, model.name)
            ):
                if new:
                    run_records.forget_run(workspace, run)
                raise
