"""Measure how long people wait while many items are imported.

python -m perf.studio.imports --rows 12000 --people 10 --ending .csv,.xlsx --database sqlite,postgresql
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import numpy as np
import polars as pl

from folkways.workspace.database import Workspace
from folkways_studio.database.opening import open_workspace
from folkways_studio.items import imports
from folkways_studio.people import accounts, sessions
from folkways_studio.records import Role
from folkways_studio.studies import service as studies
from perf.studio.__main__ import _new_database
from perf.studio.browser import Browser, Watch
from perf.studio.people import Account, Person
from perf.studio.scenario import Scenario, prepare
from perf.studio.server import Server

GOAL = 0.5
"""Seconds for which nobody's answer may wait while an import runs."""

HEADER = (
    "database", "file", "rows", "reply to the upload s", "import s", "requests meanwhile", "before: p95 / worst s",
    "p50 s", "p95 s", "worst s", "CPU ms per request: before / during", "load",
)  # fmt: skip

QUIET = 6.0
"""Seconds before the import, to compare with."""


@dataclass(frozen=True, slots=True)
class ImportTimes:
    """Seconds that the import took, and seconds of the answers before and during it. cpu: milliseconds of the
    server per request, before and during it, when the import's own are among them.
    """

    upload: float
    took: float
    before: list[float]
    during: list[float]
    cpu: tuple[float, float]
    state: str
    added: int


def table(rows: int, ending: str) -> bytes:
    """Questions as a researcher brings them."""
    about = " ".join(["a question about what people do in the morning, at noon and in the evening"] * 3)
    frame = pl.DataFrame(
        [
            {
                "item": f"new-{n}",
                "question": f"{n}: {about}?",
                **{f"option_{c}": f"{c} of {n}" for c in "abcd"},
            }
            for n in range(rows)
        ]
    )
    buffer = io.BytesIO()
    if ending == ".xlsx":
        _workbook(frame, buffer)
    else:
        frame.write_csv(buffer)
    return buffer.getvalue()


def _workbook(frame: pl.DataFrame, buffer: io.BytesIO) -> None:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(frame.columns)
    for row in frame.iter_rows():
        sheet.append(row)
    book.save(buffer)


async def drive(
    workspace: Workspace, server: Server, invitation: str, scenario: Scenario, content: bytes, ending: str
) -> ImportTimes:
    """Let people answer, import the table as the study's owner, and go on until it is over."""
    watch, account, over = Watch(time.monotonic() + scenario.most), Account(), asyncio.Event()
    connector = aiohttp.TCPConnector(limit=0)
    people = [
        asyncio.create_task(
            Person(n, Browser(server.url, connector, watch), scenario, account, over).live(invitation)
        )
        for n in range(scenario.people)
    ]
    await asyncio.sleep(scenario.arrival)
    marks = [(server.cpu, watch.requests)]
    await asyncio.sleep(QUIET)
    marks.append((server.cpu, watch.requests))
    study = studies.get_study(workspace, scenario.study)
    owner, _ = accounts.members(workspace, study.id, Role.OWNER)[0]
    token = sessions.open_session(workspace, owner.id)
    session = sessions.find_session(workspace, token)
    assert session is not None
    began = time.monotonic()
    async with aiohttp.ClientSession(
        headers={"Origin": server.url, "Cookie": f"folkways_session={token}"}
    ) as client:
        form = aiohttp.FormData(
            {"csrf": session.csrf, "stage": studies.stages(workspace, study.id)[0].name, "population": ""}
        )
        form.add_field("file", content, filename=f"many{ending}")
        async with client.post(
            f"{server.url}/studies/{study.name}/data/items", data=form, allow_redirects=False
        ) as reply:
            if reply.status != 303:
                raise RuntimeError(f"{reply.status}: {(await reply.text())[-3000:]}")
            place = reply.headers["Location"]
        upload = time.monotonic() - began
        while True:
            (found, *_) = await asyncio.to_thread(imports.list_imports, workspace, study.id)
            if found.state not in imports.AT_WORK:
                break
            await asyncio.sleep(0.5)
            async with client.get(server.url + place, headers={"HX-Request": "true"}) as reply:
                await reply.read()  # as the researcher's page does
    ended = time.monotonic()
    marks.append((server.cpu, watch.requests))
    over.set()
    await asyncio.gather(*people)
    await connector.close()
    sent = [pair for kind in ("submit", "page", "next") for pair in watch.latency[kind]]
    before = [seconds for at, seconds in sent if began - QUIET < at < began - 0.5]
    during = [seconds for at, seconds in sent if began <= at + seconds and at <= ended]
    (was, asked), (then, by_then), (now, by_now) = marks
    cpu = 1000 * (then - was) / max(1, by_then - asked), 1000 * (now - then) / max(1, by_now - by_then)
    return ImportTimes(upload, ended - began, before, during, cpu, found.state, found.added)


def shown(name: str, ending: str, found: ImportTimes) -> str:
    """One line of the table."""
    now, then = np.array(found.during), np.array(found.before)
    cells = [
        name,
        ending[1:],
        f"{found.added:,} ({found.state})",
        f"{found.upload:.1f}",
        f"{found.took:.1f}",
        f"{len(now):,}",
        f"{np.quantile(then, 0.95):.2f} / {then.max():.2f}",
        *(f"{np.quantile(now, share):.2f}" for share in (0.5, 0.95, 1)),
        f"{found.cpu[0]:.1f} / {found.cpu[1]:.1f}",
        f"{os.getloadavg()[0]:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m perf.studio.imports", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--people", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--ending", default=".csv,.xlsx")
    parser.add_argument("--database", default="sqlite,postgresql")
    options = parser.parse_args()
    print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
    worst = 0.0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="folkways-import-")))
        server = None
        if "postgresql" in options.database:
            from tests.support.postgres import postgres_server

            server = stack.enter_context(postgres_server()).url
        for database in options.database.split(","):
            for ending in options.ending.split(","):
                location = (
                    _new_database(server, ending[1:])
                    if database == "postgresql"
                    else str(folder / f"{ending[1:]}.db")
                )
                scenario = Scenario(
                    "import", options.people, 400, options.seconds, max(3.0, options.people / 12), 600.0,
                    leave=0, late=0, kills=0, most=400.0,
                )  # fmt: skip
                workspace = open_workspace(location)
                invitation = prepare(workspace, scenario)
                with Server(location, folder / "server.log") as running:
                    found = asyncio.run(
                        drive(workspace, running, invitation, scenario, table(options.rows, ending), ending)
                    )
                workspace.close()
                print(shown(database, ending, found), flush=True)
                worst = max(worst, max(found.during))
    return 0 if worst < GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
