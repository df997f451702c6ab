"""Assigning by a rule: who fits, how even it is, what stays out and why, and that what was looked at is what is
done."""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from folkways.workspace.database import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.items import stage_assignments
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.items.stage_assignments import StagePlan, assign_stage
from folkways_studio.people import participants, personal, suspension
from folkways_studio.records import Item, Participant, Stage
from folkways_studio.studies import service as studies
from folkways_studio.work import adjudications, assignment_rules, leases
from folkways_studio.work.assignees import Assignee, assign, assignees_of
from folkways_studio.work.assignment_rules import (
    ALL_FULL,
    ASSIGNED,
    ENOUGH,
    NOBODY_FITS,
    NOT_OPEN,
    AssignmentRule,
    Candidate,
    OpenItem,
    apply_rule_to_items,
    language_codes,
    make_plan,
    plan_assignments,
)
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, open_study
from tests.support.frozen_time import at_time

VOTE = {"name": "verify", "kind": "vote"}
STAGE = Stage(1, 1, 1, "verify", "verify", "vote", "annotator", {"cap": None})
PLAIN = AssignmentRule()


def candidate(number: int, load: int = 0, room: int | None = None, **others: Any) -> Candidate:
    values: dict[str, Any] = {
        "population_id": 1, "roles": frozenset({"annotator"}), "failed": frozenset(), "details": {},
        "languages": frozenset({"ko"}), "room": {1: room},
    } | others  # fmt: skip
    return Candidate(number, Assignee(f"p-{number}", participant_id=number), load=load, **values)


def open_item(number: int, missing: int = 1, seen: Sequence[int] = (), **others: Any) -> OpenItem:
    values: dict[str, Any] = {"language": "ko", "is_assigned": False} | others
    content, state = values.pop("content", {}), values.pop("state", "open")
    item = Item(number, 1, 1, 1, None, None, f"q{number}", 1, content, state, None, None, None, 0.0)
    return OpenItem(item, STAGE, missing, frozenset(seen), **values)


def plan(
    rule: AssignmentRule, items: Sequence[OpenItem], people: Sequence[Candidate]
) -> dict[int, list[str]]:
    made = make_plan(rule, items, people, lambda each, wide: wide in (None, each.population_id))
    return {number: [each.name for each in named] for number, named in made.assignees.items()}


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sets(st.integers(0, 5))), max_size=25),
    st.lists(st.tuples(st.integers(0, 6), st.none() | st.integers(0, 6)), max_size=6),
    st.none() | st.integers(1, 3),
    st.none() | st.integers(1, 8),
)
def test_every_plan_keeps_to_its_bounds(
    asked: list[tuple[int, set[int]]],
    people: list[tuple[int, int | None]],
    each: int | None,
    most: int | None,
) -> None:
    items = [open_item(number, missing, tuple(seen)) for number, (missing, seen) in enumerate(asked)]
    candidates = [candidate(number, load, room) for number, (load, room) in enumerate(people)]
    rule = AssignmentRule(each=each, most=most)
    made = make_plan(rule, items, candidates, lambda *_: True)
    more = Counter(assignee.participant_id or 0 for named in made.assignees.values() for assignee in named)
    left_out = [number for numbers in made.left_out.values() for number in numbers]
    assert sorted([*made.assignees, *left_out]) == list(range(len(asked))), "every item once"
    for number, named in made.assignees.items():
        missing, seen = asked[number]
        ids = [assignee.participant_id for assignee in named]
        wanted = missing if each is None else min(each, missing)
        assert len(ids) == len(set(ids)) and not set(ids) & seen
        assert (number in made.short) == (len(ids) < wanted) and len(ids) <= wanted
    for number, (load, room) in enumerate(people):
        assert room is None or more[number] <= room
        assert most is None or not more[number] or load + more[number] <= most
    assert {load.person.participant_id: load.more for load in made.loads if load.more} == dict(more)
    assert make_plan(rule, items, candidates, lambda *_: True) == made


