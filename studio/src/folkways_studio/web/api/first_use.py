"""The API as the studio mounts it: made on first use, so that the start does not wait for its many models."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

if TYPE_CHECKING:
    from folkways_studio.web.request_context import Studio


class LazyApi:
    """Passes requests on to the API, which the first request makes in a thread while pages keep working."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self._app: ASGIApp | None = None
        self._lock = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app if self._app is not None else await to_thread.run_sync(self._made)
        await app(scope, receive, send)

    def _made(self) -> ASGIApp:
        from folkways_studio.web.api.app import create_api

        with self._lock:  # concurrent requests wait for the first one's application
            if self._app is None:
                self._app = create_api(self.studio)
            return self._app
