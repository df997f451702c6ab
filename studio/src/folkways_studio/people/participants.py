"""People in a study: joining, consent, eligibility, leaving. What is personal about them lies apart
(``services.personal``)."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import (
    change_rows,
    count,
    find_row,
    get_row,
    inserted,
    inserted_id,
    read_all,
)
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.people import accounts
from folkways_studio.people.eligibility import failed_criteria, unclear_criteria
from folkways_studio.people.invites import usable_invite
from folkways_studio.people.personal import (
    change_participant,
    participant_of,
    participant_within,
    write_attributes,
)
from folkways_studio.people.returning import RETURN_CODE, find_returning, new_return_code
from folkways_studio.records import Participant, ParticipantState, Population, Role, StudyState, from_row
from folkways_studio.work.leases import free_leases
from folkways_studio.work.resolution import apply_rule_to_answers_of
from folkways_studio.workflows.wordings import StudyTexts

EXTERNAL = ("prolific_pid", "prolific_study", "prolific_session")
"""Attributes that say how a recruitment service knows a person."""

LONGEST_ATTRIBUTE = 2000


def join(
    workspace: Workspace,
    token: str,
    account_id: int | None = None,
    *,
    make_account: accounts.MakeAccount | None = None,
    external: Mapping[str, str] | None = None,
    signed: bool = False,
    browser: int | None = None,
    code: str = "",
    locale: str = "",
) -> Participant:
    """Come into a study by an invitation; the same account, or the same external person, comes back to the
    same participant.

    account_id: None makes an account, by ``make_account`` or else without login, for somebody who comes by a
    recruitment service; none is left of who could not come in. external: attributes by name (EXTERNAL), which
    are personal; ``signed``: the service vouches for them. browser: the account that is signed in where the
    request comes from; code: the person's RETURN_CODE. Raises InviteError; ReturnError where somebody comes
    as an external person who has begun, and neither signature, browser nor code shows that it is them;
    ConflictError where the study is closed or the person has withdrawn.
    """
    external = {
        name: value[:LONGEST_ATTRIBUTE]
        for name, value in (external or {}).items()
        if name in EXTERNAL and value
    }
    with workspace.write() as connection:
        back = find_returning(
            connection, token, account_id, external, sure=signed, browser=browser, code=code
        )
        if back is not None:
            return back
        invite = usable_invite(connection, token)
        state = connection.scalar(sa.select(schema.studies.c.state).filter_by(id=invite.study_id))
        if state == StudyState.CLOSED:
            raise ConflictError("this study is closed; thank you for your interest")
        if account_id is None:
            make_account = make_account or (
                lambda connection: accounts.insert_account(connection, None, None, "", locale)
            )
            account_id = make_account(connection)
        row = {
            "study_id": invite.study_id,
            "account_id": account_id,
            "population_id": invite.population_id,
            "pseudonym": f"p-{secrets.token_hex(6)}",
            "state": ParticipantState.JOINED,
            "source": "prolific" if "prolific_pid" in external else "invite",
            "joined": time.time(),
        }
        participant_id = inserted_id(connection, schema.participants, row)
        accounts.grant(connection, invite.study_id, account_id, Role(invite.role), invitation=invite.id)
        if external and not signed:
            external[RETURN_CODE] = new_return_code()
        write_attributes(connection, participant_id, external)
        if invite.uses_left is not None:
            change_rows(connection, schema.invites, {"id": invite.id}, uses_left=invite.uses_left - 1)
        audit.record_event(
            connection, "participant.joined", study_id=invite.study_id, participant_id=participant_id
        )
        return participant_within(connection, participant_id)


def add_staff(
    workspace: Workspace, study_id: int, account_id: int, role: Role, *, by: int | None = None
) -> Participant:
    """Let an account work on a study as reviewer, expert or researcher: a role and an active participant of
    every population."""
    with workspace.write() as connection:
        accounts.grant(connection, study_id, account_id, role, by=by)
        row = find_row(connection, schema.participants, study_id=study_id, account_id=account_id)
        if row is not None:
            return from_row(Participant, row)
        values = {
            "study_id": study_id,
            "account_id": account_id,
            "pseudonym": f"p-{secrets.token_hex(6)}",
            "state": ParticipantState.ACTIVE,
            "source": "staff",
            "eligible": True,
            "joined": time.time(),
        }
        return inserted(connection, Participant, schema.participants, values)


def get_participant(workspace: Workspace, participant_id: int) -> Participant:
    """The participant with that id; NotFoundError."""
    with workspace.read() as connection:
        return participant_within(connection, participant_id)


def list_participants(workspace: Workspace, study_id: int) -> tuple[Participant, ...]:
    """Everybody in a study, by id."""
    query = sa.select(schema.participants).filter_by(study_id=study_id).order_by(schema.participants.c.id)
    return read_all(workspace, Participant, query)


def consent(workspace: Workspace, participant_id: int, version: str) -> Participant:
    """Record that a person agreed to the study's text: the hash and the language of the one that they saw.

    version: of that text, which tells its languages apart; ConflictError if it is another by now.
    """
    with workspace.write() as connection:
        person = participant_within(connection, participant_id)
        study = get_row(connection, schema.studies, id=person.study_id)
        seen = next(
            (each for each in StudyTexts(study.definition, ()).consents if each.version == version), None
        )
        if seen is None:
            raise ConflictError("the text was changed while you read it; read it again")
        if person.state == ParticipantState.WITHDRAWN:
            raise ConflictError("you have left this study")
        told = {"consent_sha256": seen.sha256, "consent_language": seen.language}
        values: dict[str, object] = {"consent_version": version, **told, "consented": time.time()}
        if person.state == ParticipantState.JOINED:
            staff_or_free = (
                person.population_id is None or not _population(connection, person.population_id).criteria
            )
            values["state"] = ParticipantState.ACTIVE if staff_or_free else ParticipantState.CONSENTED
            values["eligible"] = True if staff_or_free else None
        return change_participant(
            connection, person, "consented", values, details={"version": version, "language": seen.language}
        )


def _population(connection: sa.Connection, population_id: int) -> Population:
    return from_row(Population, get_row(connection, schema.populations, id=population_id))


def answer_eligibility(workspace: Workspace, participant_id: int, answers: Mapping[str, str]) -> Participant:
    """Record a person's answers to the population's questions (as personal attributes) and let them in or
    screen them out.

    Where all that fails was written freely (``unclear_criteria``), they wait for a researcher, and may answer
    again meanwhile. Otherwise a person is judged once; later calls change nothing. SubmissionError names
    questions without an answer. ConflictError where the population has as many people as it may.
    """
    with workspace.write() as connection:
        person = participant_within(connection, participant_id)
        if person.state not in (
            ParticipantState.CONSENTED,
            ParticipantState.JOINED,
            ParticipantState.WAITING,
        ):
            return person
        if person.consented is None:
            raise ConflictError("read what the study is about and agree first")
        assert person.population_id is not None  # noqa: S101 - only people of a population are asked
        population = _population(connection, person.population_id)
        names = [str(criterion["name"]) for criterion in population.criteria]
        given = {name: str(answers.get(name, "")).strip()[:LONGEST_ATTRIBUTE] for name in names}
        open_ones = {
            name: "answer this question"
            for name, criterion in zip(names, population.criteria, strict=True)
            if not given[name] and not criterion.get("optional")
        }
        if open_ones:
            raise SubmissionError(open_ones)
        failed = failed_criteria(population.criteria, given)
        state, kind = ParticipantState.ACTIVE, "eligible"
        if failed:
            waits = failed == unclear_criteria(population.criteria, given)
            state, kind = (
                (ParticipantState.WAITING, "waiting")
                if waits
                else (ParticipantState.SCREENED_OUT, "screened_out")
            )
        if state != ParticipantState.SCREENED_OUT:
            check_room(connection, population)
        write_attributes(connection, participant_id, given)
        values = {"state": str(state), "eligible": None if state == ParticipantState.WAITING else not failed}
        return change_participant(connection, person, kind, values, details={"failed": failed})


def check_room(connection: sa.Connection, population: Population) -> None:
    """ConflictError where a population has as many people as it may."""
    participants = schema.participants
    inside = (ParticipantState.ACTIVE, ParticipantState.FINISHED)
    taken = participants.c.population_id == population.id, participants.c.state.in_(inside)
    if population.people is not None and count(connection, participants, *taken) >= population.people:
        raise ConflictError("this study has found all the people it needs; thank you for your interest")


def waive_eligibility(
    workspace: Workspace, study_id: int, participant_id: int, reason: str, *, by: int
) -> Participant:
    """Let somebody in who does not meet the criteria; the reason is kept. SubmissionError without one."""
    if not reason.strip():
        raise SubmissionError({"reason": "say why the criteria do not apply to this person"})
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id)
        if person.state not in (
            ParticipantState.SCREENED_OUT,
            ParticipantState.CONSENTED,
            ParticipantState.WAITING,
        ):
            raise ConflictError("this person needs no waiver: they have been let in already, or have left")
        values = {"state": str(ParticipantState.ACTIVE), "eligible": False, "waiver": reason.strip()}
        return change_participant(connection, person, "waived", values, account_id=by)


def finish(workspace: Workspace, participant_id: int) -> Participant:
    """A person says that they are done; their leases are free at once. An active person again as soon as they
    ask for work."""
    with workspace.write() as connection:
        person = participant_within(connection, participant_id, lock=True)
        free_leases(connection, participant_id)
        if person.state != ParticipantState.ACTIVE:
            return person
        return change_participant(
            connection, person, "finished", {"state": str(ParticipantState.FINISHED), "left": time.time()}
        )


def withdraw(
    workspace: Workspace, study_id: int, participant_id: int, *, by: int | None = None
) -> Participant:
    """A person leaves: their leases are free, their drafts are deleted, and their answers leave every export.

    Items that are still open, and finished ones that nothing descends from, get another slot in place of each
    of their answers.
    """
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id, lock=True)
        if person.state == ParticipantState.WITHDRAWN:
            return person
        free_leases(connection, participant_id)
        connection.execute(sa.delete(schema.drafts).filter_by(participant_id=participant_id))
        values = {"state": str(ParticipantState.WITHDRAWN), "left": time.time()}
        change_participant(connection, person, "withdrawn", values, account_id=by)
        apply_rule_to_answers_of(connection, participant_id)
        return participant_within(connection, participant_id)
