"""Answers with a stored picture or recording, or a part of it, as browsers and players ask for them (RFC
9110, 13 and 14)."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse

from folkways_studio.errors import NotFoundError
from folkways_studio.media.service import Media
from folkways_studio.media.stores import MediaStore, MediaStoreError

PART_BYTES = 1_000_000
"""Read at once: no more of a file is in memory for one reader, and the first of it is there before the answer
begins."""

KEPT = "private, max-age=3600"
"""A name stands for one file for ever, but people may leave a study."""

RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")
LOG = logging.getLogger("folkways_studio")


def stored_file(
    store: MediaStore, media: Media, asked: Headers, limiter: CapacityLimiter, sorry: str
) -> Response:
    """The file, the range of it that is asked for, or that the browser has it. Of several ranges, which may
    be left alone, all.

    limiter: of the threads that read on. sorry: the words where it cannot be read, in place of those for
    whoever runs the server.
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
        return store.read(media.sha256, start, min(start + PART_BYTES, part.stop))

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
    """The bytes that the header Range asks for, none of them where the file has no such; None where it asks
    for nothing that can be read, or for several ranges.
    """
    found = RANGE.fullmatch(asked)
    if found is None or not any(found.groups()):
        return None
    first, last = found.groups()
    if not first:
        return range(max(0, size - int(last)), size)
    if last and int(last) < int(first):
        return None
    return range(int(first), min(int(last) + 1, size) if last else size)
