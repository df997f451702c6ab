"""A person's work: the next task, its page, drafts, sending, giving back."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from starlette.responses import JSONResponse, Response

from folkways_studio.errors import AlreadySubmittedError, ConflictError, NotFoundError, SubmissionError
from folkways_studio.items import repeats
from folkways_studio.items.discussion_pages import discussion_beside
from folkways_studio.models.modelling import models_of
from folkways_studio.people.completion import completion, end_page
from folkways_studio.people.participation import parts_of
from folkways_studio.people.personal import own_attributes
from folkways_studio.records import (
    AT_WORK,
    RETURN_CODE,
    AssignmentState,
    Item,
    ParticipantState,
    Stage,
    StudyState,
)
from folkways_studio.stages.base import REDACTED, texts_in
from folkways_studio.stages.fields import canonical
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.progress import own_progress, own_progress_everywhere
from folkways_studio.web.request_context import PARTICIPANT, SIGNED_IN, RequestContext
from folkways_studio.web.routing import TASK_PAGE, Routes
from folkways_studio.work import corrections, drafts, judgements, leases
from folkways_studio.work.assignments import NoWork, Work, claim_slot
from folkways_studio.work.categories import NO_PLACE, full_categories
from folkways_studio.work.exposures import exposed
from folkways_studio.work.judgements import SubmissionReceipt
from folkways_studio.work.known_answer_rules import Qualification
from folkways_studio.work.suggestion_pages import suggestion_beside
from folkways_studio.work.training import is_untrained

routes = Routes()


@routes.get("/work", SIGNED_IN)
def show_mine(context: RequestContext) -> Response:
    """The studies that this account takes part in."""
    pairs = parts_of(context.workspace, context.me.id)
    if len(pairs) == 1 and context.me.login is None:
        return context.go(f"/work/{pairs[0][0].name}")
    return context.page("work/mine.html.j2", pairs=pairs)


@routes.get("/work/{study}", PARTICIPANT)
def show_study(context: RequestContext) -> Response:
    """Where a person is in a study, and the way on."""
    person, study = context.participant, context.study
    if person.state == ParticipantState.JOINED:
        return context.go(f"/work/{study.name}/consent")
    if person.state in (ParticipantState.CONSENTED, ParticipantState.WAITING):
        return context.go(f"/work/{study.name}/eligibility")
    if person.state in (ParticipantState.SCREENED_OUT, ParticipantState.FAILED):
        return context.go(f"/work/{study.name}/done")
    if person.state == ParticipantState.PAUSED:
        return context.page("work/rest.html.j2", study=study, why="held")
    if person.state == ParticipantState.WITHDRAWN:
        return context.page("people/left.html.j2", study=study)
    if person.state == ParticipantState.EXCLUDED:
        return context.page("people/excluded.html.j2", study=study, person=person, end=completion(context))
    stages = own_progress_everywhere(context.workspace, person)
    follows = [stage for stage, each in stages if each.at_hand] or [
        stage for stage, each in stages if each.goes_on
    ]
    code = own_attributes(context.workspace, person.id).get(RETURN_CODE, "")
    return context.page(
        "work/study.html.j2",
        study=study,
        person=person,
        stages=stages,
        follows=follows[0] if follows else None,
        return_code=code,
        end=completion(context) if study.state != StudyState.OPEN else None,
        has_sent=any(each.answers for _, each in stages),
    )


@routes.post("/work/{study}/next", PARTICIPANT)
def next_task(context: RequestContext) -> Response:
    """On to the next task, of the chosen stage or of any."""
    return _on(context, stage=context.text("stage") or None)


def _on(
    context: RequestContext, say: str | None = None, *, stage: str | None = None, after: str | None = None
) -> Response:
    claimed = claim_slot(context.workspace, context.participant.id, stage=stage, after=after)
    if isinstance(claimed, NoWork) and claimed.reason == "training":
        return context.go(f"/work/{context.study.name}/training/{claimed.stage}", say)
    if isinstance(claimed, NoWork):
        return context.go(f"/work/{context.study.name}/done", say)
    return context.go(context.task_address(claimed.assignment.id), say)


@routes.get("/work/{study}/rest", PARTICIPANT)
def show_rest(context: RequestContext) -> Response:
    """That a rule asks for closer reading, or how the work ended."""
    is_at_work = context.participant.state in AT_WORK
    if is_at_work and context.request.query_params.get("why") == "warned":
        return context.page("work/rest.html.j2", study=context.study, why="warned")
    return end_page(context)


@routes.get(TASK_PAGE, PARTICIPANT)
def show_task(context: RequestContext) -> Response:
    """The page of one task, with what was typed before."""
    slot = context.task.work.assignment
    if slot.state == AssignmentState.DONE:  # people go back in the browser to see or correct it
        return context.go(f"{context.task_address(slot.id)}/sent")
    if slot.state != AssignmentState.LEASED:
        return context.go(f"/work/{context.study.name}")
    stage = context.task.work.stage
    if is_untrained(context.workspace, context.participant.id, stage):  # it got one after they took the task
        return context.go(f"/work/{context.study.name}/training/{stage.name}")
    task = context.task = exposed(context.workspace, context.participant.id, context.task)
    draft = task.draft
    if draft is None:
        return task_page(context, dict(task.prefilled), 0)
    return task_page(context, dict(draft.payload), draft.revision)


def task_page(
    context: RequestContext,
    draft: Mapping[str, Any],
    revision: int,
    problems: Mapping[str, str] | None = None,
    status: int = 200,
    *,
    correcting: bool = False,
) -> Response:
    """The form of the task in the address of ``context``, with the answer so far (draft, of a revision)
    and its problems, as a page with this HTTP status. correcting: an answer that was sent, about which
    models are not asked."""
    task = context.task
    work = task.work
    kind, config = stage_kind(work.stage.kind), work.stage.config
    content = presented(context, work)
    offered = {} if correcting else context.studio.settings.models
    similar = repeats.similar_items(context.workspace, work.item, kind.compared)
    models = {purpose for purpose, name in models_of(context.study).items() if name in offered}
    with context.workspace.read() as connection:
        full = full_categories(connection, work.stage, work.item.population_id, work.item.author_id)
    return context.page(
        "work/task.html.j2",
        status,
        study=context.study,
        stage=work.stage,
        kind=kind,
        progress=own_progress(context.workspace, context.participant, work.stage, task.counts),
        address=context.task_address(work.assignment.id),
        key=secrets.token_urlsafe(16),
        revision=revision,
        language=task.language or (context.population.language if context.population else ""),
        content=content,
        config=config,
        draft=draft,
        problems=problems or {},
        has_helper="helper" in models,
        has_verifier="verifier" in models,
        similar=similar,
        closed={"category": dict.fromkeys(full, NO_PLACE)},
        test=Qualification.of(config) if work.item.test else None,
        discussion=None if correcting else discussion_beside(context, task),
        correcting=correcting,
        beside=None if correcting else suggestion_beside(context, task, draft),
        **kind.form_values(content, config, draft),
    )


def presented(context: RequestContext, work: Work) -> Mapping[str, Any]:
    """The item as this person is to see it: without what is hidden from them, in an order of their own."""
    return stage_kind(work.stage.kind).presented(work.item.content, context.participant.pseudonym)


@routes.post("/work/{study}/tasks/{assignment}/draft", PARTICIPANT)
def save(context: RequestContext) -> Response:
    """Keep what has been typed so far, on top of the version that it was made from."""
    work = context.work
    payload = stage_kind(work.stage.kind).read_form(context.form, presented(context, work), work.stage.config)
    base = whole(context.text("revision")) or 0
    draft = drafts.save_draft(context.workspace, context.participant.id, work.assignment.id, payload, base)
    return JSONResponse({"revision": draft.revision})


@routes.post("/work/{study}/tasks/{assignment}/submit", PARTICIPANT)
def send(context: RequestContext) -> Response:
    """Take an answer, and go on to the next task."""
    try:
        return _send(context)
    except NotFoundError:
        if context.participant.state not in AT_WORK:  # the study's page says what has ended their work
            return context.go(f"/work/{context.study.name}")
        # It was kept for too long and went to somebody else, or never was this person's: both look the same.
        words = context.gettext(
            "This task is not yours any more: it had been waiting too long, and somebody else was asked."
        )
        if context.wants_json:
            path = f"{context.studio.settings.prefix}/work/{context.study.name}"
            return JSONResponse({"message": words, "next": path}, status_code=404)
        raise NotFoundError(words) from None


def _send(context: RequestContext) -> Response:
    def read(item: Item, stage: Stage) -> Mapping[str, Any]:
        kind = stage_kind(stage.kind)
        return kind.read_form(
            context.form, kind.presented(item.content, context.participant.pseudonym), stage.config
        )

    slot, *other = context.slots_meant
    try:
        sent = judgements.submit(
            context.workspace,
            context.participant.id,
            slot,
            read,
            context.text("key"),
            instead=next(iter(other), None),
        )
        stands = sent.repeated and not _takes_change(context, sent, read(sent.item, sent.stage))
    except SubmissionError as error:
        if context.wants_json:
            raise
        revision, work = whole(context.text("revision")) or 0, context.task.work
        return task_page(
            context, read(work.item, work.stage), revision, error.problems_in(context.gettext), error.status
        )
    except AlreadySubmittedError:
        return _on(context, "answered-before", after=context.work.stage.name)
    address = _after_known_answer(context, sent)
    if address:
        return context.go(address)
    return _on(context, "answered-before" if stands else None, after=sent.stage.name)


def _takes_change(context: RequestContext, sent: SubmissionReceipt, submission: Mapping[str, Any]) -> bool:
    """Take what was changed in an answer (submission) that is sent again because the reply to it (sent) was
    lost. False where it cannot be changed any more; SubmissionError."""
    payload = dict(stage_kind(sent.stage.kind).validate(submission, sent.item.content, sent.stage.config))
    before = sent.judgement.payload  # also where the person has corrected it since
    if payload == before or REDACTED in texts_in(before):  # whose words must not come again
        return True
    key = sha256(canonical(payload).encode()).hexdigest()
    slot = sent.judgement.assignment_id
    try:
        corrections.correct(context.workspace, context.participant.id, slot, submission, key)
    except ConflictError:
        return False
    return True


def _after_known_answer(context: RequestContext, sent: SubmissionReceipt) -> str | None:
    """Where an answer to a question of known answer leads; None for on to the next task, as after every other
    answer."""
    test = Qualification.of(sent.stage.config)
    if sent.item.test and test is not None and test.feedback:
        return f"{context.task_address(sent.judgement.assignment_id)}/answer"
    places = {
        "passed": "/test",
        "again": "/test",
        "failed": "/test",
        "warn": "/rest?why=warned",
        "pause": "",
        "exclude": "",
    }
    return f"/work/{context.study.name}{places[sent.then]}" if sent.then else None


@routes.post("/work/{study}/tasks/{assignment}/keep", PARTICIPANT)
def keep(context: RequestContext) -> Response:
    """Somebody is still reading: the task stays theirs."""
    until = leases.heartbeat(context.workspace, context.participant.id, context.assignment)
    return JSONResponse({"until": until})


@routes.post("/work/{study}/tasks/{assignment}/skip", PARTICIPANT)
def give_back(context: RequestContext) -> Response:
    """Give a task back; the person is not offered it again."""
    leases.release(context.workspace, context.participant.id, context.assignment, skip=True)
    return _on(context, "given-back", after="")  # a person who gives back a text does not want to write
