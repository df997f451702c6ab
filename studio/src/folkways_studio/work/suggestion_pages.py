"""Suggestions on a task's page: ask for one, take it into the form, put the form back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, Response

from folkways_studio.errors import SubmissionError
from folkways_studio.models import suggesting
from folkways_studio.models.modelling import TOO_LATE, models_of
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.stages.registry import stage_kind
from folkways_studio.web.request_context import PARTICIPANT, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work import drafts
from folkways_studio.work.suggestions import put_back, take_suggestion
from folkways_studio.work.task_pages import TaskPage

routes = Routes()


@dataclass(frozen=True, slots=True)
class SuggestionPanel:
    """What a model suggested, next to a task. model: its name, with version and score where there are.

    lines: the suggestion in words, where it was asked for. in_form: whether it is in the form. made: whether
    there is one. can_ask: what may be asked for: groups, translation; empty where nothing may. before:
    whether the form began with it.
    """

    model: str
    lines: Sequence[str]
    in_form: bool
    made: bool
    can_ask: str = ""
    before: bool = False


def suggestion_beside(
    context: RequestContext, task: TaskPage, draft: Mapping[str, Any]
) -> SuggestionPanel | None:
    """For a task whose form (draft) began with a suggestion, or in which something may be suggested; None for
    any other, and without a model."""
    if task.exposure is not None and task.preannotation is not None:
        return _panel_before(task, draft) if task.exposure.shown else None
    suggester = suggesting.suggester_of(task.work.stage)
    if suggester is None:
        return None
    suggestion = task.suggestion
    offered = models_of(context.study).get(suggesting.PURPOSE) in context.studio.settings.models
    if not offered and suggestion is None:
        return None
    can_ask = suggester.what if offered and (suggestion is None or suggester.of_draft) else ""
    if suggestion is None:
        return SuggestionPanel("", (), in_form=False, made=False, can_ask=can_ask)
    return SuggestionPanel(
        suggestion.model,
        suggester.lines(suggestion.content),
        in_form=suggestion.taken is not None,
        made=True,
        can_ask=can_ask,
    )


def _panel_before(task: TaskPage, draft: Mapping[str, Any]) -> SuggestionPanel:
    suggestion, work = task.preannotation, task.work
    assert suggestion is not None  # noqa: S101 - asked by the one caller
    kind, content, config = stage_kind(work.stage.kind), work.item.content, work.stage.config
    suggested, written = (kind.answer_parts(each, content, config) for each in (suggestion.content, draft))
    in_form = all(written.get(name) == each for name, each in suggested.items())
    score = "" if suggestion.score is None else f"{suggestion.score:.2f}"
    model = " · ".join(each for each in (suggestion.model, suggestion.version, score) if each)
    return SuggestionPanel(model, (), in_form=in_form, made=True, before=True)


@routes.post("/work/{study}/tasks/{assignment}/suggest", PARTICIPANT, slow=True)
def suggest(context: RequestContext) -> Response:
    """Ask for a suggestion, put it into the form, or put back what was there; then to the page with what came
    of it."""
    number, person = context.assignment, context.participant
    task = context.task
    work = task.work
    written = stage_kind(work.stage.kind).read_form(context.form, work.item.content, work.stage.config)
    base, step = whole(context.text("revision")) or 0, context.text("step")
    if task.prefilled and step in ("take", "back"):
        form = _with(written, task.prefilled) if step == "take" else {}
        drafts.save_draft(context.workspace, person.id, number, form, base)
    elif step == "take":
        take_suggestion(context.workspace, person.id, number, written, base)
    elif step == "back":
        put_back(context.workspace, person.id, number, base)
    else:
        return _ask(context, number, written, base)
    return context.go(context.task_address(number))


def _with(written: Mapping[str, Any], suggested: Mapping[str, Any]) -> Mapping[str, Any]:
    """The form with the suggested fields in place of its own; those of a field that holds fields as well."""
    fields = dict(written)
    for name, value in suggested.items():
        both = isinstance(value, Mapping) and isinstance(fields.get(name), Mapping)
        fields[name] = {**fields[name], **value} if both else value
    return fields


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
        # nobody reads it, and the browser's own draft is newer than this form
        return Response(status_code=204)
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
