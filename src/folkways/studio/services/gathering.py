"""Reads what may leave a study: its items and judgements, without those of people who withdrew and without attention checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from folkways.errors import FolkwaysError, UnknownNameError
from folkways.studio.records import Item, Judgement, ParticipantState, Population, Stage, Study, from_row
from folkways.studio.services import studies
from folkways.studio.workflows.base import Vote
from folkways.workspace import studio_tables as schema
from folkways.workspace.database import Workspace


@dataclass(frozen=True)
class Gathered:
    """What may leave a study.

    items: by id. judgements: by item id, in order of arrival. people: participant id -> pseudonym, of those whose judgements
    are here. consent: pseudonym -> version of the text that they agreed to. withdrawn: how many people left, and ``left_out``
    how many items left with them.
    """

    study: Study
    populations: Mapping[int, Population]
    stages: Mapping[int, Stage]
    items: Mapping[int, Item]
    judgements: Mapping[int, Sequence[Judgement]]
    people: Mapping[int, str]
    consent: Mapping[str, str | None]
    withdrawn: int
    left_out: int

    def of(self, stage: Stage) -> Iterator[Item]:
        """The items of a stage, in order."""
        return (item for item in self.items.values() if item.stage_id == stage.id)

    def votes(self, item: Item) -> list[Vote]:
        """The judgements of an item as rules see them."""
        return [Vote(self.people[each.participant_id], each.payload) for each in self.judgements.get(item.id, ())]

    def population(self, item: Item) -> Population | None:
        """The population of an item; None where it is everybody's."""
        return self.populations[item.population_id] if item.population_id is not None else None

    def stage_of(self, kind: str, name: str | None = None) -> Stage:
        """The stage of that kind, or of that name; FolkwaysError where there is none, or several and no name."""
        found = [stage for stage in self.stages.values() if stage.kind == kind]
        if name is not None:
            named = [stage for stage in found if stage.name == name]
            if not named:
                raise UnknownNameError(f"stage of kind {kind}", name, [stage.name for stage in found])
            return named[0]
        if len(found) != 1:
            names = ", ".join(stage.name for stage in found) or "none"
            raise FolkwaysError(
                f"study {self.study.name} has {len(found)} stages of kind {kind} ({names}); this export needs one: --stage"
            )
        return found[0]

    def ancestor(self, item: Item, kind: str) -> Item | None:
        """The nearest item of a stage of that kind that ``item`` is or descends from; None where there is none."""
        current: Item | None = item
        while current is not None and self.stages[current.stage_id].kind != kind:
            current = self.items.get(current.parent_id) if current.parent_id is not None else None
        return current


def gather(workspace: Workspace, study_id: int) -> Gathered:
    """Everything that may leave a study, in one consistent reading."""
    study = studies.get_study(workspace, study_id)
    stages = {stage.id: stage for stage in studies.stages(workspace, study_id)}
    populations = {population.id: population for population in studies.populations(workspace, study_id)}
    items_of, judgements_of, people_of = schema.items, schema.judgements, schema.participants
    with workspace.read() as connection:
        people = connection.execute(sa.select(people_of).where(people_of.c.study_id == study_id)).all()
        rows = connection.execute(
            sa.select(items_of).where(items_of.c.study_id == study_id, items_of.c.check.is_(None)).order_by(items_of.c.id)
        )
        items = {row.id: from_row(Item, row) for row in rows}
        said = connection.execute(
            sa.select(judgements_of)
            .join(items_of, items_of.c.id == judgements_of.c.item_id)
            .where(items_of.c.study_id == study_id, items_of.c.check.is_(None))
            .order_by(judgements_of.c.id)
        )
        judgements = [from_row(Judgement, row) for row in said]
    gone = {person.id for person in people if person.state == ParticipantState.WITHDRAWN}
    by_item: defaultdict[int, list[Judgement]] = defaultdict(list)
    for each in judgements:
        by_item[each.item_id].append(each)
    kept = _without(items, by_item, gone)
    left = {number: [each for each in by_item[number] if each.participant_id not in gone] for number in kept}
    present = {each.participant_id for found in left.values() for each in found}
    return Gathered(
        study=study,
        populations=populations,
        stages=stages,
        items=kept,
        judgements=left,
        people={person.id: person.pseudonym for person in people if person.id in present},
        consent={person.pseudonym: person.consent_version for person in people if person.id in present},
        withdrawn=len(gone),
        left_out=len(items) - len(kept),
    )


def _without(items: Mapping[int, Item], judgements: Mapping[int, Sequence[Judgement]], gone: set[int]) -> dict[int, Item]:
    """The items but for those that people who left wrote, and those that descend from what only such people said."""
    kept: dict[int, Item] = {}
    for number, item in items.items():  # parents have smaller ids than their children
        if item.author_id in gone:
            continue
        if item.parent_id is not None and item.parent_id in items:
            before = judgements.get(item.parent_id, ())
            if item.parent_id not in kept or (before and all(each.participant_id in gone for each in before)):
                continue
        kept[number] = item
    return kept
