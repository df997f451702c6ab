"""Runs pytest in processes that begin with the slow imports behind them: most of what a fault would cost else."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

IMPORTED = (
    "fastapi",
    "hypothesis.strategies",
    "numpy",
    "orjson",
    "polars.testing",
    "pytest",
    "rich.console",
    "scipy.stats",
    "sqlalchemy.orm",
    "starlette.testclient",
    "yaml",
)
"""What most tests import, of others: nothing of ours, which has the fault, and nothing that pytest must rewrite."""


@dataclass(frozen=True)
class PytestRun:
    """How pytest ended, what it printed, and the seconds of CPU it took with the programs that it started.

    code: pytest's exit code; below 0 the signal that ended it. None where it had not ended in time.
    """

    code: int | None
    output: str
    cpu: float


def run_tests(
    arguments: Sequence[str],
    folder: Path,
    sources: Sequence[Path],
    variables: Mapping[str, str],
    cpu_seconds: int,
    seconds: float,
) -> PytestRun:
    """Run pytest on the packages of other folders than the installed ones.

    arguments: of pytest. folder: where it runs. sources: folders that are imported from before all others.
    variables: the environment. cpu_seconds: the most work that it, and each program it starts, may do.
    seconds: how long it is waited for.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(IMPORTED))
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.NamedTemporaryFile(prefix="mutant-") as printed:
        process = context.Process(
            target=_run,
            args=(
                list(arguments),
                str(folder),
                [str(source) for source in sources],
                dict(variables),
                cpu_seconds,
                printed.name,
                sender,
            ),
        )
        process.start()
        sender.close()
        process.join(seconds)
        if process.is_alive():
            process.kill()
            process.join()
            code = None
        else:
            code = process.exitcode
        try:
            cpu = receiver.recv()
        except EOFError:  # it was ended, and told nothing
            cpu = float(cpu_seconds)
        return PytestRun(code, Path(printed.name).read_text(encoding="utf-8", errors="replace"), cpu)


def _run(
    arguments: list[str],
    folder: str,
    sources: list[str],
    variables: dict[str, str],
    cpu_seconds: int,
    printed: str,
    sender: multiprocessing.connection.Connection,
) -> None:
    """In a process of its own, which this ends."""
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    target = os.open(printed, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(target, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(variables, PYTHONPATH=os.pathsep.join(sources), PYTHONDONTWRITEBYTECODE="1")
    sys.dont_write_bytecode = True
    os.chdir(folder)
    sys.path[:0] = [folder, *sources]
    sys.argv = ["pytest", *arguments]
    import pytest  # imported before the process was forked

    code = int(pytest.main(arguments))
    sys.stdout.flush()
    sys.stderr.flush()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    sender.send(sum(one.ru_utime + one.ru_stime for one in used))
    os._exit(code)
