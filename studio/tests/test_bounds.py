"""Limits of services, each at it and one beyond it, in numbers written by hand: what is told where a limit is
shown has to be what is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.items import discussion
from folkways_studio.items.preannotations import NewPreAnnotation, checked_suggestion
from folkways_studio.items.table import TableView, save_filter
from folkways_studio.people import accounts, invites, participants, suspension
from folkways_studio.people.participants import ReturnError
from folkways_studio.people.personal import own_attributes
from folkways_studio.programs import ml_backends, tokens, webhooks
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work import corrections, drafts, judgements
from studio.tests.support.studies import QUESTION, StudyFixture, content_of, filled, new_workspace, open_study

STAGE = {"name": "verify", "kind": "vote", "answers": 2, "majority": 2}
ADDRESS = "http://127.0.0.1:9/"
Action = Callable[[StudyFixture, Any], object]


@pytest.fixture(scope="module")
def study_and_content(tmp_path_factory: pytest.TempPathFactory) -> tuple[StudyFixture, bytes]:
    """A study with two items and a person, and what its workspace holds."""
    study = open_study(new_workspace(tmp_path_factory.mktemp("bounds") / "studio.db"), [STAGE])
    study.add("verify", [QUESTION, QUESTION])
    study.person()
    return study, content_of(study.workspace)


@pytest.fixture
def study(study_and_content: tuple[StudyFixture, bytes]) -> StudyFixture:
    study, content = study_and_content
    filled(study.workspace, content)
    return study


def token(study: StudyFixture, days: float) -> None:
    tokens.create_token(study.workspace, study.owner, study_id=study.record.id, days=days)


def login(study: StudyFixture, length: int) -> None:
    accounts.create_account(study.workspace, "a" * length, None)


def password(study: StudyFixture, length: int) -> None:
    accounts.create_account(study.workspace, "somebody", "p" * length)


def comment(study: StudyFixture, length: int) -> None:
    discussion.add_comment(study.workspace, study.record.id, 1, study.owner, "c" * length)


def comments(study: StudyFixture, number: int) -> None:
    row = {
        "item_id": 1,
        "account_id": study.owner,
        "role": "owner",
        "text": "c",
        "history": [],
        "created": 1.0,
    }
    with study.workspace.write() as connection:
        connection.execute(sa.insert(schema.comments), [row] * (number - 1))
    discussion.add_comment(study.workspace, study.record.id, 1, study.owner, "the last one")


def edits(study: StudyFixture, number: int) -> None:
    first = discussion.add_comment(study.workspace, study.record.id, 1, study.owner, "first")
    for each in range(number):
        discussion.edit_comment(study.workspace, study.record.id, first.id, study.owner, f"change {each}")


def suggestion(**fields: Any) -> Action:
    """An action that checks a suggestion with one of its fields made of a number of letters, or a number."""
    ((name, make),) = fields.items()

    def check(study: StudyFixture, size: float) -> None:
        new = NewPreAnnotation(**{"model": "m", "answer": {"choices": [0]}, name: make(size)})
        checked_suggestion(new, stage_kind("vote"), QUESTION, {})

    return check


def filter_name(study: StudyFixture, length: int) -> None:
    save_filter(study.workspace, study.record.id, "n" * length, TableView())


def filter_length(study: StudyFixture, length: int) -> None:
    save_filter(study.workspace, study.record.id, "long", TableView(q="w" * (length - len("q="))))


def filters(study: StudyFixture, number: int) -> None:
    for each in range(number):
        save_filter(study.workspace, study.record.id, f"filter {each}", TableView())
    save_filter(study.workspace, study.record.id, "filter 0", TableView(q="replaced"))


def hooks(study: StudyFixture, number: int) -> None:
    for _ in range(number):
        webhooks.create_webhook(study.workspace, study.record.id, ADDRESS)


def backend_name(study: StudyFixture, length: int) -> None:
    ml_backends.create_backend(study.workspace, study.record.id, "verify", "m" * length, ADDRESS)


def backends(study: StudyFixture, number: int) -> None:
    for each in range(number):
        ml_backends.create_backend(study.workspace, study.record.id, "verify", f"model {each}", ADDRESS)


def form_key(study: StudyFixture, length: int) -> None:
    person = study.people()[0]
    work = study.work(person)
    judgements.submit(study.workspace, person.id, work.assignment.id, {"choices": [1]}, "k" * length)


def draft(study: StudyFixture, size: int) -> None:
    person = study.people()[0]
    work = study.work(person)
    content = {"comment": "d" * (size - len('{"comment":""}'))}
    drafts.save_draft(study.workspace, person.id, work.assignment.id, content, 0)


def corrected(study: StudyFixture, number: int) -> None:
    person = study.people()[0]
    work = study.answer(person, {"choices": [0]})
    for each in range(number):
        submission = {"choices": [(each + 1) % 2]}
        corrections.correct(study.workspace, person.id, work.assignment.id, submission, f"again {each}")


LIMITS: list[tuple[Action, Any, Any, type[Exception]]] = [
    (token, 366, 366.01, SubmissionError),
    (token, 0.001, 0, SubmissionError),
    (login, 256, 257, SubmissionError),
    (login, 1, 0, SubmissionError),
    (password, 10, 9, SubmissionError),
    (password, 1024, 1025, SubmissionError),
    (comment, 4000, 4001, SubmissionError),
    (comment, 1, 0, SubmissionError),
    (comments, 200, 201, ConflictError),
    (edits, 20, 21, ConflictError),
    (suggestion(model=lambda length: "m" * length), 256, 257, SubmissionError),
    (suggestion(model=lambda length: "m" * length), 1, 0, SubmissionError),
    (suggestion(version=lambda length: "v" * length), 128, 129, SubmissionError),
    (suggestion(score=float), 1, 1.001, SubmissionError),
    (suggestion(score=float), 0, -0.001, SubmissionError),
    (filter_name, 60, 61, SubmissionError),
    (filter_name, 1, 0, SubmissionError),
    (filter_length, 2000, 2001, ConflictError),
    (filters, 50, 51, ConflictError),
    (hooks, 20, 21, ConflictError),
    (backend_name, 256, 257, SubmissionError),
    (backend_name, 1, 0, SubmissionError),
    (backends, 20, 21, ConflictError),
    (form_key, 64, 65, SubmissionError),
    (form_key, 1, 0, SubmissionError),
    (draft, 200_000, 200_001, SubmissionError),
    (corrected, 50, 51, ConflictError),
]


@pytest.mark.parametrize(("action", "at", "beyond", "error"), LIMITS)
def test_what_is_at_a_limit_is_taken_and_what_is_beyond_it_is_not(
    study: StudyFixture,
    action: Action,
    at: Any,
    beyond: Any,
    error: type[Exception],
    study_and_content: tuple[StudyFixture, bytes],
) -> None:
    action(study, at)
    filled(study.workspace, study_and_content[1])
    with pytest.raises(error):
        action(study, beyond)


def test_what_is_cut_to_its_limit(study: StudyFixture) -> None:
    """Names that people have elsewhere, and reasons: nobody is turned away for their length."""
    workspace, study_id = study.workspace, study.record.id
    assert accounts.create_account(workspace, "named", None, name="n" * 257).name == "n" * 256
    person = suspension.exclude(workspace, study_id, study.people()[0].id, "r" * 1001, by=study.owner)
    assert person.exclusion == "r" * 1000
    _, link = invites.create_invite(workspace, study_id, population="korea")
    joined = participants.join(
        workspace, link, external={"prolific_pid": "1" * 2001, "unknown": "x"}, signed=True
    )
    assert own_attributes(workspace, joined.id) == {"prolific_pid": "1" * 2000}


def test_whoever_comes_back_by_a_link_of_a_service_proves_who_they_are(study: StudyFixture) -> None:
    """An address alone, which others can know, is no proof."""
    _, link = invites.create_invite(study.workspace, study.record.id, population="korea")
    first = participants.join(study.workspace, link, external={"prolific_pid": "P"})
    participants.consent(study.workspace, first.id, study.record.consent_version)
    study.answer(first, {"choices": [1]})
    with pytest.raises(ReturnError):
        participants.join(study.workspace, link, external={"prolific_pid": "P"})
    code = own_attributes(study.workspace, first.id)["return_code"]
    proofs: list[dict[str, Any]] = [{"signed": True}, {"browser": first.account_id}, {"code": code}]
    for proof in proofs:
        assert (
            participants.join(study.workspace, link, external={"prolific_pid": "P"}, **proof).id == first.id
        )
