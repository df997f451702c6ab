"""For whom an item is blind: who works on its stage and may still be asked about it, and nobody else."""

from __future__ import annotations

import pytest

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


def blind(study: StudyFixture, account_id: int, *numbers: int) -> set[int]:
    return set(blinding.blind_among(study.workspace, study.record.id, account_id, numbers))


def test_it_is_blind_for_those_who_work_on_its_stage(study: StudyFixture) -> None:
    first, second = study.add("pair", [QUESTION, QUESTION], None)
    reviewer, expert, bystander = (
        study.person(role=Role.REVIEWER),
        study.person(role=Role.EXPERT),
        study.person(),
    )
    neighbour = open_study(study.workspace, STAGES, name="neighbour")
    elsewhere = neighbour.person(role=Role.REVIEWER)
    assert blind(study, reviewer.account_id, first, second) == {first, second}
    for account in (expert.account_id, bystander.account_id, elsewhere.account_id, study.owner):
        assert blind(study, account, first, second) == set()
    accounts.take_role(study.workspace, study.record.id, reviewer.account_id, Role.REVIEWER)
    assert blind(study, reviewer.account_id, first, second) == set()
    accounts.give_role(study.workspace, neighbour.record.id, reviewer.account_id, Role.REVIEWER)
    assert blind(study, reviewer.account_id, first, second) == set(), "who reviews another study"


def test_it_is_blind_until_it_is_settled_or_given_back(study: StudyFixture) -> None:
    given_back, dropped = study.add("pair", [QUESTION, QUESTION], None)
    one, other = study.person(role=Role.REVIEWER), study.person(role=Role.REVIEWER)
    work = study.work(one, "pair")
    leases.release(study.workspace, one.id, work.assignment.id, skip=True)
    assert work.item.id == given_back and blind(study, one.account_id, given_back, dropped) == {dropped}
    held = study.work(one, "pair")
    assert held.item.id == dropped
    adjudications.drop(study.workspace, study.record.id, dropped, study.owner, "unclear")
    assert blind(study, one.account_id, dropped) == {dropped}, "it is at hand, and the answer is taken"
    assert blind(study, other.account_id, dropped) == set()
    with pytest.raises(NotAllowedError, match="still be asked"):
        blinding.require_sight(study.workspace, study.record.id, one.account_id, dropped)
    blinding.require_sight(study.workspace, study.record.id, other.account_id, dropped)
    study.submit(one, held, {"choices": [0]})
    assert blind(study, one.account_id, dropped) == set()


def test_who_answers_alone_is_blind_for_an_answer_that_does_not_count_any_more(study: StudyFixture) -> None:
    (number,) = study.add("alone", [QUESTION], None)
    gone, next_one = study.person(role=Role.REVIEWER), study.person(role=Role.REVIEWER)
    assert blind(study, next_one.account_id, number) == set(), "nobody has said anything yet"
    study.answer(gone, {"choices": [0]}, "alone")
    assert blind(study, next_one.account_id, number) == set(), "it is settled"
    suspension.exclude(study.workspace, study.record.id, gone.id, "a test", by=study.owner)
    assert blind(study, next_one.account_id, number) == {number}, "somebody else is asked now"
    assert blind(study, gone.account_id, number) == set()


def test_it_is_blind_for_its_own_population_alone(study: StudyFixture) -> None:
    (korean,) = study.add("crowd", [QUESTION], "korea")
    peruvian = add_items(study.workspace, study.record.id, "crowd", [NewItem("soup", QUESTION, "peru")])[0].id
    person = study.person("korea")
    accounts.give_role(study.workspace, study.record.id, person.account_id, Role.REVIEWER)
    assert blind(study, person.account_id, korean, peruvian) == {korean}


def test_the_order_by_answers_says_nothing_of_a_blind_item(study: StudyFixture) -> None:
    first, second = study.add("pair", [QUESTION, QUESTION], None)
    answering, reading = study.person(role=Role.REVIEWER), study.person(role=Role.REVIEWER)
    work = study.work(answering, "pair")
    study.submit(answering, work, {"choices": [0]})
    about = (study.workspace, study.record.id, ItemQuery(stage_id=work.stage.id))
    for reader, numbers in ((study.owner, [second, first]), (reading.account_id, [first, second])):
        page = item_search.find_items(*about, order="answers", reader=reader)
        assert [each.id for each in page.items] == numbers


def test_how_far_people_are_apart_says_nothing_of_a_blind_item(study: StudyFixture) -> None:
    _, disputed, _ = study.add("pair", [QUESTION, QUESTION, QUESTION], None)
    people = [study.person(role=Role.REVIEWER) for _ in range(3)]
    for number, person in enumerate(people[:2]):
        for _ in range(3):
            work = study.work(person, "pair")
            study.submit(person, work, {"choices": [number if work.item.id == disputed else 0]})
    about = (study.workspace, study.record.id, ItemQuery(stage_id=work.stage.id))
    assert item_search.find_items(*about, order="disputed").items[0].id == disputed
    assert item_search.find_items(*about, order="disputed", reader=study.owner).items[0].id == disputed
    seen = item_search.find_items(*about, order="disputed", reader=people[2].account_id)
    assert [each.id for each in seen.items] == sorted(
        each.id for each in seen.items
    ) and seen.disagreement == {}
    only = ItemQuery(stage_id=work.stage.id, disputed=True)
    assert (
        item_search.find_items(study.workspace, study.record.id, only, reader=people[2].account_id).total == 0
    )
    assert (
        item_search.find_ids(study.workspace, study.record.id, only, most=9, reader=people[2].account_id)
        == []
    )
    assert item_search.find_ids(study.workspace, study.record.id, only, most=9) == [disputed]
