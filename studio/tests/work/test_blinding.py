"""For whom an item is blind: who works on its stage and may still be asked about it, and nobody else."""

from __future__ import annotations

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.errors import NotAllowedError
from folkways_studio.items import search as item_search
from folkways_studio.items.search import ItemQuery
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import accounts, suspension
from folkways_studio.records import Role
from folkways_studio.work import adjudications, blinding, leases
from studio.tests.support.studies import QUESTION, StudyFixture, open_study

STAGES = [
    {"name": "pair", "kind": "vote", "role": "reviewer", "answers": 3, "majority": 2},
    {"name": "alone", "kind": "vote", "role": "reviewer", "answers": 1, "majority": 1},
    {"name": "crowd", "kind": "vote", "answers": 2, "majority": 2},
]
POPULATIONS = [{"name": "korea", "culture": "KR"}, {"name": "peru", "culture": "PE"}]


@pytest.fixture
def desk(studio_workspace: Workspace) -> StudyFixture:
    return open_study(studio_workspace, STAGES, populations=POPULATIONS)


def blind(desk: StudyFixture, account_id: int, *numbers: int) -> set[int]:
    return set(blinding.blind_among(desk.workspace, desk.study.id, account_id, numbers))


def test_it_is_blind_for_those_who_work_on_its_stage(desk: StudyFixture) -> None:
    first, second = desk.add("pair", [QUESTION, QUESTION], None)
    reviewer, expert, bystander = (
        desk.person(role=Role.REVIEWER),
        desk.person(role=Role.EXPERT),
        desk.person(),
    )
    neighbour = open_study(desk.workspace, STAGES, name="neighbour")
    elsewhere = neighbour.person(role=Role.REVIEWER)
    assert blind(desk, reviewer.account_id, first, second) == {first, second}
    for account in (expert.account_id, bystander.account_id, elsewhere.account_id, desk.owner):
        assert blind(desk, account, first, second) == set()
    accounts.take_role(desk.workspace, desk.study.id, reviewer.account_id, Role.REVIEWER)
    assert blind(desk, reviewer.account_id, first, second) == set()


def test_it_is_blind_until_it_is_settled_or_given_back(desk: StudyFixture) -> None:
    given_back, dropped = desk.add("pair", [QUESTION, QUESTION], None)
    one, other = desk.person(role=Role.REVIEWER), desk.person(role=Role.REVIEWER)
    work = desk.work(one, "pair")
    leases.release(desk.workspace, one.id, work.assignment.id, skip=True)
    assert work.item.id == given_back and blind(desk, one.account_id, given_back, dropped) == {dropped}
    held = desk.work(one, "pair")
    assert held.item.id == dropped
    adjudications.drop(desk.workspace, desk.study.id, dropped, desk.owner, "unclear")
    assert blind(desk, one.account_id, dropped) == {dropped}, "it is at hand, and the answer is taken"
    assert blind(desk, other.account_id, dropped) == set()
    with pytest.raises(NotAllowedError, match="still be asked"):
        blinding.require_sight(desk.workspace, desk.study.id, one.account_id, dropped)
    blinding.require_sight(desk.workspace, desk.study.id, other.account_id, dropped)
    desk.submit(one, held, {"choices": [0]})
    assert blind(desk, one.account_id, dropped) == set()


def test_who_answers_alone_is_blind_for_an_answer_that_does_not_count_any_more(desk: StudyFixture) -> None:
    (number,) = desk.add("alone", [QUESTION], None)
    gone, next_one = desk.person(role=Role.REVIEWER), desk.person(role=Role.REVIEWER)
    assert blind(desk, next_one.account_id, number) == set(), "nobody has said anything yet"
    desk.answer(gone, {"choices": [0]}, "alone")
    assert blind(desk, next_one.account_id, number) == set(), "it is settled"
    suspension.exclude(desk.workspace, desk.study.id, gone.id, "a test", by=desk.owner)
    assert blind(desk, next_one.account_id, number) == {number}, "somebody else is asked now"
    assert blind(desk, gone.account_id, number) == set()


def test_it_is_blind_for_its_own_population_alone(desk: StudyFixture) -> None:
    (korean,) = desk.add("crowd", [QUESTION], "korea")
    peruvian = add_items(desk.workspace, desk.study.id, "crowd", [NewItem("soup", QUESTION, "peru")])[0].id
    person = desk.person("korea")
    accounts.give_role(desk.workspace, desk.study.id, person.account_id, Role.REVIEWER)
    assert blind(desk, person.account_id, korean, peruvian) == {korean}


def test_the_order_by_answers_says_nothing_of_a_blind_item(desk: StudyFixture) -> None:
    first, second = desk.add("pair", [QUESTION, QUESTION], None)
    answering, reading = desk.person(role=Role.REVIEWER), desk.person(role=Role.REVIEWER)
    work = desk.work(answering, "pair")
    desk.submit(answering, work, {"choices": [0]})
    about = (desk.workspace, desk.study.id, ItemQuery(stage_id=work.stage.id))
    for reader, numbers in ((desk.owner, [second, first]), (reading.account_id, [first, second])):
        page = item_search.find_items(*about, order="answers", reader=reader)
        assert [each.id for each in page.items] == numbers


def test_how_far_people_are_apart_says_nothing_of_a_blind_item(desk: StudyFixture) -> None:
    _, disputed, _ = desk.add("pair", [QUESTION, QUESTION, QUESTION], None)
    people = [desk.person(role=Role.REVIEWER) for _ in range(3)]
    for number, person in enumerate(people[:2]):
        for _ in range(3):
            work = desk.work(person, "pair")
            desk.submit(person, work, {"choices": [number if work.item.id == disputed else 0]})
    about = (desk.workspace, desk.study.id, ItemQuery(stage_id=work.stage.id))
    assert item_search.find_items(*about, order="disputed").items[0].id == disputed
    assert item_search.find_items(*about, order="disputed", reader=desk.owner).items[0].id == disputed
    seen = item_search.find_items(*about, order="disputed", reader=people[2].account_id)
    assert [each.id for each in seen.items] == sorted(
        each.id for each in seen.items
    ) and seen.disagreement == {}
    only = ItemQuery(stage_id=work.stage.id, disputed=True)
    assert item_search.find_items(desk.workspace, desk.study.id, only, reader=people[2].account_id).total == 0
    assert (
        item_search.find_ids(desk.workspace, desk.study.id, only, most=9, reader=people[2].account_id) == []
    )
    assert item_search.find_ids(desk.workspace, desk.study.id, only, most=9) == [disputed]
