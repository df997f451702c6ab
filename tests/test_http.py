"""Requests to servers: bounded, sent to no other server, and with errors in words."""

from __future__ import annotations

import asyncio
import re
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from folkways.errors import FolkwaysError
from folkways.http import NoReplyError, Reply, ReplyTooLargeError, ask_once, new_session, open_reply
from tests.support.certificates import self_signed


class Handler(BaseHTTPRequestHandler):
    """``/elsewhere?URL`` redirects, ``/endless`` says no length, ``/slow`` sends a byte every 50 ms,
    ``/silent`` sends none, ``/short`` less than it says; anything else repeats the request."""

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.reply(200, repr(sorted(self.headers.items())).encode() + b"\n" + body)

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if path == "/elsewhere":
            self.reply(302, b"", Location=query)
        elif path in ("/endless", "/slow", "/silent"):
            self.send_response(200)
            self.end_headers()
            self.send_blocks({"/endless": b"x" * 10_000, "/slow": b"x", "/silent": b""}[path])
        elif path == "/short":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x")
        else:
            self.do_POST()

    def send_blocks(self, block: bytes) -> None:
        try:
            for _ in range(30):
                self.wfile.write(block)
                time.sleep(0.05)
        except OSError:
            pass

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), "Set-Cookie": "a=b", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def get(url: str, **options: Any) -> Reply:
    return ask_once("GET", url, **{"most_bytes": 10_000, "seconds": 10.0, **options})


async def follow(start: str, **options: Any) -> str:
    """What the last server was sent."""
    async with new_session(seconds=10) as session, open_reply(session, "GET", start, **options) as opened:
        return await opened.response.text()


def test_a_redirect_is_a_reply_unless_the_caller_follows_it(server: str) -> None:
    assert get(f"{server}/elsewhere?{server}/").status == 302
    assert "Host" in asyncio.run(follow(f"{server}/elsewhere?/", redirects=1))
    with pytest.raises(FolkwaysError, match="redirects more than 1 times"):
        asyncio.run(follow(f"{server}/elsewhere?/elsewhere?/", redirects=1))
    with pytest.raises(FolkwaysError, match="not safe: file://"):
        asyncio.run(follow(f"{server}/elsewhere?file:///etc/passwd", redirects=1))


def test_secrets_stay_with_the_first_origin_and_cookies_go_nowhere(server: str) -> None:
    other = server.replace("127.0.0.1", "localhost")
    secrets = {"Authorization": "Bearer s3cret"}
    at_home = asyncio.run(follow(f"{other}/elsewhere?/", redirects=1, secrets=secrets))
    away = asyncio.run(follow(f"{server}/elsewhere?{other}/", redirects=1, secrets=secrets))
    assert "s3cret" in at_home and "Cookie" not in at_home
    assert "s3cret" not in away and "Cookie" not in away and "localhost" in away


def test_no_reply_is_longer_than_the_caller_accepts(server: str) -> None:
    with pytest.raises(ReplyTooLargeError, match="more than 10000 bytes"):
        get(f"{server}/endless")
    with pytest.raises(ReplyTooLargeError):
        get(f"{server}/", most_bytes=20)


def test_no_reply_takes_longer_than_the_caller_waits(server: str) -> None:
    for path, limits in {"/slow": {"seconds": 0.3}, "/silent": {"seconds": None, "stall": 0.3}}.items():
        began = time.monotonic()
        with pytest.raises(NoReplyError, match="no answer in time"):
            get(server + path, **limits)
        assert time.monotonic() - began < 1.3
    assert len(get(f"{server}/slow", stall=1.0).content) == 30  # slow, and never silent for long


def test_what_went_wrong_is_said_in_words(server: str) -> None:
    with pytest.raises(NoReplyError) as refused:
        get("http://127.0.0.1:9/")
    assert (refused.value.host, refused.value.reason) == ("127.0.0.1", "Connection refused")
    with pytest.raises(NoReplyError, match="ontent"):  # of the length that was promised
        get(f"{server}/short")
    with pytest.raises(NoReplyError) as no_tls:
        get(server.replace("http:", "https:"))
    assert no_tls.value.reason.startswith("[SSL: ")
    with pytest.raises(NoReplyError) as unknown:
        get("https://models.invalid/")
    assert unknown.value.reason and not re.search(r"Errno|SSL|models\.invalid", unknown.value.reason)


def test_authorities_are_those_that_the_environment_names_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever aiohttp was imported, which makes a context of its own at that time."""
    certificate = self_signed(tmp_path / "certificate.pem")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"https://127.0.0.1:{server.server_port}/"
        with pytest.raises(NoReplyError, match="certificate is not valid"):
            get(url)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert get(url).status == 200
        monkeypatch.delenv("SSL_CERT_FILE")
        with pytest.raises(NoReplyError, match="certificate is not valid"):
            get(url)
        server.shutdown()


def test_files_are_sent_as_browsers_send_them(server: str) -> None:
    files = {'a "b" 图.png': b"\x00\r\n--", "c": b""}
    reply = ask_once("POST", server, most_bytes=10_000, seconds=10, files=("file", files))
    content = reply.content.partition(b"\n")[2]
    assert re.findall(rb'name="file"; filename="(.*)"\r\n', content) == ['a \\"b\\" 图.png'.encode(), b"c"]
    assert b"\r\n\r\n\x00\r\n--\r\n--" in content


def test_a_token_is_sent_through_a_proxy_whatever_netrc_says(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine hub.example\nlogin a\npassword b\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("http_proxy", server)
    sent = get("http://hub.example/", headers={"Authorization": "Bearer t"}, proxies=True).content.decode()
    assert "('Authorization', 'Bearer t')" in sent and "hub.example" in sent
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # where nothing is
    assert get(f"{server}/", proxies=True).is_success, "an address of this machine has no proxy"


def test_it_works_where_an_event_loop_runs_already(server: str) -> None:
    async def notebook() -> Reply:
        return get(f"{server}/")

    assert asyncio.run(notebook()).is_success
