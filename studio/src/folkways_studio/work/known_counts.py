"""How many questions of known answer a person was asked and could still be asked. Statements are made once:
making one costs more than running it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from folkways_studio.database import schema
from folkways_studio.records import (
    AssignmentState,
    ItemState,
    Participant,
    QualificationStatus,
    Stage,
    from_row,
)

PERSON, STAGE, POPULATION = (
    sa.bindparam(name, type_=sa.Integer) for name in ("person", "stage", "population")
)
SECONDS = sa.func.aggregate_strings(sa.cast(schema.judgements.c.seconds, sa.Text), ",")
"""The times of answers in one column, for ``as_seconds``."""


def _wider(population_id: sa.BindParameter[Any]) -> sa.CTE:
    """A population and all that it is part of."""
    populations = schema.populations
    start = sa.select(population_id.label("id")).cte("wider", recursive=True)
    return start.union(
        sa.select(populations.c.parent_id)
        .join(start, start.c.id == populations.c.id)
        .where(populations.c.parent_id.is_not(None))
    )


_WIDER = _wider(POPULATION)
"""One for all parts of a statement that ask of the same population."""


def may_be_given(
    column: sa.Column[Any], population_id: sa.BindParameter[Any] = POPULATION
) -> sa.ColumnElement[bool]:
    """That a slot or an item is of a population, or of a wider one that it is part of, or of none; None:
    staff, who work on all."""
    of_wider = _WIDER if population_id is POPULATION else _wider(population_id)
    return sa.or_(population_id.is_(None), column.is_(None), column.in_(sa.select(of_wider.c.id)))


def is_within(column: sa.Column[Any]) -> sa.ColumnElement[bool]:
    """That a population is the person's or a wider one that it is part of; never for staff, who have none."""
    return column.in_(sa.select(_WIDER.c.id))


def fresh(stage: sa.ColumnElement[int], *, test: bool) -> list[sa.ColumnElement[bool]]:
    """The questions of known answer that a person may still be asked: not the same twice, nor one that was
    made of what they answered or wrote.
    """
    items, table, skips = schema.items, schema.assignments, schema.skips
    had = sa.select(table.c.item_id).where(table.c.participant_id == PERSON)
    skipped = sa.select(skips.c.item_id).where(skips.c.participant_id == PERSON)
    return [
        items.c.stage_id == stage,
        items.c.check.is_not(None),
        items.c.test.is_(True) if test else items.c.test.is_not(True),
        items.c.state == ItemState.OPEN,
        items.c.id.not_in(had),
        items.c.id.not_in(skipped),
        sa.or_(items.c.parent_id.is_(None), items.c.parent_id.not_in(had)),
        sa.or_(items.c.author_id.is_(None), items.c.author_id != PERSON),
        may_be_given(items.c.population_id),
    ]


def _count_of_fresh(stage: sa.ColumnElement[int], *, test: bool) -> sa.ScalarSelect[int]:
    query = sa.select(sa.func.count()).select_from(schema.items).where(*fresh(stage, test=test))
    return query.correlate(schema.stages).scalar_subquery()


def _asked_in_try(stage: sa.ColumnElement[int], test_from: sa.ColumnElement[int]) -> sa.ScalarSelect[int]:
    table, items, judgements = schema.assignments, schema.items, schema.judgements
    return (
        sa.select(sa.func.count())
        .select_from(
            table.join(items, items.c.id == table.c.item_id).outerjoin(
                judgements, judgements.c.assignment_id == table.c.id
            )
        )
        .where(
            table.c.participant_id == PERSON,
            table.c.stage_id == stage,
            items.c.test.is_(True),
            items.c.state != ItemState.DROPPED,
            sa.or_(table.c.state == AssignmentState.LEASED, judgements.c.id > test_from),
        )
        .correlate(schema.stages, schema.standings)
        .scalar_subquery()
    )


def _gold_asked(stage: sa.ColumnElement[int]) -> sa.ScalarSelect[int]:
    table, items = schema.assignments, schema.items
    return (
        sa.select(sa.func.count())
        .select_from(table.join(items, items.c.id == table.c.item_id))
        .where(
            table.c.participant_id == PERSON,
            table.c.stage_id == stage,
            items.c.check.is_not(None),
            items.c.test.is_not(True),
        )
        .correlate(schema.stages)
        .scalar_subquery()
    )


