"""Pages of the items of a study: answers, disagreement, lineage, and deciding by hand."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from starlette.responses import Response

from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.items import repeats, table
from folkways_studio.items import search as item_search
from folkways_studio.items import service as items
from folkways_studio.items.discussion import comment_counts
from folkways_studio.items.discussion_pages import discussion_of
from folkways_studio.items.search import ItemPage, ItemQuery
from folkways_studio.items.table import TableView, facts_of, title_of
from folkways_studio.people import participants
from folkways_studio.records import Item, ItemState, Population, Stage
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import progress
from folkways_studio.studies import service as studies
from folkways_studio.studies.spread import disagreement
from folkways_studio.web.request_context import ADJUDICATORS, RUNS_STUDIES, STAFF, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work import (
    adjudications,
    assignees,
    assignments,
    blinding,
    corrections,
    gold,
    judgements,
    redaction,
)
from folkways_studio.work.assignees import Assignee
from folkways_studio.work.stalled_items import overview_of_assignments

routes = Routes()

MOST_ANSWERS = 4
"""Answers of an item that its row shows, the most frequent."""

MOST_AT_ONCE = 400
"""Items that are dropped or reopened at once; their ids are fields of one form."""

MOST_STALLED = 5000
"""Stalled items that the table shows."""


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item in the table with its title, stage, most frequent answers, disagreement, who answered
    (id, pseudonym), suggestions (made, accepted), and to whom it is assigned. blind: answers are hidden,
    because the reader may still be asked."""

    item: Item
    title: str
    stage: Stage
    most_frequent: tuple[tuple[str, int], ...] = ()
    answers: int = 0
    disagreement: float | None = None
    people: tuple[tuple[int, str], ...] = ()
    suggestions: tuple[int, int] | None = None
    assignees: tuple[Assignee, ...] = ()
    blind: bool = False


@routes.get("/studies/{study}/items", ADJUDICATORS)
def list_items(context: RequestContext) -> Response:
    """The table of items: by stage, population, state, words and answers; the most disputed first, or sorted
    by a column."""
    view = TableView.of(context.request.query_params)
    page = whole(context.request.query_params.get("page")) or 1
    find = partial(
        item_search.find_items, context.workspace, context.study.id, query_of(context, view),
        order=view.order, limit=view.size, reader=context.me.id,
    )  # fmt: skip
    page_of_items = find(start=(page - 1) * view.size)
    if not page_of_items.items and page_of_items.total:  # beyond the last page, as after a deletion
        page = math.ceil(page_of_items.total / view.size)
        page_of_items = find(start=(page - 1) * view.size)
    stages = studies.stages(context.workspace, context.study.id)
    populations = studies.populations(context.workspace, context.study.id)
    template = (
        "items/item_list.html.j2" if context.request.headers.get("hx-request") else "items/items.html.j2"
    )
    return context.page(
        template, study=context.study, total=page_of_items.total, page=page, stages=stages, view=view,
        rows=_rows(context, page_of_items, {each.id: each for each in stages}, view), populations=populations,
        may_change=bool(context.roles & RUNS_STUDIES), population_of={each.id: each for each in populations},
        comments=comment_counts(context.workspace, context.study.id), sizes=table.SIZES,
        filters=table.saved_filters(context.workspace, context.study.id), all_columns=table.COLUMNS,
        assignee_names=assignees.assignee_names(context.workspace, context.study.id),
    )  # fmt: skip


@routes.post("/studies/{study}/items/filters", STAFF)
def save_filter(context: RequestContext) -> Response:
    """Save what the table shows under a name, or delete a saved filter."""
    view, address = TableView.of(context.form), f"/studies/{context.study.name}/items"
    if name := context.text("delete"):
        table.delete_filter(context.workspace, context.study.id, name)
    else:
        table.save_filter(context.workspace, context.study.id, context.text("name"), view)
    return context.go(f"{address}?{view.query}", "saved")


def query_of(context: RequestContext, view: TableView) -> ItemQuery:
    """The query of a view. Nothing matches a name that the study lacks: what is done with all items of a view
    is done with no other."""
    study_id = context.study.id
    stages = {each.name: each.id for each in studies.stages(context.workspace, study_id)}
    populations = {each.name: each.id for each in studies.populations(context.workspace, study_id)}
    flagged = None
    if view.only == "flagged":
        flagged = {
            each.participant_id for each in progress.quality(context.workspace, study_id) if each.flags
        }
    stalled = None
    if view.only == "stalled":
        overview = overview_of_assignments(context.workspace, study_id)
        stalled = [each.item_id for each in overview.stalled[:MOST_STALLED]]
    assignee = None
    if view.assigned not in ("", table.NOBODY, table.SOMEBODY):
        assignee = assignees.people_of(context.workspace, study_id).named(view.assigned)
    valid: tuple[tuple[str, Collection[str]], ...] = (
        (view.stage, stages),
        (view.population, populations),
        (view.state, {*ItemState}),
        (view.only, table.ONLY),
        (view.assigned, (table.NOBODY, table.SOMEBODY) if assignee is None else (view.assigned,)),
    )
    if any(name and name not in names for name, names in valid):
        return ItemQuery(numbers=())
    return ItemQuery(
        stages.get(view.stage),
        populations.get(view.population),
        ItemState(view.state) if view.state in set(ItemState) else None,
        words=view.q,
        of_people=flagged,
        disputed=view.only == "disputed",
        assigned={table.NOBODY: False, table.SOMEBODY: True}.get(view.assigned),
        assigned_to_person=assignee.participant_id if assignee is not None else None,
        assigned_to_population=assignee.population_id if assignee is not None else None,
        numbers=stalled,
    )


