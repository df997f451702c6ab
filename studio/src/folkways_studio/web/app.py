"""The web application: routes, middleware and static files of one workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from folkways.sdk.workspace import Workspace
from folkways_studio.web.settings import WebSettings

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from folkways_studio.people.openid import OpenIdProvider

THREADS = 12
"""Concurrent requests. SQLite allows one write at a time, so more would only wait for one another."""

MOST_WAITING, MOST_OF_A_STUDY = 24, 8
"""People who wait for a model at once, in all and per study; their requests hardly use the database."""

SPARE_THREADS = 8
"""Threads for telling others at once that all places are taken."""


def create_app(workspace: Workspace, settings: WebSettings | None = None) -> Starlette:
    """The studio as an ASGI application."""
    from anyio import CapacityLimiter
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import Mount

    from folkways_studio.database.health import WriteCheck
    from folkways_studio.items.import_runner import ImportWorker
    from folkways_studio.programs.backend_worker import BackendWorker
    from folkways_studio.programs.webhook_sender import sending
    from folkways_studio.web.api import PLACE
    from folkways_studio.web.api.first_use import LazyApi
    from folkways_studio.web.prefix import PathPrefix
    from folkways_studio.web.rendering.static_files import static_routes
    from folkways_studio.web.request_context import Studio
    from folkways_studio.web.routes import all_routes
    from folkways_studio.web.routing import respond_externally, respond_to_nobody, starlette_route
    from folkways_studio.web.security.middleware import BodyLimit, NoNul, SecurityHeaders
    from folkways_studio.web.security.rates import RateLimits, WaitingPlaces

    settings = settings or WebSettings()
    studio = Studio(
        workspace,
        settings,
        RateLimits(settings.rates),
        WaitingPlaces(MOST_WAITING, MOST_OF_A_STUDY),
        CapacityLimiter(MOST_WAITING + SPARE_THREADS),
        ImportWorker(workspace),
        BackendWorker(workspace, private=settings.private_webhooks, offered=settings.models),
        WriteCheck(workspace),
        _provider(settings),
    )
    routes = all_routes()
    uploads = tuple("/" + route.path.rpartition("/")[2] for route in routes if route.upload)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        import anyio.to_thread

        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        studio.import_worker.start()
        studio.backend_worker.start()
        try:
            async with sending(workspace, private=settings.private_webhooks):
                yield
        finally:
            await anyio.to_thread.run_sync(studio.import_worker.stop)
            await anyio.to_thread.run_sync(studio.backend_worker.stop)

    pages = [starlette_route(studio, route) for route in routes]
    app = Starlette(routes=[*pages, Mount(PLACE, LazyApi(studio)), *static_routes()], lifespan=lifespan)

    async def unrouted(request: Request, error: Exception) -> Response:
        return await respond_externally(
            studio, request, error.status_code if isinstance(error, HTTPException) else 400
        )

    app.add_exception_handler(HTTPException, unrouted)
    app.add_exception_handler(ClientDisconnect, respond_to_nobody)
    app.add_middleware(
        BodyLimit, limit=lambda path: settings.upload_bytes if path.endswith(uploads) else settings.body_bytes
    )
    app.add_middleware(NoNul)
    app.add_middleware(SecurityHeaders, secure=settings.secure)
    if settings.prefix:
        app.add_middleware(PathPrefix, prefix=settings.prefix)
    return app


def _provider(settings: WebSettings) -> OpenIdProvider | None:
    if settings.single_sign_on is None:
        return None
    from folkways_studio.people.openid import OpenIdProvider

    return OpenIdProvider(settings.single_sign_on)
