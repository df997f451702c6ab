"""Every route of the studio, by the part of it that they belong to."""

from __future__ import annotations

from folkways.studio.web.routes import account, entry, work
from folkways.studio.web.routing import Route


def all_routes() -> list[Route]:
    """All routes; those with fixed words come before those with names in their place."""
    return [*account.routes.routes, *entry.routes.routes, *work.routes.routes]
