"""A snapshot of what may leave a study: its items and judgements, without people who withdrew and attention
checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa

from folkways.sdk.studies import Study as CollectedStudy
from folkways.sdk.studies import StudyItem, StudyPeople, Vote
from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.records import (
    LEFT_OUT,
    Item,
    ItemState,
    Judgement,
    ParticipantState,
    Population,
    Stage,
    Study,
    from_row,
)
from folkways_studio.stages.base import REDACTED, texts_in
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.work.blinding import blind_within
from folkways_studio.work.corrections import corrected


@dataclass(frozen=True)
class StudySnapshot:
    """What may leave a study.

    items: by id. judgements: by item id, in order of arrival, as last corrected; ``first``: id of a corrected
    judgement -> the original. people: participant id -> pseudonym, of those whose judgements are included;
    ``population_of`` and ``groups`` (criterion -> answer, of criteria with ``margins``): by their pseudonym.
    consent: pseudonym -> version and language of the text that they agreed to. withdrawn, excluded: number of
    people, and ``left_out`` number of items left out with them. blind: number of items left out because the
    account that exports may still be asked about them.
    """

    study: Study
    populations: Mapping[int, Population]
    stages: Mapping[int, Stage]
    items: Mapping[int, Item]
    judgements: Mapping[int, Sequence[Judgement]]
    people: Mapping[int, str]
    consent: Mapping[str, tuple[str | None, str | None]]
    withdrawn: int
    excluded: int
    left_out: int
    blind: int = 0
    first: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    population_of: Mapping[str, int] = field(default_factory=dict)

    def of(self, stage: Stage) -> Iterator[Item]:
        return (item for item in self.items.values() if item.stage_id == stage.id)

    def votes(self, item: Item) -> list[Vote]:
        """The judgements of an item as rules see them."""
        return [
            Vote(self.people[each.participant_id], each.payload) for each in self.judgements.get(item.id, ())
        ]

    def population(self, item: Item) -> Population | None:
        """The population of an item; None for everybody."""
        return self.populations[item.population_id] if item.population_id is not None else None

    def for_benchmarks(self) -> CollectedStudy:
        """The study as benchmarks get it to make a release."""
        items = {}
        for number, item in self.items.items():
            population = self.population(item)
            items[number] = StudyItem(
                id=number,
                key=item.key,
                stage=self.stages[item.stage_id].name,
                parent=item.parent_id,
                round=item.round,
                population=population.name if population else None,
                culture=population.culture if population else None,
                language=population.language if population else None,
                part=population.title if population and population.parent_id is not None else "",
                state=item.state,
                content=item.content,
                result=None
                if item.state == ItemState.DROPPED and (item.result or {}).get("adjudicated")
                else item.result,
                votes=self.votes(item),
            )
        stages = {stage.name: stage.kind for stage in self.stages.values()}
        people = {
            population.name: StudyPeople(
                {each["name"]: each["margins"] for each in population.criteria if "margins" in each},
                {
                    pseudonym: self.groups.get(pseudonym, {})
                    for pseudonym, number in self.population_of.items()
                    if number == population.id
                },
            )
            for population in self.populations.values()
        }
        return CollectedStudy(self.study.name, self.study.title, self.study.licence, stages, items, people)


def take_snapshot(workspace: Workspace, study_id: int, *, reader: int | None = None) -> StudySnapshot:
    """Everything that may leave a study, in one consistent reading. reader: an account; items blind for it
    are left out."""
    items_of, judgements_of, people_of = schema.items, schema.judgements, schema.participants
    with workspace.reading_together(), workspace.read() as connection:
        study = studies.study_within(connection, study_id)
        stage_rows, population_rows = (
            connection.execute(sa.select(table).filter_by(study_id=study_id).order_by(order))
            for table, order in (
                (schema.stages, schema.stages.c.position),
                (schema.populations, schema.populations.c.id),
            )
        )
        stages = {row.id: from_row(Stage, row) for row in stage_rows}
        populations = {row.id: from_row(Population, row) for row in population_rows}
        people = connection.execute(sa.select(people_of).where(people_of.c.study_id == study_id)).all()
        ours = items_of.c.study_id == study_id, items_of.c.check.is_(None)
        rows = connection.execute(sa.select(items_of).where(*ours).order_by(items_of.c.id))
        items = {row.id: from_row(Item, row) for row in rows}
        joined = (
            sa.select(judgements_of).join(items_of, items_of.c.id == judgements_of.c.item_id).where(*ours)
        )
        first = [from_row(Judgement, row) for row in connection.execute(joined.order_by(judgements_of.c.id))]
        judgements = corrected(connection, first)
        blind = blind_within(connection, study_id, reader, items)
        weighted = {
            (population.id, each["name"])
            for population in populations.values()
            for each in population.criteria
            if "margins" in each
        }
        stored = schema.attributes
        groups: defaultdict[str, dict[str, str]] = defaultdict(dict)
        if weighted:
            answers = sa.select(
                people_of.c.pseudonym, people_of.c.population_id, stored.c.name, stored.c.value
            )
            of_study = answers.join(people_of, people_of.c.id == stored.c.participant_id)
            for row in connection.execute(of_study.where(people_of.c.study_id == study_id)):
                if (row.population_id, row.name) in weighted and row.value:
                    groups[row.pseudonym][row.name] = row.value
    gone = {person.id for person in people if person.state in LEFT_OUT}
    by_item: defaultdict[int, list[Judgement]] = defaultdict(list)
    before = {
        each.id: each.payload
        for each, last in zip(first, judgements, strict=True)
        if each.payload != last.payload
    }
    for each in judgements:
        by_item[each.item_id].append(each)
    included = _without_words(_without(items, by_item, gone), stages, by_item, before, gone)
    visible = {number: item for number, item in included.items() if number not in blind}
    judgements_left = {
        number: [each for each in by_item[number] if each.participant_id not in gone] for number in visible
    }
    present = {each.participant_id for answers in judgements_left.values() for each in answers}
    return StudySnapshot(
        study=study,
        populations=populations,
        stages=stages,
        items=visible,
        judgements=judgements_left,
        people={person.id: person.pseudonym for person in people if person.id in present},
        consent={
            each.pseudonym: (each.consent_version, each.consent_language)
            for each in people
            if each.id in present
        },
        withdrawn=sum(person.state == ParticipantState.WITHDRAWN for person in people),
        excluded=sum(person.state == ParticipantState.EXCLUDED for person in people),
        left_out=len(items) - len(included),
        blind=len(included) - len(visible),
        first=before,
        groups=groups,
        population_of={each.pseudonym: each.population_id for each in people if each.id in present},
    )


def _without(
    items: Mapping[int, Item], judgements: Mapping[int, Sequence[Judgement]], gone: set[int]
) -> dict[int, Item]:
    """The items without those that people who left wrote, and those that descend only from such people's
    answers."""
    remaining: dict[int, Item] = {}
    for number, item in items.items():  # parents have smaller ids than their children
        if item.author_id in gone:
            continue
        if item.parent_id is not None and item.parent_id in items:
            before = judgements.get(item.parent_id, ())
            if item.parent_id not in remaining or (
                before and all(each.participant_id in gone for each in before)
            ):
                continue
        remaining[number] = item
    return remaining


def _without_words(
    items: Mapping[int, Item],
    stages: Mapping[int, Stage],
    judgements: Mapping[int, Sequence[Judgement]],
    first: Mapping[int, Mapping[str, Any]],
    gone: set[int],
) -> dict[int, Item]:
    """The items without the words of people who left: of what became of an item, and of what descends from
    it, unless somebody who stays said the same of the same item. An item that would be another question
    without them is left out, with its descendants.

    first: as in ``StudySnapshot``.
    """
    if not gone:
        return dict(items)
    remaining: dict[int, Item] = {}
    lost: dict[int | None, set[str]] = {}
    for number, item in items.items():  # parents have smaller ids than their children
        kind, config = stage_kind(stages[item.stage_id].kind), stages[item.stage_id].config
        inherited = lost.get(item.parent_id, set())
        content, essential = _without_texts(item.content, inherited), kind.essential(item.content, config)
        orphaned = item.parent_id in items and item.parent_id not in remaining
        if orphaned or kind.essential(content, config) != essential:
            continue
        answered, inside, settings = kind.answered_stage(item.content, config)
        no_words = {*texts_in(essential), *texts_in([*answered.asked(inside, settings)])}
        written, of_others = set[str](), set(texts_in(item.content))
        for each in judgements.get(number, ()):
            for payload in (each.payload, first.get(each.id, each.payload)):
                texts = set(texts_in(payload))
                if each.participant_id in gone:
                    written |= texts - set(texts_in(kind.redacted(payload, kind.own_words, item.content)))
                else:
                    of_others |= texts
        lost[number] = (inherited | written - of_others) - no_words
        result = _without_texts(item.result, lost[number])
        remaining[number] = replace(item, content=content, result=result)
    return remaining


def _without_texts(value: Any, texts: set[str]) -> Any:
    """A JSON value without these texts: nothing in a list, and REDACTED as the value of a name."""
    if isinstance(value, str):
        return REDACTED if value in texts else value
    if isinstance(value, Mapping):
        return {name: _without_texts(each, texts) for name, each in value.items()}
    if isinstance(value, list):
        return [
            _without_texts(each, texts) for each in value if not isinstance(each, str) or each not in texts
        ]
    return value
