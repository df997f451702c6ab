"""Imports of many items, which go on in the background: begun, how far they are, cancelled, deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

import orjson
from fastapi import APIRouter, Path

from folkways_studio.items import imports
from folkways_studio.items.imports import Import
from folkways_studio.web.api.calls import StaffCall
from folkways_studio.web.api.problems import ProblemLocation
from folkways_studio.web.api.responses import ApiResponse, Cursor, Limit, PageResponse, slice_of

router = APIRouter(tags=["items"])


class ImportResponse(ApiResponse):
    """A table that is imported in the background. address: where to ask how far it is; rows: null until they
    have been counted.

    state: waiting, running, done, failed (nothing of it was kept), cancelled, deleting, deleted. problems:
    the first hundred rows that cannot be used. deleted: items of it that were deleted again.
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
    created: datetime
    finished: datetime | None


def begin_import(
    call: StaffCall, stage: str, rows: Sequence[Mapping[str, str]], population: str | None
) -> ImportResponse:
    """Have rows imported in the background. NotFoundError for a stage or population that the study has
    not."""
    content = orjson.dumps(rows)
    return _told(
        call,
        call.studio.import_worker.submit_import(
            call.study.id, stage, "rows.json", content, population=population, by=call.account.id
        ),
    )


ImportNumber = Annotated[int, Path(alias="import", ge=1, le=2**31 - 1)]


@router.get("/studies/{study}/imports")
def list_imports(call: StaffCall, limit: Limit = 100, cursor: Cursor = 0) -> PageResponse[ImportResponse]:
    """The imports of a study, newest first."""
    return slice_of(
        imports.list_imports(call.workspace, call.study.id), cursor, limit, lambda each: _told(call, each)
    )


@router.get("/studies/{study}/imports/{import}")
def show_import(call: StaffCall, number: ImportNumber) -> ImportResponse:
    """How far an import is, and what was wrong with its rows."""
    found = imports.get_import(call.workspace, call.study.id, number)
    if found.state in imports.AT_WORK:
        call.studio.import_worker.wake()  # somebody else may have been stopped at it
    return _told(call, found)


@router.post("/studies/{study}/imports/{import}/cancel")
def cancel_import(call: StaffCall, number: ImportNumber) -> ImportResponse:
    """Stop an import. What it has added stays until it is deleted."""
    return _told(call, imports.cancel(call.workspace, call.study.id, number, by=call.account.id))


@router.delete("/studies/{study}/imports/{import}", status_code=202)
def delete_import(call: StaffCall, number: ImportNumber) -> ImportResponse:
    """Have the items of an import deleted that nobody has begun. It goes on in the background, as the state
    says."""
    found = imports.delete_import(call.workspace, call.study.id, number, by=call.account.id)
    call.studio.import_worker.wake()
    return _told(call, found)


def _told(call: StaffCall, found: Import) -> ImportResponse:
    address = f"{call.request.scope['root_path']}/studies/{call.study.name}/imports/{found.id}"
    return ImportResponse.of(
        found,
        address=address,
        problems=[ProblemLocation(where=f"row {row}", what=what) for row, what in found.problems],
    )
