"""The steps of red-teaming a question: a draft by the helper, and trying it on the verifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse, Response

from folkways.studio.errors import DraftConflictError, SubmissionError
from folkways.studio.services import drafts, redteaming
from folkways.studio.services.assignments import get_work
from folkways.studio.services.modelling import TOO_LATE
from folkways.studio.web.forms.base import whole
from folkways.studio.web.forms.registry import form_of
from folkways.studio.web.routing import Routes
from folkways.studio.web.visits import PARTICIPANT, Visit

routes = Routes()

WRITTEN = ("scenario", "question", "options", "intended")


@routes.post("/work/{study}/tasks/{assignment}/step", PARTICIPANT, slow=True)
def step(visit: Visit) -> Response:
    """Keep what is written, then ask the helper or the verifier; back to the page with what came of it."""
    visit.studio.rates.take("models", str(visit.me.id))
    number, person = visit.number("assignment"), visit.participant
    work = get_work(visit.workspace, person.id, number)
    form = form_of(work.stage.kind)
    written = form.read(visit.form, work.item.content, work.stage.config)
    problems = form.problems(written, work.item.content, work.stage.config, visit.gettext)
    suggesting = visit.text("step") == "suggest"
    if suggesting:
        problems = {name: problem for name, problem in problems.items() if name == "scenario"}
    if problems:
        raise SubmissionError(problems)
    if written["scenario"] != work.item.content.get("scenario"):
        redteaming.write_scenario(visit.workspace, person.id, number, written["scenario"])
    with visit.studio.waiting.place(visit.study.id, visit.me.id):
        trouble = _suggest(visit, number) if suggesting else _challenge(visit, number, written, work.item.content)
    if visit.gone.is_set():
        return Response(status_code=204)  # nobody reads it, and the browser's own draft is newer than this form
    try:
        revision = _keep(visit, number, written, take_over=suggesting and not trouble)
    except DraftConflictError as error:
        return JSONResponse({"message": str(error), "revision": error.current.revision}, status_code=error.status)
    if trouble and visit.wants_json:
        return JSONResponse({"problems": {"": trouble}, "kept": revision}, status_code=SubmissionError.status)
    if trouble:
        raise SubmissionError({"": trouble})
    return visit.go(f"/work/{visit.study.name}/tasks/{number}")


def _suggest(visit: Visit, number: int) -> str:
    """Ask the helper; what went wrong, in words that tell nothing of keys or servers. Researchers find more in the log of calls."""
    found, call = redteaming.suggest(visit.workspace, visit.participant.id, number, visit.studio.settings.models, gone=visit.gone)
    if found:
        return ""
    return (
        _late(visit)
        if call.problem == TOO_LATE
        else visit.gettext("The helper gave no question. Try once more, or write one yourself.")
    )


def _late(visit: Visit) -> str:
    return visit.gettext("The model did not answer in time. Try once more, or go on without it.")


def _challenge(visit: Visit, number: int, written: Mapping[str, Any], content: Mapping[str, Any]) -> str:
    """Keep the wording if it is new, and ask the verifier."""
    if any(written[name] != content.get(name) for name in ("question", "options", "intended")):
        redteaming.edit(
            visit.workspace, visit.participant.id, number, written["question"], written["options"], written["intended"],
            strategy=written["strategy"],
        )  # fmt: skip
    found = redteaming.challenge(visit.workspace, visit.participant.id, number, visit.studio.settings.models, gone=visit.gone)
    if found.reply is not None:
        return ""
    if found.problem == TOO_LATE:
        return _late(visit)
    return visit.gettext("The model could not be asked. Try once more, or send the question as it is.")


def _keep(visit: Visit, number: int, written: Mapping[str, Any], *, take_over: bool) -> int:
    """Make the draft what the page shows next: what was written, or the question that the helper made. Returns its version."""
    content = get_work(visit.workspace, visit.participant.id, number).item.content
    kept = {**written, **({name: content[name] for name in WRITTEN if name in content} if take_over else {}), "strategy": None}
    base = whole(visit.text("revision")) or 0
    saved = drafts.save_draft(visit.workspace, visit.participant.id, number, kept, base)
    return saved.revision
