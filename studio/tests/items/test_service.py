"""Items and slots, row by row, beside a study that has the same stages and keys."""

from __future__ import annotations

from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.items import service as items
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import participants
from folkways_studio.records import ItemState, Participant
from folkways_studio.studies import service as studies
from folkways_studio.work import adjudications, assignments
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, next_work, open_study, stored
from tests.support.frozen_time import at_time

POPULATIONS = [{"name": "peru", "culture": "PE"}, {"name": "korea", "culture": "KR"}]
STAGES = [
    {"name": "verify", "kind": "vote", "answers": 2, "majority": 2, "next": {"done": "again"}},
    {"name": "again", "kind": "vote", "answers": 3, "majority": 2},
]
SAID = {"choices": [0]}
pytestmark = ON_A_FILE


@pytest.fixture
def two_studies(studio_workspace: Workspace) -> tuple[StudyFixture, StudyFixture]:
    """Two studies of the same people and stages, with one item in the first."""
    first, second = (
        open_study(studio_workspace, STAGES, populations=POPULATIONS, name=name)
        for name in ("neighbour", "study")
    )
    first.add("verify", [QUESTION])
    return first, second


def keys(study: StudyFixture, *where: Any, **how: Any) -> list[str]:
    return [item.key for item in items.list_items(study.workspace, study.record.id, *where, **how)]


def test_what_an_added_item_is_made_of(two_studies: tuple[StudyFixture, StudyFixture]) -> None:
    neighbour, study = two_studies
    workspace = study.workspace
    stage = studies.get_stage(workspace, study.record.id, "again")
    korea = studies.get_population(workspace, study.record.id, "korea").id
    content = {"question": " What? ", "options": ["a", " b"], "source": "a book"}
    new = [
        NewItem("k" * 130, content, "korea"),
        NewItem("all", QUESTION),
        NewItem("check", QUESTION, "korea", {"choices": [2]}),
    ]
    added = at_time(5.0, add_items, workspace, study.record.id, "again", new)
    cleaned = {"question": "What?", "options": ["a", "b"], "source": "a book"}
    common = {
        "study_id": study.record.id,
        "stage_id": stage.id,
        "parent_id": None,
        "author_id": None,
        "round": 1,
        "state": "open",
        "result": None,
        "reason": None,
        "created": 5.0,
        "job_id": None,
        "test": None,
        "allocation_id": None,
    }
    assert stored(workspace, schema.items, "id", study_id=study.record.id) == [
        {**common, "population_id": korea, "key": "k" * 128, "content": cleaned, "check": None},
        {**common, "population_id": None, "key": "all", "content": QUESTION, "check": None},
        {**common, "population_id": korea, "key": "check", "content": QUESTION, "check": {"choices": [2]}},
    ]
    free = {
        "stage_id": stage.id,
        "participant_id": None,
        "state": "open",
        "leased": None,
        "lease_until": None,
        "done": None,
        "allocation_id": None,
    }
    assert stored(workspace, schema.assignments, "id", stage_id=stage.id) == [
        {**free, "item_id": item.id, "population_id": place, "slot": slot}
        for item, place in zip(added, (korea, None), strict=False)
        for slot in (1, 2, 3)
    ]
    placed = {"number": 1, "step": "placed", "strategy": None, "participant_id": None, "created": 5.0}
    for item, text in zip(added, (cleaned, QUESTION, QUESTION), strict=True):
        assert stored(workspace, schema.revisions, "id", item_id=item.id) == [
            {**placed, "item_id": item.id, "content": text}
        ]
        (revision,) = items.revisions(workspace, study.record.id, item.id)
        assert (revision.item_id, revision.content) == (item.id, text)
        assert items.get_item(workspace, study.record.id, item.id) == item
        with pytest.raises(NotFoundError):
            items.get_item(workspace, neighbour.record.id, item.id)
    with pytest.raises(NotFoundError):
        items.get_item(workspace, study.record.id, added[-1].id + 1)


def test_items_are_added_all_or_none(two_studies: tuple[StudyFixture, StudyFixture]) -> None:
    neighbour, study = two_studies
    workspace = study.workspace
    add_items(workspace, study.record.id, "again", [NewItem("q0", QUESTION)])  # a key is one of its stage
    add_items(
        workspace, study.record.id, "verify", [NewItem("q0", QUESTION, "korea"), NewItem("q1", QUESTION)]
    )
    for twice in (
        [NewItem("new", QUESTION), NewItem("q1", QUESTION)],
        [NewItem("new", QUESTION), NewItem("new", QUESTION)],
    ):
        with pytest.raises(ConflictError, match="already"):
            add_items(workspace, study.record.id, "verify", twice)
    with pytest.raises(SubmissionError) as error:
        add_items(
            workspace,
            study.record.id,
            "verify",
            [NewItem("new", QUESTION), NewItem("bad", {"question": "?"})],
        )
    assert set(error.value.problems) == {"bad, options"}
    with pytest.raises(NotFoundError, match=r"valid: peru, korea$"):
        add_items(workspace, study.record.id, "verify", [NewItem("new", QUESTION, "france")])
    with pytest.raises(NotFoundError, match=r"valid: verify, again$"):
        add_items(workspace, study.record.id, "third", [NewItem("new", QUESTION)])
    assert keys(study) == ["q0", "q0", "q1"]
    assert keys(neighbour) == ["q0"]


