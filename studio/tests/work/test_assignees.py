"""Items that are assigned to people and populations: nobody else is given them, whatever happens at the same
time, and nobody who may not answer."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.workspace.database import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import participants, suspension
from folkways_studio.records import AssignmentState, Participant, Role
from folkways_studio.studies import service as studies
from folkways_studio.studies.deletion import delete_study, finish_deletions
from folkways_studio.studies.descriptions import edit_study
from folkways_studio.studies.remaining_work import remaining_items, remaining_work
from folkways_studio.work import adjudications, assignees, assignments, blinding, leases
from folkways_studio.work.assignees import Assignee, AssignmentReceipt, assign, assignees_of
from folkways_studio.work.assignments import ClaimedSlot, NoWork, Work
from folkways_studio.workflows.definition import DefinitionError
from folkways_studio.workflows.yaml_text import as_json
from studio.tests.support.studies import (
    ON_A_FILE,
    ON_BOTH,
    QUESTION,
    StudyFixture,
    content_of,
    described,
    emptied,
    filled,
    next_work,
    open_study,
    stored,
)
from tests.support.frozen_time import at_time

VOTE = {"name": "verify", "kind": "vote"}
UK = [
    {"name": "uk", "culture": "GB"},
    {"name": "wales", "culture": "GB", "part_of": "uk"},
    {"name": "korea", "culture": "KR"},
]
SAID = {"choices": [0]}


def person(who: Participant) -> Assignee:
    return Assignee(who.pseudonym, participant_id=who.id)


def population(study: StudyFixture, name: str) -> Assignee:
    return Assignee(name, population_id=studies.get_population(study.workspace, study.record.id, name).id)


def give(study: StudyFixture, wanted: Mapping[int, Sequence[Assignee]], **how: bool) -> AssignmentReceipt:
    return assign(study.workspace, study.record.id, wanted, by=study.owner, **how)


def all_given(study: StudyFixture, who: Participant) -> list[int]:
    """The items that somebody is given until there are none left."""
    numbers = []
    while isinstance(work := next_work(study.workspace, who.id), Work):
        numbers.append(work.item.id)
        study.submit(who, work, SAID)
    return numbers


def left(study: StudyFixture, who: Participant) -> int | None:
    return remaining_work(study.workspace, who)[0].left


def reasons(receipt: AssignmentReceipt) -> set[tuple[int, str | None, str]]:
    return {
        (each.item_id, each.assignee.name if each.assignee else None, str(each.reason))
        for each in receipt.refusals
    }


@ON_BOTH
def test_what_is_assigned_goes_only_to_its_people_and_comes_first(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    one, two, three, four = study.add("verify", [QUESTION] * 4)
    assert give(study, {three: [person(kim)], four: [person(kim), person(lee)]}) == AssignmentReceipt(2, 0)
    assert (left(study, kim), left(study, lee)) == (4, 3)
    assert [each.id for each in remaining_items(study.workspace, kim, "verify")] == [three, four, one, two]
    assert [each.id for each in remaining_items(study.workspace, kim, "verify", start=1, limit=2)] == [
        four,
        one,
    ]
    assert remaining_work(study.workspace, kim)[0].assigned == 2
    assert remaining_work(study.workspace, lee)[0].assigned == 1
    assert all_given(study, kim) == [three, four, one, two]
    assert all_given(study, lee) == [four, one, two]
    assert (left(study, kim), left(study, lee)) == (0, 0)


def test_what_is_left_of_a_stage_whose_people_write_their_own_is_what_its_cap_leaves(
    studio_workspace: Workspace,
) -> None:
    stages = [
        {"name": "write", "kind": "write_question", "cap": 2},
        {"name": "open", "kind": "collect_question"},
        VOTE,
    ]
    study = open_study(studio_workspace, stages)
    kim = study.person()
    study.add("verify", [QUESTION])

    def remaining() -> list[tuple[str, int, int | None, int, int]]:
        rows = remaining_work(study.workspace, kim)
        return [(each.stage.name, each.answered, each.left, each.items, each.assigned) for each in rows]

    assert remaining() == [("write", 0, 2, 0, 0), ("open", 0, None, 0, 0), ("verify", 0, 1, 1, 0)]
    study.answer(kim, SAID, "verify")
    assert remaining()[2] == ("verify", 1, 0, 0, 0)
    assert remaining_items(study.workspace, kim, "verify") == []
    with pytest.raises(NotFoundError, match="works on no such stage"):
        remaining_items(study.workspace, kim, "none")


def test_slots_of_assignees_are_the_slots_of_the_item(study: StudyFixture) -> None:
    """Seven people of an item that wants five answers: the first five are asked."""
    people = [study.person() for _ in range(7)]
    (item,) = study.add("verify", [QUESTION])
    give(study, {item: [person(each) for each in people]})
    for each in people[:5]:
        assert study.answer(each, SAID).item.id == item
    assert study.nothing(people[5]) == "none_left"
    participants.withdraw(study.workspace, study.record.id, people[0].id)
    stranger = study.person()
    assert study.nothing(stranger) == "none_left", (
        "the slot in place of an answer is of the assignees as well"
    )
    assert study.work(people[6]).item.id == item


def test_a_population_is_everybody_of_it_and_of_its_parts(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE], populations=UK)
    added = add_items(
        study.workspace, study.record.id, "verify", [NewItem(f"q{n}", QUESTION) for n in range(3)]
    )
    one, two, three = (each.id for each in added)
    give(study, {one: [population(study, "wales")], two: [population(study, "uk")]})
    cardiff, london, seoul = study.person("wales"), study.person("uk"), study.person("korea")
    staff = participants.add_staff(study.workspace, study.record.id, study.owner, Role.ANNOTATOR)
    assert [left(study, each) for each in (cardiff, london, seoul, staff)] == [3, 2, 1, 1]
    assert remaining_work(study.workspace, cardiff)[0].assigned == 2
    assert all_given(study, cardiff) == [one, two, three]
    assert all_given(study, london) == [two, three]
    assert all_given(study, seoul) == [three]
    assert all_given(study, staff) == [three], "staff are of no population"
    give(study, {one: [population(study, "wales"), person(seoul)]})
    assert all_given(study, seoul) == [one]


def test_what_is_for_anybody_again_goes_to_anybody(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    (item,) = study.add("verify", [QUESTION])
    give(study, {item: [person(kim)]})
    assert study.nothing(lee) == "none_left"
    give(study, {item: []})
    assert assignees_of(study.workspace, study.record.id, [item]) == {}
    assert study.work(lee).item.id == item


def test_adding_keeps_those_of_before_and_replacing_does_not(study: StudyFixture) -> None:
    kim, lee, park = (study.person() for _ in range(3))
    (item,) = study.add("verify", [QUESTION])
    give(study, {item: [person(kim)]})
    give(study, {item: [person(lee), person(kim)]}, add=True)
    assert assignees_of(study.workspace, study.record.id, [item]) == {item: (person(kim), person(lee))}
    participants.withdraw(study.workspace, study.record.id, kim.id)
    give(study, {item: [person(park)]}, add=True)
    assert assignees_of(study.workspace, study.record.id, [item])[item] == (
        person(kim),
        person(lee),
        person(park),
    )
    give(study, {item: [person(park)]})
    assert assignees_of(study.workspace, study.record.id, [item]) == {item: (person(park),)}
    assert study.nothing(lee) == "none_left"
    give(study, {item: []}, add=True)
    assert assignees_of(study.workspace, study.record.id, [item]) == {}


def test_who_is_at_it_goes_on_unless_it_is_taken_back(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    (item,) = study.add("verify", [QUESTION])
    work = at_time(1000.0, study.work, kim)
    assert at_time(1100.0, give, study, {item: [person(lee)]}).taken_back == 0
    assert at_time(1200.0, study.work, kim).assignment.id == work.assignment.id
    assert at_time(1200.0, leases.heartbeat, study.workspace, kim.id, work.assignment.id) == 3000.0
    assert at_time(1300.0, give, study, {item: [person(lee)]}, take_back=True).taken_back == 1
    assert at_time(1400.0, study.nothing, kim) == "none_left"
    with pytest.raises(NotFoundError, match="not yours"):
        study.submit(kim, work, SAID)
    assert at_time(1500.0, study.work, lee).item.id == item
    assert at_time(1600.0, give, study, {item: [person(lee)]}, take_back=True).taken_back == 0, "it is theirs"
    assert at_time(1600.0, study.work, lee).item.id == item


def test_time_that_ran_out_is_not_given_again_to_who_is_no_assignee(study: StudyFixture) -> None:
    kim, lee, park = (study.person() for _ in range(3))
    one, two = study.add("verify", [QUESTION] * 2)
    first = at_time(1000.0, study.work, kim)
    at_time(1100.0, give, study, {one: [person(lee)], two: [person(lee)]})
    assert at_time(2700.0, study.work, kim).assignment.id == first.assignment.id
    assert at_time(5000.0, study.nothing, kim) == "none_left"
    batch = at_time(5000.0, assignments.claim_batch, study.workspace, kim.id, "verify", 2, seconds=60.0)
    assert batch == NoWork("none_left")
    with study.workspace.read() as connection:
        states = sorted(connection.scalars(sa.select(schema.assignments.c.state).filter_by(item_id=one)))
    assert states == ["leased", "open", "open", "open", "open"]
    given = at_time(5000.0, give, study, {one: [person(park)]})
    assert given.taken_back == 0, "the time was over: nothing was taken from anybody"
    assert {row["state"] for row in stored(study.workspace, schema.assignments, item_id=one)} == {"open"}
    back = at_time(1000.0, study.work, park)
    assert at_time(9000.0, study.work, park).assignment.id == back.assignment.id, "an assignee goes on"


@ON_BOTH
def test_a_slot_of_an_assignee_whose_time_ran_out_goes_to_another_assignee(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, [VOTE], populations=UK)
    kim, lee = study.person("korea"), study.person("korea")
    (item,) = (
        each.id for each in add_items(study.workspace, study.record.id, "verify", [NewItem("q", QUESTION)])
    )
    with study.workspace.write() as connection:
        table = schema.assignments
        connection.execute(sa.update(table).where(table.c.slot > 1).values(state=str(AssignmentState.CLOSED)))
    for named in ([person(kim), person(lee)], [population(study, "korea")]):
        give(study, {item: named}, take_back=True)
        work = at_time(1000.0, study.work, kim)
        assert at_time(2000.0, study.nothing, lee) == "none_left"
        assert at_time(4000.0, study.work, lee).assignment.id == work.assignment.id
        with study.workspace.claim() as connection:
            leases.free_leases(connection, lee.id)


def test_nobody_is_assigned_what_they_may_not_answer(studio_workspace: Workspace) -> None:
    stages = [VOTE, {"name": "review", "kind": "review"}]
    study = open_study(studio_workspace, stages, populations=UK)
    new = [NewItem("plain", QUESTION, "korea"), NewItem("check", QUESTION, check={"choices": [2]})]
    new += [NewItem("done", QUESTION), NewItem("wales", QUESTION, "wales"), NewItem("own", QUESTION)]
    plain, check, dropped, wales, own = (
        each.id for each in add_items(study.workspace, study.record.id, "verify", new)
    )
    adjudications.drop(study.workspace, study.record.id, dropped, study.owner, "a double")
    kim, gone, out, off, cardiff, skipper, paused = (
        study.person("wales" if number == 4 else "korea") for number in range(7)
    )
    reviewer = study.person(role=Role.REVIEWER)
    other = open_study(study.workspace, [VOTE], name="another")
    stranger = other.person()
    with study.workspace.write() as connection:
        connection.execute(sa.update(schema.items).filter_by(id=own).values(author_id=kim.id))
        connection.execute(
            sa.update(schema.accounts).where(schema.accounts.c.id == off.account_id).values(disabled=True)
        )
    leases.release(
        study.workspace, skipper.id, study.work(skipper).assignment.id, skip=True, reason="no idea"
    )
    participants.withdraw(study.workspace, study.record.id, gone.id)
    suspension.exclude(study.workspace, study.record.id, out.id, "a machine", by=study.owner)
    with study.workspace.write() as connection:
        suspension.pause_within(connection, paused, "two of nine")
    people = [kim, gone, out, off, cardiff, skipper, paused, reviewer, stranger]
    wanted = {
        plain: [person(each) for each in people] + [population(study, "wales"), population(other, "korea")],
        check: [person(kim)],
        dropped: [person(kim)],
        wales: [population(study, "uk"), population(study, "korea"), person(kim), person(cardiff)],
        own: [person(kim)],
    }
    expected = {
        (plain, gone.pseudonym, "has left the study"),
        (plain, out.pseudonym, "is excluded"),
        (plain, off.pseudonym, "has an account that is switched off"),
        (plain, cardiff.pseudonym, "is not of the population korea"),
        (plain, skipper.pseudonym, "gave this item back, or has seen what others said"),
        (plain, paused.pseudonym, "is paused"),
        (plain, reviewer.pseudonym, "does not work on the stage verify"),
        (plain, stranger.pseudonym, "is not in this study"),
        (plain, "wales", "is not part of the population korea"),
        (plain, "korea", "is not in this study"),
        (check, None, "its answer is known: everybody is asked it"),
        (dropped, None, "it was dropped"),
        (wales, "korea", "is not part of the population wales"),
        (wales, kim.pseudonym, "is not of the population wales"),
        (own, kim.pseudonym, "wrote it"),
    }
    strict = give(study, wanted, strict=True)
    assert strict.items == 0
    assert reasons(strict) == expected
    assert stored(study.workspace, schema.assignees) == []
    receipt = give(study, wanted)
    assert (receipt.items, reasons(receipt)) == (2, expected)
    assert assignees_of(study.workspace, study.record.id, list(wanted)) == {
        plain: (person(kim),),
        wales: (population(study, "uk"), person(cardiff)),
    }
    with pytest.raises(NotFoundError):
        give(other, {plain: [person(stranger)]})
    with pytest.raises(NotFoundError):
        give(other, {plain: []})


def test_who_has_looked_at_what_others_said_is_not_assigned_it(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "role": "reviewer"}])
    reader = study.person(role=Role.REVIEWER)
    (item,) = study.add("verify", [QUESTION])
    blinding.look(study.workspace, study.record.id, reader.account_id, item)
    assert reasons(give(study, {item: [person(reader)]})) == {
        (item, reader.pseudonym, "gave this item back, or has seen what others said")
    }


def test_an_item_stays_blind_for_who_may_come_to_be_assigned_it(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "role": "reviewer"}])
    one, two = study.person(role=Role.REVIEWER), study.person(role=Role.REVIEWER)
    (item,) = study.add("verify", [QUESTION])
    give(study, {item: [person(one)]})
    for each in (one, two):
        assert blinding.blind_among(study.workspace, study.record.id, each.account_id, [item]) == {item}


@ON_A_FILE
def test_as_many_at_once_as_are_said(studio_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    study = open_study(studio_workspace, [VOTE])
    kim = study.person()
    items = study.add("verify", [QUESTION] * 4)
    monkeypatch.setattr(assignees, "MOST_ITEMS", 3)
    with pytest.raises(ConflictError, match="more than 3 items"):
        give(study, {each: [person(kim)] for each in items})
    assert give(study, {each: [person(kim)] for each in items[:3]}).items == 3


def test_the_audit_trail_says_what_was_assigned(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    items = study.add("verify", [QUESTION] * 3)
    study.work(lee)
    give(study, {each: [person(kim)] for each in items}, take_back=True)
    event = audit.events(study.workspace, study.record.id)[0]
    assert (event.kind, event.account_id) == ("items.assigned", study.owner)
    assert event.details == {"items": 3, "assignees": 1, "how": "hand", "taken_back": 1}
    number = event.id
    participants.withdraw(study.workspace, study.record.id, lee.id)
    give(study, {items[0]: [person(lee)]})
    kinds = {each.kind for each in audit.events(study.workspace, study.record.id) if each.id > number}
    assert kinds == {"participant.withdrawn"}, "nothing was assigned"


@ON_BOTH
def test_a_study_is_deleted_with_its_assignees(study: StudyFixture) -> None:
    kim = study.person()
    items = study.add("verify", [QUESTION] * 3)
    give(study, {items[0]: [person(kim)], items[1]: [population(study, "korea")]})
    delete_study(study.workspace, study.record.id, study.record.name)
    finish_deletions(study.workspace)
    assert stored(study.workspace, schema.assignees) == []


def test_a_population_with_assigned_items_stays(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE], populations=UK)
    (item,) = add_items(study.workspace, study.record.id, "verify", [NewItem("q", QUESTION)])
    give(study, {item.id: [population(study, "korea")]})
    text = as_json(described([VOTE], populations=UK[:2]))
    with pytest.raises(DefinitionError, match="items are assigned to it"):
        edit_study(study.workspace, study.record.id, text, by=study.owner)
    give(study, {item.id: []})
    edit_study(study.workspace, study.record.id, text, by=study.owner)
    assert [each.name for each in studies.populations(study.workspace, study.record.id)] == ["uk", "wales"]


def test_more_answers_of_an_assigned_item_are_for_its_assignees(study: StudyFixture) -> None:
    """A description that asks for more answers adds slots to the items that are open."""
    from folkways_studio.items.service import more_slots

    kim, lee = study.person(), study.person()
    one, two = study.add("verify", [QUESTION] * 2)
    give(study, {one: [person(kim)]})
    with study.workspace.write() as connection:
        more_slots(connection, [one, two], 2)
    rows = stored(study.workspace, schema.assignments)
    assert {(row["item_id"], row["allocation_id"]) for row in rows} == {(one, 1), (two, None)}
    assert len(rows) == 14
    assert all_given(study, lee) == [two]


@ON_BOTH
def test_a_reassignment_wins_against_claims_of_the_same_moment(study: StudyFixture) -> None:
    """Six people ask for work without a break while one item goes from one of them to the next. Whoever is
    given it after it went to somebody else would keep it."""
    people = [study.person() for _ in range(6)]
    (item,) = study.add("verify", [QUESTION])
    luck, stop = random.Random(7), threading.Event()
    problems: list[object] = []
    rounds = [0] * len(people)

    def ask(number: int) -> None:
        own = random.Random(number)
        try:
            while not stop.is_set():
                claimed = assignments.claim_slot(study.workspace, people[number].id)
                rounds[number] += 1
                if isinstance(claimed, ClaimedSlot) and own.random() < 0.5:
                    with suppress(ConflictError, NotFoundError):  # it was taken back meanwhile
                        leases.release(study.workspace, people[number].id, claimed.assignment.id)
        except Exception as error:  # noqa: BLE001 - said by the test
            problems.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(people))]
    for each in threads:
        each.start()
    slots = schema.assignments
    holders = sa.select(slots.c.participant_id).where(slots.c.participant_id.is_not(None))
    holding, wrong = 0, []
    for _ in range(25):
        chosen = luck.choice(people)
        give(study, {item: [person(chosen)]}, take_back=True)
        before = list(rounds)
        gone = time.monotonic() + 20
        while any(now < then + 2 for now, then in zip(rounds, before, strict=True)):
            if problems or time.monotonic() > gone:
                break
            time.sleep(0.001)
        with study.workspace.read() as connection:
            now_held = list(connection.scalars(holders))
        holding += len(now_held)
        wrong += [each for each in now_held if each != chosen.id]
    stop.set()
    for each in threads:
        each.join()
    assert problems == []
    assert wrong == []
    assert holding, "those whose turn it was were given it"


MOVES = st.lists(
    st.tuples(
        st.sampled_from(
            ["person", "add", "population", "nobody", "ask", "ask", "ask", "skip", "leave", "release"]
        ),
        st.integers(0, 4),
        st.integers(0, 3),
    ),
    max_size=30,
)


HOME = ("wales", "wales", "uk", "korea", "korea")
FirstContent = tuple[bytes, StudyFixture, list[Participant], list[int]]


@pytest.fixture(scope="module")
def first_content(studio_file: Workspace) -> FirstContent:
    """The content of a workspace with a study, its people and its items, for each example to begin with."""
    study = open_study(emptied(studio_file), [VOTE], populations=UK)
    people = [study.person(name) for name in HOME]
    new = [
        NewItem("w", QUESTION, "wales"),
        NewItem("u", QUESTION, "uk"),
        NewItem("a", QUESTION),
        NewItem("b", QUESTION),
    ]
    items = [each.id for each in add_items(study.workspace, study.record.id, "verify", new)]
    return content_of(studio_file), study, people, items


@settings(max_examples=25)
@given(moves=MOVES)
def test_who_is_given_what_is_as_a_plain_model_says(
    first_content: FirstContent, moves: list[tuple[str, int, int]]
) -> None:
    """Whatever is assigned, answered, given back and left: a person is given an item exactly if it is open to
    them, has a slot left and is assigned to nobody, to them, or to a population of theirs."""
    content, study, people, items = first_content
    filled(study.workspace, content)
    of = {"wales": {"wales", "uk"}, "uk": {"uk"}, "korea": {"korea"}}
    groups = ["wales", "uk", "korea", "uk"]
    whose: list[str | None] = ["wales", "uk", None, None]
    free = dict.fromkeys(items, 5)
    assigned: dict[int, set[object]] = {}
    seen: list[set[int]] = [set() for _ in people]
    at_hand: list[Work | None] = [None] * len(people)
    answered: list[list[int]] = [[] for _ in people]
    gone: set[int] = set()
    order: dict[int, int] = {}

    def open_to(number: int) -> list[int]:
        rank = {}
        for item, population_of in zip(items, whose, strict=True):
            named = assigned.get(item)
            mine = named is not None and number in named
            group = named is not None and bool(named & of[HOME[number]])
            if (
                free[item] and item not in seen[number] and population_of in (None, *of[HOME[number]])
                and (named is None or mine or group)
            ):  # fmt: skip
                rank[item] = (order.get(item, len(moves)), item)
        return sorted(rank, key=lambda item: rank[item])

    for turn, (kind, who, which) in enumerate(moves):
        item, someone = items[which], people[who]
        if kind in ("person", "add", "population", "nobody"):
            named: object = groups[which] if kind == "population" else who
            target = population(study, groups[which]) if kind == "population" else person(someone)
            receipt = give(study, {item: [] if kind == "nobody" else [target]}, add=kind == "add")
            if receipt.items:
                if kind == "nobody":
                    assigned.pop(item, None)
                    order.pop(item, None)
                else:
                    order[item] = turn
                    assigned[item] = (assigned.get(item, set()) if kind == "add" else set()) | {named}
        elif kind == "leave":
            gone.add(who)
            participants.withdraw(study.workspace, study.record.id, someone.id)
            if (work := at_hand[who]) is not None:
                free[work.item.id] += 1
                at_hand[who] = None
            for number in answered[who]:  # they are asked for again
                free[number] += 1
            answered[who].clear()
        elif who in gone:
            assert study.nothing(someone) == "not_active"
        elif kind == "ask":
            if (work := at_hand[who]) is not None:
                assert study.work(someone).assignment.id == work.assignment.id
                study.submit(someone, work, SAID)
                answered[who].append(work.item.id)
                at_hand[who] = None
                continue
            expected = open_to(who)
            assert left(study, someone) == len(expected)
            shown = [each.id for each in remaining_items(study.workspace, someone, "verify")]
            assert sorted(shown) == sorted(expected)
            if not expected:
                assert study.nothing(someone) == "none_left"
                continue
            work = study.work(someone)
            assert work.item.id == expected[0]
            free[work.item.id] -= 1
            seen[who].add(work.item.id)
            at_hand[who] = work
        elif (work := at_hand[who]) is not None:
            leases.release(study.workspace, someone.id, work.assignment.id, skip=kind == "skip")
            free[work.item.id] += 1
            at_hand[who] = None
            if kind == "release":
                seen[who].discard(work.item.id)
