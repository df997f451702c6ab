"""What the studio does by itself and keeps track of, as frozen records: questions to models, the audit trail, jobs.

Each is one row of ``folkways.studio.schema``, as those of ``folkways.studio.records``; times are seconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class JobState(StrEnum):
    """How far a job is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One question to a model in the loop. read: what was read out of the reply. problem: why there is no reply."""

    id: int
    study_id: int
    item_id: int | None
    participant_id: int | None
    purpose: str
    endpoint: str
    run: str
    prompt: str
    reply: str | None
    problem: str | None
    read: Mapping[str, Any] | None
    created: float


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the audit trail. subject: "item:12"."""

    id: int
    study_id: int | None
    account_id: int | None
    participant_id: int | None
    kind: str
    subject: str
    details: Mapping[str, Any]
    at: float


@dataclass(frozen=True, slots=True)
class Job:
    """Something that takes longer than a page may."""

    id: int
    study_id: int
    account_id: int | None
    kind: str
    state: str
    details: Mapping[str, Any]
    result: Mapping[str, Any] | None
    error: str | None
    created: float
    started: float | None
    finished: float | None
