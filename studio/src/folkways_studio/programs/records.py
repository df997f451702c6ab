"""Who may use the API, and whom it tells what happens, as frozen records.

Each is one row of ``folkways_studio.database.schema``, without what is secret; times are seconds since
the epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What may be done with a token."""

    READ = "read"
    WRITE = "write"  # and read


class DeliveryState(StrEnum):
    """What became of a delivery."""

    WAITING = "waiting"  # for its first attempt or the next
    DONE = "done"
    FAILED = "failed"  # no further attempt


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token of the API; its text is told once, when it is made. study_id: the only study; None for all of
    the account's."""

    id: int
    study_id: int | None
    account_id: int
    name: str
    scope: str
    created: float
    expires: float
    used: float | None
    revoked: bool


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that is told of a study's events. events: kinds that are told; empty for all. problem: why
    it was switched off."""

    id: int
    study_id: int
    url: str
    events: Sequence[str]
    enabled: bool
    problem: str | None
    created: float
    created_by: int | None
    succeeded: float | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event, of this kind, for one webhook. due: not before then. status: what the receiver answered
    last; problem: why it was not taken.
    """

    id: int
    webhook_id: int
    event_id: int
    kind: str
    state: str
    attempts: int
    due: float
    status: int | None
    problem: str | None
    created: float
    tried: float | None
