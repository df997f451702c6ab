"""Bounds the size of what is sent, before anything is parsed."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class RequestTooLargeError(Exception):
    """More came than was allowed; the answer has been sent."""


class BodyLimit:
    """Refuses requests whose body is larger than ``limit(path)`` bytes, whether they say their length or
    not."""

    def __init__(self, app: ASGIApp, *, limit: Callable[[str], int]) -> None:
        self.app = app
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wrap one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        limit = self.limit(path)
        said = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not said.isdigit() or int(said) > limit:
            await _refusal(path, limit)(scope, receive, send)
            return
        came = 0
        started = False

        async def bounded() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > limit:
                raise RequestTooLargeError
            return message

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, bounded, watched)
        except RequestTooLargeError:
            if started:
                raise ClientDisconnect from None
            await _refusal(path, limit)(scope, receive, send)


def _refusal(path: str, limit: int) -> Response:
    words = f"This is too large: at most {limit // 1024} KiB can be sent here."
    if not path.startswith("/api/"):
        return PlainTextResponse(f"{words}\n", status_code=413)
    from folkways_studio.web.api.problems import problem

    return problem(413, words)
