"""Accounts, passwords, sessions and roles."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from folkways.studio import schema
from folkways.studio.errors import NotAllowedError, NotFoundError, SubmissionError, TooManyAttemptsError
from folkways.studio.records import Role
from folkways.studio.services import accounts, sessions
from folkways.workspace.database import Workspace
from tests.support.studies import PASSWORD, open_desk


def test_a_password_is_checked_and_never_stored(studio_workspace: Workspace) -> None:
    account = accounts.create_account(studio_workspace, " Kim@Example.org ", PASSWORD)
    assert account.login == "kim@example.org"
    assert accounts.verify_password(studio_workspace, "KIM@example.org", PASSWORD) == account
    assert accounts.verify_password(studio_workspace, "kim@example.org", PASSWORD + "!") is None
    assert accounts.verify_password(studio_workspace, "lee@example.org", PASSWORD) is None
    with studio_workspace.read() as connection:
        stored = connection.scalar(sa.select(schema.accounts.c.password))
    assert stored is not None
    assert stored.startswith("$argon2id$")


@pytest.mark.parametrize(
    ("login", "password", "field"),
    [("", PASSWORD, "login"), ("a" * 257, PASSWORD, "login"), ("lee", "short", "password"), ("lee", "x" * 2000, "password")],
)
def test_accounts_that_cannot_be(studio_workspace: Workspace, login: str, password: str, field: str) -> None:
    with pytest.raises(SubmissionError) as error:
        accounts.create_account(studio_workspace, login, password)
    assert set(error.value.problems) == {field}


def test_a_login_is_taken_once(studio_workspace: Workspace) -> None:
    accounts.create_account(studio_workspace, "kim", PASSWORD)
    with pytest.raises(SubmissionError, match="taken"):
        accounts.create_account(studio_workspace, "KIM", PASSWORD)


def test_guessing_is_slowed_down_even_for_the_right_password(studio_workspace: Workspace) -> None:
    accounts.create_account(studio_workspace, "kim", PASSWORD)
    for _ in range(accounts.ATTEMPTS):
        assert accounts.verify_password(studio_workspace, "kim", "a wrong guess", now=1000.0) is None
    with pytest.raises(TooManyAttemptsError) as error:
        accounts.verify_password(studio_workspace, "kim", PASSWORD, now=1001.0)
    assert error.value.seconds == accounts.ATTEMPTS_SECONDS - 1
    assert accounts.verify_password(studio_workspace, "kim", PASSWORD, now=1001.0 + accounts.ATTEMPTS_SECONDS) is not None


HERE, ELSEWHERE = "192.0.2.7", "192.0.2.8"


def test_one_address_that_tries_many_logins_is_stopped(studio_workspace: Workspace) -> None:
    for number in range(accounts.ATTEMPTS_OF_ADDRESS):
        accounts.verify_password(studio_workspace, f"somebody-{number}", "a wrong guess", key=HERE)
    with pytest.raises(TooManyAttemptsError):
        accounts.verify_password(studio_workspace, "kim", PASSWORD, key=HERE)
    assert accounts.verify_password(studio_workspace, "kim", PASSWORD, key=ELSEWHERE) is None


def test_the_typos_of_one_person_lock_out_nobody_else_behind_their_address(studio_workspace: Workspace) -> None:
    for login in ("kim", "lee"):
        accounts.create_account(studio_workspace, login, PASSWORD)
    for _ in range(accounts.ATTEMPTS):
        assert accounts.verify_password(studio_workspace, "kim", "a typo", key=HERE) is None
    with pytest.raises(TooManyAttemptsError):
        accounts.verify_password(studio_workspace, "kim", PASSWORD, key=HERE)
    assert accounts.verify_password(studio_workspace, "lee", PASSWORD, key=HERE) is not None


def test_nobody_locks_an_account_from_elsewhere_but_its_sign_ins_slow_down(studio_workspace: Workspace) -> None:
    accounts.create_account(studio_workspace, "kim", PASSWORD)
    assert accounts.sign_in_pause(studio_workspace, "kim", now=1000.0) == 0
    pauses = []
    for address in range(10):
        for _ in range(accounts.ATTEMPTS):
            accounts.verify_password(studio_workspace, "Kim ", "a wrong guess", key=f"198.51.100.{address}", now=1000.0)
        pauses.append(accounts.sign_in_pause(studio_workspace, "kim", now=1000.0))
    assert pauses == [0, 1, 1, 2, 2, 4, 4, 8, 8, 8]
    assert accounts.verify_password(studio_workspace, "kim", PASSWORD, key=HERE, now=1001.0) is not None
    assert accounts.sign_in_pause(studio_workspace, "kim", now=1001.0) == 8, "what others tried is not forgotten with that"
    assert accounts.sign_in_pause(studio_workspace, "kim", now=1001.0 + accounts.ATTEMPTS_SECONDS) == 0


def test_sign_ins_that_succeed_are_no_failures(studio_workspace: Workspace) -> None:
    accounts.create_account(studio_workspace, "kim", PASSWORD)
    for number in range(2):
        for _ in range(accounts.ATTEMPTS - 1):
            accounts.verify_password(studio_workspace, "kim", "a typo", key=HERE, now=1000.0 + number)
        assert accounts.verify_password(studio_workspace, "kim", PASSWORD, key=HERE, now=1000.5 + number) is not None
    with studio_workspace.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.attempts)) == 4 * (accounts.ATTEMPTS - 1)


def test_sessions_end_when_they_are_revoked_or_old(studio_workspace: Workspace) -> None:
    account = accounts.create_account(studio_workspace, "kim", PASSWORD)
    first, second = (sessions.open_session(studio_workspace, account.id) for _ in range(2))
    found = sessions.find_session(studio_workspace, first)
    assert found is not None
    assert found.account_id == account.id
    assert sessions.find_session(studio_workspace, first, now=found.expires + 1) is None
    sessions.revoke(studio_workspace, first)
    assert sessions.find_session(studio_workspace, first) is None
    assert sessions.find_session(studio_workspace, second) is not None
    sessions.revoke_all(studio_workspace, account.id)
    assert sessions.find_session(studio_workspace, second) is None
    assert sessions.find_session(studio_workspace, "made up") is None


def test_a_new_password_ends_every_session(studio_workspace: Workspace) -> None:
    account = accounts.create_account(studio_workspace, "kim", PASSWORD)
    token = sessions.open_session(studio_workspace, account.id)
    accounts.set_password(studio_workspace, account.id, "another long password")
    assert sessions.find_session(studio_workspace, token) is None


def test_the_database_has_no_token(studio_workspace: Workspace) -> None:
    account = accounts.create_account(studio_workspace, "kim", PASSWORD)
    token = sessions.open_session(studio_workspace, account.id)
    with studio_workspace.read() as connection:
        assert token not in str(connection.execute(sa.select(schema.sessions)).all())


def test_roles_are_of_one_study(studio_workspace: Workspace) -> None:
    desk = open_desk(studio_workspace, [{"name": "verify", "kind": "vote"}])
    other = open_desk(studio_workspace, [{"name": "verify", "kind": "vote"}], name="other")
    accounts.give_role(studio_workspace, desk.study.id, other.owner, Role.REVIEWER)
    assert accounts.require(studio_workspace, desk.study.id, other.owner, Role.REVIEWER) == {Role.REVIEWER}
    with pytest.raises(NotAllowedError, match="owner / researcher"):
        accounts.require(studio_workspace, desk.study.id, other.owner, Role.OWNER, Role.RESEARCHER)
    with pytest.raises(NotFoundError):
        accounts.require(studio_workspace, other.study.id, desk.owner, Role.OWNER)


def test_somebody_stays_the_owner(studio_workspace: Workspace) -> None:
    desk = open_desk(studio_workspace, [{"name": "verify", "kind": "vote"}])
    with pytest.raises(NotAllowedError, match="only owner"):
        accounts.take_role(studio_workspace, desk.study.id, desk.owner, Role.OWNER)
    second = accounts.create_account(studio_workspace, "kim", PASSWORD)
    accounts.give_role(studio_workspace, desk.study.id, second.id, Role.OWNER)
    accounts.take_role(studio_workspace, desk.study.id, desk.owner, Role.OWNER)
    assert [account.id for account, _ in accounts.members(studio_workspace, desk.study.id, Role.OWNER)] == [second.id]
