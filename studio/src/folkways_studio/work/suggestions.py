"""What models suggested and what people made of it. A suggestion is in nobody's form until they put it
there."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.activity import ModelSuggestion
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows, read_all, read_first
from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.records import LEFT_OUT, Draft, Item, Stage
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.work import drafts
from folkways_studio.work.leases import own_assignment
from folkways_studio.workflows.suggesting import SUGGESTERS, outcome


@dataclass(frozen=True, slots=True)
class SuggestionOutcomes:
    """What people made of the suggestions of one model, asked with one wording, in one stage.

    accepted, changed, rejected: answers that were sent. waiting: suggestions whose answer was not. parts,
    kept: what was suggested in those that were sent, and what of it stands in the answers as it was.
    """

    stage: Stage
    model: str
    prompt_version: str
    accepted: int
    changed: int
    rejected: int
    waiting: int
    parts: int
    kept: int

    @property
    def sent(self) -> int:
        """Suggestions whose answer was sent."""
        return self.accepted + self.changed + self.rejected

    @property
    def share_accepted(self) -> float | None:
        """The share of those that were accepted as they were; None before the first."""
        return self.accepted / self.sent if self.sent else None


def latest_suggestion(workspace: Workspace, participant_id: int, item_id: int) -> ModelSuggestion | None:
    """What this person was suggested last for an item."""
    table = schema.suggestions
    query = (
        sa.select(table).filter_by(participant_id=participant_id, item_id=item_id).order_by(table.c.id.desc())
    )
    return read_first(workspace, ModelSuggestion, query)


def take_suggestion(
    workspace: Workspace,
    participant_id: int,
    assignment_id: int,
    written: Mapping[str, Any],
    base_revision: int,
) -> Draft:
    """Put the latest suggestion into the person's draft (workspace, participant_id, assignment_id,
    base_revision: see ``save_draft``). ``written``, the fields of their form before, is stored with it.

    NotFoundError if nothing was suggested; ConflictError if the draft has it already; otherwise as
    ``save_draft``.
    """
    suggestion = _at_hand(workspace, participant_id, assignment_id)
    if suggestion.taken is not None:
        raise ConflictError("this suggestion is in your form already")
    draft = drafts.save_draft(
        workspace, participant_id, assignment_id, {**written, **suggestion.content}, base_revision
    )
    with workspace.write() as connection:
        change_rows(
            connection, schema.suggestions, {"id": suggestion.id}, taken=time.time(), before=dict(written)
        )
    return draft


def put_back(workspace: Workspace, participant_id: int, assignment_id: int, base_revision: int) -> Draft:
    """Undo ``take_suggestion`` (workspace, participant_id, assignment_id, base_revision: see
    ``save_draft``). ConflictError if no suggestion was taken."""
    suggestion = _at_hand(workspace, participant_id, assignment_id)
    if suggestion.taken is None or suggestion.before is None:
        raise ConflictError("there is nothing to put back")
    draft = drafts.save_draft(workspace, participant_id, assignment_id, suggestion.before, base_revision)
    with workspace.write() as connection:
        change_rows(connection, schema.suggestions, {"id": suggestion.id}, taken=None, before=None)
    return draft


def settle_suggestions(
    connection: sa.Connection, item: Item, stage: Stage, participant_id: int, payload: Mapping[str, Any]
) -> None:
    """Record what became of the suggestions that this person (participant_id) asked for, for an item of a
    stage, in the transaction (connection) that stores their answer (payload)."""
    if stage.kind not in SUGGESTERS:
        return
    table, kind = schema.suggestions, stage_kind(stage.kind)
    mine = sa.select(table).where(
        table.c.item_id == item.id, table.c.participant_id == participant_id, table.c.outcome.is_(None)
    )
    answer = kind.answer_parts(kind.draft_of(payload), item.content, stage.config)
    for row in connection.execute(mine).all():
        suggested = kind.answer_parts(row.content, item.content, stage.config)
        word, parts, unchanged = outcome(suggested, answer, taken=row.taken is not None)
        change_rows(connection, table, {"id": row.id}, outcome=word, parts=parts, kept=unchanged, before=None)


def suggestions_of_study(workspace: Workspace, study_id: int) -> Sequence[ModelSuggestion]:
    """Every suggestion in a study to people who did not withdraw, the oldest first."""
    table, people = schema.suggestions, schema.participants
    query = (
        sa.select(table)
        .join(people, people.c.id == table.c.participant_id)
        .where(people.c.study_id == study_id, people.c.state.not_in(LEFT_OUT))
        .order_by(table.c.id)
    )
    return read_all(workspace, ModelSuggestion, query)


def made_of_suggestions(workspace: Workspace, study_id: int) -> tuple[SuggestionOutcomes, ...]:
    """What was made of suggestions by stage, model and wording, in order of stages."""
    items = schema.items
    with workspace.read() as connection:
        rows = connection.execute(sa.select(items.c.id, items.c.stage_id).where(items.c.study_id == study_id))
        stage_of = {row.id: row.stage_id for row in rows}
    groups: defaultdict[tuple[int, str, str], list[ModelSuggestion]] = defaultdict(list)
    for each in suggestions_of_study(workspace, study_id):
        groups[stage_of[each.item_id], each.model, each.prompt_version].append(each)
    outcomes = []
    for stage in studies.stages(workspace, study_id):
        for (number, model, version), group in groups.items():
            if number != stage.id:
                continue
            counts = {
                word: sum(each.outcome == word for each in group)
                for word in ("accepted", "changed", "rejected")
            }
            parts, unchanged = sum(each.parts or 0 for each in group), sum(each.kept or 0 for each in group)
            waiting = sum(each.outcome is None for each in group)
            outcomes.append(
                SuggestionOutcomes(
                    stage, model, version, **counts, waiting=waiting, parts=parts, kept=unchanged
                )
            )
    return tuple(outcomes)


def _at_hand(workspace: Workspace, participant_id: int, assignment_id: int) -> ModelSuggestion:
    with workspace.read() as connection:
        assignment = own_assignment(connection, participant_id, assignment_id)
    suggestion = latest_suggestion(workspace, participant_id, assignment.item_id)
    if suggestion is None:
        raise NotFoundError("nothing has been suggested here")
    return suggestion
