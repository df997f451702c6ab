"""What the three HTTP protocols share: one pool of connections per endpoint, bounded reading, timeouts,
failures without secrets.

Every request costs the client well under 0.2 ms of CPU (perf/engine), so the path from ``complete`` to bytes
and back stays short: the address, headers and timeout are prepared once, bodies are built and read with
orjson, and cookies, redirects and per-request proxy look-ups are off.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import ssl
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import orjson
from yarl import URL

from folkways import __version__
from folkways.endpoints.base import (
    Completion,
    EndpointFailure,
    EndpointOptions,
    NamedEndpoint,
    Request,
    Settings,
)
from folkways.endpoints.clean import quotable, storable
from folkways.endpoints.likelihood import ABLE
from folkways.endpoints.servers.address import Address, is_loopback
from folkways.endpoints.servers.bodies import ERROR_BODY, BodyTooLargeError, read_bounded
from folkways.endpoints.servers.connections import KeptConnections, UnaskedError
from folkways.endpoints.servers.endings import Endings
from folkways.endpoints.servers.failures import outcome, read_error
from folkways.errors import FolkwaysError

PAGE = 16 * 1024 * 1024
LARGE = 2**30
"""Bytes of a page (a list, an upload's receipt) and of a batch's results that are read at most."""

MOST_FILES = 8192

UNKNOWN_SERVER = 2
"""Requests at once to begin with at a server of somebody's own: many work on one at a time, and let the
others wait."""


class HttpEndpoint(NamedEndpoint, ABC):
    """A model behind HTTP. A protocol says where to post, how a request is laid out and how a reply is
    read."""

    local = False
    endings: Endings

    def __init__(self, address: Address, options: EndpointOptions) -> None:
        self.name = address.name
        self.identity = address.identity
        usual = EndpointOptions.DEFAULT_CONCURRENCY
        self.default_concurrency = usual if address.hosted else EndpointOptions.MOST_OF_OWN_SERVER
        self.first_concurrency = usual if address.hosted else UNKNOWN_SERVER
        self._address = address
        self.timeout = options.timeout
        self._options = options
        self._connections: KeptConnections | None = None
        self._reached = False
        target = address.base_url + self.path()
        self._url = URL(f"{target}?{address.query}" if address.query else target, encoded=True)

    @property
    def model(self) -> str:
        """The model's name as the server knows it."""
        return self._address.model

    @abstractmethod
    def path(self) -> str:
        """Where requests are posted, below the base address: ``/chat/completions``."""

    @abstractmethod
    def payload(self, request: Request) -> dict[str, Any]:
        """The request as the protocol lays it out. Raises a fatal EndpointFailure for a setting that it
        cannot express."""

    @abstractmethod
    def read(self, reply: dict[str, Any]) -> Completion | None:
        """The completion in a reply; None if there is none in it (no choices, a layout of another
        protocol)."""

    @abstractmethod
    def ending(self, reply: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
        """The part of a reply that says how it ended, beside its answer, and the word for it; ``{}`` and None
        without one."""

    async def open(self, concurrency: int) -> None:
        """Open the connection pool for ``concurrency`` requests at once. Connects to nothing yet."""
        if self._connections is not None:
            return
        allow_connections()
        proxy, seconds = environment_proxy(str(self._url)), min(self._options.timeout, 30.0)
        self._connections = KeptConnections(
            concurrency, self._url, self._headers(), proxy, seconds, self._options.timeout
        )

    async def close(self) -> None:
        """Close the pool. Safe to call twice."""
        connections, self._connections = self._connections, None
        if connections is not None:
            await connections.close()

    async def look(self) -> float | None:
        """Settle which replies are surely the answers to their requests; seconds until more can be told, None
        where all are."""
        return await self._connections.look() if self._connections is not None else None

    def _headers(self) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"folkways/{__version__}",
            **self._address.headers,
            **self._options.headers,
        }

    async def complete(self, request: Request) -> Completion:
        """Ask once. Raises EndpointFailure, whose message holds no secret and at most 300 characters of what
        the server said."""
        connections = self._connections
        if connections is None:
            raise FolkwaysError(f"{self.name} was asked before it was opened; call open() first")
        body = self.body(request)
        failure: EndpointFailure | None = None
        try:
            answer = await connections.post(body, self._options.max_body)
            self._reached = True
        except aiohttp.ConnectionTimeoutError as error:
            failure = self._lost(error)
        except TimeoutError:
            failure = EndpointFailure(
                f"{self.name}: no reply within {self._options.timeout:g} s", retryable=True, timed_out=True
            )
        except BodyTooLargeError:
            limit = self._options.max_body / (1024 * 1024)
            said = f"{self.name}: the reply is longer than {limit:g} MiB and was not read"
            failure = EndpointFailure(said, status=200, retryable=True)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure = self._lost(error)
        # Raised outside the except block: aiohttp's errors carry the request's headers, and so the key, into
        # the traceback.
        if failure is not None:
            raise failure
        reply, status, raw = from_json(answer.body), answer.status, answer.body
        if status == 400 and not isinstance(reply, dict) and answer.used_before:
            # Not what a model's server says to a request: what a proxy says to a connection on which nothing
            # came for a while.
            raise EndpointFailure(
                f"{self.name}: the connection was lost: {self._quote(raw)}", status=status, retryable=True
            )
        name = (reply.get("id") or reply.get("responseId")) if isinstance(reply, dict) else None
        if connections.is_repeated(answer, name):
            raise self._lost(UnaskedError())
        completion = self.completion(request, status, answer.headers, reply, raw)
        completion.confirmation = answer.confirmation
        return completion

    def body(self, request: Request) -> bytes:
        """The request as it is sent. Raises a fatal EndpointFailure for a setting that the protocol cannot
        express."""
        if request.settings.read is not None:
            raise EndpointFailure(
                f"{self.name} tells no likelihoods (read={request.settings.read}): {ABLE} do", fatal=True
            )
        return to_json(self.payload(request))

    def completion(
        self, request: Request, status: int, headers: Mapping[str, str], reply: Any, raw: bytes
    ) -> Completion:
        """What a reply says; EndpointFailure where that is no completion. raw: its bytes, for messages."""
        good = 200 <= status < 300
        if good and isinstance(reply, dict):
            part, reason = self.ending(reply)
            if not reply.get("error") and part.get("error"):
                reply = part  # it failed in the middle of the answer
            elif (reason or "").lower() in self.endings.failed:
                said = (
                    f"{self.name}: the provider failed in the middle of the reply (it ended it with "
                    f"{quotable(str(reason))})"
                )
                raise EndpointFailure(said, status=status, retryable=True)
        if good and isinstance(reply, dict) and not reply.get("error"):
            completion = self.read(reply)
            if completion is not None:
                return completion
            raise EndpointFailure(
                f"{self.name}: the reply has no answer in it: {self._quote(raw)}",
                status=status,
                retryable=True,
            )
        if good:
            status = self._status_in(reply, raw)
        found = outcome(self._address, status, headers, reply, raw, request.settings)
        if isinstance(found, EndpointFailure):
            raise found
        return found

    async def call(
        self, method: str, path: str, data: bytes | aiohttp.FormData | None = None, *, large: bool = False
    ) -> bytes:
        """The body of a good reply to a call beside the requests (uploads, lists), on its own connection;
        EndpointFailure else.

        path:  below the base address, with its query.
        large: much goes up or comes down (at most LARGE bytes): it has ten times the time of a request.
        """
        limit, seconds = (LARGE, 10 * self.timeout) if large else (PAGE, self.timeout)
        url = f"{self._address.base_url}{path}"
        if self._address.query:
            url += f"{'&' if '?' in path else '?'}{self._address.query}"
        headers = {"User-Agent": f"folkways/{__version__}", **self._address.headers, **self._options.headers}
        if isinstance(data, bytes):
            headers["Content-Type"] = "application/json"
        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=min(self.timeout, 30.0))
        failure: EndpointFailure | None = None
        try:
            status, said, raw = await exchange(method, url, data, limit, headers=headers, timeout=timeout)
        except TimeoutError:
            failure = EndpointFailure(
                f"{self.name}: no reply within {seconds:g} s", retryable=True, timed_out=True
            )
        except BodyTooLargeError:
            failure = EndpointFailure(
                f"{self.name}: the reply is longer than {limit / 2**20:g} MiB and was not read"
            )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure = self._lost(error)
        if failure is not None:  # raised here, as aiohttp's errors carry the request's headers
            raise failure
        if 200 <= status < 300:
            return raw
        found = outcome(self._address, status, said, from_json(raw), raw, Settings(None, None))
        raise (
            found
            if isinstance(found, EndpointFailure)
            else EndpointFailure(f"{self.name}: {found.refusal}", status=status)
        )

    def _status_in(self, reply: Any, raw: bytes) -> int:
        """The status that a router put into the body of a 200; a failure if there is none (a page of HTML,
        broken JSON)."""
        if isinstance(reply, dict):
            status = read_error(reply, raw).status
            if status is not None and 400 <= status < 600:
                return status
            what = "is an error"
        else:
            what = "is not valid JSON" if reply is None else "is not a JSON object"
        raise EndpointFailure(
            f"{self.name}: the reply {what}: {self._quote(raw)}", status=200, retryable=True
        )

    def _quote(self, raw: bytes) -> str:
        return quotable(raw[:4096].decode("utf-8", "replace"), self._address.secrets, 200) or "(empty)"

    def _lost(self, error: Exception) -> EndpointFailure:
        if isinstance(error, UnaskedError):
            said = (
                "the server sent a reply that nobody asked for; what may be the answer to another "
                "question is asked again"
            )
            return EndpointFailure(f"{self.name}: {said}", retryable=True)
        said = quotable(str(error), self._address.secrets, 200) or type(error).__name__
        if isinstance(error, (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError, ssl.SSLError)):
            advice = "Trust its certificate on this system, or use another address"
            return EndpointFailure(
                f"{self.name}: the server's certificate is not accepted: {said}\n{advice}", fatal=True
            )
        if isinstance(error, aiohttp.InvalidURL):
            return EndpointFailure(
                f"{self.name}: {self._address.base_url} is not an address that can be asked", fatal=True
            )
        if isinstance(error, (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)):
            if self._connections is not None:
                self._connections.clear_dns_cache()  # a server that comes back may do so at another address
            message = f"{self.name}: no connection to {self._address.base_url}: {said}"
            return EndpointFailure(message, retryable=True, unreachable=self._unreachable(error))
        return EndpointFailure(f"{self.name}: the connection was lost: {said}", retryable=True)

    def _unreachable(self, error: Exception) -> str:
        """Why, in a few words. Nothing for a name that is not known and never was: it is misspelt rather than
        away."""
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return "its name is not known" if self._reached else ""
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return "no connection in time"
        cause = getattr(error, "os_error", None)
        if isinstance(cause, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(
            cause
        ):  # one of several addresses
            return "connection refused"
        return (
            os.strerror(cause.errno).lower()
            if isinstance(cause, OSError) and cause.errno
            else "no connection"
        )


def allow_connections() -> None:
    """Let this process have more files and connections open than it begins with (on macOS 256), as far as its
    system allows."""
    try:
        import resource  # not on Windows, which has no such limit
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):  # some systems allow less than they say
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def exchange(
    method: str, url: str, data: bytes | aiohttp.FormData | None, most: int, **session: Any
) -> tuple[int, Mapping[str, str], bytes]:
    """Status, headers and body of a reply to a call beside the requests; redirects are not followed.

    session: of aiohttp. Raises BodyTooLargeError for more than ``most`` bytes of a good reply, and what
    aiohttp raises.
    """
    async with (
        aiohttp.ClientSession(**session, proxy=environment_proxy(url)) as client,
        client.request(method, URL(url, encoded=True), data=data, allow_redirects=False) as response,
    ):
        good = 200 <= response.status < 300
        most = most if good else ERROR_BODY
        raw = await read_bounded(response.content, response.headers, most, asyncio.Semaphore(), whole=good)
        return response.status, response.headers, raw


