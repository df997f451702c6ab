"""Assigning items by a rule: to people whose language and personal details fit, the least loaded first.

A plan is made first and looked at. It is made anew when it is carried out, and refused if it has become
another one meanwhile.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from heapq import nsmallest
from typing import Any

import orjson
import sqlalchemy as sa

from folkways.sdk.cultures import languages
from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.errors import ConflictError, Message, SubmissionError
from folkways_studio.people.eligibility import plain_answer
from folkways_studio.records import AssignmentState, Item, ItemState, Stage, from_row
from folkways_studio.work.assignees import (
    MOST_ITEMS,
    Assignee,
    AssignmentReceipt,
    StudyPeople,
    assign,
    assignees_within,
    in_parts,
    items_within,
    last_active,
    people_within,
    taken_slots,
)
from folkways_studio.work.counts import room
from folkways_studio.work.stalled_items import StalledItem

MOST_CONDITIONS = 20
LANGUAGE = ("language", "languages")
"""Personal details that say which languages somebody knows, and the first is the field of an item that says
which language it is in."""

NOT_OPEN = Message("settled, dropped or still being written")
ASSIGNED = Message("assigned already")
ENOUGH = Message("no answer is missing that nobody works on")
NOBODY_FITS = Message("nobody fits who may answer it")
ALL_FULL = Message("all who fit have as many as they may have")


@dataclass(frozen=True, slots=True)
class AssignmentRule:
    """Who gets which items: of all who fit, the least loaded.

    language: only people whose population, or whose personal detail ``language`` or ``languages``, has the
    language of the item: of its field ``language`` or, without one, of its population.
    has: personal detail -> what it has to say, such as expertise: law.
    matches: personal detail -> the field of the item that it has to say the same as, such as
    expertise: topic. A detail or a field of several values fits if they share one.
    each: people per item; None for as many as answers are missing.
    most: items that a person has to answer at the same time at most, those of before included; None for no
    limit but the stage's cap.
    among: pseudonyms and populations to choose from; none for everybody.
    active_days: only people who took a task within that many days; None for everybody who is at work.
    again: items that are assigned already get other people than before.
    """

    language: bool = False
    has: Mapping[str, str] = field(default_factory=dict)
    matches: Mapping[str, str] = field(default_factory=dict)
    each: int | None = None
    most: int | None = None
    among: Sequence[str] = ()
    active_days: float | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class PlannedLoad:
    """A person with the items that they have to answer now, and how many more the plan gives them."""

    person: Assignee
    before: int
    more: int


@dataclass(frozen=True, slots=True)
class AssignmentPlan:
    """What a rule would do. assignees: item id -> people. short: ids of items that get fewer people than the
    rule asks for. left_out: reason -> ids of items that get nobody. digest: names this plan; a plan with
    another digest is another one."""

    assignees: Mapping[int, tuple[Assignee, ...]]
    short: tuple[int, ...]
    left_out: Mapping[Message, tuple[int, ...]]
    loads: tuple[PlannedLoad, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody who is at work. details: their personal ones, as sets of plain values; languages: codes. room:
    stage id -> how many more items they may take, None for no limit. load: assigned items they have to
    answer."""

    id: int
    assignee: Assignee
    population_id: int | None
    roles: frozenset[str]
    failed: frozenset[int]
    details: Mapping[str, frozenset[str]]
    languages: frozenset[str]
    room: Mapping[int, int | None]
    load: int


@dataclass(frozen=True, slots=True)
class OpenItem:
    """An item to be assigned. missing: answers that nobody works on or, of a stalled item, will give. seen:
    who must not get it: its author, those who have had it or gave it back, and those to whom it is assigned.
    remaining: those of them who stay."""

    item: Item
    stage: Stage
    missing: int
    seen: frozenset[int]
    language: str
    is_assigned: bool
    remaining: tuple[Assignee, ...] = ()


