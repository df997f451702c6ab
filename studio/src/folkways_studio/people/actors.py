"""Whom the audit trail names: who acted, and whom it was about, also after they have left the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.activity import Event
from folkways_studio.database import schema
from folkways_studio.people.accounts import STAFF_ROLES
from folkways_studio.records import Account, from_row

ACCOUNT = "account:"


@dataclass(frozen=True, slots=True)
class Actors:
    """The accounts and pseudonyms of some events, by id. Of people who take part in a study the events tell
    the pseudonym alone, so their accounts are not among them."""

    accounts: Mapping[int, Account]
    pseudonyms: Mapping[int, str]

    def login(self, number: int | None) -> str | None:
        """The login of who acted; of an account without one, as of somebody erased, its number."""
        if number is None:
            return None
        account = self.accounts.get(number)
        return (account.login if account else None) or f"{ACCOUNT}{number}"

    def name(self, number: int | None) -> str | None:
        """What others see of who acted: their name, else as ``login``."""
        account = self.accounts.get(number) if number is not None else None
        return (account.name if account else None) or self.login(number)

    def subject(self, event: Event) -> str:
        """What an event is about, a staff account by its login."""
        number = _account_about(event)
        return event.subject if number is None else self.login(number) or ""


def _account_about(event: Event) -> int | None:
    """The account that an event is about, if it is of staff."""
    is_staff = event.kind.startswith("account.") or event.details.get("role") in STAFF_ROLES
    named = is_staff and event.subject.startswith(ACCOUNT)
    return int(event.subject.removeprefix(ACCOUNT)) if named else None


def actors_of(workspace: Workspace, events: Sequence[Event]) -> Actors:
    """The actors of these events."""
    accounts, people = schema.accounts, schema.participants
    numbers = {each for event in events for each in (event.account_id, _account_about(event)) if each}
    persons = {event.participant_id for event in events if event.participant_id}
    with workspace.read() as connection:
        rows = connection.execute(sa.select(accounts).where(accounts.c.id.in_(numbers))).all()
        named = sa.select(people.c.id, people.c.pseudonym).where(people.c.id.in_(persons))
        pseudonyms = {row.id: row.pseudonym for row in connection.execute(named)}
    return Actors({row.id: from_row(Account, row) for row in rows}, pseudonyms)
