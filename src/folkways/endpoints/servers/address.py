"""Where a model is and how its server wants to be spoken to; secrets are kept apart from everything that is
shown or stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from folkways.errors import FolkwaysError

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Dialect:
    """Field names in which servers of one protocol differ. An empty name means that the server has no such
    field."""

    max_tokens: str = "max_tokens"
    seed: str = "seed"
    reasoning_effort: str = "reasoning_effort"
    reasoning_budget: str = ""


@dataclass(frozen=True, slots=True)
class Address:
    """One model at one server.

    name and identity: see ``folkways.endpoints.base.Endpoint``.
    base_url: without userinfo, query, fragment or trailing slash.
    query: of the address, sent with every request ("api-version=1"); never stored, since people put keys
        there.
    headers: the credentials, as headers.
    secrets: every string that must not appear in a message.
    key_names: environment variables a key is looked for in, for messages.
    hosted: whether it is a service for many; else somebody's own server, which may work on few requests at
        once.
    key_hint: why no key is sent and what to set; empty where one is.
    batch: how requests leave in batches: openai, anthropic, google or file; empty where they cannot.
    start: the line that starts a server of this kind, and get: the line that gets it a model; empty where
        there is none.
    """

    name: str
    identity: str
    model: str
    base_url: str
    key_names: tuple[str, ...] = ()
    hosted: bool = False
    key_hint: str = ""
    start: str = ""
    get: str = ""
    batch: str = ""
    dialect: Dialect = Dialect()
    query: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Url:
    """An http address taken apart: the part that may be shown, and the parts that may hold secrets."""

    plain: str
    model: str
    query: str = field(repr=False)
    user: str = field(repr=False)
    password: str = field(repr=False)


def split_url(text: str) -> Url:
    """Read ``http(s)://[user:password@]host[:port]/path[?query][#model]``. Raises FolkwaysError, without
    quoting any secret.

    Two spellings of one address give the same ``plain``: scheme and host in lower case, no default port, no
    trailing slash.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise FolkwaysError(
            "an address that is not a URL was given; write http(s)://HOST[:PORT]/v1#MODEL"
        ) from None
    if parts.scheme.lower() not in _DEFAULT_PORTS or not host:
        raise FolkwaysError(
            "an address needs http:// or https:// and a host; write http(s)://HOST[:PORT]/v1#MODEL"
        )
    return Url(
        plain=_plain(parts, host, port),
        model=unquote(parts.fragment),
        query=parts.query,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )


def _plain(parts: SplitResult, host: str, port: int | None) -> str:
    scheme = parts.scheme.lower()
    shown = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS[scheme]:
        shown += f":{port}"
    return urlunsplit((scheme, shown, parts.path.rstrip("/"), "", ""))
