"""The API as the studio mounts it: made when a program first asks for something, so that no start waits for
its many models."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

if TYPE_CHECKING:
    from folkways_studio.web.request_context import Studio

PLACE = "/api/v1"
"""Where the API is."""


class LazyApi:
    """Passes requests on to the API. The first one makes it, in a thread, while pages go on being
    answered."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self._app: ASGIApp | None = None
        self._lock = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        app = self._app if self._app is not None else await to_thread.run_sync(self._made)
        await app(scope, receive, send)

    def _made(self) -> ASGIApp:
        from folkways_studio.web.api.app import create_api

        with self._lock:  # those who ask meanwhile wait for it, and do not make another
            if self._app is None:
                self._app = create_api(self.studio)
            return self._app
