"""The researcher's view of a study: its state, how far it is, and who works on it."""

from __future__ import annotations

import time
from typing import Any

from starlette.responses import Response

from folkways_studio.database import audit
from folkways_studio.errors import SubmissionError
from folkways_studio.models import modelling
from folkways_studio.people import accounts, participants
from folkways_studio.people.actors import actors_of
from folkways_studio.people.participation import may_make_studies
from folkways_studio.records import ParticipantState, Role, StudyState
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.studies import descriptions, progress, working_time
from folkways_studio.studies import service as studies
from folkways_studio.studies.agreement_over_time import agreement_trends
from folkways_studio.studies.budget import overspent
from folkways_studio.studies.disagreements import read_answers
from folkways_studio.studies.offers import low_pay
from folkways_studio.web.request_context import SIGNED_IN, STAFF, RequestContext
from folkways_studio.web.routing import Routes, attachment
from folkways_studio.work import gold, leases
from folkways_studio.work.categories import category_counts
from folkways_studio.work.suggestions import made_of_suggestions

routes = Routes()

EVENTS_PER_PAGE = 100
CALLS_SHOWN = 50


@routes.get("/studies", SIGNED_IN)
def list_studies(context: RequestContext) -> Response:
    """The studies in which this account has a role other than answering, with the roles."""
    mine = studies.list_studies(context.workspace, account_id=context.me.id)
    rows = [(study, sorted(accounts.roles_of(context.workspace, study.id, context.me.id))) for study in mine]
    return context.page(
        "studies/studies.html.j2",
        rows=rows,
        titles=studies.distinct_titles(mine),
        may_make=may_make_studies(context.workspace, context.me),
    )


@routes.get("/studies/{study}", STAFF)
def show_overview(context: RequestContext) -> Response:
    """State, numbers, progress, what is wrong now and what to do about it."""
    study = context.study
    leases.expire(context.workspace, study.id)
    rows = progress.progress(context.workspace, study.id)
    people = participants.list_participants(context.workspace, study.id)
    stages = studies.stages(context.workspace, study.id)
    populations = studies.populations(context.workspace, study.id)
    numbers: dict[str, Any] = {
        "study": study,
        "rows": rows,
        "people": people,
        "flagged": [each for each in progress.quality(context.workspace, study.id) if each.flags],
        "stages": {stage.name: stage for stage in stages},
        "populations": {each.name: each for each in populations},
        "population_titles": {each.id: each.title for each in populations},
        "categories": [
            (stage, category_counts(context.workspace, stage, [each.id for each in populations]))
            for stage in stages
            if stage.config.get("least_per_category")
        ],
    }
    if context.request.headers.get("hx-request"):
        return context.page("studies/progress.html.j2", **numbers)
    stages_here = [stage for stage in stages if stage.role != Role.ANNOTATOR]
    needed = dict.fromkeys(Role(stage.role) for stage in stages_here)
    return context.page(
        "studies/overview.html.j2",
        **numbers,
        own=stages_here,
        mine=any(stage.role in context.roles for stage in stages_here)
        and any(each.account_id == context.me.id for each in people),
        lacking=[role for role in needed if Role.OWNER in context.roles and role not in context.roles],
        lacking_tests=gold.lacking(context.workspace, study.id),
        not_offered=modelling.not_offered(study, context.studio.settings.models),
        low_pay=low_pay(context.workspace, study),
        waiting=sum(each.state == ParticipantState.WAITING for each in people),
        stalled=progress.stalled_stages(context.workspace, study.id, rows, time.time())
        if study.state == StudyState.OPEN
        else (),
        apart=[
            trend
            for trend in agreement_trends(read_answers(context.workspace, study.id))
            if trend.grows_apart
        ],
        overspent=overspent(context.workspace, study),
    )


