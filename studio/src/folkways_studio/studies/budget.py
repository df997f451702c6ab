"""What a study has spent on people and on models, per answer, and what it will come to by the end.

The end is where every item that there is, and every item that will come of it, has its answers. Each is taken
to cost what answers of its stage cost so far; the interval is over people.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.models.suggesting import suggester_of
from folkways_studio.records import AssignmentState, ItemState, Stage, Study, StudyState
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.studies.working_time import (
    ENOUGH,
    Rate,
    WorkedAnswer,
    longest_of,
    rate_of,
    worked_answers,
    working_times,
)

LIVE = (AssignmentState.OPEN, AssignmentState.LEASED)
UNSETTLED = (ItemState.DRAFT, ItemState.OPEN)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; both ends NaN where too few people tell."""

    low: float
    mean: float
    high: float

    @property
    def has_interval(self) -> bool:
        """Whether the ends are known."""
        return not isnan(self.low)


@dataclass(frozen=True, slots=True)
class Budget:
    """What people or models cost.

    spent: so far, in ``currency``. answers: that were given so far, attention checks aside. limit: what the
    study's description allows; None for no limit. ahead: answers still to come; None where people write as
    many as they like. total: by the end; None where that is not known. unpriced: calls of models whose price
    is not known, which ``spent`` lacks.
    """

    of: Literal["people", "models"]
    currency: str
    spent: float
    answers: int
    limit: float | None
    ahead: float | None
    total: Estimate | None
    unpriced: int = 0

    @property
    def per_answer(self) -> float | None:
        """None before the first answer."""
        return self.spent / self.answers if self.answers else None

    @property
    def trouble(self) -> Literal["", "spent", "exceeds"]:
        """``spent``: nothing is left of the limit. ``exceeds``: the end will cost more than that."""
        if self.limit is None:
            return ""
        if self.spent >= self.limit:
            return "spent"
        return "exceeds" if self.total is not None and self.total.mean > self.limit else ""


def budgets(
    workspace: Workspace, study: Study, worked: Sequence[WorkedAnswer] | None = None
) -> tuple[Budget, ...]:
    """What people cost, where the study has a rate, and what models cost, where any was asked or has a limit.
    workspace, study: of them. worked: its ``worked_answers``, where they were read already."""
    worked = worked_answers(workspace, study.id) if worked is None else worked
    stages = studies.stages(workspace, study.id)
    ahead = answers_ahead(workspace, study, stages)
    rate = rate_of(study.definition)
    of_people = () if rate is None else (_people(workspace, study, rate, stages, worked, ahead),)
    of_models = _models(workspace, study, stages, worked, ahead)
    return of_people if of_models is None else (*of_people, of_models)


def overspent(workspace: Workspace, study: Study) -> tuple[Budget, ...]:
    """The budgets of a study of the workspace that are in trouble; read only where it limits any."""
    if _limit_of_people(study) is None and _limit_of_models(study) is None:
        return ()
    return tuple(each for each in budgets(workspace, study) if each.trouble)


def _limit_of_people(study: Study) -> float | None:
    return (study.definition.get("pay") or {}).get("budget")


def _limit_of_models(study: Study) -> float | None:
    return (study.definition.get("models") or {}).get("most_usd")


