"""People in a study: joining and coming back, consent, eligibility, leaving. ``personal`` has their
details."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hmac import compare_digest

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import (
    change_rows,
    changing,
    count,
    find_row,
    get_row,
    get_value,
    inserted,
    inserted_id,
    read_all,
)
from folkways_studio.errors import ConflictError, ReturnError, SubmissionError
from folkways_studio.people import accounts
from folkways_studio.people.eligibility import failed_criteria, unclear_criteria
from folkways_studio.people.invites import usable_invite
from folkways_studio.people.personal import (
    change_participant,
    participant_of,
    participant_within,
    write_attributes,
)
from folkways_studio.people.sessions import token_hash
from folkways_studio.records import (
    EXTERNAL,
    LET_IN,
    RETURN_CODE,
    Participant,
    ParticipantState,
    Population,
    Role,
    StudyState,
    from_row,
)
from folkways_studio.work.leases import free_leases
from folkways_studio.work.resolution import apply_rule_to_answers_of
from folkways_studio.workflows.wordings import StudyTexts

STUDY = EXTERNAL[1]
RETURNED = "participant.returned"
"""The event of a person who returns by another study of the recruitment service."""

NOT_BEGUN = (ParticipantState.JOINED, ParticipantState.CONSENTED)
"""States of people who have said nothing yet, and have not seen their RETURN_CODE."""

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
    """Join a study by an invitation; a returning account or external person gets the same participant.

    workspace, token: the token of the invitation.
    account_id: None makes an account, by ``make_account`` or without a login; nothing of it stays if joining
        fails.
    external: attributes by name (EXTERNAL).
    signed: the service vouches for them.
    browser: the account that is signed in there.
    code: the person's RETURN_CODE.
    locale: for a new account.
    An external person gets the account of a browser in which they are in another study by the same id. Where
    they have not begun, they may come in again, and are signed out where they came in before. Who returns by
    another study of the service is noted with it.

    Raises InviteError; ReturnError if an external person has begun and neither signature, browser nor code
    identifies them; ConflictError if the study is closed or the person has withdrawn.
    """
    external = {
        name: value[:LONGEST_ATTRIBUTE]
        for name, value in (external or {}).items()
        if name in EXTERNAL and value
    }
    with workspace.write() as connection:
        back = _find_returning(
            connection, token, account_id, external, sure=signed, browser=browser, code=code
        )
        if back is not None:
            return back
        invite = usable_invite(connection, token)
        state = connection.scalar(sa.select(schema.studies.c.state).filter_by(id=invite.study_id))
        if state == StudyState.CLOSED:
            raise ConflictError("this study is closed; thank you for your interest")
        if account_id is None and _is_known_in(connection, browser, invite.study_id, external):
            account_id = browser
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
            external[RETURN_CODE] = _new_return_code()
        write_attributes(connection, participant_id, external)
        if invite.uses_left is not None:
            change_rows(connection, schema.invites, {"id": invite.id}, uses_left=invite.uses_left - 1)
        audit.record_event(connection, "participant.joined", invite.study_id, participant_id=participant_id)
        return participant_within(connection, participant_id)


def add_staff(
    workspace: Workspace, study_id: int, account_id: int, role: Role, *, by: int | None = None
) -> Participant:
    """Let an account work on a study as reviewer, expert or researcher: gives the role and an active
    participant for every population. workspace, study_id: the study. account_id: the account. by: the account
    that acts, for the audit trail."""
    with changing(workspace, study_id) as connection:
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
    """Record that a person agreed to the consent text of this version, with its hash and language. Where
    nothing is asked first, they are let in, or screened out if the population is full.

    Raises ConflictError if the text has changed since, or the person has left or is excluded.
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
        if person.state == ParticipantState.EXCLUDED:
            raise ConflictError("You have been excluded from this study")
        is_out = False
        values: dict[str, object] = {
            "consent_version": version,
            "consent_sha256": seen.sha256,
            "consent_language": seen.language,
            "consented": time.time(),
        }
        if person.state == ParticipantState.JOINED:
            population = person.population_id and _population(connection, person.population_id)
            if population and population.criteria:
                values["state"] = ParticipantState.CONSENTED
            elif population and _is_full(connection, population):
                is_out = True
            else:
                values |= {"state": ParticipantState.ACTIVE, "eligible": True}
        agreed = {"version": version, "language": seen.language}
        agreeing = change_participant(connection, person, "consented", values, details=agreed)
        if not is_out:
            return agreeing
        values = {"state": ParticipantState.SCREENED_OUT, "eligible": False}
        return change_participant(
            connection, agreeing, "screened_out", values, details={"failed": ["people"]}
        )


def _population(connection: sa.Connection, population_id: int) -> Population:
    return from_row(Population, get_row(connection, schema.populations, id=population_id))


