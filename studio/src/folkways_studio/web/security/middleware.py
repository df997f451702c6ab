"""Middleware: security headers on every response, and a limit on the size of requests before they are
parsed."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action "
    "'self'; frame-ancestors 'none'"
)
"""Nothing from elsewhere, and no inline scripts or styles, so that text of people or models can never act."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # other sites must not learn addresses of invitations
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "X-Robots-Tag": "noindex, nofollow",
}
TRANSPORT = "max-age=31536000"


class SecurityHeaders:
    """Adds HEADERS to every response, and forbids caching of those about a person."""

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        self.app = app
        self.headers = {**HEADERS, **({"Strict-Transport-Security": TRANSPORT} if secure else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, send_with_headers)


class NoNul:
    """Refuses addresses with the character NUL: no page has one, and PostgreSQL fails at it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and ("\0" in scope["path"] or b"%00" in scope["query_string"]):
            path = scope["path"].removeprefix(scope.get("root_path", ""))
            await _refusal(path, 404, "There is no such page.")(scope, receive, send)
            return
        await self.app(scope, receive, send)


class RequestTooLargeError(Exception):
    """More arrived than allowed; the response has been sent."""


class BodyLimit:
    """Refuses requests with a body of more than ``limit(path)`` bytes, announced or not."""

    def __init__(self, app: ASGIApp, *, limit: Callable[[str], int]) -> None:
        self.app = app
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        limit = self.limit(path)
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not announced.isdigit() or int(announced) > limit:
            await _too_large(path, limit)(scope, receive, send)
            return
        received = 0
        started = False

        async def bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
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
            await _too_large(path, limit)(scope, receive, send)


def _too_large(path: str, limit: int) -> Response:
    return _refusal(path, 413, f"This is too large: at most {limit // 1024} KiB can be sent here.")


def _refusal(path: str, status: int, message: str) -> Response:
    if not path.startswith("/api/"):
        return PlainTextResponse(f"{message}\n", status_code=status)
    from folkways_studio.web.api.problems import problem

    return problem(status, message)
