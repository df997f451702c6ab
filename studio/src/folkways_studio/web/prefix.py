"""Serving the studio below a path of a shared host, such as ``https://example.org/studio``.

Inside, addresses begin at the studio's own root. They get the prefix in pages, redirects and cookies.
"""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Receive, Scope, Send

ADDRESSES = re.compile(r'(\s(?:href|src|action|formaction|hx-[a-z]+|data-draft)=")(?=/(?!/))')
"""Attributes with addresses within the studio. Texts of people cannot look like one, because their quotation
marks are escaped."""


class PathPrefix:
    """Tells the application its path prefix, whether the proxy in front strips it or not."""

    def __init__(self, app: ASGIApp, *, prefix: str) -> None:
        self.app = app
        self.prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = scope["path"]
            below = path == self.prefix or path.startswith(f"{self.prefix}/")
            scope = {**scope, "root_path": self.prefix, "path": path if below else self.prefix + path}
        await self.app(scope, receive, send)


def with_prefix(html: str, prefix: str) -> str:
    """A page whose addresses have the prefix."""
    return ADDRESSES.sub(lambda found: found[1] + prefix, html) if prefix else html
