"""The one way to ask a server over HTTP: bounded in bytes and time, with verified certificates, and without
redirects unless the caller allows them.

Nothing is tried twice, no cookie is kept, and replies come uncompressed: a small compressed reply could be
huge. Models are asked by ``folkways.endpoints.servers``, which also has to know whether a connection was
clean after a reply.
"""

from __future__ import annotations

import asyncio
import io
import os
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import aiohttp
from yarl import URL

from folkways import __version__
from folkways.errors import FolkwaysError
from folkways.proxies import environment_proxy

CONNECT_SECONDS = 30.0
T = TypeVar("T")


class NoReplyError(OSError):
    """No whole reply came. host: the server's name. reason: why, in words, such as ``Connection refused``."""

    def __init__(self, host: str, reason: str) -> None:
        super().__init__(f"cannot reach {host} ({reason})")
        self.host = host
        self.reason = reason


class ReplyTooLargeError(FolkwaysError):
    """A reply has more bytes than the caller accepts."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply, whatever its status. reason: the words of the status line."""

    status: int
    reason: str
    content: bytes

    @property
    def is_success(self) -> bool:
        """Whether the status says so (2xx)."""
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class OpenReply:
    """A reply whose body is still to be read. home: the headers of every reply that came from the origin of
    the first address, redirects included."""

    response: aiohttp.ClientResponse
    home: tuple[Mapping[str, str], ...]


def new_session(
    *, seconds: float | None, stall: float | None = None, connector: aiohttp.BaseConnector | None = None
) -> aiohttp.ClientSession:
    """A pool of connections for ``open_reply``.

    seconds: for a whole exchange, None without a limit. stall: without a byte. connector: which addresses
    may be connected to, and how many at once.
    """
    return aiohttp.ClientSession(
        connector=connector,
        timeout=aiohttp.ClientTimeout(total=seconds, sock_connect=CONNECT_SECONDS, sock_read=stall),
        headers={"Accept-Encoding": "identity", "User-Agent": f"folkways/{__version__}"},
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
    )


@asynccontextmanager
async def open_reply(
    session: aiohttp.ClientSession,
    method: str,
    url: str | URL,
    *,
    headers: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
    body: bytes | aiohttp.FormData | None = None,
    redirects: int = 0,
    proxies: bool = False,
) -> AsyncIterator[OpenReply]:
    """Send one request and yield the reply before its body is read.

    session: from ``new_session``. method, url, headers, body: the request; a string is taken as an encoded
    address. secrets: headers that only the origin of ``url`` gets. redirects: how many to follow; with 0 a
    redirect is a reply like any other. proxies: use those of the environment (HTTPS_PROXY).

    NoReplyError where no reply comes, FolkwaysError for too many redirects and for one to an unsafe address.
    """
    start = target = URL(url, encoded=True) if isinstance(url, str) else url
    home: tuple[Mapping[str, str], ...] = ()
    for _ in range(redirects + 1):
        at_home = target.origin() == start.origin()
        try:
            response = await session.request(
                method,
                target,
                headers={**(headers or {}), **(secrets or {} if at_home else {})},
                data=io.BytesIO(body) if isinstance(body, bytes) else body,
                allow_redirects=False,
                # aiohttp's own trust_env would also read ~/.netrc and fail on a request that has a token
                proxy=environment_proxy(str(target)) if proxies else None,
                ssl=_certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")),
            )
        except (aiohttp.ClientError, OSError) as error:
            raise NoReplyError(target.host or "", reason_of(error)) from error
        async with response:
            home = (*home, response.headers) if at_home else home
            if not redirects or response.status not in (301, 302, 303, 307, 308):
                yield OpenReply(response, home)
                return
            target = _redirected(target, response)
    raise FolkwaysError(f"{start} redirects more than {redirects} times")


