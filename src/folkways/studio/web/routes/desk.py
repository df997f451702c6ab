"""The researcher's view of a study: its state, how far it is, and who works on it."""

from __future__ import annotations

import yaml
from starlette.responses import PlainTextResponse, Response

from folkways.spreadsheet import csv_bytes
from folkways.studio.errors import SubmissionError
from folkways.studio.records import Role, StudyState
from folkways.studio.services import accounts, agreement, audit, leases, modelling, participants, progress, studies
from folkways.studio.web.forms.base import whole
from folkways.studio.web.routing import Routes
from folkways.studio.web.standing import may_make_studies
from folkways.studio.web.visits import SIGNED_IN, STAFF, Visit

routes = Routes()

EVENTS_PER_PAGE = 100
CALLS_SHOWN = 50


@routes.get("/studies", SIGNED_IN)
def list_studies(visit: Visit) -> Response:
    """The studies in which this account has a role other than answering, with the roles."""
    rows = []
    for study in studies.list_studies(visit.workspace, account_id=visit.me.id):
        roles = accounts.roles_of(visit.workspace, study.id, visit.me.id)
        rows.append((study, sorted(roles)))
    return visit.page("desk/studies.html.j2", rows=rows, may_make=may_make_studies(visit.workspace, visit.me))


@routes.get("/studies/{study}", STAFF)
def show_overview(visit: Visit) -> Response:
    """State, numbers, progress, and what needs looking at."""
    study = visit.study
    leases.expire(visit.workspace, study.id)
    rows = progress.progress(visit.workspace, study.id)
    people = participants.list_participants(visit.workspace, study.id)
    flagged = [each for each in progress.quality(visit.workspace, study.id) if each.flags]
    template = "desk/progress.html.j2" if visit.request.headers.get("hx-request") else "desk/overview.html.j2"
    stages = studies.stages(visit.workspace, study.id)
    own = [stage for stage in stages if stage.role != Role.ANNOTATOR]
    needed = dict.fromkeys(Role(stage.role) for stage in own)
    return visit.page(
        template, study=study, rows=rows, people=people, flagged=flagged, own=own,
        mine=any(stage.role in visit.roles for stage in own) and any(each.account_id == visit.me.id for each in people),
        lacking=[role for role in needed if Role.OWNER in visit.roles and role not in visit.roles],
        stages={stage.name: stage for stage in stages},
        populations={population.name: population for population in studies.populations(visit.workspace, study.id)},
        not_offered=modelling.not_offered(study, visit.studio.settings.models),
    )  # fmt: skip


@routes.post("/studies/{study}/state", STAFF)
def set_state(visit: Visit) -> Response:
    """Open, pause or close."""
    state = visit.text("state")
    if state not in (StudyState.OPEN, StudyState.PAUSED, StudyState.CLOSED):
        raise SubmissionError({"state": visit.gettext("A study can be opened, paused or closed.")})
    studies.set_state(visit.workspace, visit.study.id, StudyState(state), by=visit.me.id)
    return visit.go(f"/studies/{visit.study.name}", f"study-{state}")


@routes.get("/studies/{study}/description.yaml", STAFF)
def show_description(visit: Visit) -> Response:
    """The file that describes the study, for making another like it."""
    text = yaml.safe_dump(dict(visit.study.definition), allow_unicode=True, sort_keys=False, width=100)
    headers = {"Content-Disposition": f'attachment; filename="{visit.study.name}.yaml"'}
    return PlainTextResponse(text, headers=headers, media_type="text/yaml")


@routes.get("/studies/{study}/quality", STAFF)
def show_quality(visit: Visit) -> Response:
    """Agreement, with why it is not defined where it is not; how each person works; what models were asked."""
    study = visit.study
    found = agreement.agreement(visit.workspace, study.id)
    coefficients = (
        value
        for each in found
        if each.field
        for value in (each.percent, each.majority, each.largest_vote, each.cohen, each.fleiss, each.alpha, each.masi)
    )
    return visit.page(
        "desk/quality.html.j2", study=study, agreement=found, quality=progress.quality(visit.workspace, study.id),
        reasons=sorted({value.reason for value in coefficients if value.value is None}),
        calls=list(reversed(modelling.list_calls(visit.workspace, study.id)))[:CALLS_SHOWN],
        stages={stage.name: stage for stage in studies.stages(visit.workspace, study.id)},
        populations={population.name: population for population in studies.populations(visit.workspace, study.id)},
    )  # fmt: skip


@routes.get("/studies/{study}/log", STAFF)
def show_log(visit: Visit) -> Response:
    """Who did what and when."""
    before = whole(visit.request.query_params.get("before"))
    found = audit.events(visit.workspace, visit.study.id, before=before, limit=EVENTS_PER_PAGE)
    names = {account.id: account.name for account, _ in accounts.members(visit.workspace, visit.study.id)}
    pseudonyms = {person.id: person.pseudonym for person in participants.list_participants(visit.workspace, visit.study.id)}
    more = found[-1].id if len(found) == EVENTS_PER_PAGE else None
    return visit.page("desk/log.html.j2", study=visit.study, events=found, names=names, pseudonyms=pseudonyms, more=more)


@routes.get("/studies/{study}/payments.csv", STAFF)
def show_payments(visit: Visit) -> Response:
    """What everybody is owed for, as a table for the recruitment service."""
    header = ("participant", "prolific_pid", "state", "answers", "minutes", "completion_code")
    content = csv_bytes(
        header,
        (
            (each.pseudonym, each.external, each.state, each.answers, f"{each.minutes:.1f}", each.code)
            for each in progress.payments(visit.workspace, visit.study.id)
        ),
    )
    name = f"{visit.study.name}-payments.csv"
    return Response(
        content, media_type="text/csv; charset=utf-8", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
