"""Assignments as the API and the command line have them: what is assigned in a study, and a rule for the
items of a stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.items.search import ItemQuery, find_ids
from folkways_studio.records import ItemState
from folkways_studio.studies import service as studies
from folkways_studio.work.assignees import MOST_ITEMS, assignees_of
from folkways_studio.work.assignment_rules import (
    AssignmentRule,
    PlannedLoad,
    apply_rule_to_items,
    plan_assignments,
)
from folkways_studio.work.stalled_items import overview_of_assignments


@dataclass(frozen=True, slots=True)
class AssignedItem:
    """An item and the names of those to whom it is assigned. stalled: the reason of ``StalledItem``, None for
    an item that may go on."""

    item: int
    key: str
    stage: str
    state: str
    people: Sequence[str]
    populations: Sequence[str]
    stalled: str | None


@dataclass(frozen=True, slots=True)
class StagePlan:
    """What a rule does, or with ``assigned`` False would do. items: how many; assignees: item id ->
    pseudonyms; short, left_out, loads, digest: of ``AssignmentPlan``; taken_back: tasks taken back from
    others."""

    assigned: bool
    items: int
    assignees: Mapping[int, Sequence[str]]
    short: Sequence[int]
    left_out: Mapping[str, Sequence[int]]
    loads: Sequence[PlannedLoad]
    digest: str
    taken_back: int


def assigned_items(
    workspace: Workspace, study_id: int, *, stalled: bool = False, start: int = 0, limit: int | None = None
) -> list[AssignedItem]:
    """The items of a study that are assigned, by id, from ``start`` on and at most ``limit``. workspace,
    study_id: the study. stalled: only those that are."""
    reasons = {each.item_id: each.reason for each in overview_of_assignments(workspace, study_id).stalled}
    items, stages = schema.items, schema.stages
    query = (
        sa.select(items.c.id, items.c.key, items.c.state, stages.c.name.label("stage"))
        .join(stages, stages.c.id == items.c.stage_id)
        .where(items.c.study_id == study_id, items.c.allocation_id.is_not(None))
        .order_by(items.c.id)
    )
    if not stalled:
        query = query.offset(start).limit(limit)
    with workspace.read() as connection:
        rows = [row for row in connection.execute(query) if not stalled or row.id in reasons]
    if stalled:
        rows = rows[start : None if limit is None else start + limit]
    named = assignees_of(workspace, study_id, [row.id for row in rows])
    return [
        AssignedItem(
            row.id,
            row.key,
            row.stage,
            row.state,
            [each.name for each in named.get(row.id, ()) if each.participant_id is not None],
            [each.name for each in named.get(row.id, ()) if each.population_id is not None],
            reasons.get(row.id),
        )
        for row in rows
    ]


def assign_stage(
    workspace: Workspace,
    study_id: int,
    stage: str,
    rule: AssignmentRule,
    *,
    population: str | None,
    stalled: bool,
    preview: bool,
    take_back: bool,
    digest: str | None = None,
    by: int | None = None,
) -> StagePlan:
    """Assign the open items of a stage by a rule.

    workspace, study_id, stage: where they are. rule, digest, take_back, by: as in ``apply_rule_to_items``,
    with its errors. population: only its items. stalled: only items that are stalled, which ``rule.again``
    has to allow; who works on one keeps it. preview: only say what it would do.
    """
    query = ItemQuery(
        stage_id=studies.get_stage(workspace, study_id, stage).id,
        population_id=studies.get_population(workspace, study_id, population).id
        if population is not None
        else None,
        state=ItemState.OPEN,
        assigned=None if rule.again else False,
    )
    numbers = find_ids(workspace, study_id, query, most=MOST_ITEMS + 1)
    waiting = None
    if stalled:
        waiting = {each.item_id: each for each in overview_of_assignments(workspace, study_id).stalled}
        numbers = [number for number in numbers if number in waiting]
    taken_back = 0
    if preview:
        plan = plan_assignments(workspace, study_id, rule, numbers, stalled=waiting, by=by)
    else:
        plan, receipt = apply_rule_to_items(
            workspace, study_id, rule, numbers, stalled=waiting, digest=digest, take_back=take_back, by=by
        )
        taken_back = receipt.taken_back
    return StagePlan(
        not preview,
        len(plan.assignees),
        {number: [each.name for each in named] for number, named in plan.assignees.items()},
        plan.short,
        {str(reason): ids for reason, ids in plan.left_out.items()},
        plan.loads,
        plan.digest,
        taken_back,
    )