def to_json(payload: dict[str, Any]) -> bytes:
    """JSON bytes. A prompt with a lone surrogate, which has no UTF-8 form, is sent with U+FFFD in its
    place."""
    try:
        return orjson.dumps(payload)
    except TypeError:
        return json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")


def from_json(raw: bytes) -> Any:
    """What the body says; None if it is not JSON. Lone surrogates, bad UTF-8 and a byte order mark do not
    make it unreadable."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def text_of(content: Any) -> str:
    """A reply's text, storable. ``content`` is a string, null, or a list of parts, of which those without
    text are left out."""
    if isinstance(content, str):
        return storable(content)
    if isinstance(content, list):
        parts = (
            part if isinstance(part, str) else part.get("text")
            for part in content
            if isinstance(part, (str, dict))
        )
        return storable("".join(part for part in parts if isinstance(part, str)))
    return ""


def name_of(value: Any) -> str | None:
    """A short word of the server's (model name, finish reason), storable; None for anything that is not
    text."""
    return storable(value[:200]) if isinstance(value, str) else None


def count_of(usage: Any, name: str) -> int | None:
    """A token count; None for anything that is not a plausible count."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and 0 <= value < 2**53 else None


def environment_proxy(url: str) -> str | None:
    """The proxy that the environment (HTTPS_PROXY, NO_PROXY, ...) names for ``url``; looked up once, not at
    every request.

    None for an address of this machine, which no proxy elsewhere can reach.
    """
    parts = urlsplit(url)
    if is_loopback(url) or urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    return urllib.request.getproxies().get(parts.scheme)
