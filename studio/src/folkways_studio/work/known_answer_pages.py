"""Questions of known answer: what a test came to, and what researchers make of them and of people who are
held back by them."""

from __future__ import annotations

from starlette.responses import Response

from folkways_studio.items import service as items
from folkways_studio.items.table import title_of
from folkways_studio.people import suspension
from folkways_studio.records import AssignmentState, ParticipantState
from folkways_studio.stages.registry import stage_kind
from folkways_studio.web.request_context import PARTICIPANT, STAFF, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work import corrections, gold, known_answers
from folkways_studio.work.known_answer_rules import Qualification

routes = Routes()


@routes.get("/work/{study}/tasks/{assignment}/answer", PARTICIPANT)
def show_answer(context: RequestContext) -> Response:
    """Whether an answer of a test was right; on to the study where it does not tell."""
    work = context.work
    test = Qualification.of(work.stage.config)
    if (
        not work.item.test
        or test is None
        or not test.feedback
        or work.assignment.state != AssignmentState.DONE
    ):
        return context.go(f"/work/{context.study.name}")
    payload = corrections.sent_for(context.workspace, context.participant.id, work.assignment.id)[
        0
    ].judgement.payload
    kind, right_answer = stage_kind(work.stage.kind), work.item.check or {}
    about = (work.item.content, work.stage.config, context.gettext, context.study_texts.say)
    return context.page(
        "work/answer.html.j2", study=context.study, stage=work.stage,
        title=title_of(work.item, kind.subject(work.item.content, work.stage.config)),
        right=kind.is_right(payload, right_answer, known_answers.overlap_of(work.stage)),
        is_over=known_answers.test_is_over(context.workspace, context.participant, work.stage),
        said=kind.read_back(payload, *about),
        known=kind.read_back_known(right_answer, *about),
    )  # fmt: skip


@routes.get("/work/{study}/test", PARTICIPANT)
def show_test(context: RequestContext) -> Response:
    """What the last try of a test came to; on to the study where there was none."""
    last = known_answers.last_test(context.workspace, context.participant)
    if last is None:
        return context.go(f"/work/{context.study.name}")
    stage, standing = last
    failed = context.participant.state == ParticipantState.FAILED
    return context.page(
        "work/test.html.j2",
        study=context.study,
        stage=stage,
        standing=standing,
        test=Qualification.of(stage.config),
        is_over=failed,
    )


@routes.post("/studies/{study}/items/{item}/gold", STAFF)
def make_gold(context: RequestContext) -> Response:
    """Use a decided item as a question of known answer, among the work or in the test."""
    test = context.text("use") == "test"
    made = gold.make_gold(
        context.workspace, context.study.id, context.number("item"), test=test, by=context.me.id
    )
    return context.go(f"/studies/{context.study.name}/items/{made.id}", "gold-made")


@routes.post("/studies/{study}/items/{item}/gold/drop", STAFF)
def drop_gold(context: RequestContext) -> Response:
    """Ask nobody a question of known answer any more."""
    item = items.get_item(context.workspace, context.study.id, context.number("item"))
    gold.drop_gold(context.workspace, context.study.id, item.id, context.text("reason"), by=context.me.id)
    return context.go(f"/studies/{context.study.name}/items/{item.id}", "saved")


@routes.post("/studies/{study}/people/{person}/resume", STAFF)
def resume(context: RequestContext) -> Response:
    """Let somebody go on whom a rule has paused."""
    number = context.number("person")
    suspension.resume(context.workspace, context.study.id, number, context.text("reason"), by=context.me.id)
    return context.go(f"/studies/{context.study.name}/people/{number}", "waived")


@routes.post("/studies/{study}/people/{person}/test", STAFF)
def waive_test(context: RequestContext) -> Response:
    """Let somebody work on a stage whose test they have not passed."""
    number, stage = context.number("person"), context.text("stage")
    suspension.waive_test(
        context.workspace, context.study.id, number, stage, context.text("reason"), by=context.me.id
    )
    return context.go(f"/studies/{context.study.name}/people/{number}", "waived")