def _answers_of_try(counted: sa.ColumnElement[Any]) -> sa.ScalarSelect[Any]:
    judgements, items = schema.judgements, schema.items
    return (
        sa.select(counted)
        .select_from(judgements.join(items, items.c.id == judgements.c.item_id))
        .where(
            judgements.c.participant_id == PERSON,
            judgements.c.stage_id == schema.stages.c.id,
            items.c.test.is_(True),
            judgements.c.id > _TEST_FROM,
        )
        .correlate(schema.stages, schema.standings)
        .scalar_subquery()
    )


_TEST_FROM = sa.func.coalesce(schema.standings.c.test_from, 0)
_FRESH = {test: sa.select(_count_of_fresh(STAGE, test=test)) for test in (True, False)}
_ASKED = sa.select(_asked_in_try(STAGE, sa.bindparam("after", type_=sa.Integer)))
_GOLD_ASKED = sa.select(_gold_asked(STAGE))
_KNOWN = (
    sa.select(
        schema.stages.c.id.label("stage"),
        *schema.standings.c,
        sa.select(schema.populations.c.name)
        .where(schema.populations.c.id == POPULATION)
        .scalar_subquery()
        .label("population"),
        _asked_in_try(schema.stages.c.id, _TEST_FROM).label("asked_in_try"),
        _count_of_fresh(schema.stages.c.id, test=True).label("fresh_of_test"),
        _gold_asked(schema.stages.c.id).label("gold_asked"),
        _count_of_fresh(schema.stages.c.id, test=False).label("fresh_gold"),
        _answers_of_try(sa.func.count()).label("answered_of_try"),
        _answers_of_try(SECONDS).label("seconds_of_try"),
    )
    .select_from(schema.stages)
    .outerjoin(
        schema.standings,
        sa.and_(
            schema.standings.c.stage_id == schema.stages.c.id, schema.standings.c.participant_id == PERSON
        ),
    )
    .where(schema.stages.c.id.in_(sa.bindparam("stages", expanding=True)))
)
"""Made once: making one costs more than running it."""


def about(person: Participant, stage: Stage | None = None) -> dict[str, int | None]:
    """The parameters of such statements: about a person, and a stage where it is not a column."""
    return {
        "person": person.id,
        "population": person.population_id,
        **({"stage": stage.id} if stage is not None else {}),
    }


def as_seconds(text: str | None) -> tuple[float, ...]:
    """The times of a column ``SECONDS``."""
    return tuple(float(each) for each in (text or "").split(",") if each)


@dataclass(frozen=True, slots=True)
class KnownCounts:
    """One person and the questions of known answer of one stage. population: the name of theirs, None for
    none.

    asked: of this try of the test, answered or at hand. fresh: of the test, and fresh_gold among the work,
    that they may still be asked. gold_asked: among the work, so far. answered, seconds: of this try, and of
    each of its answers that was timed.
    """

    standing: QualificationStatus
    population: str | None
    asked: int
    fresh: int
    gold_asked: int
    fresh_gold: int
    answered: int
    seconds: tuple[float, ...]


def known_counts(
    connection: sa.Connection, person: Participant, stages: Sequence[Stage]
) -> dict[int, KnownCounts]:
    """Stage id -> what a person was asked there of questions of known answer, and what is left."""
    parameters = {**about(person), "stages": [stage.id for stage in stages]}
    return {
        row.stage: KnownCounts(
            from_row(QualificationStatus, row, schema.standings)
            if row.stage_id is not None
            else QualificationStatus(person.id, row.stage),
            row.population,
            row.asked_in_try,
            row.fresh_of_test,
            row.gold_asked,
            row.fresh_gold,
            row.answered_of_try,
            as_seconds(row.seconds_of_try),
        )
        for row in connection.execute(_KNOWN, parameters)
    }


def count_fresh(connection: sa.Connection, person: Participant, stage: Stage, *, test: bool) -> int:
    """How many questions of known answer of a stage a person may still be asked, of the test or among the
    work. connection: of the caller."""
    return int(connection.execute(_FRESH[test], about(person, stage)).scalar_one())


def asked_in_try(
    connection: sa.Connection, participant_id: int, stage_id: int, standing: QualificationStatus
) -> int:
    """How many questions of a stage's test (stage_id) a person (participant_id) has answered or has at
    hand in the current try of ``standing``. connection: of the caller."""
    parameters = {"person": participant_id, "stage": stage_id, "after": standing.test_from}
    return int(connection.execute(_ASKED, parameters).scalar_one())


def gold_asked(connection: sa.Connection, person: Participant, stage: Stage) -> int:
    """How many questions of known answer a person has had among the work."""
    return int(connection.execute(_GOLD_ASKED, {"person": person.id, "stage": stage.id}).scalar_one())
