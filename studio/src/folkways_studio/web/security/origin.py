"""Requests that change something must come from a page of this server: by their Origin, and by the token in
the page."""

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
    """Whether a browser sent this from a page of ``origin`` (None: of the host that it was sent to).

    Browsers send ``Origin`` with every POST, PUT and DELETE, and old ones at least ``Referer``. A request
    with neither was not made by a page at all and is refused too.
    """
    sent = request.headers.get("origin") or _origin_of(request.headers.get("referer", ""))
    if origin is not None:
        return sent == _origin_of(origin)
    place = urlsplit(sent).netloc
    return bool(place) and place == request.headers.get("host")


def local_address(request: Request) -> str:
    """The address of a server that was not told its own: as the browser has it where that is this machine's,
    else as the connection has it. A ``Host`` of somebody's choice must not lead others there.
    """
    if request.url.hostname in LOCAL_HOSTS:
        return f"{request.url.scheme}://{request.url.netloc}"
    host, port = request.scope.get("server") or (LOCAL_HOSTS[0], None)
    return f"{request.url.scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}"


def _origin_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else ""


def visitor_token(visitor: str) -> str:
    """The form token of a browser that nobody has signed in to yet, from its cookie, which no other site can
    read."""
    return sha256(f"form of {visitor}".encode()).hexdigest()


def masked(token: str) -> str:
    """The token under a mask of its own: a page's compressed length then tells nothing of it."""
    plain = token.encode()
    mask = secrets.token_bytes(len(plain))
    return base64.urlsafe_b64encode(mask + _combined(mask, plain)).decode()


def _combined(mask: bytes, text: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(mask, text, strict=True))


def tokens_match(expected: str, given: str | None) -> bool:
    """Whether this is the token, masked or as it is (of a page that was open before the studio masked them).
    Compared in constant time.
    """
    if given is None:
        return False
    sent = given.encode("utf-8", "replace")
    try:
        packed = base64.urlsafe_b64decode(sent)
        unmasked = _combined(packed[: len(packed) // 2], packed[len(packed) // 2 :])
    except ValueError:
        unmasked = b""
    return hmac.compare_digest(expected.encode(), unmasked) or hmac.compare_digest(expected.encode(), sent)