def test_items_are_listed_in_order_and_by_what_is_asked_for(
    two_studies: tuple[StudyFixture, StudyFixture],
) -> None:
    _, study = two_studies
    workspace = study.workspace
    verify = add_items(
        workspace, study.record.id, "verify", [NewItem(key, QUESTION, "korea") for key in "abc"]
    )
    add_items(workspace, study.record.id, "again", [NewItem("d", QUESTION, "peru"), NewItem("e", QUESTION)])
    adjudications.adjudicate(
        workspace, study.record.id, verify[1].id, study.owner, {}, " about no culture ", drop=True
    )
    korea = studies.get_population(workspace, study.record.id, "korea").id
    assert keys(study) == ["a", "b", "c", "d", "e"]
    assert keys(study, "verify") == ["a", "b", "c"]
    assert keys(study, "again") == ["d", "e"]
    assert keys(study, population_id=korea) == ["a", "b", "c"]
    assert keys(study, state=ItemState.OPEN) == ["a", "c", "d", "e"]
    assert keys(study, "verify", population_id=korea, state=ItemState.DROPPED) == ["b"]
    assert keys(study, after=verify[1].id) == ["c", "d", "e"]
    assert keys(study, after=verify[0].id, limit=2) == ["b", "c"]
    states = {
        row["key"]: (row["state"], row["reason"])
        for row in stored(workspace, schema.items, study_id=study.record.id)
    }
    assert states == {**dict.fromkeys("acde", ("open", None)), "b": ("dropped", "about no culture")}
    slots = {row["id"]: row["state"] for row in stored(workspace, schema.assignments, item_id=verify[1].id)}
    assert list(slots.values()) == ["closed"] * 2
    assert len(stored(workspace, schema.assignments, state="closed")) == 2, (
        "only the slots of the item that was dropped"
    )
    with pytest.raises(SubmissionError) as error:
        adjudications.adjudicate(workspace, study.record.id, verify[0].id, study.owner, {}, " ", drop=True)
    assert set(error.value.problems) == {"reason"}


def test_what_is_dropped_is_still_taken_from_whoever_is_at_it(
    two_studies: tuple[StudyFixture, StudyFixture],
) -> None:
    _, study = two_studies
    (item,) = study.add("verify", [QUESTION])
    person = study.person()
    work = study.work(person)
    adjudications.adjudicate(study.workspace, study.record.id, item, study.owner, {}, "a reason", drop=True)
    assert [row["state"] for row in stored(study.workspace, schema.assignments, item_id=item)] == [
        "leased",
        "closed",
    ]
    study.submit(person, work, SAID)
    assert items.get_item(study.workspace, study.record.id, item).state == ItemState.DROPPED, (
        "the decision stands"
    )


def test_an_item_goes_on_with_its_lineage(two_studies: tuple[StudyFixture, StudyFixture]) -> None:
    """What two people held right goes on once, with slots of the next stage; what is done there ends
    there."""
    _, study = two_studies
    workspace = study.workspace
    (item,) = study.add("verify", [QUESTION])
    people = [study.person() for _ in range(2)]
    for number, person in enumerate(people):
        work = at_time(10.0 + number, next_work, workspace, person.id)
        assert isinstance(work, assignments.Work)
        study.submit(person, work, SAID)
    parent, child = items.list_items(workspace, study.record.id)
    assert parent.id == item
    counts = {"counts": [2, 0, 0, 0], "dont_know": 0, "cannot_answer": 0}
    result = {**counts, "gold": [0], "mode": "single"}
    assert (parent.state, parent.result, parent.reason) == ("done", result, None)
    again = studies.get_stage(workspace, study.record.id, "again")
    assert (child.stage_id, child.population_id, child.parent_id, child.key, child.round) == (
        again.id, parent.population_id, item, "q0", 1,
    )  # fmt: skip
    assert (child.state, child.content, child.author_id) == ("open", {**QUESTION, **result}, None)
    assert items.lineage(workspace, study.record.id, child.id) == (parent, child)
    assert items.lineage(workspace, study.record.id, item) == (parent,)
    slots = stored(workspace, schema.assignments, item_id=child.id)
    assert [(row["slot"], row["stage_id"], row["population_id"], row["state"]) for row in slots] == [
        (slot, again.id, parent.population_id, "open") for slot in (1, 2, 3)
    ]
    assert study.nothing(people[0], "verify") == "none_left"
    for person in [*people, study.person()]:
        study.answer(person, {"choices": [1]}, "again")
    assert [row["state"] for row in stored(workspace, schema.items, study_id=study.record.id)] == [
        "done",
        "done",
    ]