@given(st.integers(1, 25), st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_a_plan_of_items_that_anybody_may_have_is_even(count: int, loads: list[int]) -> None:
    """Nobody who could have had one has two less than who got one."""
    items = [open_item(number) for number in range(count)]
    named = plan(
        AssignmentRule(each=1), items, [candidate(number, load) for number, load in enumerate(loads)]
    )
    more = Counter(name for (name,) in named.values())
    assert sum(more.values()) == count
    then = [load + more[f"p-{number}"] for number, load in enumerate(loads)]
    assert max(load for number, load in enumerate(then) if more[f"p-{number}"]) - min(then) <= 1


def test_the_least_loaded_come_first_and_rare_items_before_common_ones() -> None:
    people = [candidate(1, load=2), candidate(2), candidate(3)]
    items = [open_item(1), open_item(2), open_item(3), open_item(4, seen=[1, 3])]
    assert plan(PLAIN, items, people) == {1: ["p-3"], 2: ["p-2"], 3: ["p-3"], 4: ["p-2"]}
    assert plan(AssignmentRule(most=1), items, people) == {1: ["p-3"], 4: ["p-2"]}


def test_why_items_are_left_out() -> None:
    items = [
        open_item(1, state="done"), open_item(2, is_assigned=True), open_item(3, missing=0), open_item(4, seen=[1]),
        open_item(5), open_item(6),
    ]  # fmt: skip
    made = make_plan(AssignmentRule(most=1), items, [candidate(1)], lambda *_: True)
    assert made.left_out == {NOT_OPEN: (1,), ASSIGNED: (2,), ENOUGH: (3,), NOBODY_FITS: (4,), ALL_FULL: (6,)}
    again = make_plan(AssignmentRule(again=True), items, [candidate(1)], lambda *_: True)
    assert sorted(again.assignees) == [2, 5, 6]
    check = dataclasses.replace(items[4], item=dataclasses.replace(items[4].item, check={"choices": [1]}))
    assert make_plan(PLAIN, [check], [candidate(1)], lambda *_: True).left_out == {NOT_OPEN: (5,)}


@pytest.mark.parametrize(
    ("rule", "others", "item", "fits"),
    [
        (AssignmentRule(language=True), {"languages": frozenset({"ko"})}, {"language": "ko"}, True),
        (AssignmentRule(language=True), {"languages": frozenset({"ko"})}, {"language": "en"}, False),
        (AssignmentRule(language=True), {"languages": frozenset({"en"})}, {"language": "en-GB"}, True),
        (AssignmentRule(language=True), {"languages": frozenset({"en-GB"})}, {"language": "en"}, False),
        (AssignmentRule(language=True), {"languages": frozenset({""})}, {"language": ""}, False),
        (AssignmentRule(), {"languages": frozenset()}, {"language": "en"}, True),
        (AssignmentRule(has={"field": "Law"}), {"details": {"field": frozenset({"law", "art"})}}, {}, True),
        (AssignmentRule(has={"field": "law, art"}), {"details": {"field": frozenset({"art"})}}, {}, True),
        (AssignmentRule(has={"field": "law"}), {"details": {"field": frozenset({"lawyer"})}}, {}, False),
        (AssignmentRule(has={"field": "law"}), {}, {}, False),
        (AssignmentRule(has={"a": "x", "b": "y"}), {"details": {"a": frozenset({"x"})}}, {}, False),
        (AssignmentRule(matches={"field": "topic"}), {"details": {"field": frozenset({"law"})}},
         {"content": {"topic": ["Art", "LAW."]}}, True),
        (AssignmentRule(matches={"field": "topic"}), {"details": {"field": frozenset({"law"})}},
         {"content": {"topic": "art"}}, False),
        (AssignmentRule(matches={"field": "topic"}), {"details": {"field": frozenset({"law"})}}, {}, False),
        (PLAIN, {"roles": frozenset({"reviewer"})}, {}, False),
        (PLAIN, {"failed": frozenset({1})}, {}, False),
        (PLAIN, {"population_id": 2}, {}, False),
    ],
)  # fmt: skip
def test_who_fits(
    rule: AssignmentRule, others: Mapping[str, Any], item: Mapping[str, Any], fits: bool
) -> None:
    assert bool(plan(rule, [open_item(7, **item)], [candidate(1, **others)])) == fits


def test_languages_are_named_by_code_or_name() -> None:
    assert language_codes("Korean; en, português") == {"ko", "en", "pt"}
    assert language_codes("한국어") == {"ko"}
    assert language_codes("none that is known") == frozenset()


def describe(study: StudyFixture, person: Participant, **details: str) -> None:
    with study.workspace.write() as connection:
        personal.write_attributes(connection, person.id, details)


def names(study: StudyFixture, numbers: Sequence[int]) -> dict[int, list[str]]:
    found = assignees_of(study.workspace, study.record.id, numbers)
    return {number: [each.name for each in named] for number, named in found.items()}


def test_a_rule_over_a_study(studio_workspace: Workspace) -> None:
    populations = [{"name": "korea", "culture": "KR"}, {"name": "uk", "culture": "GB"}]
    study = open_study(studio_workspace, [VOTE], populations=populations)
    kim, jones, both, paused = study.person(), study.person("uk"), study.person(), study.person()
    describe(study, both, languages="English; Korean", expertise="food")
    describe(study, jones, expertise="law, food")
    describe(study, paused, languages="English")
    with study.workspace.write() as connection:
        suspension.pause_within(connection, paused, "why")
    new = [
        NewItem("k", QUESTION, "korea"),
        NewItem("any", {**QUESTION, "language": "en"}),
        NewItem("none", QUESTION),
    ]
    added = add_items(study.workspace, study.record.id, "verify", new)
    korean, english, unknown = (each.id for each in added)
    with study.workspace.write() as connection:
        content = {**QUESTION, "language": "en", "topic": "food"}
        connection.execute(sa.update(schema.items).filter_by(id=english).values(content=content))
    numbers = [korean, english, unknown]
    rule = AssignmentRule(language=True, each=1)
    made = plan_assignments(study.workspace, study.record.id, rule, numbers, by=study.owner)
    event = audit.events(study.workspace, study.record.id)[0]
    assert (event.kind, event.account_id) == ("participants.matched", study.owner)
    assert event.details == {"attributes": ["language", "languages"]}
    assert names(study, numbers) == {}, "a plan does nothing"
    assert made.left_out == {NOBODY_FITS: (unknown,)}
    assert [each.name for each in made.assignees[korean]] == [kim.pseudonym]
    assert [each.name for each in made.assignees[english]] == [jones.pseudonym]
    done, receipt = apply_rule_to_items(
        study.workspace, study.record.id, rule, numbers, digest=made.digest, by=study.owner
    )
    assert (done, receipt.items) == (made, 2)
    event = audit.events(study.workspace, study.record.id)[0]
    assert (event.details["how"], event.account_id) == ("rule", study.owner)
    assert names(study, numbers) == {korean: [kim.pseudonym], english: [jones.pseudonym]}
    with pytest.raises(ConflictError, match="have changed"):
        apply_rule_to_items(study.workspace, study.record.id, rule, numbers, digest=made.digest)
    again = AssignmentRule(language=True, each=1, again=True)
    apply_rule_to_items(study.workspace, study.record.id, again, numbers)
    assert names(study, numbers) == {korean: [both.pseudonym], english: [both.pseudonym]}, (
        "others than before"
    )
    expert = AssignmentRule(has={"expertise": "Law"}, matches={"expertise": "topic"}, again=True)
    made = plan_assignments(study.workspace, study.record.id, expert, numbers)
    assert {number: [each.name for each in named] for number, named in made.assignees.items()} == {
        english: [jones.pseudonym]
    }
    among = AssignmentRule(among=["uk"], again=True)
    made = plan_assignments(study.workspace, study.record.id, among, numbers)
    assert {each.name for named in made.assignees.values() for each in named} == {jones.pseudonym}
    assert audit.events(study.workspace, study.record.id)[0].kind == "participants.matched", (
        "not by a plain rule"
    )


@ON_A_FILE
def test_caps_loads_and_what_people_have_had(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "cap": 3}])
    kim, lee = study.person(), study.person()
    items = study.add("verify", [QUESTION] * 6)
    first = at_time(1000.0, study.work, kim)
    study.submit(kim, first, {"choices": [0]})
    second = study.work(kim)
    leases.release(study.workspace, kim.id, second.assignment.id, skip=True)
    assign(study.workspace, study.record.id, {items[5]: [Assignee(kim.pseudonym, participant_id=kim.id)]})
    made = plan_assignments(study.workspace, study.record.id, PLAIN, items)
    given = {number: [each.name for each in named] for number, named in made.assignees.items()}
    assert made.left_out == {ASSIGNED: (items[5],), ALL_FULL: (items[3], items[4])}
    assert sorted(made.short) == items[:3]
    assert Counter(name for named in given.values() for name in named) == {kim.pseudonym: 1, lee.pseudonym: 3}
    assert kim.pseudonym not in given[items[0]] + given[items[1]], "answered, and given back"
    assert {(each.person.name, each.before, each.more) for each in made.loads} == {
        (kim.pseudonym, 1, 1), (lee.pseudonym, 0, 3),
    }  # fmt: skip
    lazy = AssignmentRule(active_days=2)
    made = plan_assignments(study.workspace, study.record.id, lazy, items)
    assert {each.name for named in made.assignees.values() for each in named} == {kim.pseudonym}


