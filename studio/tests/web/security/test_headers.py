"""What every answer tells browsers, in full."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from folkways_studio.web.security.middleware import SecurityHeaders

BINDING = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri "
    "'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "x-robots-tag": "noindex, nofollow",
    "cache-control": "no-store",
}


def answered(scope: dict[str, Any], own: list[tuple[bytes, bytes]], *, secure: bool) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": own})
        await send({"type": "http.response.body", "body": b"a page"})

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(SecurityHeaders(application, secure=secure)(scope, None, send))  # type: ignore[arg-type]
    return sent


@pytest.mark.parametrize("secure", [False, True])
def test_headers_are_added_but_not_over_those_of_a_page(secure: bool) -> None:
    own = [(b"cache-control", b"public"), (b"x-frame-options", b"SAMEORIGIN"), (b"etag", b"1")]
    for headers in ([], own):
        start, body = answered({"type": "http"}, list(headers), secure=secure)
        told = {name.decode(): value.decode() for name, value in start["headers"]}
        assert len(told) == len(start["headers"])
        transport = {"strict-transport-security": "max-age=31536000"} if secure else {}
        assert told == {**BINDING, **transport, **{name.decode(): value.decode() for name, value in headers}}
        assert body == {"type": "http.response.body", "body": b"a page"}


def test_what_is_no_request_passes() -> None:
    start, _ = answered({"type": "lifespan"}, [], secure=True)
    assert start["headers"] == []
