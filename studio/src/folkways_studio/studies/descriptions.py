"""The descriptions of a study, as they were given: the newest is what it is made of, those before are its
history."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows, changing, get_row, inserted_id, read_all, read_values
from folkways_studio.errors import CHANGED_ELSEWHERE, ConflictError
from folkways_studio.items.service import MOST_NAMED, more_slots
from folkways_studio.records import ItemState, Study, from_row
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.service import note_description, place_parts, told_by
from folkways_studio.workflows.definition import Definition, DefinitionError, read_definition
from folkways_studio.workflows.editing import Use, compare
from folkways_studio.workflows.yaml_text import as_yaml, parse_yaml


@dataclass(frozen=True, slots=True)
class Description:
    """One description of a study. number: from 1. changes: to the one before, a line each."""

    number: int
    text: str
    changes: Sequence[str]
    account_id: int | None
    created: float


def history(workspace: Workspace, study_id: int) -> tuple[Description, ...]:
    """Every description of a study, newest first; of one that was made by an earlier folkways, those since
    its first change."""
    query = (
        sa.select(schema.descriptions)
        .filter_by(study_id=study_id)
        .order_by(schema.descriptions.c.number.desc())
    )
    return read_all(workspace, Description, query)


def description_of(workspace: Workspace, study: Study) -> str:
    """The YAML text that describes a study, as it was given, with its comments."""
    return newest_of(history(workspace, study.id), study)


def newest_of(versions: Sequence[Description], study: Study) -> str:
    """``description_of`` a study whose ``history`` was read."""
    return versions[0].text if versions else as_yaml(study.definition)


def edit_study(
    workspace: Workspace,
    study_id: int,
    text: str,
    *,
    by: int | None = None,
    file: Path | None = None,
    since: int | None = None,
) -> tuple[str, ...]:
    """Replace the description of a study in the workspace by another text; returns what that changed, a
    line each (none if only comments differ).

    study_id: the study.
    file: where the text is from, for errors.
    since: the number of the description that the text was made from (0 where there was none yet);
        ConflictError where there is a newer one. None replaces whatever there is.
    by: the account that asks for it. DefinitionError names every mistake, or everything that may not change
        any more, with the reason; nothing is changed then. Open items get more slots if more answers are
        wanted; settled ones stay so.
    """
    new = read_definition(parse_yaml(text, file), file)
    with changing(workspace, study_id) as connection:
        study = from_row(Study, get_row(connection, schema.studies, id=study_id, lock="row"))
        numbers = sa.select(sa.func.max(schema.descriptions.c.number)).filter_by(study_id=study_id)
        before = connection.scalar(numbers) or 0
        if since not in (None, before):
            raise ConflictError(CHANGED_ELSEWHERE, revision=before)
        old = read_definition(study.definition)
        edit = compare(old, new, _use(connection, study_id))
        if edit.refused:
            raise DefinitionError(edit.refused, file)
        if not before:
            note_description(
                connection, study_id, 1, as_yaml(study.definition), [], by=study.created_by, now=study.created
            )
            before = 1
        newest = connection.scalar(
            sa.select(schema.descriptions.c.text).filter_by(study_id=study_id, number=before)
        )
        if newest == text:
            return ()
        note_description(connection, study_id, before + 1, text, edit.changes, by=by, now=time.time())
        _store(connection, study, new)
        # What is added from now on has as many slots as are wanted.
        newest_item = connection.scalar(sa.select(sa.func.max(schema.items.c.id))) or 0
        details = {"description": before + 1, "changes": edit.changes}
        audit.record_event(connection, "study.edited", study_id=study_id, account_id=by, details=details)
    for stage in new.stages:
        was = next((each for each in old.stages if each.name == stage.name), None)
        if was is not None and not stage_kind(stage.kind).authored:
            more = int(stage.config["answers"]) - int(was.config["answers"])
            _ask_more(workspace, study_id, stage.name, more, newest_item)
    return tuple(edit.changes)


def _use(connection: sa.Connection, study_id: int) -> Use:
    """What people have met of a study."""
    items, people, invites, populations, stages = (
        schema.items, schema.participants, schema.invites, schema.populations, schema.stages,
    )  # fmt: skip

    def some(query: sa.Select[Any]) -> bool:
        return connection.execute(query.limit(1)).first() is not None

    used = sa.or_(
        *(
            sa.exists().where(table.c.population_id == populations.c.id)
            for table in (items, people, invites, schema.assignees)
        )
    )
    return Use(
        agreed=some(
            sa.select(people.c.id).where(people.c.study_id == study_id, people.c.consented.is_not(None))
        ),
        asked=some(sa.select(schema.model_calls.c.id).where(schema.model_calls.c.study_id == study_id)),
        populations=set(
            connection.scalars(sa.select(populations.c.name).where(populations.c.study_id == study_id, used))
        ),
        stages=set(
            connection.scalars(
                sa.select(stages.c.name).where(
                    stages.c.study_id == study_id, sa.exists().where(items.c.stage_id == stages.c.id)
                )
            )
        ),
    )


def _store(connection: sa.Connection, study: Study, new: Definition) -> None:
    change_rows(connection, schema.studies, {"id": study.id}, **told_by(new))
    for table, parts in ((schema.populations, new.populations), (schema.stages, new.stages)):
        names = [each.name for each in parts]
        connection.execute(sa.delete(table).where(table.c.study_id == study.id, table.c.name.not_in(names)))
    place_parts(new, lambda table, row: _put(connection, table, study.id, row))


def _put(connection: sa.Connection, table: sa.Table, study_id: int, row: Mapping[str, Any]) -> int:
    """Change the row of that name, or add it; returns its id."""
    existing = connection.scalar(
        sa.select(table.c.id).where(table.c.study_id == study_id, table.c.name == row["name"])
    )
    if existing is None:
        return inserted_id(connection, table, {"study_id": study_id, **row})
    change_rows(connection, table, {"id": existing}, **row)
    return int(existing)


def _ask_more(workspace: Workspace, study_id: int, stage: str, more: int, newest_item: int) -> None:
    """Give every open item of a stage, up to the one of that id, ``more`` slots, a few items at a time."""
    if more <= 0:
        return
    items, stages = schema.items, schema.stages
    (stage_id,) = read_values(workspace, sa.select(stages.c.id).filter_by(study_id=study_id, name=stage))
    query = sa.select(items.c.id).where(
        items.c.stage_id == stage_id,
        items.c.state == ItemState.OPEN,
        items.c.check.is_(None),
        items.c.id <= newest_item,
    )
    last = 0
    while True:
        with workspace.write() as connection:
            open_items = list(
                connection.scalars(
                    query.where(items.c.id > last)
                    .order_by(items.c.id)
                    .limit(MOST_NAMED // 4)
                    .with_for_update()
                )
            )
            if not open_items:
                return
            more_slots(connection, open_items, more)
            last = open_items[-1]