@routes.post("/studies/{study}/state", STAFF)
def set_state(context: RequestContext) -> Response:
    """Open, pause or close."""
    state = context.text("state")
    if state not in (StudyState.OPEN, StudyState.PAUSED, StudyState.CLOSED):
        raise SubmissionError({"state": context.gettext("A study can be opened, paused or closed.")})
    studies.set_state(context.workspace, context.study.id, StudyState(state), by=context.me.id)
    return context.go(f"/studies/{context.study.name}", f"study-{state}")


@routes.get("/studies/{study}/description.yaml", STAFF)
def show_description(context: RequestContext) -> Response:
    """The file that describes the study, for making another like it."""
    text = descriptions.description_of(context.workspace, context.study)
    return attachment(text, f"{context.study.name}.yaml", "text/yaml")


@routes.get("/studies/{study}/quality", STAFF)
def show_quality(context: RequestContext) -> Response:
    """Agreement, with why it is not defined where it is not; how each person works; what models were
    asked."""
    from folkways_studio.studies.agreement import agreement
    from folkways_studio.studies.suggestion_effects import suggestion_figures

    study = context.study
    measured = agreement(context.workspace, study.id)
    named = ("percent", "majority", "largest_vote", "cohen", "fleiss", "alpha", "masi", "fitting")
    coefficients = (getattr(each, name) for each in measured if each.field for name in named)
    return context.page(
        "studies/quality.html.j2",
        study=study,
        agreement=measured,
        quality=progress.quality(context.workspace, study.id),
        known=gold.known_answers(context.workspace, study.id),
        reasons=sorted({value.reason for value in coefficients if value.value is None}),
        suggestions=made_of_suggestions(context.workspace, study.id),
        figures=suggestion_figures(context.workspace, study.id),
        calls=list(reversed(modelling.list_calls(context.workspace, study.id)))[:CALLS_SHOWN],
        stages={stage.name: stage for stage in studies.stages(context.workspace, study.id)},
        populations={
            population.name: population for population in studies.populations(context.workspace, study.id)
        },
    )


@routes.get("/studies/{study}/log", STAFF)
def show_log(context: RequestContext) -> Response:
    """Who did what and when."""
    before = whole(context.request.query_params.get("before"))
    entries = audit.events(context.workspace, context.study.id, before=before, limit=EVENTS_PER_PAGE + 1)
    entries, older = entries[:EVENTS_PER_PAGE], entries[EVENTS_PER_PAGE:]
    return context.page(
        "studies/log.html.j2",
        study=context.study,
        events=entries,
        actors=actors_of(context.workspace, entries),
        more=entries[-1].id if older else None,
    )


@routes.get("/studies/{study}/payments.csv", STAFF)
def show_payments(context: RequestContext) -> Response:
    """What everybody is owed for, as a table for the recruitment service."""
    from folkways.sdk.files import csv_bytes

    header = (
        *("participant", "prolific_pid", "state", "answers", "minutes", "completion_code"),
        *("minutes_without_breaks", "pay", "currency"),
    )
    rate = working_time.rate_of(context.study.definition)
    worked = {
        each.pseudonym: each for each in working_time.working_times(context.workspace, context.study.id)
    }
    payments = progress.read_payments(context.workspace, context.study.id, by=context.me.id)
    content = csv_bytes(
        header,
        (
            (
                *(each.pseudonym, each.external, each.state, each.answers, f"{each.minutes:.1f}", each.code),
                *_worth(worked.get(each.pseudonym), rate),
            )
            for each in payments
        ),
    )
    return attachment(content, f"{context.study.name}-payments.csv", "text/csv; charset=utf-8")


def _worth(worked: working_time.WorkingTime | None, rate: working_time.Rate | None) -> tuple[str, str, str]:
    """Minutes of work, pay and its currency; empty where there is none."""
    if worked is None:
        return "", "", ""
    return (
        f"{60 * worked.hours:.1f}",
        "" if worked.pay is None else f"{worked.pay:.2f}",
        rate.currency if rate else "",
    )