def answers_ahead(
    workspace: Workspace, study: Study, stages: tuple[Stage, ...]
) -> Mapping[int, float | None]:
    """Stage id -> answers that are still to come, attention checks aside; None where nobody knows, as people
    write as many items as they like. All 0 once the study is closed.

    An item becomes as many in later stages as those before it did on average, once ENOUGH are settled;
    before that, one at every end of its stage.
    """
    if study.state == StudyState.CLOSED:
        return dict.fromkeys((stage.id for stage in stages), 0.0)
    items, slots, parents = schema.items, schema.assignments, schema.items.alias("parents")
    ours = items.c.study_id == study.id, items.c.check.is_(None)
    number = sa.func.count()
    of_items = (
        sa.select(items.c.stage_id, items.c.state, number)
        .where(*ours)
        .group_by(items.c.stage_id, items.c.state)
    )
    of_slots = (
        sa.select(slots.c.stage_id, number.label("waiting"))
        .join(items, items.c.id == slots.c.item_id)
        .where(*ours, slots.c.state.in_(LIVE))
        .group_by(slots.c.stage_id)
    )
    of_children = (
        sa.select(parents.c.stage_id, items.c.stage_id, number)
        .join(parents, parents.c.id == items.c.parent_id)
        .where(*ours)
        .group_by(parents.c.stage_id, items.c.stage_id)
    )
    with workspace.read() as connection:
        states = {(stage, state): count for stage, state, count in connection.execute(of_items)}
        live = {row.stage_id: row.waiting for row in connection.execute(of_slots)}
        children = {(source, target): count for source, target, count in connection.execute(of_children)}
    populations = studies.populations(workspace, study.id)
    leaves = len(populations) - len({each.parent_id for each in populations} - {None})
    by_name = {stage.name: stage for stage in stages}
    to_come: dict[int, float | None] = {stage.id: 0.0 for stage in stages}
    for stage in stages:  # items only move on
        settled = sum(states.get((stage.id, state), 0) for state in (ItemState.DONE, ItemState.DROPPED))
        begun = sum(states.get((stage.id, state), 0) for state in UNSETTLED)
        if stage_kind(stage.kind).authored:
            quota = most_written(stage)
            written = begun + states.get((stage.id, ItemState.DONE), 0)
            to_come[stage.id] = None if quota is None else max(0.0, quota * max(leaves, 1) - written)
        mine = to_come[stage.id]
        for name in {*stage.config["next"].values()}:
            target = by_name[name]
            each = leaves if target.config["for_each_population"] else 1
            ratio = children.get((stage.id, target.id), 0) / settled if settled >= ENOUGH else each
            so_far = to_come[target.id]
            to_come[target.id] = None if mine is None or so_far is None else so_far + ratio * (begun + mine)
    ahead: dict[int, float | None] = {}
    for stage in stages:
        more = to_come[stage.id]
        wanted = stage_kind(stage.kind).answers_wanted(stage.config)
        ahead[stage.id] = None if more is None else live.get(stage.id, 0) + more * wanted
    return ahead


def most_written(stage: Stage) -> int | None:
    """How many items people of one population may write in a stage: its quota, or what its categories have
    room for, whichever is less; None for no limit."""
    per_category = stage.config.get("per_category")
    of_categories = None if per_category is None else per_category * len(stage.config["categories"])
    return min((each for each in (stage.config["quota"], of_categories) if each is not None), default=None)


def _people(
    workspace: Workspace,
    study: Study,
    rate: Rate,
    stages: tuple[Stage, ...],
    worked: Sequence[WorkedAnswer],
    ahead: Mapping[int, float | None],
) -> Budget:
    limit = _limit_of_people(study)
    spent = sum(each.pay or 0.0 for each in working_times(workspace, study.id, worked))
    answers = Counter(each.stage_id for each in worked if not each.is_check)
    by_stage: defaultdict[int, list[WorkedAnswer]] = defaultdict(list)
    for each in worked:
        by_stage[each.stage_id].append(each)
    costs: dict[int, Estimate | None] = {}
    for stage in stages:
        checks = len(by_stage[stage.id]) / answers[stage.id] if answers[stage.id] else 1.0
        hours = _hours_per_answer(stage, by_stage[stage.id], rate)
        costs[stage.id] = (
            None
            if hours is None
            else Estimate(*(checks * rate.worth(each, 1) for each in (hours.low, hours.mean, hours.high)))
        )
    return Budget(
        "people", rate.currency, spent, answers.total(), limit, _sum(ahead), _total(spent, costs, ahead)
    )


