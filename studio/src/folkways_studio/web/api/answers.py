"""What programs get. Names stand where the database has numbers; times are UTC. Texts of people and models
are untrusted."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel


class Told(BaseModel):
    """Any answer that is made of a record: fields of the same names are taken over."""

    @classmethod
    def of(cls, record: object, **others: Any) -> Self:
        """The answer for a record, with ``others`` for what the record has not, or has as a number."""
        return cls(
            **{name: getattr(record, name) for name in cls.model_fields.keys() - others.keys()}, **others
        )


class StudyLine(Told):
    """A study in a list. state: draft, open, paused, closed."""

    name: str
    title: str
    workflow: str
    state: str
    licence: str
    created: datetime


class PopulationTold(Told):
    """Where participants come from. people: how many are let in at most; part_of: the wider population."""

    name: str
    title: str
    culture: str
    language: str
    people: int | None
    part_of: str | None


class StageTold(Told):
    """What is asked of whom. config: answers per item, rules, choices, where items go next."""

    name: str
    title: str
    kind: str
    role: str
    config: dict[str, Any]


class StudyTold(StudyLine):
    """A study. roles: those of the token's account. definition: the file that describes it."""

    roles: list[str]
    populations: list[PopulationTold]
    stages: list[StageTold]
    definition: dict[str, Any]


class TemplateTold(BaseModel):
    """A description to begin with."""

    name: str
    title: str
    about: str
    text: str


class ItemTold(Told):
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


class JudgementTold(Told):
    """What one person said about an item. words: the same in words."""

    id: int
    participant: str
    payload: dict[str, Any]
    words: list[str]
    seconds: float | None
    created: datetime


class RevisionTold(Told):
    """A state in which the item's content was."""

    number: int
    step: str
    content: dict[str, Any]
    strategy: str | None
    created: datetime


class DecisionTold(Told):
    """A decision of a researcher or expert."""

    decision: dict[str, Any]
    reason: str
    created: datetime


class ItemWhole(ItemTold):
    """An item with all that was said of it. ancestors: ids of the items that it descends from, the oldest
    first. blind: the account may still be asked about it, and what was said of it is left out.
    """

    judgements: list[JudgementTold]
    revisions: list[RevisionTold]
    decisions: list[DecisionTold]
    ancestors: list[int]
    blind: bool


class Added(BaseModel):
    """Items that were added."""

    added: int
    ids: list[int]


class Drawn(BaseModel):
    """Items that were drawn; culture -> how many, and how many there were to draw from."""

    added: int
    counts: dict[str, tuple[int, int]]


class InviteTold(Told):
    """A link that lets people in. uses_left: null for no limit."""

    id: int
    role: str
    population: str | None
    uses_left: int | None
    expires: datetime
    revoked: bool
    note: str
    created: datetime


class InviteMade(InviteTold):
    """A new link. link: its address, which is told here and never again."""

    link: str


class ParticipantTold(Told):
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


class TakenIn(Told):
    """What came of a workbook: rows that were stored, were there already, were empty."""

    stored: int
    repeated: int
    empty: int


class MemberTold(BaseModel):
    """An account with one of its roles."""

    account: int
    login: str | None
    name: str
    role: str


class EventTold(Told):
    """A line of the audit trail. by: login of the account; participant: pseudonym. subject: such as
    `item:12`."""

    id: int
    kind: str
    by: str | None
    participant: str | None
    subject: str
    details: dict[str, Any]
    at: datetime


class ModelCallTold(Told):
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


class WebhookTold(Told):
    """An address that is told of events. problem: why it was switched off."""

    id: int
    url: str
    events: list[str]
    enabled: bool
    problem: str | None
    created: datetime
    succeeded: datetime | None


class WebhookMade(WebhookTold):
    """A new webhook. secret: for checking signatures; it is told here and never again."""

    secret: str


class DeliveryTold(Told):
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
