"""The GPUs of this machine, and which model has which of them for now."""

from __future__ import annotations

import asyncio
import math
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from folkways.errors import FolkwaysError

VISIBLE = "CUDA_VISIBLE_DEVICES"

LIST_SECONDS = 60.0
"""How long nvidia-smi may take: minutes of a driver that is being loaded are none of ours."""

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
    """What a model has of the machine. gpus: of which it has ``share`` each; none: a CPU."""

    gpus: tuple[str, ...]
    share: float

    @property
    def environment(self) -> dict[str, str]:
        """What tells a process its GPUs: all of them hidden from one that has none."""
        return {VISIBLE: ",".join(self.gpus)}


@dataclass(eq=False)
class _Waiting:
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
        self._waiting: list[_Waiting] = []

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
            there = f"{len(self.names)} here ({VISIBLE} or nvidia-smi tells)" if self.names else "none here"
            more = (
                ""
                if self.names
                else f"; where nvidia-smi does not list them, name them: export {VISIBLE}=0,1"
            )
            raise FolkwaysError(f"{who} takes {gpus:g} GPUs, and there are {there}{more}")
        return gpus

    async def take(self, wanted: float, rank: Rank) -> Seat:
        """Wait for so many GPUs. May be cancelled."""
        waiting = _Waiting(rank, wanted, asyncio.get_running_loop().create_future())
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
        blocked: set[bool] = (
            set()
        )  # those that need a GPU and those that need none do not wait for each other
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
            return Seat((), 0.0)
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
