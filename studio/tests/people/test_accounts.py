"""Accounts, passwords, sessions and roles."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.backups import ALL_TABLES
from folkways_studio.errors import NotAllowedError, NotFoundError, SubmissionError, TooManyAttemptsError
from folkways_studio.people import accounts, sessions
from folkways_studio.records import Role, SignInSession
from studio.tests.support.studies import ON_A_FILE, ON_BOTH, PASSWORD, open_study, stored
from tests.support.frozen_time import at_time


def test_a_password_is_checked_and_never_stored(studio_workspace: Workspace) -> None:
    account = accounts.create_account(studio_workspace, " Kim@Example.org ", PASSWORD)
    assert account.login == "kim@example.org"
    assert accounts.verify_password(studio_workspace, "KIM@example.org", PASSWORD) == account
    assert accounts.verify_password(studio_workspace, "kim@example.org", PASSWORD + "!") is None
    assert accounts.verify_password(studio_workspace, "lee@example.org", PASSWORD) is None
    with studio_workspace.read() as connection:
        stored = connection.scalar(sa.select(schema.accounts.c.password))
    assert stored is not None
    assert stored.startswith("$argon2id$v=19$m=8,t=1,p=1$"), "as HASH_COST says in the tests"


def test_a_hash_costs_what_rfc_9106_recommends(hash_cost: tuple[int, int, int]) -> None:
    assert hash_cost == (3, 2**16, 4)


MANY_AT_ONCE = """
from concurrent.futures import ThreadPoolExecutor
from folkways_studio.people import accounts

def peak():  # ru_maxrss would be that of the parent, too
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])

accounts.HASH_COST = (1, *accounts.HASH_COST[1:])  # passes take time and no memory
accounts.prepare_account("first", "a long password")
before = peak()
with ThreadPoolExecutor(12) as people:
    list(people.map(lambda number: accounts.prepare_account(f"p{number}", "a long password"), range(12)))
