"""Pages of the people of a study: invitations, participants, roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.responses import Response

from folkways.sdk.errors import FolkwaysError
from folkways_studio.errors import NotFoundError, SubmissionError
from folkways_studio.people import accounts, invites, participants, password_links, personal, suspension
from folkways_studio.records import Population, Role
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.studies import progress, remaining_work
from folkways_studio.studies import service as studies
from folkways_studio.studies.working_time import working_times
from folkways_studio.web.request_context import OWNER, STAFF, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work import assignees, gold, training

routes = Routes()

MOST_DAYS = 365
MOST_USES = 100_000
ROWS = 50
"""Items on a page."""


@routes.get("/studies/{study}/people", STAFF)
def show_people(context: RequestContext) -> Response:
    """List everybody, with forms to invite more."""
    return people_page(context)


def people_page(
    context: RequestContext,
    link: str = "",
    password_link: str = "",
    problems: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    """The page of people, in this context. link, password_link: just made, to be shown once. problems: by
    field. status: of HTTP."""
    study = context.study
    people = participants.list_participants(context.workspace, study.id)
    worked = {each.participant_id: each for each in working_times(context.workspace, study.id)}
    flags: dict[int, list[str]] = {}
    for each in progress.quality(context.workspace, study.id):
        flags.setdefault(each.participant_id, []).extend(each.flags)
    return context.page(
        "people/people.html.j2", status, study=study,
        people=[each for each in people if each.source != "staff"],
        populations=studies.populations(context.workspace, study.id),
        invites=invites.list_invites(context.workspace, study.id),
        members=accounts.members(context.workspace, study.id, *accounts.STAFF_ROLES),
        worked=worked, flags=flags, trainings=training.trainings(context.workspace, study.id),
        link=link, password_link=password_link, problems=problems or {},
        waiting=participants.list_waiting(context.workspace, study.id, by=context.me.id),
        may_give=invites.may_give(context.roles), is_owner=Role.OWNER in context.roles,
    )  # fmt: skip


@routes.post("/studies/{study}/invites", STAFF)
def invite(context: RequestContext) -> Response:
    """Make an invitation link and show it once."""
    role = context.text("role", Role.ANNOTATOR)
    if role not in invites.may_give(context.roles):
        raise SubmissionError({"role": context.gettext("You cannot give this role.")})
    uses, days, problems = whole(context.text("uses")), 0, {}
    if context.text("uses") and (uses is None or not 1 <= uses <= MOST_USES):
        problems["uses"] = context.gettext("Give a whole number, or nothing for no limit.")
    try:
        days = context.count("days", MOST_DAYS, 30)
    except FolkwaysError as error:
        problems["days"] = str(error)
    if problems:
        return people_page(context, problems=problems, status=422)
    population = context.text("population") or None
    _, token = invites.create_invite(
        context.workspace,
        context.study.id,
        Role(role),
        population=population if role == Role.ANNOTATOR else None,
        uses=uses,
        days=days,
        note=context.text("note")[:200],
        by=context.me.id,
    )
    return people_page(context, link=f"{context.origin}/join/{token}")


@routes.post("/studies/{study}/invites/{invite}/revoke", STAFF)
def revoke(context: RequestContext) -> Response:
    """Revoke an invitation link."""
    invites.revoke_invite(context.workspace, context.study.id, context.number("invite"), by=context.me.id)
    return context.go(f"/studies/{context.study.name}/people", "revoked")


@routes.get("/studies/{study}/people/{person}", STAFF)
def show_person(context: RequestContext) -> Response:
    """One participant. Personal details are shown only on request, which is recorded."""
    number = context.number("person")
    person, shows_personal = context.person(number), context.request.query_params.get("personal") == "show"
    populations: dict[int | None, Population] = {
        each.id: each for each in studies.populations(context.workspace, context.study.id)
    }
    quality = progress.quality(context.workspace, context.study.id, number)
    details = None
    if shows_personal:
        details = personal.look_up_attributes(context.workspace, context.study.id, number, by=context.me.id)
    on_known_answers = gold.known_answers(context.workspace, context.study.id).people
    return context.page(
        "people/person.html.j2", study=context.study, person=person,
        population=populations.get(person.population_id), quality=quality,
        work=remaining_work.remaining_work(context.workspace, person),
        personal=details, known=[each for each in on_known_answers if each.participant.id == number],
    )  # fmt: skip


@routes.get("/studies/{study}/people/{person}/items", STAFF)
def show_remaining_items(context: RequestContext) -> Response:
    """The items of a stage that a participant may still be asked, those that are assigned to them first."""
    person, query = context.person(context.number("person")), context.request.query_params
    page, stage = whole(query.get("page")) or 1, (query.get("stage") or "")[:64]
    if not stage:
        stage = next(
            (each.stage.name for each in remaining_work.remaining_work(context.workspace, person)), ""
        )
    rows = remaining_work.remaining_items(
        context.workspace, person, stage, start=(page - 1) * ROWS, limit=ROWS + 1
    )
    assigned = assignees.assignees_of(context.workspace, context.study.id, [item.id for item in rows])
    return context.page(
        "people/remaining_items.html.j2", study=context.study, person=person, items=rows[:ROWS], page=page,
        stage=studies.get_stage(context.workspace, context.study.id, stage), more=len(rows) > ROWS,
        assigned=assigned,
    )  # fmt: skip


@routes.post("/studies/{study}/people/{person}/let-in", STAFF)
def let_in(context: RequestContext) -> Response:
    """Let in or screen out somebody who waits."""
    lets_in = context.text("let_in") == "yes"
    participants.settle_waiting(
        context.workspace, context.study.id, context.number("person"), let_in=lets_in, by=context.me.id
    )
    return context.go(f"/studies/{context.study.name}/people", "waived" if lets_in else "saved")


def _change(
    context: RequestContext, change: Callable[..., object], *values: str, say: str = "saved"
) -> Response:
    """Change the participant in the address, then show them with the message ``say``."""
    number = context.number("person")
    change(context.workspace, context.study.id, number, *values, by=context.me.id)
    return context.go(f"/studies/{context.study.name}/people/{number}", say)


@routes.post("/studies/{study}/people/{person}/waive", STAFF)
def waive(context: RequestContext) -> Response:
    """Let somebody in who does not meet the criteria."""
    return _change(context, participants.waive_eligibility, context.text("reason"), say="waived")


@routes.post("/studies/{study}/people/{person}/erase", STAFF)
def erase(context: RequestContext) -> Response:
    """Delete personal details."""
    return _change(context, personal.delete_attributes, say="erased")


@routes.post("/studies/{study}/people/{person}/withdraw", STAFF)
def withdraw(context: RequestContext) -> Response:
    """Take somebody's answers out of everything that leaves the study, at their request."""
    return _change(context, participants.withdraw)


