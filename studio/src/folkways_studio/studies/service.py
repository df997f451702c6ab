"""Studies: made from a definition, opened, paused, closed; their populations and stages."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows, inserted_id, read_all
from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.people import accounts
from folkways_studio.records import Population, Role, Stage, Study, StudyState, from_row
from folkways_studio.workflows.definition import Definition

MOVES: Mapping[str, frozenset[str]] = {
    StudyState.DRAFT: frozenset({StudyState.OPEN}),
    StudyState.OPEN: frozenset({StudyState.PAUSED, StudyState.CLOSED}),
    StudyState.PAUSED: frozenset({StudyState.OPEN, StudyState.CLOSED}),
    StudyState.CLOSED: frozenset({StudyState.OPEN}),
}
"""State -> states that a study may go to from there. A pause gives out no more work; what is at hand may
still be submitted."""


def create_study(
    workspace: Workspace, definition: Definition, *, owner: int, text: str | None = None
) -> Study:
    """Make a study as described in the workspace, in state ``draft``, with ``owner`` as its owner.
    ConflictError if the name is taken.

    text: the YAML that the definition was read from, which is stored as it is.
    """
    now = time.time()
    with workspace.write() as connection:
        if connection.scalar(sa.select(schema.studies.c.id).filter_by(name=definition.name)) is not None:
            raise ConflictError(
                "there is a study %(name)s already; choose another name", name=definition.name
            )
        row = {
            "name": definition.name,
            "state": StudyState.DRAFT,
            **told_by(definition),
            "created": now,
            "created_by": owner,
        }
        study_id = inserted_id(connection, schema.studies, row)
        place_parts(
            definition, lambda table, values: inserted_id(connection, table, {"study_id": study_id, **values})
        )
        if text is not None:
            note_description(connection, study_id, 1, text, [], by=owner, now=now)
        audit.record_event(connection, "study.created", study_id=study_id, account_id=owner)
        accounts.grant(connection, study_id, owner, Role.OWNER, by=owner)
    return get_study(workspace, study_id)


def told_by(definition: Definition) -> dict[str, Any]:
    """The columns of a study that its description tells."""
    return {
        "title": definition.title,
        "workflow": definition.workflow,
        "definition": dict(definition.raw),
        "licence": definition.licence,
        "consent_text": definition.consent,
        "consent_version": definition.consent_version,
    }


def place_parts(definition: Definition, put: Callable[[sa.Table, dict[str, Any]], int]) -> None:
    """Keep populations and stages as described. put: keeps one row of a table, without its study, and returns
    its id."""
    populations: dict[str | None, int] = {}
    for population in definition.populations:
        values = asdict(population)
        values["parent_id"] = populations.get(values.pop("part_of"))
        populations[population.name] = put(schema.populations, values)
    for position, stage in enumerate(definition.stages):
        put(schema.stages, {"position": position, **asdict(stage)})


def note_description(
    connection: sa.Connection,
    study_id: int,
    number: int,
    text: str,
    changes: Sequence[str],
    *,
    by: int | None,
    now: float,
) -> None:
    """Store a text by which a study is described, in the caller's transaction (connection).

    study_id: the study. number: of this version. changes: a line each. by: the account; now: the time
    in seconds.
    """
    row = {
        "study_id": study_id,
        "number": number,
        "text": text,
        "changes": list(changes),
        "account_id": by,
        "created": now,
    }
    connection.execute(sa.insert(schema.descriptions).values(row))


def get_study(workspace: Workspace, study: int | str) -> Study:
    """The study with that id or name; NotFoundError."""
    with workspace.read() as connection:
        return study_within(connection, study)


def study_within(connection: sa.Connection, study: int | str) -> Study:
    """The study with that id or name, read in the caller's transaction (connection); NotFoundError.

    What decides over a change is read where it is made: somebody else may have deleted, opened or closed the
    study since.
    """
    column = schema.studies.c.id if isinstance(study, int) else schema.studies.c.name
    exists = schema.studies.c.state != StudyState.DELETED
    row = connection.execute(sa.select(schema.studies).where(column == study, exists)).first()
    if row is None:
        if isinstance(study, int):
            raise NotFoundError("there is no such study")
        raise NotFoundError("there is no study %(name)s", name=repr(study))
    return from_row(Study, row)


def distinct_titles(listed: Collection[Study]) -> dict[int, str]:
    """Study id -> its title, followed by its short name where another one of the list has the same title, as
    two of one template have."""
    counts = Counter(each.title for each in listed)
    return {
        each.id: each.title if counts[each.title] == 1 else f"{each.title} ({each.name})" for each in listed
    }


def list_studies(workspace: Workspace, *, account_id: int | None = None) -> tuple[Study, ...]:
    """All studies, newest first; only those in which the account has a role, if one is given."""
    query = (
        sa.select(schema.studies)
        .where(schema.studies.c.state != StudyState.DELETED)
        .order_by(schema.studies.c.id.desc())
    )
    if account_id is not None:
        mine = sa.select(schema.roles.c.study_id).where(schema.roles.c.account_id == account_id)
        query = query.where(schema.studies.c.id.in_(mine))
    return read_all(workspace, Study, query)


def set_state(workspace: Workspace, study_id: int, state: StudyState, *, by: int | None = None) -> Study:
    """Open, pause or close a study (study_id) of the workspace. by: the account that asks for it.
    ConflictError if MOVES does not lead to that state."""
    with workspace.write() as connection:
        study = study_within(connection, study_id)
        if state == study.state:
            return study
        if state not in MOVES[study.state]:
            raise ConflictError(
                "a study that is %(state)s cannot become %(wanted)s; it can become %(valid)s",
                state=study.state,
                wanted=state,
                valid=", ".join(MOVES[study.state]),
            )
        change_rows(connection, schema.studies, {"id": study_id}, state=str(state))
        audit.record_event(connection, f"study.{state}", study_id=study_id, account_id=by)
    return get_study(workspace, study_id)


def populations(workspace: Workspace, study_id: int) -> tuple[Population, ...]:
    """The populations of a study, in the order of its file."""
    query = sa.select(schema.populations).filter_by(study_id=study_id).order_by(schema.populations.c.id)
    return read_all(workspace, Population, query)


def judged_in(study_id: int) -> sa.ColumnElement[bool]:
    """Whether a judgement is of a study, by its stage: to join its item or person takes SQLite several times
    as long."""
    of_study = sa.select(schema.stages.c.id).where(schema.stages.c.study_id == study_id)
    return schema.judgements.c.stage_id.in_(of_study)


def stages(workspace: Workspace, study_id: int) -> tuple[Stage, ...]:
    """The stages of a study, in order."""
    query = sa.select(schema.stages).filter_by(study_id=study_id).order_by(schema.stages.c.position)
    return read_all(workspace, Stage, query)


def get_stage(workspace: Workspace, study_id: int, name: str) -> Stage:
    """The stage of that name; NotFoundError that names the valid ones."""
    existing = stages(workspace, study_id)
    if stage := next((each for each in existing if each.name == name), None):
        return stage
    raise NotFoundError(f"there is no stage {name!r}; valid: {', '.join(stage.name for stage in existing)}")


def get_population(workspace: Workspace, study_id: int, name: str) -> Population:
    """The population of that name; NotFoundError that names the valid ones."""
    existing = populations(workspace, study_id)
    if population := next((each for each in existing if each.name == name), None):
        return population
    raise NotFoundError(
        f"there is no population {name!r}; valid: {', '.join(each.name for each in existing)}"
    )


def natives_of(existing: Iterable[Population], culture: str, language: str) -> Population | None:
    """The population that judges what is said about a culture (its code) in a language: of several of that
    culture, the first that speaks the language, or else the first; parts of populations are left out. None
    where the culture has none."""
    natives = [each for each in existing if each.culture == culture and each.parent_id is None]
    return next((each for each in natives if each.language == language), next(iter(natives), None))
