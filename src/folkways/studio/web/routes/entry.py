"""Coming into a study: the invitation, the recruitment service's parameters, consent, eligibility; and leaving it."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from folkways.studio.errors import InviteError, ReturnError, SubmissionError
from folkways.studio.records import Participant, Population, Role, Study
from folkways.studio.services import accounts, invites, participants, studies
from folkways.studio.web.completion import completion
from folkways.studio.web.prolific import PARAMETERS, check_entry, read_parameters
from folkways.studio.web.routes.account import begin_session
from folkways.studio.web.routing import Routes, sentence
from folkways.studio.web.standing import study_of_invitation
from folkways.studio.web.visits import ANYBODY, PARTICIPANT, Visit

routes = Routes()


def population_of(visit: Visit, person: Participant) -> Population | None:
    """The population that a person belongs to; None for staff."""
    found = studies.populations(visit.workspace, person.study_id)
    return next((each for each in found if each.id == person.population_id), None)


def _external(study: Study, given: Mapping[str, str], visit: Visit) -> tuple[dict[str, str], bool]:
    """What the recruitment service says of the person, and whether it signed that; empty for nobody's parameters."""
    found = read_parameters(given)
    return found, check_entry(study, given, found, visit.studio.settings)


def _invited(visit: Visit) -> tuple[Study, str]:
    """The study of the link, and the role that it gives. InviteError where it lets nobody in, unless this may be somebody who
    came by it before: that is for ``participants.join`` to say.
    """
    token = visit.request.path_params["token"]
    given = visit.form if visit.is_change else visit.request.query_params
    try:
        invite = invites.find_invite(visit.workspace, token)
        return studies.get_study(visit.workspace, invite.study_id), invite.role
    except InviteError:
        study = study_of_invitation(visit.workspace, token)
        if study is None or (visit.account is None and not given.get("PROLIFIC_PID")):
            raise
        return study, Role.ANNOTATOR


@routes.get("/join/{token}", ANYBODY)
def show_invitation(visit: Visit) -> Response:
    """What the study is and what comes next. Nothing is stored yet: previews of links follow them too."""
    study, role = _invited(visit)
    given = dict(visit.request.query_params)
    external, _ = _external(study, given, visit)
    carried = {name: given[name] for name in (*PARAMETERS, "prolific_token") if given.get(name)}
    return _invitation(visit, study, role, carried, by_service=bool(external))


def _invitation(
    visit: Visit,
    study: Study,
    role: str,
    carried: Mapping[str, str],
    *,
    by_service: bool,
    problems: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    return visit.page(
        "entry/invitation.html.j2", status, study=study, role=role, carried=carried, by_service=by_service,
        needs_login=role != Role.ANNOTATOR, problems=problems or {},
    )  # fmt: skip


@routes.post("/join/{token}", ANYBODY)
def join(visit: Visit) -> Response:
    """Come in: as whoever has signed in, as the recruitment service's person, with a new login, or as somebody without one."""
    visit.studio.rates.take("join", visit.address)
    study, role = _invited(visit)
    given = {name: visit.text(name) for name in (*PARAMETERS, "prolific_token")}
    external, signed = _external(study, given, visit)
    account_id = visit.account.id if visit.account is not None and not external else None
    if account_id is None and role != Role.ANNOTATOR:
        try:
            account = accounts.create_account(
                visit.workspace, visit.text("login"), visit.text("password"), name=visit.text("name"), locale=visit.locale
            )
        except SubmissionError as error:
            return _invitation(visit, study, role, {}, by_service=False, problems=error.problems, status=422)
        account_id = account.id
    token = visit.request.path_params["token"]
    browser = visit.account.id if visit.account is not None else None
    code = visit.text("return_code").strip().upper()
    try:
        person = participants.join(
            visit.workspace, token, account_id, external=external, signed=signed, browser=browser, code=code, locale=visit.locale
        )
    except ReturnError as error:
        carried = {name: value for name, value in given.items() if value}
        problems = {"return_code": sentence(error.words(visit.gettext))}
        return _invitation(visit, study, role, carried, by_service=True, problems=problems, status=error.status)
    if visit.account is None or visit.account.id != person.account_id:
        begin_session(visit, person.account_id)
    return visit.go(f"/work/{study.name}")


@routes.get("/work/{study}/consent", PARTICIPANT)
def show_consent(visit: Visit) -> Response:
    """What people agree to, with its version."""
    return visit.page("entry/consent.html.j2", study=visit.study, person=visit.participant)


@routes.post("/work/{study}/consent", PARTICIPANT)
def agree(visit: Visit) -> Response:
    """Record the agreement to exactly the text that was shown."""
    if visit.text("agree") != "yes":
        words = visit.gettext("Tick the box if you agree. If you do not, you can close this page: nothing is stored about you.")
        raise SubmissionError({"agree": words})
    participants.consent(visit.workspace, visit.participant.id, visit.text("version"))
    return visit.go(f"/work/{visit.study.name}")


@routes.get("/work/{study}/eligibility", PARTICIPANT)
def show_eligibility(visit: Visit) -> Response:
    """The questions of the person's population."""
    return _eligibility(visit, {}, {})


def _eligibility(visit: Visit, given: Mapping[str, str], problems: Mapping[str, str], status: int = 200) -> Response:
    population = population_of(visit, visit.participant)
    criteria = population.criteria if population else ()
    return visit.page("entry/eligibility.html.j2", status, study=visit.study, criteria=criteria, given=given, problems=problems)


@routes.post("/work/{study}/eligibility", PARTICIPANT)
def answer_eligibility(visit: Visit) -> Response:
    """Judge the answers once; they are kept apart from everything the person will say later."""
    population = population_of(visit, visit.participant)
    names = [str(criterion["name"]) for criterion in population.criteria] if population else []
    given = {name: visit.text(f"criterion-{name}") for name in names}
    try:
        participants.answer_eligibility(visit.workspace, visit.participant.id, given)
    except SubmissionError as error:
        words = visit.gettext("Please answer this question.")
        return _eligibility(visit, given, dict.fromkeys(error.problems, words), 422)
    return visit.go(f"/work/{visit.study.name}")


@routes.get("/work/{study}/withdraw", PARTICIPANT)
def show_withdrawal(visit: Visit) -> Response:
    """What leaving means, before it is done."""
    return visit.page("entry/withdraw.html.j2", study=visit.study, person=visit.participant)


@routes.post("/work/{study}/withdraw", PARTICIPANT)
def withdraw(visit: Visit) -> Response:
    """Leave; on request everything personal is deleted as well."""
    participants.withdraw(visit.workspace, visit.study.id, visit.participant.id)
    if visit.text("erase") == "yes":
        participants.delete_attributes(visit.workspace, visit.study.id, visit.participant.id)
    return visit.page("entry/left.html.j2", study=visit.study)


@routes.post("/work/{study}/finish", PARTICIPANT)
def finish(visit: Visit) -> Response:
    """The person has done enough."""
    participants.finish(visit.workspace, visit.participant.id)
    return visit.go(f"/work/{visit.study.name}/done")


@routes.get("/work/{study}/done", PARTICIPANT)
def show_done(visit: Visit) -> Response:
    """Thanks, and the code with which the recruitment service pays."""
    return visit.page("entry/done.html.j2", study=visit.study, person=visit.participant, end=completion(visit))