def make_plan(
    rule: AssignmentRule,
    items: Sequence[OpenItem],
    candidates: Sequence[Candidate],
    may_work_on: Callable[[Candidate, int | None], bool],
) -> AssignmentPlan:
    """What ``rule`` makes of these items and people. The same input gives the same plan.

    items: in order of their ids. candidates: who is chosen from. may_work_on: whether a candidate is of an
    item's population. Items for which few people fit come first, so that those are not loaded with others
    meanwhile; of two people with the same load, the one who came first gets the item.
    """
    left_out: dict[Message, list[int]] = defaultdict(list)
    fitting: list[tuple[OpenItem, int, list[Candidate]]] = []
    alike: dict[tuple[Any, ...], list[Candidate]] = {}
    for each in items:
        item = each.item
        wanted = each.missing if rule.each is None else min(rule.each, each.missing)
        if item.state != ItemState.OPEN or item.check is not None:
            left_out[NOT_OPEN].append(item.id)
        elif each.is_assigned and not rule.again:
            left_out[ASSIGNED].append(item.id)
        elif wanted < 1:
            left_out[ENOUGH].append(item.id)
        else:
            values = tuple(_values(item.content.get(name)) for name in rule.matches.values())
            key = (item.stage_id, item.population_id, each.language if rule.language else "", values)
            if key not in alike:
                alike[key] = [
                    candidate
                    for candidate in candidates
                    if each.stage.role in candidate.roles
                    and each.stage.id not in candidate.failed
                    and may_work_on(candidate, item.population_id)
                    and _fits(rule, candidate, each.language, values)
                ]
            people = [candidate for candidate in alike[key] if candidate.id not in each.seen]
            if people:
                fitting.append((each, wanted, people))
            else:
                left_out[NOBODY_FITS].append(item.id)
    load = {candidate.id: candidate.load for candidate in candidates}
    taken: Counter[tuple[int, int]] = Counter()

    def has_room(candidate: Candidate, stage_id: int) -> bool:
        limit = candidate.room.get(stage_id)
        return (limit is None or taken[candidate.id, stage_id] < limit) and (
            rule.most is None or load[candidate.id] < rule.most
        )

    assignees: dict[int, tuple[Assignee, ...]] = {}
    short = []
    for each, wanted, people in sorted(fitting, key=lambda entry: (len(entry[2]), entry[0].item.id)):
        stage_id = each.item.stage_id
        free = [candidate for candidate in people if has_room(candidate, stage_id)]
        chosen = nsmallest(wanted, free, key=lambda candidate: (load[candidate.id], candidate.id))
        if not chosen:
            left_out[ALL_FULL].append(each.item.id)
            continue
        for candidate in chosen:
            load[candidate.id] += 1
            taken[candidate.id, stage_id] += 1
        assignees[each.item.id] = (*each.remaining, *(candidate.assignee for candidate in chosen))
        if len(chosen) < wanted:
            short.append(each.item.id)
    loads = tuple(
        PlannedLoad(candidate.assignee, candidate.load, load[candidate.id] - candidate.load)
        for candidate in candidates
        if load[candidate.id]
    )
    pairs = sorted((number, sorted(each.name for each in named)) for number, named in assignees.items())
    return AssignmentPlan(
        dict(sorted(assignees.items())),
        tuple(sorted(short)),
        {reason: tuple(sorted(numbers)) for reason, numbers in left_out.items()},
        loads,
        hashlib.sha256(orjson.dumps(pairs)).hexdigest()[:16],
    )


def _fits(
    rule: AssignmentRule, candidate: Candidate, language: str, values: Sequence[frozenset[str]]
) -> bool:
    details = candidate.details
    if rule.language and not (language and _speaks(candidate.languages, language)):
        return False
    if any(not details.get(name, frozenset()) & _values(value) for name, value in rule.has.items()):
        return False
    pairs = zip(rule.matches, values, strict=True)
    return all(details.get(name, frozenset()) & value for name, value in pairs)


def _speaks(codes: Collection[str], language: str) -> bool:
    """Whether one of the codes is that language, or one that it is a form of: en for en-GB."""
    return language in codes or language.split("-")[0] in codes


def _values(value: Any) -> frozenset[str]:
    """The plain values of a detail or a field: of a list, or of text divided by commas or semicolons."""
    if isinstance(value, Mapping):
        value = value.get("text")
    parts = value if isinstance(value, list | tuple) else str(value or "").replace(";", ",").split(",")
    return frozenset(plain for each in parts if (plain := plain_answer(each)))


def language_codes(words: str) -> frozenset[str]:
    """The codes of the languages that words name, by code or by name; words that name none are left out."""
    names = _codes_by_name()
    return frozenset(names[each] for each in _values(words) if each in names)


@cache
def _codes_by_name() -> dict[str, str]:
    names: dict[str, str] = {}
    for code, language in languages().items():
        for each in (language.endonym, language.name, code):
            names[plain_answer(each)] = code
    return names


def check_rule(rule: AssignmentRule, people: StudyPeople) -> None:
    """Raise SubmissionError for a rule that cannot be applied: numbers below 1, too many conditions, or names
    in ``among`` that are none of the study (people)."""
    problems: dict[str, str] = {}
    for name in ("each", "most", "active_days"):
        number = getattr(rule, name)
        if number is not None and number < 1:
            problems[name] = Message("Give a number of at least 1, or nothing.")
    for name in ("has", "matches"):
        conditions = getattr(rule, name)
        if len(conditions) > MOST_CONDITIONS:
            problems[name] = Message("These are too many conditions.")
        elif not all(key.strip() and value.strip() for key, value in conditions.items()):
            problems[name] = Message("Give a name and a value, as in expertise = law.")
    if unknown := [name for name in rule.among if people.named(name) is None]:
        problems["among"] = Message(
            "No person or population of this study is called %(name)s.", name=unknown[0]
        )
    if problems:
        raise SubmissionError(problems)


