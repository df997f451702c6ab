"""Measure the studio under load.

python -m perf.studio --scenario fast,slow,drafts --database sqlite,postgresql --json OUT
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from perf.studio import session
from perf.studio.scenario import DRAFTS, FAST, MANY, SLOW
from perf.studio.table import about, results_table

SCENARIOS = {"fast": FAST, "slow": SLOW, "drafts": DRAFTS, "many": MANY}
DATABASES = ("sqlite", "postgresql")
GOAL = 1.5
"""Seconds within which 95 of 100 replies have to come, as long as there is a server."""


def main() -> int:
    options = _options()
    results = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="folkways-load-")))
        server = None
        if "postgresql" in options.database:
            from tests.support.postgres import postgres_server

            server = stack.enter_context(postgres_server()).url
        for database in options.database:
            for name in options.scenario:
                scenario = replace(SCENARIOS[name], kills=options.kills)
                location = (
                    str(folder / f"{name}.db")
                    if server is None or database == "sqlite"
                    else _new_database(server, name)
                )
                found = session.measure(scenario, location, database, folder)
                print(
                    f"{database}, {scenario.name}: p95 {found.p95_up:.2f} s, {found.wall:.0f} s in all",
                    file=sys.stderr,
                    flush=True,
                )
                results.append(found)
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, "
        f"{about(results)}\n\n{results_table(results)}"
    )
    if options.json:
        options.json.write_text(
            json.dumps([asdict(found) for found in results], indent=2) + "\n", encoding="utf-8"
        )
    failures = [
        f"{found.database}, {found.scenario.name}: {problem}"
        for found in results
        for problem in found.problems[:10]
    ]
    failures += [
        f"{each.database}, {each.scenario.name}: p95 is {each.p95_up:.2f} s"
        for each in results
        if each.p95_up >= GOAL
    ]
    for failure in failures:
        print(f"not as it has to be: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _new_database(server: str, name: str) -> str:
    engine = sa.create_engine(f"{server}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE load_{name}"))
    engine.dispose()
    return f"{server}/load_{name}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m perf.studio", description="Measure the studio under load."
    )
    add = parser.add_argument
    add(
        "--scenario",
        type=_some(SCENARIOS),
        default=list(SCENARIOS),
        metavar="NAME[,NAME]",
        help=f"{', '.join(SCENARIOS)}; default: all",
    )
    add(
        "--database",
        type=_some(DATABASES),
        default=list(DATABASES),
        metavar="NAME[,NAME]",
        help="sqlite, postgresql; default: both",
    )
    add(
        "--kills",
        type=int,
        default=2,
        metavar="N",
        help="times that the server is killed in each; default: 2",
    )
    add("--json", type=Path, metavar="OUT", help="write the numbers there too")
    return parser.parse_args()


def _some(valid: object):
    def read(text: str) -> list[str]:
        names = text.split(",")
        if unknown := [name for name in names if name not in valid]:
            raise argparse.ArgumentTypeError(f"unknown {', '.join(unknown)}; valid: {', '.join(valid)}")
        return names

    return read


if __name__ == "__main__":
    sys.exit(main())
