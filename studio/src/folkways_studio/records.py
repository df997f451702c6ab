"""The nouns of the studio as frozen records: people, studies, and their work. What the studio does by itself
is in ``activity``.

Each is one row of ``folkways_studio.database.schema``; no input or output happens here. Times are seconds
since the epoch. What a person or a model wrote is untrusted text in every field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def day_of(moment: float) -> str:
    """The day of a moment as 2026-12-31, UTC."""
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


EXTERNAL = ("prolific_pid", "prolific_study", "prolific_session")
"""Attributes that identify a person at a recruitment service."""

RETURN_CODE = "return_code"
"""Attribute with the code by which people return in another browser if their recruitment service signs
nothing."""


class Role(StrEnum):
    """What an account may do in one study."""

    OWNER = "owner"  # everything, roles included
    RESEARCHER = "researcher"  # runs the study: items, invitations, progress, exports
    REVIEWER = "reviewer"  # works on stages for reviewers: drops, groups, translates
    EXPERT = "expert"  # adjudicates
    ANNOTATOR = "annotator"  # writes, answers, verifies, judges


class StudyState(StrEnum):
    """Whether people can work on a study."""

    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"
    DELETED = "deleted"  # nobody sees it any more; the audit trail names it


class ParticipantState(StrEnum):
    """How far a person is. Only those who are ``active`` are given work."""

    JOINED = "joined"  # has not agreed to anything yet
    CONSENTED = "consented"  # has agreed; eligibility is open
    ACTIVE = "active"
    SCREENED_OUT = "screened_out"
    WAITING = "waiting"  # for a researcher, who looks at what they wrote about themselves
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"  # left out of every export
    EXCLUDED = "excluded"  # by a researcher, for a reason; left out of every export as long as that stands
    PAUSED = "paused"  # by a rule over known answers, until a researcher lifts it
    FAILED = "failed"  # did not pass the test of any stage that they could work on


AT_WORK = (ParticipantState.ACTIVE, ParticipantState.FINISHED)
"""People who are given work when they ask for it."""

LET_IN = (*AT_WORK, ParticipantState.PAUSED)
"""People who have a place in their population and in quotas, and see what they have sent."""

LEFT_OUT = (ParticipantState.WITHDRAWN, ParticipantState.EXCLUDED)
"""People whose answers count nowhere."""


class ItemState(StrEnum):
    """Whether an item still takes answers."""

    DRAFT = "draft"  # being written by its author
    OPEN = "open"
    DONE = "done"
    DROPPED = "dropped"


class AssignmentState(StrEnum):
    """What became of one slot."""

    OPEN = "open"
    LEASED = "leased"  # somebody is at it until ``lease_until``
    DONE = "done"
    CLOSED = "closed"  # no longer wanted: the item was resolved without it


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who can sign in. Only ``people.accounts`` sees the password's hash. locale: of the
    interface ("en")."""

    id: int
    login: str | None
    name: str
    locale: str
    created: float
    disabled: bool


@dataclass(frozen=True, slots=True)
class SignInSession:
    """One signed-in browser. csrf: the token that every form carries."""

    account: Account
    csrf: str
    created: float
    seen: float
    expires: float


@dataclass(frozen=True, slots=True)
class Study:
    """One study. definition: the whole definition, as ``workflows.definition`` reads it. licence: SPDX, of
    what leaves it."""

    id: int
    name: str
    title: str
    workflow: str
    state: str
    definition: Mapping[str, Any]
    licence: str
    consent_text: str
    consent_version: str
    created: float
    created_by: int | None


@dataclass(frozen=True, slots=True)
class Population:
    """A region and who is recruited there. parent_id: the wider population of which it is a part (Wales: the
    United Kingdom).

    people: how many are let in at most (None: no limit). criteria: see ``people.eligibility``.
    """

    id: int
    study_id: int
    name: str
    title: str
    culture: str
    language: str
    parent_id: int | None
    people: int | None
    criteria: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Invite:
    """A link that lets people into a study. Its token is shown once, when it is made; here is only what it
    allows."""

    id: int
    study_id: int
    population_id: int | None
    role: str
    uses_left: int | None
    expires: float
    revoked: bool
    note: str
    created: float
    created_by: int | None


