"""Asks what a planned run still expects, as one of any number of processes: nothing is planned here, and
nothing is judged."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from folkways.display import plural
from folkways.endpoints.base import EndpointOptions
from folkways.endpoints.batches import Batches
from folkways.endpoints.prices import Price
from folkways.engine import interrupts
from folkways.engine.asking import EndpointJob, Limits
from folkways.engine.budget import USED_UP, Budget, units_of
from folkways.engine.progress import ModelProgress
from folkways.engine.session import INTERRUPTED, Crew, ask
from folkways.errors import FolkwaysError, UnknownNameError, option
from folkways.runs.deployment import deployed
from folkways.runs.models import Model, limit_and_prices, open_models
from folkways.runs.options import AskOptions, DeployedModel
from folkways.runs.results.model_names import matching
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import patiently
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.shared_budget import SharedBudget


def by_signal() -> tuple[str, str]:
    """State and reason of a run that a signal stopped."""
    return "interrupted", interrupts.reason()


def orders_of(
    workspace: Workspace,
    models: Sequence[Model],
    prices: Mapping[str, Price | None],
    asking: AskOptions,
    batches: Mapping[str, Batches] | None = None,
) -> list[EndpointJob]:
    """The engine's order for each of the ``models``, whose numbers are in the ``workspace``.

    prices, batches: by the identity of a model.
    asking: how hard to try. FolkwaysError for a model that this machine has not enough GPUs for.
    """
    limits = Limits(asking.concurrency, asking.attempts, asking.max_errors, asking.wait)
    orders = []
    for model, endpoint in zip(models, deployed(models, asking.timeout), strict=True):
        number, batch = (
            run_records.endpoint_id(workspace, model.identity, model.name),
            (batches or {}).get(model.identity),
        )
        orders.append(EndpointJob(endpoint, number, limits, prices[model.identity], model.name, batch))
    # Large models first: small ones fit in next to them, and not the other way round.
    return sorted(orders, key=lambda order: -getattr(order.endpoint, "wanted", 0.0))


def models_of(
    workspace: Workspace, run: run_records.RunRecord, names: Sequence[str | DeployedModel], timeout: float
) -> list[Model]:
    """The named models of a run of the ``workspace``: ``vllm/qwen@http://localhost:8000/v1`` also says where
    one is.

    names: any of a model's names, or where it is.
    timeout: seconds for one request. UnknownNameError for a model that the run does not ask; what
        ``open_models`` raises otherwise.
    """
    endpoints = run_records.endpoint_names(workspace, run.config.get("endpoints", []))
    seed = run.config.get("options", {}).get("seed", 0)
    candidates = [(run, endpoint) for endpoint in endpoints.values()]

    def as_planned(name: str) -> str:
        return matching(name, candidates)[0][1] if len(matching(name, candidates)) == 1 else name

    names = [
        as_planned(name) if isinstance(name, str) else replace(name, name=as_planned(name.name))
        for name in names
    ]
    opened = open_models(names, EndpointOptions(timeout=timeout, seed=seed))
    for model in opened:
        if model.identity not in endpoints:
            where = (
                "it is planned for a model at a given address only where the name says which: "
                "vllm/MODEL@http://HOST:PORT/v1"
            )
            raise UnknownNameError(
                f"model of run {run.name}",
                model.name,
                endpoints.values(),
                hint=getattr(model.endpoint, "about", None) or (where if "@" in model.name else ""),
            )
    return opened


def work(
    workspace: Workspace,
    run: run_records.RunRecord,
    models: Sequence[Model],
    asking: AskOptions,
    name: str | None = None,
) -> tuple[run_records.RunRecord, list[ModelProgress]]:
    """Ask these models what the ``run`` of a ``workspace`` expects of them and nobody else holds; returns the
    run, and the counts.

    asking: how hard to try; its budget is that of all workers of the run together, counted from when it was
        planned.
    name: of this worker, so that a restart frees what it had claimed (``workspace.queue.request_queue``).

    The run is ``asked`` once nothing is left of it. While others are still at work it stays as it is, and so
    does a finished one without failed requests. Raises FolkwaysError for a run that workers cannot ask, and
    what ``engine.session.ask`` does.
    """
    check_planned(workspace, run)
    if (whole := answered(workspace, run, models)) is not None:
        return run, whole
    limit, prices = limit_and_prices(models, asking)
    orders = orders_of(workspace, models, prices, asking)
    shared = SharedBudget(workspace, run.id, units_of(limit)) if limit is not None else None
    queue = RequestQueue(workspace, run.id)
    patiently(queue.free_dead_claims)
    first = patiently(lambda: run_records.start_session(workspace, run))
    crew = Crew(name, joins=not first and patiently(queue.others_at_work))
    began = time.monotonic()
    ended: str = "stopped"
    reason: str | None = "the worker ended in an error"
    try:
        progresses = ask(
            workspace,
            run.id,
            orders,
            budget=Budget(limit, shared),
            observer=asking.observer,
            every=asking.every,
            crew=crew,
        )
        ended, reason = patiently(lambda: state_of(workspace, run, progresses, asking.max_failed))
    finally:
        if ended in ("asked", "incomplete") or not patiently(queue.others_at_work):
            seconds = time.monotonic() - began
            patiently(lambda: run_records.set_state(workspace, run, ended, reason=reason, seconds=seconds))
    return patiently(lambda: run_records.find_run(workspace, str(run.id))), progresses


def check_planned(workspace: Workspace, run: run_records.RunRecord) -> None:
    """FolkwaysError for a ``run`` of the ``workspace`` that workers cannot ask."""
    run_records.check_here(workspace, run)
    if run.command != run_records.RUN or run.state == "planning":
        plan = workspace.command("plan", "TASK", "--model", "NAME")
        raise FolkwaysError(f"run {run.name} is not planned; plan one with: {plan}")
    if run.config.get("options", {}).get("until") is not None:
        raise FolkwaysError(
            f"run {run.name} draws its questions round by round (--until); go on with the command that "
            "began it"
        )


def state_of(
    workspace: Workspace, run: run_records.RunRecord, counts: Sequence[ModelProgress], max_failed: float
) -> tuple[str, str | None]:
    """The state of a run of the ``workspace`` that several processes ask, after one of them has ended; and
    why it is not ``asked``.

    counts: those of that process.
    max_failed: share of requests that may fail.
    """
    if any(progress.stopped is not None or progress.out for progress in counts):
        return end_of(counts)
    whole = counts_of(workspace, run)
    if left := [f"{progress.left:,} requests to {progress.endpoint}" for progress in whole if progress.left]:
        return "stopped", f"{' and '.join(left)} are left"
    return end_of(whole, max_failed)


def counts_of(workspace: Workspace, run: run_records.RunRecord) -> list[ModelProgress]:
    """What of a run is answered, has failed and is left, model by model, by all processes."""
    queue = RequestQueue(workspace, run.id)
    counts = []
    for identity, name in run_records.endpoint_names(workspace, run.config["endpoints"]).items():
        pending, stored, failed = queue.counts(run_records.endpoint_id(workspace, identity, name))
        counts.append(ModelProgress(name, total=pending + failed, stored=stored, failed=failed))
    return counts


def answered(
    workspace: Workspace, run: run_records.RunRecord, models: Sequence[Model]
) -> list[ModelProgress] | None:
    """What a finished run has of each model, where no request failed: nothing is left to ask then. None where
    some may be left.

    No request is looked up: a reply to what a finished run expects is never taken away without the run being
    finished no longer.
    """
    if run.state != "finished" or run_records.any_failed(workspace, run):
        return None
    numbers = [run_records.endpoint_id(workspace, model.identity, model.name) for model in models]
    counts = results.expected_counts(workspace, run, numbers)
    return [ModelProgress(model.name, stored=count) for model, count in zip(models, counts, strict=True)]


def end_of(progresses: Sequence[ModelProgress], max_failed: float = 1.0) -> tuple[str, str | None]:
    """The state of a run after a session, and why it is not ``asked``.

    ``incomplete`` where each request had its attempts, but a model gave no reply at all or more than
    ``max_failed`` of them failed.
    """
    reasons = [progress.stopped for progress in progresses if progress.stopped is not None]
    if INTERRUPTED in reasons:
        return by_signal()
    if reasons:
        return "budget" if USED_UP in reasons else "stopped", "; ".join(dict.fromkeys(reasons))
    if out := sum(progress.out for progress in progresses):
        reason = f"{plural(out, 'request is', 'requests are')} out in batches"
        followed = all(progress.batches or not progress.out for progress in progresses)
        advice = (
            f". Give the command that sent them again, with {option('batch', True)}, to collect the replies."
        )
        return "waiting", reason if followed else reason + advice
    failing = [message for progress in progresses if (message := _failing(progress, max_failed))]
    return ("incomplete", "; ".join(failing)) if failing else ("asked", None)


def _failing(progress: ModelProgress, max_failed: float) -> str:
    """What is to be said of a model whose requests failed; nothing where few enough did."""
    of = progress.total + progress.stored
    if progress.failed and progress.failed == of:
        return (
            f"no reply from {progress.endpoint}: {'its request' if of == 1 else f'all {of:,} requests'} "
            "failed"
        )
    if progress.failed > max_failed * of:
        return (
            f"{progress.failed:,} of {of:,} requests to {progress.endpoint} failed, more than "
            f"{max_failed * 100:g} %"
        )
    return ""
