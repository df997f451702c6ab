"""What the page of a task shows, read by one statement: the slot with its item and stage, what was typed and
suggested before, and how far the person is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.activity import Exposure, ModelSuggestion, PreAnnotation
from folkways_studio.database import schema
from folkways_studio.records import Assignment, Draft, Item, Participant, Stage, from_row
from folkways_studio.work.assignments import Work
from folkways_studio.work.eligible_slots import Counts, counts_of, counts_within
from folkways_studio.work.known_counts import PERSON, about
from folkways_studio.work.leases import not_theirs

# The counts are subqueries over the tables of slots and items: those of the task itself have other names.
_mine, _item, _stages = schema.assignments.alias("mine"), schema.items.alias("item"), schema.stages
_drafts, _suggestions, _populations = schema.drafts, schema.suggestions, schema.populations
_latest = schema.suggestions.alias("latest")
_judgements = schema.judgements.alias("others")
_exposures, _preannotations = schema.exposures, schema.preannotations
_TASK = (
    sa.select(
        *_mine.c,
        *_item.c,
        *_stages.c,
        *_drafts.c,
        *_suggestions.c,
        *_exposures.c,
        *_preannotations.c,
        sa.exists()
        .where(schema.preannotations.alias("any").c.item_id == _mine.c.item_id)
        .label("has_suggestions"),
        _populations.c.language.label("language_of_item"),
        sa.exists()
        .where(
            _judgements.c.item_id == _mine.c.item_id, _judgements.c.participant_id != _mine.c.participant_id
        )
        .label("others_answered"),
        *counts_of(_stages.c.id),
    )
    .select_from(_mine)
    .join(_item, _item.c.id == _mine.c.item_id)
    .join(_stages, _stages.c.id == _mine.c.stage_id)
    .outerjoin(_populations, _populations.c.id == _item.c.population_id)
    .outerjoin(
        _drafts,
        sa.and_(_drafts.c.item_id == _mine.c.item_id, _drafts.c.participant_id == _mine.c.participant_id),
    )
    .outerjoin(
        _suggestions,
        _suggestions.c.id
        == sa.select(sa.func.max(_latest.c.id))
        .where(_latest.c.item_id == _mine.c.item_id, _latest.c.participant_id == _mine.c.participant_id)
        .scalar_subquery(),
    )
    .outerjoin(
        _exposures,
        sa.and_(
            _exposures.c.item_id == _mine.c.item_id, _exposures.c.participant_id == _mine.c.participant_id
        ),
    )
    .outerjoin(_preannotations, _preannotations.c.id == _exposures.c.preannotation_id)
    .where(_mine.c.id.in_((sa.bindparam("slot"), sa.bindparam("instead"))), _mine.c.participant_id == PERSON)
)
"""Made once: making it costs more than running it."""


@dataclass(frozen=True, slots=True)
class TaskPage:
    """A task with the rest of its page. language: of the item's population, empty where it has none.
    others_answered: whether somebody else has answered the item. counts: of the person, in the task's stage.
    has_suggestions: whether a model has suggested something for the item beforehand. exposure, preannotation:
    whether this person sees it, and what it is; None before that is settled.
    """

    work: Work
    draft: Draft | None
    suggestion: ModelSuggestion | None
    language: str
    others_answered: bool
    counts: Counts
    has_suggestions: bool = False
    exposure: Exposure | None = None
    preannotation: PreAnnotation | None = None

    @property
    def prefilled(self) -> Mapping[str, Any]:
        """With what the form begins: what was suggested, for a person who sees that; or else nothing."""
        if self.exposure is None or not self.exposure.shown or self.preannotation is None:
            return {}
        return self.preannotation.content


def get_task_page(
    workspace: Workspace, person: Participant, assignment_id: int, instead: int | None = None
) -> TaskPage:
    """The content of the page of a person's slot (assignment_id) in the workspace, done or not;
    NotFoundError for any other slot.

    instead: as in ``get_work``.
    """
    slots = (assignment_id, assignment_id if instead is None else instead)
    with workspace.read() as connection:
        rows = connection.execute(_TASK, {**about(person), "slot": slots[0], "instead": slots[1]}).all()
    if not rows:
        raise not_theirs()
    row = min(rows, key=lambda row: slots.index(row._mapping[_mine.c.id]))
    values = row._mapping
    return TaskPage(
        Work(from_row(Assignment, row, _mine), from_row(Item, row, _item), from_row(Stage, row, _stages)),
        from_row(Draft, row, _drafts) if values[_drafts.c.revision] is not None else None,
        from_row(ModelSuggestion, row, _suggestions) if values[_suggestions.c.id] is not None else None,
        row.language_of_item or "",
        bool(row.others_answered),
        counts_within(row),
        bool(row.has_suggestions),
        from_row(Exposure, row, _exposures) if values[_exposures.c.item_id] is not None else None,
        from_row(PreAnnotation, row, _preannotations) if values[_preannotations.c.id] is not None else None,
    )