print((peak() - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process its most memory")
def test_many_who_come_in_together_do_not_fill_the_memory() -> None:
    done = subprocess.run([sys.executable, "-c", MANY_AT_ONCE], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 64 * accounts.HASHED_AT_ONCE


@pytest.mark.parametrize(
    ("login", "password", "field"),
    [
        ("", PASSWORD, "login"),
        ("a" * 257, PASSWORD, "login"),
        ("lee", "short", "password"),
        ("lee", "x" * 2000, "password"),
    ],
)
def test_accounts_that_cannot_be(studio_workspace: Workspace, login: str, password: str, field: str) -> None:
    with pytest.raises(SubmissionError) as error:
        accounts.create_account(studio_workspace, login, password)
    assert set(error.value.problems) == {field}


@ON_BOTH
def test_a_login_is_taken_once(studio_workspace: Workspace) -> None:
    accounts.create_account(studio_workspace, "kim", PASSWORD)
    with pytest.raises(SubmissionError, match="taken"):
        accounts.create_account(studio_workspace, "KIM", PASSWORD)


@ON_BOTH
def test_guessing_is_slowed_down_even_for_the_right_password(studio_workspace: Workspace) -> None:
    accounts.create_account(studio_workspace, "kim", PASSWORD)
    for _ in range(accounts.ATTEMPTS):
        assert at_time(1000.0, accounts.verify_password, studio_workspace, "kim", "a wrong guess") is None
    with pytest.raises(TooManyAttemptsError) as error:
        at_time(1001.0, accounts.verify_password, studio_workspace, "kim", PASSWORD)
    assert error.value.seconds == accounts.ATTEMPTS_SECONDS - 1
    assert (
        at_time(
            1001.0 + accounts.ATTEMPTS_SECONDS, accounts.verify_password, studio_workspace, "kim", PASSWORD
        )
        is not None
    )


HERE, ELSEWHERE = "192.0.2.7", "192.0.2.8"


def test_one_address_that_tries_many_logins_is_stopped(studio_workspace: Workspace) -> None:
    for number in range(accounts.ATTEMPTS_OF_ADDRESS):
        accounts.verify_password(studio_workspace, f"somebody-{number}", "a wrong guess", key=HERE)
    with pytest.raises(TooManyAttemptsError):
        accounts.verify_password(studio_workspace, "kim", PASSWORD, key=HERE)
    assert accounts.verify_password(studio_workspace, "kim", PASSWORD, key=ELSEWHERE) is None


def test_the_typos_of_one_person_lock_out_nobody_else_behind_their_address(
    studio_workspace: Workspace,
) -> None:
    for login in ("kim", "lee"):
        accounts.create_account(studio_workspace, login, PASSWORD)
    for _ in range(accounts.ATTEMPTS):
        assert accounts.verify_password(studio_workspace, "kim", "a typo", key=HERE) is None
    with pytest.raises(TooManyAttemptsError):
        accounts.verify_password(studio_workspace, "kim", PASSWORD, key=HERE)
    assert accounts.verify_password(studio_workspace, "lee", PASSWORD, key=HERE) is not None


def test_nobody_locks_an_account_from_elsewhere_but_its_sign_ins_slow_down(
    studio_workspace: Workspace,
) -> None:
    accounts.create_account(studio_workspace, "kim", PASSWORD)
    assert at_time(1000.0, accounts.sign_in_pause, studio_workspace, "kim") == 0
    pauses = []
    for address in range(10):
        for _ in range(accounts.ATTEMPTS):
            at_time(
                1000.0,
                accounts.verify_password,
                studio_workspace,
                "Kim ",
                "a wrong guess",
                key=f"198.51.100.{address}",
            )
        pauses.append(at_time(1000.0, accounts.sign_in_pause, studio_workspace, "kim"))
    assert pauses == [0, 1, 1, 2, 2, 4, 4, 8, 8, 8]
    assert at_time(1001.0, accounts.verify_password, studio_workspace, "kim", PASSWORD, key=HERE) is not None
    assert at_time(1001.0, accounts.sign_in_pause, studio_workspace, "kim") == 8, (
        "what others tried is not forgotten with that"
    )
    assert at_time(1001.0 + accounts.ATTEMPTS_SECONDS, accounts.sign_in_pause, studio_workspace, "kim") == 0


def test_sign_ins_that_succeed_are_no_failures(studio_workspace: Workspace) -> None:
    accounts.create_account(studio_workspace, "kim", PASSWORD)
    for number in range(2):
        for _ in range(accounts.ATTEMPTS - 1):
            at_time(1000.0 + number, accounts.verify_password, studio_workspace, "kim", "a typo", key=HERE)
        assert (
            at_time(1000.5 + number, accounts.verify_password, studio_workspace, "kim", PASSWORD, key=HERE)
            is not None
        )
    with studio_workspace.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.attempts)) == 4 * (
            accounts.ATTEMPTS - 1
        )


def test_sessions_end_when_they_are_revoked_or_old(studio_workspace: Workspace) -> None:
    account = accounts.create_account(studio_workspace, "kim", PASSWORD)
    first, second = (sessions.open_session(studio_workspace, account.id) for _ in range(2))
    found = sessions.find_session(studio_workspace, first)
    assert found is not None
    assert found.account == account
    assert at_time(found.expires + 1, sessions.find_session, studio_workspace, first) is None
    sessions.revoke(studio_workspace, first)
    assert sessions.find_session(studio_workspace, first) is None
    assert sessions.find_session(studio_workspace, second) is not None
    sessions.revoke_all(studio_workspace, account.id)
    assert sessions.find_session(studio_workspace, second) is None
    assert sessions.find_session(studio_workspace, "made up") is None


@pytest.mark.parametrize(("login", "lasts"), [("kim", False), (None, True)])
def test_only_people_without_a_login_are_remembered_from_their_last_visit(
    studio_workspace: Workspace, login: str | None, lasts: bool
) -> None:
    """Their cookie is all by which the studio knows them: without it they would be asked the same again."""
    if login is not None:
        account = accounts.create_account(studio_workspace, login, PASSWORD).id
    else:
        with studio_workspace.write() as connection:
            account = accounts.insert_account(connection, None, None, "", "en")
    day = 86400.0
    token = at_time(0.0, sessions.open_session, studio_workspace, account)
    for visit in (10, 20, 33):
        is_remembered = at_time(visit * day, sessions.find_session, studio_workspace, token) is not None
        assert is_remembered == (lasts or visit < 14)
    assert at_time(47 * day + 1, sessions.find_session, studio_workspace, token) is None


def test_a_new_password_ends_every_session(studio_workspace: Workspace) -> None:
    account = accounts.create_account(studio_workspace, "kim", PASSWORD)
    opened = [sessions.open_session(studio_workspace, account.id) for _ in range(2)]
    accounts.set_password(studio_workspace, account.id, "another long password")
    assert [sessions.find_session(studio_workspace, token) for token in opened] == [None, None]


def test_the_database_has_no_token(studio_workspace: Workspace) -> None:
    account = accounts.create_account(studio_workspace, "kim", PASSWORD)
    token = sessions.open_session(studio_workspace, account.id)
    with studio_workspace.read() as connection:
        rows = [str(connection.execute(sa.select(table)).all()) for table in ALL_TABLES]
    assert hashlib.sha256(token.encode()).hexdigest() in "".join(rows) and token not in "".join(rows)


def test_roles_are_of_one_study(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])
    other = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}], name="other")
    accounts.give_role(studio_workspace, study.record.id, other.owner, Role.REVIEWER)
    assert accounts.require(studio_workspace, study.record.id, other.owner, Role.REVIEWER) == {Role.REVIEWER}
    with pytest.raises(NotAllowedError, match="owner / researcher"):
        accounts.require(studio_workspace, study.record.id, other.owner, Role.OWNER, Role.RESEARCHER)
    with pytest.raises(NotFoundError):
        accounts.require(studio_workspace, other.record.id, study.owner, Role.OWNER)


