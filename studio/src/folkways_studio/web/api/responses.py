"""Responses of the API. They have names instead of database ids, and times in UTC. Texts of people and models
are untrusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Generic, Self, TypeVar

from fastapi import Query
from pydantic import BaseModel


class ApiResponse(BaseModel):
    """A response made from a record: fields of the same names are copied."""

    @classmethod
    def of(cls, record: object, **others: Any) -> Self:
        """The response for a record. others: fields that the record lacks or has as a number."""
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
    """Where participants come from.
    people: how many are let in at most;
    part_of: the wider population."""

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
    """One thing that people work on. check: the known answer of an attention check. result: outcome of its
    judgements."""

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
    """What one person said about an item. words: the same as text."""

    id: int
    participant: str
    payload: dict[str, Any]
    words: list[str]
    seconds: float | None
    created: datetime


class RevisionResponse(ApiResponse):
    """A state of the item's content."""

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
    """An item with its judgements, revisions and decisions. ancestors: ids of the items it descends from,
    oldest first. blind: the account may still be asked about it, so what others said is left out."""

    judgements: list[JudgementResponse]
    revisions: list[RevisionResponse]
    decisions: list[DecisionResponse]
    ancestors: list[int]
    blind: bool


class ItemsAddedResponse(BaseModel):
    """Items that were added. notes: what of the rows was left out."""

    added: int
    ids: list[int]
    notes: list[str] = []


class ItemsDrawnResponse(BaseModel):
    """Items that were drawn; culture -> how many, and of how many."""

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
    """A new link. link: its address, which is shown only here."""

    link: str


class ParticipantResponse(ApiResponse):
    """Somebody who takes part. state: joined, consented, waiting, active, screened_out, finished, withdrawn,
    excluded, paused, failed. source: invite, prolific or staff.
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
    """Result of a workbook: rows that were stored, existed already, or were empty."""

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
    """A question to a model. problem: why there was no reply."""

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
    """An address that receives events. problem: why it was switched off."""

    id: int
    url: str
    events: list[str]
    enabled: bool
    problem: str | None
    created: datetime
    succeeded: datetime | None


class NewWebhookResponse(WebhookResponse):
    """A new webhook. secret: for checking signatures; it is shown only here."""

    secret: str


class DeliveryResponse(ApiResponse):
    """An event for a webhook. kind: of the event. state: waiting, done, failed. status: the receiver's last
    reply."""

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


class RemainingWorkResponse(ApiResponse):
    """A stage that a participant works on. left: how many items they could still be given, null where they
    write their own; items: the same without the cap; assigned: those that are assigned to them."""

    stage: str
    answered: int
    left: int | None
    items: int
    assigned: int


class RemainingItemResponse(ApiResponse):
    """An item that a participant may still be asked. assigned: whether it is assigned to them."""

    item: int
    key: str
    round: int
    assigned: bool


class PageResponse(BaseModel, Generic[T]):
    """Part of a long list, as ``limit`` and ``cursor`` chose it. next: the cursor of the next page; null on
    the last."""

    data: list[T]
    next: int | None = None


def page_of(
    rows: Sequence[R], limit: int, number: Callable[[R], int], make: Callable[[R], T]
) -> PageResponse[T]:
    """The first ``limit`` of ``rows``, which has one more if there is another page. number: the cursor of a
    row. make: the response for a row."""
    page = rows[:limit]
    return PageResponse(
        data=[make(each) for each in page], next=number(page[-1]) if len(rows) > limit and page else None
    )


def slice_of(rows: Sequence[R], cursor: int, limit: int, make: Callable[[R], T]) -> PageResponse[T]:
    """The page of ``rows`` (a whole list) at position ``cursor``, up to ``limit`` of them. make: the response
    for a row."""
    return page_from(rows[cursor : cursor + limit + 1], cursor, limit, make)


def page_from(rows: Sequence[R], cursor: int, limit: int, make: Callable[[R], T]) -> PageResponse[T]:
    """The page at position ``cursor``. rows: up to ``limit`` of them from there, and one more where the list
    goes on. make: the response for a row."""
    goes_on = len(rows) > limit
    return PageResponse(data=[make(each) for each in rows[:limit]], next=cursor + limit if goes_on else None)
