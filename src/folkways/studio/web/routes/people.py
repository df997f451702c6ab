"""The people of a study: invitations, participants and who may do what."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from folkways.studio.errors import NotFoundError, SubmissionError
from folkways.studio.records import Participant, Role
from folkways.studio.services import accounts, audit, invites, participants, progress, studies
from folkways.studio.web.forms.base import whole
from folkways.studio.web.routing import Routes
from folkways.studio.web.visits import OWNER, STAFF, Visit

routes = Routes()

MOST_DAYS = 365
MOST_USES = 100_000


@routes.get("/studies/{study}/people", STAFF)
def show_people(visit: Visit) -> Response:
    """Everybody, and the forms to invite more."""
    return _people(visit)


def _people(visit: Visit, link: str = "", problems: Mapping[str, str] | None = None, status: int = 200) -> Response:
    study = visit.study
    found = participants.list_participants(visit.workspace, study.id)
    answers = {each.pseudonym: each for each in progress.payments(visit.workspace, study.id)}
    flags: dict[int, list[str]] = {}
    for each in progress.quality(visit.workspace, study.id):
        flags.setdefault(each.participant_id, []).extend(each.flags)
    return visit.page(
        "desk/people.html.j2", status, study=study, people=[each for each in found if each.source != "staff"],
        populations=studies.populations(visit.workspace, study.id), invites=invites.list_invites(visit.workspace, study.id),
        members=accounts.members(visit.workspace, study.id, Role.OWNER, Role.RESEARCHER, Role.REVIEWER, Role.EXPERT),
        answers=answers, flags=flags, link=link, problems=problems or {}, may_give=may_give(visit),
        is_owner=Role.OWNER in visit.roles,
    )  # fmt: skip


def may_give(visit: Visit) -> tuple[Role, ...]:
    """The roles that this account may let others have: a researcher's invitation makes nobody more than a researcher."""
    return tuple(Role) if Role.OWNER in visit.roles else (Role.ANNOTATOR, Role.REVIEWER, Role.EXPERT)


@routes.post("/studies/{study}/invites", STAFF)
def invite(visit: Visit) -> Response:
    """Make a link; it is shown once."""
    role = visit.text("role", Role.ANNOTATOR)
    if role not in may_give(visit):
        raise SubmissionError({"role": visit.gettext("You cannot give this role.")})
    uses, days = whole(visit.text("uses")), whole(visit.text("days", "30"))
    problems = {}
    if visit.text("uses") and (uses is None or not 1 <= uses <= MOST_USES):
        problems["uses"] = visit.gettext("Give a whole number, or nothing for no limit.")
    if days is None or not 1 <= days <= MOST_DAYS:
        problems["days"] = visit.gettext("Give a whole number from 1 to %(most)s.", most=MOST_DAYS)
    if problems or days is None:
        return _people(visit, problems=problems, status=422)
    population = visit.text("population") or None
    _, token = invites.create_invite(
        visit.workspace,
        visit.study.id,
        Role(role),
        population=population if role == Role.ANNOTATOR else None,
        uses=uses,
        days=days,
        note=visit.text("note")[:200],
        by=visit.me.id,
    )
    return _people(visit, link=f"{origin_of(visit)}/join/{token}")


def origin_of(visit: Visit) -> str:
    """The address under which people find this server."""
    return (visit.studio.settings.origin or str(visit.request.base_url)).rstrip("/")


@routes.post("/studies/{study}/invites/{invite}/revoke", STAFF)
def revoke(visit: Visit) -> Response:
    """Let nobody in by a link any more."""
    invites.revoke_invite(visit.workspace, visit.study.id, visit.number("invite"), by=visit.me.id)
    return visit.go(f"/studies/{visit.study.name}/people", "revoked")


