"""Guidelines in full, and the training round that shows them at work before the first task of a stage."""

from __future__ import annotations

from starlette.responses import Response

from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.records import ParticipantState, Stage
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.studies import service as studies
from folkways_studio.web.request_context import PARTICIPANT, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work import training
from folkways_studio.workflows.manuals import Manual

routes = Routes()


def _stage_of(context: RequestContext) -> tuple[Stage, Manual]:
    """The stage of the address, which the reader works on, and its manual; NotFoundError."""
    name = str(context.request.path_params["stage"])
    stages = studies.stages(context.workspace, context.study.id)
    stage = next((each for each in stages if each.name == name and each.role in context.roles), None)
    manual = context.study_texts.manual(name) if stage is not None else None
    if stage is None or manual is None:
        raise NotFoundError(context.gettext("There is no such page."))
    return stage, manual


@routes.get("/work/{study}/guidelines/{stage}", PARTICIPANT)
def show_guidelines(context: RequestContext) -> Response:
    """The guidelines of a stage in full."""
    stage, manual = _stage_of(context)
    return context.page("work/guidelines.html.j2", study=context.study, stage=stage, manual=manual)


@routes.get("/work/{study}/training/{stage}", PARTICIPANT)
def show_training(context: RequestContext) -> Response:
    """The next case of the training; or, with ``case`` and ``chose``, what to say about an answer to one
    before."""
    stage, manual = _stage_of(context)
    if not stage.config.get("training") or context.participant.state != ParticipantState.ACTIVE:
        return context.go(f"/work/{context.study.name}")
    progress = training.show_case(context.workspace, context.participant.id, stage)
    shown = whole(context.request.query_params.get("case"))
    chose = context.request.query_params.get("chose")
    answered = (
        shown is not None and chose is not None and 1 <= shown <= min(progress.answered, len(manual.cases))
    )
    if progress.answered >= len(manual.cases) and not answered:
        return context.go(f"/work/{context.study.name}")
    number = shown if answered and shown is not None else progress.answered + 1
    case = manual.cases[number - 1]
    positions = {at for at in map(whole, (chose or "").split(",")) if at is not None} if answered else None
    return context.page(
        "work/training.html.j2", study=context.study, stage=stage, manual=manual, case=case, number=number,
        chosen=positions, is_right=positions is not None and frozenset(positions) == case.right,
        is_over=answered and number == len(manual.cases), problem="",
    )  # fmt: skip


@routes.post("/work/{study}/training/{stage}", PARTICIPANT)
def answer_training(context: RequestContext) -> Response:
    """Take the answer to a case, and say at once what is right and why."""
    stage, manual = _stage_of(context)
    address = f"/work/{context.study.name}/training/{stage.name}"
    number = whole(context.text("case")) or 0
    positions = sorted({at for at in map(whole, context.texts("option")) if at is not None})
    if not stage.config.get("training") or not 1 <= number <= len(manual.cases):
        return context.go(address)
    case = manual.cases[number - 1]
    if not positions or positions[-1] >= len(case.options):
        return context.page(
            "work/training.html.j2", 422, study=context.study, stage=stage, manual=manual, case=case,
            number=number, chosen=None, is_right=False, is_over=False,
            problem=context.gettext("This has to be answered."),
        )  # fmt: skip
    try:
        training.answer_case(
            context.workspace, context.participant.id, stage, number, positions, list(manual.cases)
        )
    except ConflictError:  # a page of before: on to the case that is theirs now
        return context.go(address)
    return context.go(f"{address}?case={number}&chose={','.join(map(str, positions))}")