@routes.post("/studies/{study}/people/{person}/exclude", STAFF)
def exclude(context: RequestContext) -> Response:
    """Exclude somebody, for a reason that they are shown."""
    return _change(context, suspension.exclude, context.text("exclusion"))


@routes.post("/studies/{study}/people/{person}/include", STAFF)
def include(context: RequestContext) -> Response:
    """Undo an exclusion."""
    return _change(context, suspension.include)


@routes.post("/studies/{study}/roles", OWNER)
def give_role(context: RequestContext) -> Response:
    """Give another role to somebody who has a role in the study. Invite anybody else."""
    account = accounts.find_member(context.workspace, context.study.id, context.text("login"))
    if account is None:
        message = context.gettext("Nobody here signs in with that name. Send an invitation instead.")
        return people_page(context, problems={"login": message}, status=422)
    role = _role(context)
    participants.add_staff(context.workspace, context.study.id, account.id, role, by=context.me.id)
    return context.go(f"/studies/{context.study.name}/people", "role-given")


@routes.post("/studies/{study}/take-part", OWNER)
def take_part(context: RequestContext) -> Response:
    """Let the owner work on the stages of a role."""
    role = _role(context)
    if role not in (Role.RESEARCHER, Role.REVIEWER, Role.EXPERT):
        raise SubmissionError({"role": context.gettext("You cannot give this role.")})
    participants.add_staff(context.workspace, context.study.id, context.me.id, role, by=context.me.id)
    return context.go(f"/work/{context.study.name}")


@routes.post("/studies/{study}/roles/take", OWNER)
def take_role(context: RequestContext) -> Response:
    """Take a role away."""
    account = whole(context.text("account"))
    if account is None:
        raise NotFoundError(context.gettext("There is no such person."))
    accounts.take_role(context.workspace, context.study.id, account, _role(context), by=context.me.id)
    return context.go(f"/studies/{context.study.name}/people", "role-taken")


def _role(context: RequestContext) -> Role:
    try:
        return Role(context.text("role"))
    except ValueError:
        raise SubmissionError({"role": context.gettext("There is no such role.")}) from None


@routes.post("/studies/{study}/password-link", OWNER)
def make_password_link(context: RequestContext) -> Response:
    """Make a password link for somebody of this study and show it once."""
    context.need_passwords()
    number = whole(context.text("account"))
    if number is None or not accounts.roles_of(context.workspace, context.study.id, number):
        raise NotFoundError(context.gettext("There is no such person."))
    token = password_links.make_link(context.workspace, number, by=context.me.id)
    return people_page(context, password_link=f"{context.origin}/password/{token}")
