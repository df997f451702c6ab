"""A model that is deployed to be asked: its copies take GPUs of this machine as these come free, and give
them back at its end."""

from __future__ import annotations

import asyncio
import math
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from folkways.endpoints.base import (
    Completion,
    Endpoint,
    EndpointFailure,
    EndpointOptions,
    NamedEndpoint,
    NotServedError,
    Request,
)
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers.providers import providers
from folkways.errors import FolkwaysError
from folkways.runs.models import Model
from folkways.runs.options import Deployment
from folkways.runs.serving import ModelServer

VISIBLE = "CUDA_VISIBLE_DEVICES"

LIST_SECONDS = 60.0
"""How long nvidia-smi may take: minutes of a driver that is being loaded are not among ours."""

Rank = tuple[float, ...]


def visible_gpus(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them; where that is not set, all that
    nvidia-smi lists.

    An identifier of a card (``GPU-...``) or of a part of one (``MIG-...``) is one GPU, as a number is. As for
    CUDA itself, the list ends at the first number below zero.
    """
    named = environment.get(VISIBLE)
    if named is None:
        return _listed()
    gpus: list[str] = []
    for name in map(str.strip, named.split(",")):
        if not name or name.startswith("-") or name == "NoDevFiles":
            break
        gpus.append(name)
    return tuple(dict.fromkeys(gpus))


def _listed() -> tuple[str, ...]:
    try:
        listed = subprocess.run(
            ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"],  # noqa: S607 - the one of this machine
            capture_output=True,
            text=True,
            timeout=LIST_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    lines = [line.strip() for line in listed.stdout.splitlines()] if listed.returncode == 0 else []
    return tuple(line for line in lines if line.isdigit())


@dataclass(eq=False)
class Seat:
    """What a model has of the machine. gpus: it has ``share`` of each; none: a CPU."""

    gpus: tuple[str, ...]
    share: float

    @property
    def environment(self) -> dict[str, str]:
        """What tells a process its GPUs: all of them hidden from one that has none."""
        return {VISIBLE: ",".join(self.gpus)}


@dataclass(eq=False)
class _WaitingModel:
    rank: Rank
    wanted: float
    seat: asyncio.Future[Seat] = field(repr=False)


class Gpus:
    """Hands out GPUs to those that wait, by their rank: the lowest first, and none overtakes it while there
    is too little for it.

    names: of the GPUs; cpus: how many may run at once that need none.
    """

    def __init__(self, names: Sequence[str], cpus: int) -> None:
        self.names = tuple(names)
        self._free = dict.fromkeys(self.names, 1.0)
        self._cpus = max(1, cpus)
        self._waiting: list[_WaitingModel] = []

    @classmethod
    def of_machine(cls) -> Gpus:
        """Those of this machine."""
        return cls(visible_gpus(), os.cpu_count() or 1)

    def wanted(self, gpus: float | None, who: str) -> float:
        """How many GPUs a copy takes: ``gpus``, or one where there are any; FolkwaysError where there are not
        that many."""
        if gpus is None:
            return 1.0 if self.names else 0.0
        if math.ceil(gpus) > len(self.names):
            available = (
                f"{len(self.names)} here ({VISIBLE} or nvidia-smi tells)" if self.names else "none here"
            )
            more = (
                ""
                if self.names
                else f"; where nvidia-smi does not list them, name them: export {VISIBLE}=0,1"
            )
            raise FolkwaysError(f"{who} takes {gpus:g} GPUs, and there are {available}{more}")
        return gpus

    async def take(self, wanted: float, rank: Rank) -> Seat:
        """Wait for ``wanted`` GPUs. May be cancelled."""
        waiting = _WaitingModel(rank, wanted, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._waiting.sort(key=lambda one: one.rank)
        self._hand_out()
        try:
            return await waiting.seat
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
                self._hand_out()
            elif not waiting.seat.cancelled():
                self.give_back(waiting.seat.result())
            raise

    def give_back(self, seat: Seat) -> None:
        """Let others have what a model had."""
        for name in seat.gpus:
            self._free[name] = min(1.0, round(self._free[name] + seat.share, 6))
        self._cpus += not seat.gpus
        self._hand_out()

    def _hand_out(self) -> None:
        # those that need a GPU and those that need none do not wait for each other
        blocked: set[bool] = set()
        self._waiting = [waiting for waiting in self._waiting if not waiting.seat.cancelled()]
        for waiting in list(self._waiting):
            seat = None if bool(waiting.wanted) in blocked else self._seat(waiting.wanted)
            if seat is None:
                blocked.add(bool(waiting.wanted))
                continue
            self._waiting.remove(waiting)
            waiting.seat.set_result(seat)

    def _seat(self, wanted: float) -> Seat | None:
        """What is free of that, taken; of GPUs that are shared the fullest that has room."""
        if not wanted:
            if not self._cpus:
                return None
            self._cpus -= 1
            return Seat((), wanted)
        share = min(wanted, 1.0)
        able = sorted(
            (name for name in self.names if self._free[name] >= share - 1e-9),
            key=lambda name: self._free[name],
        )
        if len(able) < math.ceil(wanted):
            return None
        chosen = tuple(name for name in self.names if name in able[: math.ceil(wanted)])
        for name in chosen:
            self._free[name] = max(0.0, round(self._free[name] - share, 6))
        return Seat(chosen, share)


END_SECONDS = 2.0
"""How long after a connection broke it may take until its server is known to have ended."""

MOST_STARTS = 2
"""Starts in a row after which no reply came: then a copy is given up. Not one: where a worker was killed, the
server of a model before may hold the memory of the GPU for some seconds more."""


def check_deployable(model: Model, deployment: Deployment) -> None:
    """FolkwaysError for a model that no server can be started for, or whose GPUs the user cannot choose."""
    kind, _, rest = (model.written or model.name).partition("/")
    if deployment.serve is not None:
        servable = [name for name, provider in providers().items() if not provider.key_required]
        if kind not in servable or "@" in rest:
            names = ", ".join(f"{name}/NAME" for name in servable)
            raise FolkwaysError(
                f"serve starts the server of a model without an address ({names}), got {model.name}"
            )
    elif not getattr(model.endpoint, "runs_here", False):
        raise FolkwaysError(
            f"{model.name}: gpus and copies are for a model with serve, or one that runs here "
            "(vllm-offline/, hf/)"
        )


def deployed(models: Sequence[Model], timeout: float) -> list[Endpoint]:
    """The endpoint to ask each model at: those that are deployed share the GPUs of this machine.

    timeout: seconds for one request. FolkwaysError for a model that cannot be deployed, or needs more GPUs
    than there are.
    """
    gpus: Gpus | None = None
    endpoints = []
    for rank, model in enumerate(models):
        is_local = hasattr(model.endpoint, "deployed")
        deployment = model.deployment or (Deployment() if is_local else None)
        if deployment is None:
            endpoints.append(model.endpoint)
            continue
        check_deployable(model, deployment)
        if deployment.serve is None and not is_local:
            raise FolkwaysError(
                f"{model.name} runs in the process that asks it; gpus and copies are for serve, "
                "vllm-offline/ and --on ray"
            )
        gpus = gpus or Gpus.of_machine()
        endpoints.append(
            DeployedEndpoint(model.endpoint, deployment, gpus, rank, EndpointOptions(timeout=timeout))
        )
    return endpoints


class DeployedEndpoint(NamedEndpoint):
    """Asks a model at its copies, each request at the one with the least to do.

    It is the model: name, identity, and what it can do are those of the endpoint that it was named by.
    ``open`` waits for GPUs and for the first copy, which may take hours. Further ones are begun after that,
    where no other model waits for its first. A copy whose server or engine ends is started again, and what it
    had not answered is asked again. NotServedError from ``open`` where the first copy does not start; a fatal
    EndpointFailure once no copy is left.

    rank: among the models that wait for GPUs, the lowest first.
    """

    def __init__(
        self, named: Endpoint, deployment: Deployment, gpus: Gpus, rank: int, options: EndpointOptions
    ) -> None:
        self.named = named
        self.name, self.identity, self.local = named.name, named.identity, named.local
        self.default_concurrency = named.default_concurrency * deployment.copies
        self.deployment, self.gpus, self.rank, self.options = deployment, gpus, rank, options
        self.wanted = gpus.wanted(deployment.gpus, named.name)
        self.concurrency = 1
        self.waits: str | None = None
        self.notes: list[str] = []
        self._copies: list[_Copy] = []
        self._changed = asyncio.Event()
        self._failure: str | None = None

    def __getattr__(self, name: str) -> Any:
        if name == "batches" or name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.named, name)

    @property
    def first_concurrency(self) -> int:
        """That of all running copies together."""
        usual = self.named.default_concurrency
        return sum(getattr(copy.endpoint, "first_concurrency", usual) for copy in self._standing()) or 1

    @property
    def about(self) -> str:
        """How its first copy runs."""
        return next(
            (str(text) for copy in self._standing() if (text := getattr(copy.endpoint, "about", None))), ""
        )

    async def open(self, concurrency: int) -> None:
        """Wait for GPUs and for the first copy; NotServedError where it does not start."""
        if self._copies:
            return
        self.concurrency, self._failure = concurrency, None
        self._copies = [_Copy(self, 0)]
        try:
            await self._least_busy()
        except EndpointFailure as failure:
            await self.close()
            raise NotServedError(str(failure)) from None
        except BaseException:
            await self.close()
            raise
        self.waits = None
        self._copies += [_Copy(self, number) for number in range(1, self.deployment.copies)]

    async def close(self) -> None:
        """Stop every copy and give its GPUs back. Safe to call twice."""
        copies, self._copies = self._copies, []
        for copy in copies:
            copy.stop()
        if copies:
            await asyncio.wait({copy.task for copy in copies})

    async def look(self) -> float | None:
        """As every HTTP endpoint; the soonest of the copies."""
        looks = [look for copy in self._copies if (look := getattr(copy.endpoint, "look", None)) is not None]
        waits = [wait for look in looks if (wait := await look()) is not None]
        return min(waits, default=None)

    async def complete(self, request: Request) -> Completion:
        """Ask a copy; another one, or the same once it is back, where it ended before it answered."""
        while True:
            copy = await self._least_busy()
            start = copy.starts
            copy.busy += 1
            try:
                completion = await copy.asked.complete(request)
                copy.fruitless = 0
                return completion
            except EndpointFailure as failure:
                if failure.status is not None or failure.timed_out or not await copy.has_ended(start):
                    raise
            finally:
                copy.busy -= 1

    async def _least_busy(self) -> _Copy:
        while not (standing := self._standing()):
            if self._failure is not None:
                raise EndpointFailure(self._failure, fatal=True)
            if not self._copies:
                raise FolkwaysError(f"{self.name} was asked before it was opened; call open() first")
            await self._changed.wait()
        return min(standing, key=lambda copy: copy.busy)

    def _standing(self) -> list[_Copy]:
        return [copy for copy in self._copies if copy.stands]

    def changed(self) -> None:
        """Wake those that wait for a copy, after one has begun or ended."""
        before, self._changed = self._changed, asyncio.Event()
        before.set()

    def given_up(self, lost: _Copy, why: str) -> None:
        """A copy will not be started again; the last one takes the model with it."""
        if all(copy is lost or copy.task.done() for copy in self._copies):
            self._failure = why
        else:
            self.notes.append(f"{why}; its other copies go on")
        self.changed()


class _Copy:
    """One copy of a model, from the moment when it waits for its GPUs. ``task`` lives as long as it does.

    starts: how often it was started; fruitless: how often in a row without a reply since; busy: requests on
    their way to it.
    """

    def __init__(self, owner: DeployedEndpoint, number: int) -> None:
        self._owner = owner
        self._number = number
        self.endpoint: Endpoint | None = None
        self.stands = self._ends = False
        self.busy = self.starts = self.fruitless = 0
        self._server: ModelServer | None = None
        self._ended = asyncio.Event()
        self.task = asyncio.create_task(self._live())

    @property
    def asked(self) -> Endpoint:
        """The endpoint of a running copy."""
        assert self.endpoint is not None  # noqa: S101 - it runs
        return self.endpoint

    async def _live(self) -> None:
        owner, seat = self._owner, None
        try:
            self._tell(
                f"waiting for {'GPUs' if owner.wanted > 1 else 'a GPU' if owner.wanted else 'a processor'}"
            )
            # The first copy of every model before the second of any; large models before small ones, which
            # fit in later.
            seat = await owner.gpus.take(owner.wanted, (self._number, -owner.wanted, owner.rank))
            while True:
                self._tell("its server is starting" if owner.deployment.serve else "its engine is starting")
                self._ended.clear()
                self.starts += 1
                self.fruitless += 1
                try:
                    await self._start(seat)
                except NotServedError as error:
                    why = str(error)
                else:
                    self.stands = True
                    owner.changed()
                    await self._ended.wait()
                    why = f"{owner.name}: it ended while it was asked: {await self._last_words()}"
                if self.fruitless >= MOST_STARTS:
                    raise NotServedError(why)
                owner.notes.append(f"{why}; it is started again")
        except FolkwaysError as error:
            owner.given_up(self, str(error))
        finally:
            self.stands, self._ends = False, True
            try:
                if self.endpoint is not None:
                    await self.endpoint.close()
                if self._server is not None:
                    await self._server.stop()
            finally:
                if seat is not None:  # once nothing runs there any more
                    owner.gpus.give_back(seat)

    def stop(self) -> None:
        """End it, unless it does so already: what cuts that off would leave its server running."""
        if not self._ends:
            self.task.cancel()

    def _tell(self, waits: str) -> None:
        if not self._number:
            self._owner.waits = waits

    async def _start(self, seat: Seat) -> None:
        owner = self._owner
        if owner.deployment.serve is None:
            if self.endpoint is None:
                self.endpoint = owner.named.deployed(seat.environment)  # type: ignore[attr-defined]
            await self.asked.close()
            await self.asked.open(owner.concurrency)
            return
        # At the same port again: the replies that were on their way are settled by the connections of the
        # same endpoint.
        port = None
        if self._server is not None:
            port = self._server.port
            await self._server.stop()
        self._server = ModelServer(owner.deployment.serve, seat.environment, port)
        try:
            await self._server.listens()
        except NotServedError as error:
            raise NotServedError(f"{owner.name}: {error}") from None
        if self.endpoint is None:
            self.endpoint = open_name(f"{owner.name}@{self._server.url}", owner.options)
            await self.endpoint.open(owner.concurrency)

    async def has_ended(self, start: int) -> bool:
        """Whether what was begun at the start of that number runs no longer; it is then started again."""
        if self.stands and self.starts == start and await self._is_over() and self.starts == start:
            self.stands = False
            self._ended.set()
        return not self.stands or self.starts != start

    async def _is_over(self) -> bool:
        if self._server is not None:
            return await self._server.has_ended(END_SECONDS)
        return bool(await self.asked.has_ended(END_SECONDS))  # type: ignore[attr-defined]

    async def _last_words(self) -> str:
        words = self._server if self._server is not None else self.asked
        return str(await words.last_words())  # type: ignore[union-attr]
