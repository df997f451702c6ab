"""Questions of known answer in a study: the test before the work, those among it, and what follows for
people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.exports.archive import export_files
from folkways_studio.exports.snapshot import take_snapshot
from folkways_studio.items.service import NewItem, add_items, get_item
from folkways_studio.people import participants, suspension
from folkways_studio.records import ItemState, Participant, ParticipantState
from folkways_studio.studies import agreement, progress
from folkways_studio.studies.service import get_stage
from folkways_studio.work import assignments, gold, judgements, leases
from folkways_studio.work.assignments import Work
from studio.tests.support.studies import (
    ON_A_FILE,
    ON_BOTH,
    QUESTION,
    StudyFixture,
    next_work,
    open_study,
    stored,
)

RIGHT, WRONG = {"choices": [2]}, {"choices": [0]}
VOTE: Mapping[str, Any] = {"name": "verify", "kind": "vote", "answers": 2, "majority": 2}
TEST: Mapping[str, Any] = {"questions": 4, "pass_mark": 0.75, "tries": 2}
RULES = [
    {"then": "warn", "below": 0.8},
    {"then": "pause", "after": 6},
    {"then": "exclude", "after": 8, "pay": "completed"},
]


def known(
    desk: StudyFixture, count: int, *, test: bool = False, population: str | None = "korea"
) -> list[int]:
    """Questions of known answer; their ids."""
    name = "test" if test else "gold"
    new = [NewItem(f"{name}-{number}", QUESTION, population, RIGHT, test) for number in range(count)]
    return [item.id for item in add_items(desk.workspace, desk.study.id, "verify", new)]


def state(desk: StudyFixture, person: Participant) -> str:
    return participants.get_participant(desk.workspace, person.id).state


def answer_all(
    desk: StudyFixture, person: Participant, said: Mapping[str, Any], most: int = 100
) -> tuple[list[str], str]:
    """Answer questions of known answer with ``said`` and others with WRONG; what was given, and what the last
    one led to."""
    keys, then = [], ""
    while len(keys) < most and isinstance(work := next_work(desk.workspace, person.id), Work):
        keys.append(work.item.key)
        then = desk.submit(person, work, said if work.item.check else WRONG).then
        if then:
            break
    return keys, then


def test_whoever_passes_the_test_works_and_whoever_fails_twice_does_not(studio_workspace: Workspace) -> None:
    desk = open_study(
        studio_workspace, [{**VOTE, "qualification": TEST}], prolific={"completed": "C", "screened_out": "S"}
    )
    known(desk, 9, test=True)
    desk.add("verify", [QUESTION] * 3)
    able, unable = desk.person(), desk.person()
    keys, then = answer_all(desk, able, RIGHT)
    assert (len(keys), then) == (4, "passed") and all(key.startswith("test-") for key in keys)
    assert desk.work(able).item.key == "q0"

    first, then = answer_all(desk, unable, WRONG)
    assert then == "again" and state(desk, unable) == ParticipantState.ACTIVE
    second, then = answer_all(desk, unable, WRONG)
    assert then == "failed" and not {*first} & {*second}, "nobody is asked the same twice"
    assert state(desk, unable) == ParticipantState.FAILED
    assert desk.nothing(unable) == "not_active"
    stage = get_stage(desk.workspace, desk.study.id, "verify")
    assert progress.own_progress(desk.workspace, unable, stage).left == 0
    paid = {each.pseudonym: each.code for each in progress.payments(desk.workspace, desk.study.id)}
    assert paid == {able.pseudonym: "C", unable.pseudonym: "S"}
    (row,) = stored(desk.workspace, schema.standings, participant_id=unable.id)
    assert (row["test"], row["tries"], row["right"], row["asked"]) == ("failed", 2, 0, 4)

    with pytest.raises(SubmissionError):
        suspension.waive_test(desk.workspace, desk.study.id, unable.id, "verify", " ")
    suspension.waive_test(
        desk.workspace, desk.study.id, unable.id, "verify", "the sound was off", by=desk.owner
    )
    assert desk.work(unable).item.key == "q0"


@ON_A_FILE
def test_a_test_counts_to_its_end_and_cannot_begin_with_too_few_questions(
    studio_workspace: Workspace,
) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "qualification": TEST}])
    known(desk, 3, test=True)
    desk.add("verify", [QUESTION])
    person, stage = desk.person(), get_stage(desk.workspace, desk.study.id, "verify")
    assert gold.lacking(desk.workspace, desk.study.id) == (gold.MissingGold("verify", "korea", 3, 4),)
    assert desk.nothing(person) == "none_left"
    add_items(desk.workspace, desk.study.id, "verify", [NewItem("more", QUESTION, None, RIGHT, True)])
    assert gold.lacking(desk.workspace, desk.study.id) == ()
    seen = []
    for _ in range(4):
        work = desk.work(person)
        mine = progress.own_progress(desk.workspace, person, stage)
        seen.append((mine.done, mine.left))
        desk.submit(person, work, RIGHT)
    assert seen == [(0, 3), (1, 2), (2, 1), (3, 0)]
    mine = progress.own_progress(desk.workspace, person, stage)
    assert (mine.done, mine.left) == (0, 1), "the test is no work"
    again = desk.person()
    answer_all(desk, again, WRONG)
    assert state(desk, again) == ParticipantState.FAILED, "no other four questions are left for a second try"


@ON_A_FILE
def test_a_test_is_of_the_populations_that_it_names(studio_workspace: Workspace) -> None:
    populations = [{"name": "korea", "culture": "KR"}, {"name": "peru", "culture": "PE"}]
    stage = {**VOTE, "qualification": {**TEST, "populations": ["peru"]}}
    desk = open_study(studio_workspace, [stage, {**VOTE, "name": "again"}], populations=populations)
    assert [each.population for each in gold.lacking(desk.workspace, desk.study.id)] == ["peru"]
    known(desk, 4, test=True, population="peru")
    desk.add("verify", [QUESTION], population=None)
    assert desk.work(desk.person("korea"), "verify").item.key == "q0"
    peru = desk.person("peru")
    assert desk.work(peru, "verify").item.key == "test-0"
    answer_all(desk, peru, WRONG)
    assert state(desk, peru) == ParticipantState.ACTIVE, "there is another stage without a test"
    assert desk.nothing(peru, "verify") == "failed"


def test_rules_warn_then_pause_then_exclude(studio_workspace: Workspace) -> None:
    stage = {**VOTE, "gold": {"every": 2, "rules": RULES}}
    desk = open_study(studio_workspace, [stage], prolific={"completed": "C"})
    known(desk, 12)
    desk.add("verify", [QUESTION] * 40)
    person = desk.person()
    keys, then = answer_all(desk, person, WRONG)
    assert (sum(key.startswith("gold") for key in keys), then) == (5, "warn")
    assert state(desk, person) == ParticipantState.ACTIVE
    keys, then = answer_all(desk, person, WRONG)
    assert (sum(key.startswith("gold") for key in keys), then) == (1, "pause")
    found = participants.get_participant(desk.workspace, person.id)
    assert (found.state, found.pause) == (ParticipantState.PAUSED, "0 of 6 known answers right in verify")
    assert desk.nothing(person) == "not_active"

    suspension.resume(desk.workspace, desk.study.id, person.id, "we talked", by=desk.owner)
    keys, then = answer_all(desk, person, WRONG)
    assert (sum(key.startswith("gold") for key in keys), then) == (5, "warn"), "counted anew, and warned anew"
    with pytest.raises(ConflictError, match="not paused"):
        suspension.resume(desk.workspace, desk.study.id, person.id, "once more")


def test_whoever_is_excluded_is_paid_and_their_answers_are_no_data(studio_workspace: Workspace) -> None:
    rules = [{"then": "exclude", "pay": "completed"}]
    desk = open_study(
        studio_workspace, [{**VOTE, "gold": {"every": 2, "rules": rules}}], prolific={"completed": "C"}
    )
    known(desk, 5)
    first, *_ = desk.add("verify", [QUESTION] * 10)
    careful, careless = desk.person(), desk.person()
    answer_all(desk, careful, RIGHT, most=2)  # one of each sort
    keys, then = answer_all(desk, careless, WRONG)
    assert (sum(key.startswith("gold") for key in keys), then) == (5, "exclude")
    assert (
        participants.get_participant(desk.workspace, careless.id).exclusion
        == "0 of 5 known answers right in verify"
    )
    assert state(desk, careless) == ParticipantState.EXCLUDED and desk.nothing(careless) == "not_active"
    (paid,) = [
        each
        for each in progress.payments(desk.workspace, desk.study.id)
        if each.pseudonym == careless.pseudonym
    ]
    assert (paid.code, paid.answers) == ("C", len(keys))
    assert [*take_snapshot(desk.workspace, desk.study.id).people.values()] == [careful.pseudonym]
    assert agreement.agreement(desk.workspace, desk.study.id)[0].percent.units == 0
    assert get_item(desk.workspace, desk.study.id, first).state == "open", (
        "somebody else is asked in their place"
    )
    assert [each.right for each in gold.known_answers(desk.workspace, desk.study.id).people] == [1, 0], (
        "why is still told"
    )


@ON_A_FILE
def test_a_careful_person_is_neither_warned_nor_held(studio_workspace: Workspace) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "gold": {"share": 0.5, "rules": RULES}}])
    known(desk, 20)
    desk.add("verify", [QUESTION] * 21)
    person = desk.person()
    thens = []
    for number in range(40):
        work = desk.work(person)
        wrong = work.item.check is None or number % 10 == 9
        thens.append(desk.submit(person, work, WRONG if wrong else RIGHT).then)
    assert set(thens) == {""} and state(desk, person) == ParticipantState.ACTIVE


def test_known_answers_are_no_data_and_their_figures_are_told(studio_workspace: Workspace) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "answers": 3, "majority": 2, "gold": {"every": 3}}])
    first, second = known(desk, 2)
    desk.add("verify", [QUESTION] * 5)
    people = [desk.person() for _ in range(3)]
    for person, said in zip(people, (RIGHT, RIGHT, WRONG), strict=True):
        keys, _ = answer_all(desk, person, said)
        assert len(keys) == len(set(keys)) == 7
    found = agreement.agreement(desk.workspace, desk.study.id)
    assert found[0].percent.units == 5 and found[0].percent.value == 1.0
    assert not {first, second} & {*take_snapshot(desk.workspace, desk.study.id).items}
    told = gold.known_answers(desk.workspace, desk.study.id)
    assert [(each.participant.id, each.stage, each.asked, each.right) for each in told.people] == [
        (people[0].id, "verify", 2, 2), (people[1].id, "verify", 2, 2), (people[2].id, "verify", 2, 0),
    ]  # fmt: skip
    assert [(each.item.id, each.asked, each.right) for each in told.items] == [(first, 3, 2), (second, 3, 2)]
    files = export_files(desk.workspace, desk.study.id, "csv")
    by_person = files["known_answers_by_person.csv"].decode("utf-8-sig").splitlines()
    assert by_person[0].startswith("participant,state,stage,test,") and len(by_person) == 4
    assert "gold-0" in files["known_answers_by_item.csv"].decode()
    assert "gold-" not in files["items.csv"].decode() + files["judgements.csv"].decode()
    assert not any("known" in name for name in export_files(desk.workspace, desk.study.id, "hub"))

    gold.drop_gold(desk.workspace, desk.study.id, second, "the answer is wrong", by=desk.owner)
    told = gold.known_answers(desk.workspace, desk.study.id)
    assert [each.asked for each in told.people] == [1, 1, 1]
    participants.withdraw(desk.workspace, desk.study.id, people[2].id)
    told = gold.known_answers(desk.workspace, desk.study.id)
    assert len(told.people) == 2 and [(each.asked, each.right) for each in told.items] == [(2, 2), (2, 2)]


@ON_A_FILE
def test_nobody_is_tested_or_checked_where_no_work_follows(studio_workspace: Workspace) -> None:
    test = {"questions": 2, "pass_mark": 0.5}
    stages = [{**VOTE, "answers": 1, "majority": 1, "qualification": test, "gold": {"every": 2}}]
    desk = open_study(studio_workspace, stages)
    known(desk, 4, test=True)
    known(desk, 9)
    stage = get_stage(desk.workspace, desk.study.id, "verify")
    person, late = desk.person(), desk.person()
    assert desk.nothing(person) == "none_left"
    assert progress.tasks_ahead(desk.workspace, person) == [(stage, 0)]
    desk.add("verify", [QUESTION] * 3)
    assert progress.own_progress(desk.workspace, person, stage).left == 2
    assert desk.work(late).item.test
    assert answer_all(desk, person, RIGHT)[1] == "passed"
    keys, _ = answer_all(desk, person, RIGHT)
    assert keys[-1] == "q2" and {"q0", "q1", "gold-0", "gold-1"} <= {*keys}
    assert desk.work(late).item.test, "what is at hand stays"
    desk.answer(late, RIGHT)
    assert desk.nothing(late) == "none_left"
    for each in (person, late):
        assert progress.own_progress(desk.workspace, each, stage).left == 0


@ON_A_FILE
def test_a_known_answer_that_most_people_contradict_is_to_be_looked_at(studio_workspace: Workspace) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "gold": {"every": 2}}])
    known(desk, 1)
    # Six people may each be asked two others first, and nobody is asked a known one after the last other.
    desk.add("verify", [QUESTION] * 7, population=None)
    doubtful = []
    for _ in range(6):
        person = desk.person()
        while isinstance(work := next_work(desk.workspace, person.id), Work):
            desk.submit(person, work, WRONG)
            if work.item.check:
                break
        doubtful.append(gold.known_answers(desk.workspace, desk.study.id).items[0].is_doubtful)
    assert doubtful[0] is False and doubtful[-1] is True


@ON_A_FILE
def test_a_decided_item_becomes_a_question_of_known_answer_for_those_who_have_not_seen_it(
    studio_workspace: Workspace,
) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "gold": {"every": 2}}])
    decided, still_open, _ = desk.add("verify", [QUESTION] * 3)
    people = [desk.person() for _ in range(3)]
    for person in people[:2]:
        desk.answer(person, RIGHT)
    with pytest.raises(ConflictError, match="nothing is decided"):
        gold.make_gold(desk.workspace, desk.study.id, still_open)
    made = gold.make_gold(desk.workspace, desk.study.id, decided, by=desk.owner)
    assert (made.key, made.check, made.parent_id, made.test) == ("gold-q0", RIGHT, decided, None)
    with pytest.raises(ConflictError, match="already"):
        gold.make_gold(desk.workspace, desk.study.id, decided)
    stage, item = (
        get_stage(desk.workspace, desk.study.id, "verify"),
        get_item(desk.workspace, desk.study.id, decided),
    )
    assert gold.known_answer_of(item, stage) == RIGHT
    lacking: list[dict[str, Any]] = [{"check": RIGHT}, {"state": ItemState.DROPPED}, {"result": None}]
    for lacks in lacking:
        assert gold.known_answer_of(replace(item, **lacks), stage) == {}, lacks
    with pytest.raises(NotFoundError):
        gold.make_gold(desk.workspace, desk.study.id + 1, decided)
    with pytest.raises(ConflictError, match="no known answer"):
        gold.drop_gold(desk.workspace, desk.study.id, decided, "because")
    # Whoever has not seen it goes first: its place may be after a question that is not known, of which one is left.
    keys = {person.id: answer_all(desk, person, RIGHT)[0] for person in reversed(people)}
    assert "gold-q0" not in keys[people[0].id] + keys[people[1].id]
    assert "gold-q0" in keys[people[2].id]
    assert get_item(desk.workspace, desk.study.id, decided).state == "done", "the item stays data"


@ON_A_FILE
def test_no_number_of_a_page_tells_a_known_answer_from_another_question(studio_workspace: Workspace) -> None:
    """Done and left make up the same, whichever is at hand; and every known answer is asked of as many people
    as the others."""
    desk = open_study(studio_workspace, [{**VOTE, "answers": 9, "majority": 9, "gold": {"share": 0.3}}])
    golds = known(desk, 6)
    desk.add("verify", [QUESTION] * 10)
    stage = get_stage(desk.workspace, desk.study.id, "verify")
    for _ in range(3):
        person, totals, kinds = desk.person(), set(), []
        while isinstance(work := next_work(desk.workspace, person.id), Work):
            mine = progress.own_progress(desk.workspace, person, stage)
            assert mine.left is not None
            totals.add(mine.done + mine.left + 1)
            kinds.append(work.item.check is not None)
            desk.submit(person, work, RIGHT)
        assert len(totals) == 1 and sum(kinds) in (4, 5) and len(kinds) == 10 + sum(kinds)
    asked = [len(judgements.list_judgements(desk.workspace, desk.study.id, number)) for number in golds]
    assert max(asked) - min(asked) <= 1


@ON_A_FILE
def test_a_known_answer_given_back_is_not_asked_again(studio_workspace: Workspace) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "check_every": 2}])
    known(desk, 2)
    desk.add("verify", [QUESTION] * 3)
    person, other = desk.person(), desk.person()
    desk.answer(person, WRONG)
    back = desk.work(person)
    assert back.item.key == "gold-0"
    leases.release(desk.workspace, person.id, back.assignment.id, skip=True)
    assert desk.work(person).item.key == "gold-1"
    desk.answer(other, WRONG)
    assert desk.work(other).assignment.id == back.assignment.id, "the slot is used again"


@ON_BOTH
def test_of_two_answers_sent_at_once_both_count(studio_workspace: Workspace) -> None:
    """Two windows of one person: whoever comes second sees what the first did."""
    desk = open_study(studio_workspace, [{**VOTE, "qualification": {"questions": 2, "pass_mark": 1.0}}])
    known(desk, 2, test=True)
    desk.add("verify", [QUESTION])
    person = desk.person()
    works = assignments.claim_batch(desk.workspace, person.id, "verify", 5, seconds=600)
    assert isinstance(works, tuple) and len(works) == 2
    with ThreadPoolExecutor(2) as pool:
        sent: Sequence[str] = list(pool.map(lambda work: desk.submit(person, work, RIGHT).then, works))
    assert sorted(sent) == ["", "passed"]


@ON_A_FILE
def test_a_test_that_is_made_shorter_ends_for_those_who_have_answered_enough(
    studio_workspace: Workspace,
) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "qualification": TEST}])
    known(desk, 4, test=True)
    desk.add("verify", [QUESTION])
    person = desk.person()
    answer_all(desk, person, RIGHT, most=2)
    with desk.workspace.write() as connection:
        stage = get_stage(desk.workspace, desk.study.id, "verify")
        config = {**stage.config, "qualification": {**stage.config["qualification"], "questions": 2}}
        connection.execute(schema.stages.update().filter_by(id=stage.id).values(config=config))
    assert desk.work(person).item.key == "q0"
