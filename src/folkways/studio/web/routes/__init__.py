"""Every route of the studio, by the part of it that they belong to."""

from __future__ import annotations

from folkways.studio.web.routes import (
    account,
    data,
    desk,
    disagreement,
    discussion,
    entry,
    items,
    known_answers,
    media,
    new_study,
    passwords,
    people,
    programs,
    settings,
    single_sign_on,
    steps,
    suggestions,
    work,
)
from folkways.studio.web.routing import Route

PARTS = (
    *(account, entry, work, steps, suggestions, known_answers, new_study, desk, people, items, discussion, disagreement, data),
    *(media, settings, programs, passwords, single_sign_on),
)


def all_routes() -> list[Route]:
    """All routes; those with fixed words come before those with names in their place."""
    return [route for part in PARTS for route in part.routes.routes]