def plan_assignments(
    workspace: Workspace,
    study_id: int,
    rule: AssignmentRule,
    numbers: Sequence[int],
    *,
    stalled: Mapping[int, StalledItem] | None = None,
    by: int | None = None,
) -> AssignmentPlan:
    """What a rule would do with items, without doing it. Where it asks for personal details, the audit trail
    says so.

    workspace, study_id: the study. rule: see there; SubmissionError if it cannot be applied. numbers: ids of
    items; NotFoundError for one of another study, ConflictError for more than MOST_ITEMS. stalled: those that
    are, by id: who works on one keeps it, and others come to them. by: the account that asks.
    """
    with workspace.read() as connection:
        plan = _plan_within(connection, study_id, rule, numbers, stalled or {})
    if rule.has or rule.matches or rule.language:
        audit.record_event_now(
            workspace, "participants.matched", study_id, by,
            details={"attributes": sorted({*rule.has, *rule.matches, *(LANGUAGE if rule.language else ())})},
        )  # fmt: skip
    return plan


def apply_rule_to_items(
    workspace: Workspace,
    study_id: int,
    rule: AssignmentRule,
    numbers: Sequence[int],
    *,
    stalled: Mapping[int, StalledItem] | None = None,
    digest: str | None = None,
    take_back: bool = False,
    by: int | None = None,
) -> tuple[AssignmentPlan, AssignmentReceipt]:
    """Make the plan anew and assign the items by it. workspace, study_id, rule, numbers, stalled: as in
    ``plan_assignments``, with its errors.

    digest: of the plan that was looked at; ConflictError if another one has come of it. take_back, by: as in
    ``assign``.
    """
    plan = plan_assignments(workspace, study_id, rule, numbers, stalled=stalled, by=by)
    if digest is not None and digest != plan.digest:
        raise ConflictError("people or items have changed since the plan was made; look at the new plan")
    receipt = assign(workspace, study_id, plan.assignees, take_back=take_back, by=by, how="rule")
    return plan, receipt


def _plan_within(
    connection: sa.Connection,
    study_id: int,
    rule: AssignmentRule,
    numbers: Sequence[int],
    stalled: Mapping[int, StalledItem],
) -> AssignmentPlan:
    numbers = sorted(set(numbers))
    if len(numbers) > MOST_ITEMS:
        raise ConflictError("these are more than %(most)s items; choose fewer at a time", most=MOST_ITEMS)
    people = people_within(connection, study_id)
    check_rule(rule, people)
    stages = {
        row.id: from_row(Stage, row)
        for row in connection.execute(sa.select(schema.stages).where(schema.stages.c.study_id == study_id))
    }
    table = schema.populations
    populations = connection.execute(sa.select(table).where(table.c.study_id == study_id)).all()
    language_of: dict[int | None, str] = {row.id: row.language for row in populations}
    assigned = assignees_within(connection, study_id)
    items = _open_items(
        connection, items_within(connection, study_id, numbers), stages, assigned, language_of, stalled
    )
    criteria = {str(each["name"]) for row in populations for each in row.criteria}
    _check_names(connection, study_id, rule, items, criteria)
    if rule.again:  # those to whom they are assigned now are rid of them, but for those who stay
        assigned = assigned | {each.item.id: each.remaining for each in items}
    candidates = _candidates(connection, study_id, people, rule, stages, assigned, language_of)

    def may_work_on(candidate: Candidate, population_id: int | None) -> bool:
        return candidate.population_id is None or people.is_part(candidate.population_id, population_id)

    return make_plan(rule, items, candidates, may_work_on)


def _check_names(
    connection: sa.Connection,
    study_id: int,
    rule: AssignmentRule,
    items: Sequence[OpenItem],
    criteria: Collection[str],
) -> None:
    """Raise SubmissionError for a personal detail that nobody was asked for (criteria) or has, and for a
    field that none of the items has: to a misspelt name nobody fits."""
    people, stored = schema.participants, schema.attributes
    of_study = stored.join(people, people.c.id == stored.c.participant_id)
    names = sa.select(stored.c.name).select_from(of_study).where(people.c.study_id == study_id).distinct()
    details = {*criteria, *LANGUAGE, *connection.scalars(names)}
    problems: dict[str, str] = {}
    for setting in ("has", "matches"):
        if unknown := [name for name in getattr(rule, setting) if name not in details]:
            problems[setting] = Message("Nobody of this study was asked for %(name)s.", name=unknown[0])
    fields = {name for each in items for name in each.item.content}
    if items and (unknown := [name for name in rule.matches.values() if name not in fields]):
        problems.setdefault("matches", Message("None of these items has %(name)s.", name=unknown[0]))
    if problems:
        raise SubmissionError(problems)