@dataclass(frozen=True, slots=True)
class Participant:
    """An account's part in one study.
    pseudonym: the only name that leaves the studio.
    waiver: why criteria were waived.
    exclusion: why they were excluded, in the words that they were told.

    consent_version, consent_sha256, consent_language: the text that they agreed to, as they saw it.
    pause: why they are paused.
    pay: which code of the recruitment service ends their work, where that is not said by their state.
    """

    id: int
    study_id: int
    account_id: int
    population_id: int | None
    pseudonym: str
    state: str
    source: str
    consent_version: str | None
    consent_sha256: str | None
    consent_language: str | None
    consented: float | None
    eligible: bool | None
    waiver: str | None
    exclusion: str | None
    joined: float
    left: float | None
    pause: str | None
    pay: str | None


@dataclass(frozen=True, slots=True)
class QualificationStatus:
    """How somebody stands with the known answers of a stage. test: again (another try is left), passed,
    failed or waived; None where no try is over. right of asked: in the last try. test_from, gold_from: the
    judgement after which the next try begins, and after which answers count for the rules. warned: when.
    training: how far the training is, see ``work.training``.
    """

    participant_id: int
    stage_id: int
    test: str | None = None
    tries: int = 0
    right: int | None = None
    asked: int | None = None
    test_from: int = 0
    gold_from: int = 0
    warned: float | None = None
    reason: str | None = None
    training: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """What is asked of whom. kind: a key of ``stages.registry.STAGE_KINDS``. config: answers wanted, rules,
    choices; see that handler."""

    id: int
    study_id: int
    position: int
    name: str
    title: str
    kind: str
    role: str
    config: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that people work on in one stage. content: what is shown. result: what its judgements came
    to, once it is done.

    parent_id: the item of an earlier stage (or round) that it descends from.
    author_id: the participant who wrote it.
    check: the right answer where it is known beforehand; never shown to annotators, and no judgement of such
        an item is data.
    test: it is of the test before the stage; otherwise it comes among the stage's work.
    """

    id: int
    study_id: int
    stage_id: int
    population_id: int | None
    parent_id: int | None
    author_id: int | None
    key: str
    round: int
    content: Mapping[str, Any]
    state: str
    check: Mapping[str, Any] | None
    result: Mapping[str, Any] | None
    reason: str | None
    created: float
    test: bool | None = None


@dataclass(frozen=True, slots=True)
class Revision:
    """One state of an item while it was being written. step: scenario, question, challenge, revision,
    edit."""

    id: int
    item_id: int
    number: int
    step: str
    content: Mapping[str, Any]
    strategy: str | None
    participant_id: int | None
    created: float


@dataclass(frozen=True, slots=True)
class Assignment:
    """One slot of an item: the row is the reservation. lease_until: somebody else may take it afterwards."""

    id: int
    item_id: int
    stage_id: int
    population_id: int | None
    slot: int
    participant_id: int | None
    state: str
    leased: float | None
    lease_until: float | None
    done: float | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one person said about one item. Never changed. seconds: from lease to submission, as the server
    saw it."""

    id: int
    assignment_id: int
    item_id: int
    stage_id: int
    participant_id: int
    key: str
    payload: Mapping[str, Any]
    seconds: float | None
    revision: int | None
    created: float


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody has typed so far. revision: from 1, one more with every save."""

    item_id: int
    participant_id: int
    revision: int
    payload: Mapping[str, Any]
    saved: float


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A decision of a researcher or expert over an item, in place of what the rule made of the judgements."""

    id: int
    item_id: int
    account_id: int
    decision: Mapping[str, Any]
    reason: str
    created: float


def from_row(record: type[T], row: Any, table: Any = None) -> T:
    """The record of a database row that has at least its columns. table: whose columns, in a row of several
    tables."""
    values = row._mapping
    return record(**{name: values[key] for name, key in _keys(record, table)})  # type: ignore[arg-type]  # a class is hashable


@cache
def _keys(record: Any, table: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(
        (field.name, field.name if table is None else table.c[field.name]) for field in fields(record)
    )
