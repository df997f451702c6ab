"""One measurement: prepares the study, lets people come, kills the server on the way, and reads the database
afterwards."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import numpy as np

from folkways.workspace.database import Workspace
from folkways_studio.database.opening import open_workspace
from perf.studio.audit import all_done, answered, audit
from perf.studio.browser import Browser, Watch
from perf.studio.people import Account, Person
from perf.studio.scenario import Scenario, prepare
from perf.studio.server import Server

LOOK_SECONDS = 0.5
Outages = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured.

    p50, p95, worst: seconds of a reply, over all requests; p95_up: without those that met a server that had
    been killed. by_kind: kind -> number, p50, p95. busy: share of all cores that was in use by anybody.
    outages: seconds for which each kill kept the server away. problems: what is wrong in the database.
    """

    scenario: Scenario
    database: str
    wall: float
    answers: int
    requests: int
    p50: float
    p95: float
    p95_up: float
    worst: float
    by_kind: dict[str, tuple[int, float, float]]
    server_cpu: float
    own_cpu: float
    busy: float
    load: float
    broken: int
    outages: tuple[float, ...]
    did: dict[str, int]
    statuses: dict[int, int]
    problems: tuple[str, ...]


def measure(scenario: Scenario, location: str, database: str, folder: Path) -> Result:
    """Run one scenario on an empty workspace at ``location``; files go to ``folder``. Stops by itself after
    ``scenario.most``."""
    workspace = open_workspace(location)
    try:
        invitation = prepare(workspace, scenario)
        with Server(location, folder / "server.log", scenario.workers) as server:
            return asyncio.run(_drive(scenario, database, workspace, server, invitation))
    finally:
        workspace.close()


async def _drive(
    scenario: Scenario, database: str, workspace: Workspace, server: Server, invitation: str
) -> Result:
    began, own, machine = time.monotonic(), time.process_time(), _machine()
    watch, account, over = Watch(began + scenario.most), Account(), asyncio.Event()
    connector = aiohttp.TCPConnector(limit=0)
    people = [
        Person(number, Browser(server.url, connector, watch), scenario, account, over).live(invitation)
        for number in range(scenario.people)
    ]
    keeping = asyncio.create_task(_keep(scenario, workspace, server, over, watch.deadline))
    try:
        await asyncio.gather(*people)
    finally:
        over.set()
        outages = await keeping
        await connector.close()
    wall = time.monotonic() - began
    busy, total = (after - before for after, before in zip(_machine(), machine, strict=True))
    made, seconds = np.array([each for found in watch.latency.values() for each in found]).T
    met = np.logical_or.reduce(
        [(made < end) & (made + seconds > start) for start, end in outages] or [np.zeros(len(made), bool)]
    )
    return Result(
        scenario=scenario,
        database=database,
        wall=wall,
        answers=answered(workspace),
        requests=len(seconds),
        p50=float(np.percentile(seconds, 50)),
        p95=float(np.percentile(seconds, 95)),
        p95_up=float(np.percentile(seconds[~met], 95)),
        worst=float(seconds.max()),
        by_kind={
            kind: (
                len(found),
                *(float(np.percentile([each for _, each in found], share)) for share in (50, 95)),
            )
            for kind, found in sorted(watch.latency.items())
        },
        server_cpu=server.cpu,
        own_cpu=time.process_time() - own,
        busy=busy / total,
        load=os.getloadavg()[0],
        broken=watch.broken,
        outages=tuple(end - start for start, end in outages),
        did=dict(account.did),
        statuses=dict(watch.statuses),
        problems=tuple(audit(workspace, account)),
    )


async def _keep(
    scenario: Scenario, workspace: Workspace, server: Server, over: asyncio.Event, deadline: float
) -> Outages:
    """Kill the server when as many answers are there as planned, and tell everybody when all items are done;
    when it was away."""
    at = [scenario.answers * (number + 1) // (scenario.kills + 1) for number in range(scenario.kills)]
    outages = []
    while not over.is_set() and time.monotonic() < deadline:
        await asyncio.sleep(LOOK_SECONDS)
        if at and await asyncio.to_thread(answered, workspace) >= at[0]:
            at.pop(0)
            began = time.monotonic()
            await asyncio.to_thread(server.kill)
            outages.append((began, time.monotonic()))
        elif await asyncio.to_thread(all_done, workspace):
            over.set()
    return tuple(outages)


def _machine() -> tuple[float, float]:
    """Jiffies in use by anybody, and all of them, since the start of the machine."""
    fields = [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(fields) - fields[3] - fields[4], sum(fields)
