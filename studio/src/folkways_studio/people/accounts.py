"""Accounts, their passwords, and their roles in studies."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import (
    change_rows,
    changing,
    count,
    find_row,
    get_value,
    inserted_id,
    read_first,
    read_values,
)
from folkways_studio.errors import (
    Message,
    NotAllowedError,
    NotFoundError,
    SubmissionError,
    TooManyAttemptsError,
)
from folkways_studio.people.sessions import token_hash
from folkways_studio.programs import tokens
from folkways_studio.records import Account, Role, from_row

if TYPE_CHECKING:
    from pwdlib import PasswordHash

    from folkways_studio.people.openid import Identity

STAFF_ROLES = (Role.OWNER, Role.RESEARCHER, Role.REVIEWER, Role.EXPERT)
SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1024
"""Characters. Hashing longer texts would let anybody keep the server busy."""

HASH_COST = (3, 64 * 1024, 4)
"""Of Argon2id: passes, KiB and lanes, as RFC 9106 recommends where 2 GiB for each sign-in are too many."""

HASHED_AT_ONCE = 4
"""Passwords, so that many people who come in together do not fill the memory."""

ATTEMPTS, ATTEMPTS_OF_ADDRESS = 5, 30
ATTEMPTS_SECONDS = 900.0
"""Limits of failed sign-ins within ATTEMPTS_SECONDS: ATTEMPTS on one account from one address, and
ATTEMPTS_OF_ADDRESS from one address on any account (an address may be a whole university). Failures from
other addresses do not lock an account; they only slow it down."""

SLOW_AFTER, SLOWEST_SECONDS = 10, 8.0
"""After SLOW_AFTER failures on one account, from any address, each sign-in waits one second; the wait doubles
with every further SLOW_AFTER failures, up to SLOWEST_SECONDS."""


_ROOM = BoundedSemaphore(HASHED_AT_ONCE)

MakeAccount = Callable[[sa.Connection], int]
"""Makes an account within a transaction and returns its id."""


@contextmanager
def _hasher() -> Iterator[PasswordHash]:
    """What hashes a password, once there is room for it."""
    from pwdlib import PasswordHash
    from pwdlib.hashers.argon2 import Argon2Hasher

    passes, memory, lanes = HASH_COST
    with _ROOM:
        yield PasswordHash((Argon2Hasher(time_cost=passes, memory_cost=memory, parallelism=lanes),))


def _hashed(password: str) -> str:
    with _hasher() as hasher:
        return hasher.hash(password)


@cache
def _nobodys_hash() -> str:
    return _hashed("a password that nobody has")


def create_account(
    workspace: Workspace, login: str, password: str | None, *, name: str = "", locale: str = ""
) -> Account:
    """Make an account in the workspace and return it.

    login: an e-mail address or any other name, compared without case. password: None for an account that
    cannot sign in. name: shown to others; the login by default. locale: the language of the interface. Raises
    SubmissionError (fields ``login``, ``password``) if the login is taken or empty or the password too short.
    """
    make = prepare_account(login, password, name=name, locale=locale)
    with workspace.write() as connection:
        number = make(connection)
    return get_account(workspace, number)


def prepare_account(login: str, password: str | None, *, name: str = "", locale: str = "") -> MakeAccount:
    """A function that makes an account within the caller's transaction; the password is hashed beforehand.

    login, password, name and locale are those of ``create_account``. Raises SubmissionError for values that
    cannot be used; the function raises it if the login is taken.
    """
    login = login.strip().casefold()
    problems: dict[str, str] = {}
    if not 1 <= len(login) <= 256:
        problems["login"] = Message("Give a name or an e-mail address of up to 256 characters.")
    if password is not None:
        problems |= _password_problems(password)
    if problems:
        raise SubmissionError(problems)
    hashed = _hashed(password) if password is not None else None

    def make(connection: sa.Connection) -> int:
        if (
            connection.scalar(sa.select(schema.accounts.c.id).where(schema.accounts.c.login == login))
            is not None
        ):
            raise SubmissionError({"login": Message("This name is taken; sign in, or choose another.")})
        return insert_account(connection, login, hashed, name.strip()[:256] or login, locale)

    return make


def insert_account(
    connection: sa.Connection, login: str | None, hashed: str | None, name: str, locale: str
) -> int:
    """Insert an account and return its id. connection: the caller's transaction. login: in lower case and
    free; None for people from a recruitment service. hashed: the hash of the password. name, locale: as in
    ``create_account``."""
    row = {
        "login": login,
        "password": hashed,
        "name": name,
        "locale": locale,
        "created": time.time(),
        "disabled": False,
    }
    number = inserted_id(connection, schema.accounts, row)
    if login is not None:
        audit.record_event(connection, "account.created", subject=f"account:{number}")
    return number


def _password_problems(password: str) -> dict[str, str]:
    if len(password) < SHORTEST_PASSWORD:
        return {"password": Message("At least %(count)s characters are needed.", count=SHORTEST_PASSWORD)}
    if len(password) > LONGEST_PASSWORD:
        return {"password": Message("This is too long; characters allowed: %(most)s.", most=LONGEST_PASSWORD)}
    return {}


def get_account(workspace: Workspace, account_id: int) -> Account:
    """The account with that id; NotFoundError."""
    with workspace.read() as connection:
        row = find_row(connection, schema.accounts, id=account_id)
    if row is None:
        raise NotFoundError("there is no such account")
    return from_row(Account, row)


def find_account(workspace: Workspace, login: str) -> Account | None:
    """The account with that login, in any case; None if there is none."""
    return read_first(
        workspace, Account, sa.select(schema.accounts).filter_by(login=login.strip().casefold())
    )


def any_login(workspace: Workspace) -> bool:
    """Whether anybody can sign in to a studio of the workspace: an account with a login is there."""
    query = sa.select(schema.accounts.c.id).where(schema.accounts.c.login.is_not(None)).limit(1)
    with workspace.read() as connection:
        return connection.scalar(query) is not None


def find_member(workspace: Workspace, study_id: int, login: str) -> Account | None:
    """The account with that login if it has a role in the study; otherwise None."""
    query = (
        sa.select(schema.accounts)
        .join(schema.roles, schema.roles.c.account_id == schema.accounts.c.id)
        .where(schema.accounts.c.login == login.strip().casefold(), schema.roles.c.study_id == study_id)
    )
    return read_first(workspace, Account, query)


def has_password(workspace: Workspace, account_id: int) -> bool:
    """Whether an account has a password. Accounts from invitations or single sign-on have none."""
    with workspace.read() as connection:
        return get_value(connection, schema.accounts.c.password, id=account_id) is not None


def verify_password(workspace: Workspace, login: str, password: str, *, key: str = "") -> Account | None:
    """The account if login and password match, else None; an unknown login takes as long to check.

    workspace: where the accounts are. key: counts failures together with the login, such as the address of
    the client. Raises TooManyAttemptsError, even for the right password, after ATTEMPTS failures for login
    and key, or ATTEMPTS_OF_ADDRESS for the key, within ATTEMPTS_SECONDS.
    """
    now = time.time()
    login = _counted_login(login)
    pair, others = (
        _attempts_key("pair", f"{login} {key}"),
        [_attempts_key("login", login), _attempts_key("from", key)],
    )
    attempts = schema.attempts
    with workspace.write() as connection:
        connection.execute(sa.delete(attempts).where(attempts.c.at < now - ATTEMPTS_SECONDS))
        _check_attempts(
            connection, {pair: ATTEMPTS, **({others[1]: ATTEMPTS_OF_ADDRESS} if key else {})}, now
        )
        # Count the attempt before checking it, so that parallel requests cannot exceed the limit.
        connection.execute(sa.insert(attempts), [{"key": each, "at": now} for each in (pair, *others)])
        row = find_row(connection, schema.accounts, login=login)
    hashed = row.password if row is not None and row.password else _nobodys_hash()
    with _hasher() as hasher:
        right = len(password) <= LONGEST_PASSWORD and hasher.verify(password, hashed)
    with workspace.write() as connection:
        # Looked up again: while it was hashed, somebody may have set another one, which ends all sessions.
        if right and row is not None and row.password and _is_still(connection, row):
            connection.execute(sa.delete(attempts).where(attempts.c.key == pair))
            connection.execute(sa.delete(attempts).where(attempts.c.key.in_(others), attempts.c.at == now))
            return from_row(Account, row)
        subject = f"account:{row.id}" if row is not None else ""  # who it was is not known
        audit.record_event(connection, "account.sign_in_failed", subject=subject)
    return None


def _is_still(connection: sa.Connection, account: sa.Row[Any]) -> bool:
    """Whether an account has the password that it had, and may sign in."""
    same = {"id": account.id, "password": account.password, "disabled": False}
    return find_row(connection, schema.accounts, **same) is not None


def sign_in_pause(workspace: Workspace, login: str) -> float:
    """Seconds that a sign-in to this account has to wait; 0 unless many have failed lately."""
    attempts = schema.attempts
    query = sa.select(sa.func.count()).where(
        attempts.c.key == _attempts_key("login", _counted_login(login)),
        attempts.c.at > time.time() - ATTEMPTS_SECONDS,
    )
    failed = read_values(workspace, query)[0]
    return 0.0 if failed < SLOW_AFTER else min(SLOWEST_SECONDS, 1 << (failed // SLOW_AFTER - 1))


def _attempts_key(kind: str, text: str) -> str:
    """Under what failures are counted: a hash, because people also type their password in place of their
    name."""
    return f"{kind}:{token_hash(text)}"


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


def set_disabled(workspace: Workspace, account_id: int, *, disabled: bool) -> None:
    """Let an account and its tokens do nothing any more, or take that back. Its sessions and links end."""
    with workspace.write() as connection:
        changed = sa.update(schema.accounts).where(
            schema.accounts.c.id == account_id, schema.accounts.c.disabled.is_not(disabled)
        )
        _end_ways_in(connection, account_id)
        if connection.execute(changed.values(disabled=disabled)).rowcount:
            kind = "account.disabled" if disabled else "account.enabled"
            audit.record_event(connection, kind, subject=f"account:{account_id}")


def set_password(
    workspace: Workspace,
    account_id: int,
    password: str,
    *,
    first: Callable[[sa.Connection], object] = lambda connection: None,
) -> None:
    """Set the password of an account and end all its sessions and password links. Raises SubmissionError if
    it is too short.

    workspace, account_id: the account. first: runs in the same transaction; if it raises, nothing changes.
    """
    problems = _password_problems(password)
    if problems:
        raise SubmissionError(problems)
    hashed = _hashed(password)
    with workspace.write() as connection:
        first(connection)
        change_rows(connection, schema.accounts, {"id": account_id}, password=hashed)
        _end_ways_in(connection, account_id)
        audit.record_event(connection, "account.password_changed", account_id=account_id)


def _end_ways_in(connection: sa.Connection, account_id: int) -> None:
    """Sign an account out everywhere; links for a new password stop working."""
    for table in (schema.sessions, schema.password_links):
        connection.execute(sa.delete(table).filter_by(account_id=account_id))


def forget(connection: sa.Connection, account_id: int) -> None:
    """Delete whatever says who an account is, and all its ways in, within the caller's transaction. Its
    number stays, which the audit trail names."""
    login = get_value(connection, schema.accounts.c.login, id=account_id)
    if login is not None:
        key = _attempts_key("login", _counted_login(login))
        connection.execute(sa.delete(schema.attempts).filter_by(key=key))
    values = {"login": None, "password": None, "name": "", "disabled": True}
    change_rows(connection, schema.accounts, {"id": account_id}, **values)
    _end_ways_in(connection, account_id)
    for table in (schema.identities, schema.tokens):
        connection.execute(sa.delete(table).filter_by(account_id=account_id))


def set_locale(workspace: Workspace, account_id: int, locale: str) -> None:
    """Set an account's language of the interface."""
    with workspace.write() as connection:
        change_rows(connection, schema.accounts, {"id": account_id}, locale=locale[:16])


