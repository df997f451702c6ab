"""People whose free answers no criterion recognised: a researcher looks at what they wrote, and lets them in
or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import get_row
from folkways_studio.errors import ConflictError
from folkways_studio.people.eligibility import unclear_criteria
from folkways_studio.people.participants import check_room
from folkways_studio.people.personal import change_participant, participant_of
from folkways_studio.records import Participant, ParticipantState, Population, from_row


@dataclass(frozen=True, slots=True)
class WaitingPerson:
    """Somebody who waits. unclear: the questions whose answers somebody has to look at, each with the
    answer."""

    person: Participant
    population: Population
    unclear: Sequence[tuple[str, str]]


def list_waiting(workspace: Workspace, study_id: int, *, by: int) -> list[WaitingPerson]:
    """Everybody who waits in a study, the first to come first. What they wrote is personal: that it was
    looked at is noted once for each person and reader.
    """
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
                workspace,
                "participant.attributes_read",
                study_id=study_id,
                account_id=by,
                participant_id=each.person.id,
            )
    return waiting


def settle_waiting(
    workspace: Workspace, study_id: int, participant_id: int, *, let_in: bool, by: int
) -> Participant:
    """Let somebody in who waits, as one who meets the criteria, or screen them out. ConflictError for anybody
    who does not wait, and where there is no room for them.
    """
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id, lock=True)
        if person.state != ParticipantState.WAITING:
            raise ConflictError("this person does not wait to be let in any more")
        if not let_in:
            values = {"state": str(ParticipantState.SCREENED_OUT), "eligible": False}
            return change_participant(connection, person, "screened_out", values, account_id=by)
        check_room(
            connection, from_row(Population, get_row(connection, schema.populations, id=person.population_id))
        )
        return change_participant(
            connection,
            person,
            "let_in",
            {"state": str(ParticipantState.ACTIVE), "eligible": True},
            account_id=by,
        )
