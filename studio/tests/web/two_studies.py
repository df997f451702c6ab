"""Two studies with one person of every kind, for trying who may do what."""

from __future__ import annotations

from dataclasses import dataclass

from folkways.workspace.database import Workspace
from folkways_studio.items import discussion, imports
from folkways_studio.items import service as items
from folkways_studio.items.service import NewItem
from folkways_studio.media import service as media
from folkways_studio.people import accounts, invites, participants
from folkways_studio.programs import ml_backends, tokens, webhooks
from folkways_studio.records import Participant, Role, Study, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.work import assignments, judgements
from folkways_studio.workflows.definition import read_definition
from studio.tests.support.studies import QUESTION, described, next_work

ANONYMOUS, STRANGER = "anonymous", "signed in, in no study"
OWNER, RESEARCHER, REVIEWER, EXPERT = "owner", "researcher", "reviewer", "expert"
PERSON, OTHER_PERSON = "participant", "another participant of the study"
OTHER_OWNER, OTHER_STUDY_PERSON = "owner of another study", "participant of another study"


@dataclass
class TwoStudies:
    """Two studies with one person of each kind; accounts by kind."""

    workspace: Workspace
    study: Study
    other: Study
    accounts: dict[str, int]
    person: Participant
    stranger_login: str
    values: dict[str, str]


STAGE = {"name": "verify", "kind": "vote", "manual": "verification/verify", "training": False}


def new_account(workspace: Workspace, login: str) -> int:
    return accounts.create_account(workspace, login, None).id


def joined(workspace: Workspace, study: Study) -> Participant:
    _, token = invites.create_invite(workspace, study.id, population="korea")
    person = participants.join(workspace, token)
    return participants.consent(workspace, person.id, study.consent_version)


def make_study(workspace: Workspace, name: str, owner: int) -> Study:
    definition = read_definition(described([STAGE], name=name))
    study = studies.create_study(workspace, definition, owner=owner)
    items.add_items(
        workspace, study.id, "verify", [NewItem(f"q{number}", QUESTION, "korea") for number in range(3)]
    )
    media.add_media(workspace, study.id, {f"{name}.png": ("image/png", b"a picture")})
    return studies.set_state(workspace, study.id, StudyState.OPEN)


def build_two_studies(workspace: Workspace, number: int) -> TwoStudies:
    """The two studies; ``number`` keeps their names apart from those of others."""
    login = f"stranger-{number}"
    accounts_of = {
        STRANGER: new_account(workspace, login),
        OWNER: new_account(workspace, f"owner-{number}"),
        OTHER_OWNER: new_account(workspace, f"other-{number}"),
    }
    study = make_study(workspace, f"mine-{number}", accounts_of[OWNER])
    other = make_study(workspace, f"other-{number}", accounts_of[OTHER_OWNER])
    for kind, role in ((RESEARCHER, Role.RESEARCHER), (REVIEWER, Role.REVIEWER), (EXPERT, Role.EXPERT)):
        accounts_of[kind] = new_account(workspace, f"{role}-{number}")
        if role == Role.RESEARCHER:
            accounts.give_role(workspace, study.id, accounts_of[kind], role)
        else:
            participants.add_staff(workspace, study.id, accounts_of[kind], role)
    person, second, third = joined(workspace, study), joined(workspace, study), joined(workspace, other)
    accounts_of |= {
        PERSON: person.account_id,
        OTHER_PERSON: second.account_id,
        OTHER_STUDY_PERSON: third.account_id,
    }
    work = next_work(workspace, person.id)
    assert isinstance(work, assignments.Work)
    second_work = next_work(workspace, second.id)
    assert isinstance(second_work, assignments.Work)
    said = {"choices": [1], "comment": "as we do at home"}
    answer = judgements.submit(
        workspace, second.id, second_work.assignment.id, said, "key-of-the-answer"
    ).judgement
    comment = discussion.add_comment(
        workspace, study.id, work.item.id, accounts_of[REVIEWER], QUESTION["question"]
    )
    invite, token = invites.create_invite(workspace, study.id, population="korea")
    api_token, _ = tokens.create_token(workspace, accounts_of[OWNER], study_id=study.id)
    backend = ml_backends.create_backend(
        workspace, study.id, "verify", "toner", "https://example.org/ml", private=False
    )
    job = ml_backends.begin_job(workspace, study.id, backend.id, "predict")
    ml_backends.cancel_job(workspace, study.id, job.id)
    hook, _ = webhooks.create_webhook(
        workspace, study.id, "http://127.0.0.1:9/", ["study.created"]
    )  # which is never told
    values = {
        "api_token": str(api_token.id),
        "webhook": str(hook.id),
        "backend": str(backend.id),
        "job": str(job.id),
        "study": study.name,
        "token": token,
        "assignment": str(work.assignment.id),
        "person": str(person.id),
        "invite": str(invite.id),
        "item": str(work.item.id),
        "answer": str(answer.id),
        "template": "norms",
        "stage": "verify",
        "file": f"{study.name}.png",
        "import": str(imports.begin(workspace, study.id, "verify", "table.csv").id),
        "comment": str(comment.id),
    }
    return TwoStudies(workspace, study, other, accounts_of, person, login, values)
