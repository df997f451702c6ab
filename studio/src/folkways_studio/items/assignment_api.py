"""API: to whom items are assigned, and what of that is stalled."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter

from folkways_studio.items.api import cells
from folkways_studio.items.stage_assignments import assign_stage, assigned_items
from folkways_studio.web.api.bodies import NewAssignments, NewRuleAssignments
from folkways_studio.web.api.calls import StaffCall, TokenRoute
from folkways_studio.web.api.responses import ApiResponse, Cursor, Limit, PageResponse, page_from
from folkways_studio.work.assignment_files import assign_rows
from folkways_studio.work.assignment_rules import AssignmentRule
from folkways_studio.work.stalled_items import overview_of_assignments

router = APIRouter(tags=["assignments"], route_class=TokenRoute)


class AssignedItemResponse(ApiResponse):
    """An item and to whom it is assigned. people: pseudonyms. stalled: why its missing answers do not come:
    nobody (no assignee can answer it), few (fewer can than answers are missing) or idle (they took no task
    for a week); null where they may."""

    item: int
    key: str
    stage: str
    state: str
    people: list[str]
    populations: list[str]
    stalled: str | None


class AssigneeLoadResponse(ApiResponse):
    """How much is assigned to a person by name. outstanding: open items that they can answer. active: when
    they last took a task."""

    person: str
    at_work: bool
    outstanding: int
    answered: int
    active: datetime | None


class AssignmentResponse(ApiResponse):
    """What was assigned, or with preview would be. taken_back: tasks that were taken back from others."""

    items: int
    taken_back: int


class PlannedLoadResponse(ApiResponse):
    """Items that a person has to answer, and how many more the plan gives them."""

    person: str
    before: int
    more: int


class PlanResponse(ApiResponse):
    """What a rule does. assigned: whether it was done; items: of the plan; assignees: item id -> pseudonyms.
    short: ids of items that get fewer people than they need. left_out: reason -> ids of items that get
    nobody."""

    assigned: bool
    items: int
    assignees: dict[int, list[str]]
    short: list[int]
    left_out: dict[str, list[int]]
    loads: list[PlannedLoadResponse]
    digest: str
    taken_back: int


@router.get("/studies/{study}/assignments")
def list_assignments(
    call: StaffCall, stalled: bool = False, limit: Limit = 100, cursor: Cursor = 0
) -> PageResponse[AssignedItemResponse]:
    """List the items that are assigned to people or populations; only those that are stalled if it is asked
    for."""
    rows = assigned_items(call.workspace, call.study.id, stalled=stalled, start=cursor, limit=limit + 1)
    return page_from(rows, cursor, limit, AssignedItemResponse.of)


@router.get("/studies/{study}/assignments/people")
def list_loads(call: StaffCall) -> list[AssigneeLoadResponse]:
    """List everybody to whom something is assigned by name, with how much of it they have to answer."""
    overview = overview_of_assignments(call.workspace, call.study.id)
    return [
        AssigneeLoadResponse.of(each, person=each.person.name, at_work=each.is_at_work)
        for each in overview.loads
    ]


@router.post("/studies/{study}/assignments", status_code=201)
def assign_items(call: StaffCall, body: NewAssignments) -> AssignmentResponse:
    """Assign items to people and populations, as a file does: all rows, or none if one cannot be used. A row
    with neither makes its item one for anybody."""
    receipt = assign_rows(
        call.workspace, call.study.id, [cells(row) for row in body.rows], add=body.add,
        take_back=body.take_back, preview=body.preview, by=call.account.id,
    )  # fmt: skip
    return AssignmentResponse.of(receipt)


@router.post("/studies/{study}/assignments/rule", status_code=201)
def assign_by_rule(call: StaffCall, body: NewRuleAssignments) -> PlanResponse:
    """Assign the open items of a stage by a rule, the least loaded first; with preview, only say what it
    would do."""
    rule = AssignmentRule(
        body.language, body.has, body.matches, body.each, body.most, tuple(body.among), body.active_days,
        again=body.again or body.stalled,
    )  # fmt: skip
    plan = assign_stage(
        call.workspace, call.study.id, body.stage, rule, population=body.population, stalled=body.stalled,
        preview=body.preview, digest=body.digest, take_back=body.take_back, by=call.account.id,
    )  # fmt: skip
    return PlanResponse.of(
        plan, loads=[PlannedLoadResponse.of(each, person=each.person.name) for each in plan.loads]
    )
