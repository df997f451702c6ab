"""The end of a person's work: the message, and the code and link with which a recruitment service pays them.

A code is worth money, so it is shown only to the people it is for: "completed" to those who answered
everything, "no work" to those who found nothing to do, "screened out" to those who do not meet the criteria.
Who comes again by another study of the service is paid for what they do from then on. People who failed a
test or were excluded by a rule get the code that its ``pay`` names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from folkways_studio.people.participation import ParticipantWork, work_of
from folkways_studio.records import AT_WORK, ParticipantState, StudyState
from folkways_studio.studies.progress import has_answered_since_return, own_progress_everywhere

if TYPE_CHECKING:
    from starlette.responses import Response

    from folkways_studio.web.request_context import RequestContext

End = Literal["completed", "screened_out", "no_work", "not_yet", "failed", "excluded"]
TURNED_AWAY = (ParticipantState.SCREENED_OUT, ParticipantState.FAILED)
RETURN = "https://app.prolific.com/submissions/complete?cc="


@dataclass(frozen=True, slots=True)
class StudyCompletion:
    """How somebody's work ended. has_sent: whether they have answered anything. code: the recruitment
    service's, if the study has one. link: back to the service."""

    end: End
    has_sent: bool
    code: str | None
    link: str | None


def completion(context: RequestContext) -> StudyCompletion:
    """The state of the current participant's work, and the code for it."""
    work = work_of(context.workspace, context.participant)
    end = _end(context, work)
    codes = context.study.definition.get("prolific") or {}
    earned = context.participant.pay or end
    if earned == "completed" and not has_answered_since_return(context.workspace, context.participant):
        earned = "no_work"
    code = codes.get(earned) if context.participant.source == "prolific" else None
    link = RETURN + quote(str(code)) if code else None
    return StudyCompletion(end, work.answers > 0, str(code) if code else None, link)


def end_page(context: RequestContext) -> Response:
    """How the work ended; where it has not begun, is held up or is over, the study's page, which says so."""
    study, person = context.study, context.participant
    is_at_work = person.state in AT_WORK and study.state == StudyState.OPEN
    if not is_at_work and person.state not in TURNED_AWAY:
        return context.go(f"/work/{study.name}")
    return context.page("people/done.html.j2", study=study, person=person, end=completion(context))


def _end(context: RequestContext, work: ParticipantWork) -> End:
    person = context.participant
    if person.state == ParticipantState.SCREENED_OUT:
        return "screened_out"
    if person.state == ParticipantState.FAILED:
        return "failed"
    if person.state == ParticipantState.EXCLUDED:
        return "excluded"
    if person.state not in AT_WORK:
        return "not_yet"
    # People who may write as much as they like decide themselves when they are done.
    if context.study.state != StudyState.CLOSED and (
        work.at_hand or any(each.left for _, each in own_progress_everywhere(context.workspace, person))
    ):
        return "not_yet"
    has_worked = work.answers and has_answered_since_return(context.workspace, person)
    return "completed" if has_worked else "no_work"
