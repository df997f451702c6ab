"""Every route of the studio, by the part of it that they belong to."""

from __future__ import annotations

from folkways.studio.web.routes.accounts import account, passwords, single_sign_on
from folkways.studio.web.routes.participants import entry, sent, steps, suggestions, work
from folkways.studio.web.routes.researchers import (
    data,
    desk,
    disagreement,
    discussion,
    items,
    known_answers,
    media,
    new_study,
    people,
    programs,
    settings,
)
from folkways.studio.web.routing import Route

PARTS = (
    *(account, entry, work, sent, steps, suggestions, known_answers, new_study, desk, people, items, discussion, disagreement),
    *(data, media, settings, programs, passwords, single_sign_on),
)


def all_routes() -> list[Route]:
    """All routes; those with fixed words come before those with names in their place."""
    return [route for part in PARTS for route in part.routes.routes]
