"""Who sees what models suggested for an item beforehand. It is settled and stored before somebody is shown
the task, and never changes: a stage may show suggestions to half of the people, drawn at random, to measure
what they do to the answers.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.activity import Exposure, PreAnnotation
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows, find_row, get_row
from folkways_studio.records import LEFT_OUT, AssignmentState, Item, Stage, from_row
from folkways_studio.stages.base import HALF, SHOWN, Config
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.task_pages import TaskPage
from folkways_studio.workflows.suggesting import outcome


def chosen(suggestions: Sequence[PreAnnotation], config: Config) -> PreAnnotation | None:
    """The one that a stage with these settings shows: the newest of the model that they name, or else the
    one with the highest score (those without a score come last, the newest of equals first)."""
    if model := config["suggestions_from"]:
        suggestions = [each for each in suggestions if each.model == model]
        return max(suggestions, key=lambda each: each.id, default=None)
    return max(
        suggestions, key=lambda each: (-1.0 if each.score is None else each.score, each.id), default=None
    )


def exposed(workspace: Workspace, participant_id: int, task: TaskPage) -> TaskPage:
    """The task with the suggestion that this person sees or does not, settled now if it was not before.

    Nothing is settled for who has begun to answer, for an item of the test before the stage, and where
    nothing is suggested. workspace, participant_id: the person.
    """
    work = task.work
    if (
        task.exposure is not None
        or not task.has_suggestions
        or task.draft is not None
        or work.item.test
        or work.assignment.state != AssignmentState.LEASED
    ):
        return task
    with workspace.write() as connection:
        table = schema.preannotations
        rows = connection.execute(
            sa.select(table).filter_by(item_id=work.item.id).with_for_update(read=True, key_share=True)
        )
        suggestion = chosen([from_row(PreAnnotation, row) for row in rows], work.stage.config)
        if suggestion is None:
            return task
        setting = work.stage.config["suggestions"]
        row = {
            "item_id": work.item.id,
            "participant_id": participant_id,
            "preannotation_id": suggestion.id,
            "setting": setting,
            "shown": setting == SHOWN or (setting == HALF and bool(secrets.randbits(1))),
            "created": time.time(),
        }
        workspace.insert_new(connection, schema.exposures, [row])
        # Another tab of theirs may have been first.
        stored = find_row(connection, schema.exposures, item_id=work.item.id, participant_id=participant_id)
        exposure = from_row(Exposure, stored)
        if exposure.preannotation_id != suggestion.id:
            suggestion = from_row(PreAnnotation, get_row(connection, table, id=exposure.preannotation_id))
    return replace(task, exposure=exposure, preannotation=suggestion)


def settle_exposure(
    connection: sa.Connection,
    exposure: Exposure,
    suggested: Mapping[str, Any],
    item: Item,
    stage: Stage,
    payload: Mapping[str, Any],
) -> None:
    """Record what became of a suggestion (its content: suggested) for an item of a stage, in the transaction
    (connection) that stores the answer (payload) of the person whose exposure this is. Whoever did not see it
    is compared with it too, and neither took nor refused it."""
    kind = stage_kind(stage.kind)
    word, parts, unchanged = outcome(
        kind.answer_parts(suggested, item.content, stage.config),
        kind.answer_parts(kind.draft_of(payload), item.content, stage.config),
    )
    values = {"outcome": word if exposure.shown else None, "parts": parts, "unchanged": unchanged}
    where = {"item_id": exposure.item_id, "participant_id": exposure.participant_id}
    change_rows(connection, schema.exposures, where, **values)


def exposures_of_study(
    workspace: Workspace, study_id: int
) -> dict[tuple[int, int], tuple[Exposure, PreAnnotation]]:
    """(item, person) -> whether they saw what was suggested, and what that was; of a study (workspace,
    study_id), without people who left."""
    table, suggestions = schema.exposures, schema.preannotations
    people = schema.participants
    query = (
        sa.select(table, suggestions)
        .join(suggestions, suggestions.c.id == table.c.preannotation_id)
        .join(people, people.c.id == table.c.participant_id)
        .where(people.c.study_id == study_id, people.c.state.not_in(LEFT_OUT))
        .order_by(table.c.item_id, table.c.participant_id)
    )
    with workspace.read() as connection:
        rows = connection.execute(query).all()
    exposures = ((from_row(Exposure, row, table), from_row(PreAnnotation, row, suggestions)) for row in rows)
    return {(each.item_id, each.participant_id): (each, suggestion) for each, suggestion in exposures}