async def ask(
    session: aiohttp.ClientSession,
    method: str,
    url: str | URL,
    *,
    most_bytes: int,
    headers: Mapping[str, str] | None = None,
    body: bytes | aiohttp.FormData | None = None,
    proxies: bool = False,
) -> Reply:
    """The whole reply to one request; ``open_reply`` says what session, method, url, headers, body and
    proxies are.

    NoReplyError where it does not come, ReplyTooLargeError for more than ``most_bytes``.
    """
    async with open_reply(session, method, url, headers=headers, body=body, proxies=proxies) as opened:
        response, content = opened.response, bytearray()
        try:
            async for block in response.content.iter_any():
                content += block
                if len(content) > most_bytes:
                    raise ReplyTooLargeError(f"{url} answered with more than {most_bytes} bytes")
        except (aiohttp.ClientError, OSError) as error:
            raise NoReplyError(response.url.host or "", reason_of(error)) from error
        return Reply(response.status, response.reason or "", bytes(content))


def ask_once(
    method: str,
    url: str | URL,
    *,
    most_bytes: int,
    seconds: float | None,
    stall: float | None = None,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    files: tuple[str, Mapping[str, bytes]] | None = None,
    proxies: bool = False,
    connector: Callable[[], aiohttp.BaseConnector] | None = None,
) -> Reply:
    """``ask`` over a connection of its own, for callers that are not asynchronous.

    seconds, stall: as in ``new_session``;
    method, url, headers, body, proxies, most_bytes: as in ``ask``.
    connector: makes the one that says which addresses may be connected to.
    files: in place of ``body``, the name of a form's field and its files, name -> contents (RFC 7578).

    Raises NoReplyError and ReplyTooLargeError.
    """

    async def exchange() -> Reply:
        form = _form(*files) if files else None
        limited = connector() if connector is not None else None
        async with new_session(seconds=seconds, stall=stall, connector=limited) as session:
            return await ask(
                session,
                method,
                url,
                most_bytes=most_bytes,
                headers=headers,
                body=form or body,
                proxies=proxies,
            )

    return run_to_end(exchange())


def run_to_end(job: Coroutine[None, None, T]) -> T:
    """The result of a coroutine; run in a thread where this one already has an event loop (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(job)
    with ThreadPoolExecutor(1, "folkways-http") as thread:
        return thread.submit(asyncio.run, job).result()


def reason_of(error: BaseException) -> str:
    """Why an exchange failed, in words: those of the operating system or of TLS where there are any."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        invalid = error.certificate_error
        return f"its certificate is not valid: {getattr(invalid, 'verify_message', '') or invalid}"
    cause = getattr(error, "os_error", error)
    if isinstance(cause, OSError) and cause.strerror:  # an unknown name has a number below 0
        of_system = not isinstance(cause, ssl.SSLError) and (cause.errno or 0) > 0
        return os.strerror(cause.errno or 0) if of_system else cause.strerror
    return str(error) or type(error).__name__


@lru_cache(maxsize=4)
def _certificates(file: str | None, folder: str | None) -> ssl.SSLContext:
    """The authorities to trust, which OpenSSL reads from ``file`` and ``folder`` of the environment.

    aiohttp makes its own context when it is imported and would not see a variable that was set later.
    """
    return ssl.create_default_context()


def _form(field: str, files: Mapping[str, bytes]) -> aiohttp.FormData:
    form = aiohttp.FormData(quote_fields=False)  # names go as UTF-8, as browsers send them
    for name, content in files.items():
        form.add_field(field, io.BytesIO(content), filename=name)
    return form


def _redirected(url: URL, response: aiohttp.ClientResponse) -> URL:
    try:
        target = url.join(URL(response.headers["Location"], encoded=True))
    except (KeyError, ValueError) as error:
        raise FolkwaysError(f"{url} redirects to nowhere") from error
    if target.scheme not in ("http", "https") or (url.scheme == "https" and target.scheme == "http"):
        raise FolkwaysError(
            f"{url} redirects to an address that is not safe: {target.scheme}://{target.host}"
        )
    return target
