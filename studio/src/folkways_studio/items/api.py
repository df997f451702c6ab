"""API: items (added, listed, decided, redacted), model answers to judge, and imports."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Path, Query, Response
from starlette.datastructures import FormData

from folkways_studio.errors import ConflictError
from folkways_studio.items import imports
from folkways_studio.items import service as items
from folkways_studio.items.imports import Import
from folkways_studio.items.peer_rows import table_rows
from folkways_studio.items.reading import import_items
from folkways_studio.items.table_files import json_cell
from folkways_studio.models.drawing import draw_answers
from folkways_studio.people import participants
from folkways_studio.records import Item, ItemState, Stage
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.web.api.bodies import Cell, NewDecision, NewDraw, NewItems, NewRedaction
from folkways_studio.web.api.calls import AdjudicatorCall, Number, StaffCall, StudyCall, TokenRoute
from folkways_studio.web.api.problems import ProblemLocation
from folkways_studio.web.api.responses import (
    ApiResponse,
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
    slice_of,
)
from folkways_studio.work import adjudications, blinding, judgements, redaction

router = APIRouter(tags=["items"], route_class=TokenRoute)

MOST_AT_ONCE = 500
"""Rows that are added before the response; more are imported in the background."""

ACCEPTED = "They are many and are imported in the background; ask at the address how far that is."

Filter = Annotated[str | None, Query(max_length=64)]
Names = tuple[dict[int, Stage], dict[int | None, str], dict[int | None, str]]
"""Stages, and the names of populations and people, by id."""


class ImportResponse(ApiResponse):
    """A table that is imported in the background. address: where to ask how far it is; rows: null until
    counted.

    state: waiting, running, done, failed (nothing was kept), cancelled, deleting, deleted. problems: the
    first hundred unusable rows. notes: what of the file was left out. deleted: items deleted again.
    """

    id: int
    address: str
    stage: str
    state: str
    rows: int | None
    added: int
    deleted: int
    error: str | None
    problems: list[ProblemLocation]
    notes: list[str]
    created: datetime
    finished: datetime | None


@router.get("/studies/{study}/items")
def list_items(
    call: AdjudicatorCall, stage: Filter = None, population: Filter = None, state: ItemState | None = None,
    limit: Limit = 100, cursor: Cursor = 0,
) -> PageResponse[ItemResponse]:  # fmt: skip
    """List items by id; of one stage, population or state if one is given."""
    population_id = (
        studies.get_population(call.workspace, call.study.id, population).id
        if population is not None
        else None
    )
    rows = items.list_items(
        call.workspace,
        call.study.id,
        stage,
        population_id=population_id,
        state=state,
        after=cursor,
        limit=limit + 1,
    )
    names = _names(call)
    blind = blinding.blind_among(call.workspace, call.study.id, call.account.id, [item.id for item in rows])
    return page_of(
        rows,
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
    imported in the background: the response is then 202, with the import and the address at which to ask how
    far it is."""
    rows = [cells(row) for row in body.rows]
    if len(rows) > MOST_AT_ONCE:
        job = _begin_import(call, body, rows)
        response.status_code = 202
        response.headers["Location"] = job.address
        return job
    stage = studies.get_stage(call.workspace, call.study.id, body.stage)
    table = table_rows(rows, stage, body.annotations)
    added = import_items(
        call.workspace, call.study.id, body.stage, table.rows, population=body.population, by=call.account.id
    )
    return ItemsAddedResponse(added=len(added), ids=[item.id for item in added], notes=[*table.notes])


def _begin_import(call: StaffCall, body: NewItems, rows: Sequence[Mapping[str, str]]) -> ImportResponse:
    content = orjson.dumps(rows)
    return _import_response(
        call,
        call.studio.import_worker.submit_import(
            call.study.id,
            body.stage,
            "rows.json",
            content,
            population=body.population,
            by=call.account.id,
            annotations=body.annotations,
        ),
    )


def cells(row: Mapping[str, Cell]) -> dict[str, str]:
    """A row as text cells."""
    return {name: json_cell(value) for name, value in row.items()}


@router.get("/studies/{study}/items/{item}")
def show_item(call: AdjudicatorCall, item: Number) -> ItemDetailResponse:
    """One item with its judgements, revisions, decisions and ancestors. An item is blind while the account
    works on its stage and may still be asked about it: then only the ancestors are given, and no result."""
    return _item_detail(call, items.get_item(call.workspace, call.study.id, item))


@router.post("/studies/{study}/items/{item}/decisions", status_code=201)
def decide(call: AdjudicatorCall, item: Number, body: NewDecision) -> ItemDetailResponse:
    """Decide an item instead of its rule, or drop it; the judgements stay."""
    row = items.get_item(call.workspace, call.study.id, item)
    stage = next(each for each in studies.stages(call.workspace, call.study.id) if each.id == row.stage_id)
    blinding.require_sight(call.workspace, call.study.id, call.account.id, item)
    decision: Mapping[str, Any] = {}
    if not body.drop:
        if not adjudications.can_decide(stage, row):
            raise ConflictError(
                "this item cannot be decided, because it is an attention check or has no right answer; "
                "drop it instead"
            )
        decision = adjudications.decision_of(stage, row, _submission(stage, row, body.answer))
    decided = adjudications.adjudicate(
        call.workspace, call.study.id, item, call.account.id, decision, body.reason, drop=body.drop
    )
    return _item_detail(call, decided)


