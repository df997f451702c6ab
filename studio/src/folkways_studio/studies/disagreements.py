"""Where people are apart: by stage, by item and by person; without attention checks and without people who
withdrew.

A person is measured against most of the others on the same item, and shown with an interval: a few answers
say little, and make nobody an outlier.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.people import participants
from folkways_studio.records import LEFT_OUT, Stage
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.studies.spread import Spread, spread

BANDS = (0.0, 0.25, 0.5, 1.0)
"""Upper ends of the bands that items are counted in: all alike, and up to so large a share outside the
largest group."""

CHANCE = 0.05
"""How likely it is at most that anybody stands out by chance, among all who worked on a stage."""


class AnswerOfPerson(NamedTuple):
    """One answer as far as agreement is concerned. labels: empty where several answers are welcome."""

    participant_id: int
    labels: Mapping[str, Any]
    created: float


@dataclass(frozen=True, slots=True)
class AnsweredItem:
    """An item with what was said of it, in order of arrival."""

    item_id: int
    population_id: int | None
    stage: Stage
    said: Sequence[AnswerOfPerson]


@dataclass(frozen=True, slots=True)
class DisagreementReport:
    """The items of a study, and how far people are apart on each, in the same order."""

    answered: Sequence[AnsweredItem]
    spread: Spread


@dataclass(frozen=True, slots=True)
class StageSpread:
    """One stage within one population (None: items of everybody). bands: items in each of BANDS. mean: of
    their shares."""

    stage: Stage
    population: str | None
    items: int
    bands: tuple[int, ...]
    mean: float


@dataclass(frozen=True, slots=True)
class PersonSpread:
    """How often somebody says something else than most others in a stage.

    n: items on which most others agree; differ: those on which this person does not. low, high: 95 % interval
    of their share (Wilson). usual: the share over all other people of the stage; None where none of them can
    be compared. stands_out: the interval at which nobody of that many stands out by chance (CHANCE, after
    Bonferroni) lies above that of all others.
    """

    participant_id: int
    pseudonym: str
    stage: Stage
    n: int
    differ: int
    low: float
    high: float
    usual: float | None
    stands_out: bool

    @property
    def share(self) -> float:
        """The share of those items."""
        return self.differ / self.n


def read_answers(workspace: Workspace, study_id: int) -> tuple[AnsweredItem, ...]:
    """Every item with at least one valid answer, in order."""
    judgements, items, people = schema.judgements, schema.items, schema.participants
    # As it is stored: many say the same, and reading it once is enough.
    payload_text = sa.type_coerce(judgements.c.payload, sa.Text)
    select_answers = (
        sa.select(judgements.c.item_id, payload_text, judgements.c.created, judgements.c.participant_id)
        .where(studies.judged_in(study_id))
        .order_by(judgements.c.id)
    )
    select_left_out = sa.select(people.c.id).where(
        people.c.study_id == study_id, people.c.state.in_(LEFT_OUT)
    )
    select_items = sa.select(items.c.id, items.c.stage_id, items.c.population_id).where(
        items.c.study_id == study_id, items.c.check.is_(None)
    )
    stages = {stage.id: stage for stage in studies.stages(workspace, study_id)}
    answers: defaultdict[int, list[tuple[str, float, int]]] = defaultdict(list)
    with workspace.read() as connection:
        left_out = {*connection.scalars(select_left_out)}
        # row by row costs half as much again
        for item, payload, created, person in connection.execute(select_answers).all():
            if person not in left_out:
                answers[item].append((payload, created, person))
        places = connection.execute(select_items.order_by(items.c.id)).all()
    labels: defaultdict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    answered = []
    for item, stage_id, population in places:
        if item not in answers:
            continue
        stage = stages[stage_id]
        label_cache = labels[stage.kind]
        for payload, _, _ in answers[item]:
            if payload not in label_cache:
                label_cache[payload] = stage_kind(stage.kind).labels(orjson.loads(payload))
        lines = tuple(
            AnswerOfPerson(person, label_cache[payload], created)
            for payload, created, person in answers[item]
        )
        answered.append(AnsweredItem(item, population, stage, lines))
    return tuple(answered)


def measured(answered: Sequence[AnsweredItem]) -> DisagreementReport:
    """How far people are apart on each item, for all that follows."""
    return DisagreementReport(answered, spread([[one.labels for one in each.said] for each in answered]))


def by_stage(workspace: Workspace, study_id: int, found: DisagreementReport) -> tuple[StageSpread, ...]:
    """Every stage and population with an item of two answers or more, in order."""
    names: dict[int | None, str | None] = {None: None}
    names |= {each.id: each.name for each in studies.populations(workspace, study_id)}
    shares: defaultdict[tuple[int, int | None], list[float]] = defaultdict(list)
    stages = {each.stage.id: each.stage for each in found.answered}
    for each, apart in zip(found.answered, found.spread.apart.tolist(), strict=True):
        if not isnan(apart):
            shares[each.stage.id, each.population_id].append(apart)
    rows = []
    for stage in sorted(stages.values(), key=lambda stage: stage.position):
        for number, population in names.items():
            if values := shares[stage.id, number]:
                bands = Counter(bisect_left(BANDS, value) for value in values)
                counts = tuple(bands[band] for band in range(len(BANDS)))
                rows.append(StageSpread(stage, population, len(values), counts, sum(values) / len(values)))
    return tuple(rows)


def by_person(workspace: Workspace, study_id: int, found: DisagreementReport) -> tuple[PersonSpread, ...]:
    """Everybody by stage: outliers first, then by the lower end of the interval."""
    from folkways.sdk.statistics import wilson

    counts: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    names = {person.id: person.pseudonym for person in participants.list_participants(workspace, study_id)}
    stages = {each.stage.id: each.stage for each in found.answered}
    authors = ((each.stage.id, one.participant_id) for each in found.answered for one in each.said)
    for (stage, person), comparable, differs in zip(
        authors, found.spread.told.tolist(), found.spread.differs.tolist(), strict=True
    ):
        if comparable:
            tally = counts[stage][person]
            tally[0] += differs
            tally[1] += 1
    rows = []
    for stage, people in counts.items():
        all_differ, all_n = (sum(tally[index] for tally in people.values()) for index in (0, 1))
        for person, (differ, n) in people.items():
            interval = wilson(differ, n)
            usual = (all_differ - differ) / (all_n - n) if all_n > n else None
            strict = 1 - CHANCE / len(people)
            # Of both: the others are known no better than their answers tell, and a person is not to be
            # called odd by theirs.
            stands_out = wilson(differ, n, strict).low > wilson(all_differ - differ, all_n - n, strict).high
            rows.append(
                PersonSpread(
                    person,
                    names[person],
                    stages[stage],
                    n,
                    differ,
                    interval.low,
                    interval.high,
                    usual,
                    stands_out,
                )
            )
    return tuple(sorted(rows, key=lambda row: (not row.stands_out, -row.low, -row.share, row.participant_id)))


def most_disputed(found: DisagreementReport, most: int) -> tuple[tuple[AnsweredItem, float], ...]:
    """The items on which people are furthest apart, with how far; those on which all agree are left out."""
    apart = [
        (each, share)
        for each, share in zip(found.answered, found.spread.apart.tolist(), strict=True)
        if share > 0
    ]
    return tuple(sorted(apart, key=lambda pair: (-pair[1], -len(pair[0].said), pair[0].item_id))[:most])
