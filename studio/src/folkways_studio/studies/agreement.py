"""How far people agree, per stage, population and field, and why a coefficient is not defined where it is
not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import orjson
import sqlalchemy as sa

from folkways.sdk.statistics import Coefficient, fitting
from folkways.sdk.statistics import agreement as measures
from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.records import LEFT_OUT
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies

ALONE = "each item has one answer here; agreement is between several"
PLURAL = "several answers are welcome here; agreement is not computed"


MEASURES = (
    *(measures.percent_agreement, measures.majority_share, measures.mean_largest_vote),
    *(measures.cohen, measures.fleiss, measures.krippendorff),
)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on one field of a stage's judgements, within one population (None: items of everybody).

    field: "choices"; empty where the stage's answers are not meant to agree. masi: alpha with MASI distances,
    where labels are sets. fitting: the coefficient that fits what the labels are, with its name
    (``stats.raters.graded``).
    """

    stage: str
    population: str | None
    field: str
    fitting_name: str
    percent: Coefficient
    majority: Coefficient
    largest_vote: Coefficient
    cohen: Coefficient
    fleiss: Coefficient
    alpha: Coefficient
    masi: Coefficient
    fitting: Coefficient


def agreement(workspace: Workspace, study_id: int) -> tuple[Agreement, ...]:
    """Every stage that has judgements, by population and field; without attention checks and the people of
    LEFT_OUT."""
    judgements, items, people = schema.judgements, schema.items, schema.participants
    select_answers = (
        sa.select(
            judgements.c.item_id, judgements.c.participant_id, sa.type_coerce(judgements.c.payload, sa.Text)
        )
        .where(studies.judged_in(study_id))
        .order_by(judgements.c.id)
    )
    select_items = sa.select(items.c.id, items.c.stage_id, items.c.population_id).where(
        items.c.study_id == study_id, items.c.check.is_(None)
    )
    select_people = sa.select(people.c.id, people.c.pseudonym).where(
        people.c.study_id == study_id, people.c.state.not_in(LEFT_OUT)
    )
    stages = {stage.id: stage for stage in studies.stages(workspace, study_id)}
    names = {population.id: population.name for population in studies.populations(workspace, study_id)}
    labels: defaultdict[tuple[int, int | None, str], defaultdict[int, dict[str, Hashable]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    with workspace.read() as connection:
        answers = connection.execute(select_answers).all()  # first, as others may answer meanwhile
        places = {
            item: (stage, population) for item, stage, population in connection.execute(select_items).all()
        }
        pseudonyms = dict(connection.execute(select_people).all())
    read: defaultdict[int, dict[str, Mapping[str, Hashable]]] = defaultdict(dict)  # many say the same
    for item, person, payload in answers:
        if item not in places or person not in pseudonyms:
            continue
        stage, population = places[item]
        if payload not in read[stage]:
            read[stage][payload] = stage_kind(stages[stage].kind).labels(orjson.loads(payload)) or {"": None}
        for field, label in read[stage][payload].items():
            labels[stage, population, field][item][pseudonyms[person]] = label
    order_of_places = (None, *names)
    order = sorted(labels, key=lambda key: (stages[key[0]].position, order_of_places.index(key[1])))
    return tuple(
        _agreement(
            stages[stage].name,
            names.get(population) if population is not None else None,
            field,
            labels[stage, population, field],
        )
        for stage, population, field in order
    )


def _agreement(
    stage: str, population: str | None, field: str, by_item: Mapping[int, Mapping[str, Hashable]]
) -> Agreement:
    units = list(by_item.values())
    if not field:
        alone = all(len(unit) == 1 for unit in units)
        none = Coefficient(None, len(units), sum(map(len, units)), ALONE if alone else PLURAL)
        return Agreement(stage, population, field, "", *[none] * 8)
    sets = all(isinstance(label, frozenset) for unit in units for label in unit.values())
    masi = (
        measures.krippendorff(units, measures.masi)
        if sets
        else Coefficient(None, 0, 0, "the labels are no sets")
    )
    name, fits = fitting(units)
    return Agreement(stage, population, field, name, *[*(measure(units) for measure in MEASURES), masi, fits])
