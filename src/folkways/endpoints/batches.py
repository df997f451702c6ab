"""Requests that leave together and come back hours later: what a provider's batch interface looks like to the
engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from folkways.endpoints.base import Completion, Request


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """The state of a batch at its provider.

    ended: whether results can be had, or nothing more will come.
    refused: why the provider took none of it; None where it did.
    """

    ended: bool
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What came back for one request: the body of a reply with its status; status 0 where it was not carried
    out."""

    key: str
    status: int
    body: object


class UndecidedBatch(Exception):  # noqa: N818 - not an error
    """It is not yet known whether a provider has a batch."""


class Batches(Protocol):
    """The batch interface of one endpoint. Every method but ``line`` and ``read`` raises EndpointFailure as
    an endpoint does.

    most_requests, most_bytes: of one batch.
    waits: whether results come by themselves; False where somebody has to carry the batch out.
    """

    most_requests: int
    most_bytes: int
    waits: bool

    def line(self, request: Request) -> bytes:
        """The request as one entry of a batch, under its key. Raises a fatal EndpointFailure for a setting
        that cannot be sent."""

    async def send(self, name: str, lines: Sequence[bytes]) -> str:
        """Hand a batch in; returns the provider's number for it."""

    async def find(
        self, name: str, keys: Collection[str], since: float, known: Collection[str]
    ) -> str | None:
        """The number of the batch that was handed in under this name, not before ``since`` (epoch seconds);
        None if none was.

        keys: of the requests in it.
        known: numbers of other batches.
        Raises UndecidedBatch where it has to be looked for again later.
        """

    async def look(self, number: str) -> BatchStatus:
        """The state of the batch."""

    def results(self, number: str) -> AsyncIterator[BatchResult]:
        """What came back, in any order; requests may be missing."""

    def read(self, request: Request, result: BatchResult) -> Completion:
        """The completion in a result; EndpointFailure where it is none."""

    def sent_message(self, name: str, number: str, requests: int) -> str:
        """A line for people about a batch that has left."""
