"""Ctrl-C, SIGTERM and a closed terminal: the run ends cleanly, what was answered is stored, and the same
command goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folkways.engine.interrupts import STOPS
from folkways.runs.planning.plan import SLICE, TRANSACTION
from folkways.workspace import run_records
from tests.support.chat_server import ChatServer
from tests.support.command_line import (
    Done,
    environment,
    finish,
    folkways,
    hear_signals,
    rows,
    start,
    wait_for,
)
from tests.support.forked_programs import start_module

Mcq = Callable[[int], Path]

QUESTIONS = 500


class Thing:
    """Something that can be referred to weakly."""


@pytest.fixture
def server(running: ChatServer) -> ChatServer:
    running.control(forget=True, latency=0.2, faults={})
    return running


def command(server: ChatServer, release: Path, workspace: Path) -> tuple[object, ...]:
    model = f"{server.url}/v1#test-model"
    return "run", "blend/mcq", "--release", release, "--model", model, "-w", workspace, "--concurrency", 16


@pytest.mark.parametrize(
    "number",
    [pytest.param(number, marks=() if number == signal.SIGINT else pytest.mark.nightly) for number in STOPS],
    ids=lambda number: number.name,
)
def test_one_signal_ends_the_run_cleanly_and_the_same_command_goes_on(
    server: ChatServer, mcq: Mcq, tmp_path: Path, number: signal.Signals
) -> None:
    workspace, release = tmp_path / "w.db", mcq(QUESTIONS)
    process = start(*command(server, release, workspace))
    wait_for(lambda: server.stats()["answered"] > 100, process=process)
    process.send_signal(number)
    done = finish(process)
    answered = server.stats()["answered"]
    assert done.returncode == 128 + number, done
    assert "Traceback" not in done.stderr
    reason = "interrupted by the user" if number == signal.SIGINT else f"ended by {number.name}"
    assert f"run-1 is not finished: {reason}" in done.stderr
    assert rows(workspace, "SELECT state, reason FROM runs") == [("interrupted", reason)]
    # What was on its way was waited for: nothing that the server answered is lost, and nothing is left
    # claimed.
    assert 100 < answered < QUESTIONS
    assert rows(workspace, "SELECT count(*) FROM responses") == [(answered,)]
    assert rows(workspace, "SELECT count(*) FROM claims") == [(0,)]
    # It is scored as far as it went, over the whole denominator.
    counts = rows(workspace, "SELECT DISTINCT n, answered, missing FROM scores WHERE facet = 'all'")
    assert counts == [(QUESTIONS, answered, QUESTIONS - answered)]
    assert str(QUESTIONS - answered) in done.stdout

    server.control(latency=0.0)
    again = folkways(*command(server, release, workspace))
    assert again.returncode == 0, again.stderr
    assert "Continuing run-1" in again.stderr
    assert rows(workspace, "SELECT name, state, reason FROM runs") == [("run-1", "finished", None)]
    stats = server.stats()
    assert (stats["total"], stats["distinct"]) == (QUESTIONS, QUESTIONS)


@pytest.mark.nightly
def test_a_second_signal_does_not_wait_for_a_server_that_stalls(
    server: ChatServer, mcq: Mcq, tmp_path: Path
) -> None:
    """It drops the replies that are waited for, and with them those before them on their connections that are
    not sure yet: that the server stalls says nothing of whose answers they are. Here each connection has
    carried one reply that is sure and one that is not. What is sure is scored, the report is written, and the
    same command asks for the rest."""
    workspace, release, report = tmp_path / "w.db", mcq(QUESTIONS), tmp_path / "report"
    server.control(faults={"script": ["ok"] * 32 + ["stall+seconds=600"] * 16}, latency=0.5)
    messages = tmp_path / "stderr.txt"
    with messages.open("w") as stderr:
        process = start(*command(server, release, workspace), "--report", report, stderr=stderr)
    wait_for(lambda: server.stats()["kinds"].get("stall", 0) == 16, process=process)
    process.send_signal(signal.SIGINT)
    wait_for(
        lambda: "waiting for 16 replies, press again to drop them" in messages.read_text(), process=process
    )
    assert process.poll() is None, "the first signal waits for what is on its way"
    process.send_signal(signal.SIGINT)
    done = finish(process)
    assert done.returncode == 130, done
    assert "Traceback" not in messages.read_text()
    assert "Run the same command again" in messages.read_text()
    assert "Run run-1 is not finished (interrupted by the user)" in (report / "report.md").read_text()
    assert rows(workspace, "SELECT count(*) FROM responses") == [(16,)]
    assert rows(workspace, "SELECT count(*) FROM claims") == [(0,)]
    assert rows(workspace, "SELECT state FROM runs") == [("interrupted",)]
    counts = rows(workspace, "SELECT DISTINCT n, answered, missing FROM scores WHERE facet = 'all'")
    assert counts == [(QUESTIONS, 16, QUESTIONS - 16)]
    server.control(faults={}, latency=0.0)
    again = folkways(*command(server, release, workspace))
    assert again.returncode == 0, again.stderr
    assert rows(workspace, "SELECT count(*) FROM responses") == [(QUESTIONS,)]
    assert server.stats()["answered_again"] == 16


def test_a_signal_before_the_first_request_leaves_a_run_that_can_go_on(
    server: ChatServer, mcq: Mcq, tmp_path: Path
) -> None:
    many = 5 * SLICE
    workspace, release = tmp_path / "w.db", mcq(many)
    process = start(*command(server, release, workspace))
    wait_for(lambda: rows(workspace, "SELECT 1 FROM expected LIMIT 1"), process=process)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    assert done.returncode == 130, done
    assert "Traceback" not in done.stderr
    assert "Interrupted." in done.stderr
    assert server.stats()["total"] == 0
    server.control(latency=0.0)
    again = folkways(*command(server, release, workspace), "--budget", "200requests")
    assert "Continuing run-1" in again.stderr
    assert rows(workspace, "SELECT state FROM runs") == [("budget",)], again.stderr
    assert rows(workspace, "SELECT count(*), count(DISTINCT item) FROM expected") == [(many, many)]
    assert server.stats()["distinct"] == server.stats()["total"] == 200


def test_an_interrupt_that_python_drops_while_it_plans_stops_it_at_the_next_slice(
    server: ChatServer, mcq: Mcq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It falls into the callback of a weak reference, as it may into a library's: the exception goes
    nowhere."""
    write = run_records.write_expected

    def interrupted(*given: Any) -> None:
        thing = Thing()
        reference = weakref.ref(thing, lambda _reference: signal.raise_signal(signal.SIGINT))
        del thing
        assert reference() is None
        write(*given)

    monkeypatch.setattr(run_records, "write_expected", interrupted)
    done = folkways(*command(server, mcq(3 * TRANSACTION), tmp_path / "w.db"))
    assert (done.returncode, server.stats()["total"]) == (130, 0), done
    assert done.stderr.endswith("Interrupted.\n")
    assert rows(tmp_path / "w.db", "SELECT count(*) FROM expected") == [(TRANSACTION,)]


