"""Links for a new password: once, not for long, and no way into a study of somebody else."""

from __future__ import annotations

from typing import Any

import pytest

from folkways_studio.database import schema
from folkways_studio.errors import InviteError, NotAllowedError, NotFoundError, SubmissionError
from folkways_studio.people import accounts, password_links, sessions
from folkways_studio.records import Role
from studio.tests.support.studies import ON_A_FILE, StudyFixture, open_study, stored
from tests.support.frozen_time import at_time

pytestmark = ON_A_FILE
NEW = "quite another password"


def test_a_link_changes_the_password_once_and_signs_out_everywhere(study: StudyFixture) -> None:
    workspace = study.workspace
    account = accounts.create_account(workspace, "me@example.org", None)
    session = sessions.open_session(workspace, account.id)
    older = password_links.make_link(workspace, account.id)
    token = password_links.make_link(workspace, account.id)
    with pytest.raises(InviteError):
        password_links.account_of_link(workspace, older)  # the newest alone works
    assert token not in str(stored(workspace, schema.password_links))
    with pytest.raises(SubmissionError):
        password_links.use_link(workspace, token, "short")
    assert password_links.use_link(workspace, token, NEW).id == account.id
    assert accounts.verify_password(workspace, "me@example.org", NEW)
    assert sessions.find_session(workspace, session) is None
    with pytest.raises(InviteError):
        password_links.use_link(workspace, token, NEW)
    assert stored(workspace, schema.password_links) == []


def test_a_link_ends(study: StudyFixture) -> None:
    account = accounts.create_account(study.workspace, "me@example.org", None)
    token = at_time(1000.0, password_links.make_link, study.workspace, account.id, hours=1)
    assert at_time(4599.0, password_links.account_of_link, study.workspace, token).id == account.id
    for when in (4600.0, None):
        with pytest.raises(InviteError):
            at_time(when, password_links.use_link, study.workspace, token, NEW)


def test_an_owner_makes_links_for_people_of_their_studies_alone(study: StudyFixture) -> None:
    workspace = study.workspace
    other = open_study(workspace, [{"name": "verify", "kind": "vote"}], name="other")
    reviewer = accounts.create_account(workspace, "reviewer@example.org", None)
    accounts.give_role(workspace, study.record.id, reviewer.id, Role.REVIEWER)
    assert password_links.make_link(workspace, reviewer.id, by=study.owner)
    accounts.give_role(workspace, other.record.id, reviewer.id, Role.REVIEWER)
    with pytest.raises(NotAllowedError, match="a study that is not yours"):
        password_links.make_link(workspace, reviewer.id, by=study.owner)
    assert password_links.make_link(workspace, reviewer.id)  # whoever runs the server may


@pytest.mark.parametrize(
    ("by", "since", "works"),
    [
        ("owner", "nothing", True),
        ("owner", "joined a study of others", False),
        ("owner", "is no owner any more", False),
        ("owner", "joined another study of theirs", True),
        ("themselves", "joined a study of others", True),
        ("server", "joined a study of others", True),
    ],
)
def test_a_link_that_an_owner_made_opens_no_study_that_came_later(
    study: StudyFixture, by: str, since: str, works: bool
) -> None:
    workspace = study.workspace
    other = open_study(workspace, [{"name": "verify", "kind": "vote"}], name="other")
    reviewer = accounts.create_account(workspace, "reviewer@example.org", None)
    accounts.give_role(workspace, study.record.id, reviewer.id, Role.REVIEWER)
    maker = {"owner": study.owner, "themselves": reviewer.id, "server": None}[by]
    token = password_links.make_link(workspace, reviewer.id, by=maker)
    if since.startswith("joined"):
        accounts.give_role(workspace, other.record.id, reviewer.id, Role.REVIEWER)
    if since == "joined another study of theirs":
        accounts.give_role(workspace, other.record.id, study.owner, Role.OWNER)
    if since == "is no owner any more":
        accounts.give_role(workspace, study.record.id, other.owner, Role.OWNER)
        accounts.take_role(workspace, study.record.id, study.owner, Role.OWNER)
    if works:
        assert password_links.account_of_link(workspace, token).id == reviewer.id
        assert password_links.use_link(workspace, token, NEW).id == reviewer.id
        return
    with pytest.raises(InviteError, match="too old"):  # before a password is thought of
        password_links.account_of_link(workspace, token)
    with pytest.raises(InviteError, match="too old"):
        password_links.use_link(workspace, token, NEW)
    assert accounts.verify_password(workspace, "reviewer@example.org", NEW) is None


def test_of_two_windows_with_one_link_the_first_sets_the_password(
    study: StudyFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = accounts.create_account(study.workspace, "kim@example.org", None)
    token, set_password = password_links.make_link(study.workspace, account.id), accounts.set_password

    def set_later(*given: Any, **named: Any) -> None:
        monkeypatch.setattr(accounts, "set_password", set_password)
        password_links.use_link(study.workspace, token, NEW)
        set_password(*given, **named)

    monkeypatch.setattr(accounts, "set_password", set_later)
    with pytest.raises(InviteError, match="has been used"):
        password_links.use_link(study.workspace, token, "another password of a thief")
    assert accounts.verify_password(study.workspace, "kim@example.org", NEW) is not None


def test_people_without_a_login_have_no_password_to_change(study: StudyFixture) -> None:
    with pytest.raises(NotFoundError):
        password_links.make_link(study.workspace, study.person().account_id)
    with pytest.raises(InviteError):
        password_links.account_of_link(study.workspace, "nonsense")
