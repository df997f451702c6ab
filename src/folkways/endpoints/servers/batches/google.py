"""Google's batches (Gemini): the requests go up inline under a display name, and the replies are part of
the batch itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any
from urllib.parse import quote

from folkways.endpoints.base import Request
from folkways.endpoints.batches import BatchResult, BatchStatus
from folkways.endpoints.servers.batches.base import HttpBatches

ENDED = ("_SUCCEEDED", "_CANCELLED", "_EXPIRED")
"""How the states end in which a batch has ended; what is before it differs between BATCH_STATE and
JOB_STATE."""


class GoogleBatches(HttpBatches):
    """``POST {base}/v1beta/models/MODEL:batchGenerateContent``: up to 20 MB inline."""

    most_bytes = 18 * 10**6

    def line(self, request: Request) -> bytes:
        """One of the inline requests, with the body that a single request would have."""
        return b'{"request":%b,"metadata":{"key":"%b"}}' % (self.endpoint.body(request), request.key.encode())

    async def send(self, name: str, lines: Sequence[bytes]) -> str:
        """All at once."""
        head = b'{"batch":{"displayName":"%b","inputConfig":{"requests":{"requests":[' % name.encode()
        path = self.endpoint.path().replace(":generateContent", ":batchGenerateContent")
        return self.name_in(
            await self.page("POST", path, head + b",".join(lines) + b"]}}}}", large=True), "name"
        )

    async def find(
        self, name: str, keys: Collection[str], since: float, known: Collection[str]
    ) -> str | None:
        """The batch whose display name is ``name``, searched in the whole list, whose order is not promised:
        keys, since and known do not matter."""
        token = ""
        while True:
            listed = await self.page("GET", f"{self._root()}/batches?pageSize=100{token}")
            rows = listed.get("operations")
            for row in rows if isinstance(rows, list) else ():
                if (
                    isinstance(row, dict)
                    and _metadata(row).get("displayName") == name
                    and not _state(row).endswith("_FAILED")
                ):
                    return self.name_in(row, "name")
            following = listed.get("nextPageToken")
            if not isinstance(following, str) or not following:
                return None
            token = f"&pageToken={quote(following, safe='')}"

    async def look(self, number: str) -> BatchStatus:
        """A batch that the provider has forgotten has ended."""
        batch = await self.if_there(self._batch(number))
        if batch is None:
            return BatchStatus(ended=True)
        if _state(batch).endswith("_FAILED"):
            error = batch.get("error")
            message = error.get("message") if isinstance(error, dict) else None
            return BatchStatus(ended=True, refused=self.quoted(str(message or "it does not say why")))
        return BatchStatus(ended=bool(batch.get("done")) or _state(batch).endswith(ENDED))

    async def results(self, number: str) -> AsyncIterator[BatchResult]:
        """The inline responses, by the key in their metadata."""
        batch = await self.if_there(self._batch(number)) or {}
        for holder in (batch.get("response"), _metadata(batch).get("output")):
            rows = holder.get("inlinedResponses") if isinstance(holder, dict) else None
            rows = rows.get("inlinedResponses") if isinstance(rows, dict) else rows
            if not isinstance(rows, list):
                continue
            for row in rows:
                key = _metadata(row).get("key") if isinstance(row, dict) else None
                if isinstance(key, str):
                    reply = row.get("response")
                    yield BatchResult(
                        key,
                        200 if isinstance(reply, dict) else 0,
                        reply if isinstance(reply, dict) else row.get("error"),
                    )
            return

    def _root(self) -> str:
        return self.endpoint.path().partition("/models/")[0]

    async def _batch(self, number: str) -> dict[str, Any]:
        return await self.page("GET", f"{self._root()}/{quote(number)}", large=True)


def _metadata(row: dict[str, Any]) -> dict[str, Any]:
    metadata = row.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _state(row: dict[str, Any]) -> str:
    return str(_metadata(row).get("state", ""))