def _open_items(
    connection: sa.Connection,
    items: Mapping[int, Item],
    stages: Mapping[int, Stage],
    assigned: Mapping[int, tuple[Assignee, ...]],
    language_of: Mapping[int | None, str],
    stalled: Mapping[int, StalledItem],
) -> list[OpenItem]:
    slots, skips = schema.assignments, schema.skips
    now, missing = time.time(), Counter[int]()
    seen: dict[int, set[int]] = defaultdict(set)
    for some in in_parts(sorted(items)):
        for row in connection.execute(sa.select(slots).where(slots.c.item_id.in_(some))):
            is_late = row.state == AssignmentState.LEASED and row.lease_until < now
            missing[row.item_id] += row.state == AssignmentState.OPEN or is_late
            if row.participant_id is not None:
                seen[row.item_id].add(row.participant_id)
        for row in connection.execute(sa.select(skips).where(skips.c.item_id.in_(some))):
            seen[row.item_id].add(row.participant_id)
    made = []
    for number, item in sorted(items.items()):
        before = assigned.get(number, ())
        away = seen[number] | {each.participant_id for each in before if each.participant_id is not None}
        if item.author_id is not None:
            away.add(item.author_id)
        language = item.content.get(LANGUAGE[0])
        if not isinstance(language, str) or not language:
            language = language_of.get(item.population_id, "")
        working, remaining = (
            (stalled[number].working, stalled[number].working_assignees) if number in stalled else (0, ())
        )
        made.append(
            OpenItem(
                item, stages[item.stage_id], missing[number] - working, frozenset(away),
                next(iter(language_codes(language)), language), bool(before), remaining,
            )
        )  # fmt: skip
    return made


def _candidates(
    connection: sa.Connection,
    study_id: int,
    people: StudyPeople,
    rule: AssignmentRule,
    stages: Mapping[int, Stage],
    assigned: Mapping[int, tuple[Assignee, ...]],
    language_of: Mapping[int | None, str],
) -> list[Candidate]:
    """Who is at work and among those to choose from."""
    pool = [people.named(name) for name in rule.among]
    table = schema.attributes
    wanted = {*rule.has, *rule.matches, *(LANGUAGE if rule.language else ())}
    details: dict[int, dict[str, str]] = defaultdict(dict)
    if wanted:
        rows = connection.execute(
            sa.select(table)
            .join(schema.participants, schema.participants.c.id == table.c.participant_id)
            .where(schema.participants.c.study_id == study_id, table.c.name.in_(wanted))
        )
        for row in rows:
            details[row.participant_id][row.name] = row.value
    slots_taken = taken_slots(connection, study_id)
    since = 0.0 if rule.active_days is None else time.time() - rule.active_days * 86_400
    active = last_active(connection, study_id) if since else {}
    outstanding = _outstanding(connection, study_id, assigned)
    made = []
    for number, person in people.people.items():
        if not person.is_at_work or active.get(number, 0.0) < since:
            continue
        if pool and not any(each is not None and people.is_among(number, each) for each in pool):
            continue
        codes = {language_of[person.population_id]} if person.population_id is not None else set()
        for name in LANGUAGE:
            codes |= language_codes(details[number].get(name, ""))
        made.append(
            Candidate(
                number,
                person.assignee,
                person.population_id,
                person.roles,
                person.failed,
                {name: _values(value) for name, value in details[number].items()},
                frozenset(codes),
                {
                    each.id: room(
                        slots_taken[number, each.id] + outstanding[number, each.id], each.config["cap"]
                    )
                    for each in stages.values()
                },
                sum(outstanding[number, each] for each in stages),
            )
        )
    return made


def _outstanding(
    connection: sa.Connection, study_id: int, assigned: Mapping[int, tuple[Assignee, ...]]
) -> Counter[tuple[int, int]]:
    """(participant id, stage id) -> open items that are assigned to them by name and that they have neither
    answered nor at hand."""
    items, slots = schema.items, schema.assignments
    open_query = sa.select(items.c.id, items.c.stage_id).where(
        items.c.study_id == study_id, items.c.state == ItemState.OPEN, items.c.allocation_id.is_not(None)
    )
    open_items = {row.id: row.stage_id for row in connection.execute(open_query)}
    query = sa.select(slots.c.item_id, slots.c.participant_id).where(
        slots.c.item_id.in_(open_query.with_only_columns(items.c.id))
    )
    had = {(row.item_id, row.participant_id) for row in connection.execute(query)}
    return Counter(
        (each.participant_id, open_items[number])
        for number, assignees in assigned.items()
        if number in open_items
        for each in assignees
        if each.participant_id is not None and (number, each.participant_id) not in had
    )
