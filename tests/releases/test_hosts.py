"""Hosts that are not to be believed: one that never ends, and one that vouches for its own bytes."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from folkways.errors import FolkwaysError
from folkways.releases.fetching.download import FetchedFile, FetchOptions, Transfer, fetch_all
from folkways.releases.fetching.fetch_progress import FetchProgress

BODY = b"not what was released"
BLOCK = b"x" * 65_536
MOST_BLOCKS = 800  # 52 MB: where the test gives up on a client that goes on reading


class Host(BaseHTTPRequestHandler):
    """``/endless`` says no length and goes on; ``/file`` vouches for its bytes; anything else redirects to
    ``elsewhere``."""

    elsewhere = ""
    blocks = 0

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_GET(self) -> None:
        if self.path == "/endless":
            self.send_response(200)
            self.end_headers()
            try:
                for _ in range(MOST_BLOCKS):
                    self.wfile.write(BLOCK)
                    type(self).blocks += 1
            except (BrokenPipeError, ConnectionResetError):
                pass
        elif self.path == "/file":
            self.send_response(200)
            self.send_header("ETag", f'"{hashlib.sha256(BODY).hexdigest()}"')
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            self.wfile.write(BODY)
        else:
            self.send_response(302)
            self.send_header("Location", f"{self.elsewhere}/file")
            self.send_header("Content-Length", "0")
            self.end_headers()


@contextmanager
def serving() -> Iterator[tuple[str, type[Host]]]:
    handler = type("OwnHost", (Host,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def fetch(url: str, folder: Path, **options: int) -> FetchedFile:
    kept: list[FetchedFile] = []
    wanted = Transfer(label="file", url=url, target=folder / "file", tells_hash=True)
    asyncio.run(
        fetch_all(
            [wanted],
            FetchOptions(attempts=1, **options),
            FetchProgress(),
            lambda _, fetched: kept.append(fetched),
        )
    )
    return kept[0]


def test_a_body_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    with serving() as (url, host):
        with pytest.raises(FolkwaysError, match="at most 1000000 were expected"):
            fetch(f"{url}/endless", tmp_path, max_bytes=1_000_000)
        assert host.blocks < MOST_BLOCKS
    assert list(tmp_path.iterdir()) == []


def test_the_source_may_vouch_for_its_bytes_and_another_host_may_not(tmp_path: Path) -> None:
    with serving() as (other, _), serving() as (source, host):
        host.elsewhere = other
        assert fetch(f"{source}/file", tmp_path).proof == "host"
        (tmp_path / "file.part").unlink()
        assert fetch(f"{source}/moved", tmp_path).proof == "none"
