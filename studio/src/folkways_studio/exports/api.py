"""API: progress, agreement, payments, exports, the audit trail and model calls of a study."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from starlette.responses import Response

from folkways_studio.activity import Event
from folkways_studio.database import audit
from folkways_studio.exports.archive import export_archive
from folkways_studio.models import modelling
from folkways_studio.people.actors import actors_of
from folkways_studio.studies import agreement as agreements
from folkways_studio.studies import progress as working
from folkways_studio.studies.agreement import Agreement
from folkways_studio.studies.progress import Payment, Progress, Quality
from folkways_studio.studies.suggestion_effects import SuggestionFigures, suggestion_figures
from folkways_studio.web.api.calls import StaffCall, TokenRoute
from folkways_studio.web.api.responses import (
    Cursor,
    EventResponse,
    Limit,
    ModelCallResponse,
    PageResponse,
    page_of,
    slice_of,
)
from folkways_studio.web.routing import attachment
from folkways_studio.work import leases

router = APIRouter(tags=["results"], route_class=TokenRoute)

Format = Literal[
    "release", "csv", "jsonl", "parquet", "xlsx", "hub", "label-studio", "argilla", "spacy", "conll"
]
ZIP = "application/zip"


@router.get("/studies/{study}/progress")
def show_progress(call: StaffCall) -> list[Progress]:
    """Items and answers by stage and population."""
    leases.expire(call.workspace, call.study.id)
    return list(working.progress(call.workspace, call.study.id))


@router.get("/studies/{study}/quality")
def show_quality(call: StaffCall, limit: Limit = 100, cursor: Cursor = 0) -> PageResponse[Quality]:
    """How each person works, by stage. Flags are reasons to look, not verdicts."""
    return slice_of(working.quality(call.workspace, call.study.id), cursor, limit, lambda each: each)


@router.get("/studies/{study}/agreement")
def show_agreement(call: StaffCall) -> list[Agreement]:
    """How far people agree, by stage, population and field; where a coefficient is not defined, why."""
    return list(agreements.agreement(call.workspace, call.study.id))


@router.get("/studies/{study}/suggestion-effects")
def show_suggestion_effects(call: StaffCall) -> SuggestionFigures:
    """What became of the suggestions that forms began with, by stage, model and version, and what they do to
    answers and time where half of the people saw them."""
    return suggestion_figures(call.workspace, call.study.id)


@router.get("/studies/{study}/payments")
def show_payments(call: StaffCall, limit: Limit = 100, cursor: Cursor = 0) -> PageResponse[Payment]:
    """What each person is owed for: answers and minutes, with the completion code and the recruitment
    service's id."""
    shown = slice(cursor, cursor + limit)
    payments = working.read_payments(call.workspace, call.study.id, by=call.account.id, shown=shown)
    return slice_of(payments, cursor, limit, lambda each: each)


@router.get("/studies/{study}/export", response_class=Response,
            responses={200: {"content": {ZIP: {}}, "description": "The files of the export."}})  # fmt: skip
def export(call: StaffCall, format: Format = "release", discussion: bool = False) -> Response:
    """Everything that may leave the study, as a ZIP: the benchmark's own schema (release), or tables.

    discussion: include the table of comments by researchers and reviewers.
    """
    content = export_archive(call.workspace, call.study.id, format, discussion=discussion, by=call.account.id)
    return attachment(content, f"{call.study.name}-{format}.zip", ZIP)


@router.get("/studies/{study}/events")
def list_events(call: StaffCall, limit: Limit = 100, cursor: Cursor = 0) -> PageResponse[EventResponse]:
    """The audit trail, newest first."""
    rows = audit.events(call.workspace, call.study.id, before=cursor or None, limit=limit + 1)
    actors = actors_of(call.workspace, rows)

    def response(event: Event) -> EventResponse:
        person = actors.pseudonyms.get(event.participant_id) if event.participant_id else None
        return EventResponse.of(event, by=actors.login(event.account_id), participant=person)

    return page_of(rows, limit, lambda event: event.id, response)


@router.get("/studies/{study}/model-calls")
def list_model_calls(
    call: StaffCall, limit: Limit = 100, cursor: Cursor = 0
) -> PageResponse[ModelCallResponse]:
    """Questions to models in this study and their replies, oldest first."""
    return slice_of(modelling.list_calls(call.workspace, call.study.id), cursor, limit, ModelCallResponse.of)
