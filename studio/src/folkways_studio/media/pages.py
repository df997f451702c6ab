"""Pictures and recordings: added by researchers, shown only to the people of their study.

Files are served with ranges, as browsers and players ask for them (RFC 9110, 13 and 14).
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers, UploadFile
from starlette.responses import Response, StreamingResponse

from folkways.sdk.errors import FolkwaysError
from folkways_studio.errors import NotFoundError
from folkways_studio.exports.pages import show_result
from folkways_studio.items.uploads import problem_lines
from folkways_studio.media import service as media
from folkways_studio.media.reading import MediaError, read_media
from folkways_studio.media.service import Media
from folkways_studio.media.stores import MediaStore, MediaStoreError, media_store
from folkways_studio.records import LET_IN
from folkways_studio.web.request_context import ADJUDICATORS, PARTICIPANT, STAFF, RequestContext
from folkways_studio.web.routing import Routes

routes = Routes()

MOST_AT_ONCE = 200
PART_BYTES = 1_000_000
"""Bytes read at once: the most of a file in memory per reader, available before the response begins."""

KEPT = "private, max-age=3600"
"""A name always means the same file, but people may leave a study."""

RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")
LOG = logging.getLogger("folkways_studio")


@routes.get("/work/{study}/media/{file}", PARTICIPANT, slow=True)
def show_to_participant(context: RequestContext) -> Response:
    """A file of the study, or a part of it, for somebody who works on it, or looks at what they have sent."""
    if context.participant.state not in LET_IN:
        raise NotFoundError(context.gettext("There is no such page."))
    return _file(context)


@routes.get("/studies/{study}/media/{file}", ADJUDICATORS, slow=True)
def show_to_staff(context: RequestContext) -> Response:
    """The same for those who run or review the study."""
    return _file(context)


def _file(context: RequestContext) -> Response:
    record = media.find_media(context.workspace, context.study.id, str(context.request.path_params["file"]))
    sorry = context.gettext(
        "Something went wrong on our side. What you wrote is kept; try again in a moment."
    )
    return stored_file(
        media_store(context.workspace), record, context.request.headers, context.studio.slow, sorry
    )


@routes.post("/studies/{study}/data/media", STAFF, upload=MOST_AT_ONCE, slow=True)
def bring_media(context: RequestContext) -> Response:
    """Add files to the study, all or none."""
    uploads = [
        each for each in context.form.getlist("file") if isinstance(each, UploadFile) and each.filename
    ]
    try:
        if not uploads:
            raise FolkwaysError(context.gettext("Choose a file."))
        files = read_media((each.filename or "", each.file.read()) for each in uploads)
        added = media.add_media(context.workspace, context.study.id, files, by=context.me.id)
    except MediaError as error:
        lines = [f"{name}: {problem}" for name, problem in error.problems.items()]
        return show_result(context, problems=lines[:100], status=422)
    except FolkwaysError as error:
        status = error.status if isinstance(error, MediaStoreError) else 422
        return show_result(context, problems=problem_lines(context, error), status=status)
    return show_result(
        context, context.ngettext("%(num)s file was added.", "%(num)s files were added.", added)
    )


@routes.post("/studies/{study}/media/{file}/delete", STAFF, slow=True)
def delete_media(context: RequestContext) -> Response:
    """Delete a file that no item shows."""
    name = str(context.request.path_params["file"])
    media.delete_media(context.workspace, context.study.id, name, by=context.me.id)
    return show_result(context, f"{name}: {context.gettext('deleted')}")


def stored_file(
    store: MediaStore, media: Media, asked: Headers, limiter: CapacityLimiter, sorry: str
) -> Response:
    """The response with a file or the requested range, or 304 if the browser has it. Several ranges may be
    ignored: then it is the whole file.

    store, media: the file.
    asked: headers of the request.
    limiter: of the threads that read on.
    sorry: message of the MediaStoreError if it cannot be read. NotFoundError if it is missing.
    """
    tag = f'"{media.sha256}"'
    headers = {"ETag": tag, "Cache-Control": KEPT, "Accept-Ranges": "bytes"}
    if tag in (each.strip().removeprefix("W/") for each in asked.get("if-none-match", "").split(",")):
        return Response(status_code=304, headers=headers)
    part = wanted(asked.get("range", ""), media.bytes) if asked.get("if-range", tag) == tag else None
    if part is None:
        part, status = range(media.bytes), 200
    elif not part:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{media.bytes}"})
    else:
        status, headers["Content-Range"] = 206, f"bytes {part[0]}-{part[-1]}/{media.bytes}"

    def read(start: int) -> bytes:
        return store.read(media.sha256, range(start, min(start + PART_BYTES, part.stop)))

    try:
        begun = read(part.start)
    except FileNotFoundError:
        LOG.warning("the file %s is not in %s", media.sha256, store.place)
        raise NotFoundError("there is no such file") from None
    except MediaStoreError as error:
        LOG.warning("%s", error)
        raise MediaStoreError(sorry) from None

    async def parts() -> AsyncIterator[bytes]:
        yield begun
        for start in part[PART_BYTES::PART_BYTES]:
            yield await to_thread.run_sync(read, start, limiter=limiter)

    headers["Content-Length"] = str(len(part))
    return StreamingResponse(parts(), status, headers, media.type)


def wanted(asked: str, size: int) -> range | None:
    """The bytes that the header Range asks for, empty if the file does not have them; None if it asks for
    nothing readable, or for several ranges."""
    match = RANGE.fullmatch(asked)
    if match is None or not any(match.groups()):
        return None
    first, last = match.groups()
    if not first:
        return range(max(0, size - int(last)), size)
    if last and int(last) < int(first):
        return None
    return range(int(first), min(int(last) + 1, size) if last else size)
