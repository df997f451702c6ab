"""Questions of known answer as researchers see them: made of decided items, dropped where they are bad, and
their figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import changed, find_row, get_row
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.items.service import close_open_slots, item_within, place_item
from folkways_studio.records import (
    Item,
    ItemState,
    Participant,
    ParticipantState,
    QualificationStatus,
    Stage,
    from_row,
)
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.work.known_answer_rules import Qualification
from folkways_studio.work.known_answers import overlap_of

if TYPE_CHECKING:
    from folkways.sdk.statistics import Interval

DOUBTFUL = 0.5
"""Known answers are to be looked at that, by the 95 % interval, fewer people than this give: they may be
wrong themselves."""


def known_answer_of(item: Item, stage: Stage) -> Mapping[str, Any]:
    """The known answer that a decided item can be used with; empty where there is none."""
    if item.check is not None or item.state != ItemState.DONE or item.result is None:
        return {}
    return stage_kind(stage.kind).known_of(item.result)


def make_gold(
    workspace: Workspace, study_id: int, item_id: int, *, test: bool = False, by: int | None = None
) -> Item:
    """Use a decided item of the workspace (study_id, item_id) as a question of known answer, of the test
    or among the work. The item and its answers stay data.

    by: the account that asks for it. People who answered or wrote the item do not get it. ConflictError
    if the item is not decided, or was used so before.
    """
    with workspace.write() as connection:
        item = item_within(connection, study_id, item_id, lock="row")
        stage = from_row(Stage, get_row(connection, schema.stages, id=item.stage_id))
        answer = known_answer_of(item, stage)
        if not answer:
            raise ConflictError("nothing is decided about this item that could be a known answer")
        key = f"{'test' if test else 'gold'}-{item.key}"
        if find_row(connection, schema.items, stage_id=stage.id, key=key[:128], round=1) is not None:
            raise ConflictError("this item is used as a known answer already")
        check = stage_kind(stage.kind).check_known(answer, item.content, stage.config)
        number = place_item(
            connection, stage, key, item.content, item, item.population_id, check=check, test=test
        )
        details = {"stage": stage.name, "test": test}
        audit.record_event(
            connection,
            "item.gold_made",
            study_id=study_id,
            account_id=by,
            subject=f"item:{number}",
            details=details,
        )
        return from_row(Item, get_row(connection, schema.items, id=number))


def drop_gold(
    workspace: Workspace, study_id: int, item_id: int, reason: str, *, by: int | None = None
) -> Item:
    """Stop asking a question of known answer (study_id, item_id) of the workspace, and count no answer to
    it. by: the account that asks for it. SubmissionError without a reason; ConflictError if it is not
    one, or was dropped before."""
    if not reason.strip():
        raise SubmissionError({"reason": "say why"})
    with workspace.write() as connection:
        if item_within(connection, study_id, item_id, lock="row").check is None:
            raise ConflictError("this item has no known answer")
        close_open_slots(connection, item_id)
        audit.record_event(
            connection, "item.gold_dropped", study_id=study_id, account_id=by, subject=f"item:{item_id}"
        )
        return changed(
            connection, Item, schema.items, item_id, state=str(ItemState.DROPPED), reason=reason.strip()
        )


@dataclass(frozen=True, slots=True)
class RightAnswers:
    """How many answers to known questions there are in a stage, and how many of them are right."""

    stage: str
    asked: int
    right: int

    @property
    def interval(self) -> Interval:
        """Of the share of right answers, 95 %."""
        from folkways.sdk.statistics import wilson

        return wilson(self.right, self.asked)


@dataclass(frozen=True, slots=True)
class PersonGold(RightAnswers):
    """Those of one person, without dropped items. standing: in the test."""

    participant: Participant
    standing: QualificationStatus


@dataclass(frozen=True, slots=True)
class ItemGold(RightAnswers):
    """Those to one question: a person each."""

    item: Item

    @property
    def is_doubtful(self) -> bool:
        """Whether so few people are right that the known answer itself may be wrong."""
        return self.asked > 0 and self.interval.high < DOUBTFUL


@dataclass(frozen=True, slots=True)
class KnownAnswers:
    """The figures of a study. people: everybody who was asked, by participant and stage; items: all, by stage
    and id."""

    people: tuple[PersonGold, ...]
    items: tuple[ItemGold, ...]

    def __bool__(self) -> bool:
        """Whether the study has questions of known answer."""
        return bool(self.items)


def known_answers(workspace: Workspace, study_id: int) -> KnownAnswers:
    """What came of the questions of known answer; without people who withdrew."""
    items, judgements, people = schema.items, schema.judgements, schema.participants
    ours = items.c.study_id == study_id, items.c.check.is_not(None)
    stages = {stage.id: stage for stage in studies.stages(workspace, study_id)}
    with workspace.read() as connection:
        gold = {
            row.id: from_row(Item, row)
            for row in connection.execute(sa.select(items).where(*ours).order_by(items.c.id))
        }
        if not gold:
            return KnownAnswers((), ())
        query = sa.select(people).where(
            people.c.study_id == study_id, people.c.state != ParticipantState.WITHDRAWN
        )
        persons = {
            row.id: from_row(Participant, row) for row in connection.execute(query.order_by(people.c.id))
        }
        select_answers = sa.select(judgements.c.item_id, judgements.c.participant_id, judgements.c.payload)
        select_answers = select_answers.join(items, items.c.id == judgements.c.item_id).where(*ours)
        answers = connection.execute(select_answers.order_by(judgements.c.id)).all()
        standings = {
            (row.participant_id, row.stage_id): from_row(QualificationStatus, row)
            for row in connection.execute(
                sa.select(schema.standings).where(schema.standings.c.stage_id.in_(stages))
            )
        }
    by_item: defaultdict[int, list[bool]] = defaultdict(list)
    by_person: defaultdict[tuple[int, int], list[bool]] = defaultdict(list)
    for row in answers:
        item, person = gold[row.item_id], persons.get(row.participant_id)
        if person is None:
            continue
        stage = stages[item.stage_id]
        right = stage_kind(stage.kind).is_right(row.payload, item.check or {}, overlap_of(stage))
        by_item[item.id].append(right)
        count = by_person[person.id, stage.id]
        if not item.test and item.state != ItemState.DROPPED:
            count.append(right)
    keys = {*by_person, *(key for key in standings if key[0] in persons)}
    order = sorted(keys, key=lambda key: (key[0], stages[key[1]].position))
    return KnownAnswers(
        tuple(
            PersonGold(
                stages[key[1]].name,
                len(by_person[key]),
                sum(by_person[key]),
                persons[key[0]],
                standings.get(key, QualificationStatus(*key)),
            )
            for key in order
        ),
        tuple(
            ItemGold(stages[item.stage_id].name, len(by_item[item.id]), sum(by_item[item.id]), item)
            for item in sorted(gold.values(), key=lambda item: (stages[item.stage_id].position, item.id))
        ),
    )


@dataclass(frozen=True, slots=True)
class MissingGold:
    """A test that cannot be held: nobody of the population (None where there are none) is given work in the
    stage until it can."""

    stage: str
    population: str
    has: int
    needs: int


def lacking(workspace: Workspace, study_id: int) -> tuple[MissingGold, ...]:
    """Every stage and population whose test has fewer questions than one try needs."""
    items = schema.items
    populations = {each.id: each for each in studies.populations(workspace, study_id)}
    tests = [(stage, Qualification.of(stage.config)) for stage in studies.stages(workspace, study_id)]
    missing = []
    with workspace.read() as connection:
        for stage, test in tests:
            if test is None:
                continue
            query = sa.select(items.c.population_id).where(
                items.c.stage_id == stage.id, items.c.test.is_(True), items.c.state == ItemState.OPEN
            )
            places = list(connection.scalars(query))
            for each in populations.values():
                if test.populations and each.name not in test.populations:
                    continue
                within, wider = {None, each.id}, each.parent_id
                while wider is not None:
                    within.add(wider)
                    wider = populations[wider].parent_id
                has = sum(population in within for population in places)
                if has < test.questions:
                    missing.append(MissingGold(stage.name, each.title, has, test.questions))
    return tuple(missing)