@ON_A_FILE
def test_again_is_to_others_also_where_somebody_has_answered(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE])
    kim, lee, park = (study.person() for _ in range(3))
    (item,) = study.add("verify", [QUESTION])
    study.answer(kim, {"choices": [0]})
    assign(study.workspace, study.record.id, {item: [Assignee(lee.pseudonym, participant_id=lee.id)]})
    made = plan_assignments(study.workspace, study.record.id, AssignmentRule(again=True), [item])
    assert [each.name for each in made.assignees[item]] == [park.pseudonym]


@ON_A_FILE
@pytest.mark.parametrize(
    ("before", "gone", "idle", "each", "after"),
    [
        ("ab", "", False, None, "abc"),  # too few, and both work
        ("ab", "", False, 2, "abc"),
        ("a", "", False, None, "abc"),
        ("a", "", False, 1, "ab"),
        ("ab", "a", False, None, "bcd"),
        ("ab", "ab", False, None, "cde"),
        ("abc", "", True, None, "de"),  # nobody works
        ("P", "", False, None, "P"),  # not stalled
    ],
)
def test_a_stalled_item_keeps_those_who_work(
    studio_workspace: Workspace, before: str, gone: str, idle: bool, each: int | None, after: str
) -> None:
    """before, after: to whom an item for three people is assigned (P: the population). gone: who left."""
    study = open_study(studio_workspace, [{**VOTE, "answers": 3, "majority": 2}])
    people = {name: study.person() for name in "abcde"}
    names = {person.pseudonym: name for name, person in people.items()}
    (item,) = study.add("verify", [QUESTION])
    population = studies.populations(study.workspace, study.record.id)[0]
    assignees = {
        name: Assignee(person.pseudonym, participant_id=person.id) for name, person in people.items()
    }
    assignees["P"] = Assignee(population.name, population_id=population.id)
    names[population.name] = "P"
    then = time.time() - (10 * 86_400 if idle else 0)
    at_time(then, assign, study.workspace, study.record.id, {item: tuple(assignees[name] for name in before)})
    for name in gone:
        participants.withdraw(study.workspace, study.record.id, people[name].id)
    rule = AssignmentRule(again=True, each=each)
    planned, made = (
        assign_stage(
            study.workspace, study.record.id, "verify", rule, population=None, stalled=True, preview=preview,
            take_back=False,
        )
        for preview in (True, False)
    )  # fmt: skip
    assert planned.items == made.items
    now = assignees_of(study.workspace, study.record.id, [item])[item]
    assert "".join(sorted(names[each.name] for each in now)) == after


