"""API: pictures and recordings of a study."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, Path, UploadFile
from pydantic import BaseModel

from folkways_studio.media import service as media
from folkways_studio.media.reading import LONGEST_NAME, MOST_FILES, read_media
from folkways_studio.web.api.calls import StaffCall, TokenRoute
from folkways_studio.web.api.responses import ApiResponse, Cursor, Limit, PageResponse, slice_of

router = APIRouter(tags=["items"], route_class=TokenRoute)


class MediaAddedResponse(BaseModel):
    """How many files are new in the study; files that it has already are not counted."""

    added: int


class MediaResponse(ApiResponse):
    """A file that items may show. type: "image/png". bytes: its size."""

    name: str
    type: str
    bytes: int
    sha256: str


@router.get("/studies/{study}/media")
def list_media(call: StaffCall, limit: Limit = 100, cursor: Cursor = 0) -> PageResponse[MediaResponse]:
    """List pictures and recordings by name."""
    return slice_of(media.list_media(call.workspace, call.study.id), cursor, limit, MediaResponse.of)


@router.post("/studies/{study}/media", status_code=201)
def add_media(
    call: StaffCall, file: Annotated[list[UploadFile], File(max_length=MOST_FILES)]
) -> MediaAddedResponse:
    """Add pictures and recordings, one by one or in ZIP files: all of them or none."""
    files = read_media((each.filename or "", each.file.read()) for each in file)
    return MediaAddedResponse(added=media.add_media(call.workspace, call.study.id, files, by=call.account.id))


@router.delete("/studies/{study}/media/{file}", status_code=204)
def delete_media(call: StaffCall, file: Annotated[str, Path(max_length=LONGEST_NAME)]) -> None:
    """Delete a picture or recording. Refused while an item that is not dropped shows it."""
    media.delete_media(call.workspace, call.study.id, file, by=call.account.id)
