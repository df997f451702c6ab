"""Anthropic's message batches: the requests go up inline, their results come as lines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from folkways.endpoints.base import Request
from folkways.endpoints.batches import BatchResult, BatchStatus, UndecidedBatch
from folkways.endpoints.servers.batches.base import EARLIER_SECONDS, HttpBatches
from folkways.endpoints.servers.http import from_json


class AnthropicBatches(HttpBatches):
    """``POST {base}/v1/messages/batches``: up to 100,000 requests, back within 24 hours. A batch there has no
    name of ours."""

    def line(self, request: Request) -> bytes:
        """One of the inline requests, with the body that a single request would have."""
        return b'{"custom_id":"%b","params":%b}' % (request.key.encode(), self.endpoint.body(request))

    async def send(self, name: str, lines: Sequence[bytes]) -> str:
        """All at once."""
        body = b'{"requests":[' + b",".join(lines) + b"]}"
        return self.name_in(
            await self.page("POST", f"{self.endpoint.path()}/batches", body, large=True), "id"
        )

    async def find(
        self, name: str, keys: Collection[str], since: float, known: Collection[str]
    ) -> str | None:
        """The first batch since ``since``, not among ``known``, with as many requests as ``keys`` and a
        result of ours.

        A batch there has no ``name``. Raises UndecidedBatch for one that has not ended.
        """
        after = ""
        while True:
            listed = await self.page("GET", f"{self.endpoint.path()}/batches?limit=100{after}")
            rows = listed.get("data")
            rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
            for row in rows:
                number = self.name_in(row, "id")
                if number in known or _size(row) != len(keys) or not _is_since(row, since):
                    continue
                if row.get("processing_status") != "ended":
                    raise UndecidedBatch(
                        f"whether batch {number} is the one that was sent shows when it ends; waiting for it"
                    )
                async for result in self.results(number):
                    if result.key in keys:
                        return number
                    break
            if not listed.get("has_more") or not rows or not _is_since(rows[-1], since):
                return None
            after = f"&after_id={quote(self.name_in(rows[-1], 'id'), safe='')}"

    async def look(self, number: str) -> BatchStatus:
        """A batch that the provider has forgotten has ended."""
        batch = await self.if_there(self.page("GET", self._path(number)))
        return BatchStatus(ended=batch is None or batch.get("processing_status") == "ended")

    async def results(self, number: str) -> AsyncIterator[BatchResult]:
        """The lines, from where they are kept at this address: the key goes to no other that a reply might
        name."""
        raw = await self.if_there(self.endpoint.call("GET", f"{self._path(number)}/results", large=True))
        for line in (raw or b"").splitlines():
            row = from_json(line) if line.strip() else None
            result = row.get("result") if isinstance(row, dict) else None
            if isinstance(row, dict) and isinstance(result, dict) and isinstance(row.get("custom_id"), str):
                good = result.get("type") == "succeeded"
                yield BatchResult(
                    row["custom_id"], 200 if good else 0, result.get("message") if good else result
                )

    def _path(self, number: str) -> str:
        return f"{self.endpoint.path()}/batches/{quote(number, safe='')}"


def _size(row: dict[str, Any]) -> int:
    counts = row.get("request_counts")
    return (
        sum(count for count in counts.values() if isinstance(count, int)) if isinstance(counts, dict) else 0
    )


def _is_since(row: dict[str, Any], since: float) -> bool:
    """Whether a batch may have been made at ``since`` or later; also where it does not say when."""
    try:
        return datetime.fromisoformat(str(row.get("created_at"))).timestamp() >= since - EARLIER_SECONDS
    except ValueError:
        return True
