"""Items: added, listed, decided over; what was said of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from starlette.datastructures import FormData

from folkways_studio.errors import ConflictError
from folkways_studio.items import service as items
from folkways_studio.items.imports_api import ImportResponse, begin_import
from folkways_studio.items.reading import import_items
from folkways_studio.items.tables import json_cell
from folkways_studio.models.drawing import draw_answers
from folkways_studio.people import participants
from folkways_studio.records import Item, ItemState, Stage
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.web.api.bodies import Cell, NewDecision, NewDraw, NewItems, NewRedaction
from folkways_studio.web.api.calls import AdjudicatorCall, Number, StaffCall, StudyCall
from folkways_studio.web.api.responses import (
    Cursor,
    DecisionResponse,
    ItemDetailResponse,
    ItemResponse,
    ItemsAddedResponse,
    ItemsDrawnResponse,
    JudgementResponse,
    Limit,
    PageResponse,
    RevisionResponse,
    page_of,
)
from folkways_studio.work import adjudications, blinding, judgements, redaction

router = APIRouter(tags=["items"])

MOST_AT_ONCE = 500
"""Rows that are added before the answer; more are imported in the background."""

ACCEPTED = "They are many and are imported in the background; ask at the address how far that is."

Filter = Annotated[str | None, Query(max_length=64)]
Names = tuple[dict[int, Stage], dict[int | None, str], dict[int | None, str]]
"""Stages, and the names of populations and people, by their ids."""


@router.get("/studies/{study}/items")
def list_items(
    call: AdjudicatorCall, stage: Filter = None, population: Filter = None, state: ItemState | None = None,
    limit: Limit = 100, cursor: Cursor = 0,
) -> PageResponse[ItemResponse]:  # fmt: skip
    """Items in order of their ids; of one stage, population or state if one is given."""
    place = (
        studies.get_population(call.workspace, call.study.id, population).id
        if population is not None
        else None
    )
    found = items.list_items(
        call.workspace, call.study.id, stage, population_id=place, state=state, after=cursor, limit=limit + 1
    )
    names = _names(call)
    blind = blinding.blind_among(call.workspace, call.study.id, call.account.id, [item.id for item in found])
    return page_of(
        found,
        limit,
        lambda item: item.id,
        lambda item: ItemResponse.of(_seen(item, names, blind), **_origin(item, names)),
    )


@router.post(
    "/studies/{study}/items",
    status_code=201,
    responses={202: {"model": ImportResponse, "description": ACCEPTED}},
)
def add_items(call: StaffCall, body: NewItems, response: Response) -> ItemsAddedResponse | ImportResponse:
    """Add one item per row to a stage: all of them, or none if one cannot be used. More than 500 rows are
    imported in the background: the answer is 202, with the import and the address at which to ask how far it
    is.
    """
    rows = [cells(row) for row in body.rows]
    if len(rows) > MOST_AT_ONCE:
        told = begin_import(call, body.stage, rows, body.population)
        response.status_code = 202
        response.headers["Location"] = told.address
        return told
    added = import_items(
        call.workspace, call.study.id, body.stage, rows, population=body.population, by=call.account.id
    )
    return ItemsAddedResponse(added=len(added), ids=[item.id for item in added])


def cells(row: Mapping[str, Cell]) -> dict[str, str]:
    """A row as a table has it: every cell a text."""
    return {name: json_cell(value) for name, value in row.items()}


@router.get("/studies/{study}/items/{item}")
def show_item(call: AdjudicatorCall, item: Number) -> ItemDetailResponse:
    """One item with its judgements, states, decisions and what it descends from; without the first three, and
    without its result, while it is blind: the account works on its stage and may still be asked about it.
    """
    return _whole(call, items.get_item(call.workspace, call.study.id, item))


@router.post("/studies/{study}/items/{item}/decisions", status_code=201)
def decide(call: AdjudicatorCall, item: Number, body: NewDecision) -> ItemDetailResponse:
    """Decide over an item in place of the rule, or drop it; the judgements stay as they are."""
    found = items.get_item(call.workspace, call.study.id, item)
    stage = next(each for each in studies.stages(call.workspace, call.study.id) if each.id == found.stage_id)
    blinding.require_sight(call.workspace, call.study.id, call.account.id, item)
    decision: Mapping[str, Any] = {}
    if not body.drop:
        if not adjudications.can_decide(stage, found):
            raise ConflictError(
                "this item cannot be decided: it is an attention check, or has no right answer; it can be "
                "dropped"
            )
        decision = adjudications.decision_of(stage, found, _submission(stage, found, body.answer))
    decided = adjudications.adjudicate(
        call.workspace, call.study.id, item, call.account.id, decision, body.reason, drop=body.drop
    )
    return _whole(call, decided)


def _submission(stage: Stage, item: Item, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer, read as the form of its page is."""
    pairs = [
        (name, each)
        for name, value in answer.items()
        for each in (value if isinstance(value, list) else [value])
    ]
    form = FormData([(name, str(each)) for name, each in pairs])
    return stage_kind(stage.kind).read_form(form, item.content, stage.config)


