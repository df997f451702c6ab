"""Records of API tokens, webhooks and deliveries.

Each is a row of ``folkways_studio.database.schema`` without its secrets; times are seconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What a token allows."""

    READ = "read"
    WRITE = "write"  # and read


class DeliveryState(StrEnum):
    """State of a delivery."""

    WAITING = "waiting"  # for its first attempt or the next
    DONE = "done"
    FAILED = "failed"  # no further attempt


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token of the API, whose text is shown only when it is made. study_id: its study; None for all of the
    account's."""

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
    """An address that receives a study's events. events: kinds to send; empty for all. problem: why it was
    disabled."""

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
    """One event for one webhook. kind: of the event. due: not before then. status: the receiver's last reply;
    problem: why it was not accepted."""

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
