"""What the studio keeps track of beside people's work, as frozen records: models and what they suggest,
comments, the audit trail.

Each is one row of ``folkways_studio.database.schema``, as those of ``folkways_studio.records``; times are
seconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One question to a model in the loop. read: what was read out of the reply. problem: why there is no
    reply.

    usd: what it cost, 0 where the reply was stored before; None where the price is not known.
    """

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
    usd: float | None


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
class ModelSuggestion:
    """What a model suggested for an answer of somebody.

    content: fields of the form. before: the draft that it took the place of. outcome: accepted, changed or
    rejected, once the answer was sent; parts, kept: how many parts it has, and how many of them the answer
    has as they were.
    """

    id: int
    item_id: int
    participant_id: int
    call_id: int
    model: str
    prompt_version: str
    content: Mapping[str, Any]
    before: Mapping[str, Any] | None
    taken: float | None
    outcome: str | None
    parts: int | None
    kept: int | None
    created: float


@dataclass(frozen=True, slots=True)
class PreAnnotation:
    """What a model suggests for an item before anybody works on it.

    version: of the model, empty where it has none. score: 0 to 1, None where it says none. content: fields
    of the form. source: file, api, backend or model.
    """

    id: int
    item_id: int
    model: str
    version: str
    score: float | None
    content: Mapping[str, Any]
    source: str
    created: float


@dataclass(frozen=True, slots=True)
class Exposure:
    """Whether somebody saw what was suggested for an item, as it was settled before they were shown it.

    setting: of the stage then (shown, hidden, half). shown: drawn at random for ``half``. outcome: accepted,
    changed or rejected, once the answer was sent; None where it was not shown. parts, unchanged: how many
    parts the suggestion has, and how many of them the answer has, shown or not.
    """

    item_id: int
    participant_id: int
    preannotation_id: int
    setting: str
    shown: bool
    outcome: str | None
    parts: int | None
    unchanged: int | None
    created: float


@dataclass(frozen=True, slots=True)
class Comment:
    """What a researcher or reviewer says of an item to the others. role: theirs, when they wrote it. text:
    empty once deleted.

    history: earlier wordings with when each was given up, the oldest first. resolved: when it was; None while
    it is open.
    """

    id: int
    item_id: int
    account_id: int
    role: str
    text: str
    history: Sequence[Mapping[str, Any]]
    created: float
    edited: float | None
    deleted: float | None
    resolved: float | None
