"""The proxy that the environment names for an address: the same for models, data and hubs."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass


def environment_proxy(url: str) -> str | None:
    """The proxy that the environment (HTTPS_PROXY, NO_PROXY, ...) names for an address.

    None for an address of this machine, which no proxy elsewhere can reach.
    """
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get(parts.scheme)


def is_loopback(url: str) -> bool:
    """Whether an address is one of this machine: no server elsewhere can have it."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
