"""Tokens of the API: how long they are valid, for what, and that only their hashes are kept."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from folkways_studio.database import audit, schema
from folkways_studio.errors import NotFoundError, SubmissionError, TokenError
from folkways_studio.people.sessions import SEEN_EVERY_SECONDS
from folkways_studio.programs import tokens
from folkways_studio.programs.records import Scope
from studio.tests.support.studies import ON_A_FILE, StudyFixture, open_study, stored
from tests.support.frozen_time import at_time

DAY = 86400.0
pytestmark = ON_A_FILE


def test_a_token_lasts_90_days_unless_something_else_is_said_and_a_year_at_most(study: StudyFixture) -> None:
    def lasts(**how: float) -> float:
        made, text = at_time(
            DAY, tokens.create_token, study.workspace, study.owner, study_id=study.record.id, **how
        )
        assert at_time(made.expires - 1, tokens.find_token, study.workspace, text).id == made.id
        with pytest.raises(TokenError, match="has expired"):
            at_time(made.expires, tokens.find_token, study.workspace, text)
        return made.expires - DAY

    assert lasts() == 90 * DAY
    for days in (0.01, 1, 366):
        assert lasts(days=days) == pytest.approx(days * DAY)
    for days in (0, -1, 366.01):
        with pytest.raises(SubmissionError, match="a token lasts up to 366 days"):
            lasts(days=days)
    made = tokens.list_tokens(study.workspace, study_id=study.record.id)
    assert [each.expires / DAY - 1 for each in made] == pytest.approx([366, 1, 0.01, 90]), "newest first"


def test_a_token_is_kept_as_a_hash_with_its_note_and_opens_what_it_says(study: StudyFixture) -> None:
    workspace, study_id = study.workspace, study.record.id
    made, text = tokens.create_token(
        workspace, study.owner, study_id=study_id, name=" x" * 99, by=study.owner
    )
    wide, _ = tokens.create_token(workspace, study.owner, study_id=None, scope=Scope.WRITE)
    assert text.startswith("folkways_") and len(text) == len("folkways_") + 43
    rows = stored(workspace, schema.tokens)
    assert text not in str(rows) and text.removeprefix("folkways_") not in str(rows)
    assert (made.scope, made.study_id, made.name) == ("read", study_id, f"x{' x' * 63} ")
    assert (wide.scope, wide.study_id, wide.name) == ("write", None, "")
    assert [each.id for each in tokens.list_tokens(workspace, study_id=study_id)] == [made.id]
    assert [each.id for each in tokens.list_tokens(workspace, study_id=None)] == [wide.id]
    (server_event,) = (each for each in audit.events(workspace, None) if each.kind == "token.created")
    assert (server_event.subject, server_event.details, server_event.account_id) == (
        f"token:{wide.id}", {"scope": "write", "account": study.owner}, None,
    ), "who runs the server made it for the account"  # fmt: skip
    (event,) = (each for each in audit.events(workspace, study_id) if each.kind == "token.created")
    assert (event.subject, event.details, event.account_id) == (
        f"token:{made.id}", {"scope": "read"}, study.owner,
    )  # fmt: skip


def test_when_a_token_was_used_is_written_down_now_and_then(study: StudyFixture) -> None:
    made, text = at_time(0.0, tokens.create_token, study.workspace, study.owner, study_id=study.record.id)
    assert made.used is None
    for at, used in (
        (10.0, 10.0), (10.0 + SEEN_EVERY_SECONDS, 10.0), (11.0 + SEEN_EVERY_SECONDS, 11.0 + SEEN_EVERY_SECONDS),
    ):  # fmt: skip
        at_time(at, tokens.find_token, study.workspace, text)
        assert stored(study.workspace, schema.tokens)[0]["used"] == used


def test_a_token_that_is_unknown_revoked_or_of_a_disabled_account_opens_nothing(study: StudyFixture) -> None:
    workspace, study_id = study.workspace, study.record.id
    other = open_study(workspace, [{"name": "verify", "kind": "vote"}], name="other")
    made, text = tokens.create_token(workspace, study.owner, study_id=study_id)
    _, second = tokens.create_token(workspace, study.owner, study_id=study_id)
    for wrong in ("", "folkways_", text[:-1], f"{text}x"):
        with pytest.raises(TokenError, match="is not known"):
            tokens.find_token(workspace, wrong)
    for elsewhere in (other.record.id, None):
        with pytest.raises(NotFoundError):
            tokens.revoke_token(workspace, made.id, study_id=elsewhere)
    with pytest.raises(NotFoundError):
        tokens.revoke_token(workspace, made.id + 9, study_id=study_id)
    assert tokens.find_token(workspace, text).id == made.id
    tokens.revoke_token(workspace, made.id, study_id=study_id, by=study.owner)
    with pytest.raises(TokenError, match="was revoked"):
        tokens.find_token(workspace, text)
    assert tokens.find_token(workspace, second).account_id == study.owner
    assert audit.events(workspace, study_id)[0].kind == "token.revoked"
    with workspace.write() as connection:
        connection.execute(sa.update(schema.accounts).filter_by(id=study.owner).values(disabled=True))
    with pytest.raises(TokenError, match="was revoked"):
        tokens.find_token(workspace, second)
