"""The studio below a path of a host that has other programs as well: ``https://example.org/studio``.

Inside, addresses begin at the studio's own start. They get the prefix where they leave, in pages,
redirections and cookies.
"""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Receive, Scope, Send

ADDRESSES = re.compile(r'(\s(?:href|src|action|formaction|hx-[a-z]+|data-draft)=")(?=/(?!/))')
"""Attributes that lead somewhere within the studio. No text of a person's can look like one: its quotation
marks are escaped."""


class PathPrefix:
    """Tells the application below which path it is, whether the proxy in front takes that off what it passes
    on or not."""

    def __init__(self, app: ASGIApp, *, prefix: str) -> None:
        self.app = app
        self.prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wrap one request."""
        if scope["type"] == "http":
            path = scope["path"]
            below = path == self.prefix or path.startswith(f"{self.prefix}/")
            scope = {**scope, "root_path": self.prefix, "path": path if below else self.prefix + path}
        await self.app(scope, receive, send)


def with_prefix(html: str, prefix: str) -> str:
    """A page whose addresses lead below the prefix."""
    return ADDRESSES.sub(lambda found: found[1] + prefix, html) if prefix else html
