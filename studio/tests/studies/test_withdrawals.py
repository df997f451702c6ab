"""Whoever leaves takes their answers along: agreement, majorities and exports are those of a study in which
they had never answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.exports.archive import export_files
from folkways_studio.exports.snapshot import take_snapshot
from folkways_studio.exports.study_tables import item_table, judgement_table
from folkways_studio.items.service import list_items
from folkways_studio.people import participants, suspension
from folkways_studio.records import Participant, Role
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.agreement import agreement
from folkways_studio.studies.progress import progress
from folkways_studio.work.assignments import Work, get_work
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, next_work, open_study

pytestmark = ON_A_FILE
ANSWERS = 3


def _withdraw(study: StudyFixture, person: Participant) -> None:
    participants.withdraw(study.workspace, study.record.id, person.id)


def _exclude(study: StudyFixture, person: Participant) -> None:
    suspension.exclude(study.workspace, study.record.id, person.id, "always the first", by=study.owner)


def _answered(
    workspace: Workspace, name: str, choices: Sequence[int]
) -> tuple[StudyFixture, list[Participant]]:
    """A study with one item that so many people answered, each in one way."""
    stages = [{"name": "verify", "kind": "vote", "answers": ANSWERS, "majority": 2}]
    study = open_study(workspace, stages, name=name)
    study.add("verify", [QUESTION])
    people = [study.person() for _ in choices]
    for person, choice in zip(people, choices, strict=True):
        study.answer(person, {"choices": [choice]})
    return study, people


def _outcome(study: StudyFixture) -> dict[str, Any]:
    """What is known of the item, without names and numbers."""
    (item,) = list_items(study.workspace, study.record.id)
    votes = [vote.payload for vote in take_snapshot(study.workspace, study.record.id).votes(item)]
    measured = [
        (row.field, *((each.value, each.judgements) for each in (row.percent, row.majority, row.alpha)))
        for row in agreement(study.workspace, study.record.id)
    ]
    return {"state": item.state, "result": item.result, "votes": votes, "agreement": measured}


OFTEN = (((0, 0, 1), (0,)), ((0, 0, 1), (2,)), ((0, 0, 1), (0, 2)), ((0, 0, 1), (0, 1, 2)), ((0, 1), (0,)))
"""What people chose, and who of them leaves: the majority loses one or keeps all, one or nobody is left, and an
item that is still open."""

MORE = (
    ((0, 0, 1), (1,)),
    ((0, 1, 2), (1,)),
    ((0, 0, 0), (2,)),
    ((0, 0, 1), (0, 1)),
    ((0,), (0,)),
    ((0, 0, 1), ()),
)


@pytest.mark.parametrize("leave", [_withdraw, _exclude], ids=["withdrawn", "excluded"])
@pytest.mark.parametrize(
    ("choices", "gone"), [*OFTEN, *(pytest.param(*each, marks=pytest.mark.nightly) for each in MORE)], ids=str
)
def test_one_of_several_leaves(
    studio_workspace: Workspace, choices: Sequence[int], gone: Sequence[int], leave: Callable[..., None]
) -> None:
    study, people = _answered(studio_workspace, "left", choices)
    for place in gone:
        leave(study, people[place])
    stay = [place for place in range(len(choices)) if place not in gone]
    never, _ = _answered(studio_workspace, "never", [choices[place] for place in stay])
    assert _outcome(study) == _outcome(never)

    (row,) = progress(study.workspace, study.record.id)
    assert row.slots_done == len(stay), "the first page counts the answers that agreement and exports have"

    pairs = [choices[one] == choices[other] for one, other in combinations(stay, 2)]
    rows = agreement(study.workspace, study.record.id)
    assert [row.percent.value for row in rows] == (
        [] if not stay else [sum(pairs) / len(pairs) if pairs else None]
    )

    snapshot = take_snapshot(study.workspace, study.record.id)
    left = {"withdrawn": snapshot.withdrawn, "excluded": snapshot.excluded}
    assert left == {
        "withdrawn": len(gone) * (leave is _withdraw),
        "excluded": len(gone) * (leave is _exclude),
    }
    table = judgement_table(snapshot)
    assert table["participant"].to_list() == [people[place].pseudonym for place in stay]
    assert [json.loads(each)["choices"] for each in table["payload"]] == [[choices[place]] for place in stay]
    written = json.dumps([table.rows(), item_table(snapshot).rows()])
    assert not any(people[place].pseudonym in written for place in gone)


def test_an_exclusion_that_is_undone_brings_the_answers_back(studio_workspace: Workspace) -> None:
    study, people = _answered(studio_workspace, "left", (0, 0, 1))
    before = _outcome(study)
    _exclude(study, people[0])
    assert _outcome(study) != before
    suspension.include(study.workspace, study.record.id, people[0].id, by=study.owner)
    assert _outcome(study) == before
    assert [row.slots_done for row in progress(study.workspace, study.record.id)] == [3]


STORY = {"show": [{"field": "story", "type": "text"}]}
FITTING = {"key": "fitting", "type": "scale", "label": "How fitting?", "within": 0}
WHY = {"key": "why", "type": "text", "label": "Why?"}
USABLE = {"key": "usable", "type": "choice", "label": "Usable?", "options": ["nobody", "everybody"]}
RATED = [
    {"name": "rate", "kind": "form", "answers": 3, **STORY, "ask": [FITTING, WHY], "next": {"disagree": "decide", "done": "look"}},
    {"name": "decide", "kind": "adjudicate", "role": "expert", "next": {"done": "look"}},
    {"name": "look", "kind": "form", "role": "reviewer", **STORY, "ask": [USABLE], "answers": 1},
]  # fmt: skip
FORMATS = ("csv", "jsonl", "release", "label-studio", "argilla")


@pytest.mark.parametrize("leave", [_withdraw, _exclude], ids=["withdrawn", "excluded"])
def test_who_decides_is_not_shown_the_words_of_people_who_left(
    studio_workspace: Workspace, leave: Callable[..., None]
) -> None:
    study = open_study(studio_workspace, RATED)
    study.add("rate", [{"story": "A guest keeps the shoes on."}])
    people = [study.person() for _ in range(3)]
    for mark, person in enumerate(people, 1):
        study.answer(person, {"answers": {"fitting": mark, "why": f"because of {mark}"}})
    expert = study.person(role=Role.EXPERT)
    work = next_work(study.workspace, expert.id)
    assert isinstance(work, Work)
    for gone in range(4):
        seen = get_work(study.workspace, expert.id, work.assignment.id)
        shown = stage_kind("adjudicate").presented(seen.item.content, "")["versions"]
        said = [version["payload"]["text"]["why"] for version in shown]
        assert said == [f"because of {mark}" for mark in range(gone + 1, 4)]
        if gone < 3:
            leave(study, people[gone])
    study.submit(expert, work, {"answers": {"fitting": 2, "why": "Ask the host"}, "reason": "It depends"})


@pytest.mark.parametrize("leave", [_withdraw, _exclude], ids=["withdrawn", "excluded"])
@pytest.mark.parametrize("marks", [(3, 3, 3), (1, 2, 3)], ids=["agreed", "decided by an expert"])
def test_words_leave_what_was_made_of_them_in_every_format(
    studio_workspace: Workspace, marks: Sequence[int], leave: Callable[..., None]
) -> None:
    study = open_study(studio_workspace, RATED)
    study.add("rate", [{"story": "A guest keeps the shoes on."}])
    words = ["It is rude here", "nobody", "It is usual here"]
    people = [study.person() for _ in words]
    for person, mark, why in zip(people, marks, words, strict=True):
        study.answer(person, {"answers": {"fitting": mark, "why": why}})
    if len(set(marks)) > 1:
        study.answer(
            study.person(role=Role.EXPERT),
            {"answers": {"fitting": 2, "why": "Ask the host"}, "reason": "It depends"},
        )
    study.answer(study.person(role=Role.REVIEWER), {"answers": {"usable": "nobody"}})
    for person in people[:2]:
        leave(study, person)

    snapshot = take_snapshot(study.workspace, study.record.id)
    rated, *others = snapshot.items.values()
    assert rated.result is not None and rated.result["why"] == ["It is usual here"]
    assert others[-1].result == {"usable": "nobody"}, "an option is no word of who left, whatever they wrote"
    for format in FORMATS:
        files = export_files(study.workspace, study.record.id, format)
        everything = b"".join([name.encode() + content for name, content in files.items()]).decode(
            errors="replace"
        )
        for gone in ("It is rude here", people[0].pseudonym, people[1].pseudonym):
            assert gone not in everything, format


@pytest.mark.parametrize("gone", [0, 1])
def test_a_question_in_the_wording_of_somebody_who_left_is_left_out(
    studio_workspace: Workspace, gone: int
) -> None:
    stages = [
        {"name": "review", "kind": "review", "role": "reviewer", "answers": 2, "next": {"done": "verify"}},
        {"name": "verify", "kind": "vote", "answers": 1, "majority": 1},
    ]
    study = open_study(studio_workspace, stages)
    study.add("review", [QUESTION])
    reviewers = [study.person(role=Role.REVIEWER) for _ in range(2)]
    for number, reviewer in enumerate(reviewers):
        wording = f"What do guests eat first, in wording {number}?"
        study.answer(reviewer, {**QUESTION, "decision": "keep", "question": wording})
    study.answer(study.person(), {"choices": [0]})
    _withdraw(study, reviewers[gone])
    snapshot = take_snapshot(study.workspace, study.record.id)
    questions = [item.content["question"] for item in snapshot.items.values()]
    last = [] if gone == 1 else ["What do guests eat first, in wording 1?"]
    assert questions == [QUESTION["question"], *last]
    assert snapshot.left_out == gone
