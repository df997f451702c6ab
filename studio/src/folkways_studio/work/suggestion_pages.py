"""Suggestions on a task's page: ask for one, take it into the form, put the form back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, Response

from folkways_studio.activity import ModelSuggestion
from folkways_studio.errors import SubmissionError
from folkways_studio.models import suggesting
from folkways_studio.models.modelling import TOO_LATE, models_of
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.stages.registry import stage_kind
from folkways_studio.web.request_context import PARTICIPANT, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work import drafts
from folkways_studio.work.assignments import get_work
from folkways_studio.work.suggestions import put_back, take_suggestion
from folkways_studio.work.task_pages import TaskPage
from folkways_studio.workflows.suggesting import Suggester

routes = Routes()


@dataclass(frozen=True, slots=True)
class SuggestionPanel:
    """What stands beside a task. suggestion: the latest, None before the first. can_ask: whether another
    would be another one."""

    suggester: Suggester
    suggestion: ModelSuggestion | None
    can_ask: bool


def suggestion_beside(context: RequestContext, task: TaskPage) -> SuggestionPanel | None:
    """For a task in which something may be suggested; None for any other, and without a model."""
    suggester = suggesting.suggester_of(task.work.stage)
    if suggester is None:
        return None
    suggestion = task.suggestion
    offered = models_of(context.study).get(suggesting.PURPOSE) in context.studio.settings.models
    if not offered and suggestion is None:
        return None
    return SuggestionPanel(suggester, suggestion, offered and (suggestion is None or suggester.of_draft))


@routes.post("/work/{study}/tasks/{assignment}/suggest", PARTICIPANT, slow=True)
def suggest(context: RequestContext) -> Response:
    """Ask for a suggestion, put it into the form, or put back what was there; then to the page with what came
    of it."""
    number, person = context.assignment, context.participant
    work = get_work(context.workspace, person.id, number)
    written = stage_kind(work.stage.kind).read_form(context.form, work.item.content, work.stage.config)
    base, step = whole(context.text("revision")) or 0, context.text("step")
    if step == "take":
        take_suggestion(context.workspace, person.id, number, written, base)
    elif step == "back":
        put_back(context.workspace, person.id, number, base)
    else:
        return _ask(context, number, written, base)
    return context.go(context.task_address(number))


def _ask(context: RequestContext, number: int, written: Mapping[str, Any], base: int) -> Response:
    context.studio.rates.take("models", str(context.me.id))
    with context.studio.waiting.place(context.study.id, context.me.id):
        suggestion, call = suggesting.suggest(
            context.workspace,
            context.participant.id,
            number,
            context.studio.settings.models,
            written,
            gone=context.gone,
        )
    if context.gone.is_set():
        return Response(
            status_code=204
        )  # nobody reads it, and the browser's own draft is newer than this form
    revision = drafts.save_draft(context.workspace, context.participant.id, number, written, base).revision
    if suggestion is not None:
        return context.go(context.task_address(number))
    trouble = (
        context.gettext("The model did not answer in time. Try once more, or go on without it.")
        if call.problem == TOO_LATE
        else context.gettext("The model gave no suggestion that can be used. Go on without it.")
    )
    if context.wants_json:
        return JSONResponse({"problems": {"": trouble}, "kept": revision}, status_code=SubmissionError.status)
    raise SubmissionError({"": trouble})