@ON_BOTH
def test_somebody_stays_the_owner(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])
    with pytest.raises(NotAllowedError, match="only owner"):
        accounts.take_role(studio_workspace, study.record.id, study.owner, Role.OWNER)
    second = accounts.create_account(studio_workspace, "kim", PASSWORD)
    accounts.give_role(studio_workspace, study.record.id, second.id, Role.OWNER)
    accounts.take_role(studio_workspace, study.record.id, study.owner, Role.OWNER)
    assert [account.id for account, _ in accounts.members(studio_workspace, study.record.id, Role.OWNER)] == [
        second.id
    ]


@ON_A_FILE
def test_what_is_kept_of_an_account(studio_workspace: Workspace) -> None:
    long = at_time(
        5.0,
        accounts.create_account,
        studio_workspace,
        f" {'K' * 256} ",
        None,
        name=f" {'n' * 300}",
        locale="ar",
    )
    unnamed = accounts.create_account(studio_workspace, "Lee", None, name=" ")
    with studio_workspace.write() as connection:
        nameless = at_time(6.0, accounts.insert_account, connection, None, None, "", "ko")
    rows = stored(studio_workspace, schema.accounts)
    assert rows[0] == {
        "id": long.id, "login": "k" * 256, "password": None, "name": "n" * 256, "locale": "ar",
        "created": 5.0, "disabled": False,
    }  # fmt: skip
    assert (rows[1]["name"], rows[1]["locale"]) == ("lee", "")
    assert rows[2] == {
        "id": nameless, "login": None, "password": None, "name": "", "locale": "ko", "created": 6.0,
        "disabled": False,
    }  # fmt: skip
    assert (
        accounts.get_account(studio_workspace, unnamed.id)
        == accounts.find_account(studio_workspace, " LEE ")
        == unnamed
    )
    assert accounts.find_account(studio_workspace, "park") is None
    with pytest.raises(NotFoundError):
        accounts.get_account(studio_workspace, nameless + 1)
    accounts.set_locale(studio_workspace, unnamed.id, "x" * 17)
    assert [row["locale"] for row in stored(studio_workspace, schema.accounts)] == ["ar", "x" * 16, "ko"]