def _submission(stage: Stage, item: Item, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer, read like the form of its page."""
    pairs = [
        (name, each)
        for name, value in answer.items()
        for each in (value if isinstance(value, list) else [value])
    ]
    form = FormData([(name, str(each)) for name, each in pairs])
    return stage_kind(stage.kind).read_form(form, item.content, stage.config)


@router.post("/studies/{study}/judgements/{judgement}/redactions", status_code=201)
def redact(call: StaffCall, judgement: Number, body: NewRedaction) -> ItemDetailResponse:
    """Take a person's words out of an answer and everything derived from it."""
    judgement_row = redaction.redact(
        call.workspace, call.study.id, judgement, body.fields, by=call.account.id
    )
    return _item_detail(call, items.get_item(call.workspace, call.study.id, judgement_row.item_id))


@router.post("/studies/{study}/draws", status_code=201)
def draw(call: StaffCall, body: NewDraw) -> ItemsDrawnResponse:
    """Draw model answers to judge from a run that is stored on the server."""
    drawn = draw_answers(
        call.workspace, call.study.id, body.stage, body.run, per_culture=body.per_culture,
        wrong_only=body.wrong_only, models=body.models, seed=body.seed, by=call.account.id,
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
    """The names of an item's stage, population and author, and the id of its parent."""
    stages, populations, people = names
    return {
        "stage": stages[item.stage_id].name, "population": populations.get(item.population_id),
        "parent": item.parent_id,
        "author": people.get(item.author_id),
    }  # fmt: skip


def _seen(item: Item, names: Names, blind: Collection[int]) -> Item:
    """The item without its result and known answer, as its people see it, if it is blind for the account."""
    if item.id not in blind:
        return item
    content = stage_kind(names[0][item.stage_id].kind).presented(item.content, "")
    return replace(item, content=content, check=None, result=None, reason=None)


def _item_detail(call: StudyCall, item: Item) -> ItemDetailResponse:
    workspace, study = call.workspace, call.study.id
    names = _names(call)
    blind = blinding.blind_among(workspace, study, call.account.id, [item.id])
    ancestors = [each.id for each in items.lineage(workspace, study, item.id)[:-1]]
    if blind:
        hidden: Mapping[str, Any] = {
            "judgements": [],
            "revisions": [],
            "decisions": [],
            "ancestors": ancestors,
            "blind": True,
        }
        return ItemDetailResponse.of(_seen(item, names, blind), **_origin(item, names), **hidden)
    stages, _, people = names
    describe = stage_kind(stages[item.stage_id].kind).describe
    answers = [
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
        judgements=answers,
        revisions=[RevisionResponse.of(each) for each in items.revisions(workspace, study, item.id)],
        decisions=[
            DecisionResponse.of(each) for each in adjudications.list_adjudications(workspace, study, item.id)
        ],
        ancestors=ancestors,
        blind=False,
    )


ImportNumber = Annotated[int, Path(alias="import", ge=1, le=2**31 - 1)]


@router.get("/studies/{study}/imports")
def list_imports(call: StaffCall, limit: Limit = 100, cursor: Cursor = 0) -> PageResponse[ImportResponse]:
    """List the imports of a study, newest first."""
    return slice_of(
        imports.list_imports(call.workspace, call.study.id),
        cursor,
        limit,
        lambda each: _import_response(call, each),
    )


@router.get("/studies/{study}/imports/{import}")
def show_import(call: StaffCall, number: ImportNumber) -> ImportResponse:
    """How far an import is, and what was wrong with its rows."""
    job = imports.get_import(call.workspace, call.study.id, number)
    if job.state in imports.AT_WORK:
        call.studio.import_worker.wake()  # its worker may have been stopped
    return _import_response(call, job)


@router.post("/studies/{study}/imports/{import}/cancel")
def cancel_import(call: StaffCall, number: ImportNumber) -> ImportResponse:
    """Cancel an import. What it has added stays until it is deleted."""
    return _import_response(call, imports.cancel(call.workspace, call.study.id, number, by=call.account.id))


@router.delete("/studies/{study}/imports/{import}", status_code=202)
def delete_import(call: StaffCall, number: ImportNumber) -> ImportResponse:
    """Delete an import's items that nobody has begun. This goes on in the background; the state says how far
    it is."""
    job = imports.delete_import(call.workspace, call.study.id, number, by=call.account.id)
    call.studio.import_worker.wake()
    return _import_response(call, job)


def _import_response(call: StaffCall, job: Import) -> ImportResponse:
    address = f"{call.request.scope['root_path']}/studies/{call.study.name}/imports/{job.id}"
    return ImportResponse.of(
        job,
        address=address,
        problems=[ProblemLocation(where=f"row {row}", what=what) for row, what in job.problems],
    )
