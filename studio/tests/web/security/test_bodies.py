"""How much may be sent: to the byte, whether its length is said or not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from folkways_studio.web.security.middleware import BodyLimit

LIMITS = {"/small": 2048, "/large": 4096}


def send(
    parts: list[bytes], path: str = "/small", length: bytes | None = None, *, early: bool = False
) -> list[dict[str, Any]]:
    """What is answered to a request with this body; the application reads all of it and answers 200. early:
    before it reads."""
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": part, "more_body": True} for part in parts
    ]
    messages.append({"type": "http.request"})
    sent: list[dict[str, Any]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if early:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        while (await receive()).get("more_body"):
            pass
        if not early:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"taken"})

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def answer(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"9999"), *([(b"content-length", length)] if length is not None else [])]
    scope = {"type": "http", "path": path, "headers": headers}
    asyncio.run(BodyLimit(application, limit=LIMITS.__getitem__)(scope, receive, answer))
    return sent


@pytest.mark.parametrize(
    ("parts", "path", "length", "status"),
    [
        ([b"x" * 2048], "/small", None, 200),
        ([b"x" * 2049], "/small", None, 413),
        ([b"x" * 1024, b"x" * 1024], "/small", None, 200),
        ([b"x" * 1024, b"x" * 1025], "/small", None, 413),
        ([b"x" * 2049], "/large", None, 200),
        ([], "/small", b"2048", 200),
        ([], "/small", b"2049", 413),
        ([], "/large", b"2049", 200),
        ([], "/small", b"-1", 413),
        ([], "/small", b"many", 413),
        ([b"x" * 2049], "/small", b"5", 413),
    ],
)
def test_a_body_is_taken_up_to_its_limit(
    parts: list[bytes], path: str, length: bytes | None, status: int
) -> None:
    start, body = send(parts, path, length)
    assert start["status"] == status
    assert body["body"] == (
        b"taken" if status == 200 else b"This is too large: at most 2 KiB can be sent here.\n"
    )


def test_an_answer_that_has_begun_is_cut_off() -> None:
    with pytest.raises(ClientDisconnect):
        send([b"x" * 2049], early=True)
    assert [message["type"] for message in send([b"x"], early=True)] == [
        "http.response.start",
        "http.response.body",
    ]


def test_what_is_no_request_passes() -> None:
    seen: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope, receive, send))

    asyncio.run(BodyLimit(application, limit=LIMITS.__getitem__)({"type": "lifespan"}, "receive", "send"))  # type: ignore[arg-type]
    assert seen == [({"type": "lifespan"}, "receive", "send")]
