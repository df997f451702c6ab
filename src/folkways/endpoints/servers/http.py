"""What the three HTTP protocols share: one pool of connections per endpoint, bounded reading, timeouts,
failures without secrets.

Every request costs the client well under 0.2 ms of CPU (perf/engine), so the path from ``complete`` to bytes
and back stays short: the address, headers and timeout are prepared once, bodies are built and read with
orjson, and cookies, redirects and per-request proxy look-ups are off.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson

from folkways import __version__
from folkways.endpoints.base import (
    Completion,
    EndpointFailure,
    EndpointOptions,
    NamedEndpoint,
    Request,
    Settings,
)
from folkways.endpoints.clean import quotable, scrub
from folkways.endpoints.likelihood import ABLE
from folkways.endpoints.servers.address import Address
from folkways.endpoints.servers.chat_completions import check_end
from folkways.endpoints.servers.connections import ConnectionPool, UnaskedError
from folkways.endpoints.servers.endings import Endings
from folkways.endpoints.servers.failures import outcome, read_error
from folkways.endpoints.servers.http1 import (
    AddressError,
    BodyTooLargeError,
    ConnectError,
    EncodingError,
    HttpError,
    RawReply,
)
from folkways.endpoints.servers.route import Route, exchange_once
from folkways.errors import FolkwaysError
from folkways.proxies import environment_proxy

PAGE = 16 * 1024 * 1024
LARGE = 2**30
"""Bytes of a page (a list, an upload's receipt) and of a batch's results that are read at most."""

MOST_FILES = 8192

SHORTEST_KEY = 16
"""Characters of a key that no model writes by chance; shorter ones, as "EMPTY", may stand in any reply."""

UNKNOWN_SERVER = 2
"""Requests at once to begin with at a server of somebody's own: many work on one at a time, and let the
others wait."""


class HttpEndpoint(NamedEndpoint, ABC):
    """A model that is reached by HTTP. A protocol says where to post, how a request is laid out and how a
    reply is read."""

    local = False
    endings: Endings

    def __init__(self, address: Address, options: EndpointOptions) -> None:
        self.name = address.name
        self.identity = address.identity
        usual = EndpointOptions.DEFAULT_CONCURRENCY
        self.default_concurrency = usual if address.hosted else EndpointOptions.MOST_OF_OWN_SERVER
        self.first_concurrency = usual if address.hosted else UNKNOWN_SERVER
        self.address = address
        """Where the server is, and what is sent to it; its repr has no secrets."""
        self.timeout = options.timeout
        self._options = options
        self._connections: ConnectionPool | None = None
        self._reached = False
        target = address.base_url + self.path()
        self._url = f"{target}?{address.query}" if address.query else target

    @property
    def model(self) -> str:
        """The model's name as the server knows it."""
        return self.address.model

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
        """The part of a reply that says how it ended, and the word for it; ``{}`` and None without one."""

    async def open(self, concurrency: int) -> None:
        """Open the connection pool for ``concurrency`` requests at once. Connects to nothing yet.

        Raises FolkwaysError for an address that cannot be asked.
        """
        if self._connections is not None:
            return
        allow_connections()
        try:
            self._connections = ConnectionPool(
                concurrency, self._route(self._url), self._headers(), self.timeout
            )
        except AddressError as error:
            raise FolkwaysError(f"{self.name}: {self.address.base_url}: {error}") from None

    def _route(self, url: str) -> Route:
        return Route(url, environment_proxy(url), min(self.timeout, 30.0))

    async def close(self) -> None:
        """Close the pool. Safe to call twice."""
        connections, self._connections = self._connections, None
        if connections is not None:
            await connections.close()

    async def look(self) -> float | None:
        """Settle which replies are surely the answers to their requests; seconds until more can be
        settled, None where all are."""
        return await self._connections.look() if self._connections is not None else None

    def _headers(self) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"folkways/{__version__}",
            **self.address.headers,
            **self._options.headers,
        }

    async def complete(self, request: Request) -> Completion:
        """Ask once. Raises EndpointFailure, whose message holds no secret and at most 300 characters of what
        the server said; FolkwaysError before ``open``."""
        connections = self._connections
        if connections is None:
            raise FolkwaysError(f"{self.name} was asked before it was opened; call open() first")
        body = self.body(request)
        try:
            answer = await connections.post(body, self._options.max_body)
        except (HttpError, BodyTooLargeError, OSError, ValueError) as error:
            raise self._failure(error, self.timeout, self._options.max_body) from None
        self._reached = True
        reply, status, raw = from_json(answer.body), answer.status, answer.body
        if status == 400 and not isinstance(reply, dict) and answer.used_before:
            # Not what a model's server says to a request: what a proxy says to a connection on which nothing
            # came for a while.
            raise EndpointFailure(
                f"{self.name}: the connection was lost: {self._quote(raw)}", status=status, retryable=True
            )
        name = (reply.get("id") or reply.get("responseId")) if isinstance(reply, dict) else None
        if connections.is_repeated(answer, name):
            raise self._failure(UnaskedError())
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
        """The completion in a reply to ``request``. Raises EndpointFailure where there is none.

        status, headers: of the reply. reply: its body as JSON. raw: its bytes, for messages.
        """
        good = 200 <= status < 300
        if good and isinstance(reply, dict):
            part, reason = self.ending(reply)
            if not reply.get("error") and part.get("error"):
                reply = part  # it failed in the middle of the answer
            else:
                check_end(self.name, reason, self.endings, status)
        if good and isinstance(reply, dict) and not reply.get("error"):
            completion = self.read(reply)
            if completion is not None:
                return self._without_keys(completion)
            raise EndpointFailure(
                f"{self.name}: the reply has no answer in it: {self._quote(raw)}",
                status=status,
                retryable=True,
            )
        if good:
            status = self._status_in(reply, raw)
        result = outcome(self.address, status, headers, reply, raw, request.settings)
        if isinstance(result, EndpointFailure):
            raise result
        return result

    async def call(
        self,
        method: str,
        path: str,
        data: bytes | None = None,
        *,
        content_type: str = "application/json",
        large: bool = False,
    ) -> bytes:
        """The body of a good reply to a call other than a request (uploads, lists), on its own connection.

        method: of HTTP.
        path: below the base address, with its query.
        data: what is sent, of this content_type.
        large: much goes up or comes down (at most LARGE bytes): it has ten times the time of a request.

        Raises EndpointFailure where the reply is not a good one.
        """
        limit, seconds = (LARGE, 10 * self.timeout) if large else (PAGE, self.timeout)
        url = f"{self.address.base_url}{path}"
        if self.address.query:
            url += f"{'&' if '?' in path else '?'}{self.address.query}"
        headers = {"User-Agent": f"folkways/{__version__}", **self.address.headers, **self._options.headers}
        if data is not None:
            headers["Content-Type"] = content_type
        reply = await self._exchange(method, url, headers, data, limit, seconds)
        if reply.good:
            return reply.body
        raise self._refusal(reply, from_json(reply.body), Settings(None, None))

    async def _exchange(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        data: bytes | None,
        limit: int,
        seconds: float,
    ) -> RawReply:
        """A call other than a request. Raises EndpointFailure where no reply comes.

        headers: all that are sent. limit: bytes of a good reply. seconds: until it must be here.
        """
        try:
            async with asyncio.timeout(seconds):
                return await exchange_once(self._route(url), method, headers, data, limit)
        except (HttpError, BodyTooLargeError, OSError, ValueError) as error:
            raise self._failure(error, seconds, limit) from None

    def _refusal(self, reply: RawReply, payload: Any, settings: Settings) -> EndpointFailure:
        """Why a call brought no good reply. payload: the JSON in it, or None."""
        failure = outcome(self.address, reply.status, reply.headers, payload, reply.body, settings)
        if isinstance(failure, EndpointFailure):
            return failure
        return EndpointFailure(f"{self.name}: {failure.refusal}", status=reply.status)

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

    def _without_keys(self, completion: Completion) -> Completion:
        """A reply that may be kept: some gateways send back what they were sent, key and all."""
        keys = [each for each in self.address.secrets if len(each) >= SHORTEST_KEY]
        for name in ("text", "thoughts", "model", "finish_reason", "refusal"):
            text = getattr(completion, name)
            if text and any(key in text for key in keys):
                setattr(completion, name, scrub(text, keys))
        return completion

    def _quote(self, raw: bytes) -> str:
        return quotable(raw[:4096].decode("utf-8", "replace"), self.address.secrets, 200) or "(empty)"

    def _failure(self, error: Exception, seconds: float = 0.0, limit: int = 0) -> EndpointFailure:
        """What an error of the connection means. seconds, limit: how long and how large a reply may be."""
        message = quotable(str(error), self.address.secrets, 200) or type(error).__name__
        if isinstance(error, TimeoutError):
            return EndpointFailure(
                f"{self.name}: no reply within {seconds:g} s", retryable=True, timed_out=True
            )
        if isinstance(error, BodyTooLargeError):
            return EndpointFailure(
                f"{self.name}: the reply is longer than {limit / 2**20:g} MiB and was not read",
                status=200,
                retryable=True,
            )
        if isinstance(error, UnaskedError):
            return EndpointFailure(
                f"{self.name}: the server sent a reply that nobody asked for; what may be the answer to "
                "another question is asked again",
                retryable=True,
            )
        if isinstance(error, ssl.SSLCertVerificationError):
            return EndpointFailure(
                f"{self.name}: the server's certificate is not accepted: {error.verify_message}\n"
                "Trust its certificate on this system, or use another address",
                fatal=True,
            )
        if isinstance(error, ssl.SSLError):
            return EndpointFailure(
                f"{self.name}: the server does not speak TLS; begin its address with http:// in place of "
                "https://",
                fatal=True,
            )
        if isinstance(error, AddressError):
            return EndpointFailure(f"{self.name}: {self.address.base_url}: {message}", fatal=True)
        if isinstance(error, EncodingError):
            return EndpointFailure(f"{self.name}: {message}", status=200)
        if isinstance(error, ConnectError):
            return EndpointFailure(
                f"{self.name}: no connection to {self.address.base_url}: {message}",
                retryable=True,
                unreachable=self._unreachable(error),
            )
        return EndpointFailure(f"{self.name}: the connection was lost: {message}", retryable=True)

    def _unreachable(self, error: ConnectError) -> str:
        """Why, in a few words. Nothing for a name that is not known and never was: it is misspelt rather than
        away."""
        if error.is_unknown_name:
            return "its name is not known" if self._reached else ""
        return str(error)


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