@routes.get("/studies/{study}/people/{person}", STAFF)
def show_person(visit: Visit) -> Response:
    """One participant: their state and how they work; what is personal only when it is asked for, which is noted."""
    number = visit.number("person")
    person = _person(visit, number)
    names = {population.id: population for population in studies.populations(visit.workspace, visit.study.id)}
    quality = [each for each in progress.quality(visit.workspace, visit.study.id) if each.participant_id == number]
    return visit.page(
        "desk/person.html.j2", study=visit.study, person=person, population=names.get(person.population_id or 0), quality=quality,
        personal=_personal(visit, number),
    )  # fmt: skip


def _personal(visit: Visit, number: int) -> Mapping[str, str] | None:
    """What is personal about somebody, if it is asked for; that somebody looked is noted."""
    if visit.request.query_params.get("personal") != "show":
        return None
    with visit.workspace.write() as connection:
        audit.note(
            connection, "participant.attributes_read", study_id=visit.study.id, account_id=visit.me.id, participant_id=number
        )
    return participants.attributes(visit.workspace, visit.study.id, number)


def _person(visit: Visit, number: int) -> Participant:
    person = participants.get_participant(visit.workspace, number)
    if person.study_id != visit.study.id:
        raise NotFoundError(visit.gettext("There is no such participant."))
    return person


@routes.post("/studies/{study}/people/{person}/waive", STAFF)
def waive(visit: Visit) -> Response:
    """Let somebody in who does not meet the criteria."""
    number = visit.number("person")
    participants.waive_eligibility(visit.workspace, visit.study.id, number, visit.text("reason"), by=visit.me.id)
    return visit.go(f"/studies/{visit.study.name}/people/{number}", "waived")


@routes.post("/studies/{study}/people/{person}/erase", STAFF)
def erase(visit: Visit) -> Response:
    """Delete what is personal."""
    number = visit.number("person")
    participants.delete_attributes(visit.workspace, visit.study.id, number, by=visit.me.id)
    return visit.go(f"/studies/{visit.study.name}/people/{number}", "erased")


@routes.post("/studies/{study}/people/{person}/withdraw", STAFF)
def withdraw(visit: Visit) -> Response:
    """Take somebody's answers out of everything that leaves the study, at their request."""
    number = visit.number("person")
    participants.withdraw(visit.workspace, visit.study.id, number, by=visit.me.id)
    return visit.go(f"/studies/{visit.study.name}/people/{number}", "saved")


@routes.post("/studies/{study}/roles", OWNER)
def give_role(visit: Visit) -> Response:
    """Give an account a role."""
    account = accounts.find_account(visit.workspace, visit.text("login"))
    if account is None:
        words = visit.gettext("Nobody here signs in with that name. Send an invitation instead.")
        return _people(visit, problems={"login": words}, status=422)
    role = _role(visit)
    participants.add_staff(visit.workspace, visit.study.id, account.id, role, by=visit.me.id)
    return visit.go(f"/studies/{visit.study.name}/people", "role-given")


@routes.post("/studies/{study}/take-part", OWNER)
def take_part(visit: Visit) -> Response:
    """Let the owner work on the stages of a role themselves."""
    role = _role(visit)
    if role not in (Role.RESEARCHER, Role.REVIEWER, Role.EXPERT):
        raise SubmissionError({"role": visit.gettext("You cannot give this role.")})
    participants.add_staff(visit.workspace, visit.study.id, visit.me.id, role, by=visit.me.id)
    return visit.go(f"/work/{visit.study.name}")


@routes.post("/studies/{study}/roles/take", OWNER)
def take_role(visit: Visit) -> Response:
    """Take a role away."""
    account = whole(visit.text("account"))
    if account is None:
        raise NotFoundError(visit.gettext("There is no such person."))
    accounts.take_role(visit.workspace, visit.study.id, account, _role(visit), by=visit.me.id)
    return visit.go(f"/studies/{visit.study.name}/people", "role-taken")


def _role(visit: Visit) -> Role:
    try:
        return Role(visit.text("role"))
    except ValueError:
        raise SubmissionError({"role": visit.gettext("There is no such role.")}) from None