def _hours_per_answer(stage: Stage, worked: list[WorkedAnswer], rate: Rate) -> Estimate | None:
    """By the people who have worked on the stage; before ENOUGH were timed, what the study expects."""
    from folkways.sdk.statistics import mean_of_units

    if not rate.per_hour:
        return Estimate(0.0, 0.0, 0.0)
    times: defaultdict[int, list[float]] = defaultdict(list)
    for each in worked:
        if each.seconds is not None:
            times[each.participant_id].append(each.seconds / 3600)
    timed = [hours for person in times.values() for hours in person]
    if len(timed) < ENOUGH:
        expected = stage.config["minutes"]
        return None if expected is None else Estimate(float("nan"), expected / 60, float("nan"))
    longest = longest_of([hours * 3600 for hours in timed]) / 3600
    mean = mean_of_units(times, (0.0, longest))
    interval = mean.interval()
    return Estimate(interval.low, mean.mean, interval.high)


def _models(
    workspace: Workspace,
    study: Study,
    stages: tuple[Stage, ...],
    worked: Sequence[WorkedAnswer],
    ahead: Mapping[int, float | None],
) -> Budget | None:
    calls, items = schema.model_calls, schema.items
    limit = _limit_of_models(study)
    query = (
        sa.select(calls.c.usd, calls.c.participant_id, calls.c.item_id, items.c.stage_id)
        .outerjoin(items, items.c.id == calls.c.item_id)
        .where(calls.c.study_id == study.id)
    )
    with workspace.read() as connection:
        rows = connection.execute(query).all()
    if not rows and limit is None:
        return None
    of_stage: defaultdict[int | None, float] = defaultdict(float)
    of_answer: defaultdict[tuple[int, int], float] = defaultdict(float)
    for row in rows:
        of_stage[row.stage_id] += row.usd or 0.0
        of_answer[row.participant_id, row.item_id] += row.usd or 0.0
    costs: dict[int, Estimate | None] = {}
    for stage in stages:
        answers = [each for each in worked if each.stage_id == stage.id and not each.is_check]
        may_ask = stage_kind(stage.kind).asks_models or suggester_of(stage) is not None
        costs[stage.id] = _usd_per_answer(answers, of_answer, of_stage[stage.id], may_ask)
    spent = sum(of_stage.values())
    answers_in_all = sum(not each.is_check for each in worked)
    unpriced = sum(row.usd is None for row in rows)
    total = _total(spent, costs, ahead)
    return Budget("models", "USD", spent, answers_in_all, limit, _sum(ahead), total, unpriced)


def _usd_per_answer(
    answers: list[WorkedAnswer], of_answer: Mapping[tuple[int, int], float], spent: float, may_ask: bool
) -> Estimate | None:
    """What models cost per answer of a stage, in which they may be asked or not; calls of people who gave the
    item back count as well."""
    from folkways.sdk.statistics import mean_of_units

    if not answers and may_ask:
        return None
    if not answers or not spent:
        return Estimate(0.0, 0.0, 0.0)
    by_person: defaultdict[int, list[float]] = defaultdict(list)
    for each in answers:
        by_person[each.participant_id].append(of_answer.get((each.participant_id, each.item_id), 0.0))
    mean = mean_of_units(by_person, None)
    interval, factor = mean.interval(), spent / len(answers) / mean.mean if mean.mean else 1.0
    low = 0.0 if interval.low < 0 else factor * interval.low  # NaN stays what it is
    return Estimate(low, spent / len(answers), factor * interval.high)


def _sum(ahead: Mapping[int, float | None]) -> float | None:
    counts = [each for each in ahead.values() if each is not None]
    return sum(counts) if len(counts) == len(ahead) else None


def _total(
    spent: float, costs: Mapping[int, Estimate | None], ahead: Mapping[int, float | None]
) -> Estimate | None:
    """By the end. The same people work in several stages: the ends are added up, as if a person
    who is slow in one were slow in all."""
    ends = [spent] * 3
    for stage, answers in ahead.items():
        cost = costs[stage]
        if answers == 0:
            continue
        if answers is None or cost is None:
            return None
        for number, end in enumerate((cost.low, cost.mean, cost.high)):
            ends[number] += answers * end
    return Estimate(*ends)
