"""What people read before they work: how many tasks, how long, what pay, and how that compares with the
wage that the study states for where they live.

The time per answer is the median of the stage, breaks taken out, once ENOUGH answers were timed; before that,
what the study expects (``minutes``); else nobody knows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.records import Participant, Role, Stage, Study
from folkways_studio.studies import service as studies
from folkways_studio.studies.progress import tasks_ahead
from folkways_studio.studies.working_time import ENOUGH, Rate, rate_of, without_breaks
from folkways_studio.work.known_answer_rules import Qualification
from folkways_studio.workflows.manuals import cases_of


@dataclass(frozen=True, slots=True)
class Wage:
    """A local wage as the study states it. per_hour: in ``currency``; in_pay: the same in the currency of the
    pay. source: where the study has it from."""

    per_hour: float
    currency: str
    in_pay: float
    source: str


@dataclass(frozen=True, slots=True)
class StageOffer:
    """One stage. tasks: how many somebody could do, None for as many as they like or for nobody in
    particular. seconds: per answer, None where nobody knows; measured: of how many answers, 0 for the study's
    own estimate. per_hour: what the pay comes to, None where it depends on an unknown time. cases: of the
    training. test: that comes before, None for none.
    """

    name: str
    tasks: int | None
    seconds: float | None
    measured: int
    per_hour: float | None
    cases: int
    test: Qualification | None

    @property
    def hours(self) -> float | None:
        """All tasks together."""
        return None if self.tasks is None or self.seconds is None else self.tasks * self.seconds / 3600


@dataclass(frozen=True, slots=True)
class Offer:
    """What one population is offered, in the pay's currency. rate, wage: None where the study states none."""

    rate: Rate | None
    wage: Wage | None
    stages: tuple[StageOffer, ...]

    def pays(self, stage: StageOffer) -> float | None:
        """What all tasks of a stage together pay; None where that is not known."""
        if self.rate is None or stage.tasks is None or (self.rate.per_hour and stage.hours is None):
            return None
        return self.rate.worth(stage.hours or 0.0, stage.tasks)

    def share(self, stage: StageOffer) -> float | None:
        """How many times the stated wage the pay of a stage is; None where one of them is not known."""
        return None if self.wage is None or stage.per_hour is None else stage.per_hour / self.wage.in_pay


@dataclass(frozen=True, slots=True)
class LowPay:
    """A stage that pays a population less than the wage that the study states for it, both per hour. stage:
    "" for all work together."""

    stage: str
    population: str
    per_hour: float
    wage: float
    currency: str


def wage_of(definition: Mapping[str, Any], population: str | None) -> Wage | None:
    """The wage that a study states for a population, or for everybody; None for none."""
    pay = definition.get("pay")
    stated = pay.get("wages", ()) if isinstance(pay, Mapping) else ()
    by_population = {each.get("population"): each for each in stated}
    wage = by_population.get(population) or by_population.get(None)
    if wage is None or not isinstance(pay, Mapping):
        return None
    per_hour, currency = float(wage["per_hour"]), str(wage.get("currency") or pay["currency"])
    exchange = 1.0 if currency == pay["currency"] else float(wage["exchange"])
    return Wage(per_hour, currency, per_hour * exchange, str(wage["source"]).strip())


def offer_for(workspace: Workspace, study: Study, person: Participant, population: str | None) -> Offer:
    """What a person of a study of the workspace is offered now. population: the name of theirs, None for
    none."""
    tasks = tasks_ahead(workspace, person)
    stages = [stage for stage, _ in tasks]
    left = {stage.id: ahead for stage, ahead in tasks}
    return _offer(study, population, stages, _usual(workspace, stages), left)


def offers_of(workspace: Workspace, study: Study) -> Mapping[str, Offer]:
    """Title of each population -> what its people are offered in the stages of annotators."""
    stages = [each for each in studies.stages(workspace, study.id) if each.role == Role.ANNOTATOR]
    times = _usual(workspace, stages)
    return {
        each.title: _offer(study, each.name, stages, times, {})
        for each in studies.populations(workspace, study.id)
    }


def low_pay(workspace: Workspace, study: Study) -> tuple[LowPay, ...]:
    """Every stage and population with a pay below the wage that the study states."""
    if rate_of(study.definition) is None or not study.definition["pay"].get("wages"):
        return ()
    return tuple(
        LowPay(stage.name, population, stage.per_hour, offer.wage.in_pay, offer.rate.currency)
        for population, offer in offers_of(workspace, study).items()
        for stage in offer.stages
        if offer.rate is not None and offer.wage is not None and stage.per_hour is not None
        if stage.per_hour < offer.wage.in_pay
    )


def low_reward(
    definition: Mapping[str, Any], population: str, reward: float, minutes: float
) -> LowPay | None:
    """A reward for some minutes of work, in the currency of a definition's pay, if it is below the wage
    stated for a population; else None."""
    wage, per_hour = wage_of(definition, population), reward * 60 / minutes
    if wage is None or per_hour >= wage.in_pay:
        return None
    return LowPay("", population, per_hour, wage.in_pay, str(definition["pay"]["currency"]))


def _offer(
    study: Study,
    population: str | None,
    stages: Collection[Stage],
    times: Mapping[int, tuple[float, int]],
    left: Mapping[int, int | None],
) -> Offer:
    rate = rate_of(study.definition)
    offered = []
    for stage in stages:
        expected = stage.config.get("minutes")
        seconds, measured = times.get(stage.id, (expected * 60 if expected else None, 0))
        per_hour = None
        if rate is not None and (seconds or not rate.per_answer):
            per_hour = rate.worth(1.0, 0) + (rate.per_answer * 3600 / seconds if seconds else 0.0)
        cases = len(cases_of(stage.config.get("manual"))) if stage.config.get("training") else 0
        test = Qualification.of(stage.config)
        test = test if test is not None and test.is_for(population) else None
        offered.append(StageOffer(stage.name, left.get(stage.id), seconds, measured, per_hour, cases, test))
    return Offer(rate, wage_of(study.definition, population), tuple(offered))


def _usual(workspace: Workspace, stages: Collection[Stage]) -> Mapping[int, tuple[float, int]]:
    """Stage id -> seconds per answer, and of how many; only stages with ENOUGH timed answers."""
    judgements = schema.judgements
    timed = sa.select(judgements.c.stage_id, judgements.c.seconds).where(
        judgements.c.stage_id.in_([each.id for each in stages]), judgements.c.seconds.is_not(None)
    )
    times: dict[int, list[float]] = {}
    with workspace.read() as connection:
        for stage, seconds in connection.execute(timed):
            times.setdefault(stage, []).append(seconds)
    return {
        stage: (median(without_breaks(seconds, median(seconds))), len(seconds))
        for stage, seconds in times.items()
        if len(seconds) >= ENOUGH
    }
