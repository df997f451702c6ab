"""Measures what a workspace costs per request, on SQLite and a PostgreSQL that it starts, and simulates what
is too large here.

    python -m perf.scale                     # twenty minutes on two cores; prints, and writes RESULTS.md
    python -m perf.scale --rows 20000        # a quick look; prints only

What is simulated is simulated first at a size that real workers run, and held against them.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy

from perf.scale import rows
from perf.scale.crews import Cost, Crew, answer_all, cost_of_claims, cost_of_saves, crew, make_run
from perf.scale.judging import JudgingCost, judged
from perf.scale.simulation import CONCURRENCY, Costs, Outcome, Setting, simulate
from tests.support.mcq_data import write_mcq_release
from tests.support.postgres import postgres_server

RESULTS = Path(__file__).parent / "RESULTS.md"
SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
TASKS = {
    "blend/saq": (SHARED / "blend" / "24e7d73", 20_000),
    "xcr/identification": (SHARED / "xcr", 20_000),
    "xcr/prediction": (SHARED / "xcr", 20_000),
}
USUAL = 100_000
FEED = 512
HELD = 64_000
CREWS = (1, 2, 4, 8, 16, 32)
CHECKED = ((4, 0.0, True), (8, 0.0, True), (8, 0.2, True), (8, 0.2, False))
"""Workers, seconds per reply, and whether all begin at the run's beginning, of the crews that the simulation
is held against."""
SERVER = Setting(1, 10_000_000, 64, 2.0, 16.0)
ELSEWHERE = replace(SERVER, ordered=False)
WAYS = {
    "as it is": (SERVER, True),
    "each worker begins elsewhere": (ELSEWHERE, True),
    "... and saves once a second": (replace(ELSEWHERE, flush=1.0), True),
    "... and others' keys are not read": (replace(ELSEWHERE, flush=1.0), False),
    "... and claims are of 512": (replace(ELSEWHERE, flush=1.0, feed=512), False),
}
WIDE = {
    "as it is": (
        replace(SERVER, feed=512, latency=0.125),
        True,
    ),  # 512 in two seconds are 32 in an eighth of one
    "each worker begins elsewhere": (replace(ELSEWHERE, feed=512, latency=0.125), True),
}
"""What is simulated: replies after two seconds, 32 at once, on a server of 16 cores; and whether a claim
reads the others' keys."""