@router.post("/studies/{study}/judgements/{judgement}/redactions", status_code=201)
def redact(call: StaffCall, judgement: Number, body: NewRedaction) -> ItemDetailResponse:
    """Take a person's words out of an answer, and out of all that was made of it."""
    found = redaction.redact(call.workspace, call.study.id, judgement, body.fields, by=call.account.id)
    return _whole(call, items.get_item(call.workspace, call.study.id, found.item_id))


@router.post("/studies/{study}/draws", status_code=201)
def draw(call: StaffCall, body: NewDraw) -> ItemsDrawnResponse:
    """Draw answers of models from a run that is stored on the server, for judging."""
    drawn = draw_answers(
        call.workspace, call.study.id, body.stage, body.run, per_culture=body.per_culture, wrong_only=body.wrong_only,
        models=body.models, seed=body.seed, by=call.account.id,
    )  # fmt: skip
    return ItemsDrawnResponse(added=len(drawn.items), counts=dict(drawn.counts))


def _names(call: StudyCall) -> Names:
    workspace, study = call.workspace, call.study.id
    return (
        {each.id: each for each in studies.stages(workspace, study)},
        {each.id: each.name for each in studies.populations(workspace, study)},
        {each.id: each.pseudonym for each in participants.list_participants(workspace, study)},
    )


def _origin(item: Item, names: Names) -> dict[str, Any]:
    """Where an item is from, by names."""
    stages, populations, people = names
    return {
        "stage": stages[item.stage_id].name, "population": populations.get(item.population_id), "parent": item.parent_id,
        "author": people.get(item.author_id),
    }  # fmt: skip


def _seen(item: Item, names: Names, blind: Collection[int]) -> Item:
    """The item as its people see it, where it is blind for the account; without its result and its known
    answer then."""
    if item.id not in blind:
        return item
    content = stage_kind(names[0][item.stage_id].kind).presented(item.content, "")
    return replace(item, content=content, check=None, result=None, reason=None)


def _whole(call: StudyCall, item: Item) -> ItemDetailResponse:
    workspace, study = call.workspace, call.study.id
    names = _names(call)
    blind = blinding.blind_among(workspace, study, call.account.id, [item.id])
    ancestors = [each.id for each in items.lineage(workspace, study, item.id)[:-1]]
    if blind:
        nothing: Mapping[str, Any] = {
            "judgements": [],
            "revisions": [],
            "decisions": [],
            "ancestors": ancestors,
            "blind": True,
        }
        return ItemDetailResponse.of(_seen(item, names, blind), **_origin(item, names), **nothing)
    stages, _, people = names
    describe = stage_kind(stages[item.stage_id].kind).describe
    said = [
        JudgementResponse.of(
            each,
            participant=people[each.participant_id],
            words=list(describe(each.payload, item.content, str)),
        )
        for each in judgements.list_judgements(workspace, study, item.id)
    ]
    return ItemDetailResponse.of(
        item,
        **_origin(item, names),
        judgements=said,
        revisions=[RevisionResponse.of(each) for each in items.revisions(workspace, study, item.id)],
        decisions=[
            DecisionResponse.of(each) for each in adjudications.list_adjudications(workspace, study, item.id)
        ],
        ancestors=ancestors,
        blind=False,
    )
