"""The studio in the browser. ``create_app`` makes the ASGI application, ``serve`` runs it, ``Settings`` says how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from folkways.studio.web.settings import Settings

if TYPE_CHECKING:
    from folkways.studio.web.app import create_app
    from folkways.studio.web.serving import serve

__all__ = ["Settings", "create_app", "serve"]


def __getattr__(name: str) -> Any:
    """Import what needs the web framework only when it is used."""
    if name == "create_app":
        from folkways.studio.web.app import create_app

        return create_app
    if name == "serve":
        from folkways.studio.web.serving import serve

        return serve
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