@ON_A_FILE
def test_rules_that_cannot_be_applied(studio_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    study = open_study(studio_workspace, [VOTE])
    items = study.add("verify", [QUESTION] * 3)
    for rule, field in (
        (AssignmentRule(each=0), "each"), (AssignmentRule(most=0), "most"),
        (AssignmentRule(active_days=0), "active_days"), (AssignmentRule(among=["nobody"]), "among"),
        (AssignmentRule(has={"a": " "}), "has"), (AssignmentRule(matches={f"a{n}": "b" for n in range(21)}), "matches"),
    ):  # fmt: skip
        with pytest.raises(SubmissionError) as error:
            plan_assignments(study.workspace, study.record.id, rule, items)
        assert list(error.value.problems) == [field]
    other = open_study(study.workspace, [VOTE], name="another")
    with pytest.raises(NotFoundError):
        plan_assignments(other.workspace, other.record.id, PLAIN, items)
    monkeypatch.setattr(assignment_rules, "MOST_ITEMS", 2)
    with pytest.raises(ConflictError, match="more than 2"):
        plan_assignments(study.workspace, study.record.id, PLAIN, items)


@ON_A_FILE
def test_a_rule_over_a_stage_takes_its_open_items_and_refuses_more_than_it_may(
    studio_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    populations = [{"name": "korea", "culture": "KR"}, {"name": "japan", "culture": "JP"}]
    study = open_study(studio_workspace, [VOTE, {**VOTE, "name": "other"}], populations=populations)
    kim, lee = study.person(), study.person()
    one, two, three = study.add("verify", [QUESTION] * 3)
    study.add("other", [QUESTION])
    new = [NewItem("abroad", QUESTION, "japan"), NewItem("closed", QUESTION, "korea")]
    _, closed = (each.id for each in add_items(study.workspace, study.record.id, "verify", new))
    adjudications.adjudicate(study.workspace, study.record.id, closed, study.owner, {}, "none", drop=True)
    assign(study.workspace, study.record.id, {one: [Assignee(kim.pseudonym, participant_id=kim.id)]})

    def plan_of(rule: AssignmentRule, *, preview: bool = True, stalled: bool = False) -> StagePlan:
        return assign_stage(
            study.workspace, study.record.id, "verify", rule, population="korea", stalled=stalled,
            preview=preview, take_back=False, by=study.owner,
        )  # fmt: skip

    for module in (assignment_rules, stage_assignments):
        monkeypatch.setattr(module, "MOST_ITEMS", 2)
    shown = plan_of(AssignmentRule(each=2))
    assert not shown.assigned
    both = {kim.pseudonym, lee.pseudonym}
    assert {item: {*who} for item, who in shown.assignees.items()} == {two: both, three: both}
    assert names(study, [two, three]) == {}
    with pytest.raises(ConflictError, match="more than 2 items"):
        plan_of(AssignmentRule(each=1, again=True))
    stalled = plan_of(AssignmentRule(each=1, again=True), stalled=True)
    assert stalled.assignees == {one: [kim.pseudonym, lee.pseudonym]}
    done = plan_of(AssignmentRule(each=2), preview=False)
    assert done.assigned and (done.assignees, done.digest) == (shown.assignees, shown.digest)
    assert (done.items, done.taken_back) == (2, 0)
    assert {item: {*who} for item, who in names(study, [one, two, three]).items()} == {
        one: {kim.pseudonym}, two: both, three: both,
    }  # fmt: skip
    assert plan_of(AssignmentRule(each=2)).assignees == {}


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        ({"has": {"rigion": "North"}}, "Nobody of this study was asked for rigion."),
        ({"matches": {"rigion": "topic"}}, "Nobody of this study was asked for rigion."),
        ({"matches": {"region": "topics"}}, "None of these items has topics."),
        ({"has": {"region": "North"}, "matches": {"expertise": "topic", "languages": "question"}}, None),
    ],
)
@pytest.mark.parametrize("with_items", [True, False])
def test_a_misspelt_name_is_said_and_one_that_nobody_has_answered_yet_is_none(
    studio_workspace: Workspace, with_items: bool, rule: dict[str, Any], named: str | None
) -> None:
    criteria = [{"name": "region", "ask": "Which?", "options": ["North", "South"]}]
    population = {"name": "korea", "culture": "KR", "criteria": criteria}
    study = open_study(studio_workspace, [VOTE], populations=[population])
    person = study.person()
    with study.workspace.write() as connection:
        personal.write_attributes(connection, person.id, {"expertise": "law"})
    numbers = study.add("verify", [{**QUESTION, "topic": "law"}]) if with_items else []
    if named is None or (not with_items and named.startswith("None of these")):
        assert (
            plan_assignments(study.workspace, study.record.id, AssignmentRule(**rule), numbers).assignees
            == {}
        )
        return
    with pytest.raises(SubmissionError) as refused:
        plan_assignments(study.workspace, study.record.id, AssignmentRule(**rule), numbers)
    assert [str(each) for each in refused.value.problems.values()] == [named]