def answer_all(study: StudyFixture, stage: str, *said: dict[str, Any]) -> list[Participant]:
    """Somebody new gives each of these answers to the next item."""
    people = [study.person() for _ in said]
    for person, submission in zip(people, said, strict=True):
        study.answer(person, submission, stage)
    return people


@pytest.mark.parametrize("parts", [0, 1, 2])
def test_what_most_do_not_know_is_asked_of_the_parts_of_their_population(
    studio_workspace: Workspace, parts: int
) -> None:
    populations = [{"name": "korea", "culture": "KR"}, {"name": "peru", "culture": "PE"}]
    populations += [
        {"name": f"part-{number}", "culture": "KR", "part_of": "korea"} for number in range(parts)
    ]
    populations += [{"name": "lima", "culture": "PE", "part_of": "peru"}]
    study = open_study(studio_workspace, STAGES, populations=populations)
    workspace = study.workspace
    (item,) = study.add("verify", [QUESTION])
    answer_all(study, "verify", *[{"abstain": "dont_know"}] * 2)
    ids = {each.name: each.id for each in studies.populations(workspace, study.record.id)}
    parent, *children = stored(workspace, schema.items)
    result = {"counts": [0, 0, 0, 0], "dont_know": 2, "cannot_answer": 0}
    told = "2 of 2 did not have the knowledge"
    assert (parent["state"], parent["result"]) == ("dropped", result)
    assert parent["reason"] == (f"{told}; asked again of a subpopulation" if parts else told)
    assert [
        (row["key"], row["population_id"], row["parent_id"], row["round"], row["state"], row["content"])
        for row in children
    ] == [
        ("q0" if parts == 1 else f"q0-{number + 1}", ids[f"part-{number}"], item, 2, "open", QUESTION)
        for number in range(parts)
    ]
    assert [(row["item_id"], row["slot"]) for row in stored(workspace, schema.assignments, state="open")] == [
        (row["id"], slot) for row in children for slot in (1, 2)
    ]


def test_what_is_of_everybody_has_no_parts(two_studies: tuple[StudyFixture, StudyFixture]) -> None:
    _, study = two_studies
    (item,) = study.add("verify", [QUESTION], population=None)
    answer_all(study, "verify", *[{"abstain": "dont_know"}] * 2)
    assert [
        (row["id"], row["state"]) for row in stored(study.workspace, schema.items, study_id=study.record.id)
    ] == [(item, "dropped")]


def test_a_question_keeps_its_author_through_every_stage_and_round(studio_workspace: Workspace) -> None:
    populations = [{"name": "korea", "culture": "KR"}, {"name": "part", "culture": "KR", "part_of": "korea"}]
    stages = [
        {"name": "write", "kind": "write_question", "next": {"done": "verify"}},
        {"name": "verify", "kind": "vote", "answers": 1, "majority": 1},
    ]
    study = open_study(studio_workspace, stages, populations=populations)
    author = study.person()
    written = {"scenario": "Somebody rings the bell at noon.", **QUESTION, "intended": [1]}
    study.answer(author, written, "write")
    study.answer(study.person(), {"abstain": "dont_know"}, "verify")
    rows = stored(studio_workspace, schema.items)
    assert [(row["author_id"], row["round"], row["key"], row["state"]) for row in rows] == [
        (author.id, 1, "write-1", "done"), (author.id, 1, "write-1", "dropped"),
        (author.id, 2, "write-1", "open"),
    ]  # fmt: skip
    steps = [
        (row["item_id"], row["step"], row["participant_id"])
        for row in stored(studio_workspace, schema.revisions)
    ]
    ids = [row["id"] for row in rows]
    assert steps == [(ids[0], "begun", author.id), (ids[0], "submitted", author.id)] + [
        (number, "placed", author.id) for number in ids[1:]
    ]


