"""The API as a separate application, which the studio mounts under ``PLACE`` on first use."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import FastAPI

from folkways import __version__
from folkways_studio.exports import api as results
from folkways_studio.items import api as items
from folkways_studio.items import assignment_api as assignments
from folkways_studio.items import suggestion_api as suggestions
from folkways_studio.media import api as media
from folkways_studio.people import api as people
from folkways_studio.programs import api as webhooks
from folkways_studio.programs import backend_api as backends
from folkways_studio.studies import api as studies
from folkways_studio.web.api import PLACE
from folkways_studio.web.api.problems import MEDIA_TYPE, Problem, add_handlers
from folkways_studio.web.request_context import Studio

PARTS = (studies, items, assignments, suggestions, media, people, results, webhooks, backends)
ABOUT = """What researchers do on the studio's pages, for programs. Send `Authorization: Bearer TOKEN` with a
token that an owner of the study makes on its page *API*. A token may do what its account may do in that
study, and only reads unless its scope is `write`. Lists come in pages: ask again with the `next` of a
response as `cursor`. Refusals are `application/problem+json`: what was wrong, and where."""


def create_api(studio: Studio | None = None) -> FastAPI:
    """The API; without a studio only for its document."""
    prefix = studio.settings.prefix if studio is not None else ""
    app = FastAPI(
        title="folkways studio", version=__version__, description=ABOUT, docs_url=None, redoc_url=None,
        openapi_url="/openapi.json", servers=[{"url": prefix + PLACE}], root_path_in_servers=False,
        responses={"4XX": {"model": Problem, "description": "What was wrong, where, and what to do."}},
        generate_unique_id_function=lambda route: route.name,
    )  # fmt: skip
    app.state.studio = studio
    add_handlers(app)
    for part in PARTS:
        app.include_router(part.router)
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        return _as_problems(generate())

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's guide to extending the document says
    return app


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    return create_api().openapi()


def _as_problems(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the real media type of problems."""
    for path in document["paths"].values():
        for operation in path.values():
            refused = operation["responses"]["4XX"]
            refused["content"] = {MEDIA_TYPE: next(iter(refused["content"].values()))}
    return document
