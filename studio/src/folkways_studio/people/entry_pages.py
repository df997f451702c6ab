"""Joining a study (invitation, recruitment service, consent, eligibility) and leaving it."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from folkways_studio.errors import InviteError, ReturnError, SubmissionError
from folkways_studio.people import accounts, invites, participants, personal
from folkways_studio.people.account_pages import begin_session
from folkways_studio.people.completion import end_page
from folkways_studio.people.participation import study_of_invitation
from folkways_studio.people.prolific_entry import PARAMETERS, check_entry, read_parameters
from folkways_studio.records import ParticipantState, Role, Study, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.studies.offers import Offer, offer_for
from folkways_studio.web.request_context import ANYBODY, PARTICIPANT, RequestContext
from folkways_studio.web.routing import Routes, sentence

routes = Routes()


def _external(
    study: Study, parameters: Mapping[str, str], context: RequestContext
) -> tuple[dict[str, str], bool]:
    """What the recruitment service says about the person, and whether it is signed; empty without its
    parameters."""
    external = read_parameters(parameters)
    return external, check_entry(study, parameters, external, context.studio.settings)


def _invited(context: RequestContext) -> tuple[Study, str]:
    """The study of the link and the role that it gives. Raises InviteError if it lets nobody in, unless this
    may be somebody who joined by it before: ``participants.join`` decides that."""
    token = context.request.path_params["token"]
    values = context.form if context.is_change else context.request.query_params
    try:
        invite = invites.find_invite(context.workspace, token)
        return studies.get_study(context.workspace, invite.study_id), invite.role
    except InviteError:
        study = study_of_invitation(context.workspace, token)
        if study is None or (context.account is None and not values.get("PROLIFIC_PID")):
            raise
        return study, Role.ANNOTATOR


@routes.get("/join/{token}", ANYBODY, slow=True)
def show_invitation(context: RequestContext) -> Response:
    """Introduce the study. Nothing is stored yet, because link previews open this page too."""
    study, role = _invited(context)
    parameters = dict(context.request.query_params)
    external, _ = _external(study, parameters, context)
    carried = {name: parameters[name] for name in (*PARAMETERS, "prolific_token") if parameters.get(name)}
    return _invitation(context, study, role, carried, by_service=bool(external))


def _invitation(
    context: RequestContext,
    study: Study,
    role: str,
    carried: Mapping[str, str],
    *,
    by_service: bool,
    problems: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    return context.page(
        "people/invitation.html.j2", status, texts=context.texts_of(study), role=role, carried=carried,
        by_service=by_service, needs_login=role != Role.ANNOTATOR, problems=problems or {},
        is_closed=study.state == StudyState.CLOSED and context.account is None,
    )  # fmt: skip


@routes.post("/join/{token}", ANYBODY, slow=True)
def join(context: RequestContext) -> Response:
    """Join as the signed-in account, as the recruitment service's person, with a new login, or without
    one."""
    context.studio.rates.take("join", context.address)
    study, role = _invited(context)
    parameters = {name: context.text(name) for name in (*PARAMETERS, "prolific_token")}
    external, signed = _external(study, parameters, context)
    account_id = context.account.id if context.account is not None and not external else None
    browser = context.account.id if context.account is not None else None
    try:
        make = None
        if account_id is None and role != Role.ANNOTATOR:
            context.need_passwords()
            login, password, name = (context.text(field) for field in ("login", "password", "name"))
            make = accounts.prepare_account(login, password, name=name, locale=context.locale)
        person = participants.join(
            context.workspace,
            context.request.path_params["token"],
            account_id,
            make_account=make,
            external=external,
            signed=signed,
            browser=browser,
            code=context.text("return_code").strip().upper(),
            locale=context.locale,
        )
    except SubmissionError as error:
        problems = error.problems_in(context.gettext)
        return _invitation(context, study, role, {}, by_service=False, problems=problems, status=422)
    except ReturnError as error:
        carried = {name: value for name, value in parameters.items() if value}
        problems = {"return_code": sentence(error.words(context.gettext))}
        return _invitation(
            context, study, role, carried, by_service=True, problems=problems, status=error.status
        )
    if context.account is None or context.account.id != person.account_id:
        begin_session(context, person.account_id)
    return context.go(f"/work/{study.name}")


def offer_of(context: RequestContext) -> Offer:
    """What the participant is offered."""
    population = context.population.name if context.population else None
    return offer_for(context.workspace, context.study, context.participant, population)


@routes.get("/work/{study}/offer", PARTICIPANT)
def show_offer(context: RequestContext) -> Response:
    """Tasks, time and pay once more, after people have agreed."""
    return context.page("people/offered.html.j2", study=context.study, offer=offer_of(context))


@routes.get("/work/{study}/consent", PARTICIPANT)
def show_consent(context: RequestContext) -> Response:
    """Show the consent text with its version, in the reader's language or the one they ask for."""
    texts = context.study_texts
    language = context.request.query_params.get("language", "")
    shown = next(
        (each for each in texts.consents if each.language and each.language == language), texts.consent
    )
    return context.page(
        "people/consent.html.j2", study=context.study, person=context.participant, texts=texts, shown=shown,
        offer=offer_of(context),
    )  # fmt: skip


