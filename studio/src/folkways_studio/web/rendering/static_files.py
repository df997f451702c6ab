"""Static files of the package, the reports' palette as CSS, and gzip for these and for pages.

If a page holds a secret and text of somebody else's choice, its compressed length reveals the secret letter
by letter (BREACH); therefore form tokens are masked anew in every page (``security.origin.masked``). Nothing
else is compressed: uploads are compressed already, and the API serves programs.
"""

from __future__ import annotations

import gzip
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from folkways.sdk.display import css_variables
from folkways_studio.web.rendering.pages import STATIC

FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "public, no-cache"
TEXTS = (".css", ".js", ".svg", ".txt")
"""Files that compression makes smaller; fonts are compressed already."""


SHORTEST = 500
"""Bytes; shorter content is not worth compressing."""

PAGE_LEVEL, FILE_LEVEL = 4, 9


def accepts_gzip(request: Request) -> bool:
    """Whether the browser accepts gzip."""
    coded = (
        part.strip().partition(";") for part in request.headers.get("accept-encoding", "").lower().split(",")
    )
    return any(
        name.strip() == "gzip" and weight.replace(" ", "").rstrip("0.") != "q=" for name, _, weight in coded
    )


def compressed(request: Request, response: Response) -> Response:
    """A page, compressed if the browser accepts that."""
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


class CachedStaticFiles(StaticFiles):
    """Files with cache headers: cached for ever if the address names their version, else revalidated."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        request = Request(scope)
        if path.endswith(TEXTS) and response.status_code == 200 and accepts_gzip(request):
            response = Response(
                packed((STATIC / path).read_bytes()), headers={**response.headers, "Content-Encoding": "gzip"}
            )
            del response.headers["content-length"]
            response.headers["content-length"] = str(len(response.body))
        if path.endswith(TEXTS):
            response.headers["Vary"] = "Accept-Encoding"
        response.headers["Cache-Control"] = FOR_EVER if scope["query_string"].startswith(b"v=") else ASK_AGAIN
        return response


def static_routes() -> list[BaseRoute]:
    """The routes ``/static`` and ``/theme.css``."""
    theme = css_variables()

    async def theme_css(request: Request) -> Response:
        return compressed(
            request, Response(theme, media_type="text/css", headers={"Cache-Control": ASK_AGAIN})
        )

    return [
        Route("/theme.css", theme_css),
        Mount("/static", CachedStaticFiles(directory=str(STATIC)), name="static"),
    ]
