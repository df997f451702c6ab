"""Programs of Python as processes of their own that begin with the slow imports behind them.

A new interpreter spends one to two seconds of CPU on importing folkways. Here one process per test process
imports it and stands still; each program is a fork of it that becomes a child of the test process, with a
process number, pipes, folder, environment, group, signals and exit code of its own. Where the start itself is
tested, ``subprocess`` begins an interpreter.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import io
import os
import pickle
import runpy
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
SUBREAPER = 36  # prctl(2): orphans of the processes below this one become its children
IMPORTED = (
    "aiohttp.web",
    "alembic.runtime.environment",
    "fontTools.ttLib",
    "sqlalchemy.dialects.sqlite.pysqlite",
    *(f"tests.support.{name}" for name in ("chat_faults", "chat_layouts", "hub_uploads", "process_limits")),
    *(
        f"folkways.cli.{name}"
        for name in ("doctor", "main", "progress", "report", "run", "score", "tasks", "work")
    ),
    *(f"folkways.benchmarks.{name}" for name in ("blend.choices", "demo.tasks", "xcr.tasks")),
    *(f"folkways.benchmarks.{name}" for name in ("multiple_choice.lm_eval", "survey.task")),
    "folkways.api",
    "folkways.endpoints.servers.openai",
    "folkways.reports.formats.html",
    "folkways.reports.formats.terminal",
    "folkways.runs.execute",
    "folkways.runs.planning.estimate",
    "folkways.runs.results.report",
    "folkways.stats.distributions",
    "folkways.stats.weighting",
)
"""What most programs import. Nothing that starts a thread which they would miss."""

READ_AT_START = ("PYTHON", "LC_", "LANG", "TZ", "LD_", "MALLOC_", "POLARS_", "OMP_", "OPENBLAS_", "COVERAGE_")
"""How the names of variables begin that Python or a library reads once: other ones need a new interpreter."""


def start_module(
    module: str,
    *arguments: object,
    env: Mapping[str, str] | None = None,
    preexec_fn: Callable[[], object] | None = None,
    **options: Any,
) -> subprocess.Popen[str]:
    """Start ``python -m MODULE ARGUMENTS`` as ``subprocess.Popen`` does, with the same options.

    preexec_fn: called in the child before the module begins; of ``tests.support.process_limits``, or pickled by name
    from a module that is quick to import.
    """
    command = [sys.executable, "-m", module, *map(str, arguments)]
    environment = dict(os.environ if env is None else env)
    if not _can_fork() or _start_settings(environment) != _start_settings(os.environ):
        return subprocess.Popen(command, env=environment, preexec_fn=preexec_fn, **options)
    return _ForkedProgram(command, env=environment, preexec_fn=preexec_fn, **options)


def _start_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that are read once, without those that a fork obeys as well."""
    obeyed = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING")
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(READ_AT_START) and name not in obeyed
    }


@cache
def _can_fork() -> bool:
    return sys.platform == "linux"


class _ForkedProgram(subprocess.Popen[str]):
    """A program that the waiting process forks, in place of one that this process forks and replaces."""

    def _execute_child(  # type: ignore[override] # all of it is given by position, in this order since 3.9
        self,
        args: list[str],
        executable: object,
        preexec_fn: Callable[[], object] | None,
        close_fds: bool,
        pass_fds: Sequence[int],
        cwd: str | os.PathLike[str] | None,
        env: Mapping[str, str],
        startupinfo: object,
        creationflags: int,
        shell: bool,
        p2cread: int,
        p2cwrite: int,
        c2pread: int,
        c2pwrite: int,
        errread: int,
        errwrite: int,
        restore_signals: bool,
        gid: object,
        gids: object,
        uid: object,
        umask: int,
        start_new_session: bool,
        process_group: int | None = None,
    ) -> None:
        streams = [0 if p2cread == -1 else p2cread, 1 if c2pwrite == -1 else c2pwrite]
        streams.append(2 if errwrite == -1 else errwrite)
        assert not (pass_fds or shell or start_new_session) and process_group in (None, -1), "not for forks"
        self.pid = _waiting().fork(
            {
                "argv": args[3:],
                "module": args[2],
                "cwd": str(Path(cwd or ".").absolute()),
                "env": dict(env),
                "first": preexec_fn,
            },
            streams,
        )
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]


