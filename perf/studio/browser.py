"""One person's browser as the server sees it: cookies, forms, redirects, and a script that sends again what
got no reply."""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from html import unescape

import aiohttp

TOKEN = re.compile(r'name="(csrf|key|revision|version)" value="([^"]*)"')
ADDRESS = re.compile(r'action="([^"]+)/submit"')
SAID = "folkways_said"
AGAIN_SECONDS = 0.25
"""Between two attempts where there is no connection."""


class TimeUpError(Exception):
    """The measurement is over; what was being sent may or may not have arrived."""


@dataclass
class Watch:
    """What all browsers see.

    latency: kind of request -> when each was made, and seconds until the reply. broken: requests whose
    connection broke off or was refused. deadline: nobody sends anything afterwards. All on the clock of
    ``time.monotonic``.
    """

    deadline: float
    latency: defaultdict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    statuses: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    broken: int = 0

    @property
    def requests(self) -> int:
        """How many were answered so far."""
        return sum(map(len, self.latency.values()))


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. said: what the next page is to say (``answered-before``). began: when it was asked for
    (monotonic)."""

    status: int
    text: str
    place: str
    said: str
    began: float

    @property
    def fields(self) -> dict[str, str]:
        """The hidden fields of the page."""
        return dict(TOKEN.findall(self.text))

    @property
    def address(self) -> str:
        """Where the task of the page is; empty for a page that is none."""
        found = ADDRESS.search(self.text)
        return unescape(found[1]) if found else ""


class Browser:
    """Requests of one person, on connections that all people's browsers share."""

    def __init__(self, url: str, connector: aiohttp.TCPConnector, watch: Watch) -> None:
        self.url = url
        self.watch = watch
        self.session = aiohttp.ClientSession(
            connector=connector,
            connector_owner=False,
            cookie_jar=aiohttp.CookieJar(unsafe=True),
            timeout=aiohttp.ClientTimeout(total=30),
            headers={"Origin": url},
        )

    async def get(self, path: str, kind: str) -> Reply:
        """A page."""
        return await self._ask("GET", path, kind, None)

    async def post(self, path: str, kind: str, fields: dict[str, str]) -> Reply:
        """A form. Redirects are not followed."""
        return await self._ask("POST", path, kind, fields)

    async def _ask(self, method: str, path: str, kind: str, fields: dict[str, str] | None) -> Reply:
        watch = self.watch
        while True:
            began = time.monotonic()
            if began > watch.deadline:
                raise TimeUpError
            try:
                async with self.session.request(
                    method, self.url + path, data=fields, allow_redirects=False
                ) as response:
                    text = await response.text()
                    said = response.cookies.get(SAID)
                    watch.latency[kind].append((began, time.monotonic() - began))
                    watch.statuses[response.status] += 1
                    return Reply(
                        response.status,
                        text,
                        response.headers.get("Location", ""),
                        said.value if said else "",
                        began,
                    )
            except (aiohttp.ClientError, ConnectionError, TimeoutError):
                watch.broken += 1
                await asyncio.sleep(AGAIN_SECONDS)
