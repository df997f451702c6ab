"""The steps of red-teaming a question: a draft by the helper, and trying it on the verifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse, Response

from folkways_studio.activity import ModelCall
from folkways_studio.errors import SubmissionError
from folkways_studio.models import redteaming
from folkways_studio.models.modelling import TOO_LATE
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.stages.registry import stage_kind
from folkways_studio.web.request_context import PARTICIPANT, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work import drafts
from folkways_studio.work.assignments import get_work

routes = Routes()

WRITTEN = ("scenario", "question", "options", "intended")


@routes.post("/work/{study}/tasks/{assignment}/step", PARTICIPANT, slow=True)
def step(context: RequestContext) -> Response:
    """Keep what is written, then ask the helper or the verifier; back to the page with what came of it."""
    context.studio.rates.take("models", str(context.me.id))
    number, person = context.assignment, context.participant
    work = redteaming.writing_at_hand(context.workspace, person.id, number)
    kind, config = stage_kind(work.stage.kind), work.stage.config
    written = kind.read_form(context.form, work.item.content, config)
    suggesting = context.text("step") == "suggest"
    try:
        kind.validate(written, work.item.content, config)
    except SubmissionError as error:
        needed = ("scenario",) if suggesting else WRITTEN
        if problems := {name: problem for name, problem in error.problems.items() if name in needed}:
            raise SubmissionError(problems) from None
    if written["scenario"] != work.item.content.get("scenario"):
        redteaming.write_scenario(context.workspace, person.id, number, written["scenario"])
    with context.studio.waiting.place(context.study.id, context.me.id):
        trouble = (
            _suggest(context, number)
            if suggesting
            else _challenge(context, number, written, work.item.content)
        )
    if context.gone.is_set():
        # nobody reads it, and the browser's own draft is newer than this form
        return Response(status_code=204)
    revision = _keep(context, number, written, take_over=suggesting and not trouble)
    if trouble and context.wants_json:
        return JSONResponse({"problems": {"": trouble}, "kept": revision}, status_code=SubmissionError.status)
    if trouble:
        raise SubmissionError({"": trouble})
    return context.go(context.task_address(number))


def _suggest(context: RequestContext, number: int) -> str:
    """Ask the helper; what went wrong, in words that tell nothing of keys or servers. Researchers find more
    in the log of calls."""
    suggestion, call = redteaming.suggest(
        context.workspace, context.participant.id, number, context.studio.settings.models, gone=context.gone
    )
    if suggestion:
        return ""
    return _late(context, call) or context.gettext(
        "The helper gave no question. Try once more, or write one yourself."
    )


def _late(context: RequestContext, call: ModelCall) -> str:
    late = context.gettext("The model did not answer in time. Try once more, or go on without it.")
    return late if call.problem == TOO_LATE else ""


def _challenge(
    context: RequestContext, number: int, written: Mapping[str, Any], content: Mapping[str, Any]
) -> str:
    """Keep the wording if it is new, and ask the verifier."""
    if any(written[name] != content.get(name) for name in ("question", "options", "intended")):
        redteaming.edit(
            context.workspace,
            context.participant.id,
            number,
            written["question"],
            written["options"],
            written["intended"],
            strategy=written["strategy"],
        )
    result = redteaming.challenge(
        context.workspace, context.participant.id, number, context.studio.settings.models, gone=context.gone
    )
    if result.reply is not None:
        return ""
    return _late(context, result) or context.gettext(
        "The model could not be asked. Try once more, or send the question as it is."
    )


def _keep(context: RequestContext, number: int, written: Mapping[str, Any], *, take_over: bool) -> int:
    """Make the draft what the page shows next: what was written, or the question that the helper made.
    Returns its version."""
    content = get_work(context.workspace, context.participant.id, number).item.content
    fields = {
        **written,
        **({name: content[name] for name in WRITTEN if name in content} if take_over else {}),
        "strategy": None,
    }
    base = whole(context.text("revision")) or 0
    saved = drafts.save_draft(context.workspace, context.participant.id, number, fields, base)
    return saved.revision