@cache
def _waiting() -> _WaitingProcess:
    return _WaitingProcess()


class _WaitingProcess:
    """The process that has imported what programs need, and forks."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._turn = threading.Lock()
        code = f"from tests.support.forked_programs import _wait; _wait({theirs.fileno()})"
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("FOLKWAYS_", "HF_"))
        }
        process = subprocess.Popen(
            [sys.executable, "-c", code], cwd=REPOSITORY, env=kept, pass_fds=[theirs.fileno()]
        )
        theirs.close()

        def end() -> None:
            self._socket.close()
            process.wait()

        atexit.register(end)

    def fork(self, program: Mapping[str, object], streams: list[int]) -> int:
        """The process number of the program, a child of this process."""
        message = pickle.dumps(program)
        with self._turn:
            _adopt_orphans(True)
            try:
                socket.send_fds(self._socket, [len(message).to_bytes(4)], streams)
                self._socket.sendall(message)
                return int.from_bytes(_receive(self._socket, 4))
            finally:
                _adopt_orphans(False)


def _adopt_orphans(wanted: bool) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, int(wanted), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this system gives no orphans to a process that asks for them")


def _receive(connection: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        more = connection.recv(size - len(received))
        if not more:
            raise RuntimeError("the process that forks programs has ended; see its traceback above")
        received += more
    return received


def _wait(descriptor: int) -> None:
    """In the waiting process: fork what is asked for, until the test process ends.

    Returns in the forked processes alone, by way of the exit of their program.
    """
    path = [entry for entry in sys.path if entry not in ("", *_search_path(os.environ))]
    for module in IMPORTED:
        import_module(module)
    gc.collect()
    gc.freeze()  # a fork's collector leaves what is shared alone
    with socket.socket(fileno=descriptor) as connection:
        while True:
            header, streams, _, _ = socket.recv_fds(connection, 4, 3)
            if not header:
                return
            program = _receive(connection, int.from_bytes(header))
            reader, writer = os.pipe()
            waits, goes = os.pipe()
            if (between := os.fork()) == 0:
                if (child := os.fork()) != 0:
                    os.write(writer, child.to_bytes(4))
                    os._exit(0)
                break  # in the grandchild, which its parent leaves to the test process
            os.waitpid(between, 0)
            connection.sendall(os.read(reader, 4))
            for used in (reader, writer, waits, goes, *streams):
                os.close(used)
    os.close(goes)
    os.read(waits, 1)  # the end: the parent is the test process from now on
    for used in (reader, writer, waits):
        os.close(used)
    _become(pickle.loads(program), streams, path)


def _search_path(environment: Mapping[str, str]) -> list[str]:
    return [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]


def _become(program: Mapping[str, Any], streams: list[int], path: list[str]) -> None:
    """Run the module as ``python -m`` does."""
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
    for stream in streams:
        os.close(stream)
    os.chdir(program["cwd"])
    os.environ.clear()
    os.environ.update(program["env"])
    sys.path[:] = [program["cwd"], *_search_path(program["env"]), *path]
    sys.dont_write_bytecode = bool(program["env"].get("PYTHONDONTWRITEBYTECODE"))
    if program["first"]:
        program["first"]()
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _begin_streams()
    sys.argv = ["-m", *program["argv"]]
    runpy.run_module(program["module"], run_name="__main__", alter_sys=True)
    if program["module"].startswith("tests."):  # a server of the tests, whose end no test is about
        sys.stdout.flush()
        os._exit(0)  # an interpreter that ends in order writes to, and so copies, all memory that forks share


def _begin_streams() -> None:
    """Standard streams as an interpreter makes them at its start for what they are connected to now."""
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "").partition(":")
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        before = getattr(sys, name)
        mode = "r" if descriptor == 0 else "w"
        terminal = descriptor == 2 or os.isatty(descriptor)
        unbuffered = descriptor > 0 and before.write_through  # PYTHONUNBUFFERED
        raw = open(descriptor, f"{mode}b", 0 if unbuffered else -1, closefd=False)  # noqa: SIM115 - to the end
        stream = io.TextIOWrapper(
            raw,
            encoding=encoding or before.encoding,
            errors=before.errors if descriptor == 2 or not encoding else errors or "strict",
            line_buffering=terminal and not unbuffered,
            write_through=unbuffered,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
