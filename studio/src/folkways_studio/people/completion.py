"""The end of a person's work: the message, and the code and link with which a recruitment service pays them.

A code is worth money, so it is shown only to the people it is for: "completed" to those who answered
everything, "no work" to those who found nothing to do, "screened out" to those who do not meet the criteria.
People who failed a test or were excluded by a rule get the code that its ``pay`` names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from folkways_studio.people.participation import work_of
from folkways_studio.records import ParticipantState
from folkways_studio.studies.progress import own_progress_everywhere

if TYPE_CHECKING:
    from folkways_studio.web.request_context import RequestContext

End = Literal["completed", "screened_out", "no_work", "not_yet", "failed", "excluded"]
RETURN = "https://app.prolific.com/submissions/complete?cc="


@dataclass(frozen=True, slots=True)
class StudyCompletion:
    """How somebody's work ended. code: the recruitment service's, if the study has one. link: back to the
    service."""

    end: End
    code: str | None
    link: str | None


def completion(context: RequestContext) -> StudyCompletion:
    """The state of the current participant's work, and the code for it."""
    end = _end(context)
    codes = context.study.definition.get("prolific") or {}
    code = codes.get(context.participant.pay or end) if context.participant.source == "prolific" else None
    return StudyCompletion(end, str(code) if code else None, RETURN + quote(str(code)) if code else None)


def _end(context: RequestContext) -> End:
    person = context.participant
    if person.state == ParticipantState.SCREENED_OUT:
        return "screened_out"
    if person.state == ParticipantState.FAILED:
        return "failed"
    if person.state == ParticipantState.EXCLUDED:
        return "excluded"
    if person.state not in (ParticipantState.ACTIVE, ParticipantState.FINISHED):
        return "not_yet"
    work = work_of(context.workspace, person)
    if work.at_hand:
        return "not_yet"
    # People who may write as much as they like decide themselves when they are done.
    if any(each.left for _, each in own_progress_everywhere(context.workspace, person)):
        return "not_yet"
    return "completed" if work.answers else "no_work"
