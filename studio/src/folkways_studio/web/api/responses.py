"""What programs get. Names stand where the database has numbers; times are UTC. Texts of people and models
are untrusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Generic, Self, TypeVar

from fastapi import Query
from pydantic import BaseModel


class ApiResponse(BaseModel):
    """Any answer that is made of a record: fields of the same names are taken over."""

    @classmethod
    def of(cls, record: object, **others: Any) -> Self:
        """The answer for a record, with ``others`` for what the record has not, or has as a number."""
        return cls(
            **{name: getattr(record, name) for name in cls.model_fields.keys() - others.keys()}, **others
        )


class StudySummaryResponse(ApiResponse):
    """A study in a list. state: draft, open, paused, closed."""

    name: str
    title: str
    workflow: str
    state: str
    licence: str
    created: datetime


class PopulationResponse(ApiResponse):
    """Where participants come from. people: how many are let in at most; part_of: the wider population."""

    name: str
    title: str
    culture: str
    language: str
    people: int | None
    part_of: str | None


class StageResponse(ApiResponse):
    """What is asked of whom. config: answers per item, rules, choices, where items go next."""

    name: str
    title: str
    kind: str
    role: str
    config: dict[str, Any]


class StudyResponse(StudySummaryResponse):
    """A study. roles: those of the token's account. definition: the file that describes it."""

    roles: list[str]
    populations: list[PopulationResponse]
    stages: list[StageResponse]
    definition: dict[str, Any]


class TemplateResponse(BaseModel):
    """A description to begin with."""

    name: str
    title: str
    about: str
    text: str


class ItemResponse(ApiResponse):
    """One thing that people work on. check: the right answer of an attention check. result: what its
    judgements came to."""

    id: int
    key: str
    stage: str
    population: str | None
    state: str
    round: int
    parent: int | None
    author: str | None
    content: dict[str, Any]
    check: dict[str, Any] | None
    result: dict[str, Any] | None
    reason: str | None
    created: datetime


class JudgementResponse(ApiResponse):
    """What one person said about an item. words: the same in words."""

    id: int
    participant: str
    payload: dict[str, Any]
    words: list[str]
    seconds: float | None
    created: datetime


class RevisionResponse(ApiResponse):
    """A state in which the item's content was."""

    number: int
    step: str
    content: dict[str, Any]
    strategy: str | None
    created: datetime


class DecisionResponse(ApiResponse):
    """A decision of a researcher or expert."""

    decision: dict[str, Any]
    reason: str
    created: datetime


class ItemDetailResponse(ItemResponse):
    """An item with all that was said of it. ancestors: ids of the items that it descends from, the oldest
    first. blind: the account may still be asked about it, and what was said of it is left out.
    """

    judgements: list[JudgementResponse]
    revisions: list[RevisionResponse]
    decisions: list[DecisionResponse]
    ancestors: list[int]
    blind: bool


class ItemsAddedResponse(BaseModel):
    """Items that were added."""

    added: int
    ids: list[int]


class ItemsDrawnResponse(BaseModel):
    """Items that were drawn; culture -> how many, and how many there were to draw from."""

    added: int
    counts: dict[str, tuple[int, int]]


class InviteResponse(ApiResponse):
    """A link that lets people in. uses_left: null for no limit."""

    id: int
    role: str
    population: str | None
    uses_left: int | None
    expires: datetime
    revoked: bool
    note: str
    created: datetime


class NewInviteResponse(InviteResponse):
    """A new link. link: its address, which is told here and never again."""

    link: str


class ParticipantResponse(ApiResponse):
    """Somebody who takes part. state: joined, consented, waiting, active, screened_out, finished, withdrawn.
    source: invite, prolific or staff.
    """

    id: int
    pseudonym: str
    population: str | None
    state: str
    source: str
    consent_version: str | None
    consent_language: str | None
    consented: datetime | None
    eligible: bool | None
    waiver: str | None
    joined: datetime
    left: datetime | None


class WorkbookImportResponse(ApiResponse):
    """What came of a workbook: rows that were stored, were there already, were empty."""

    stored: int
    repeated: int
    empty: int


class MemberResponse(BaseModel):
    """An account with one of its roles."""

    account: int
    login: str | None
    name: str
    role: str


class EventResponse(ApiResponse):
    """A line of the audit trail. by: login of the account; participant: pseudonym. subject: such as
    `item:12`."""

    id: int
    kind: str
    by: str | None
    participant: str | None
    subject: str
    details: dict[str, Any]
    at: datetime


class ModelCallResponse(ApiResponse):
    """A question to a model. problem: why there is no reply."""

    id: int
    item_id: int | None
    purpose: str
    endpoint: str
    run: str
    prompt: str
    reply: str | None
    problem: str | None
    read: dict[str, Any] | None
    created: datetime


class WebhookResponse(ApiResponse):
    """An address that is told of events. problem: why it was switched off."""

    id: int
    url: str
    events: list[str]
    enabled: bool
    problem: str | None
    created: datetime
    succeeded: datetime | None


class NewWebhookResponse(WebhookResponse):
    """A new webhook. secret: for checking signatures; it is told here and never again."""

    secret: str


class DeliveryResponse(ApiResponse):
    """An event, of this kind, for a webhook. state: waiting, done, failed. status: what the receiver answered
    last."""

    id: int
    event_id: int
    kind: str
    state: str
    attempts: int
    due: datetime
    status: int | None
    problem: str | None
    created: datetime
    tried: datetime | None


T = TypeVar("T")
R = TypeVar("R")

Limit = Annotated[int, Query(ge=1, le=500, description="How many at most.")]
Cursor = Annotated[int, Query(ge=0, le=2**31 - 1, description="What the page before gave as `next`.")]


class PageResponse(BaseModel, Generic[T]):
    """Some of a long list. next: the cursor of the page after it; null on the last."""

    data: list[T]
    next: int | None = None


def page_of(
    found: Sequence[R], limit: int, number: Callable[[R], int], make: Callable[[R], T]
) -> PageResponse[T]:
    """The first ``limit`` of what was found, which is one more where there is another page. number: what a
    cursor names."""
    kept = found[:limit]
    return PageResponse(
        data=[make(each) for each in kept], next=number(kept[-1]) if len(found) > limit and kept else None
    )


def slice_of(found: Sequence[R], cursor: int, limit: int, make: Callable[[R], T]) -> PageResponse[T]:
    """A page of a list that is read as a whole; its cursors are places in it."""
    end = cursor + limit
    return PageResponse(
        data=[make(each) for each in found[cursor:end]], next=end if end < len(found) else None
    )
