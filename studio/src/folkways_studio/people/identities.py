"""Which account somebody has whom the provider of single sign-on let in."""

from __future__ import annotations

import time

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import find_row
from folkways_studio.errors import NotAllowedError
from folkways_studio.people import accounts
from folkways_studio.people.openid import Identity
from folkways_studio.records import Account, from_row


def account_of(
    workspace: Workspace, identity: Identity, *, create: bool = False, locale: str = ""
) -> Account | None:
    """The account of an identity: the one that it was linked with before, else the one whose login is its
    e-mail address, else, with ``create``, a new one; None for nobody's.

    An account that is linked by its login loses its password, its sessions and its links for passwords:
    whoever made it may have given an address that was not theirs. NotAllowedError for one that is disabled,
    or that is linked with somebody else.
    """
    with workspace.write() as connection:
        return _account(connection, identity, create, locale)


def prepare_account(identity: Identity, *, locale: str = "") -> accounts.MakeAccount:
    """Find or make the account of an identity, within the transaction of whoever calls what is returned."""

    def make(connection: sa.Connection) -> int:
        account = _account(connection, identity, True, locale)
        assert account is not None  # noqa: S101 - it is made where there is none
        return account.id

    return make


def _account(connection: sa.Connection, identity: Identity, create: bool, locale: str) -> Account | None:
    table, identities = schema.accounts, schema.identities
    login = identity.email.strip().casefold()
    known = find_row(connection, identities, issuer=identity.issuer, subject=identity.subject)
    row = (
        find_row(connection, table, id=known.account_id)
        if known
        else find_row(connection, table, login=login)
    )
    if row is not None and row.disabled:
        raise NotAllowedError("this account may not sign in any more")
    if known is None:
        if row is None and not create:
            return None
        if (
            row is not None
            and find_row(connection, identities, account_id=row.id, issuer=identity.issuer) is not None
        ):
            raise NotAllowedError(
                "the account with your e-mail address is somebody else's; tell whoever runs this server"
            )
        number = (
            row.id
            if row
            else accounts.insert_account(connection, login, None, identity.name[:256] or login, locale)
        )
        connection.execute(sa.update(table).where(table.c.id == number).values(password=None))
        for each in (schema.sessions, schema.password_links):
            connection.execute(sa.delete(each).filter_by(account_id=number))
        values = {
            "account_id": number,
            "issuer": identity.issuer,
            "subject": identity.subject,
            "created": time.time(),
        }
        connection.execute(sa.insert(identities).values(values))
        audit.record_event(connection, "account.linked", account_id=number)
        row = find_row(connection, table, id=number)
    return from_row(Account, row)
