"""Settings of the web server. Only the place of ``prolific_keys`` is sensitive."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from folkways.sdk.errors import FolkwaysError
from folkways_studio.addresses import LOCAL_HOSTS, AddressError, web_address
from folkways_studio.models.offered import OfferedModel

if TYPE_CHECKING:
    from folkways_studio.people.single_sign_on import SingleSignOn

PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Settings of one server.

    origin: the address that browsers see ("https://studio.example.org", or "https://example.org/studio" on a
        shared host); changes must come from a page of that host. None: the address of each request, for work
        on one's own machine.
    upload_bytes: the largest file that a researcher may import.
    body_bytes: the largest of all other requests.
    rates: action -> (how many, in how many seconds) one address may do it.
    models: name -> a model that studies may choose; no other is ever asked.
    proxies: addresses or networks of the servers in front ("127.0.0.1", "10.0.0.0/24"), which are trusted to
        say where a request came from.
    private_webhooks: whether webhooks may call addresses of this server's own network, and without TLS.
    prolific_keys: URL or file of the JSON Web Key Set of Prolific, for studies with signed entry.
    single_sign_on: the OpenID Connect provider that lets people in; None for none.
    """

    origin: str | None = None
    upload_bytes: int = 20 * 2**20
    body_bytes: int = 2**20
    rates: dict[str, tuple[int, float]] = field(
        default_factory=lambda: {
            "signin": (300, 600.0),  # also successful ones: an address may be a whole university
            "join": (600, 600.0),
            "models": (240, 60.0),
            "api": (600, 60.0),  # by token, or by address without a valid one
        }
    )
    models: Mapping[str, OfferedModel] = field(default_factory=dict)
    proxies: tuple[str, ...] = ()
    private_webhooks: bool = False
    prolific_keys: str = "https://api.prolific.com/.well-known/study/jwks.json"
    single_sign_on: SingleSignOn | None = None

    def __post_init__(self) -> None:
        for proxy in self.proxies:
            try:
                ip_network(proxy, strict=False)
            except ValueError:
                raise FolkwaysError(
                    f"the proxy {proxy!r} is not an address or network such as 127.0.0.1 or 10.0.0.0/24; "
                    "name the servers in front of the studio one by one"
                ) from None
        if self.origin is None:
            return
        try:
            url = web_address(self.origin, unencrypted="anywhere")
        except AddressError:
            url = None
        if url is None or not PREFIX.fullmatch(url.raw_path.rstrip("/")) or url.query_string or url.fragment:
            raise FolkwaysError(
                f"the studio's address {self.origin!r} cannot be used; give scheme and host, and a path "
                "on a shared host: https://studio.example.org or https://example.org/studio"
            )
        if url.scheme == "http" and url.host not in LOCAL_HOSTS:
            raise FolkwaysError(
                f"the studio at {self.origin} would send passwords and answers in the clear; "
                "put it behind a server with a certificate and give its address as https://..."
            )
        object.__setattr__(self, "origin", str(url).rstrip("/"))  # as browsers send it, to be compared

    @property
    def prefix(self) -> str:
        """The path below which browsers see the studio, without a final slash; empty if the host is not
        shared."""
        return urlsplit(self.origin or "").path.rstrip("/")

    @property
    def passwords(self) -> bool:
        return self.single_sign_on is None or self.single_sign_on.passwords

    @property
    def secure(self) -> bool:
        """Whether cookies are only sent over TLS."""
        return self.origin is not None and self.origin.startswith("https://")