def give_role(
    workspace: Workspace, study_id: int, account_id: int, role: Role, *, by: int | None = None
) -> None:
    """Give an account a role in a study, if it does not have it. workspace, study_id: the study. account_id:
    the account. by: the account that acts, for the audit trail."""
    with changing(workspace, study_id) as connection:
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
    """``give_role`` within the caller's transaction. invitation: the one that gave the role, if nobody else
    (by) did. connection: the caller's transaction. study_id: the study. account_id: the account."""
    roles = schema.roles
    if find_row(connection, roles, study_id=study_id, account_id=account_id, role=str(role)) is None:
        row = {"study_id": study_id, "account_id": account_id, "role": str(role), "since": time.time()}
        connection.execute(sa.insert(roles).values(row))
        details = {"role": role} if invitation is None else {"role": role, "invitation": invitation}
        audit.record_event(
            connection, "role.given", study_id, by, subject=f"account:{account_id}", details=details
        )


def take_role(
    workspace: Workspace, study_id: int, account_id: int, role: Role, *, by: int | None = None
) -> None:
    """Take a role away, if the account has it. Raises NotAllowedError for the last owner of
    a study. workspace, study_id: the study. account_id: the account. by: the account that acts, for the audit
    trail."""
    roles = schema.roles
    with workspace.write() as connection:
        owners = count(connection, roles, roles.c.study_id == study_id, roles.c.role == Role.OWNER)
        mine = roles_within(connection, study_id, account_id)
        if role == Role.OWNER and role in mine and owners == 1:
            raise NotAllowedError("this is the study's only owner; make somebody else an owner first")
        removal = sa.delete(roles).filter_by(study_id=study_id, account_id=account_id, role=str(role))
        if connection.execute(removal).rowcount:
            subject, details = f"account:{account_id}", {"role": role}
            audit.record_event(connection, "role.taken", study_id, by, subject=subject, details=details)


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
    """The account's roles in the study if one of them is in ``roles``. NotFoundError if it has none at all,
    NotAllowedError if it has only others. workspace, study_id, account_id: whose."""
    mine = roles_of(workspace, study_id, account_id)
    require_one(mine, *roles)
    return mine


