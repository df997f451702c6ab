"""The way to a server: what is sent to whom, through which proxy, and which certificates are accepted."""

from __future__ import annotations

import asyncio
import json
import ssl
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from folkways.endpoints.base import EndpointFailure, EndpointOptions
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers.http1 import (
    AddressError,
    BodyTooLargeError,
    ConnectError,
    Connection,
    HttpError,
)
from folkways.endpoints.servers.route import Route, exchange_once
from folkways.proxies import environment_proxy
from tests.support.certificates import self_signed
from tests.support.chat_server import ChatServer
from tests.support.endpoint_requests import KEY, request

REPLY = json.dumps({"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]}).encode()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return self_signed(tmp_path / "certificate.pem")


class Servers:
    """A TLS server of chat completions and a proxy in front of it. heads: what each was sent, in order."""

    def __init__(self, certificate: Path) -> None:
        self.heads: list[tuple[str, str]] = []
        self.refuses = False
        self.proxy_context: ssl.SSLContext | None = None
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)

    async def run(self, work: Callable[[int, int], object]) -> object:
        """The result of the coroutine ``work(port of the server, port of the proxy)``."""
        async with (
            await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context) as server,
            await asyncio.start_server(self.relay, "127.0.0.1", 0, ssl=self.proxy_context) as proxy,
        ):
            ports = [one.sockets[0].getsockname()[1] for one in (server, proxy)]
            return await work(*ports)  # type: ignore[misc]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                self.heads.append(("server", head))
                length = [int(line.split(":")[1]) for line in head.split("\r\n") if "Content-Length" in line]
                await reader.readexactly(length[0])
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(REPLY), REPLY))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(("proxy", head))
        if self.refuses:
            writer.write(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
            writer.close()
            return
        host, port = head.split(" ")[1].rsplit(":", 1)
        assert host == "127.0.0.1"
        inner, outer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_copy(reader, outer), _copy(inner, writer))


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65536):
            target.write(data)
        target.close()
    except ConnectionError:
        target.close()


