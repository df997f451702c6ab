"""One session of asking: all endpoints of a run at once, progress, heartbeats, and Ctrl-C that finishes
cleanly."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from folkways.endpoints.batches import Batches
from folkways.engine import interrupts
from folkways.engine.asking import EndpointJob, EndpointRunner
from folkways.engine.batching import Batching
from folkways.engine.budget import Budget
from folkways.engine.progress import ModelProgress
from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError, patiently
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.workers import STALE_SECONDS

Observer = Callable[[Sequence[ModelProgress]], None]
"""Is shown the counts of all endpoints, every now and then."""

INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Crew:
    """The processes that ask a run together, as one of them sees it.

    name: of this worker among them; None for a process by itself (workspace.queue.request_queue).
    joins: whether the session had begun before it came: failures of the others then count.
    stops: how often the one who started it has asked it to stop, as signals do where a person did.
    anywhere: whether each begins somewhere in the run, so that they do not claim the same rows.
    """

    name: str | None = None
    joins: bool = False
    stops: Callable[[], int] = lambda: 0
    anywhere: bool = True


ALONE = Crew(anywhere=False)


def ask(
    workspace: Workspace,
    run_id: int,
    jobs: Sequence[EndpointJob],
    *,
    budget: Budget | None = None,
    observer: Observer | None = None,
    every: float = 0.5,
    crew: Crew = ALONE,
    only: Collection[str] | None = None,
) -> list[ModelProgress]:
    """Ask all endpoints what the run still expects of them; returns the final counts, one per job.

    workspace, run_id: the run.
    jobs: one per endpoint.
    budget: for all of them; None for no limit.
    crew: the processes that work on it together.
    only: keys of the requests that are asked; None for all that the run expects.
    observer: called every ``every`` seconds and once at the end. The first Ctrl-C (or SIGTERM) stops sending
        and waits for what is on its way; the second gives that up too. Both leave everything that was
        answered stored.
    Raises the first error that ended an endpoint's work (a full disk, a model that cannot be loaded), after
    the other endpoints have been stopped and stored.
    """

    def session(crew: Crew) -> Coroutine[Any, Any, list[ModelProgress]]:
        return _session(workspace, run_id, jobs, budget or Budget(), observer, every, crew, only)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(session(crew))
    # Where a loop runs already, as in a notebook, the session has its own in a thread. Signals come here.
    signals: list[None] = []
    heard = replace(crew, stops=lambda: crew.stops() + len(signals))
    with ThreadPoolExecutor(1) as thread, interrupts.listening(lambda: signals.append(None)):
        ending = thread.submit(asyncio.run, session(heard))
        while not wait([ending], timeout=every).done:  # a signal that another thread got wakes nobody
            pass
        return ending.result()


async def _session(
    workspace: Workspace,
    run_id: int,
    jobs: Sequence[EndpointJob],
    budget: Budget,
    observer: Observer | None,
    every: float,
    crew: Crew,
    only: Collection[str] | None,
) -> list[ModelProgress]:
    request_queue = RequestQueue(workspace, run_id, name=crew.name, only=only)
    with ThreadPoolExecutor(1, thread_name_prefix="folkways-database") as database:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(database, patiently, partial(request_queue.enter, joins=crew.joins))
        runners = [
            EndpointRunner(job, request_queue, database, budget, anywhere=crew.anywhere) for job in jobs
        ]
        progresses = [runner.progress for runner in runners]
        tasks = [
            asyncio.create_task(_ask_endpoint(runner, job.batch))
            for runner, job in zip(runners, jobs, strict=True)
        ]
        for progress, task in zip(progresses, tasks, strict=True):
            task.add_done_callback(progress.end)
        interrupted = _stopper(runners, tasks)
        ticker = asyncio.create_task(
            show_and_beat(request_queue, database, _obeying(crew, interrupted, observer), progresses, every)
        )
        try:
            with interrupts.listening(lambda: loop.call_soon_threadsafe(interrupted)):
                finished = await _all_or_first_error(runners, tasks)
        finally:
            ticker.cancel()
            await asyncio.gather(ticker, return_exceptions=True)
            with suppress(WorkspaceError):  # then it counts as spent
                if budget.shared is not None:
                    await asyncio.shield(
                        loop.run_in_executor(database, budget.shared.put_back, budget.unspent())
                    )
            with suppress(WorkspaceError):  # what could not be given back is free when this process has ended
                await asyncio.shield(loop.run_in_executor(database, request_queue.leave))
            if observer is not None:
                observer(progresses)
        return finished


async def _ask_endpoint(runner: EndpointRunner, batch: Batches | None) -> ModelProgress:
    """Ask in batches where that is wanted, and the rest one by one."""
    if batch is None or await Batching(runner, batch).run():
        await runner.run()
    runner.progress.out = await runner.on_database(runner.request_queue.out, runner.endpoint_id)
    return runner.progress


async def _all_or_first_error(
    runners: Sequence[EndpointRunner], tasks: Sequence[asyncio.Task[ModelProgress]]
) -> list[ModelProgress]:
    await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    broken = [task for task in tasks if task.done() and not task.cancelled() and task.exception() is not None]
    if broken:
        for runner in runners:
            runner.stop("another model of this run could not go on")
        await asyncio.gather(*tasks, return_exceptions=True)
        raise broken[0].exception()  # type: ignore[misc]
    return [
        runner.progress if task.cancelled() else task.result()
        for runner, task in zip(runners, tasks, strict=True)
    ]


async def show_and_beat(
    request_queue: RequestQueue,
    database: ThreadPoolExecutor,
    observer: Observer | None,
    progresses: Sequence[ModelProgress],
    every: float,
) -> None:
    """Show the progress and give signs of life until it is cancelled.

    request_queue: whose ``heartbeat`` is due four times before its worker is taken for dead; a beat that
    cannot be written is tried again at the next. database: the thread that it runs in. observer: shown
    ``progresses`` every ``every`` seconds, if there is one.
    """
    beat = time.monotonic()
    while True:
        await asyncio.sleep(every)
        if observer is not None:
            observer(progresses)
        if time.monotonic() - beat > STALE_SECONDS / 4:
            beat = time.monotonic()
            # a disk that stays full ends the session when replies cannot be stored
            with suppress(WorkspaceError):
                await asyncio.get_running_loop().run_in_executor(database, request_queue.heartbeat)


def _stopper(
    runners: Sequence[EndpointRunner], tasks: Sequence[asyncio.Task[ModelProgress]]
) -> Callable[[], None]:
    """What the first signal calls for a clean stop, and the second to cancel what is on its way."""
    seen = 0

    def interrupted() -> None:
        nonlocal seen
        seen += 1
        for runner, task in zip(runners, tasks, strict=True):
            runner.stop(INTERRUPTED)
            if seen == 2:  # a third one would cut off the storing of what has arrived
                task.cancel()

    return interrupted


def _obeying(crew: Crew, interrupted: Callable[[], None], observer: Observer | None) -> Observer:
    """The observer, which looks as well whether the crew was asked to stop since it looked last."""
    seen = 0

    def observe(progresses: Sequence[ModelProgress]) -> None:
        nonlocal seen
        while seen < crew.stops():
            seen += 1
            interrupted()
        if observer is not None:
            observer(progresses)

    return observe
