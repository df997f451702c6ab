"""Pictures and recordings of a study: listed, and deleted where no item shows them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from folkways.studio.services.storage import media
from folkways.studio.web.api.answers import Told
from folkways.studio.web.api.calls import StaffCall
from folkways.studio.web.api.pages import Cursor, Limit, Page, slice_of

router = APIRouter(tags=["items"])


class MediaTold(Told):
    """A file that items may show. type: "image/png". bytes: its size."""

    name: str
    type: str
    bytes: int
    sha256: str


@router.get("/studies/{study}/media")
def list_media(call: StaffCall, limit: Limit = 100, cursor: Cursor = 0) -> Page[MediaTold]:
    """Pictures and recordings by name."""
    return slice_of(media.list_media(call.workspace, call.study.id), cursor, limit, MediaTold.of)


@router.delete("/studies/{study}/media/{file}", status_code=204)
def delete_media(call: StaffCall, file: Annotated[str, Path(max_length=128)]) -> None:
    """Delete a picture or recording; refused while an item that is not dropped shows it."""
    media.delete_media(call.workspace, call.study.id, file, by=call.account.id)
