"""Where people are apart, by stage, person and item and over time; and how long they worked."""

from __future__ import annotations

from starlette.responses import Response

from folkways_studio.items import service as items
from folkways_studio.items.discussion import comment_counts
from folkways_studio.items.table import title_of
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.studies.agreement_over_time import By, agreement_over_time, agreement_trends, chart_of
from folkways_studio.studies.budget import budgets
from folkways_studio.studies.disagreements import by_person, by_stage, measured, most_disputed, read_answers
from folkways_studio.studies.offers import offers_of
from folkways_studio.studies.working_time import rate_of, worked_answers, working_times
from folkways_studio.web.request_context import STAFF, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work.blinding import blind_among

routes = Routes()

MOST_PEOPLE, MOST_ITEMS = 30, 20


@routes.get("/studies/{study}/disagreement", STAFF)
def show_disagreement(context: RequestContext) -> Response:
    """Everything about disagreement at a glance, with ways on to items and people."""
    study = context.study
    answers = read_answers(context.workspace, study.id)
    answered = measured(answers)
    people = by_person(context.workspace, study.id, answered)
    by: By = "hundred" if context.request.query_params.get("by") == "hundred" else "week"
    ranked = most_disputed(answered, MOST_ITEMS)
    blind = blind_among(context.workspace, study.id, context.me.id, [each.item_id for each, _ in ranked])
    disputed = []
    for each, share in ranked:
        if each.item_id in blind:
            continue
        item = items.get_item(context.workspace, study.id, each.item_id)
        subject = stage_kind(each.stage.kind).subject(item.content, each.stage.config)
        disputed.append((each, share, title_of(item, subject)))
    return context.page(
        "studies/disagreement.html.j2",
        study=study,
        stages=by_stage(context.workspace, study.id, answered),
        by=by,
        people=people[:MOST_PEOPLE],
        all_people=len(people),
        disputed=disputed,
        comments=comment_counts(context.workspace, study.id),
        populations={each.name: each for each in studies.populations(context.workspace, study.id)},
        languages={each.id: each.language for each in studies.populations(context.workspace, study.id)},
        trends={trend.stage.id: trend for trend in agreement_trends(answers)},
        courses=[(course, chart_of(course.points)) for course in agreement_over_time(answered, by)],
    )


@routes.get("/studies/{study}/time", STAFF)
def show_time(context: RequestContext) -> Response:
    """Time and pay of everybody."""
    rate = rate_of(context.study.definition)
    worked = worked_answers(context.workspace, context.study.id)
    return context.page(
        "studies/time.html.j2",
        study=context.study,
        rows=working_times(context.workspace, context.study.id, worked),
        rate=rate,
        budgets=budgets(context.workspace, context.study, worked),
        offers=offers_of(context.workspace, context.study),
    )