def require_one(mine: Collection[Role], *roles: Role) -> None:
    """Check that ``mine`` has one of ``roles``: NotFoundError if it is empty, NotAllowedError otherwise."""
    if not mine:
        raise NotFoundError("there is no such study")
    if not set(mine) & set(roles):
        named = " / ".join(f"%({role})s" for role in roles)
        names = Message(named, **{role: Message(role) for role in roles})
        raise NotAllowedError("this needs the role %(roles)s; ask an owner of the study", roles=names)


def members(workspace: Workspace, study_id: int, *roles: Role) -> tuple[tuple[Account, Role], ...]:
    """Accounts of a study with each of their roles, by name. roles: only these; all if none is given.
    workspace, study_id: the study."""
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


def account_of_identity(
    workspace: Workspace, identity: Identity, *, create: bool = False, locale: str = ""
) -> Account | None:
    """The account of an identity: the one linked with it, else the one whose login is its e-mail address,
    else a new one if ``create``, else None.

    Linking an existing account deletes its password, sessions and password links, and revokes its tokens,
    because its maker may have used somebody else's address. workspace: where the accounts are. locale:
    language of a new account. Raises NotAllowedError if the account is disabled or linked with another
    identity.
    """
    with workspace.write() as connection:
        return _linked_account(connection, identity, create, locale)


