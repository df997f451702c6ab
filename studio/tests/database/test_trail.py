"""The audit trail: every action leaves the event that tells of it, whole and alone."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.activity import Event
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows
from folkways_studio.errors import StudioError
from folkways_studio.exports.archive import export_archive
from folkways_studio.items import discussion, imports
from folkways_studio.items import service as items
from folkways_studio.items.service import NewItem
from folkways_studio.media import service as media
from folkways_studio.people import accounts, invites, participants, password_links, personal, suspension
from folkways_studio.people.actors import actors_of
from folkways_studio.people.openid import Identity
from folkways_studio.programs import ml_backends, tokens, webhooks
from folkways_studio.records import Role, StudyState
from folkways_studio.studies import progress
from folkways_studio.studies import service as studies
from folkways_studio.work import (
    adjudications,
    assignments,
    blinding,
    corrections,
    gold,
    judgements,
    redaction,
)
from folkways_studio.workflows.definition import read_definition
from studio.tests.support.studies import (
    ON_A_FILE,
    PASSWORD,
    QUESTION,
    described,
    next_work,
    open_study,
    stored,
)
from tests.support.frozen_time import at_time

CRITERIA = [{"name": "years", "ask": "Years in the country?", "least": 5}]
STAGES = [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}]
POPULATIONS = [{"name": "korea", "culture": "KR", "criteria": CRITERIA}]
CLOCK = -1.0
"""Stands for the time on the clock, where an action is not told the time."""


def trail(workspace: Workspace, since: float) -> list[tuple[Any, ...]]:
    """Kind, study, account, participant, subject, details and time of every event."""
    rows = stored(workspace, schema.events)
    assert all(row["at"] <= time.time() for row in rows)
    names = ("kind", "study_id", "account_id", "participant_id", "subject", "details")
    return [(*(row[name] for name in names), CLOCK if row["at"] >= since else row["at"]) for row in rows]


@ON_A_FILE
def test_every_action_leaves_the_event_that_tells_of_it(studio_workspace: Workspace) -> None:
    workspace, since = studio_workspace, time.time()
    owner = accounts.create_account(workspace, "owner", None).id
    helper = accounts.create_account(workspace, "helper", None).id
    study = at_time(
        10.0,
        studies.create_study,
        workspace,
        read_definition(described(STAGES, populations=POPULATIONS)),
        owner=owner,
    )
    expected: list[tuple[Any, ...]] = [
        *(("account.created", None, None, None, f"account:{each}", {}, CLOCK) for each in (owner, helper)),
        ("study.created", study.id, owner, None, "", {}, 10.0),
        ("role.given", study.id, owner, None, f"account:{owner}", {"role": "owner"}, 10.0),
    ]

    def told(
        kind: str,
        account: int | None,
        person: int | None,
        subject: str = "",
        at: float = CLOCK,
        **details: Any,
    ) -> None:
        expected.append((kind, study.id, account, person, subject, details, at))

    studies.set_state(workspace, study.id, StudyState.OPEN, by=owner)
    told("study.open", owner, None)

    with pytest.raises(StudioError):  # what is refused leaves nothing
        items.add_items(workspace, study.id, "verify", [NewItem("q", {})], by=owner)
    first, second, third = at_time(
        11.0,
        items.add_items,
        workspace,
        study.id,
        "verify",
        [NewItem(key, QUESTION, "korea") for key in "abc"],
        by=owner,
    )
    told("items.added", owner, None, at=11.0, stage="verify", n=3)

    invite, token = at_time(12.0, invites.create_invite, workspace, study.id, population="korea", by=helper)
    told("invite.created", helper, None, at=12.0, role="annotator", population="korea")
    people = []
    for number in range(3):
        person = at_time(20.0 + number, participants.join, workspace, token)
        told(
            "role.given",
            None,
            None,
            f"account:{person.account_id}",
            at=20.0 + number,
            role="annotator",
            invitation=1,
        )
        told("participant.joined", None, person.id, at=20.0 + number)
        at_time(30.0 + number, participants.consent, workspace, person.id, study.consent_version)
        told(
            "participant.consented",
            None,
            person.id,
            at=30.0 + number,
            version=study.consent_version,
            language=None,
        )
        people.append(person.id)
    kim, lee, park = people
    for person_id, years, kind, failed in (
        (kim, "7", "eligible", []),
        (lee, "5", "eligible", []),
        (park, "4", "screened_out", ["years"]),
    ):
        participants.answer_eligibility(workspace, person_id, {"years": years})
        told(f"participant.{kind}", None, person_id, failed=failed)
    participants.waive_eligibility(workspace, study.id, park, "grew up there", by=owner)
    told("participant.waived", owner, park)

    invites.revoke_invite(workspace, study.id, invite.id, by=owner)
    told("invite.revoked", owner, None, f"invite:{invite.id}")

    numbers = []
    for person_id, choices, now in ((kim, [1], 40.0), (lee, [1], 41.0), (kim, [0], 42.0), (lee, [2], 43.0)):
        work = at_time(now, next_work, workspace, person_id)
        assert isinstance(work, assignments.Work)
        said = {"choices": choices, "comment": f"of {person_id}"}
        for _ in range(2):  # sent twice, told once
            found = at_time(
                now + 0.5, judgements.submit, workspace, person_id, work.assignment.id, said, f"k{now}"
            )
        numbers.append(found.judgement.id)
        subject = f"item:{work.item.id}"
        told(
            "judgement.submitted",
            None,
            person_id,
            subject,
            at=now + 0.5,
            judgement=numbers[-1],
            stage="verify",
        )
        if now == 41.0:
            told("item.done", None, None, f"item:{first.id}", at=41.5)
        if now == 43.0:
            told("item.dropped", None, None, f"item:{second.id}", at=43.5)

    at_time(
        50.0,
        adjudications.adjudicate,
        workspace,
        study.id,
        second.id,
        helper,
        {"gold": [0]},
        "they misread it",
    )
    told("item.adjudicated", helper, None, f"item:{second.id}", at=50.0)
    adjudications.adjudicate(workspace, study.id, third.id, owner, {}, "about no culture", drop=True)
    told("item.adjudicated", owner, None, f"item:{third.id}")
    redaction.redact(workspace, study.id, numbers[0], by=owner)
    told("answer.redacted", owner, None, f"judgement:{numbers[0]}", fields=["comment"], item=first.id)

    said_of_it = at_time(51.0, discussion.add_comment, workspace, study.id, first.id, owner, "Mend it?").id
    told("comment.added", owner, None, f"item:{first.id}", at=51.0, comment=said_of_it)
    for text in ("Mend it.", "Mend it."):  # the same once more changes nothing
        at_time(52.0, discussion.edit_comment, workspace, study.id, said_of_it, owner, text)
    told("comment.edited", owner, None, f"item:{first.id}", at=52.0, comment=said_of_it)
    for resolved, kind in ((True, "resolved"), (True, ""), (False, "reopened")):
        at_time(53.0, discussion.set_resolved, workspace, study.id, first.id, resolved, by=owner)
        if kind:
            told(f"discussion.{kind}", owner, None, f"item:{first.id}", at=53.0)
    at_time(54.0, discussion.delete_comment, workspace, study.id, said_of_it, owner)
    told("comment.deleted", owner, None, f"item:{first.id}", at=54.0, comment=said_of_it)

    at_time(55.0, media.add_media, workspace, study.id, {"bowl.png": ("image/png", b"a picture")}, by=owner)
    told("media.added", owner, None, at=55.0, n=1)
    at_time(56.0, media.delete_media, workspace, study.id, "bowl.png", by=owner)
    told(
        "media.deleted",
        owner,
        None,
        at=56.0,
        name="bowl.png",
        sha256=hashlib.sha256(b"a picture").hexdigest(),
    )

    participants.finish(workspace, kim)
    told("participant.finished", None, kim)
    at_time(60.0, participants.withdraw, workspace, study.id, lee, by=owner)
    told("participant.withdrawn", owner, lee, at=60.0)
    personal.delete_attributes(workspace, study.id, lee, by=owner)
    told("participant.attributes_deleted", owner, lee)

    staff = participants.add_staff(workspace, study.id, helper, Role.REVIEWER, by=owner)
    told("role.given", owner, None, f"account:{helper}", role="reviewer")
    accounts.give_role(workspace, study.id, helper, Role.REVIEWER, by=owner)
    accounts.give_role(workspace, study.id, helper, Role.EXPERT, by=owner)
    told("role.given", owner, None, f"account:{helper}", role="expert")
    accounts.take_role(workspace, study.id, staff.account_id, Role.REVIEWER, by=owner)
    told("role.taken", owner, None, f"account:{helper}", role="reviewer")

    studies.set_state(workspace, study.id, StudyState.CLOSED, by=owner)
    studies.set_state(workspace, study.id, StudyState.CLOSED, by=owner)  # it is closed already
    told("study.closed", owner, None)

    accounts.set_password(workspace, helper, PASSWORD)
    expected.append(("account.password_changed", None, helper, None, "", {}, CLOCK))
    for login, subject in (("helper", f"account:{helper}"), ("nobody", "")):
        assert at_time(70.0, accounts.verify_password, workspace, login, "a wrong guess") is None
        expected.append(("account.sign_in_failed", None, None, None, subject, {}, 70.0))
    assert trail(workspace, since) == expected
    told_of_a_study = {kind for kind, of, *_ in expected if of is not None}
    assert told_of_a_study <= {*webhooks.KINDS}, "a webhook can be for each of them"


@ON_A_FILE
def test_programs_imports_and_second_thoughts_leave_their_events(studio_workspace: Workspace) -> None:
    workspace, since = studio_workspace, time.time()
    criteria = [{"name": "home", "ask": "Where did you grow up?", "accept": ["Peru"]}]
    study = open_study(
        workspace,
        [
            *STAGES,
            {**STAGES[0], "name": "pair", "role": "reviewer"},
            {"name": "localise", "kind": "localise", "role": "reviewer", "for_each_population": False},
        ],
        populations=[
            {"name": "korea", "culture": "KR"},
            {"name": "peru", "culture": "PE", "criteria": criteria},
        ],
        models={"suggester": "small"},
    )
    study_id, owner = study.record.id, study.owner
    study.add("verify", [QUESTION])
    (second,) = study.add("pair", [QUESTION], None)
    study.add("localise", [{"template": "What is eaten in your country?", "category": "Food"}], None)
    kim, reviewer, waits = study.person(), study.person(role=Role.REVIEWER), study.person("peru")
    work = study.answer(kim, {"choices": [0]}, "verify")
    began = len(trail(workspace, since))

    corrected = corrections.correct(workspace, kim.id, work.assignment.id, {"choices": [1]}, "again")
    blinding.look(workspace, study_id, reviewer.account_id, second)
    participants.answer_eligibility(workspace, waits.id, {"home": "on a ship"})
    participants.settle_waiting(workspace, study_id, waits.id, let_in=True, by=owner)
    job = imports.begin(workspace, study_id, "verify", "more.csv", content=b"item", by=owner)
    imports.cancel(workspace, study_id, job.id, by=owner)
    token, _ = tokens.create_token(workspace, owner, study_id=study_id, by=owner)
    tokens.revoke_token(workspace, token.id, study_id=study_id, by=owner)
    hook, _ = webhooks.create_webhook(workspace, study_id, "https://example.org/", by=owner)
    webhooks.delete_webhook(workspace, study_id, hook.id, by=owner)
    address = "https://example.org/ml"
    backend = ml_backends.create_backend(workspace, study_id, "verify", "m", address, private=False, by=owner)
    ml_backends.delete_backend(workspace, study_id, backend.id, by=owner)
    ml_backends.begin_suggesting(workspace, study_id, "localise", by=owner)

    item, by_owner = f"item:{work.item.id}", (study_id, owner, None)
    expected = [
        ("judgement.corrected", study_id, None, kim.id, item, {"judgement": corrected.id, "stage": "verify"}),
        ("item.looked_at", study_id, reviewer.account_id, None, f"item:{second}", {}),
        ("participant.waiting", study_id, None, waits.id, "", {"failed": ["home"]}),
        ("participant.let_in", study_id, owner, waits.id, "", {}),
        ("import.cancelled", *by_owner, "", {"stage": "verify", "n": 0, "import": job.id}),
        ("token.created", *by_owner, f"token:{token.id}", {"scope": "read"}),
        ("token.revoked", *by_owner, f"token:{token.id}", {}),
        ("webhook.created", *by_owner, f"webhook:{hook.id}", {}),
        ("webhook.deleted", *by_owner, f"webhook:{hook.id}", {}),
        ("backend.created", *by_owner, f"backend:{backend.id}", {}),
        ("backend.deleted", *by_owner, f"backend:{backend.id}", {}),
        ("backend.suggest", *by_owner, "", {}),
    ]
    assert trail(workspace, since)[began:] == [(*event, CLOCK) for event in expected]


@ON_A_FILE
def test_what_is_done_with_a_study_and_around_it_leaves_its_events(studio_workspace: Workspace) -> None:
    workspace, since = studio_workspace, time.time()
    study = open_study(workspace, STAGES)
    study_id, owner, kim = study.record.id, study.owner, study.person()
    (item,) = study.add("verify", [QUESTION])
    hook, _ = webhooks.create_webhook(workspace, study_id, "https://example.org/", by=owner)
    address = "https://example.org/ml"
    backend = ml_backends.create_backend(workspace, study_id, "verify", "m", address, private=False, by=owner)
    with workspace.write() as connection:  # as after failures
        change_rows(connection, schema.webhooks, {"id": hook.id}, enabled=False)
    began = len(trail(workspace, since))

    studies.set_state(workspace, study_id, StudyState.PAUSED, by=owner)
    for discussed in (False, True):
        export_archive(workspace, study_id, "csv", discussion=discussed, by=owner)
    webhooks.enable_webhook(workspace, study_id, hook.id, by=owner)
    adjudications.drop(workspace, study_id, item, owner, "about no culture")
    adjudications.reopen(workspace, study_id, item, owner, " it is about one ")
    personal.look_up_attributes(workspace, study_id, kim.id, by=owner)
    paid = progress.read_payments(workspace, study_id, by=owner)
    for work in ("predict", "train"):
        job = ml_backends.begin_job(workspace, study_id, backend.id, work, by=owner)
        ml_backends.cancel_job(workspace, study_id, job.id)
    accounts.set_disabled(workspace, kim.account_id, disabled=True)
    accounts.set_disabled(workspace, kim.account_id, disabled=False)
    password_links.make_link(workspace, owner, by=owner)
    identity = Identity("https://id.example.org", "7", "new@example.org", "New")
    linked = accounts.account_of_identity(workspace, identity, create=True)
    assert linked is not None

    by_owner, exported = (study_id, owner, None), {"format": "csv"}
    expected = [
        ("study.paused", *by_owner, "", {}),
        ("study.exported", *by_owner, "", exported),
        ("study.exported", *by_owner, "", {**exported, "discussion": True}),
        ("webhook.enabled", *by_owner, f"webhook:{hook.id}", {}),
        ("item.adjudicated", *by_owner, f"item:{item}", {}),
        ("item.reopened", *by_owner, f"item:{item}", {"reason": "it is about one"}),
        ("participant.attributes_read", study_id, owner, kim.id, "", {}),
        ("payments.read", *by_owner, "", {"n": len(paid)}),
        ("backend.predict", *by_owner, f"backend:{backend.id}", {}),
        ("backend.train", *by_owner, f"backend:{backend.id}", {}),
        ("account.disabled", None, None, None, f"account:{kim.account_id}", {}),
        ("account.enabled", None, None, None, f"account:{kim.account_id}", {}),
        ("account.password_link_made", None, owner, None, f"account:{owner}", {}),
        ("account.created", None, None, None, f"account:{linked.id}", {}),
        ("account.linked", None, linked.id, None, "", {}),
    ]
    assert trail(workspace, since)[began:] == [(*event, CLOCK) for event in expected]


@ON_A_FILE
def test_what_is_so_already_leaves_no_event(studio_workspace: Workspace) -> None:
    workspace = studio_workspace
    study = open_study(workspace, STAGES, populations=POPULATIONS)
    study_id, owner = study.record.id, study.owner
    helper = accounts.create_account(workspace, "helper", None).id
    token, _ = tokens.create_token(workspace, owner, study_id=study_id, by=owner)
    invite, _ = invites.create_invite(workspace, study_id, population="korea", by=owner)
    hook, _ = webhooks.create_webhook(workspace, study_id, "https://example.org/", by=owner)
    changes: dict[str, Callable[[], object]] = {
        "role.given": lambda: accounts.give_role(workspace, study_id, helper, Role.EXPERT, by=owner),
        "role.taken": lambda: accounts.take_role(workspace, study_id, helper, Role.EXPERT, by=owner),
        "token.revoked": lambda: tokens.revoke_token(workspace, token.id, study_id=study_id, by=owner),
        "invite.revoked": lambda: invites.revoke_invite(workspace, study_id, invite.id, by=owner),
        "webhook.enabled": lambda: webhooks.enable_webhook(workspace, study_id, hook.id, by=owner),
        "study.paused": lambda: studies.set_state(workspace, study_id, StudyState.PAUSED, by=owner),
        "account.disabled": lambda: accounts.set_disabled(workspace, helper, disabled=True),
        "account.enabled": lambda: accounts.set_disabled(workspace, helper, disabled=False),
    }
    for change in changes.values():
        change()
        change()
    kinds = [row["kind"] for row in stored(workspace, schema.events)]
    expected = {kind: int(kind != "webhook.enabled") for kind in changes}  # it is on from the beginning
    assert {kind: kinds.count(kind) - (kind == "role.given") for kind in changes} == expected


@ON_A_FILE
def test_the_log_names_staff_and_of_others_the_pseudonym(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, STAGES, populations=POPULATIONS)
    helper = accounts.create_account(studio_workspace, "helper", None, name="Mina").id
    accounts.give_role(studio_workspace, study.record.id, helper, Role.RESEARCHER, by=study.owner)
    invites.create_invite(studio_workspace, study.record.id, Role.EXPERT, by=helper)
    accounts.take_role(studio_workspace, study.record.id, helper, Role.RESEARCHER, by=study.owner)
    person = study.person()
    events = audit.events(studio_workspace, study.record.id)
    actors = actors_of(studio_workspace, events)
    named = {each.kind: (actors.name(each.account_id), actors.subject(each)) for each in reversed(events)}
    owner = actors.name(study.owner)
    assert named["role.taken"] == (owner, "helper")
    assert named["invite.created"][0] is None, "the invitation of the person was made by nobody"
    assert ("Mina", "") in [(actors.name(each.account_id), each.subject) for each in events]
    assert named["role.given"] == (None, f"account:{person.account_id}"), "whose account it is stays unknown"
    assert actors.pseudonyms == {person.id: person.pseudonym}
    personal.delete_attributes(studio_workspace, study.record.id, person.id, by=study.owner)
    with studio_workspace.write() as connection:
        change_rows(connection, schema.accounts, {"id": helper}, login=None, name="")
    assert actors_of(studio_workspace, events).name(helper) == f"account:{helper}", "of somebody erased"


@ON_A_FILE
def test_known_answers_leave_their_events(studio_workspace: Workspace) -> None:
    workspace, since = studio_workspace, time.time()
    rules = [{"then": "warn", "below": 0.9, "after": 1}, {"then": "pause", "below": 0.7, "after": 5}]
    stage = {**STAGES[0], "qualification": {"questions": 1, "tries": 2}, "gold": {"every": 2, "rules": rules}}
    owner = accounts.create_account(workspace, "owner", None).id
    study = studies.create_study(workspace, read_definition(described([stage])), owner=owner)
    studies.set_state(workspace, study.id, StudyState.OPEN)
    right = {"choices": [0]}
    new = [NewItem(f"t{number}", QUESTION, "korea", right, True) for number in range(2)]
    new += [NewItem(f"g{number}", QUESTION, "korea", right) for number in range(5)]
    first, *_ = items.add_items(
        workspace, study.id, "verify", [NewItem(f"q{number}", QUESTION, "korea") for number in range(9)]
    )
    items.add_items(workspace, study.id, "verify", new)
    _, token = invites.create_invite(workspace, study.id, population="korea")
    kim = participants.consent(workspace, participants.join(workspace, token).id, study.consent_version).id
    began = len(trail(workspace, since))
    for choices in ([1], [0], *[[1]] * 10):  # the test twice, then at most five known answers among ten
        work = next_work(workspace, kim)
        if isinstance(work, assignments.Work):
            judgements.submit(
                workspace, kim, work.assignment.id, {"choices": choices}, f"k{work.assignment.id}"
            )
    suspension.resume(workspace, study.id, kim, "we talked", by=owner)
    suspension.waive_test(workspace, study.id, kim, "verify", "because", by=owner)
    at_time(4.0, adjudications.adjudicate, workspace, study.id, first.id, owner, {"gold": [1]}, "because")
    made = at_time(5.0, gold.make_gold, workspace, study.id, first.id, by=owner)
    at_time(6.0, gold.drop_gold, workspace, study.id, made.id, "because", by=owner)
    told = [event for event in trail(workspace, since)[began:] if event[0] != "judgement.submitted"]
    about = (study.id, None, kim, "")
    ours = (study.id, owner, None, f"item:{made.id}")
    test = {"stage": "verify", "asked": 1}
    assert told == [
        ("participant.test_failed", *about, {**test, "right": 0, "try": 1}, CLOCK),
        ("participant.test_passed", *about, {**test, "right": 1, "try": 2}, CLOCK),
        ("participant.warned", *about, {"stage": "verify", "right": 0, "asked": 2}, CLOCK),
        ("participant.paused", *about, {"why": "0 of 5 known answers right in verify"}, CLOCK),
        ("participant.resumed", study.id, owner, kim, "", {}, CLOCK),
        ("participant.test_waived", study.id, owner, kim, "", {"stage": "verify"}, CLOCK),
        ("item.adjudicated", study.id, owner, None, f"item:{first.id}", {}, 4.0),
        ("item.gold_made", *ours, {"stage": "verify", "test": False}, 5.0),
        ("item.gold_dropped", *ours, {}, 6.0),
    ]


@ON_A_FILE
def test_the_trail_of_a_study_is_read_page_by_page_from_its_end(studio_workspace: Workspace) -> None:
    with studio_workspace.write() as connection:
        accounts_, two_studies = schema.accounts, schema.studies
        connection.execute(sa.insert(accounts_).values(name="a", locale="en", created=0.0, disabled=False))
        for name in ("one", "two"):
            values = {
                "name": name,
                "title": name,
                "workflow": "own",
                "state": "open",
                "definition": {},
                "licence": "CC0-1.0",
            }
            connection.execute(
                sa.insert(two_studies).values(**values, consent_text="", consent_version="", created=0.0)
            )
        for number in range(1, 206):
            at_time(float(number), audit.record_event, connection, f"kind-{number}", study_id=1 + number % 2)
        at_time(300.0, audit.record_event, connection, "of no study")
    newest = audit.events(studio_workspace, 1)
    assert [event.at for event in newest] == [float(number) for number in range(204, 4, -2)]
    assert newest[0] == Event(204, 1, None, None, "kind-204", "", {}, 204.0)
    assert [event.at for event in audit.events(studio_workspace, 1, before=newest[-1].id)] == [4.0, 2.0]
    assert [event.at for event in audit.events(studio_workspace, 2, before=6, limit=2)] == [5.0, 3.0]