@pytest.mark.parametrize("through", [False, True], ids=["direct", "proxy"])
def test_tls_ends_at_the_server_and_not_at_the_proxy(
    certificate: Path, monkeypatch: pytest.MonkeyPatch, through: bool
) -> None:
    """The proxy gets the name and password of its own address, and no key; the server no word of the proxy."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    servers = Servers(certificate)

    async def work(port: int, proxy: int) -> list[bytes]:
        route = Route(
            f"https://127.0.0.1:{port}/v1",
            f"http://m%40e:se%20cret@127.0.0.1:{proxy}" if through else None,
            5.0,
        )
        connection = await route.connect(Connection)
        head = route.head("POST", {"Authorization": f"Bearer {KEY}"}) + b"Content-Length: 2\r\n\r\n{}"
        replies = [(await connection.exchange(head, 1000, None)).body for _ in range(2)]
        assert connection.keep
        assert not connection.unasked
        connection.abort()
        return replies

    assert asyncio.run(servers.run(work)) == [REPLY, REPLY]
    assert [who for who, _ in servers.heads] == (["proxy"] if through else []) + ["server", "server"]
    for who, head in servers.heads:
        assert (KEY in head) == (who == "server")
        assert ("\r\nAuthorization" in head) == (who == "server")
        assert ("Proxy-Authorization" in head) == (who == "proxy")
        assert head.startswith("POST /v1 HTTP/1.1\r\n" if who == "server" else "CONNECT 127.0.0.1:")
    if through:
        assert f"Basic {b64encode(b'm@e:se cret').decode()}\r\n" in servers.heads[0][1]


@pytest.mark.parametrize("through", [False, True], ids=["direct", "proxy"])
def test_a_certificate_that_nobody_trusts_is_not_accepted(certificate: Path, through: bool) -> None:
    servers = Servers(certificate)

    async def work(port: int, proxy: int) -> None:
        proxy_url = f"http://127.0.0.1:{proxy}" if through else None
        await Route(f"https://127.0.0.1:{port}/", proxy_url, 5.0).connect(Connection)

    with pytest.raises(ssl.SSLCertVerificationError):
        asyncio.run(servers.run(work))
    assert "server" not in dict(servers.heads)


def test_a_certificate_for_another_name_is_not_accepted(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    async def work(port: int, proxy: int) -> None:
        await Route(f"https://127.0.0.2:{port}/", f"http://127.0.0.1:{proxy}", 5.0).connect(Connection)

    servers = Servers(certificate)
    monkeypatch.setattr(Servers, "relay", relay_to_the_first_address(servers))
    with pytest.raises(ssl.SSLCertVerificationError, match=r"127\.0\.0\.2"):
        asyncio.run(servers.run(work))


def relay_to_the_first_address(servers: Servers) -> Callable[..., object]:
    """A proxy that leads to 127.0.0.1 whatever it is asked for."""

    async def relay(_: Servers, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        inner, outer = await asyncio.open_connection("127.0.0.1", int(head.split(" ")[1].rsplit(":", 1)[1]))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.gather(_copy(reader, outer), _copy(inner, writer))

    return relay


class NoTls(Servers):
    """Its server speaks HTTP alone."""

    async def relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()


class Restarting(Servers):
    """Its server goes away before the two have agreed on TLS."""

    async def relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.close()


@pytest.mark.parametrize(
    "kind, words, fatal",
    [
        (Servers, "certificate is not accepted: self[- ]signed certificate\\n", True),
        (NoTls, "does not speak TLS; begin its address with http://", True),
        (Restarting, r"no connection to https://127\.0\.0\.1:\d+/v1: (?!exec|operation|\[Errno)", False),
    ],
)
def test_an_endpoint_with_which_tls_is_not_possible_says_why(
    certificate: Path, kind: type[Servers], words: str, fatal: bool
) -> None:
    servers = kind(certificate)

    async def work(port: int, proxy: int) -> None:
        port = port if kind is Servers else proxy
        endpoint = open_name(f"https://127.0.0.1:{port}/v1#m", EndpointOptions(timeout=5))
        await endpoint.open(1)
        try:
            await endpoint.complete(request())
        finally:
            await endpoint.close()

    with pytest.raises(EndpointFailure, match=words) as caught:
        asyncio.run(servers.run(work))
    assert (caught.value.fatal, caught.value.retryable) == (fatal, not fatal)


def test_a_proxy_that_refuses(certificate: Path) -> None:
    servers = Servers(certificate)
    servers.refuses = True

    async def work(port: int, proxy: int) -> None:
        await Route(f"https://127.0.0.1:{port}/", f"127.0.0.1:{proxy}", 5.0).connect(Connection)

    with pytest.raises(HttpError, match="HTTP 407") as caught:
        asyncio.run(servers.run(work))
    assert not isinstance(caught.value, ConnectError)


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 200 Yes\r\n\r\n"]
)
def test_a_tunnel_that_comes_to_nothing_is_closed(answer: bytes) -> None:
    """The proxy sees the end of a connection that it left open: after its refusal, and after silence."""

    async def work() -> None:
        ended = asyncio.Event()

        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            with suppress(ConnectionError):
                while await reader.read(4096):
                    pass
            ended.set()
            writer.close()

        async with await asyncio.start_server(relay, "127.0.0.1", 0) as proxy:
            route = Route("https://models.invalid/", f"127.0.0.1:{proxy.sockets[0].getsockname()[1]}", 1.0)
            with pytest.raises(HttpError):
                await route.connect(Connection)
            await asyncio.wait_for(ended.wait(), 20)

    asyncio.run(work())


def test_a_tunnel_is_asked_for_with_its_port(certificate: Path) -> None:
    """Also where the address does not name one."""
    servers = Servers(certificate)
    servers.refuses = True

    async def work(port: int, proxy: int) -> None:
        await Route("https://models.invalid/v1", f"127.0.0.1:{proxy}", 5.0).connect(Connection)

    with pytest.raises(HttpError, match="HTTP 407"):
        asyncio.run(servers.run(work))
    assert servers.heads == [
        ("proxy", "CONNECT models.invalid:443 HTTP/1.1\r\nHost: models.invalid:443\r\n\r\n")
    ]


def test_a_proxy_that_speaks_tls_itself(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    servers = Servers(certificate)
    servers.proxy_context = servers.context

    async def work(port: int, proxy: int) -> bytes:
        route = Route(f"https://127.0.0.1:{port}/v1", f"https://127.0.0.1:{proxy}", 5.0)
        return (await exchange_once(route, "POST", {}, b"{}", 1000)).body

    assert asyncio.run(servers.run(work)) == REPLY
    assert [who for who, _ in servers.heads] == ["proxy", "server"]


@pytest.mark.parametrize("length", [2, 200])
def test_a_connection_for_one_request_is_closed_after_it(length: int) -> None:
    """Although the server would keep it; also where its reply is too long."""

    async def ask() -> None:
        closed = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (length, b"a" * length))
            with suppress(ConnectionError):
                await reader.read()
            writer.close()
            closed.set()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            route = Route(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", connect_seconds=5.0)
            if length > 100:
                with pytest.raises(BodyTooLargeError):
                    await exchange_once(route, "GET", {}, None, 100)
            else:
                assert (await exchange_once(route, "GET", {}, None, 100)).body == b"aa"
            async with asyncio.timeout(5):
                await closed.wait()

    asyncio.run(ask())


def test_a_proxy_is_asked_for_the_whole_address() -> None:
    """With the name and password that its own address holds; the test server stands in for the proxy."""
    with ChatServer() as proxy:
        route = Route(
            "http://models.invalid/v1/chat/completions?a=b", proxy.url.replace("//", "//me:secret@"), 5.0
        )
        body = b'{"messages": [{"content": "A"}]}'
        reply = asyncio.run(exchange_once(route, "POST", {}, body, 10**6))
        head = proxy.stats()["last"]["head"].split("\r\n")
    assert reply.good
    assert head[0] == "POST http://models.invalid/v1/chat/completions?a=b HTTP/1.1"
    assert f"Proxy-Authorization: Basic {b64encode(b'me:secret').decode()}" in head
    assert "Host: models.invalid" in head
    assert "Connection: close" in head


def test_an_endpoint_takes_the_proxy_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)

        async def ask() -> str:
            endpoint = open_name("http://models.invalid/v1#m", EndpointOptions(timeout=5))
            await endpoint.open(1)
            try:
                return (await endpoint.complete(request())).text
            finally:
                await endpoint.close()

        assert asyncio.run(ask()) in {"A", "B", "C", "D"}
        monkeypatch.setenv("no_proxy", "models.invalid")
        with pytest.raises(EndpointFailure, match=r"no connection to http://models\.invalid/v1") as caught:
            asyncio.run(ask())
    assert caught.value.unreachable == ""  # a name that never was known is misspelt rather than away


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "http://"])
def test_a_proxy_of_another_kind_is_an_error(proxy: str) -> None:
    with pytest.raises(AddressError, match="environment names a proxy"):
        Route("http://127.0.0.1:9/", proxy).head("GET", {})


@pytest.mark.parametrize(
    "url", ["ftp://a/", "http:///a", "http://a b/", "http://a/\r\nX: y", "http://a:b/", ""]
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(AddressError, match="not an address"):
        Route(url)


@pytest.mark.parametrize(
    ("url", "line", "host"),
    [
        ("http://Example.org/v1?a=b#c", "/v1?a=b", "example.org"),
        ("http://example.org:80", "/", "example.org"),
        ("http://example.org:443/", "/", "example.org:443"),
        ("https://example.org:443/", "/", "example.org"),
        ("http://a:0/", "/", "a:0"),
        ("http://[::1]:8000/a", "/a", "[::1]:8000"),
        ("http://bücher.example/", "/", "xn--bcher-kva.example"),
    ],
)
def test_the_head_of_a_request(url: str, line: str, host: str) -> None:
    head = Route(url).head("POST", {"Accept": "text/plain", "X-Name": "Ünï"})
    assert head.decode().split("\r\n") == [
        f"POST {line} HTTP/1.1",
        f"Host: {host}",
        "Accept-Encoding: identity",
        "Accept: text/plain",
        "X-Name: Ünï",
        "",
    ]


@pytest.mark.parametrize("headers", [{"X": "a\r\nY: b"}, {"X": "a\nb"}, {"X": "a\0"}, {"X\r\nY": "a"}])
def test_a_header_cannot_bring_others(headers: dict[str, str]) -> None:
    with pytest.raises(AddressError, match="line break"):
        Route("http://a/").head("POST", headers)


def test_connecting_ends_in_time() -> None:
    """A port whose queue of connections is full answers nobody."""
    import socket

    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        with pytest.raises(ConnectError, match="in time") as caught:
            asyncio.run(Route(f"http://127.0.0.1:{port}/", connect_seconds=0.3).connect(Connection))
        for one in waiting:
            one.close()
    assert isinstance(caught.value.cause, TimeoutError)


def test_names_and_ports_where_nothing_is() -> None:
    with pytest.raises(ConnectError) as unknown:
        asyncio.run(Route("http://no.such.invalid/").connect(Connection))
    assert unknown.value.is_unknown_name
    with pytest.raises(ConnectError) as refused:
        asyncio.run(Route("http://127.0.0.1:9/").connect(Connection))
    assert not refused.value.is_unknown_name
    assert isinstance(refused.value.cause, ConnectionRefusedError)


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://models.invalid/v1", "http://proxy.invalid:1"),
        ("https://models.invalid/v1", None),
        ("http://127.0.0.1:9/v1", None),
        ("http://[::1]:9/v1", None),
        ("http://localhost/v1", None),
        ("http://a.inner.invalid/v1", None),
    ],
)
def test_which_addresses_have_a_proxy(monkeypatch: pytest.MonkeyPatch, url: str, proxy: str | None) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://proxy.invalid:1")
    monkeypatch.setenv("no_proxy", ".inner.invalid")
    assert environment_proxy(url) == proxy
