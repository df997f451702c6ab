"""What a person has sent: looked at again, and corrected until it is settled."""

from __future__ import annotations

from starlette.responses import Response

from folkways_studio.errors import SubmissionError
from folkways_studio.items.table import title_of
from folkways_studio.records import LET_IN, AssignmentState
from folkways_studio.stages.registry import stage_kind
from folkways_studio.web.request_context import PARTICIPANT, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work import corrections
from folkways_studio.work.pages import presented, task_page

routes = Routes()


@routes.get("/work/{study}/sent", PARTICIPANT)
def show_sent(context: RequestContext) -> Response:
    """What a person has sent, the newest first."""
    if context.participant.state not in LET_IN:
        return context.go(f"/work/{context.study.name}")
    rows, say = [], context.study_texts.say
    for sent in corrections.sent_by(context.workspace, context.participant.id):
        kind = stage_kind(sent.stage.kind)
        about = (sent.item.content, sent.stage.config, context.gettext, say)
        lines = kind.read_back(sent.judgement.payload, *about)
        seen = kind.presented(sent.item.content, context.participant.pseudonym)
        subject = kind.subject(seen, sent.stage.config)
        rows.append(
            (sent, context.task_address(sent.judgement.assignment_id), title_of(sent.item, subject), lines)
        )
    return context.page("work/sent.html.j2", study=context.study, rows=rows, most=corrections.MOST_SHOWN)


@routes.get("/work/{study}/tasks/{assignment}/sent", PARTICIPANT)
def show_answer(context: RequestContext) -> Response:
    """One answer that was sent: in its form, as long as it can be corrected; in words afterwards."""
    work = context.task.work
    if work.assignment.state != AssignmentState.DONE or context.participant.state not in LET_IN:
        return context.go(f"/work/{context.study.name}")
    sent, fixed = corrections.sent_for(context.workspace, context.participant.id, work.assignment.id)
    kind, about = stage_kind(sent.stage.kind), (sent.item.content, sent.stage.config)
    if not fixed:
        return task_page(context, kind.draft_of(sent.judgement.payload), 0, correcting=True)
    return context.page(
        "work/answer_sent.html.j2", study=context.study, stage=sent.stage, fixed=context.gettext(fixed),
        title=title_of(sent.item, kind.subject(presented(context, work), work.stage.config)),
        lines=kind.read_back(sent.judgement.payload, *about, context.gettext, context.study_texts.say),
    )  # fmt: skip


@routes.post("/work/{study}/tasks/{assignment}/sent", PARTICIPANT)
def correct(context: RequestContext) -> Response:
    """Take a new answer in place of the one that was sent."""
    work = context.work
    if work.assignment.state != AssignmentState.DONE:
        return context.go(f"/work/{context.study.name}")
    submission = stage_kind(work.stage.kind).read_form(
        context.form, presented(context, work), work.stage.config
    )
    try:
        corrections.correct(
            context.workspace, context.participant.id, work.assignment.id, submission, context.text("key")
        )
    except SubmissionError as error:
        return task_page(
            context, submission, 0, error.problems_in(context.gettext), error.status, correcting=True
        )
    return context.go(f"/work/{context.study.name}/sent", "corrected")
