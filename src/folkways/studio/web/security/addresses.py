"""Which addresses of the network this server may be made to call: no researcher is to reach what stands beside it."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from folkways.studio.errors import SubmissionError

TRANSLATED = IPv6Network("64:ff9b::/96")
"""Addresses behind which a network's own translator has IPv4 ones."""

PRIVATE = "this is an address of the server's own network, which is not called; the server may be started to allow it"


class PrivateAddressError(OSError):
    """A name stands for an address that is not to be called."""


def is_public(address: str) -> bool:
    """Whether an address is one of the public network; an IPv6 one that stands for an IPv4 one is what that is."""
    try:
        found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if inner is None and found in TRANSLATED:
            inner = IPv4Address(int(found) & 0xFFFFFFFF)
        found = inner or found
    return found.is_global and not found.is_multicast


def check_target(url: str, *, private: bool) -> None:
    """SubmissionError for an address to which nothing is sent: no TLS, or an IP address that is private, unless ``private``."""
    if private:
        return
    if not url.startswith("https://"):
        raise SubmissionError({"url": "the address has to begin with https://"})
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        raise SubmissionError({"url": "this is no address of the web"}) from None
    if is_number(host) and not is_public(host):
        raise SubmissionError({"url": PRIVATE})


def is_number(host: str) -> bool:
    """Whether a host is an IP address and no name."""
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


class PublicResolver(AbstractResolver):
    """Names as public addresses alone: what is checked is what is connected to, whatever the name stands for a moment later."""

    def __init__(self) -> None:
        self.inner = ThreadedResolver()

    async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET) -> list[ResolveResult]:
        """The addresses of a name; PrivateAddressError where one of them is private."""
        found = await self.inner.resolve(host, port, family)
        if not all(is_public(each["host"]) for each in found):
            raise PrivateAddressError(PRIVATE)
        return found

    async def close(self) -> None:
        """Nothing is held."""
        await self.inner.close()