def chosen_numbers(context: RequestContext, most: int) -> list[int]:
    """The ids of the items that a form chooses: one by one, or all of its view. ConflictError for more than
    ``most``. context: the request with the form."""
    if context.text("all") == "yes":
        numbers = item_search.find_ids(
            context.workspace,
            context.study.id,
            query_of(context, TableView.of(context.form)),
            most=most + 1,
            reader=context.me.id,
        )
    else:
        numbers = [number for number in map(whole, context.texts("item")) if number is not None]
    if len(numbers) > most:
        raise ConflictError("these are more than %(most)s items; choose fewer at a time", most=most)
    return list(dict.fromkeys(numbers))


def _rows(
    context: RequestContext, page: ItemPage, stages: Mapping[int, Stage], view: TableView
) -> list[ItemRow]:
    """A page of items with their judgements, without those of people whose answers do not count."""
    numbers = [item.id for item in page.items]
    by_item = item_search.judgements_of(context.workspace, numbers)
    blind = blinding.blind_among(context.workspace, context.study.id, context.me.id, numbers)
    judged = [each for rows_of_item in by_item.values() for each in rows_of_item]
    last = corrections.last_payloads(context.workspace, [each.id for each in judged])
    pseudonyms, suggested = {}, {}
    if "people" in view.columns:
        pseudonyms = table.people_of(context.workspace, {each.participant_id for each in judged})
    if "suggestions" in view.columns:
        suggested = table.suggestion_counts(context.workspace, numbers)
    assigned = {}
    if "assigned" in view.columns:
        assigned = assignees.assignees_of(context.workspace, context.study.id, numbers)
    rows = []
    for item in page.items:
        stage, answers = stages[item.stage_id], by_item.get(item.id, ())
        kind = stage_kind(stage.kind)
        if item.id in blind:
            subject = kind.subject(kind.presented(item.content, ""), stage.config)
            row = ItemRow(item, title_of(item, subject), stage, blind=True)
            rows.append(replace(row, assignees=assigned.get(item.id, ())))
            continue
        counts: dict[str, int] = {}
        for judgement in answers:
            for line in kind.describe(
                last.get(judgement.id, judgement.payload), item.content, context.gettext
            ):
                counts[line] = counts.get(line, 0) + 1
        labels = [kind.labels(judgement.payload) for judgement in answers]
        people = dict.fromkeys(each.participant_id for each in answers if each.participant_id in pseudonyms)
        rows.append(
            ItemRow(
                item,
                title_of(item, kind.subject(item.content, stage.config)),
                stage,
                tuple(sorted(counts.items(), key=lambda pair: -pair[1])[:MOST_ANSWERS]),
                len(answers),
                disagreement(labels),
                tuple((number, pseudonyms[number]) for number in people),
                suggested.get(item.id),
                assigned.get(item.id, ()),
            )
        )
    return rows


@routes.post("/studies/{study}/items/change", STAFF)
def change_items(context: RequestContext) -> Response:
    """Drop many items or reopen dropped ones: first show them, then change them, for a reason."""
    chosen_items = [
        items.get_item(context.workspace, context.study.id, number)
        for number in chosen_numbers(context, MOST_AT_ONCE)
    ]
    reopens = context.text("do") == "open"
    chosen_items = [item for item in chosen_items if (item.state == ItemState.DROPPED) == reopens]
    reason = context.text("reason_why").strip()
    if context.text("sure") == "yes" and reason:
        change = adjudications.reopen if reopens else adjudications.drop
        for item in chosen_items:
            with suppress(ConflictError):  # it went on meanwhile: it stays as it is
                change(context.workspace, context.study.id, item.id, context.me.id, reason)
        return context.go(f"/studies/{context.study.name}/items", "saved")
    problems = {"reason_why": context.gettext("Say why, in a few words: it is kept on record.")}
    stages = {each.id: each for each in studies.stages(context.workspace, context.study.id)}
    rows = [
        (item, title_of(item, stage_kind(stage.kind).subject(item.content, stage.config)))
        for item in chosen_items
        for stage in [stages[item.stage_id]]
    ]
    is_sure = context.text("sure") == "yes"
    return context.page(
        "items/change_items.html.j2", 422 if is_sure else 200, study=context.study, rows=rows,
        reopens=reopens, problems=problems if is_sure else {},
    )  # fmt: skip


