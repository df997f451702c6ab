"""All routes of the studio."""

from __future__ import annotations

from folkways_studio.exports import pages as data
from folkways_studio.items import assignment_pages as assignments
from folkways_studio.items import discussion_pages as discussion
from folkways_studio.items import pages as items
from folkways_studio.media import pages as media
from folkways_studio.models import pages as steps
from folkways_studio.people import account_pages as account
from folkways_studio.people import entry_pages as entry
from folkways_studio.people import pages as people
from folkways_studio.people import single_sign_on_pages as single_sign_on
from folkways_studio.programs import pages as programs
from folkways_studio.studies import comparison_pages as comparison
from folkways_studio.studies import disagreement_pages as disagreement
from folkways_studio.studies import new_study_pages as new_study
from folkways_studio.studies import pages as dashboard
from folkways_studio.studies import settings_pages as settings
from folkways_studio.web.routing import Route
from folkways_studio.work import guideline_pages as guidelines
from folkways_studio.work import known_answer_pages as known_answers
from folkways_studio.work import pages as work
from folkways_studio.work import sent_pages as sent
from folkways_studio.work import suggestion_pages as suggestions

PARTS = (
    *(
        account,
        entry,
        work,
        sent,
        steps,
        suggestions,
        known_answers,
        guidelines,
        new_study,
        dashboard,
        people,
    ),
    *(assignments, items, discussion, disagreement, comparison, data, media, settings, programs),
    single_sign_on,
)


def all_routes() -> list[Route]:
    """All routes; those with fixed words come before those with parameters in the same place."""
    return [route for part in PARTS for route in part.routes.routes]
