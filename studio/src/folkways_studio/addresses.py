"""Addresses that this server calls: read once, as the client reads them, so that what is checked is what is
connected to.

A host may be written in letters that a client turns into others (circled or wide digits, other full stops),
or as a number that some clients take for an IP address. ``web_address`` gives the one that is meant, for
webhooks, models, buckets, providers and Prolific alike. ``public_connector`` lets nothing through to the
server's own network: it looks at every address of a name, and at the one that a connection is opened to.
"""

from __future__ import annotations

import re
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from folkways.sdk.errors import FolkwaysError

if TYPE_CHECKING:
    from aiohttp import TCPConnector
    from yarl import URL

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
"""Hosts of this machine itself, to which nothing needs to be encrypted."""

NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?")
NUMBER = re.compile(r"([0-9]+|0x[0-9a-f]*)\.?")
TRANSLATED = IPv6Network("64:ff9b::/96")
"""Addresses behind which a network's own translator has IPv4 ones."""

UNICAST = IPv6Network("2000::/3")
"""Addresses that are given out to the public network (RFC 4291); Python counts others as global too."""

NO_ADDRESS = "give an address of the web: https://example.org/hook"
NOT_ENCRYPTED = "the address has to begin with https://"
WITH_PASSWORD = "leave name and password out of the address; deliveries are signed instead"  # noqa: S105 - no password
PRIVATE = (
    "this is an address of the server's own network, which is not called; the server may be started "
    "to allow it"
)

Unencrypted = Literal["anywhere", "here", "nowhere"]


class AddressError(FolkwaysError):
    """An address that is not called; its words say why."""


class PrivateAddressError(OSError):
    """A name stands for an address that is not to be called, or a connection would lead to one."""


def web_address(text: object, *, unencrypted: Unencrypted = "here", public: bool = False) -> URL:
    """The address that a client calls for a text, its host in small letters of ASCII.

    unencrypted: where http:// may lead to. public: refuse IP addresses that are not of the public network;
    names are looked at when they are called (``public_connector``). AddressError for any other, for one with
    a name or password in it, and for a host that clients read in different ways.
    """
    from yarl import URL

    if not isinstance(text, str) or not text.isprintable() or " " in text or "\\" in text:
        raise AddressError(NO_ADDRESS)
    try:
        url, parts = URL(text), urlsplit(text)
        port = url.port
    except ValueError:
        raise AddressError(NO_ADDRESS) from None
    host = (url.raw_host or "").lower()
    if url.scheme not in ("http", "https") or not port or not host or not (is_number(host) or _is_name(host)):
        raise AddressError(NO_ADDRESS)
    if "@" in parts.netloc:
        raise AddressError(WITH_PASSWORD)
    if url.scheme == "http" and not (
        unencrypted == "anywhere" or (unencrypted == "here" and host in LOCAL_HOSTS)
    ):
        raise AddressError(NOT_ENCRYPTED)
    if public and is_number(host) and not is_public(host):
        raise AddressError(PRIVATE)
    return url


def _is_name(host: str) -> bool:
    """Whether a host is a name for every client: 127.1 and 0x7f000001 are numbers for some."""
    return NAME.fullmatch(host) is not None and NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]) is None


def is_number(host: str) -> bool:
    """Whether a host is an IP address and no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_public(address: str) -> bool:
    """Whether an address is one of the public network; an IPv6 one that stands for an IPv4 one is what that
    is."""
    try:
        found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if inner is None and found in TRANSLATED:
            inner = IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is None and found not in UNICAST:
            return False
        found = inner or found
    return found.is_global and not found.is_multicast


def public_connector() -> TCPConnector:
    """For requests that reach the public network alone, whatever their address says and a name stands for a
    moment later.

    PrivateAddressError, within aiohttp's own errors or by itself, for any other; nothing was sent then.
    """
    from aiohttp import TCPConnector
    from aiohttp.abc import AbstractResolver, ResolveResult
    from aiohttp.resolver import ThreadedResolver

    class PublicResolver(AbstractResolver):
        """Names of which every address is public."""

        def __init__(self) -> None:
            self.inner = ThreadedResolver()

        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            addresses = await self.inner.resolve(host, port, family)
            if not all(is_public(each["host"]) for each in addresses):
                raise PrivateAddressError(PRIVATE)
            return addresses

        async def close(self) -> None:
            await self.inner.close()

    def open_socket(info: tuple[int, int, int, str, tuple[str | int, ...]]) -> socket.socket:
        """The socket of a connection to the address that it is opened to: also of one that was no name."""
        family, kind, protocol, _, address = info
        if not is_public(str(address[0])):
            raise PrivateAddressError(PRIVATE)
        return socket.socket(family, kind, protocol)

    return TCPConnector(resolver=PublicResolver(), socket_factory=open_socket)
