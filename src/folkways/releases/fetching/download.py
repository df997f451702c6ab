"""Fetches files over HTTP: in parallel, resumed where they stopped, verified, and put in place whole or not
at all; with errors that say what to do."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import aiohttp

from folkways.errors import FolkwaysError
from folkways.http import NoReplyError, new_session, open_reply
from folkways.releases.checksums import content_hash_of, sha256_of
from folkways.releases.fetching.fetch_progress import FetchProgress
from folkways.releases.provenance import Proof

BLOCK = 1 << 18
REDIRECTS = 5
MOST_RESTARTS = 2  # a file that has to be begun again more often will not come


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How patiently and how greedily to fetch.

    attempts: tries in a row without a single new byte before giving up.
    backoff: seconds before the second try; doubled with each further one, with jitter, at most
        ``longest_wait``.
    stall: seconds without a byte after which a connection counts as lost.
    parallel: files at once.
    max_bytes: largest file that is accepted where its record does not say its size.
    """

    attempts: int = 5
    backoff: float = 0.5
    longest_wait: float = 60.0
    stall: float = 60.0
    parallel: int = 4
    max_bytes: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Transfer:
    """One file to fetch. ``token`` and ``tells_hash`` hold for the origin of ``url`` and for no other
    host."""

    label: str
    url: str
    target: Path
    sha256: str | None = None
    size: int | None = None
    token: str | None = None
    tells_hash: bool = False

    @property
    def part(self) -> Path:
        """Where the bytes gather until the file is whole and verified."""
        return self.target.with_name(self.target.name + ".part")


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file that is whole and verified, still at ``Transfer.part``.

    commit: the full hash of its commit, where the hub sent it.
    """

    sha256: str
    size: int
    proof: Proof
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class _HubHeaders:
    """What the hub's replies say of a file: the hash of its contents and its commit."""

    content_hash: str | None = None
    commit: str | None = None