def answer_eligibility(workspace: Workspace, participant_id: int, answers: Mapping[str, str]) -> Participant:
    """Store a person's answers to the population's questions (as personal attributes) and let them in or
    screen them out.

    If only free-text answers fail (``unclear_criteria``), the person waits for a researcher and may answer
    again. Otherwise a person is judged once; later calls change nothing. Where the population or a quota is
    full, they are screened out as well, so that a recruitment service's people get their code. Raises
    SubmissionError for unanswered questions, and ConflictError before consent.
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
        attributes = {name: str(answers.get(name, "")).strip()[:LONGEST_ATTRIBUTE] for name in names}
        unanswered = {
            name: "answer this question"
            for name, criterion in zip(names, population.criteria, strict=True)
            if not attributes[name] and not criterion.get("optional")
        }
        if unanswered:
            raise SubmissionError(unanswered)
        failed = failed_criteria(population.criteria, attributes)
        is_out = failed != unclear_criteria(population.criteria, attributes)
        if not is_out and (full := _full(connection, population, attributes)):
            failed, is_out = full, True
        state, kind = ParticipantState.ACTIVE, "eligible"
        if is_out:
            state, kind = ParticipantState.SCREENED_OUT, "screened_out"
        elif failed:
            state, kind = ParticipantState.WAITING, "waiting"
        write_attributes(connection, participant_id, attributes)
        values = {"state": str(state), "eligible": None if state == ParticipantState.WAITING else not failed}
        return change_participant(connection, person, kind, values, details={"failed": failed})


def _is_full(connection: sa.Connection, population: Population) -> bool:
    people = schema.participants
    members = people.c.population_id == population.id, people.c.state.in_(LET_IN)
    return population.people is not None and count(connection, people, *members) >= population.people


def _full(connection: sa.Connection, population: Population, attributes: Mapping[str, str]) -> list[str]:
    """What lets nobody like this in any more: ``people`` of the population, or criteria whose quota for this
    answer is full."""
    people, stored = schema.participants, schema.attributes
    full = ["people"] if _is_full(connection, population) else []
    for criterion in population.criteria:
        name = str(criterion["name"])
        quota = {str(answer): most for answer, most in criterion.get("quota", {}).items()}
        if (answer := attributes[name]) in quota:
            alike = sa.select(sa.func.count()).select_from(
                people.join(stored, stored.c.participant_id == people.c.id)
            )
            alike = alike.where(
                people.c.population_id == population.id,
                people.c.state.in_(LET_IN),
                stored.c.name == name,
                stored.c.value == answer,
            )
            if connection.execute(alike).scalar_one() >= quota[answer]:
                full.append(name)
    return full


def waive_eligibility(
    workspace: Workspace, study_id: int, participant_id: int, reason: str, *, by: int
) -> Participant:
    """Let somebody in who does not meet the criteria. Raises SubmissionError without a reason, and
    ConflictError if they are in already or have left. workspace, study_id: the study. participant_id: the
    person. by: the account that acts, for the audit trail."""
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
    """Mark a person as finished and free their leases. They become active again when they ask for work."""
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
    """Withdraw a person: frees leases, deletes drafts, and takes their answers out of every export.

    Open items, and finished ones without descendants, get a new slot for each of their answers. workspace,
    study_id: the study. participant_id: the person. by: the account that acts, for the audit trail.
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


