"""The way to the server of an address: name, TLS, and the proxy that the environment names."""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

from folkways.endpoints.servers.http1 import AddressError, ConnectError, Connection, HttpError, RawReply

ConnectionT = TypeVar("ConnectionT", bound=Connection)

NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG")
"""What OpenSSL calls a reply that is no TLS: that of a server of http://."""


@dataclass(frozen=True)
class Route:
    """How the server of an address is reached: the address, an HTTP proxy or None, and the seconds to connect
    within.

    Raises AddressError for an address that is not http(s)://HOST[:PORT]/PATH.
    """

    url: str
    proxy: str | None = None
    connect_seconds: float = 30.0

    def __post_init__(self) -> None:
        parts = self._parts
        if parts.scheme not in ("http", "https") or not parts.hostname or not _is_plain(self.url):
            raise AddressError("not an address that can be asked")

    @cached_property
    def _parts(self) -> SplitResult:
        return _split(self.url)

    @cached_property
    def _proxy_parts(self) -> SplitResult | None:
        if not self.proxy:
            return None
        parts = _split(self.proxy if "://" in self.proxy else f"http://{self.proxy}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise AddressError(
                f"the environment names a proxy of {parts.scheme}://, and only http:// can be used"
            )
        return parts

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        return context

    @property
    def _tunnels(self) -> bool:
        return self._proxy_parts is not None and self._parts.scheme == "https"

    def head(self, method: str, headers: Mapping[str, str]) -> bytes:
        """The request line and the header fields, without Content-Length and the empty line.

        Raises AddressError for a header field with a line break in it.
        """
        parts, proxy = self._parts, self._proxy_parts
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        fields = {"Host": _host(parts, always_port=False), "Accept": "*/*", "Accept-Encoding": "identity"}
        if proxy is not None and not self._tunnels:
            target = f"http://{fields['Host']}{target}"
            fields |= _proxy_authorization(proxy)
        names = {name.lower() for name in headers}
        fields = {name: value for name, value in fields.items() if name.lower() not in names} | dict(headers)
        if not all(_is_one_line(name) and _is_one_line(value) for name, value in fields.items()):
            raise AddressError("a header holds a line break")
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        return "".join(f"{line}\r\n" for line in lines).encode()

    async def connect(self, make: Callable[[], ConnectionT]) -> ConnectionT:
        """Open a connection, through the proxy if there is one.

        Raises ConnectError, ssl.SSLError where the server's certificate is not accepted or it does not speak
        TLS, AddressError for a proxy that is not one of HTTP, and HttpError where the proxy refuses.
        """
        end = self._proxy_parts or self._parts
        try:
            async with asyncio.timeout(self.connect_seconds):
                if self._tunnels:
                    return await self._tunnel(await self._open(end, Connection), make)
                return await self._open(end, make)
        except OSError as error:  # TimeoutError is one
            if isinstance(error, ssl.SSLCertVerificationError) or getattr(error, "reason", "") in NO_TLS:
                raise
            raise ConnectError(error) from None
        except UnicodeError:
            raise AddressError("not an address that can be asked") from None

    async def _open(self, end: SplitResult, make: Callable[[], ConnectionT]) -> ConnectionT:
        secure = end.scheme == "https"
        _, connection = await asyncio.get_running_loop().create_connection(
            make, end.hostname or "", _port(end), ssl=self._tls if secure else None, happy_eyeballs_delay=0.25
        )
        return connection

    async def _tunnel(self, outer: Connection, make: Callable[[], ConnectionT]) -> ConnectionT:
        """Ask the proxy for a tunnel to the server, and speak TLS through it."""
        assert self._proxy_parts is not None  # noqa: S101 - the caller looked
        authority = _host(self._parts, always_port=True)
        fields = {"Host": authority, **_proxy_authorization(self._proxy_parts)}
        lines = [f"CONNECT {authority} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        try:
            reply = await outer.exchange(
                "".join(f"{line}\r\n" for line in [*lines, ""]).encode(), 0, None, connect=True
            )
            if not reply.good:
                raise HttpError(f"the proxy refuses to connect (HTTP {reply.status})")
            inner, transport = make(), outer.transport
            if transport is None:
                raise HttpError("the proxy closed the connection")
            secure = await asyncio.get_running_loop().start_tls(
                transport, inner, self._tls, server_hostname=self._parts.hostname
            )
            if secure is None:
                raise HttpError("the proxy closed the connection")
            inner.connection_made(secure)
        except BaseException:
            outer.abort()
            raise
        return inner


async def exchange_once(
    route: Route, method: str, headers: Mapping[str, str], body: bytes | None, limit: int
) -> RawReply:
    """The reply to one request by ``route``, over a new connection; at most ``limit`` bytes of a good one.

    method: of HTTP. headers: without Host and Content-Length. body: None for none.

    Raises what ``Route.connect`` and ``Connection.exchange`` raise.
    """
    length = f"Content-Length: {len(body)}\r\n" if body is not None else ""
    request = (
        route.head(method, {**headers, "Connection": "close"}) + length.encode() + b"\r\n" + (body or b"")
    )
    connection = await route.connect(Connection)
    try:
        return await connection.exchange(request, limit, None)
    finally:
        connection.abort()


def _split(url: str) -> SplitResult:
    """The address taken apart. Raises AddressError, without quoting it."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise AddressError("not an address that can be asked") from None
    return parts


def _port(parts: SplitResult) -> int:
    return parts.port if parts.port is not None else {"http": 80, "https": 443}[parts.scheme]


def _host(parts: SplitResult, *, always_port: bool) -> str:
    host = parts.hostname or ""
    try:
        host = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise AddressError("not an address that can be asked") from None
    shown = f"[{host}]" if ":" in host else host
    usual = parts.port is None or parts.port == {"http": 80, "https": 443}[parts.scheme]
    return shown if usual and not always_port else f"{shown}:{_port(parts)}"


def _proxy_authorization(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    user, password = unquote(proxy.username), unquote(proxy.password or "")
    return {"Proxy-Authorization": f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"}


def _is_plain(url: str) -> bool:
    return not any(character <= " " or character == "\x7f" for character in url)


def _is_one_line(text: str) -> bool:
    return not any(character in text for character in "\r\n\0")
