"""Static files: from the package, or made of the reports' palette."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from folkways.sdk.display import css_variables
from folkways_studio.web.rendering.compression import accepts_gzip, compressed, packed
from folkways_studio.web.rendering.pages import STATIC

FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "public, no-cache"
TEXTS = (".css", ".js", ".svg", ".txt")
"""What becomes smaller by compression; fonts are compressed already."""


class CachedStaticFiles(StaticFiles):
    """Files that a browser may keep: for ever where the address names their version, else while they are the
    same."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """One file."""
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
    """``/static`` and ``/theme.css``."""
    theme = css_variables()

    async def theme_css(request: Request) -> Response:
        return compressed(
            request, Response(theme, media_type="text/css", headers={"Cache-Control": ASK_AGAIN})
        )

    return [
        Route("/theme.css", theme_css),
        Mount("/static", CachedStaticFiles(directory=str(STATIC)), name="static"),
    ]
