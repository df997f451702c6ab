"""When a model's server on this machine can be asked."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from folkways.endpoints.base import NotServedError
from folkways.runs import serving
from folkways.runs.serving import ModelServer

PROGRAM = """
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

class Models(BaseHTTPRequestHandler):
    def do_GET(self):
        status = int(sys.argv[2])
        self.send_response(status if self.path == "/v1/models" else 404)
        self.end_headers()
        self.wfile.write(b"x" * int(sys.argv[3]))

    def log_message(self, *about):
        pass

print("ready", flush=True)
HTTPServer(("127.0.0.1", int(sys.argv[1])), Models).serve_forever()
"""
"""Answers with a status and so many bytes; port, status and bytes are its arguments."""


@contextmanager
def served(folder: Path, status: int, length: int = 0) -> Iterator[ModelServer]:
    (folder / "models.py").write_text(PROGRAM)
    server = ModelServer(f"{sys.executable} {folder / 'models.py'} {{port}} {status} {length}", {})
    try:
        yield server
    finally:
        asyncio.run(server.stop())


def wait_until_it_is_up(server: ModelServer) -> None:
    while True:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", server.port)) == 0:
                return
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("status", "listens"),
    [(200, True), (401, True), (403, True), (404, True), (499, True), (500, False), (503, False)],
)
def test_it_listens_once_it_answers_without_an_error_of_its_own(
    tmp_path: Path, status: int, listens: bool
) -> None:
    """401: it wants a key; 404: it lists no models; 503: it loads."""
    with served(tmp_path, status) as server:
        assert server.answers() is False or status < 500, "it may not be up yet"
        wait_until_it_is_up(server)
        assert server.answers() is listens


def test_a_list_without_end_is_no_answer(tmp_path: Path) -> None:
    with served(tmp_path, 200, serving.MOST_BYTES + 1) as server:
        wait_until_it_is_up(server)
        assert server.answers() is False


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ("print('one'); print(); print('CUDA out of memory')", "one | CUDA out of memory (exit code 0, "),
        ("raise SystemExit(3)", "it wrote nothing (exit code 3, "),
        ("[print(number) for number in range(9)]", "4 | 5 | 6 | 7 | 8 (exit code 0, "),
    ],
)
def test_one_that_ends_before_says_its_last_lines_and_its_exit_code(
    tmp_path: Path, ends: str, words: str
) -> None:
    (tmp_path / "models.py").write_text(ends)
    server = ModelServer(f"{sys.executable} {tmp_path / 'models.py'} {{port}}", {})
    with pytest.raises(NotServedError) as error:
        asyncio.run(server.listens())
    assert str(error.value).startswith(f"its server ended before it listened: {words}command: ")


def test_a_guard_that_is_killed_with_its_worker_ends_its_server_all_the_same(tmp_path: Path) -> None:
    with served(tmp_path, 200) as server:
        wait_until_it_is_up(server)
        server.process.send_signal(signal.SIGINT)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        assert server.answers() and server.process.poll() is None, "the worker's own end is what counts"
        server.process.kill()
        server.process.wait()
        assert server.answers(), "it lives until its worker is gone"
        assert server.process.stdin is not None
        server.process.stdin.close()
        until = time.monotonic() + 10
        while server.answers() and time.monotonic() < until:
            time.sleep(0.01)
        assert not server.answers()


def test_a_command_that_is_none_is_told() -> None:
    server = ModelServer("no-such-program --port {port}", {})
    with pytest.raises(NotServedError, match=r"no-such-program: No such file or directory \(exit code 127, "):
        asyncio.run(server.listens())