def test_questions_that_people_wrote_are_asked_again_too_and_go_with_their_author(
    studio_workspace: Workspace,
) -> None:
    """Whose answer is withdrawn is replaced, whoever wrote the question; a question of which nothing came is
    dropped with its author, and one that others have answered stays.
    """
    stages = [
        {"name": "write", "kind": "write_question", "next": {"done": "verify"}},
        {"name": "verify", "kind": "vote", "answers": 2, "majority": 2},
        {"name": "more", "kind": "write_question"},
    ]
    study = open_study(studio_workspace, stages)
    author = study.person()
    written = {"scenario": "Somebody rings the bell at noon.", **QUESTION, "intended": [1]}
    for stage in ("write", "more"):
        study.answer(author, written, stage)
    voters = answer_all(study, "verify", SAID, SAID)

    def states() -> list[tuple[str, str | None]]:
        return [(row["state"], row["reason"]) for row in stored(studio_workspace, schema.items)]

    assert states() == [("done", None)] * 3
    participants.withdraw(studio_workspace, study.record.id, voters[0].id)
    assert states() == [("done", None), ("open", None), ("done", None)]
    participants.withdraw(studio_workspace, study.record.id, author.id)
    assert states() == [("done", None), ("open", None), ("dropped", "its author has withdrawn")]


def test_an_item_may_go_on_to_every_population_that_has_no_parts(studio_workspace: Workspace) -> None:
    populations = [
        {"name": "korea", "culture": "KR"},
        {"name": "uk", "culture": "GB"},
        {"name": "wales", "culture": "GB", "part_of": "uk"},
        {"name": "england", "culture": "GB", "part_of": "uk"},
    ]
    stages = [
        {"name": "verify", "kind": "vote", "answers": 1, "majority": 1, "next": {"done": "all"}},
        {"name": "all", "kind": "vote", "for_each_population": True},
    ]
    study = open_study(studio_workspace, stages, populations=populations)
    open_study(studio_workspace, stages, populations=populations, name="neighbour")
    (item,) = study.add("verify", [QUESTION])
    answer_all(study, "verify", SAID)
    ids = {each.name: each.id for each in studies.populations(studio_workspace, study.record.id)}
    assert [
        (row["key"], row["population_id"], row["parent_id"])
        for row in stored(studio_workspace, schema.items)[1:]
    ] == [(f"q0@{name}", ids[name], item) for name in ("korea", "wales", "england")]


def test_slots_are_as_many_as_answers_are_missing(studio_workspace: Workspace) -> None:
    """Only "I don't know" is replaced: another slot for each, numbered on, and the rest is closed once there
    are enough."""
    study = open_study(
        studio_workspace, [{"name": "ask", "kind": "short_answers", "answers": 2, "most_idk": 1}]
    )
    question = {"local": "무엇?", "english": "What?"}
    first, second, third = study.add("ask", [question] * 3)

    def slots(item: int) -> list[str]:
        return [row["state"] for row in stored(studio_workspace, schema.assignments, item_id=item)]

    answer_all(study, "ask", {"no_answer": "idk"})
    assert slots(first) == ["done", "open", "open"]
    assert [row["slot"] for row in stored(studio_workspace, schema.assignments, item_id=first)] == [1, 2, 3]
    answer_all(study, "ask", {"no_answer": "idk"})
    assert slots(first) == ["done", "done", "closed"]
    assert items.get_item(studio_workspace, study.record.id, first).result == {"valid": 0, "idk": 2}
    answer_all(study, "ask", {"answers": ["a"]}, {"answers": ["b"]})
    assert slots(second) == ["done", "done"]
    assert slots(third) == ["open", "open"], "what happens to one item leaves the others alone"
    assert [row["state"] for row in stored(studio_workspace, schema.items)] == ["done", "done", "open"]


@pytest.mark.parametrize("decided", ["by the rule", "by an expert"])
def test_what_was_dropped_is_asked_again_after_a_withdrawal_only_where_the_rule_dropped_it(
    two_studies: tuple[StudyFixture, StudyFixture], decided: str
) -> None:
    _, study = two_studies
    workspace = study.workspace
    (item,) = study.add("verify", [QUESTION])
    people = answer_all(study, "verify", {"choices": [0]}, {"choices": [1]})
    if decided == "by an expert":
        adjudications.adjudicate(
            workspace, study.record.id, item, study.owner, {}, "about no culture", drop=True
        )
    before = items.get_item(workspace, study.record.id, item)
    assert before.state == ItemState.DROPPED
    participants.withdraw(workspace, study.record.id, people[0].id)
    after = items.get_item(workspace, study.record.id, item)
    states = [row["state"] for row in stored(workspace, schema.assignments, item_id=item)]
    if decided == "by the rule":
        assert (after.state, after.result, after.reason) == ("open", None, None)
        assert states == ["done", "done", "open"]
    else:
        assert after == before
        assert states == ["done", "done"]
