"""OpenAI's batches: a file of requests goes up, files of replies and of errors come down."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from secrets import token_hex
from typing import Any
from urllib.parse import quote

from folkways.endpoints.base import Request
from folkways.endpoints.batches import BatchResult, BatchStatus
from folkways.endpoints.servers.batches.base import EARLIER_SECONDS, HttpBatches
from folkways.endpoints.servers.http import from_json, to_json

LABEL = "folkways"
"""Field of a batch's metadata that holds our name of it."""

ENDED = frozenset({"completed", "expired", "cancelled"})


class OpenAIBatches(HttpBatches):
    """``POST {base}/files`` and ``POST {base}/batches``: up to 50,000 requests, back within 24 hours."""

    def line(self, request: Request) -> bytes:
        """One line of the file, with the body that a single request would have."""
        head = (
            b'{"custom_id":"%b","method":"POST","url":"/v1/chat/completions","body":' % request.key.encode()
        )
        return head + self.endpoint.body(request) + b"}"

    async def send(self, name: str, lines: Sequence[bytes]) -> str:
        """The file first, which costs nothing by itself; then the batch."""
        boundary = token_hex(16)
        before = (
            f"--{boundary}",
            'Content-Disposition: form-data; name="purpose"',
            "",
            "batch",
            f"--{boundary}",
            f'Content-Disposition: form-data; name="file"; filename="{name}.jsonl"',
            "Content-Type: application/jsonl",
            "",
        )
        head, end = "".join(f"{field}\r\n" for field in before), f"\r\n--{boundary}--\r\n"
        form = b"".join((head.encode(), *(line + b"\n" for line in lines), end.encode()))
        uploaded = from_json(
            await self.endpoint.call(
                "POST", "/files", form, content_type=f"multipart/form-data; boundary={boundary}", large=True
            )
        )
        file = self.name_in(uploaded if isinstance(uploaded, dict) else {}, "id")
        order = {"input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h"}
        return self.name_in(
            await self.page("POST", "/batches", to_json(order | {"metadata": {LABEL: name}})), "id"
        )

    async def find(
        self, name: str, keys: Collection[str], since: float, known: Collection[str]
    ) -> str | None:
        """The batch whose metadata hold ``name``, newest first and back to ``since``; keys and known do not
        matter."""
        after = ""
        while True:
            listed = await self.page("GET", f"/batches?limit=100{after}")
            rows = listed.get("data")
            rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
            for row in rows:
                labels = row.get("metadata")
                if isinstance(labels, dict) and labels.get(LABEL) == name and row.get("status") != "failed":
                    return self.name_in(row, "id")
            oldest = rows[-1].get("created_at") if rows else 0
            if (
                not listed.get("has_more")
                or not isinstance(oldest, (int, float))
                or oldest < since - EARLIER_SECONDS
            ):
                return None
            after = f"&after={quote(self.name_in(rows[-1], 'id'), safe='')}"

    async def look(self, number: str) -> BatchStatus:
        """A batch that the provider has forgotten has ended."""
        batch = await self.if_there(self._batch(number))
        if batch is None:
            return BatchStatus(ended=True)
        if batch.get("status") == "failed":
            errors = batch.get("errors")
            rows = errors.get("data") if isinstance(errors, dict) else None
            first = (
                rows[0].get("message")
                if isinstance(rows, list) and rows and isinstance(rows[0], dict)
                else None
            )
            return BatchStatus(ended=True, refused=self.quoted(str(first or "it does not say why")))
        return BatchStatus(ended=batch.get("status") in ENDED)

    async def results(self, number: str) -> AsyncIterator[BatchResult]:
        """The lines of both files."""
        batch = await self.if_there(self._batch(number)) or {}
        for field in ("output_file_id", "error_file_id"):
            file = batch.get(field)
            if isinstance(file, str) and file:
                raw = await self.endpoint.call("GET", f"/files/{quote(file, safe='')}/content", large=True)
                for result in results_in(raw):
                    yield result

    async def _batch(self, number: str) -> dict[str, Any]:
        return await self.page("GET", f"/batches/{quote(number, safe='')}")


def results_in(raw: bytes) -> list[BatchResult]:
    """The results in a file of OpenAI's layout; lines that cannot be read are left out, as if they were
    missing."""
    results = []
    for line in raw.splitlines():
        row = from_json(line) if line.strip() else None
        if not isinstance(row, dict) or not isinstance(row.get("custom_id"), str):
            continue
        response = row.get("response")
        if (
            isinstance(response, dict)
            and isinstance(response.get("status_code", 200), int)
            and response.get("body") is not None
        ):
            results.append(BatchResult(row["custom_id"], response.get("status_code", 200), response["body"]))
        else:
            results.append(BatchResult(row["custom_id"], 0, row.get("error")))
    return results
