"""Carries out a run: writes its plan down, asks what has no response yet, scores."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import sqlalchemy as sa

from folkways.endpoints.base import EndpointOptions
from folkways.engine.budget import Budget, require_token_limits
from folkways.engine.progress import ModelProgress
from folkways.engine.session import ask
from folkways.errors import FolkwaysError, FolkwaysWarning, option
from folkways.runs.executors import executor_of
from folkways.runs.models import Model, batches_of, limit_and_prices, open_models
from folkways.runs.options import AskOptions, DeployedModel, ReusedReplies, RunOptions
from folkways.runs.planning.plan import Plan, begin
from folkways.runs.planning.recipe import recipe_of
from folkways.runs.planning.tasks import asked_afresh_since, make_plan, of_generation
from folkways.runs.sampling.rounds import Sampling, StoredSample, ask_in_rounds
from folkways.runs.sampling.strata import sampling_frame
from folkways.runs.scores.scoring import ScoreAll, score_each, score_run, scores_up_to_date
from folkways.runs.scores.scoring_models import ScoringModels, check_models, chosen_models
from folkways.runs.work import answered, by_signal, end_of, orders_of
from folkways.workspace import results, run_records, schema
from folkways.workspace.database import WORKSPACE, Workspace, open_workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways.workspace.queue.judging_turn import turn_to_judge
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.run_records import RunRecord


def reused_replies(workspace: Workspace, run: RunRecord, models: Sequence[Model]) -> list[ReusedReplies]:
    """What the run uses of before it began, model by model; nothing of models whose replies follow from their
    identity."""
    expected, replies = schema.expected, schema.responses
    since = asked_afresh_since(workspace, run)
    reused = []
    for model in models:
        if model.endpoint.local and not getattr(model.endpoint, "runs_here", False):
            continue
        number = run_records.endpoint_id(workspace, model.identity, model.name)
        of_model = sa.select(expected.c.key).where(
            expected.c.run_id == run.id, expected.c.endpoint_id == number
        )
        stored = sa.select(replies.c.key, replies.c.created).where(
            replies.c.key.in_(of_model), replies.c.created < run.created
        )
        with workspace.read() as connection:
            rows = connection.execute(stored.order_by(replies.c.created)).all()
            count = connection.scalar(
                sa.select(sa.func.count(sa.distinct(expected.c.key))).where(expected.c.key.in_(of_model))
            )
        if rows:
            runs = dict.fromkeys(
                filter(None, (_asked_by(workspace, row.key, row.created) for row in (rows[0], rows[-1])))
            )
            reused.append(
                ReusedReplies(
                    model.name,
                    len(rows),
                    int(count or 0),
                    rows[0].created,
                    rows[-1].created,
                    tuple(runs),
                    since.name if since else None,
                )
            )
    return reused


def _asked_by(workspace: Workspace, key: str, created: float) -> str | None:
    """The newest run that expected the reply and had begun when it came: of those that only use it, none
    had."""
    expected, runs = schema.expected, schema.runs
    query = (
        sa.select(runs.c.name)
        .join(expected, expected.c.run_id == runs.c.id)
        .where(expected.c.key == key, runs.c.created <= created)
        .order_by(runs.c.id.desc())
        .limit(1)
    )
    with workspace.read() as connection:
        return connection.scalar(query)


def given_by_other_code(workspace: Workspace, run: RunRecord, model: Model) -> int:
    """How many stored replies that the run uses were given by other code than the model has now, where it
    tells which."""
    served = getattr(model.endpoint, "served", None)
    if served is None:
        return 0
    expected, replies = schema.expected, schema.responses
    number = run_records.endpoint_id(workspace, model.identity, model.name)
    of_model = sa.select(expected.c.key).where(expected.c.run_id == run.id, expected.c.endpoint_id == number)
    query = sa.select(sa.func.count()).where(replies.c.key.in_(of_model), replies.c.model != served)
    with workspace.read() as connection:
        return int(connection.execute(query).scalar_one())


@dataclass(frozen=True)
class RunSession:
    """What one session of a run did.

    plan: what was asked. unscored: whether the stored scores may lack something that was asked; False where a
    finished run had nothing left to ask.
    """

    run: run_records.RunRecord
    plan: Plan
    progresses: tuple[ModelProgress, ...]
    unscored: bool


def execute(
    workspace: Workspace,
    plan: Plan,
    asking: AskOptions,
    *,
    name: str | None = None,
    profile: str | None = None,
) -> RunSession:
    """Write the plan down (or go on with an earlier run of the same configuration) and ask everything that
    has no response yet.

    workspace: where the run and its replies are stored.
    asking: how hard to try, and what may be spent.
    name: of the run; None for a new one.
    profile: how replies are judged where the options say to ask until scores are known well enough.

    The state of the run is recorded whatever happens. Raises FolkwaysError for options that exclude each
    other, a budget in money for a model without a price, and problems of the workspace.
    """
    models, until = plan.models, plan.options.until
    check_compatible(plan, asking)
    budget, prices = limit_and_prices(models, asking)
    batches = batches_of(models) if asking.batch else {}
    unlimited = [
        model.name
        for model in models
        if not model.endpoint.local and any(one.settings(model).max_tokens is None for one in plan.tasks)
    ]
    require_token_limits(budget, unlimited)
    frames = {}
    if until is not None:
        frames = {one.task.name: sampling_frame(one, profile) for one in plan.tasks}
        sampled = (replace(one, populations=frames[one.task.name].populations) for one in plan.tasks)
        plan = replace(plan, tasks=tuple(sampled))
    recipe = recipe_of(plan, asking, profile)
    plan = of_generation(workspace, plan, name)
    run, continued = begin(workspace, plan, name, recipe)
    whole = None if until is not None else answered(workspace, run, models)
    try:
        if asking.cluster is None:  # the nodes of a cluster have packages of their own
            _check_models(workspace, run, models)
        elif whole is None:
            executor_of(asking.cluster).check(workspace, models)
    except FolkwaysError:
        if not continued:
            run_records.forget_run(workspace, run)
        raise
    _warn_of_other_code(workspace, run, models)
    asking.planned(run, continued)
    if asking.reused is not None and not plan.options.afresh:
        for reused in reused_replies(workspace, run, models):
            asking.reused(reused)
    run_records.set_state(workspace, run, "running")
    began = time.monotonic()
    spending = Budget(budget)

    def ask_expected() -> list[ModelProgress]:
        if whole is not None:
            if asking.observer is not None:
                asking.observer(whole)
            return whole
        if asking.cluster is not None:
            return executor_of(asking.cluster).ask(workspace, run, models, prices, asking, budget)
        orders = orders_of(workspace, models, prices, asking, batches)
        return ask(workspace, run.id, orders, budget=spending, observer=asking.observer, every=asking.every)

    try:
        if until is None:
            progresses = ask_expected()
            if all(progress.complete for progress in progresses):  # Ctrl-C came after the last reply
                progresses = [replace(progress, stopped=None) for progress in progresses]
        else:
            limits = Sampling(until, profile, sparing=budget is not None)
            sample = StoredSample(workspace, run)
            progresses = ask_in_rounds(sample, plan, frames, ask_expected, limits)
    except BaseException as error:
        state, why = "stopped", str(error) or type(error).__name__
        if isinstance(error, KeyboardInterrupt):
            state, why = by_signal()
        with suppress(WorkspaceError):  # the database may be what is wrong; that has been said already
            run_records.set_state(workspace, run, state, reason=why, seconds=time.monotonic() - began)
        raise
    state, reason = end_of(progresses, asking.max_failed)
    now = run_records.find_run(workspace, str(run.id))
    # Another process that asked with this one waited for the last reply too, and may have judged them all by
    # now.
    over = (
        until is None
        and (state, now.state) == ("asked", "finished")
        and not any(progress.failed for progress in progresses)
    )
    state = "finished" if over else state
    run_records.set_state(workspace, run, state, reason=reason, seconds=time.monotonic() - began)
    # As this session left it: another process may have opened the same run again by now, and will end it in
    # its turn.
    left = replace(run_records.find_run(workspace, str(run.id)), state=state, reason=reason)
    idle = run.state == "finished" and until is None and all(progress.total == 0 for progress in progresses)
    scored = now.finished if over else run.finished if idle else None
    # Another run may have asked for the same replies anew.
    unscored = scored is None or results.has_newer_replies(workspace, run, scored)
    return RunSession(left, plan, tuple(progresses), unscored)


def check_compatible(plan: Plan, asking: AskOptions) -> None:
    """FolkwaysError for options that exclude each other."""
    until = plan.options.until
    if asking.batch and until is not None:
        raise FolkwaysError(
            f"{option('until')} asks in rounds, and {option('batch')} may take a day for each; leave one "
            "of them out"
        )
    if asking.cluster is not None and (asking.batch or until is not None):
        raise FolkwaysError(
            f"{option('cluster')} asks one request at a time, all that a run expects: "
            f"leave {option('batch')} and {option('until')} out, or {option('cluster')}"
        )
    if until is not None and any(model.deployment is not None for model in plan.models):
        raise FolkwaysError(
            f"{option('until')} asks in rounds, each of which would start the servers anew: leave it out, "
            "or serve, gpus and copies"
        )


def score_session(
    workspace: Workspace,
    session: RunSession,
    profile: str | None = None,
    models: ScoringModels | None = None,
    score_all: ScoreAll = score_each,
) -> None:
    """Judge and score what a session of the ``workspace`` brought, unless the stored scores know it, or
    another process has just scored it.

    profile, models, score_all: as ``score_run`` has them.
    """
    plans = session.plan.tasks
    if session.unscored or not scores_up_to_date(workspace, session.run, plans, profile, models):
        with turn_to_judge(workspace, session.run.id) as began:
            if began is None or not judged_since(workspace, session, began, profile, models):
                score_run(workspace, session.run, profile, models=models, plans=plans, score_all=score_all)
    run_records.mark_scored(workspace, session.run)


def judged_since(
    workspace: Workspace, session: RunSession, began: float, profile: str | None, models: ScoringModels | None
) -> bool:
    """Whether another process, which began at that moment (seconds since the epoch), has judged all that this
    ``session`` of the ``workspace`` knows. profile, models: as ``score_run`` has them."""
    if run_records.find_run(workspace, str(session.run.id)).state != "finished" or any(
        progress.failed for progress in session.progresses
    ):
        return False
    return not results.has_newer_replies(workspace, session.run, began) and scores_up_to_date(
        workspace, session.run, session.plan.tasks, profile, models
    )


def plan_run(
    options: RunOptions,
    *,
    models: Sequence[str | DeployedModel],
    workspace: str | Path | Workspace = WORKSPACE,
    name: str | None = None,
) -> tuple[Workspace, run_records.RunRecord, bool]:
    """Write down everything that a run of ``models`` with these ``options`` expects, for workers to ask
    (``folkways work``); no key is needed.

    workspace: created if it is not there.
    name: of the run; None for a new one. Returns the workspace, the run, and whether it was planned before.
    Raises FolkwaysError for anything that the caller can put right.
    """
    if options.until is not None:
        raise FolkwaysError(
            "until draws questions by what earlier ones were worth, so that nothing can be planned ahead: "
            "folkways run"
        )
    plan = make_plan(options, open_models(models, EndpointOptions(seed=options.seed), need_key=False))
    check_models([one.task for one in plan.tasks], chosen_models(options, None))
    database = workspace if isinstance(workspace, Workspace) else open_workspace(workspace)
    plan = of_generation(database, plan, name)
    record, before = begin(database, plan, name, recipe_of(plan, AskOptions(), None))
    return database, run_records.find_run(database, str(record.id)), before


def _warn_of_other_code(workspace: Workspace, run: run_records.RunRecord, models: Sequence[Model]) -> None:
    """A FolkwaysWarning for stored replies under the name and version of a model whose code is another
    now."""
    for model in models:
        if count := given_by_other_code(workspace, run, model):
            replies = "stored reply of {} was" if count == 1 else "stored replies of {} were"
            warnings.warn(
                f"{count:,} {replies.format(model.name)} made by other code than it has now, and used as "
                "they are; give the model another version where that matters",
                FolkwaysWarning,
                stacklevel=2,
            )


def _check_models(workspace: Workspace, run: run_records.RunRecord, models: Sequence[Model]) -> None:
    """FolkwaysError where a model that is still to be asked cannot be on this machine."""
    for model in models:
        check = getattr(model.endpoint, "check", None)
        try:
            if check is not None:
                check()
        except FolkwaysError:
            if RequestQueue(workspace, run.id).pending(
                run_records.endpoint_id(workspace, model.identity, model.name)
            ):
                raise
