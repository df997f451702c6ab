"""What the batch interfaces of the providers share."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeVar

from folkways.endpoints.base import Completion, EndpointFailure, Request
from folkways.endpoints.batches import Batches, BatchResult
from folkways.endpoints.clean import quotable
from folkways.endpoints.servers.http import HttpEndpoint, from_json, to_json

T = TypeVar("T")

EARLIER_SECONDS = 3600.0
"""How far a provider's clock may be behind ours when a batch is looked for."""


class HttpBatches(Batches):
    """A provider's batch interface. The bodies of requests are the endpoint's own, and so are replies.

    MOST_BYTES is below what the providers allow: a batch is held in memory.
    """

    most_requests = 50_000
    most_bytes = 100 * 10**6
    waits = True

    def __init__(self, endpoint: HttpEndpoint) -> None:
        self.endpoint = endpoint

    def read(self, request: Request, result: BatchResult) -> Completion:
        """As the endpoint reads the same reply to a request of its own."""
        raw = to_json(result.body) if isinstance(result.body, dict) else b""
        if not result.status:
            message = self.quoted(raw[:4096].decode("utf-8", "replace"), limit=200)
            raise EndpointFailure(
                f"{self.endpoint.name}: a request in a batch was not carried out: {message}", retryable=True
            )
        return self.endpoint.completion(request, result.status, {}, result.body, raw)

    def quoted(self, text: str, limit: int = 300) -> str:
        """What the provider says, for a message of at most ``limit`` characters, without the key."""
        return quotable(text, self.endpoint.address.secrets, limit)

    def sent_message(self, name: str, number: str, requests: int) -> str:
        """A line for people."""
        return f"{self.endpoint.name}: {requests:,} requests have left in batch {number}"

    async def page(
        self, method: str, path: str, data: bytes | None = None, *, large: bool = False
    ) -> dict[str, Any]:
        """The JSON object in the reply to a call: ``method`` and ``path``, with ``data`` as its body.

        large: as in ``HttpEndpoint.call``.
        """
        parsed = from_json(await self.endpoint.call(method, path, data, large=large))
        if not isinstance(parsed, dict):
            raise EndpointFailure(
                f"{self.endpoint.name}: the reply to {method} {path} is not a JSON object", retryable=True
            )
        return parsed

    async def if_there(self, call: Awaitable[T]) -> T | None:
        """What a call brings; None where the provider knows no such batch, or has forgotten it."""
        try:
            return await call
        except EndpointFailure as failure:
            if failure.status in (404, 410):
                return None
            raise

    def name_in(self, reply: dict[str, Any], field: str) -> str:
        """A name that the provider gave something; a failure that may have had its effect where there is
        none."""
        value = reply.get(field)
        if not isinstance(value, str) or not value or len(value) > 500:
            raise EndpointFailure(
                f"{self.endpoint.name}: the reply to a batch names no {field}", retryable=True
            )
        return value
