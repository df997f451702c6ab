"""Accounts, passwords and what each account may do in each study."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import (
    change_rows,
    count,
    find_row,
    get_value,
    inserted_id,
    read_first,
    read_values,
)
from folkways_studio.errors import NotAllowedError, NotFoundError, SubmissionError, TooManyAttemptsError
from folkways_studio.people.sessions import token_hash
from folkways_studio.records import Account, Role, from_row

if TYPE_CHECKING:
    from pwdlib import PasswordHash

SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1024
"""Characters; hashing a text of any length would let anybody keep the server busy."""

ATTEMPTS, ATTEMPTS_OF_ADDRESS = 5, 30
ATTEMPTS_SECONDS = 900.0
"""So many failed sign-ins are allowed within so many seconds: to one account from one address, and from one
address to any. An address may be a whole university, and nobody can lock an account that others are guessing
at from elsewhere: that is slowed down.
"""

SLOW_AFTER, SLOWEST_SECONDS = 10, 8.0
"""From so many failures of an account on, from anywhere, a sign-in waits: a second, twice as long for every
SLOW_AFTER more."""


MakeAccount = Callable[[sa.Connection], int]
"""Makes an account within a transaction and returns its id."""


@cache
def _hasher() -> PasswordHash:
    from pwdlib import PasswordHash
    from pwdlib.hashers.argon2 import Argon2Hasher

    return PasswordHash((Argon2Hasher(),))


@cache
def _nobodys_hash() -> str:
    return _hasher().hash("a password that nobody has")


def create_account(
    workspace: Workspace, login: str, password: str | None, *, name: str = "", locale: str = ""
) -> Account:
    """Make an account. login: an e-mail address or any other name, compared without case. password None: it
    cannot sign in.

    Raises SubmissionError (fields ``login``, ``password``) where the login is taken or empty or the password
    too short.
    """
    make = prepare_account(login, password, name=name, locale=locale)
    with workspace.write() as connection:
        number = make(connection)
    return get_account(workspace, number)


def prepare_account(login: str, password: str | None, *, name: str = "", locale: str = "") -> MakeAccount:
    """Make an account as ``create_account`` does, but within the transaction of whoever calls what is
    returned.

    Raises SubmissionError at once, or when it is called where the login is taken. Nobody waits for the
    password to be hashed.
    """
    login = login.strip().casefold()
    problems = {}
    if not 1 <= len(login) <= 256:
        problems["login"] = "give a name or an e-mail address of up to 256 characters"
    if password is not None:
        problems |= _password_problems(password)
    if problems:
        raise SubmissionError(problems)
    hashed = _hasher().hash(password) if password is not None else None

    def make(connection: sa.Connection) -> int:
        if (
            connection.scalar(sa.select(schema.accounts.c.id).where(schema.accounts.c.login == login))
            is not None
        ):
            raise SubmissionError({"login": f"{login!r} is taken; sign in, or choose another"})
        return insert_account(connection, login, hashed, name.strip()[:256] or login, locale)

    return make


def insert_account(
    connection: sa.Connection, login: str | None, hashed: str | None, name: str, locale: str
) -> int:
    """The id of a new account, within the caller's transaction. login: in small letters, and nobody's yet;
    None for people who come by a recruitment service. hashed: its password.
    """
    row = {
        "login": login,
        "password": hashed,
        "name": name,
        "locale": locale,
        "created": time.time(),
        "disabled": False,
    }
    return inserted_id(connection, schema.accounts, row)


def _password_problems(password: str) -> dict[str, str]:
    if len(password) < SHORTEST_PASSWORD:
        return {"password": f"needs at least {SHORTEST_PASSWORD} characters"}
    if len(password) > LONGEST_PASSWORD:
        return {"password": f"may have {LONGEST_PASSWORD} characters at most"}
    return {}


def get_account(workspace: Workspace, account_id: int) -> Account:
    """The account with that id; NotFoundError."""
    with workspace.read() as connection:
        row = find_row(connection, schema.accounts, id=account_id)
    if row is None:
        raise NotFoundError("there is no such account")
    return from_row(Account, row)


def find_account(workspace: Workspace, login: str) -> Account | None:
    """The account with that login, in any case; None."""
    return read_first(
        workspace, Account, sa.select(schema.accounts).filter_by(login=login.strip().casefold())
    )


def find_member(workspace: Workspace, study_id: int, login: str) -> Account | None:
    """The account with that login that has a role in the study; None alike for one without, and for a login
    that nobody has."""
    query = (
        sa.select(schema.accounts)
        .join(schema.roles, schema.roles.c.account_id == schema.accounts.c.id)
        .where(schema.accounts.c.login == login.strip().casefold(), schema.roles.c.study_id == study_id)
    )
    return read_first(workspace, Account, query)


def has_password(workspace: Workspace, account_id: int) -> bool:
    """Whether an account has a password; those of people who come by an invitation or by single sign-on have
    none."""
    with workspace.read() as connection:
        return get_value(connection, schema.accounts.c.password, id=account_id) is not None


def verify_password(workspace: Workspace, login: str, password: str, *, key: str = "") -> Account | None:
    """The account if login and password fit, else None; takes as long for a login that does not exist.

    key: what besides the login failed attempts are counted by, such as the address that the request came
    from. Raises TooManyAttemptsError after ATTEMPTS failures of the login from that key, or
    ATTEMPTS_OF_ADDRESS of the key, within ATTEMPTS_SECONDS, even for the right password.
    """
    now = time.time()
    login = _counted_login(login)
    pair, rest = f"pair:{token_hash(f'{login} {key}')}", [f"login:{login}"[:128], f"from:{key}"[:128]]
    attempts = schema.attempts
    with workspace.write() as connection:
        _check_attempts(connection, {pair: ATTEMPTS, **({rest[1]: ATTEMPTS_OF_ADDRESS} if key else {})}, now)
        # Counted before it is looked at, so that many at once are no more than one after the other.
        connection.execute(sa.insert(attempts), [{"key": each, "at": now} for each in (pair, *rest)])
        row = find_row(connection, schema.accounts, login=login)
    hashed = row.password if row is not None and row.password else _nobodys_hash()
    right = len(password) <= LONGEST_PASSWORD and _hasher().verify(password, hashed)
    if right and row is not None and row.password and not row.disabled:
        with workspace.write() as connection:
            connection.execute(sa.delete(attempts).where(attempts.c.key == pair))
            connection.execute(sa.delete(attempts).where(attempts.c.key.in_(rest), attempts.c.at == now))
        return from_row(Account, row)
    with workspace.write() as connection:
        connection.execute(sa.delete(attempts).where(attempts.c.at < now - ATTEMPTS_SECONDS))
        audit.record_event(
            connection, "account.sign_in_failed", account_id=row.id if row is not None else None
        )
    return None


def sign_in_pause(workspace: Workspace, login: str) -> float:
    """Seconds that a sign-in to this account is to wait before it is looked at: 0 unless many have failed
    lately."""
    attempts = schema.attempts
    query = sa.select(sa.func.count()).where(
        attempts.c.key == f"login:{_counted_login(login)}"[:128],
        attempts.c.at > time.time() - ATTEMPTS_SECONDS,
    )
    failed = read_values(workspace, query)[0]
    return 0.0 if failed < SLOW_AFTER else min(SLOWEST_SECONDS, 1 << (failed // SLOW_AFTER - 1))


def _counted_login(login: str) -> str:
    return login.strip().casefold()[:256]


def _check_attempts(connection: sa.Connection, limits: Mapping[str, int], now: float) -> None:
    attempts = schema.attempts
    query = (
        sa.select(attempts.c.key, sa.func.count().label("n"), sa.func.min(attempts.c.at).label("first"))
        .where(attempts.c.key.in_(list(limits)), attempts.c.at > now - ATTEMPTS_SECONDS)
        .group_by(attempts.c.key)
    )
    for row in connection.execute(query):
        if row.n >= limits[row.key]:
            raise TooManyAttemptsError(row.first + ATTEMPTS_SECONDS - now)


def set_password(
    workspace: Workspace,
    account_id: int,
    password: str,
    *,
    first: Callable[[sa.Connection], None] = lambda connection: None,
) -> None:
    """Give an account a new password and end all of its sessions. SubmissionError for one that is too short.

    first: done in the same transaction; where it raises, nothing is changed.
    """
    problems = _password_problems(password)
    if problems:
        raise SubmissionError(problems)
    hashed = _hasher().hash(password)
    with workspace.write() as connection:
        first(connection)
        change_rows(connection, schema.accounts, {"id": account_id}, password=hashed)
        connection.execute(sa.delete(schema.sessions).where(schema.sessions.c.account_id == account_id))
        audit.record_event(connection, "account.password_changed", account_id=account_id)


def set_locale(workspace: Workspace, account_id: int, locale: str) -> None:
    """Choose the language of the interface for an account."""
    with workspace.write() as connection:
        change_rows(connection, schema.accounts, {"id": account_id}, locale=locale[:16])


def give_role(
    workspace: Workspace, study_id: int, account_id: int, role: Role, *, by: int | None = None
) -> None:
    """Give an account a role in a study; nothing happens if it has it."""
    with workspace.write() as connection:
        grant(connection, study_id, account_id, role, by=by)


def grant(
    connection: sa.Connection,
    study_id: int,
    account_id: int,
    role: Role,
    *,
    by: int | None = None,
    invitation: int | None = None,
) -> None:
    """``give_role`` within the caller's transaction. invitation: the one that somebody came by, where nobody
    gave them the role."""
    roles = schema.roles
    if find_row(connection, roles, study_id=study_id, account_id=account_id, role=str(role)) is None:
        row = {"study_id": study_id, "account_id": account_id, "role": str(role), "since": time.time()}
        connection.execute(sa.insert(roles).values(row))
        details = {"role": role} if invitation is None else {"role": role, "invitation": invitation}
        audit.record_event(
            connection,
            "role.given",
            study_id=study_id,
            account_id=by,
            subject=f"account:{account_id}",
            details=details,
        )


def take_role(
    workspace: Workspace, study_id: int, account_id: int, role: Role, *, by: int | None = None
) -> None:
    """Take a role away. NotAllowedError for the last owner: somebody has to be left."""
    roles = schema.roles
    with workspace.write() as connection:
        owners = count(connection, roles, roles.c.study_id == study_id, roles.c.role == Role.OWNER)
        mine = roles_within(connection, study_id, account_id)
        if role == Role.OWNER and role in mine and owners == 1:
            raise NotAllowedError("this is the study's only owner; make somebody else an owner first")
        connection.execute(
            sa.delete(roles).filter_by(study_id=study_id, account_id=account_id, role=str(role))
        )
        audit.record_event(
            connection,
            "role.taken",
            study_id=study_id,
            account_id=by,
            subject=f"account:{account_id}",
            details={"role": role},
        )


def roles_of(workspace: Workspace, study_id: int, account_id: int) -> frozenset[Role]:
    """The roles of an account in a study; empty for none."""
    with workspace.read() as connection:
        return roles_within(connection, study_id, account_id)


def roles_within(connection: sa.Connection, study_id: int, account_id: int) -> frozenset[Role]:
    """``roles_of`` within the caller's transaction."""
    roles = schema.roles
    query = sa.select(roles.c.role).where(roles.c.study_id == study_id, roles.c.account_id == account_id)
    return frozenset(Role(role) for role in connection.scalars(query))


