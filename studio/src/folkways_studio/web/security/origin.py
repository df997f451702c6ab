"""Checks that changes come from a page of this server: by their Origin and by the token in the page."""

from __future__ import annotations

import base64
import hmac
import secrets
from hashlib import sha256
from urllib.parse import urlsplit

from starlette.requests import Request

from folkways_studio.addresses import LOCAL_HOSTS

FIELD = "csrf"
HEADER = "x-csrf-token"


def from_own_page(request: Request, origin: str | None) -> bool:
    """Whether a browser sent this from a page of ``origin`` (None: of the requested host).

    Browsers send ``Origin`` with every POST, PUT and DELETE, and old ones at least ``Referer``. A request
    with neither does not come from a page and is refused too.
    """
    sent = request.headers.get("origin") or _origin_of(request.headers.get("referer", ""))
    if origin is not None:
        return sent == _origin_of(origin)
    host = urlsplit(sent).netloc
    return bool(host) and host == request.headers.get("host")


def local_address(request: Request) -> str:
    """The address of a server without a configured one: the browser's if that is this machine, else the
    connection's, because a forged ``Host`` must not lead others elsewhere."""
    if request.url.hostname in LOCAL_HOSTS:
        return f"{request.url.scheme}://{request.url.netloc}"
    host, port = request.scope.get("server") or (LOCAL_HOSTS[0], None)
    return f"{request.url.scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}"


def _origin_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else ""


def visitor_token(visitor: str) -> str:
    """The form token of a browser without a session, derived from its cookie, which no other site can
    read."""
    return sha256(f"form of {visitor}".encode()).hexdigest()


def masked(token: str) -> str:
    """The token under a fresh mask, so that a page's compressed length reveals nothing about it."""
    plain = token.encode()
    mask = secrets.token_bytes(len(plain))
    return base64.urlsafe_b64encode(mask + _combined(mask, plain)).decode()


def _combined(mask: bytes, text: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(mask, text, strict=True))


def tokens_match(expected: str, given: str | None) -> bool:
    """Whether this is the token, masked or plain (from a page opened before tokens were masked), compared in
    constant time."""
    if given is None:
        return False
    sent = given.encode("utf-8", "replace")
    try:
        packed = base64.urlsafe_b64decode(sent)
        unmasked = _combined(packed[: len(packed) // 2], packed[len(packed) // 2 :])
    except ValueError:
        unmasked = b""
    return hmac.compare_digest(expected.encode(), unmasked) or hmac.compare_digest(expected.encode(), sent)
