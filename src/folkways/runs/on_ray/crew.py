"""Asks a run with workers on the nodes of a Ray cluster.

A worker that dies takes nothing with it: what it had claimed is free as soon as Ray tells, and Ray begins it
anew where there is room. Nothing is asked by what Ray would try again, so that a request is sent twice only
where a reply was lost on its way.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from folkways.display import plural
from folkways.endpoints.prices import Price
from folkways.engine import interrupts
from folkways.engine.budget import Amount, Budget, units_of
from folkways.engine.progress import ModelProgress, away_from_all
from folkways.engine.session import INTERRUPTED, Crew, ask
from folkways.errors import FolkwaysError
from folkways.process import tune_process
from folkways.runs.models import Model
from folkways.runs.on_ray.cluster import (
    Seat,
    check_reachable,
    connect,
    plain_errors,
    seats,
    stops_of,
    tell_stops,
)
from folkways.runs.options import AskOptions, Cluster, DeployedModel
from folkways.runs.work import models_of, orders_of
from folkways.workspace import run_records
from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.database_errors import WorkspaceError, patiently
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.shared_budget import SharedBudget, Units, taken

_CREDENTIALS = re.compile(r"://[^/]*@")

SILENT_SECONDS = 5.0
"""How long a worker that is to stop is waited for without a word from it: it may have no node to run on."""

ADDED = (
    "done",
    "open",
    "failed",
    "retries",
    "rate_limited",
    "in_flight",
    "places",
    "input_tokens",
    "output_tokens",
)
"""Counts of workers that are shown as their sum."""


@dataclass(frozen=True)
class Assignment:
    """What a worker needs besides the run.
    name: of the worker. session: what all workers of this session share, and their stops are kept under.
    budget: what all workers may take together; None for anything."""

    workspace: str
    run: int
    models: tuple[str | DeployedModel, ...]
    prices: Mapping[str, Price | None]
    asking: AskOptions
    name: str
    session: str
    budget: Units | None


class AskingWorker:
    """The actor. It asks on a second thread and keeps Ray's own thread at work: an idle one wakes a hundred
    times a second, which took a fifth as much CPU as the asking."""

    def __init__(self, share: Assignment) -> None:
        tune_process()
        self._share = share
        self._reported: list[ModelProgress] = []
        self._stops = 0

    def ask(self) -> Iterator[list[ModelProgress]]:
        """Ask until nothing is left that nobody holds; the counts, every now and then and at the end."""
        with ThreadPoolExecutor(1, thread_name_prefix="folkways-session") as thread:
            session = thread.submit(plain_errors, self._ask)
            while not session.done():
                self._stops = max(self._stops, stops_of(self._share.session))
                yield self._reported
                wait([session], timeout=self._share.asking.every)
            yield session.result()

    def _ask(self) -> list[ModelProgress]:
        share = self._share
        workspace = open_workspace(share.workspace, create=False)
        run = run_records.find_run(workspace, str(share.run))
        models = models_of(workspace, run, share.models, share.asking.timeout)
        orders = orders_of(workspace, models, share.prices, share.asking)
        crew = Crew(share.name, joins=True, stops=lambda: self._stops)
        shared = SharedBudget(workspace, run.id, share.budget) if share.budget is not None else None
        budget = Budget(None if shared is None else Amount(), shared)
        return ask(workspace, run.id, orders, budget=budget, observer=self._keep, crew=crew)

    def _keep(self, reported: Sequence[ModelProgress]) -> None:
        self._reported = list(reported)


class RayWorkerPool:
    """The workers of one session as their driver sees them: a context manager, which ends them.

    limit: what they may spend together; None for anything. Raises FolkwaysError for a cluster without room
    for the workers, and a workspace that they cannot reach.
    """

    def __init__(
        self,
        workspace: Workspace,
        run: run_records.RunRecord,
        models: Sequence[Model],
        prices: Mapping[str, Price | None],
        asking: AskOptions,
        cluster: Cluster,
        limit: Amount | None,
    ) -> None:
        self._ray = connect()
        self._workspace = workspace
        self._run = run
        self._asking = asking
        self._numbers = {
            model.name: run_records.endpoint_id(workspace, model.identity, model.name) for model in models
        }
        priced = {model.name: prices[model.identity] is not None for model in models}
        self._progress = {
            name: ModelProgress(name, usd=0.0 if is_priced else None) for name, is_priced in priced.items()
        }
        self._session = session = uuid.uuid4().hex[:8]
        self._queue = {
            f"ray {session} {number}": seat
            for number, seat in enumerate(seats_for(workspace, models, cluster))
        }
        plain = replace(asking, observer=None, reused=None, planned=AskOptions.planned, cluster=None)
        self._share = Assignment(
            workspace.place, run.id, (), prices, plain, "", session, _limit(workspace, run, limit)
        )
        self._written = {model.name: _written(model) for model in models}
        self._seats: dict[str, Seat] = {}  # of workers that have begun and not ended
        self._names: list[str] = []  # of workers that have begun
        self._workers: dict[str, Any] = {}
        self._reported: dict[str, dict[int, list[ModelProgress]]] = {}  # by life of a worker
        self._lives: dict[str, int] = {}
        self._heard: dict[str, float] = {}
        self._stops = 0

    def __enter__(self) -> RayWorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers.values():
            # without a head there is nobody left to kill it, and it ends by itself
            with suppress(self._ray.exceptions.RayError):
                self._ray.kill(worker)
        with suppress(WorkspaceError):  # what is not freed now is so after a silence
            for name in self._names:
                self._free(name)

    def _begin(self, queue: RequestQueue) -> dict[Any, str]:
        """Begin the workers that have room and something to ask, in their order; what each will return, and
        its name.

        A worker of a model that is deployed waits here and not at Ray, which would let those pass that take
        less.
        """
        begun = {}
        for name, seat in list(self._queue.items()):
            if seat.deployed:
                if not patiently(partial(queue.pending, self._numbers[seat.models[0].name])):
                    del self._queue[name]
                    continue
                if self._seats and not self._fits(seat):
                    break
            del self._queue[name]
            written = tuple(self._written[model.name] for model in seat.models)
            models = tuple(
                text if seat.deployment is None else DeployedModel(text, seat.deployment) for text in written
            )
            actor = self._ray.remote(AskingWorker).options(
                max_restarts=-1, max_task_retries=0, scheduling_strategy="SPREAD", **seat.resources
            )
            self._workers[name] = actor.remote(replace(self._share, models=models, name=name))
            self._names.append(name)
            self._seats[name], self._reported[name], self._lives[name], self._heard[name] = (
                seat,
                {},
                0,
                time.monotonic(),
            )
            begun[self._ask_of(name)] = name
        return begun

    def _ask_of(self, name: str) -> Any:
        """Have a worker ask; its reports, as they come."""
        return self._workers[name].ask.options(num_returns="streaming").remote()

    def _fits(self, seat: Seat) -> bool:
        """Whether the workers that have begun leave room for one more."""
        has = self._ray.cluster_resources()
        gpus = [one.gpus for one in self._seats.values()]
        return len(gpus) < has.get("CPU", 0) and (
            not seat.gpus or sum(gpus) + seat.gpus <= has.get("GPU", 0) + 1e-9
        )

    def _end(self, name: str) -> None:
        """Let the room of a worker that has ended go to the next."""
        del self._seats[name]
        with suppress(self._ray.exceptions.RayError):
            self._ray.kill(self._workers.pop(name))

    def ask(self) -> list[ModelProgress]:
        """Ask all models what the run still expects; the counts of all workers, one per model.

        The observer is shown the sums. Signals do what they do in ``engine.session.ask``. Raises the first
        error of a worker, after the others have stored what they had.
        """
        queue = RequestQueue(self._workspace, self._run.id)
        queue.enter()
        queue.leave()
        for name, progress in self._progress.items():
            progress.total, progress.stored = queue.standing(self._numbers[name])
        if not any(progress.total for progress in self._progress.values()):
            return list(self._progress.values())
        with interrupts.listening(self._stop):
            error = self._watch(queue)
        for name, progress in self._progress.items():
            pending, _, failed = patiently(partial(queue.counts, self._numbers[name]))
            progress.failed = failed
            # a worker that died may have stored what it did not report
            progress.done = progress.total - pending - failed
            progress.open = 0
            progress.in_flight = 0
            progress.end()
            if self._stops and progress.stopped is None and pending:
                progress.stopped = INTERRUPTED  # by those who said no more
        self._show()
        if error is not None:
            raise error
        return list(self._progress.values())

    def _watch(self, queue: RequestQueue) -> BaseException | None:
        """Wait until all is asked or stopped; the first error that a worker ended in."""
        ray = self._ray
        busy = self._begin(queue)
        error: BaseException | None = None
        stopped = 0
        while busy:
            ready, _ = ray.wait(list(busy), num_returns=len(busy), timeout=self._asking.every)
            while stopped < self._stops:
                stopped += 1
                self._heard = dict.fromkeys(self._heard, time.monotonic())
                tell_stops(self._session, stopped)
            ended = False
            for reports in ready:
                name = busy[reports]
                try:
                    self._reported[name][self._lives[name]] = ray.get(next(reports))
                    self._heard[name] = time.monotonic()
                    continue
                except StopIteration:
                    self._end(name)
                except ray.exceptions.RayActorError as death:
                    self._free(name)
                    self._lives[name] += 1
                    if not self._stops and error is None:
                        busy[self._ask_of(name)] = name
                    self._tell(f"a worker died and is begun anew: {str(death).strip().splitlines()[0]}")
                except ray.exceptions.RayTaskError as failure:
                    seat, cause = self._seats[name], failure.cause
                    self._end(name)
                    if (
                        seat.deployed
                        and isinstance(cause, FolkwaysError)
                        and not isinstance(cause, WorkspaceError)
                    ):
                        self._progress[seat.models[0].name].stopped = str(cause)  # which ends no other model
                        self._tell(str(cause))
                    else:
                        error = error or cause
                        self._stop()
                del busy[reports]
                ended = True
            self._show()
            silent = time.monotonic() - max((self._heard[name] for name in busy.values()), default=0.0)
            if busy and not ended and silent > SILENT_SECONDS:
                if stopped:
                    break
                self._tell(
                    f"no node has room for the {plural(len(busy), 'worker')} that "
                    f"{'is' if len(busy) == 1 else 'are'} left"
                )
            if ended and not self._stops:
                busy |= self._begin(queue)
            if ended and not patiently(
                lambda: any(queue.pending(number) for number in self._numbers.values())
            ):
                break  # those that are still away had nothing left to do
        return error

    def _show(self) -> None:
        lives = [life for worker in self._reported.values() for life in worker.values()]
        for name, progress in self._progress.items():
            parts = [part for life in lives for part in life if part.endpoint == name]
            now = [part for part in parts if part.ended is None]
            if progress.ended is None:
                for field in ADDED:
                    of = now if field in ("in_flight", "places") else parts
                    setattr(progress, field, sum(getattr(part, field) for part in of))
            costs = [part.usd for part in parts]
            if progress.usd is not None:
                progress.usd = None if None in costs else sum(filter(None, costs))
            for part in parts:
                progress.last_error = part.last_error or progress.last_error
                progress.about = part.about or progress.about
                progress.why = part.why
                progress.warning = part.warning or progress.warning
                progress.notes += [note for note in part.notes if note not in progress.notes]
            if progress.ended is None and progress.total:
                progress.wait(self._waits(name, now))
            reasons = {part.stopped for part in now or parts if part.stopped is not None}
            if reasons and (self._stops or all(part.stopped is not None for part in now or parts)):
                progress.stopped = INTERRUPTED if INTERRUPTED in reasons else "; ".join(sorted(reasons))
            progress.away = away_from_all(now)
        if self._asking.observer is not None:
            self._asking.observer(list(self._progress.values()))

    def _waits(self, name: str, now: Sequence[ModelProgress]) -> str | None:
        """What has to be there before a model is asked, given the counts of its workers that are at work."""
        if now:
            return None if any(part.waits is None for part in now) else now[0].waits
        if any(seat.deployed and seat.models[0].name == name for seat in self._seats.values()):
            return "its worker is starting"
        return (
            "waiting for a GPU" if any(seat.models[0].name == name for seat in self._queue.values()) else None
        )

    def _tell(self, note: str) -> None:
        progress = next(iter(self._progress.values()))
        if note not in progress.notes:
            progress.notes.append(note)

    def _stop(self) -> None:
        self._stops += 1

    def _free(self, name: str) -> None:
        patiently(RequestQueue(self._workspace, self._run.id, name=name).leave)


def seats_for(workspace: Workspace, models: Sequence[Model], cluster: Cluster) -> list[Seat]:
    """The workers that ask ``models``. FolkwaysError for a cluster that has no room for them, a workspace
    that they cannot reach, and an address that may not be stored in the cluster."""
    ray = connect()
    placed = seats(ray, models, cluster)
    check_reachable(ray, workspace)
    for model in models:
        _written(model)
    return placed


def _written(model: Model) -> str:
    """The model with its address; FolkwaysError for an address that holds a password."""
    if _CREDENTIALS.search(text := model.written or model.name):
        raise FolkwaysError(
            f"the address of {model.name} holds a password, which would be stored in the cluster; set the "
            "environment variable of its key on each node instead"
        )
    return text


def _limit(workspace: Workspace, run: run_records.RunRecord, limit: Amount | None) -> Units | None:
    """What may be taken in all, so that this session spends no more than its limit in addition to earlier
    ones."""
    if limit is None:
        return None
    requests, tokens, usd = (
        out + more for out, more in zip(taken(workspace, run.id), units_of(limit), strict=True)
    )
    return requests, tokens, usd
