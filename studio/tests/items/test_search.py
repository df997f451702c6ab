"""Finding items, and dropping and opening them again."""

from __future__ import annotations

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.items import search as item_search
from folkways_studio.items.search import ItemQuery, find_ids, find_items
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import suspension
from folkways_studio.records import ItemState
from folkways_studio.studies import service as studies
from folkways_studio.work import adjudications
from studio.tests.support.studies import QUESTION, StudyFixture, open_study, stored
from tests.support.moments import at_time


@pytest.fixture
def desk(studio_workspace: Workspace) -> StudyFixture:
    """Three items with two answers each, of which the first and the last are disputed, and two without."""
    made = open_study(
        studio_workspace,
        [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}, {"name": "more", "kind": "vote"}],
    )
    texts = ['What do "guests" take off?', "무엇을 먹나요?", "100% or more_or less?", "À l'École?", "Rice?"]
    made.add("verify", [{**QUESTION, "question": text} for text in texts])
    add_items(studio_workspace, made.study.id, "more", [NewItem("Extra_1", QUESTION)])
    kim, lee = made.person(), made.person()
    for mine, theirs in ((0, 1), (1, 1), (0, 2)):
        made.answer(kim, {"choices": [mine]})
        made.answer(lee, {"choices": [theirs]})
    return made


def found(
    desk: StudyFixture, start: int = 0, limit: int = 25, order: str = "own", **wanted: object
) -> tuple[list[str], int]:
    page = find_items(
        desk.workspace,
        desk.study.id,
        ItemQuery(**wanted),
        order=order,
        start=start,
        limit=limit,  # type: ignore[arg-type]
    )
    return [item.key for item in page.items], page.total


def test_items_are_found_by_what_they_hold_and_counted_beyond_the_page(
    desk: StudyFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = studies.get_stage(desk.workspace, desk.study.id, "more").id
    place = studies.get_population(desk.workspace, desk.study.id, "korea").id
    assert found(desk, limit=2) == (["q0", "q1"], 6)
    assert found(desk, start=4, limit=4) == (["q4", "Extra_1"], 6)
    assert found(desk, stage_id=stage) == (["Extra_1"], 1)
    assert found(desk, population_id=place, state=ItemState.DONE) == (["q1"], 1)
    for words, keys in (
        ('"guests"', ["q0"]),
        ("무엇", ["q1"]),
        ("100%", ["q2"]),
        ("e_o", ["q2"]),
        ("RICE?", ["q4"]),
        ("à l'école", ["q3"]),
        ("À L'ÉCOLE", ["q3"]),
        ("extra_", ["Extra_1"]),
        ("%", ["q2"]),
    ):
        assert found(desk, words=words) == (keys, len(keys)), words
    assert found(desk, order="disputed") == (["q0", "q2", "q1", "q3", "q4", "Extra_1"], 6)
    assert found(desk, order="disputed", start=2, limit=2) == (["q1", "q3"], 6)
    assert found(desk, order="disputed", start=3, limit=2) == (["q3", "q4"], 6)
    assert found(desk, disputed=True) == (["q0", "q2"], 2) == found(desk, disputed=True, order="disputed")
    assert found(desk, disputed=True, order="-key") == (["q2", "q0"], 2)
    assert found(desk, order="-disputed") == (["q1", "q0", "q2", "q3", "q4", "Extra_1"], 6)
    assert found(desk, order="-key", limit=3, start=1) == (["q3", "q2", "q1"], 6)
    assert found(desk, order="-stage", limit=2) == (["Extra_1", "q0"], 6)
    assert found(desk, order="state", limit=2) == (["q1", "q0"], 6)
    assert found(desk, order="-answers", limit=4) == (["q0", "q1", "q2", "q3"], 6)
    assert found(desk, order="answers", limit=4) == (["q3", "q4", "Extra_1", "q0"], 6)
    assert find_ids(desk.workspace, desk.study.id, ItemQuery(disputed=True), most=1) == [
        stored(desk.workspace, schema.items)[0]["id"]
    ]
    assert len(find_ids(desk.workspace, desk.study.id, ItemQuery(), most=4)) == 4
    kim, lee = desk.people()
    assert found(desk, of_people={kim.id}) == (["q0", "q1", "q2"], 3) and found(desk, of_people=set()) == (
        [],
        0,
    )
    at_time(
        1.0, suspension.exclude, desk.workspace, desk.study.id, lee.id, "always the second", by=desk.owner
    )
    assert found(desk, disputed=True) == ([], 0)
    monkeypatch.setattr(item_search, "MOST_RANKED", 1)
    at_time(2.0, suspension.include, desk.workspace, desk.study.id, lee.id, by=desk.owner)
    assert found(desk, order="disputed") == (["q0", "q1", "q2", "q3", "q4", "Extra_1"], 6)


def test_a_dropped_item_can_be_opened_again_and_its_rule_says_what_becomes_of_it(desk: StudyFixture) -> None:
    numbers = [item["id"] for item in stored(desk.workspace, schema.items)]
    about = desk.workspace, desk.study.id
    for number in (numbers[1], numbers[3]):
        adjudications.drop(*about, number, desk.owner, "about no culture")
    with pytest.raises(ConflictError, match="not dropped"):
        adjudications.reopen(*about, numbers[4], desk.owner, "it is open")
    with pytest.raises(SubmissionError):
        adjudications.reopen(*about, numbers[1], desk.owner, " ")
    settled = at_time(5.0, adjudications.reopen, *about, numbers[1], desk.owner, "it is after all")
    asked = at_time(6.0, adjudications.reopen, *about, numbers[3], desk.owner, "it is after all")
    assert (
        (settled.state, settled.reason) == ("done", None)
        and settled.result is not None
        and "adjudicated" not in settled.result
    )
    assert (asked.state, asked.result) == ("open", None)
    slots = [slot["state"] for slot in stored(desk.workspace, schema.assignments, item_id=numbers[3])]
    assert slots.count("open") == 2
    event = next(each for each in audit.events(*about) if each.kind == "item.reopened")
    assert (event.subject, event.account_id, event.details) == (
        f"item:{numbers[3]}",
        desk.owner,
        {"reason": "it is after all"},
    )
