"""What the studio does by itself and keeps track of, as frozen records: questions to models, the audit trail.

Each is one row of ``folkways.workspace.studio.tables``, as those of ``folkways.studio.records``; times are seconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