def _new_return_code() -> str:
    """Eight letters and digits that are hard to confuse."""
    return "".join(secrets.choice("ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(8))


def _is_known_in(
    connection: sa.Connection, account_id: int | None, study_id: int, external: Mapping[str, str]
) -> bool:
    """Whether an account takes part in other studies by the id of this external person, and not in this
    one."""
    people, attributes = schema.participants, schema.attributes
    mine = sa.select(people.c.study_id, people.c.id).where(people.c.account_id == account_id)
    person_of = {row.study_id: row.id for row in connection.execute(mine)}
    if study_id in person_of or "prolific_pid" not in external:
        return False
    same_id = attributes.c.name == "prolific_pid", attributes.c.value == external["prolific_pid"]
    return count(connection, attributes, attributes.c.participant_id.in_(person_of.values()), *same_id) > 0


def _find_returning(
    connection: sa.Connection,
    token: str,
    account_id: int | None,
    external: Mapping[str, str],
    *,
    sure: bool,
    browser: int | None,
    code: str,
) -> Participant | None:
    """The existing participant of a returning person, also by an invitation that has been used up.

    The id at a recruitment service is not secret: anybody can write it into an address. ReturnError and
    ConflictError as in ``join``.
    """
    participants, attributes, invites = schema.participants, schema.attributes, schema.invites
    link = sa.select(invites.c.study_id).where(invites.c.token_hash == token_hash(token))
    # Of two requests of one external person at once, the second sees the first.
    study_id = connection.scalar(link.with_for_update() if external else link)
    if study_id is None:
        return None
    query = sa.select(participants).where(participants.c.study_id == study_id)
    if account_id is not None:
        query = query.where(participants.c.account_id == account_id)
    elif external.get("prolific_pid"):
        same_id = sa.select(attributes.c.participant_id).filter_by(
            name="prolific_pid", value=external["prolific_pid"]
        )
        query = query.where(participants.c.id.in_(same_id))
    else:
        return None
    row = connection.execute(query).first()
    if row is None:
        return None
    expected_code = get_value(connection, attributes.c.value, participant_id=row.id, name=RETURN_CODE)
    sure = (
        sure
        or row.account_id == browser
        or (expected_code is not None and compare_digest(expected_code.encode(), code.encode()))
    )
    if account_id is None and not sure:
        login = get_value(connection, schema.accounts.c.login, id=row.account_id)  # of somebody of the staff
        others = count(connection, participants, participants.c.account_id == row.account_id) > 1
        if row.state not in NOT_BEGUN or login is not None or others:
            raise ReturnError
        connection.execute(sa.delete(schema.sessions).filter_by(account_id=row.account_id))
    if row.state == ParticipantState.WITHDRAWN:
        raise ConflictError("you have left this study; write to its researchers if you want to come back")
    if external:
        _store_return(connection, row.study_id, row.id, external)
    return from_row(Participant, row)


def _store_return(
    connection: sa.Connection, study_id: int, participant_id: int, external: Mapping[str, str]
) -> None:
    """Keep the recruitment service's study and session by which somebody comes now; the audit trail says
    when it is another study, because the service pays for each."""
    before = get_value(connection, schema.attributes.c.value, participant_id=participant_id, name=STUDY)
    write_attributes(connection, participant_id, external)
    now = external.get(STUDY, before)
    if now != before:
        details = {"before": before, "now": now}
        audit.record_event(connection, RETURNED, study_id, participant_id=participant_id, details=details)


@dataclass(frozen=True, slots=True)
class WaitingPerson:
    """Somebody who waits. unclear: the questions to check, each with the answer."""

    person: Participant
    population: Population
    unclear: Sequence[tuple[str, str]]


def list_waiting(workspace: Workspace, study_id: int, *, by: int) -> list[WaitingPerson]:
    """Everybody who waits in a study, in order of arrival. Their answers are personal, so the audit trail
    records once per person and reader (by) that they were read."""
    people, populations, attributes, events = (
        schema.participants,
        schema.populations,
        schema.attributes,
        schema.events,
    )
    query = (
        sa.select(people, populations)
        .join(populations, populations.c.id == people.c.population_id)
        .where(people.c.study_id == study_id, people.c.state == ParticipantState.WAITING)
        .order_by(people.c.id)
    )
    waiting = []
    with workspace.read() as connection:
        for row in connection.execute(query).all():
            person, population = from_row(Participant, row, people), from_row(Population, row, populations)
            rows = connection.execute(sa.select(attributes).filter_by(participant_id=person.id))
            answers = {each.name: each.value for each in rows}
            unclear = unclear_criteria(population.criteria, answers)
            questions = {str(each["name"]): str(each["ask"]) for each in population.criteria}
            waiting.append(
                WaitingPerson(person, population, [(questions[name], answers[name]) for name in unclear])
            )
        noted = sa.select(events.c.participant_id).where(
            events.c.study_id == study_id,
            events.c.account_id == by,
            events.c.kind == "participant.attributes_read",
        )
        readers_people = set(connection.scalars(noted)) if waiting else set()
    for each in waiting:
        if each.person.id not in readers_people:
            audit.record_event_now(
                workspace, "participant.attributes_read", study_id, by, participant_id=each.person.id
            )
    return waiting


def settle_waiting(
    workspace: Workspace, study_id: int, participant_id: int, *, let_in: bool, by: int
) -> Participant:
    """Let in a person who waits as one who meets the criteria (let_in), or screen them out. Raises
    ConflictError if they do not wait or the population is full. workspace, study_id: the study.
    participant_id: the person. by: the account that acts, for the audit trail."""
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id, lock=True)
        if person.state != ParticipantState.WAITING:
            raise ConflictError("this person does not wait to be let in any more")
        if not let_in:
            values = {"state": str(ParticipantState.SCREENED_OUT), "eligible": False}
            return change_participant(connection, person, "screened_out", values, account_id=by)
        assert person.population_id is not None  # noqa: S101 - only people of a population are asked
        if _is_full(connection, _population(connection, person.population_id)):
            raise ConflictError("this study has found all the people it needs; thank you for your interest")
        return change_participant(
            connection,
            person,
            "let_in",
            {"state": str(ParticipantState.ACTIVE), "eligible": True},
            account_id=by,
        )
