"""Measure client overhead side by side.

python -m perf.engine --requests 10000,80000 --peers floor,folkways,lm-eval,inspect,litellm --json OUT
python -m perf.engine --sizes 10000,80000,330000,1000000
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from perf.engine import session, sizes, table
from perf.engine.clients import CLIENTS, Folkways
from perf.engine.measure import ClientError
from perf.engine.session import Result


def main() -> int:
    options = _options()
    if options.sizes:
        return _sizes(options.sizes)
    results: list[Result] = []
    failures: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix="folkways-perf-") as folder,
        session.opened(Path(folder), options.concurrency) as measuring,
    ):
        for name in options.peers:
            client = CLIENTS[name]()
            for requests in sorted({_asked_of(name, wanted, options.full) for wanted in options.requests}):
                try:
                    result = measuring.measure(client, requests, options.repeat)
                except ClientError as error:
                    failures.append(f"{name} at {requests:,}: {error}")
                    break
                _progress(result)
                results.append(result)
                if result.wrong:
                    failures.append(f"{name} at {requests:,}: {result.wrong}")
        help_cpu = session.help_seconds(Folkways(), Path(folder)) if "folkways" in options.peers else None
    about = _about(options.concurrency, options.repeat)
    print(f"{about}\n\n{table.results_table(results)}\n\n{table.goals_table(results, help_cpu)}")
    if options.json:
        report = {
            "about": about,
            "results": [asdict(result) for result in results],
            "help_cpu_s": help_cpu,
            "failures": failures,
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    for failure in failures:
        print(f"\nnot a valid measurement: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _sizes(wanted: list[int]) -> int:
    steps: list[sizes.Step] = []
    with tempfile.TemporaryDirectory(prefix="folkways-perf-") as folder:
        for step in sizes.measured(wanted, Path(folder)):
            steps.append(step)
            print(
                f"{step.command} at {step.responses:,}: {step.usage.peak:.0f} MB", file=sys.stderr, flush=True
            )
    print(f"{_machine()}.\n\n{sizes.table(steps)}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m perf.engine", description="Measure client overhead side by side."
    )
    add = parser.add_argument
    add("--requests", type=_numbers, default=[10_000, 80_000], metavar="N[,N]", help="default: 10000,80000")
    add(
        "--peers",
        type=_clients,
        default=list(CLIENTS),
        metavar="NAME[,NAME]",
        help="default: " + ",".join(CLIENTS),
    )
    add("--concurrency", type=int, default=32, help="requests at once, for every client; default: 32")
    add(
        "--repeat",
        type=int,
        default=1,
        metavar="N",
        help="run everything N times and keep the run with the least CPU; default: 1",
    )
    add(
        "--full",
        action="store_true",
        help="give the slow peers every request too; Inspect AI takes half an hour for 80,000",
    )
    add(
        "--sizes",
        type=_numbers,
        metavar="N[,N]",
        help="measure instead how our commands grow with the responses that are stored",
    )
    add("--json", type=Path, metavar="OUT", help="write the numbers there too")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    numbers = [int(part) for part in text.split(",")]
    if min(numbers) <= session.START_REQUESTS:
        raise argparse.ArgumentTypeError(
            f"each number must be above {session.START_REQUESTS}, which the start is measured with"
        )
    return numbers


def _clients(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in CLIENTS]:
        raise argparse.ArgumentTypeError(f"unknown {', '.join(unknown)}; valid: {', '.join(CLIENTS)}")
    return names


def _asked_of(name: str, wanted: int, full: bool) -> int:
    most = CLIENTS[name].most
    return wanted if full or most is None else min(wanted, most)


def _progress(result: Result) -> None:
    usage = result.usage
    line = (
        f"{result.client} {result.requests:,}: {usage.cpu:.2f} s CPU, {usage.wall:.1f} s wall, "
        f"{usage.peak:.0f} MB"
    )
    print(line, file=sys.stderr, flush=True)


def _about(concurrency: int, repeat: int) -> str:
    """When and on what; never where."""
    cores = (
        "server on one core, clients on the others"
        if session.split_cores()
        else "server and clients on one core"
    )
    return f"{_machine()} ({cores}), {concurrency} requests at once, " + (
        f"best of {repeat} runs." if repeat > 1 else "one run each."
    )


def _machine() -> str:
    load = f"load {os.getloadavg()[0]:.1f} at the end"
    return f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {os.cpu_count()} cores, {load}"


if __name__ == "__main__":
    sys.exit(main())