def main() -> None:
    """Measure, simulate, print, and write what was measured at the usual size."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.scale", description="What a workspace costs per request."
    )
    parser.add_argument("--rows", type=int, default=USUAL)
    size = parser.parse_args().rows
    lines = [
        "# A workspace at scale: what was measured, and what follows",
        f"`python -m perf.scale`, {datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores "
        f"({platform.machine()}, Python "
        f"{platform.python_version()}), load {os.getloadavg()[0]:.1f} when it began: other programs ran, "
        "so that the clock's "
        "seconds say little and the processor's more. PostgreSQL ran on the same cores with `fsync=off`. "
        f"Runs of {size:,} requests with prompts of 360 characters and replies of 80.",
    ]
    with tempfile.TemporaryDirectory() as name, postgres_server() as database_server:
        base = database_server.url
        folder = Path(name)
        lines += _tell("## Judging", _judging(_every_task(folder)))
        server = _database(base, "rows")
        stores = {"PostgreSQL": server, "SQLite": str(folder / "w.db")}
        lines += _tell("## Rows", _rows(stores, size, folder))
        costs, table = _costs(_database(base, "costs"), size)
        lines += _tell("## Transactions on PostgreSQL", table)
        lines += _tell("## Crews on PostgreSQL, replies at once", _crews(base, size))
        lines += _tell("## The simulation held against real workers", _checked(base, costs, size))
        lines += _tell(
            "## What is simulated: 32 requests at once in two seconds",
            _simulated(costs, (10, 30, 100, 300, 1000), WAYS),
        )
        lines += _tell("## What is simulated: 512 at once", _simulated(costs, (4, 10, 20, 60), WIDE))
    report = "\n\n".join(lines) + "\n"
    if size == USUAL:
        RESULTS.write_text(report, encoding="utf-8")


def _tell(*parts: str) -> list[str]:
    print(*parts, sep="\n\n", end="\n\n", flush=True)
    return list(parts)


def _table(heads: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, ("---",) * len(heads), *body))


def _database(base: str, name: str) -> str:
    engine = sqlalchemy.create_engine(f"{base}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sqlalchemy.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return f"{base}/{name}"


def _every_task(folder: Path) -> list[JudgingCost]:
    made = {"blend/mcq": (write_mcq_release(folder / "mcq", 20_000), 20_000)}
    there = {task: told for task, told in TASKS.items() if told[0].is_dir()}
    return [judged(task, *told, folder) for task, told in {**there, **made}.items()]


def _judging(told: list[JudgingCost]) -> str:
    body = [
        (one.task, f"{one.replies:,}", f"{one.plan:.0f}", f"{one.score:.0f}", f"{one.archive:.0f}")
        for one in told
    ]
    heads = (
        "planning, µs of CPU each",
        "judging, storing and summing up, µs of CPU each",
        "bytes each in an archive",
    )
    return _table(("task, on SQLite", "replies", *heads), body)


def _rows(stores: dict[str, str], size: int, folder: Path) -> str:
    sizes, paces = [], []
    for store, url in stores.items():
        made, _ = make_run(url, size, "rows")
        answer_all(made)
        rows.judge(made)
        rows.analysed(made.workspace)
        each = rows.bytes_per_row(made)
        sizes.append((store, *(f"{each[table]:.0f}" for table in rows.TABLES), f"{sum(each.values()):.0f}"))
        pace, archive = rows.paces(made, folder / store)
        paces += [(store, what, f"{one.cpu:.0f}", f"{one.rate:,.0f}") for what, one in pace.items()]
        made.workspace.close()
    sizes.append(("archive of it", *("",) * 4, f"{archive:.0f}"))
    heads = ("bytes a row, indexes included", *rows.TABLES, "all four")
    return (
        _table(heads, sizes) + "\n\n" + _table(("store", "work", "µs of CPU a row", "rows a second"), paces)
    )


def _costs(url: str, size: int) -> tuple[Costs, str]:
    """What transactions cost, and the table of the measurements that say so."""
    made, plan = make_run(url, size, "claims")
    rows.analysed(made.workspace)
    one, many = cost_of_claims(made, 1, 0), cost_of_claims(made, FEED, 0)
    held = cost_of_claims(made, FEED, HELD)
    single = cost_of_saves(made, 1, 2000)
    full = cost_of_saves(made, 256, size // 2)
    rows.analysed(made.workspace)
    answer_all(made)
    rows.analysed(made.workspace)
    walked = cost_of_claims(
        made, FEED, 0, repeat=10
    )  # from the run's beginning to its end, over nothing that is pending
    made.workspace.close()
    by = {
        "a claim of 1 request": one,
        f"a claim of {FEED}": many,
        f"the same while others hold {HELD:,} keys": held,
        f"a claim that walks over {size:,} rows that have replies": walked,
        "a save of 1 reply": single,
        "a save of 256": full,
    }
    body = [
        (what, *(f"{seconds * 1e3:.2f}" for seconds in (c.client, c.server, c.wall)))
        for what, c in by.items()
    ]
    body.append(("planning 1,000 rows", f"{plan * 1e6:.0f} together", "", ""))

    def part(less: Cost, more: Cost, count: int) -> tuple[float, float]:
        return max(0.0, more.client - less.client) / count, max(0.0, more.server - less.server) / count

    row, reply = part(one, many, FEED - 1), part(single, full, 255)
    costs = Costs(
        (one.client - row[0], one.server - row[1]),
        row,
        part(many, held, HELD),
        part(one, walked, size),
        (single.client - reply[0], single.server - reply[1]),
        reply,
    )
    return costs, _table(
        ("transaction", "CPU of the client, ms", "of the server, ms", "by the clock, ms"), body
    )


def _crews(base: str, size: int) -> str:
    body = []
    for workers in CREWS:
        made, _ = make_run(_database(base, f"crew{workers}"), size // 4, "crew")
        rows.analysed(made.workspace)
        told = crew(made, workers, FEED // 4, 0.0)
        cpu = (told.client + told.server) / told.requests
        rate = f"{told.requests / told.seconds:,.0f}"
        body.append(
            (
                f"{workers}",
                rate,
                f"{told.claims / told.seconds:,.0f}",
                f"{told.saves / told.seconds:,.0f}",
                f"{cpu * 1e6:.0f}",
            )
        )
        made.workspace.close()
    return _table(
        ("workers", "requests a second", "claims a second", "saves a second", "µs of CPU a request"), body
    )


def _checked(base: str, costs: Costs, size: int) -> str:
    body = []
    for workers, latency, ordered in CHECKED:
        requests = size if latency else 2 * size
        feed = min(FEED, int(64 / latency)) if latency else FEED
        made, _ = make_run(_database(base, f"checked{len(body)}"), requests, "checked")
        rows.analysed(made.workspace)
        told = crew(made, workers, feed, latency, ordered=ordered)
        cores = (told.client + told.server) / told.seconds if not latency else float(os.cpu_count() or 1)
        found = simulate(
            costs, Setting(workers, requests, feed, latency, cores, shared=True, ordered=ordered)
        )
        both: dict[str, Crew | Outcome] = {"measured": told, "simulated": found}
        body += [
            _line(workers, latency, what if ordered else f"{what}, elsewhere", one)
            for what, one in both.items()
        ]
        made.workspace.close()
    return _table(
        (
            "workers",
            "s a reply",
            "",
            "claims",
            "of them empty",
            "saves",
            "CPU s, workers",
            "CPU s, server",
            "s",
        ),
        body,
    )


def _line(workers: int, latency: float, what: str, told: Crew | Outcome) -> tuple[str, ...]:
    counts = tuple(f"{number:,}" for number in (told.claims, told.empty, told.saves))
    return (
        f"{workers}",
        f"{latency:g}",
        what,
        *counts,
        f"{told.client:.1f}",
        f"{told.server:.1f}",
        f"{told.seconds:.1f}",
    )


def _simulated(costs: Costs, crews: tuple[int, ...], ways: dict[str, tuple[Setting, bool]]) -> str:
    """The first minute and a half of ten million requests."""
    body = []
    for workers in crews:
        for what, (setting, reads) in ways.items():
            of_crew = costs if reads else replace(costs, held=(0.0, 0.0))
            found = simulate(of_crew, replace(setting, workers=workers), until=90.0)
            each = (found.requests, found.claims, found.saves)
            rates = (
                f"{workers * CONCURRENCY / setting.latency:,.0f}",
                *(f"{number / found.seconds:,.0f}" for number in each),
            )
            body.append(
                (
                    f"{workers:,}",
                    what,
                    *rates,
                    f"{found.server / found.seconds:.1f}",
                    f"{found.busy / found.seconds:.0%}",
                )
            )
    heads = (
        "workers",
        "",
        "requests a second wanted",
        "had",
        "claims a second",
        "saves a second",
        "cores busy",
        "turn to claim taken",
    )
    return _table(heads, body)


if __name__ == "__main__":
    main()