class Downloader:
    """Fetches files over one connection pool."""

    def __init__(
        self, session: aiohttp.ClientSession, options: FetchOptions, progress: FetchProgress
    ) -> None:
        self._session = session
        self._options = options
        self._progress = progress
        # sizes that were not in the record and were reported to progress
        self._announced: dict[str, int] = {}

    async def fetch(self, transfer: Transfer) -> FetchedFile:
        """Bring the file to ``transfer.part``, resuming what lies there, and verify it.

        FolkwaysError with the remedy if that cannot be done. What was received is kept for the next time,
        unless it is wrong.
        """
        fruitless = restarts = 0
        while True:
            before = _size_of(transfer.part)
            try:
                host = await self._receive(transfer)
                return self._verify(transfer, host, resumed=before > 0)
            except TransientError as error:
                after = _size_of(transfer.part)
                fruitless = 0 if after > before else fruitless + 1
                restarts += after < before
                wait = self._pause(fruitless, error.retry_after)
                if wait is None or fruitless >= self._options.attempts or restarts > MOST_RESTARTS:
                    raise FolkwaysError(error.final(transfer.url, fruitless)) from error
                self._progress.retrying(transfer.label, str(error), wait)
                await asyncio.sleep(wait)

    def _pause(self, fruitless: int, retry_after: float | None) -> float | None:
        """Seconds to wait; None where the server asks for more patience than we have."""
        if retry_after is not None:
            return retry_after if retry_after <= self._options.longest_wait else None
        wait: float = self._options.backoff * 2 ** max(0, fruitless - 1)
        return min(wait, self._options.longest_wait) * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, not a secret

    async def _receive(self, transfer: Transfer) -> _HubHeaders:
        """Append what is missing to the part; returns what the host tells of it."""
        offset = _size_of(transfer.part)
        if transfer.size is not None and offset > transfer.size:
            self._discard(transfer)
            offset = 0
        if offset == transfer.size and transfer.sha256 is not None:
            return _HubHeaders()
        async with self._open(transfer, offset) as (response, host):
            if response.status == 416:
                if offset and response.headers.get("Content-Range", "") == f"bytes */{offset}":
                    return host
                self._discard(transfer)
                raise TransientError("the server could not resume; starting over")
            start = offset
            if response.status == 206:
                if not response.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
                    self._discard(transfer)
                    raise TransientError("the server resumed at the wrong place; starting over")
            elif offset:
                self._discard(transfer)
                start = 0
            await self._append(transfer, response, start)
            return host

    async def _append(self, transfer: Transfer, response: aiohttp.ClientResponse, start: int) -> None:
        length = response.content_length
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise FolkwaysError(
                f"{transfer.url} came compressed although it was asked not to be; is there a proxy in "
                "between?"
            )
        limit = transfer.size if transfer.size is not None else self._options.max_bytes
        if length is not None and start + length > limit:
            raise FolkwaysError(_too_large(transfer, start + length, limit))
        if transfer.size is None and length is not None:
            self._progress.grew(start + length - self._announced.get(transfer.label, 0))
            self._announced[transfer.label] = start + length
        _refuse_page(transfer, response.content_type == "text/html")
        total = start
        with transfer.part.open("ab") as stream:
            try:
                async for block in response.content.iter_chunked(BLOCK):
                    _refuse_page(
                        transfer,
                        total == 0 and block.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")),
                    )
                    total += len(block)
                    if total > limit:
                        break
                    stream.write(block)
                    self._progress.received(len(block))
            except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
                raise TransientError(
                    f"the connection broke after {total} bytes ({type(error).__name__})"
                ) from error
        if total > limit:
            self._discard(transfer)
            raise FolkwaysError(_too_large(transfer, total, limit))
        if transfer.size is not None and total < transfer.size:
            raise TransientError(f"the server sent {total} of {transfer.size} bytes")

    @asynccontextmanager
    async def _open(
        self, transfer: Transfer, offset: int
    ) -> AsyncIterator[tuple[aiohttp.ClientResponse, _HubHeaders]]:
        """Ask for the file from ``offset``. Only the source's own host sees the token, and only its hash
        counts."""
        try:
            async with open_reply(
                self._session,
                "GET",
                transfer.url,
                headers={"Range": f"bytes={offset}-"} if offset else {},
                secrets={"Authorization": f"Bearer {transfer.token}"} if transfer.token else {},
                redirects=REDIRECTS,
                proxies=True,
            ) as opened:
                if opened.response.status not in (200, 206, 416):
                    raise _trouble(opened.response, transfer)
                yield opened.response, _hub_headers(opened.home) if transfer.tells_hash else _HubHeaders()
        except NoReplyError as error:
            raise TransientError(str(error), offline=True) from error

    def _verify(self, transfer: Transfer, host: _HubHeaders, *, resumed: bool) -> FetchedFile:
        part = transfer.part
        if not part.exists():
            part.touch()
        expected = transfer.sha256 or host.content_hash
        sha256 = sha256_of(part)
        got = content_hash_of(part, expected) if expected and len(expected) != 64 else sha256
        if expected is None or got == expected:
            proof: Proof = "record" if transfer.sha256 else "host" if host.content_hash else "none"
            return FetchedFile(sha256, part.stat().st_size, proof, host.commit)
        self._discard(transfer)
        if resumed:
            raise TransientError("the resumed file has a wrong checksum; starting over")
        raise FolkwaysError(
            f"{transfer.url} is not the file that was released\n"
            f"expected {'SHA-256' if len(expected) == 64 else 'git hash'} {expected}\n"
            f"got      {'SHA-256' if len(expected) == 64 else 'git hash'} {got}\n"
            "It was deleted. Try again; if that does not help, a proxy or a mirror changes the file: adopt "
            "a copy with --from DIR."
        )

    def _discard(self, transfer: Transfer) -> None:
        self._progress.received(-_size_of(transfer.part))
        transfer.part.unlink(missing_ok=True)


async def fetch_all(
    transfers: list[Transfer],
    options: FetchOptions,
    progress: FetchProgress,
    keep: Callable[[Transfer, FetchedFile], None],
) -> None:
    """Fetch the files of ``transfers``; ``keep`` is called with each one as soon as it is whole and verified.
    The first error stops the rest. options: limits and patience. progress: what it is reported to."""
    turns = asyncio.Semaphore(options.parallel)
    connector = aiohttp.TCPConnector(limit=options.parallel)
    async with new_session(seconds=None, stall=options.stall, connector=connector) as session:
        downloader = Downloader(session, options, progress)

        async def one(transfer: Transfer) -> None:
            async with turns:
                keep(transfer, await downloader.fetch(transfer))
                progress.finished(transfer.label)

        await _all_or_first_error([one(transfer) for transfer in transfers])