@ON_A_FILE
@pytest.mark.parametrize(("length", "taken"), [(9, False), (10, True), (1024, True), (1025, False)])
def test_a_password_has_10_to_1024_characters(studio_workspace: Workspace, length: int, taken: bool) -> None:
    account = accounts.create_account(studio_workspace, "kim", None)
    if taken:
        accounts.set_password(studio_workspace, account.id, "x" * length)
        assert accounts.verify_password(studio_workspace, "kim", "x" * length) == account
    else:
        for change in (
            lambda: accounts.set_password(studio_workspace, account.id, "x" * length),
            lambda: accounts.create_account(studio_workspace, "lee", "x" * length),
        ):
            with pytest.raises(SubmissionError) as error:
                change()
            assert set(error.value.problems) == {"password"}


@ON_A_FILE
def test_a_text_of_any_length_is_not_even_looked_at(
    studio_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = accounts.create_account(studio_workspace, "kim", None)
    with monkeypatch.context() as patch:
        patch.setattr(accounts, "LONGEST_PASSWORD", 2000)
        accounts.set_password(studio_workspace, account.id, "x" * 1025)
    assert accounts.verify_password(studio_workspace, "kim", "x" * 1025) is None


@ON_A_FILE
def test_who_has_no_password_or_is_disabled_cannot_sign_in(studio_workspace: Workspace) -> None:
    accounts.create_account(studio_workspace, "open", None)
    for login in ("open", "nobody"):
        assert accounts.verify_password(studio_workspace, login, "a password that nobody has") is None
    accounts.create_account(studio_workspace, "gone", PASSWORD)
    with studio_workspace.write() as connection:
        connection.execute(sa.update(schema.accounts).filter_by(login="gone").values(disabled=True))
    assert accounts.verify_password(studio_workspace, "gone", PASSWORD) is None


def fail(workspace: Workspace, key: str, *times: float) -> None:
    """Note failed sign-ins."""
    with workspace.write() as connection:
        connection.execute(sa.insert(schema.attempts), [{"key": key, "at": at} for at in times])


def counted(kind: str, text: str) -> str:
    """The key that failures are counted by; what was typed is not kept."""
    return f"{kind}:{hashlib.sha256(text.encode()).hexdigest()}"


def pair(login: str, address: str) -> str:
    """The key that the failures of a login from an address are counted by."""
    return counted("pair", f"{login} {address}")


@ON_A_FILE
@pytest.mark.parametrize(
    ("key", "most"),
    [
        (pair("kim", HERE), 5),
        (counted("from", HERE), 30),
        (pair("kim", ELSEWHERE), None),
        (counted("login", "kim"), None),
    ],
)
def test_how_many_failures_within_a_quarter_of_an_hour_stop_a_sign_in(
    studio_workspace: Workspace, key: str, most: int | None
) -> None:
    """What lies 900 seconds back counts no more; whoever is stopped is told when the first that counts will
    not."""
    fail(studio_workspace, key, 99.0, *[100.0] * 40)  # too long ago
    fail(studio_workspace, key, *(101.0 + number for number in range(29 if most is None else most - 2)))
    assert (
        at_time(1000.0, accounts.verify_password, studio_workspace, "kim", "a wrong guess", key=HERE) is None
    )
    if most is not None:
        assert (
            at_time(1000.0, accounts.verify_password, studio_workspace, "kim", "a wrong guess", key=HERE)
            is None
        )
        with pytest.raises(TooManyAttemptsError) as error:
            at_time(1000.0, accounts.verify_password, studio_workspace, "kim", "a wrong guess", key=HERE)
        assert error.value.seconds == 1.0


@ON_A_FILE
def test_without_an_address_none_is_counted(studio_workspace: Workspace) -> None:
    fail(studio_workspace, counted("from", ""), *[999.0] * 40)
    assert at_time(1000.0, accounts.verify_password, studio_workspace, "kim", "a wrong guess") is None


@ON_A_FILE
def test_what_is_kept_of_sign_ins(studio_workspace: Workspace) -> None:
    """A failure is kept for an account, an address and both, by hashes; what is old goes with the
    next sign-in. A success takes away itself and the failures of that person, and of nobody else.
    """
    login, address = "K" * 300, "a" * 300
    accounts.create_account(studio_workspace, "kim", PASSWORD)
    others = [(counted("login", "kim"), 40.0), (pair("kim", ELSEWHERE), 50.0), (counted("from", HERE), 60.0)]
    for key, at in (
        (counted("login", "lee"), 19.0),
        (counted("login", "lee"), 20.0),
        (pair("kim", HERE), 45.0),
        *others,
    ):
        fail(studio_workspace, key, at)
    assert (
        at_time(920.0, accounts.verify_password, studio_workspace, f" {login}", "a wrong guess", key=address)
        is None
    )
    assert at_time(920.0, accounts.verify_password, studio_workspace, "Kim ", PASSWORD, key=HERE) is not None
    kept = [(row["key"], row["at"]) for row in stored(studio_workspace, schema.attempts)]
    of_kim = [(counted("login", "lee"), 20.0), *others]
    long = [
        (pair("k" * 256, address), 920.0),
        (counted("login", "k" * 256), 920.0),
        (counted("from", address), 920.0),
    ]
    assert kept == [*of_kim, *long]


@ON_A_FILE
def test_how_long_a_sign_in_waits_after_so_many_failures(studio_workspace: Workspace) -> None:
    expected = {9: 0, 10: 1, 19: 1, 20: 2, 29: 2, 30: 4, 39: 4, 40: 8, 49: 8, 50: 8, 2000: 8}
    fail(studio_workspace, counted("login", "lee"), *[999.0] * 50)
    fail(studio_workspace, counted("login", "kim"), *[100.0] * 50)
    found, noted = {}, 0
    for failed in expected:
        fail(studio_workspace, counted("login", "kim"), *[100.5] * (failed - noted))
        noted = failed
        found[failed] = at_time(1000.0, accounts.sign_in_pause, studio_workspace, " KIM")
    assert found == expected
    long = "k" * 300
    fail(studio_workspace, counted("login", long[:256]), *[999.0] * 10)
    assert at_time(1000.0, accounts.sign_in_pause, studio_workspace, long) == 1
    assert accounts.sign_in_pause(studio_workspace, long) == 0, "by the clock, that is long ago"


@ON_A_FILE
def test_a_session_is_of_one_account_and_ends_after_two_weeks(studio_workspace: Workspace) -> None:
    kim, lee = (accounts.create_account(studio_workspace, name, None).id for name in ("kim", "lee"))
    day = 86400.0
    tokens = [
        at_time(at, sessions.open_session, studio_workspace, account)
        for account, at in ((kim, 0.0), (kim, 1.0), (lee, 2.0))
    ]
    assert [len(token) for token in tokens] == [43] * 3, "32 random bytes"

    def rows() -> list[dict[str, Any]]:
        with studio_workspace.read() as connection:
            query = sa.select(schema.sessions).order_by(schema.sessions.c.created)
            return [dict(row._mapping) for row in connection.execute(query)]

    csrf = [row["csrf"] for row in rows()]
    assert [len(each) for each in csrf] == [43] * 3
    assert rows() == [
        {
            "token_hash": hashlib.sha256(token.encode()).hexdigest(),
            "account_id": account,
            "csrf": form,
            "created": at,
            "seen": at,
            "expires": at + 14 * day,
        }
        for token, account, form, at in zip(tokens, (kim, kim, lee), csrf, (0.0, 1.0, 2.0), strict=True)
    ]
    assert at_time(14 * day, sessions.find_session, studio_workspace, tokens[0]) is None
    found = at_time(14 * day - 1, sessions.find_session, studio_workspace, tokens[0])
    assert found == SignInSession(accounts.get_account(studio_workspace, kim), csrf[0], 0.0, 0.0, 14 * day)
    for now, seen in ((302.0, 2.0), (302.5, 302.5), (602.5, 302.5), (603.0, 603.0)):
        assert at_time(now, sessions.find_session, studio_workspace, tokens[2]) is not None
        assert [row["seen"] for row in rows()] == [14 * day - 1, 1.0, seen], (
            "written down every five minutes at most"
        )
    at_time(14 * day + 1, sessions.open_session, studio_workspace, lee)
    assert [row["created"] for row in rows()] == [1.0, 2.0, 14 * day + 1], (
        "what has expired goes when somebody signs in"
    )
    sessions.revoke_all(studio_workspace, kim)
    assert [row["account_id"] for row in rows()] == [lee, lee]
    with studio_workspace.write() as connection:
        connection.execute(sa.update(schema.accounts).filter_by(id=lee).values(disabled=True))
    assert at_time(700.0, sessions.find_session, studio_workspace, tokens[2]) is None
    sessions.revoke(studio_workspace, tokens[2])
    assert [row["created"] for row in rows()] == [14 * day + 1]
    accounts.set_password(studio_workspace, kim, PASSWORD)
    assert len(rows()) == 1, "a new password ends the sessions of its own account"
    assert [row["password"] is None for row in stored(studio_workspace, schema.accounts)] == [False, True]


@ON_A_FILE
def test_roles_are_given_and_taken_one_by_one(studio_workspace: Workspace) -> None:
    study, other = (
        open_study(studio_workspace, [{"name": "verify", "kind": "vote"}], name=name)
        for name in ("one", "two")
    )
    helper = accounts.create_account(studio_workspace, "helper", None, name="Ann").id
    for study_id in (other.record.id, study.record.id):
        for account in (helper, other.owner):
            accounts.give_role(studio_workspace, study_id, account, Role.EXPERT)
    accounts.give_role(studio_workspace, study.record.id, helper, Role.RESEARCHER)
    accounts.give_role(studio_workspace, study.record.id, helper, Role.RESEARCHER)

    def roles() -> set[tuple[int, int, str]]:
        return {
            (row["study_id"], row["account_id"], row["role"])
            for row in stored(studio_workspace, schema.roles)
        }

    one, two = study.record.id, other.record.id
    expected = {
        (one, study.owner, "owner"), (two, other.owner, "owner"), (one, helper, "expert"),
        (one, other.owner, "expert"), (two, helper, "expert"), (two, other.owner, "expert"),
        (one, helper, "researcher"),
    }  # fmt: skip
    assert roles() == expected
    assert accounts.roles_of(studio_workspace, one, helper) == {Role.EXPERT, Role.RESEARCHER}
    assert accounts.require(studio_workspace, one, helper, Role.OWNER, Role.EXPERT) == {
        Role.EXPERT,
        Role.RESEARCHER,
    }
    told = [(account.name, role) for account, role in accounts.members(studio_workspace, one)]
    assert sorted(told) == [
        ("Ann", Role.EXPERT), ("Ann", Role.RESEARCHER), ("one@example.org", Role.OWNER),
        ("two@example.org", Role.EXPERT),
    ]  # fmt: skip
    assert [name for name, _ in told] == ["Ann", "Ann", "one@example.org", "two@example.org"], (
        "in the order of their names"
    )
    found = accounts.members(studio_workspace, one, Role.OWNER, Role.RESEARCHER)
    assert [(account.id, role) for account, role in found] == [
        (helper, Role.RESEARCHER),
        (study.owner, Role.OWNER),
    ]
    accounts.take_role(studio_workspace, one, helper, Role.OWNER)  # who is no owner is not the last one
    accounts.take_role(studio_workspace, one, helper, Role.EXPERT)
    assert roles() == expected - {(one, helper, "expert")}
    with pytest.raises(NotAllowedError):
        accounts.take_role(studio_workspace, one, study.owner, Role.OWNER)
    accounts.give_role(studio_workspace, one, study.owner, Role.REVIEWER)
    accounts.take_role(studio_workspace, one, study.owner, Role.REVIEWER)
    assert roles() == expected - {(one, helper, "expert")}