@routes.get("/studies/{study}/items/{item}", ADJUDICATORS)
def show_item(context: RequestContext) -> Response:
    """Show one item: its lineage, revisions, judgements, and the form to decide it."""
    return _item(context, {})


def _item(
    context: RequestContext,
    problems: Mapping[str, str],
    status: int = 200,
    decision: Mapping[str, Any] | None = None,
) -> Response:
    study, draft = context.study, decision or {}
    item = items.get_item(context.workspace, study.id, context.number("item"))
    stages = {stage.id: stage for stage in studies.stages(context.workspace, study.id)}
    stage = stages[item.stage_id]
    item = assignments.without_left(context.workspace, item, stage)
    kind = stage_kind(stage.kind)
    if blinding.blind_among(context.workspace, study.id, context.me.id, [item.id]):
        subject = kind.subject(kind.presented(item.content, ""), stage.config)
        return context.page(
            "items/item_blind.html.j2", status, study=study, item=item, stage=stage, facts=facts_of(subject)
        )
    pseudonyms = {person.id: person for person in participants.list_participants(context.workspace, study.id)}
    answers = [
        (pseudonyms[each.participant_id], each, kind.describe(each.payload, item.content, context.gettext))
        for each in judgements.list_judgements(context.workspace, study.id, item.id)
    ]
    populations: dict[int | None, Population] = {
        each.id: each for each in studies.populations(context.workspace, study.id)
    }
    population = populations.get(item.population_id)
    subject = kind.subject(item.content, stage.config)
    return context.page(
        "items/item.html.j2", status, study=study, item=item, stage=stage, stages=stages, said=answers,
        problems=problems, lineage=items.lineage(context.workspace, study.id, item.id)[:-1],
        pseudonyms=pseudonyms, facts=facts_of(subject), populations=populations,
        revisions=items.revisions(context.workspace, study.id, item.id),
        decisions=adjudications.list_adjudications(context.workspace, study.id, item.id), kind=kind,
        draft=draft,
        redactable=kind.own_words if context.roles & RUNS_STUDIES else (),
        usable=gold.known_answer_of(item, stage),
        known=kind.describe_known(item.check, item.content, context.gettext) if item.check else (),
        decides=adjudications.can_decide(stage, item), language=population.language if population else "",
        assigned=assignees.assignees_of(context.workspace, study.id, [item.id]).get(item.id, ()),
        similar=repeats.similar_items(context.workspace, item, kind.compared),
        discussion=discussion_of(context, item), **kind.form_values(item.content, stage.config, draft),
    )  # fmt: skip


@routes.post("/studies/{study}/items/{item}/look", ADJUDICATORS)
def look(context: RequestContext) -> Response:
    """Reveal the answers of others, which means not being asked about the item any more."""
    number = context.number("item")
    blinding.look(context.workspace, context.study.id, context.me.id, number)
    return context.go(f"/studies/{context.study.name}/items/{number}")


@routes.post("/studies/{study}/answers/{answer}/redact", STAFF)
def redact(context: RequestContext) -> Response:
    """Take words out of an answer and everything derived from it."""
    judgement = redaction.redact(
        context.workspace,
        context.study.id,
        context.number("answer"),
        context.texts("field"),
        by=context.me.id,
    )
    return context.go(f"/studies/{context.study.name}/items/{judgement.item_id}", "redacted")


@routes.post("/studies/{study}/items/{item}/settle", ADJUDICATORS)
def adjudicate(context: RequestContext) -> Response:
    """Decide an item instead of its rule; the judgements stay."""
    item = items.get_item(context.workspace, context.study.id, context.number("item"))
    stage = next(
        stage for stage in studies.stages(context.workspace, context.study.id) if stage.id == item.stage_id
    )
    blinding.require_sight(context.workspace, context.study.id, context.me.id, item.id)
    study_id, drop, reason = context.study.id, context.text("drop") == "yes", context.text("reason_why")
    answer = stage_kind(stage.kind).read_form(context.form, item.content, stage.config)
    decision: Mapping[str, Any] = {}
    problems: dict[str, str] = {}
    try:
        decision = {} if drop else adjudications.decision_of(stage, item, answer)
    except SubmissionError as error:
        problems = error.problems_in(context.gettext)
    if not reason.strip():
        problems["reason_why"] = context.gettext("Say why, in a few words: it is kept on record.")
    if problems:
        return _item(context, problems, 422, answer)
    adjudications.adjudicate(context.workspace, study_id, item.id, context.me.id, decision, reason, drop=drop)
    return context.go(f"/studies/{context.study.name}/items/{item.id}", "settled")
