"""Shell completion of tasks, cultures and runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import click


def tasks(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Benchmarks, tasks and suites, the last of a list too; their data are not loaded."""
    from folkways.benchmarks.registry import all_suites
    from folkways.benchmarks.registry import tasks as known

    names = [*(name for task in known().values() for name in (task.benchmark, task.name)), *all_suites()]
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in dict.fromkeys(names) if name.startswith(last)]


def cultures(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Codes of cultures, the last of a list that is separated by commas."""
    from folkways.cultures import cultures as known

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{code}" for code in known() if code.startswith(last.upper())]


def runs(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Names of the runs of a workspace in a file, the newest first."""
    default = next((param.default for param in ctx.command.params if param.name == "workspace"), "")
    path = Path(str(ctx.params.get("workspace") or default)).expanduser()
    if not path.is_file():
        return []
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1)
        ) as connection:
            names = [str(name) for (name,) in connection.execute("SELECT name FROM runs ORDER BY id DESC")]
    except sqlite3.Error:
        return []
    return [name for name in ("last", *names) if name.startswith(incomplete)]