@routes.post("/work/{study}/consent", PARTICIPANT)
def agree(context: RequestContext) -> Response:
    """Record the agreement to exactly the text that was shown."""
    if context.text("agree") != "yes":
        message = context.gettext("Tick the box if you agree. If you do not, you can close this page.")
        raise SubmissionError({"agree": message})
    participants.consent(context.workspace, context.participant.id, context.text("version"))
    return context.go(f"/work/{context.study.name}")


@routes.get("/work/{study}/eligibility", PARTICIPANT)
def show_eligibility(context: RequestContext) -> Response:
    """Show the questions of the person's population; people who wait can still change their answers."""
    person = context.participant
    if person.state not in (ParticipantState.JOINED, ParticipantState.CONSENTED, ParticipantState.WAITING):
        return context.go(f"/work/{context.study.name}")
    answers = personal.own_attributes(context.workspace, person.id)
    return _eligibility(context, answers, {})


def _eligibility(
    context: RequestContext, answers: Mapping[str, str], problems: Mapping[str, str], status: int = 200
) -> Response:
    criteria = context.study_texts.criteria(context.population.name) if context.population else []
    return context.page(
        "people/eligibility.html.j2", status, study=context.study, criteria=criteria, given=answers,
        problems=problems, waits=context.participant.state == ParticipantState.WAITING,
    )  # fmt: skip


@routes.post("/work/{study}/eligibility", PARTICIPANT)
def answer_eligibility(context: RequestContext) -> Response:
    """Check the answers; they are stored apart from everything else the person says."""
    population = context.population
    names = [str(criterion["name"]) for criterion in population.criteria] if population else []
    answers = {name: context.text(f"criterion-{name}") for name in names}
    try:
        participants.answer_eligibility(context.workspace, context.participant.id, answers)
    except SubmissionError as error:
        message = context.gettext("Please answer this question.")
        return _eligibility(context, answers, dict.fromkeys(error.problems, message), 422)
    return context.go(f"/work/{context.study.name}")


@routes.get("/work/{study}/withdraw", PARTICIPANT)
def show_withdrawal(context: RequestContext) -> Response:
    """Explain what leaving means."""
    return context.page("people/withdraw.html.j2", study=context.study, person=context.participant)


@routes.post("/work/{study}/withdraw", PARTICIPANT)
def withdraw(context: RequestContext) -> Response:
    """Leave the study; on request, delete personal details as well."""
    participants.withdraw(context.workspace, context.study.id, context.participant.id)
    if context.text("erase") == "yes":
        personal.delete_attributes(context.workspace, context.study.id, context.participant.id)
    return context.page("people/left.html.j2", study=context.study)


@routes.post("/work/{study}/finish", PARTICIPANT)
def finish(context: RequestContext) -> Response:
    """Finish: the person has done enough."""
    participants.finish(context.workspace, context.participant.id)
    return context.go(f"/work/{context.study.name}/done")


@routes.get("/work/{study}/done", PARTICIPANT)
def show_done(context: RequestContext) -> Response:
    """Show thanks and the recruitment service's code."""
    return end_page(context)