SIGNALLED = """
import os, sys

class Signalling:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})

for name in [*sys.modules]:
    if name.partition(".")[0] in ("folkways", "click"):
        del sys.modules[name]
sys.meta_path.insert(0, Signalling)
from folkways.__main__ import main
main()
"""
"""The command line, which a signal meets as it imports one module."""


RUN = ("run", "demo/mcq", "--model", "baseline/first")


def ended(folder: Path, program: str, arguments: tuple[str, ...], imports: bool = False) -> Done:
    """How that Python program ends, which signals reach though they are ignored here.

    imports: in a new interpreter; else with the imports of other projects behind it.
    """
    (folder / "program.py").write_text(program)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    settings = {"cwd": folder, "env": environment(), "preexec_fn": hear_signals, **pipes}
    if imports:
        return finish(subprocess.Popen([sys.executable, "-m", "program", *arguments], **settings))
    return finish(start_module("program", *arguments, **settings))


@pytest.mark.parametrize(
    ("number", "module", "arguments"),
    [
        (signal.SIGINT, "folkways.engine.interrupts", RUN),
        (signal.SIGINT, "polars", RUN),
        (signal.SIGHUP, "folkways.engine.session", RUN),
        (signal.SIGTERM, "uvicorn", ("studio", "--port", "0")),
        *(
            pytest.param(*case, marks=pytest.mark.nightly)
            for case in (
                (signal.SIGINT, "folkways.engine", RUN),
                (signal.SIGINT, "click", RUN),
                (signal.SIGTERM, "folkways.cli.main", RUN),
                (signal.SIGTERM, "folkways.releases.stored_releases", ("data", "fetch", "culturalbench")),
                (signal.SIGTERM, "folkways.runs.work", ("work",)),
                (signal.SIGTERM, "folkways.reports.formats.terminal", ("score",)),
            )
        ),
    ],
)
def test_a_signal_at_any_import_ends_it_in_one_line(
    tmp_path: Path, number: signal.Signals, module: str, arguments: tuple[str, ...]
) -> None:
    program = SIGNALLED.format(module=module, number=int(number))
    done = ended(tmp_path, program, arguments, imports=module == "polars")
    assert (done.returncode, done.stderr.strip()) == (128 + number, "Interrupted."), done


