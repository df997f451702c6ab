"""Two studies side by side: how far people agree, how often they do not know, how long an answer takes, what
an answer that counts costs, and how many people withdraw.

Only like is compared with like: a stage of the same name and kind that asks the same, within populations of
the same culture and language. Where half of one study's items are in the other as well, only these count, and
people who worked in both are paired. What cannot be compared is named with the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Literal, NamedTuple

import orjson
import sqlalchemy as sa

from folkways.sdk.statistics import Rows, SampleDifference, compare_samples
from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.records import LEFT_OUT, ParticipantState, Population, Stage, Study
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.studies.disagreements import CHANCE, AnsweredItem, AnswerOfPerson, read_answers
from folkways_studio.studies.spread import spread
from folkways_studio.studies.working_time import WorkedAnswer, longest_of, rate_of, worked_answers

FEWEST_SHARED = 6
"""Items of both studies below which all items count."""

NOT_KNOWN = frozenset({"dont_know", "idk"})
"""What options are stored as by which a person says that they do not know."""

Measure = Literal["agreement", "not_known", "time", "pay", "models", "withdrew"]
Reason = Literal[
    "first",
    "second",
    "kind",
    "asks",
    "population",
    "answers",
    "pairs",
    "no_not_known",
    "untimed",
    "rate",
    "currency",
]


@dataclass(frozen=True, slots=True)
class ComparedMeasure:
    """One number of both studies, the first less the second.

    over: the sampling unit. currency: of costs. clear: whether the interval at which chance makes no
    difference of the whole page clear (CHANCE, after Bonferroni) lacks 0.
    """

    measure: Measure
    over: Literal["items", "people"]
    difference: SampleDifference
    clear: bool
    currency: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonGap:
    """What is not compared, and why. stage: its title, empty for none. measure: None for all."""

    stage: str
    population: str
    measure: Measure | None
    reason: Reason


@dataclass(frozen=True, slots=True)
class ComparedStage:
    """One stage within one population. stage: None for the people of a population in all stages; population:
    None for items of everybody.

    items: that are in both studies and that alone count; 0 where all count. fields: of the form that both ask
    alike, where others differ; empty for all. settings: of the stage that differ.
    """

    stage: Stage | None
    population: Population | None
    measures: tuple[ComparedMeasure, ...]
    items: int = 0
    fields: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyComparison:
    """first less second, in everything."""

    first: Study
    second: Study
    stages: tuple[ComparedStage, ...]
    not_compared: tuple[ComparisonGap, ...]


class _Samples(NamedTuple):
    """A measure before it is compared; most: what its values can be at most, None for no limit."""

    measure: Measure
    over: Literal["items", "people"]
    rows: tuple[Rows, Rows]
    most: float | None
    currency: str = ""


class _Side:
    """What is read of one study."""

    def __init__(self, workspace: Workspace, study: Study) -> None:
        self.study, self.rate = study, rate_of(study.definition)
        self.stages = {stage.name: stage for stage in studies.stages(workspace, study.id)}
        self.populations = studies.populations(workspace, study.id)
        items, people, attributes, calls = (
            schema.items,
            schema.participants,
            schema.attributes,
            schema.model_calls,
        )
        of_items = sa.select(items.c.id, items.c.stage_id, items.c.population_id, items.c.content).where(
            items.c.study_id == study.id
        )
        of_people = (
            sa.select(people, attributes.c.value)
            .outerjoin(
                attributes,
                sa.and_(attributes.c.participant_id == people.c.id, attributes.c.name == "prolific_pid"),
            )
            .where(people.c.study_id == study.id)
        )
        of_calls = sa.select(calls.c.item_id, calls.c.participant_id, calls.c.usd).where(
            calls.c.study_id == study.id, calls.c.usd.is_not(None)
        )
        with workspace.read() as connection:
            self.people = connection.execute(of_people).all()
            self.items = {row.id: row for row in connection.execute(of_items)}
            self.calls = connection.execute(of_calls).all()
        # Who came by a recruitment service has another account in each study, and the same id there.
        self.person = {row.id: row.value or row.account_id for row in self.people}
        self.counts = {row.id for row in self.people if row.state not in LEFT_OUT}
        self.answered: defaultdict[tuple[int, int | None], list[AnsweredItem]] = defaultdict(list)
        for each in read_answers(workspace, study.id):
            self.answered[each.stage.id, each.population_id].append(each)
        self.worked: defaultdict[tuple[int, int | None], list[WorkedAnswer]] = defaultdict(list)
        for answer in worked_answers(workspace, study.id):
            self.worked[answer.stage_id, self.items[answer.item_id].population_id].append(answer)

    def content(self, item_id: int, kind: StageKind) -> bytes:
        """What people see of an item, by which it is the same in two studies."""
        shown = {key: value for key, value in self.items[item_id].content.items() if key not in kind.hidden}
        return orjson.dumps(shown, option=orjson.OPT_SORT_KEYS)


def compare_studies(workspace: Workspace, first: Study, second: Study) -> StudyComparison:
    """Everything about two studies of the workspace that can be compared: the first less the second."""
    sides = _Side(workspace, first), _Side(workspace, second)
    not_compared: list[ComparisonGap] = []
    places = list(_populations(sides, not_compared))
    prepared: list[tuple[ComparedStage, list[_Samples]]] = [
        (ComparedStage(None, populations[0], ()), _withdrawals(sides, populations, not_compared))
        for populations in places
        if populations[0] is not None
    ]
    for stages in _stages(sides, not_compared):
        for populations in places:
            prepared += _of_stage(sides, stages, populations, not_compared)
    looks = sum(len(samples) for _, samples in prepared)
    compared = []
    for part, samples in prepared:
        if samples:
            measures = tuple(_compared(each, 1 - CHANCE / looks) for each in samples)
            compared.append(
                ComparedStage(part.stage, part.population, measures, part.items, part.fields, part.settings)
            )
    return StudyComparison(first, second, tuple(compared), tuple(not_compared))


def _compared(samples: _Samples, strict: float) -> ComparedMeasure:
    bounds = None if samples.most is None else (0.0, samples.most)
    difference = compare_samples(*samples.rows, bounds)
    surely = compare_samples(*samples.rows, bounds, strict)
    clear = surely.low > 0 or surely.high < 0
    return ComparedMeasure(samples.measure, samples.over, difference, clear, samples.currency)


Places = tuple[Population | None, Population | None]


def _populations(sides: tuple[_Side, _Side], not_compared: list[ComparisonGap]) -> Iterator[Places]:
    """Pairs of populations: the only ones of their culture and language, or of one name among several; and
    that of everybody, where every population has its like."""
    by_land: list[defaultdict[tuple[str, str], list[Population]]] = []
    for side in sides:
        lands: defaultdict[tuple[str, str], list[Population]] = defaultdict(list)
        for each in side.populations:
            lands[each.culture, each.language].append(each)
        by_land.append(lands)
    alone = []
    for land in dict.fromkeys((*by_land[0], *by_land[1])):
        here, there = by_land[0][land], by_land[1][land]
        if len(here) == len(there) == 1:
            yield here[0], there[0]
            continue
        names = {each.name: each for each in there}
        yield from ((each, names[each.name]) for each in here if each.name in names)
        alone += [(each, "first") for each in here if each.name not in names]
        alone += [(each, "second") for each in there if each.name not in {one.name for one in here}]
    for population, side_name in alone:
        reason: Reason = "first" if side_name == "first" else "second"
        not_compared.append(ComparisonGap("", population.title, None, reason))
    if not alone:
        yield None, None
    elif any(None in {key[1] for key in side.answered} for side in sides):
        not_compared.append(ComparisonGap("", "", None, "population"))


def _stages(sides: tuple[_Side, _Side], not_compared: list[ComparisonGap]) -> Iterator[tuple[Stage, Stage]]:
    """Pairs of stages of one name and kind."""
    for name in dict.fromkeys((*sides[0].stages, *sides[1].stages)):
        here, there = (side.stages.get(name) for side in sides)
        if here is None or there is None:
            title = (here or there or sides[0].stages[name]).title
            not_compared.append(ComparisonGap(title, "", None, "second" if here is None else "first"))
        elif here.kind != there.kind:
            not_compared.append(ComparisonGap(here.title, "", None, "kind"))
        else:
            yield here, there


def _of_stage(
    sides: tuple[_Side, _Side],
    stages: tuple[Stage, Stage],
    populations: Places,
    not_compared: list[ComparisonGap],
) -> Iterator[tuple[ComparedStage, list[_Samples]]]:
    """The stage within the populations, if anybody answered in both studies."""
    title = "" if populations[0] is None else populations[0].title
    keys = [
        (stage.id, None if population is None else population.id)
        for stage, population in zip(stages, populations, strict=True)
    ]
    answered = [side.answered.get(key, []) for side, key in zip(sides, keys, strict=True)]
    if not all(answered):
        if any(answered):
            not_compared.append(ComparisonGap(stages[0].title, title, None, "answers"))
        return
    kind = stage_kind(stages[0].kind)
    alike = _asked_alike(kind, stages, sides[0].items[answered[0][0].item_id].content)
    if alike is None:
        not_compared.append(ComparisonGap(stages[0].title, title, None, "asks"))
        return
    fields, parts = alike
    group = _Group(sides, kind, keys, answered, fields)
    samples: list[_Samples] = []
    for measure, made in (
        ("agreement", group.agreement()),
        ("not_known", group.not_known(parts)),
        ("time", group.time()),
        ("pay", group.pay()),
        ("models", group.models()),
    ):
        if isinstance(made, _Samples):
            samples.append(made)
        elif made is not None:
            not_compared.append(ComparisonGap(stages[0].title, title, measure, made))  # type: ignore[arg-type]
    configs = [stage.config for stage in stages]
    differing = sorted(
        name
        for name in configs[0].keys() | configs[1].keys()
        if name != "next" and configs[0].get(name) != configs[1].get(name)
    )
    number = 0 if group.shared is None else len(group.shared)
    yield (
        ComparedStage(stages[0], populations[0], (), number, tuple(sorted(fields)), tuple(differing)),
        samples,
    )


def _asked_alike(
    kind: StageKind, stages: tuple[Stage, Stage], content: Mapping[str, Any]
) -> tuple[frozenset[str], list[Mapping[str, Any]]] | None:
    """The fields that both stages ask alike, empty for all of them, and the parts; None where they ask
    nothing alike."""
    here, there = ({part["key"]: part for part in kind.asked(content, stage.config)} for stage in stages)
    alike = [part for key, part in here.items() if there.get(key) == part]
    if len(alike) == len(here) == len(there):
        return frozenset(), alike
    return (frozenset(part["key"] for part in alike), alike) if alike else None


class _Group:
    """The answers of a stage within a population, of both studies; each measure gives its samples, or why it
    is not compared, or None where there is nothing to say."""

    def __init__(
        self,
        sides: tuple[_Side, _Side],
        kind: StageKind,
        keys: Sequence[tuple[int, int | None]],
        answered: Sequence[Sequence[AnsweredItem]],
        fields: frozenset[str],
    ) -> None:
        self.sides, self.fields = sides, fields
        self.worked = [side.worked.get(key, []) for side, key in zip(sides, keys, strict=True)]
        self.contents = [
            {each.item_id: side.content(each.item_id, kind) for each in items}
            for side, items in zip(sides, answered, strict=True)
        ]
        first, second = (set(content.values()) for content in self.contents)
        shared = first & second
        self.shared = shared if len(shared) >= max(FEWEST_SHARED, min(len(first), len(second)) / 2) else None
        self.answered = [
            [each for each in items if self._counts(content[each.item_id])]
            for items, content in zip(answered, self.contents, strict=True)
        ]

    def _counts(self, content: bytes | None) -> bool:
        return content is not None and (self.shared is None or content in self.shared)

    def agreement(self) -> _Samples | Reason:
        """What an item shows -> the shares of pairs of people who say the same of it."""
        rows: tuple[defaultdict[bytes, list[float]], ...] = (defaultdict(list), defaultdict(list))
        for number, items in enumerate(self.answered):
            labels = [[self._labels(one) for one in each.said] for each in items]
            for each, share in zip(items, spread(labels).agree.tolist(), strict=True):
                if not isnan(share):
                    rows[number][self.contents[number][each.item_id]].append(share)
        return _Samples("agreement", "items", (rows[0], rows[1]), 1.0) if all(rows) else "pairs"

    def _labels(self, answer: AnswerOfPerson) -> Mapping[str, Any]:
        if not self.fields:
            return answer.labels
        return {name: label for name, label in answer.labels.items() if name in self.fields}

    def not_known(self, parts: Sequence[Mapping[str, Any]]) -> _Samples | Reason:
        """Over people or over items, whichever have the wider interval: they limit what can be known. parts:
        that are asked."""
        if not any(_offers_not_known(part) for part in parts):
            return "no_not_known"
        by_item: tuple[defaultdict[Any, list[float]], ...] = (defaultdict(list), defaultdict(list))
        by_person: tuple[defaultdict[Any, list[float]], ...] = (defaultdict(list), defaultdict(list))
        for number, items in enumerate(self.answered):
            for each in items:
                for one in each.said:
                    value = float(any(map(_is_not_known, self._labels(one).values())))
                    by_item[number][self.contents[number][each.item_id]].append(value)
                    by_person[number][self.sides[number].person[one.participant_id]].append(value)
        return max(
            _Samples("not_known", "people", (by_person[0], by_person[1]), 1.0),
            _Samples("not_known", "items", (by_item[0], by_item[1]), 1.0),
            key=_width,
        )

    def time(self) -> _Samples | Reason:
        """Person -> seconds without breaks, of answers that count."""
        if self.fields:
            return "asks"
        times: tuple[defaultdict[Any, list[float]], ...] = (defaultdict(list), defaultdict(list))
        for number, side in enumerate(self.sides):
            for each in self.worked[number]:
                is_valid = each.participant_id in side.counts and not each.is_check
                if (
                    is_valid
                    and each.seconds is not None
                    and self._counts(self.contents[number].get(each.item_id))
                ):
                    times[number][side.person[each.participant_id]].append(each.seconds)
        if not all(times):
            return "untimed"
        longest = max(longest_of([each for row in rows.values() for each in row]) for rows in times)
        return _Samples("time", "people", (times[0], times[1]), longest)

    def pay(self) -> _Samples | Reason | None:
        """What an answer that counts has cost in pay, checks and answers that do not count included."""
        rates = [side.rate for side in self.sides]
        if rates[0] is None or rates[1] is None:
            return None if rates[0] is rates[1] else "rate"
        if rates[0].currency != rates[1].currency:
            return "currency"
        if self.fields:
            return "asks"
        costs: list[dict[tuple[int, int], float]] = [
            {
                (each.participant_id, each.item_id): rate.worth((each.seconds or 0.0) / 3600, 1)
                for each in worked
            }
            for rate, worked in zip((rates[0], rates[1]), self.worked, strict=True)
        ]
        return self._per_answer("pay", costs, [sum(each.values()) for each in costs], rates[0].currency)

    def models(self) -> _Samples | Reason | None:
        """What an answer that counts has cost in calls of models."""
        costs: list[dict[tuple[int, int], float]] = []
        for side, worked in zip(self.sides, self.worked, strict=True):
            items = {each.item_id for each in worked}
            of_answer: defaultdict[tuple[int, int], float] = defaultdict(float)
            for call in side.calls:
                if call.item_id in items:
                    of_answer[call.participant_id, call.item_id] += call.usd
            costs.append(of_answer)
        if not any(costs):
            return None
        if self.fields:
            return "asks"
        return self._per_answer("models", costs, [sum(each.values()) for each in costs], "USD")

    def _per_answer(
        self,
        measure: Measure,
        costs: Sequence[Mapping[tuple[int, int], float]],
        totals: Sequence[float],
        currency: str,
    ) -> _Samples | Reason:
        """Person -> the cost of each answer of theirs that counts. What was paid for other answers is spread
        evenly over those that count."""
        rows: tuple[defaultdict[Any, list[float]], ...] = (defaultdict(list), defaultdict(list))
        for number, side in enumerate(self.sides):
            valid = [
                (each.participant_id, each.item_id)
                for each in self.worked[number]
                if each.participant_id in side.counts and not each.is_check
            ]
            if not valid:
                return "answers"
            costs_here = [costs[number].get(each, 0.0) for each in valid]
            others = (totals[number] - sum(costs_here)) / len(valid)
            for (person, _), cost in zip(valid, costs_here, strict=True):
                rows[number][side.person[person]].append(cost + others)
        return _Samples(measure, "people", (rows[0], rows[1]), None, currency)


def _width(samples: _Samples) -> float:
    """Of the interval of the difference of two shares."""
    difference = compare_samples(*samples.rows)
    return difference.high - difference.low


def _offers_not_known(part: Mapping[str, Any]) -> bool:
    options = part.get("options", ())
    return any(
        (option.get("value") if isinstance(option, Mapping) else option) in NOT_KNOWN for option in options
    )


def _is_not_known(label: object) -> bool:
    return bool(label & NOT_KNOWN) if isinstance(label, frozenset) else label in NOT_KNOWN


def _withdrawals(
    sides: tuple[_Side, _Side], populations: Places, not_compared: list[ComparisonGap]
) -> list[_Samples]:
    """Person -> whether they withdrew, of those who were let in."""
    rows: list[dict[Any, list[float]]] = []
    for side, population in zip(sides, populations, strict=True):
        rows.append(
            {
                side.person[each.id]: [float(each.state == ParticipantState.WITHDRAWN)]
                for each in side.people
                if population is not None and each.population_id == population.id
                if each.eligible or each.waiver is not None
            }
        )
    if all(rows):
        return [_Samples("withdrew", "people", (rows[0], rows[1]), 1.0)]
    title = "" if populations[0] is None else populations[0].title
    not_compared.append(ComparisonGap("", title, "withdrew", "answers"))
    return []