def prepare_account_of_identity(identity: Identity, *, locale: str = "") -> MakeAccount:
    """A function that finds or makes the account of an identity within the caller's transaction."""

    def make(connection: sa.Connection) -> int:
        account = _linked_account(connection, identity, True, locale)
        assert account is not None  # noqa: S101 - it is made where there is none
        return account.id

    return make


def _linked_account(
    connection: sa.Connection, identity: Identity, create: bool, locale: str
) -> Account | None:
    table, identities = schema.accounts, schema.identities
    login = identity.email.strip().casefold()
    link = find_row(connection, identities, issuer=identity.issuer, subject=identity.subject)
    row = (
        find_row(connection, table, id=link.account_id) if link else find_row(connection, table, login=login)
    )
    if row is not None and row.disabled:
        raise NotAllowedError("this account may not sign in any more")
    if link is None:
        if row is None and not create:
            return None
        if (
            row is not None
            and find_row(connection, identities, account_id=row.id, issuer=identity.issuer) is not None
        ):
            raise NotAllowedError(
                "the account with your e-mail address belongs to somebody else; tell the people who run this "
                "server"
            )
        number = (
            row.id if row else insert_account(connection, login, None, identity.name[:256] or login, locale)
        )
        connection.execute(sa.update(table).where(table.c.id == number).values(password=None))
        _end_ways_in(connection, number)
        tokens.revoke_all(connection, number)
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