HALF_MADE = """
import asyncio, os

make = asyncio.BaseEventLoop.__init__

def interrupted(loop):
    os.kill(os.getpid(), {number})
    make(loop)

asyncio.BaseEventLoop.__init__ = interrupted
from folkways.__main__ import main
main()
"""
"""The command line, which a signal meets as its event loop is half made."""


@pytest.mark.parametrize("arguments", [RUN, ("studio", "--port", "0")])
@pytest.mark.parametrize(
    "number",
    [pytest.param(number, marks=() if number == signal.SIGTERM else pytest.mark.nightly) for number in STOPS],
    ids=lambda number: number.name,
)
def test_a_half_made_event_loop_says_nothing_of_itself(
    tmp_path: Path, number: signal.Signals, arguments: tuple[str, ...]
) -> None:
    done = ended(tmp_path, HALF_MADE.format(number=int(number)), arguments)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (128 + number, "Interrupted."), done


def test_an_import_ends_before_a_signal_is_raised(tmp_path: Path) -> None:
    """As polars must end its own, whose native part panics over an exception of a module that it imports."""
    (tmp_path / "fragile.py").write_text(
        "import signal\ntry:\n    signal.raise_signal(signal.SIGTERM)\n"
        "except BaseException:\n    raise SystemError('panicked')\n"
    )
    program = (
        "from folkways.engine import interrupts\n"
        "try:\n"
        "    with interrupts.remembered():\n"
        "        import fragile\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', interrupts.exit_code())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment() | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("interrupted 143\n", ""), done


def test_a_signal_inside_an_import_is_raised_when_it_has_ended(tmp_path: Path) -> None:
    """Long before the block ends, and once."""
    (tmp_path / "slow.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    program = (
        "import time\n"
        "from folkways.engine import interrupts\n"
        "with interrupts.remembered():\n"
        "    try:\n"
        "        import slow\n"
        "        time.sleep(30)\n"
        "    except KeyboardInterrupt:\n"
        "        print('interrupted')\n"
        "    time.sleep(0.2)\n"
        "print('ended')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment() | {"PYTHONPATH": str(tmp_path)},
        preexec_fn=hear_signals,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert (done.stdout, done.stderr) == ("interrupted\nended\n", ""), done


def test_nothing_is_imported_before_signals_are_heard() -> None:
    """What an interrupt meets before ``main`` begins is Python's own, and ends in a traceback."""
    program = (
        "import sys; before = {*sys.modules}; import folkways.__main__; "
        "print(*sorted({*sys.modules} "
        "- before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) <= {"__future__", "folkways", "folkways.__main__"}


@pytest.mark.skipif(
    not Path("/proc/self/maps").exists(), reason="the system does not show what a process has loaded"
)
@pytest.mark.parametrize(
    "delay", [0.0, *(pytest.param(delay, marks=pytest.mark.nightly) for delay in (0.1, 0.4))]
)
def test_a_signal_while_it_starts_says_so_without_a_traceback(
    server: ChatServer, mcq: Mcq, tmp_path: Path, delay: float
) -> None:
    process = start(*command(server, mcq(QUESTIONS), tmp_path / "w.db"), imports=True)
    wait_for(
        lambda: "polars" in Path(f"/proc/{process.pid}/maps").read_text(), process=process
    )  # in the middle of its imports
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    assert done.returncode in (130, -signal.SIGINT), done  # the same to a shell
    assert "Traceback" not in done.stderr, done.stderr