async def _all_or_first_error(jobs: list[Awaitable[None]]) -> None:
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _hub_headers(replies: Iterable[Mapping[str, str]]) -> _HubHeaders:
    """The last content hash (SHA-256 of large files, git's blob hash of small ones) and the last commit in
    the headers of ``replies``; None for an ETag or a commit of another kind."""
    content_hash = commit = None
    for headers in replies:
        etag = headers.get("X-Linked-Etag") or headers.get("ETag") or ""
        if match := re.fullmatch(r'(?:W/)?"?([0-9a-f]{64}|[0-9a-f]{40})"?', etag):
            content_hash = match.group(1)
        if re.fullmatch(r"[0-9a-f]{40}", headers.get("X-Repo-Commit", "")):
            commit = headers["X-Repo-Commit"]
    return _HubHeaders(content_hash, commit)


def _trouble(response: aiohttp.ClientResponse, transfer: Transfer) -> Exception:
    if response.status in (408, 425, 429) or response.status >= 500:
        return TransientError(f"the server answered {response.status}", retry_after=wait_of(response.headers))
    return RefusedError(
        refusal(response.status, transfer.url, hub=transfer.tells_hash, has_token=transfer.token is not None)
    )


def _refuse_page(transfer: Transfer, is_page: bool) -> None:
    """RefusedError for a page in a file's place, as the sign-in of a guest network: no release has web
    pages."""
    if is_page:
        raise RefusedError(
            f"{transfer.url}: a web page came instead of the file\n"
            "A network that wants a sign-in, or a proxy, may stand in between: open any page in a browser "
            f"and sign in, then run the command again, {OTHER_WAYS}"
        )


def _too_large(transfer: Transfer, size: int, limit: int) -> str:
    return (
        f"{transfer.url} has {size} bytes or more, but at most {limit} were expected; it is not the "
        "file that was released"
    )


OTHER_WAYS = "or adopt a copy that you have: folkways data fetch NAME --from DIR"


class RefusedError(FolkwaysError):
    """An answer that no further try will change."""


class TransientError(Exception):
    """Trouble that may pass: a lost connection, a busy server.

    retry_after: seconds that the server asked to wait, where it did.
    offline: the host was not reached at all.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, offline: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.offline = offline

    def final(self, url: str, attempts: int) -> str:
        """The message once we stop trying."""
        if self.offline:
            remedy = (
                "Check the network and proxy (HTTPS_PROXY), use a mirror (HF_ENDPOINT, "
                f"FOLKWAYS_GITHUB_RAW), {OTHER_WAYS}"
            )
        elif self.retry_after is not None:
            remedy = (
                f"The server asks to wait {self.retry_after:.0f} s. Run the command again then; what "
                "was received is kept."
            )
        else:
            remedy = "Run the same command again later; what was received is kept."
        tried = f" (tried {attempts} times in a row)" if attempts > 1 else ""
        return f"cannot fetch {url}: {self}{tried}\n{remedy}"


def refusal(status: int, url: str, *, hub: bool, has_token: bool) -> str:
    """The message for an HTTP status that will not change by asking again. url: of the file. hub: whether it
    is on the hub. has_token: whether a token was sent."""
    if status in (401, 403) and hub:
        page = url.split("/resolve/", 1)[0]
        if has_token:
            remedy = (
                f"Accept the terms at {page} with the account of HF_TOKEN, and see that the token may read "
                "it,"
            )
        else:
            remedy = (
                f"If the data are gated, accept the terms at {page} and set HF_TOKEN to a token of "
                "that account,"
            )
        return f"{url}: the hub does not let us in ({status})\n{remedy} {OTHER_WAYS}"
    if status in (401, 403):
        remedy = "A proxy or a limit may stand in between; try again later,"
        return f"{url}: the server does not let us in ({status})\n{remedy} {OTHER_WAYS}"
    if status in (404, 410):
        return (
            f"{url}: not there ({status})\n"
            "The repository was moved, its revision removed, or a mirror (HF_ENDPOINT, "
            "FOLKWAYS_GITHUB_RAW) lacks it.\n"
            f"Do without the mirror, {OTHER_WAYS}"
        )
    return f"{url}: the server answered {status}\nTry again later, {OTHER_WAYS}"


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Seconds in a Retry-After header (a number or a date); None if it cannot be read."""
    text = headers.get("Retry-After", "").strip()
    if text.isdigit():
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, ((when if when.tzinfo else when.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds())
