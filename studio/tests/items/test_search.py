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
from tests.support.frozen_time import at_time


@pytest.fixture
def study(studio_workspace: Workspace) -> StudyFixture:
    """Three items with two answers each, of which the first and the last are disputed, and two without."""
    made = open_study(
        studio_workspace,
        [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}, {"name": "more", "kind": "vote"}],
    )
    texts = ['What do "guests" take off?', "무엇을 먹나요?", "100% or more_or less?", "À l'École?", "Rice?"]
    made.add("verify", [{**QUESTION, "question": text} for text in texts])
    add_items(studio_workspace, made.record.id, "more", [NewItem("Extra_1", QUESTION)])
    kim, lee = made.person(), made.person()
    for mine, theirs in ((0, 1), (1, 1), (0, 2)):
        made.answer(kim, {"choices": [mine]})
        made.answer(lee, {"choices": [theirs]})
    return made


def found(
    study: StudyFixture, start: int = 0, limit: int = 25, order: str = "own", **wanted: object
) -> tuple[list[str], int]:
    page = find_items(
        study.workspace,
        study.record.id,
        ItemQuery(**wanted),
        order=order,
        start=start,
        limit=limit,  # type: ignore[arg-type]
    )
    return [item.key for item in page.items], page.total


def test_items_are_found_by_what_they_hold_and_counted_beyond_the_page(
    study: StudyFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = studies.get_stage(study.workspace, study.record.id, "more").id
    place = studies.get_population(study.workspace, study.record.id, "korea").id
    assert found(study, limit=2) == (["q0", "q1"], 6)
    assert found(study, start=4, limit=4) == (["q4", "Extra_1"], 6)
    assert found(study, stage_id=stage) == (["Extra_1"], 1)
    assert found(study, population_id=place, state=ItemState.DONE) == (["q1"], 1)
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
        assert found(study, words=words) == (keys, len(keys)), words
    assert found(study, order="disputed") == (["q0", "q2", "q1", "q3", "q4", "Extra_1"], 6)
    assert found(study, order="disputed", start=2, limit=2) == (["q1", "q3"], 6)
    assert found(study, order="disputed", start=3, limit=2) == (["q3", "q4"], 6)
    assert found(study, disputed=True) == (["q0", "q2"], 2) == found(study, disputed=True, order="disputed")
    assert found(study, disputed=True, order="-key") == (["q2", "q0"], 2)
    assert found(study, order="-disputed") == (["q1", "q0", "q2", "q3", "q4", "Extra_1"], 6)
    assert found(study, order="-key", limit=3, start=1) == (["q3", "q2", "q1"], 6)
    assert found(study, order="-stage", limit=2) == (["Extra_1", "q0"], 6)
    assert found(study, order="state", limit=2) == (["q1", "q0"], 6)
    assert found(study, order="-answers", limit=4) == (["q0", "q1", "q2", "q3"], 6)
    assert found(study, order="answers", limit=4) == (["q3", "q4", "Extra_1", "q0"], 6)
    assert find_ids(study.workspace, study.record.id, ItemQuery(disputed=True), most=1) == [
        stored(study.workspace, schema.items)[0]["id"]
    ]
    assert len(find_ids(study.workspace, study.record.id, ItemQuery(), most=4)) == 4
    kim, lee = study.people()
    assert found(study, of_people={kim.id}) == (["q0", "q1", "q2"], 3) and found(study, of_people=set()) == (
        [],
        0,
    )
    at_time(
        1.0, suspension.exclude, study.workspace, study.record.id, lee.id, "always the second", by=study.owner
    )
    assert found(study, disputed=True) == ([], 0)
    monkeypatch.setattr(item_search, "MOST_RANKED", 1)
    at_time(2.0, suspension.include, study.workspace, study.record.id, lee.id, by=study.owner)
    assert found(study, order="disputed") == (["q0", "q1", "q2", "q3", "q4", "Extra_1"], 6)


def test_a_dropped_item_can_be_opened_again_and_its_rule_says_what_becomes_of_it(study: StudyFixture) -> None:
    numbers = [item["id"] for item in stored(study.workspace, schema.items)]
    about = study.workspace, study.record.id
    for number in (numbers[1], numbers[3]):
        adjudications.drop(*about, number, study.owner, "about no culture")
    with pytest.raises(ConflictError, match="not dropped"):
        adjudications.reopen(*about, numbers[4], study.owner, "it is open")
    with pytest.raises(SubmissionError):
        adjudications.reopen(*about, numbers[1], study.owner, " ")
    settled = at_time(5.0, adjudications.reopen, *about, numbers[1], study.owner, "it is after all")
    asked = at_time(6.0, adjudications.reopen, *about, numbers[3], study.owner, "it is after all")
    assert (
        (settled.state, settled.reason) == ("done", None)
        and settled.result is not None
        and "adjudicated" not in settled.result
    )
    assert (asked.state, asked.result) == ("open", None)
    slots = [slot["state"] for slot in stored(study.workspace, schema.assignments, item_id=numbers[3])]
    assert slots.count("open") == 2
    event = next(each for each in audit.events(*about) if each.kind == "item.reopened")
    assert (event.subject, event.account_id, event.details) == (
        f"item:{numbers[3]}",
        study.owner,
        {"reason": "it is after all"},
    )
