"""An account that is disabled or erased stays out by every way in; and a provider's address of which one
half is good is none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import InviteError, NotAllowedError, NotFoundError, TokenError
from folkways_studio.people import accounts, invites, openid, participants, password_links, personal, sessions
from folkways_studio.programs import tokens
from folkways_studio.records import Participant
from studio.tests.support.studies import ON_A_FILE, PASSWORD, StudyFixture

LOGIN = "kim@example.org"
IDENTITY = openid.Identity("https://login.example.org", "person-1", "else@example.org", "Kim")
REFUSED = (InviteError, NotAllowedError, NotFoundError, TokenError)


@pytest.fixture
def person(study: StudyFixture) -> Participant:
    """Somebody in one study, with a login and a password."""
    account = accounts.create_account(study.workspace, LOGIN, None)
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    return participants.join(study.workspace, token, account.id)


def _disable(study: StudyFixture, person: Participant) -> None:
    accounts.set_disabled(study.workspace, person.account_id, disabled=True)


def _erase(study: StudyFixture, person: Participant) -> None:
    personal.delete_attributes(study.workspace, study.record.id, person.id, by=study.owner)


Way = Callable[[], Any]


def _password(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    accounts.set_password(workspace, account, PASSWORD)
    return lambda: accounts.verify_password(workspace, LOGIN, PASSWORD)


def _session(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    token = sessions.open_session(workspace, account)
    return lambda: sessions.find_session(workspace, token)


def _session_begun_afterwards(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    return lambda: sessions.find_session(workspace, sessions.open_session(workspace, account))


def _token(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    _, text = tokens.create_token(workspace, account, study_id=study.record.id)
    return lambda: tokens.find_token(workspace, text)


def _token_of_all_studies(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    _, text = tokens.create_token(workspace, account, study_id=None)
    return lambda: tokens.find_token(workspace, text)


def _link_of_before(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    token = password_links.make_link(workspace, account)
    return lambda: password_links.account_of_link(workspace, token)


def _link_used(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    token = password_links.make_link(workspace, account)
    return lambda: password_links.use_link(workspace, token, PASSWORD)


def _new_link(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    return lambda: password_links.make_link(workspace, account)


def _identity(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    linked = openid.Identity(IDENTITY.issuer, IDENTITY.subject, LOGIN, "Kim")
    accounts.account_of_identity(workspace, linked)
    return lambda: accounts.account_of_identity(workspace, IDENTITY)  # known by its number, not its address


def _address_of_identity(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    return lambda: accounts.account_of_identity(
        workspace, openid.Identity("https://other.org", "1", LOGIN, "")
    )


def _invitation(workspace: Workspace, account: int, study: StudyFixture) -> Way:
    """A browser with an open session of the account that opens an invitation: whom it is for."""
    _, token = invites.create_invite(workspace, study.record.id, population="korea")
    session = sessions.open_session(workspace, account)

    def enter() -> bool:
        found = sessions.find_session(workspace, session)
        joined = participants.join(workspace, token, found.account.id if found else None)
        return joined.account_id == account

    return enter


WAYS = (
    *(_password, _session, _session_begun_afterwards, _token, _token_of_all_studies, _link_of_before),
    *(_link_used, _new_link, _identity, _address_of_identity, _invitation),
)


@ON_A_FILE
@pytest.mark.parametrize("end", [_disable, _erase], ids=["disabled", "erased"])
@pytest.mark.parametrize("way", WAYS, ids=[way.__name__.strip("_") for way in WAYS])
def test_an_account_that_has_ended_comes_in_by_no_way(
    study: StudyFixture, person: Participant, way: Callable[..., Way], end: Callable[..., None]
) -> None:
    workspace = study.workspace
    enter = way(workspace, person.account_id, study)
    if way is not _link_used:  # which is spent by trying
        assert enter(), "it is a way in"
    end(study, person)
    with suppress(*REFUSED):
        assert not enter()
    with workspace.read() as connection:
        row = connection.execute(sa.select(schema.accounts).filter_by(id=person.account_id)).one()
    assert row.disabled and (end is _disable or row.password is None)


def _disable_and_let_in_again(study: StudyFixture, person: Participant) -> None:
    for disabled in (True, False):
        accounts.set_disabled(study.workspace, person.account_id, disabled=disabled)


def _change_password(study: StudyFixture, person: Participant) -> None:
    accounts.set_password(study.workspace, person.account_id, "another password of the tests")


def _sign_in_elsewhere(study: StudyFixture, person: Participant) -> None:
    identity = openid.Identity(IDENTITY.issuer, IDENTITY.subject, LOGIN, "Kim")
    accounts.account_of_identity(study.workspace, identity)


@ON_A_FILE
@pytest.mark.parametrize("change", [_disable_and_let_in_again, _change_password, _sign_in_elsewhere])
@pytest.mark.parametrize("way", [_session, _link_of_before])
def test_what_somebody_held_before_lets_nobody_in_after_a_change_of_how_they_sign_in(
    study: StudyFixture, person: Participant, way: Callable[..., Way], change: Callable[..., None]
) -> None:
    enter = way(study.workspace, person.account_id, study)
    assert enter()
    change(study, person)
    with suppress(InviteError):
        assert not enter()


@pytest.mark.parametrize("way", [_token, _token_of_all_studies])
@pytest.mark.parametrize(
    ("change", "is_valid"),
    [(_disable_and_let_in_again, True), (_change_password, True), (_sign_in_elsewhere, False)],
)
def test_programs_lose_an_account_where_somebody_else_may_have_made_it(
    study: StudyFixture,
    person: Participant,
    way: Callable[..., Way],
    change: Callable[..., None],
    is_valid: bool,
) -> None:
    enter = way(study.workspace, person.account_id, study)
    other = way(study.workspace, study.owner, study)
    change(study, person)
    with nullcontext() if is_valid else pytest.raises(TokenError, match="was revoked"):
        enter()
    assert other(), "of another account"
    with study.workspace.read() as connection:
        kinds = connection.scalars(sa.select(schema.events.c.kind)).all()
    assert kinds.count("token.revoked") == (not is_valid)


@ON_A_FILE
def test_a_link_that_is_used_is_a_way_in(study: StudyFixture, person: Participant) -> None:
    assert _link_used(study.workspace, person.account_id, study)().id == person.account_id


@pytest.mark.parametrize(
    ("address", "domain"),
    [
        ("me@example.org", "example.org"),
        ("ME@EXAMPLE.ORG", "example.org"),
        ("me+tag@example.org", "example.org"),
        ("mé@example.org", "example.org"),
        ("me@example.com", "example.com"),
        ("me@example.org.evil.example", "example.org.evil.example"),
        ("me@notexample.org", "notexample.org"),
        ("me@sub.example.org", "sub.example.org"),
        ("", None),
        ("@", None),
        ("me", None),
        ("me@", None),
        ("@example.org", None),
        ("me@@example.org", None),
        ("me@evil.example@example.org", None),
        ("me@example.org@evil.example", None),
        ("me example.org@example.org", None),
        ("me@example.org ", None),
        (" me@example.org", None),
        ("me@exa mple.org", None),
        ("me@example.org\n", None),
        ("m\u202ee@example.org", None),
    ],
)
def test_an_address_is_good_in_both_halves(address: str, domain: str | None) -> None:
    assert openid.domain_of(address) == domain
