"""folkways as a person runs it, and its workspace read by other means than folkways.

A command is run in this process (``folkways``) where only what it says and leaves behind matters; in one of
its own (``folkways_process``, ``start``) where it is killed, interrupted, limited, or has other packages.
"""

from __future__ import annotations

import gc
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, closing, contextmanager, redirect_stderr, redirect_stdout
from hashlib import blake2b
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryFile
from typing import Any, TypeVar
from unittest.mock import patch
from warnings import catch_warnings

import orjson
import pytest
from sqlalchemy import event
from sqlalchemy.pool import Pool

from folkways.cli.main import main
from folkways.endpoints.base import Request, Settings
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers.http import to_json
from folkways.endpoints.servers.openai import OpenAIEndpoint
from tests.support.forked_programs import start_module
from tests.support.process_limits import hear_signals

Done = subprocess.CompletedProcess[str]
Folkways = Callable[..., Done]
T = TypeVar("T")


def environment(**more: str) -> dict[str, str]:
    """This environment without keys and without settings of folkways and the hub, on a wide terminal."""
    inherited = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    kept = {name: value for name, value in inherited.items() if not name.startswith(("FOLKWAYS_", "HF_"))}
    return {**kept, "COLUMNS": "220", **more}


def start(*arguments: object, imports: bool = False, **options: Any) -> subprocess.Popen[str]:
    """Start ``folkways ARGUMENTS`` with its output in pipes, as from a terminal: it hears what the tests may
    be deaf to.

    imports: with all its imports before it, as a person starts it; else they are behind it.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    settings = {"env": environment(), "preexec_fn": hear_signals, **pipes, **options}
    if imports:
        return subprocess.Popen([sys.executable, "-m", "folkways", *map(str, arguments)], **settings)
    return start_module("folkways", *arguments, **settings)


def finish(process: subprocess.Popen[str], timeout: float = 120) -> Done:
    """Wait for a process that ``start`` gave; kills it and fails when it hangs."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"folkways did not end within {timeout} s\n{out}\n{err}") from None
    return Done(process.args, process.returncode, out, err)


def folkways_process(*arguments: object, timeout: float = 120, **options: Any) -> Done:
    """Run ``folkways ARGUMENTS`` to its end in a process of its own, where that matters."""
    return finish(start(*arguments, **options), timeout)


def folkways(
    *arguments: object, cwd: Path | None = None, env: dict[str, str] | None = None, together: bool = False
) -> Done:
    """Run ``folkways ARGUMENTS`` to its end in this process, by the program's own entry; what it raises fails
    the test.

    together: both streams are ``stdout``, as on a terminal. As at the end of a process, no connection to a
    database stays open.
    """
    return _in_this_process(main, ["folkways", *map(str, arguments)], cwd, env or environment(), together)


def command_line_in(folder: Path, patch: pytest.MonkeyPatch) -> Folkways:
    """The command line inside a folder, where nothing was fetched, unless the test goes elsewhere."""
    for name in os.environ.keys() - environment().keys():
        patch.delenv(name)
    patch.setenv("FOLKWAYS_DATA", str(folder / "nothing-fetched"))
    patch.setenv("COLUMNS", "200")
    patch.chdir(folder)
    return lambda *arguments: folkways(*arguments, env=dict(os.environ))


def python_script(file: Path, cwd: Path, env: dict[str, str]) -> Done:
    """Run a Python file to its end in this process, as ``python FILE`` with both streams as ``stdout``; what
    it raises fails the test."""

    def run() -> None:
        with patch.object(sys, "path", [str(file.parent), *sys.path]):
            run_path(str(file), run_name="__main__")

    return _in_this_process(run, [str(file)], cwd, env, together=True)


def _in_this_process(
    run: Callable[[], object], command: list[str], cwd: Path | None, env: dict[str, str], together: bool
) -> Done:
    opened: list[Any] = []
    thresholds = gc.get_threshold()
    with (
        TemporaryFile("w+", encoding="utf-8") as out,
        TemporaryFile("w+", encoding="utf-8") as err,
        redirect_stdout(out),
        redirect_stderr(out if together else err),
        chdir(cwd or "."),
        patch.dict(os.environ, env, clear=True),
        patch.object(sys, "argv", command),
        patch.object(sys, "unraisablehook", sys.unraisablehook),  # a command that is interrupted changes both
        catch_warnings(),
        _connections(opened),
    ):
        code = 0
        try:
            run()
        except SystemExit as stop:
            code = int(stop.code or 0)
        finally:
            gc.set_threshold(*thresholds)
            for connection in opened:
                connection.close()
        out.seek(0)
        err.seek(0)
        return Done(command, code, out.read(), err.read())


@contextmanager
def _connections(opened: list[Any]) -> Iterator[None]:
    """Note what is opened to databases within the block."""

    def note(connection: Any, _record: object) -> None:
        opened.append(connection)

    event.listen(Pool, "connect", note)
    try:
        yield
    finally:
        event.remove(Pool, "connect", note)


def kill(process: subprocess.Popen[str]) -> None:
    """``kill -9``."""
    process.kill()
    process.communicate()


def wait_for(
    found: Callable[[], T | None], seconds: float = 120.0, process: subprocess.Popen[str] | None = None
) -> T | None:
    """What ``found`` gives as soon as it is true; None when ``process`` has ended before. Fails after
    ``seconds``."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := found():
            return value
        if process is not None and process.poll() is not None:
            return None
        time.sleep(0.005)
    raise AssertionError(f"waited {seconds} s in vain")


def rows(workspace: Path, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query to a SQLite workspace, by way of the standard library; none while there is no such
    file or table."""
    if not workspace.exists():
        return []
    with closing(sqlite3.connect(f"file:{workspace}?mode=ro", uri=True, timeout=30)) as connection:
        try:
            return connection.execute(query).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise


def stored_bodies(workspace: Path, model: str) -> dict[str, str]:
    """Digest of the request body, as the chat server counts it, of every stored response -> its text."""
    endpoint = open_name(model)
    assert isinstance(endpoint, OpenAIEndpoint)
    query = """SELECT prompts.system, prompts.user, settings.json, responses.text FROM responses
               JOIN prompts USING (prompt_hash) JOIN settings ON settings.id = settings_id"""
    found = {}
    for system, user, settings, text in rows(workspace, query):
        request = Request(
            key="", user=user, system=system, settings=Settings(**{**_UNSET, **orjson.loads(settings)})
        )
        found[blake2b(to_json(endpoint.payload(request)), digest_size=8).hexdigest()] = text
    return found


_UNSET = {"temperature": None, "top_p": None}


def integrity(workspace: Path) -> str:
    """What SQLite's own check says: ``ok``."""
    with closing(sqlite3.connect(workspace)) as connection:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])
