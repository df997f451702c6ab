"""The data of a study with people, as a benchmark gets them to make a release: plain records, read from no
database.

A benchmark declares in ``Benchmark.exports`` which studies it makes a release of; the studio hands each
export the study and knows no benchmark by name.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from folkways.errors import DataError, FolkwaysError


@dataclass(frozen=True, slots=True)
class Vote:
    """What one person said about one item: a pseudonym, and the payload that the kind of stage documents."""

    participant: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StudyItem:
    """One item of one stage, with the votes of the people who are still in the study, in order of arrival.

    stage: its name.
    parent: the item that it descends from.
    population, culture, language: of those who work on it; None if it is everybody's.
    part: the population's title if it is a part of another one; "" otherwise.
    state: ``draft``, ``open``, ``done`` or ``dropped``.
    result: the outcome of the votes; None while it is open, and if it was dropped by hand.
    """

    id: int
    key: str
    stage: str
    parent: int | None
    round: int
    population: str | None
    culture: str | None
    language: str | None
    part: str
    state: str
    content: Mapping[str, Any]
    result: Mapping[str, Any] | None
    votes: Sequence[Vote]


@dataclass(frozen=True, slots=True)
class StudyPeople:
    """The people of one population, as far as their weights need it.

    margins: criterion -> answer -> its share in the population. groups: pseudonym -> criterion -> answer, of
    the criteria with margins. None of it leaves in exports but as weights.
    """

    margins: Mapping[str, Mapping[str, float]]
    groups: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Study:
    """A study without attention checks, without people who have withdrawn, and without what descends from
    them alone.

    stages: name -> kind, in order. items: by id, in order; parents come before their children. people: by
    population.
    """

    name: str
    title: str
    licence: str
    stages: Mapping[str, str]
    items: Mapping[int, StudyItem]
    people: Mapping[str, StudyPeople] = field(default_factory=dict)

    def of(self, kind: str) -> Iterator[StudyItem]:
        """The items of all stages of a kind, stage by stage."""
        names = [name for name, each in self.stages.items() if each == kind]
        return (item for name in names for item in self.items.values() if item.stage == name)

    def require_one_stage(self, kind: str) -> None:
        """Raise FolkwaysError unless the study has exactly one stage of that kind."""
        stages = [name for name, each in self.stages.items() if each == kind]
        if len(stages) != 1:
            raise FolkwaysError(
                f"study {self.name} has {len(stages)} stages of kind {kind} ({', '.join(stages) or 'none'}); "
                "a release is made of one: export the tables of the study instead"
            )

    def ancestor(self, item: StudyItem, kind: str) -> StudyItem | None:
        """The nearest item in a stage of that kind: ``item`` itself or one that it descends from; None if
        there is none."""
        current: StudyItem | None = item
        while current is not None and self.stages[current.stage] != kind:
            current = self.items.get(current.parent) if current.parent is not None else None
        return current

    def child(self, item: StudyItem, kind: str) -> StudyItem | None:
        """The first child of an item in a stage of that kind that has a result; None if there is none."""
        return next((each for each in self.of(kind) if each.parent == item.id and each.result), None)


@dataclass(frozen=True, slots=True)
class StudyExport:
    """A release that a benchmark makes of studies.

    kind: the kind of stage whose answers it is made from. A study with such answers is exported.
    files: file name -> contents.
    Raises FolkwaysError if the study has nothing for it yet.
    labels: field -> the labels that the release knows, for stages of that kind whose study names none.
    """

    kind: str
    files: Callable[[Study], Mapping[str, bytes]]
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)


EXPORTED = ("item", "item_id", "parent_id", "state", "language", "content", "result")
"""Columns of the items that a study exports (``folkways studio export --format jsonl``)."""


@dataclass(frozen=True, slots=True)
class SettledItem:
    """An item of an exported study on which people have decided.

    row: of the file, 1-based. key: the item's name. language: of its population, "" for none.
    content: what the study asked about. result: what people said.
    """

    row: int
    key: str
    language: str
    content: Mapping[str, Any]
    result: Mapping[str, Any]


def settled_items(path: Path) -> tuple[SettledItem, ...] | None:
    """The items of a study's export that are done and handed on to no stage; None for a table of another
    kind. Raises DataError, with its row, for an item whose content or result is not a JSON object."""
    from folkways.text_tables import read_table  # polars, which the studio starts without

    try:
        table = read_table(path, {name: (name,) for name in EXPORTED})
    except FolkwaysError:
        return None
    handed_on = set(table["parent_id"])
    items = []
    for row in table.iter_rows(named=True):
        if row["state"] != "done" or row["item_id"] in handed_on:
            continue
        try:
            content, result = (json.loads(row[name]) for name in ("content", "result"))
            content = content.get("content", content)  # of an item that somebody decided
            items.append(SettledItem(row["row"], row["item"], row["language"], {**content}, {**result}))
        except (ValueError, AttributeError, TypeError):
            raise DataError("content and result are not JSON objects", file=path, row=row["row"]) from None
    return tuple(items)


NOT_APPLICABLE, NO_SPECIFIC_ANSWER, IDK, OTHER = "not_applicable", "no_specific_answer", "idk", "other"
"""Ways not to give a short answer: not applicable to our culture, no specific answer, I don't know, other (in
one's own words)."""

NO_ANSWER_KEYS = {NOT_APPLICABLE: "not-applicable", NO_SPECIFIC_ANSWER: "no-answer", IDK: "idk"}
"""What they are counted as; "other" is counted in the person's own words."""


def answers_by_person(votes: Iterable[Vote]) -> dict[str, Any]:
    """``answers`` by pseudonym (empty for none), and ``idks``: how many gave which of NO_ANSWER_KEYS, or a
    reason in their own words.

    votes: with ``answers``, ``no_answer`` and ``other`` in the payload.
    """
    answers: dict[str, list[str]] = {}
    idks: Counter[str] = Counter(dict.fromkeys(NO_ANSWER_KEYS.values(), 0))
    for vote in votes:
        answers[vote.participant] = list(vote.payload["answers"])
        why = vote.payload["no_answer"]
        if why is not None:
            idks[NO_ANSWER_KEYS.get(why) or vote.payload["other"]] += 1
    return {"answers": answers, "idks": dict(idks)}


def count_people(variants: Sequence[str], answers: Mapping[str, Sequence[str]]) -> int:
    """How many people gave any of these answers; one person counts once."""
    return sum(bool(set(variants) & set(of_person)) for of_person in answers.values())


NO_OPINIONS = ("dont_know", "rather_not")
"""Ways to give no opinion in a survey: does not know, would rather not say."""


def shown_in_reverse(participant: str, text: str) -> bool:
    """Whether a person sees the options of a survey's question in reverse: half of the people do, by their
    pseudonym and the question, so that the order needs not be stored."""
    return random.Random(f"{participant}|{text}").random() < 0.5  # noqa: S311 - no secret
