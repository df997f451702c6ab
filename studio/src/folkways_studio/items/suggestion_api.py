"""API: what models suggest for items before anybody works on them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field, StringConstraints

from folkways_studio.items.preannotations import (
    LONGEST_MODEL,
    LONGEST_VERSION,
    NewPreAnnotation,
    add_suggestions,
    list_suggestions,
)
from folkways_studio.web.api.bodies import Body, Cell, Name
from folkways_studio.web.api.calls import StaffCall, TokenRoute
from folkways_studio.web.api.responses import ApiResponse, Cursor, Limit, PageResponse, page_of
from folkways_studio.work import blinding

router = APIRouter(tags=["items"], route_class=TokenRoute)

MOST_SUGGESTIONS = 2_000


class NewSuggestion(Body):
    """What a model suggests. item: its id, or its key in the stage. answer: fields of the form that people of
    the stage fill in, some or all, or the value of its plainest one. score: 0 to 1; null for none."""

    item: Annotated[int, Field(ge=1, le=2**31 - 1)] | Annotated[str, StringConstraints(max_length=128)]
    model: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_MODEL)]
    version: Annotated[str, StringConstraints(max_length=LONGEST_VERSION)] = ""
    score: float | None = Field(default=None, ge=0, le=1)
    answer: Cell


class NewSuggestions(Body):
    """Suggestions for items of a stage, of any number of models."""

    stage: Name
    suggestions: list[NewSuggestion] = Field(min_length=1, max_length=MOST_SUGGESTIONS)


class SuggestionsAddedResponse(ApiResponse):
    """Suggestions that were added, that took the place of one that nobody had seen, and that were there
    already."""

    added: int
    replaced: int
    unchanged: int


class SuggestionResponse(ApiResponse):
    """What a model suggests for an item. content: fields of the form. source: file, api, backend or model."""

    id: int
    item: int
    model: str
    version: str
    score: float | None
    content: dict[str, Any]
    source: str
    created: datetime


@router.post("/studies/{study}/suggestions", status_code=201)
def add_pre_annotations(call: StaffCall, body: NewSuggestions) -> SuggestionsAddedResponse:
    """Add what models suggest for items of a stage: all of it, or nothing if one cannot be used. A version of
    a model suggests one answer to an item; another one takes its place as long as nobody has worked with
    it."""
    new = [
        (each.item, NewPreAnnotation(each.model, each.answer, each.version, each.score, "api"))
        for each in body.suggestions
    ]
    added = add_suggestions(call.workspace, call.study.id, body.stage, new, by=call.account.id)
    return SuggestionsAddedResponse.of(added)


@router.get("/studies/{study}/suggestions")
def list_pre_annotations(
    call: StaffCall,
    stage: Annotated[str | None, Query(max_length=64)] = None,
    model: Annotated[str | None, Query(max_length=LONGEST_MODEL)] = None,
    limit: Limit = 100,
    cursor: Cursor = 0,
) -> PageResponse[SuggestionResponse]:
    """List what models suggest, by id; of one stage or model if one is given. Those for items that are blind
    for the account are left out."""
    rows = list_suggestions(call.workspace, call.study.id, stage, model=model, after=cursor, limit=limit + 1)
    blind = blinding.blind_among(
        call.workspace, call.study.id, call.account.id, [each.item_id for each in rows]
    )
    page = page_of(
        rows, limit, lambda each: each.id, lambda each: SuggestionResponse.of(each, item=each.item_id)
    )
    page.data = [each for each in page.data if each.item not in blind]
    return page
