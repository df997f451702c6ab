"""Pages on which researchers assign items: by hand, by a rule or by a file, each looked at before it is done;
and what of it is stalled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from folkways.sdk.errors import FolkwaysError
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.items.import_runner import read_content
from folkways_studio.items.pages import MOST_AT_ONCE, chosen_numbers
from folkways_studio.items.table import TableView
from folkways_studio.items.uploads import problem_lines, uploaded_table
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.studies import service as studies
from folkways_studio.web.request_context import STAFF, RequestContext
from folkways_studio.web.routing import Routes
from folkways_studio.work import assignees
from folkways_studio.work.assignees import MOST_ITEMS, Assignee, AssignmentReceipt, Refusal, assign
from folkways_studio.work.assignment_files import assign_rows
from folkways_studio.work.assignment_rules import (
    AssignmentPlan,
    AssignmentRule,
    apply_rule_to_items,
    plan_assignments,
)
from folkways_studio.work.stalled_items import IDLE_DAYS, overview_of_assignments

FIELDS = {"matches": "same_as"}
"""Setting of a rule -> its field: one called "matches" would take the place of a method of the form."""

routes = Routes()

SUFFIXES = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".parquet")
HOW = ("hand", "rule", "anybody")
MOST_SHOWN = 50
"""Problems and stalled items that a page lists; it also says how many there are."""


@routes.get("/studies/{study}/items/assignments", STAFF)
def show_assignments(context: RequestContext) -> Response:
    """Who has how much to answer, which assigned items are stalled and why, and the form for a file."""
    return _overview(context)


def _overview(
    context: RequestContext, done: str = "", problems: Sequence[str] = (), status: int = 200
) -> Response:
    study = context.study
    overview = overview_of_assignments(context.workspace, study.id)
    return context.page(
        "items/assignments.html.j2", status, study=study, overview=overview, done=done,
        problems=problems[:MOST_SHOWN], reasons=Counter(each.reason for each in overview.stalled),
        idle_days=round(IDLE_DAYS), endings=",".join(SUFFIXES),
        names={stage.id: stage.title for stage in studies.stages(context.workspace, study.id)},
        shown=overview.stalled[:MOST_SHOWN],
    )  # fmt: skip


@routes.post("/studies/{study}/items/assignments/file", STAFF, upload=1, slow=True)
def assign_by_file(context: RequestContext) -> Response:
    """Assign items by a table, or only check it: all of its rows, or none."""
    try:
        name, content = uploaded_table(context, SUFFIXES)
        receipt = assign_rows(
            context.workspace, context.study.id, read_content(name, content),
            add=context.text("add") == "yes", take_back=context.text("take_back") == "yes",
            preview=context.text("preview") == "yes", file=name, by=context.me.id,
        )  # fmt: skip
    except FolkwaysError as error:
        return _overview(context, problems=problem_lines(context, error), status=422)
    if context.text("preview") == "yes":
        done = context.ngettext(
            "Every row can be used: %(num)s item would be assigned.",
            "Every row can be used: %(num)s items would be assigned.",
            receipt.items,
        )
    else:
        done = _done(context, receipt)
    return _overview(context, done=done)


def _done(context: RequestContext, receipt: AssignmentReceipt) -> str:
    words = [context.ngettext("%(num)s item was assigned.", "%(num)s items were assigned.", receipt.items)]
    if receipt.taken_back:
        words.append(
            context.ngettext(
                "%(num)s task was taken back.", "%(num)s tasks were taken back.", receipt.taken_back
            )
        )
    return " ".join(words)


@routes.post("/studies/{study}/items/assign", STAFF)
def assign_items(context: RequestContext) -> Response:
    """Assign the chosen items: first the form, then what it would do, then that."""
    most = MOST_ITEMS if context.text("all") == "yes" else MOST_AT_ONCE
    numbers = chosen_numbers(context, most)
    how = context.text("how")
    if how not in HOW or not numbers:
        return _form(context, numbers)
    try:
        if how == "rule":
            return _by_rule(context, numbers)
        return _by_hand(context, numbers, how)
    except SubmissionError as error:
        problems = {FIELDS.get(name, name): what for name, what in error.problems_in(context.gettext).items()}
        return _form(context, numbers, problems, 422)


def _form(
    context: RequestContext,
    numbers: Sequence[int],
    problems: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    people = assignees.people_of(context.workspace, context.study.id)
    view = TableView.of(context.form)
    return context.page(
        "items/assign.html.j2", status, study=context.study, count=len(numbers),
        fields=_chosen_fields(context, numbers, view), problems=problems or {},
        people=[each.assignee.name for each in people.people.values() if each.is_at_work],
        populations=[
            (each.name, each.title) for each in studies.populations(context.workspace, context.study.id)
        ],
        filled=context.form, chosen=set(context.texts("to")), among=set(context.texts("among")),
        of_stalled=_is_of_stalled(context),
    )  # fmt: skip


def _chosen_fields(context: RequestContext, numbers: Sequence[int], view: TableView) -> list[tuple[str, str]]:
    """The fields of a form that chooses the same items once more."""
    if context.text("all") == "yes":
        return [("all", "yes"), *view.fields]
    return [*view.fields, *(("item", str(number)) for number in numbers)]


def _by_hand(context: RequestContext, numbers: Sequence[int], how: str) -> Response:
    named: tuple[Assignee, ...] = ()
    if how == "hand":
        by_name = assignees.people_of(context.workspace, context.study.id).assignees()
        wanted = [name for name in dict.fromkeys(context.texts("to")) if name]
        if unknown := [name for name in wanted if name not in by_name]:
            message = context.gettext(
                "No person or population of this study is called %(name)s.", name=unknown[0]
            )
            raise SubmissionError({"to": message})
        if not wanted:
            raise SubmissionError({"to": context.gettext("Choose somebody.")})
        named = tuple(by_name[name] for name in wanted)
    pairs = dict.fromkeys(numbers, named)
    take_back = context.text("take_back") == "yes"
    if context.text("sure") == "yes":
        receipt = assign(
            context.workspace, context.study.id, pairs, add=context.text("add") == "yes",
            take_back=take_back, by=context.me.id,
        )  # fmt: skip
        return _overview(context, done=_done(context, receipt))
    refused = assignees.refusals(context.workspace, context.study.id, pairs)
    return _preview(
        context, numbers, assigned=len(assignees.without(pairs, refused)), refused=_counted(refused),
        names=[each.name for each in named],
    )  # fmt: skip


def _counted(refused: Sequence[Refusal]) -> list[tuple[str, str, int]]:
    """Who is refused, why, and for how many items, most first."""
    counts = Counter((each.assignee.name if each.assignee else "", each.reason) for each in refused)
    return [(name, reason, count) for (name, reason), count in counts.most_common(MOST_SHOWN)]


def _by_rule(context: RequestContext, numbers: Sequence[int]) -> Response:
    """Of items that were chosen because they are stalled, those that still are: who works on one keeps it."""
    rule, stalled, among = _rule(context), None, numbers
    if _is_of_stalled(context):
        overview = overview_of_assignments(context.workspace, context.study.id)
        stalled = {each.item_id: each for each in overview.stalled}
        rule, among = replace(rule, again=True), [number for number in numbers if number in stalled]

    def plan() -> AssignmentPlan:
        return plan_assignments(
            context.workspace, context.study.id, rule, among, stalled=stalled, by=context.me.id
        )

    if context.text("sure") == "yes":
        try:
            _, receipt = apply_rule_to_items(
                context.workspace, context.study.id, rule, among, stalled=stalled,
                digest=context.text("digest"), take_back=context.text("take_back") == "yes", by=context.me.id,
            )  # fmt: skip
        except ConflictError as error:
            return _plan(context, numbers, plan(), error.words(context.gettext), 409)
        return _overview(context, done=_done(context, receipt))
    return _plan(context, numbers, plan())


def _is_of_stalled(context: RequestContext) -> bool:
    return TableView.of(context.form).only == "stalled"


def _plan(
    context: RequestContext,
    numbers: Sequence[int],
    plan: AssignmentPlan,
    problem: str = "",
    status: int = 200,
) -> Response:
    return _preview(
        context, numbers, status, assigned=len(plan.assignees), plan=plan, problem=problem,
        left_out=sorted(
            ((reason, len(ids)) for reason, ids in plan.left_out.items()), key=lambda pair: -pair[1]
        ),
    )  # fmt: skip


def _preview(context: RequestContext, numbers: Sequence[int], status: int = 200, **values: Any) -> Response:
    names = ("how", "to", "add", "take_back", "language", "has", "same_as", "each", "most", "among",
             "active_days", "again")  # fmt: skip
    fields = _chosen_fields(context, numbers, TableView.of(context.form))
    fields += [(name, value) for name in names for value in context.texts(name) if value]
    if "plan" in values:
        fields.append(("digest", values["plan"].digest))
    shown = {"refused": (), "names": (), "plan": None, "left_out": (), "problem": "", **values}
    return context.page(
        "items/assign_preview.html.j2", status, study=context.study, count=len(numbers), fields=fields,
        how=context.text("how"), translated=lambda message: message.words(context.gettext), **shown,
    )  # fmt: skip


def _rule(context: RequestContext) -> AssignmentRule:
    numbers, problems = {}, {}
    for name in ("each", "most", "active_days"):
        typed = context.text(name)
        numbers[name] = whole(typed)
        if typed and not numbers[name]:
            problems[name] = context.gettext("Give a number of at least 1, or nothing.")
    conditions = {}
    for name in ("has", FIELDS["matches"]):
        lines = [line for line in context.text(name).splitlines() if line.strip()]
        pairs = [line.partition("=") for line in lines]
        if any(not (key.strip() and value.strip()) for key, _, value in pairs):
            problems[name] = context.gettext("Give a name and a value, as in expertise = law.")
        conditions[name] = {key.strip(): value.strip() for key, _, value in pairs}
    if problems:
        raise SubmissionError(problems)
    return AssignmentRule(
        language=context.text("language") == "yes",
        has=conditions["has"],
        matches=conditions[FIELDS["matches"]],
        each=numbers["each"],
        most=numbers["most"],
        among=tuple(name for name in context.texts("among") if name),
        active_days=numbers["active_days"],
        again=context.text("again") == "yes",
    )