def require(workspace: Workspace, study_id: int, account_id: int, *roles: Role) -> frozenset[Role]:
    """The account's roles if it has one of ``roles``. NotFoundError if it has none in the study,
    NotAllowedError if only others."""
    mine = roles_of(workspace, study_id, account_id)
    require_one(mine, *roles)
    return mine


def require_one(mine: Collection[Role], *roles: Role) -> None:
    """``require`` where the account's roles are known."""
    if not mine:
        raise NotFoundError("there is no such study")
    if not set(mine) & set(roles):
        raise NotAllowedError(
            "this needs the role %(roles)s; ask an owner of the study", roles=" / ".join(roles)
        )


def members(workspace: Workspace, study_id: int, *roles: Role) -> tuple[tuple[Account, Role], ...]:
    """Accounts of a study with each of their roles, by name; only these roles if some are named."""
    query = (
        sa.select(schema.accounts, schema.roles.c.role)
        .join(schema.roles, schema.roles.c.account_id == schema.accounts.c.id)
        .where(schema.roles.c.study_id == study_id)
        .order_by(schema.accounts.c.name, schema.accounts.c.id)
    )
    if roles:
        query = query.where(schema.roles.c.role.in_([str(role) for role in roles]))
    with workspace.read() as connection:
        return tuple((from_row(Account, row), Role(row.role)) for row in connection.execute(query))
