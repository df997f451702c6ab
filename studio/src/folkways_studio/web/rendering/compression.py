"""Compressed answers for those who ask for them: files of the package, and pages whose secrets are masked.

Of a page that holds a secret and something that somebody else chose, its compressed length would tell the
secret letter by letter (BREACH): form tokens are masked anew in every page (``security.origin.masked``).
Nothing else is compressed: files that people brought are so already, and the API's answers go to programs.
"""

from __future__ import annotations

import gzip
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import Response

SHORTEST = 500
"""Bytes below which it is not worth it."""

PAGE_LEVEL, FILE_LEVEL = 4, 9


def accepts_gzip(request: Request) -> bool:
    """Whether a browser takes gzip."""
    coded = (
        part.strip().partition(";") for part in request.headers.get("accept-encoding", "").lower().split(",")
    )
    return any(
        name == "gzip" and weight.replace(" ", "") not in ("q=0", "q=0.0") for name, _, weight in coded
    )


def compressed(request: Request, response: Response) -> Response:
    """A page, compressed where the browser takes that."""
    body = bytes(response.body)
    response.headers["Vary"] = "Accept-Encoding"
    if len(body) >= SHORTEST and accepts_gzip(request):
        response.body = gzip.compress(body, PAGE_LEVEL, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.body))
    return response


@lru_cache(maxsize=256)
def packed(content: bytes) -> bytes:
    """A file of the package, compressed once."""
    return gzip.compress(content, FILE_LEVEL, mtime=0)
