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
    study: StudyFixture, count: int, *, test: bool = False, population: str | None = "korea"
) -> list[int]:
    """Questions of known answer; their ids."""
    name = "test" if test else "gold"
    new = [NewItem(f"{name}-{number}", QUESTION, population, RIGHT, test) for number in range(count)]
    return [item.id for item in add_items(study.workspace, study.record.id, "verify", new)]


def state(study: StudyFixture, person: Participant) -> str:
    return participants.get_participant(study.workspace, person.id).state


def answer_all(
    study: StudyFixture, person: Participant, said: Mapping[str, Any], most: int = 100
) -> tuple[list[str], str]:
    """Answer questions of known answer with ``said`` and others with WRONG; what was given, and what the last
    one led to."""
    keys, then = [], ""
    while len(keys) < most and isinstance(work := next_work(study.workspace, person.id), Work):
        keys.append(work.item.key)
        then = study.submit(person, work, said if work.item.check else WRONG).then
        if then:
            break
    return keys, then


def test_whoever_passes_the_test_works_and_whoever_fails_twice_does_not(studio_workspace: Workspace) -> None:
    study = open_study(
        studio_workspace, [{**VOTE, "qualification": TEST}], prolific={"completed": "C", "screened_out": "S"}
    )
    known(study, 9, test=True)
    study.add("verify", [QUESTION] * 3)
    able, unable = study.person(), study.person()
    keys, then = answer_all(study, able, RIGHT)
    assert (len(keys), then) == (4, "passed") and all(key.startswith("test-") for key in keys)
    assert study.work(able).item.key == "q0"

    first, then = answer_all(study, unable, WRONG)
    assert then == "again" and state(study, unable) == ParticipantState.ACTIVE
    second, then = answer_all(study, unable, WRONG)
    assert then == "failed" and not {*first} & {*second}, "nobody is asked the same twice"
    assert state(study, unable) == ParticipantState.FAILED
    assert study.nothing(unable) == "not_active"
    stage = get_stage(study.workspace, study.record.id, "verify")
    assert progress.own_progress(study.workspace, unable, stage).left == 0
    paid = {each.pseudonym: each.code for each in progress.payments(study.workspace, study.record.id)}
    assert paid == {able.pseudonym: "C", unable.pseudonym: "S"}
    (row,) = stored(study.workspace, schema.standings, participant_id=unable.id)
    assert (row["test"], row["tries"], row["right"], row["asked"]) == ("failed", 2, 0, 4)

    with pytest.raises(SubmissionError):
        suspension.waive_test(study.workspace, study.record.id, unable.id, "verify", " ")
    suspension.waive_test(
        study.workspace, study.record.id, unable.id, "verify", "the sound was off", by=study.owner
    )
    assert study.work(unable).item.key == "q0"


@ON_A_FILE
def test_a_test_counts_to_its_end_and_cannot_begin_with_too_few_questions(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, [{**VOTE, "qualification": TEST}])
    known(study, 3, test=True)
    study.add("verify", [QUESTION])
    person, stage = study.person(), get_stage(study.workspace, study.record.id, "verify")
    assert gold.lacking(study.workspace, study.record.id) == (gold.MissingGold("verify", "korea", 3, 4),)
    assert study.nothing(person) == "none_left"
    add_items(study.workspace, study.record.id, "verify", [NewItem("more", QUESTION, None, RIGHT, True)])
    assert gold.lacking(study.workspace, study.record.id) == ()
    seen = []
    for _ in range(4):
        work = study.work(person)
        mine = progress.own_progress(study.workspace, person, stage)
        seen.append((mine.done, mine.left))
        study.submit(person, work, RIGHT)
    assert seen == [(0, 3), (1, 2), (2, 1), (3, 0)]
    mine = progress.own_progress(study.workspace, person, stage)
    assert (mine.done, mine.left) == (0, 1), "the test is no work"
    again = study.person()
    answer_all(study, again, WRONG)
    assert state(study, again) == ParticipantState.FAILED, "no other four questions are left for a second try"


@ON_A_FILE
def test_a_test_is_of_the_populations_that_it_names(studio_workspace: Workspace) -> None:
    populations = [{"name": "korea", "culture": "KR"}, {"name": "peru", "culture": "PE"}]
    stage = {**VOTE, "qualification": {**TEST, "populations": ["peru"]}}
    study = open_study(studio_workspace, [stage, {**VOTE, "name": "again"}], populations=populations)
    assert [each.population for each in gold.lacking(study.workspace, study.record.id)] == ["peru"]
    known(study, 4, test=True, population="peru")
    study.add("verify", [QUESTION], population=None)
    assert study.work(study.person("korea"), "verify").item.key == "q0"
    peru = study.person("peru")
    assert study.work(peru, "verify").item.key == "test-0"
    answer_all(study, peru, WRONG)
    assert state(study, peru) == ParticipantState.ACTIVE, "there is another stage without a test"
    assert study.nothing(peru, "verify") == "failed"


def test_rules_warn_then_pause_then_exclude(studio_workspace: Workspace) -> None:
    stage = {**VOTE, "gold": {"every": 2, "rules": RULES}}
    study = open_study(studio_workspace, [stage], prolific={"completed": "C"})
    known(study, 12)
    study.add("verify", [QUESTION] * 40)
    person = study.person()
    keys, then = answer_all(study, person, WRONG)
    assert (sum(key.startswith("gold") for key in keys), then) == (5, "warn")
    assert state(study, person) == ParticipantState.ACTIVE
    keys, then = answer_all(study, person, WRONG)
    assert (sum(key.startswith("gold") for key in keys), then) == (1, "pause")
    found = participants.get_participant(study.workspace, person.id)
    assert (found.state, found.pause) == (ParticipantState.PAUSED, "0 of 6 known answers right in verify")
    assert study.nothing(person) == "not_active"

    suspension.resume(study.workspace, study.record.id, person.id, "we talked", by=study.owner)
    keys, then = answer_all(study, person, WRONG)
    assert (sum(key.startswith("gold") for key in keys), then) == (5, "warn"), "counted anew, and warned anew"
    with pytest.raises(ConflictError, match="not paused"):
        suspension.resume(study.workspace, study.record.id, person.id, "once more")


def test_whoever_is_excluded_is_paid_and_their_answers_are_no_data(studio_workspace: Workspace) -> None:
    rules = [{"then": "exclude", "pay": "completed"}]
    study = open_study(
        studio_workspace, [{**VOTE, "gold": {"every": 2, "rules": rules}}], prolific={"completed": "C"}
    )
    known(study, 5)
    first, *_ = study.add("verify", [QUESTION] * 10)
    careful, careless = study.person(), study.person()
    answer_all(study, careful, RIGHT, most=2)  # one of each sort
    keys, then = answer_all(study, careless, WRONG)
    assert (sum(key.startswith("gold") for key in keys), then) == (5, "exclude")
    assert (
        participants.get_participant(study.workspace, careless.id).exclusion
        == "0 of 5 known answers right in verify"
    )
    assert state(study, careless) == ParticipantState.EXCLUDED and study.nothing(careless) == "not_active"
    (paid,) = [
        each
        for each in progress.payments(study.workspace, study.record.id)
        if each.pseudonym == careless.pseudonym
    ]
    assert (paid.code, paid.answers) == ("C", len(keys))
    assert [*take_snapshot(study.workspace, study.record.id).people.values()] == [careful.pseudonym]
    assert agreement.agreement(study.workspace, study.record.id)[0].percent.units == 0
    assert get_item(study.workspace, study.record.id, first).state == "open", (
        "somebody else is asked in their place"
    )
    assert [each.right for each in gold.known_answers(study.workspace, study.record.id).people] == [1, 0], (
        "why is still told"
    )


@ON_A_FILE
def test_a_careful_person_is_neither_warned_nor_held(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "gold": {"share": 0.5, "rules": RULES}}])
    known(study, 20)
    study.add("verify", [QUESTION] * 21)
    person = study.person()
    thens = []
    for number in range(40):
        work = study.work(person)
        wrong = work.item.check is None or number % 10 == 9
        thens.append(study.submit(person, work, WRONG if wrong else RIGHT).then)
    assert set(thens) == {""} and state(study, person) == ParticipantState.ACTIVE


def test_known_answers_are_no_data_and_their_figures_are_told(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "answers": 3, "majority": 2, "gold": {"every": 3}}])
    first, second = known(study, 2)
    study.add("verify", [QUESTION] * 5)
    people = [study.person() for _ in range(3)]
    for person, said in zip(people, (RIGHT, RIGHT, WRONG), strict=True):
        keys, _ = answer_all(study, person, said)
        assert len(keys) == len(set(keys)) == 7
    found = agreement.agreement(study.workspace, study.record.id)
    assert found[0].percent.units == 5 and found[0].percent.value == 1.0
    assert not {first, second} & {*take_snapshot(study.workspace, study.record.id).items}
    told = gold.known_answers(study.workspace, study.record.id)
    assert [(each.participant.id, each.stage, each.asked, each.right) for each in told.people] == [
        (people[0].id, "verify", 2, 2), (people[1].id, "verify", 2, 2), (people[2].id, "verify", 2, 0),
    ]  # fmt: skip
    assert [(each.item.id, each.asked, each.right) for each in told.items] == [(first, 3, 2), (second, 3, 2)]
    files = export_files(study.workspace, study.record.id, "csv")
    by_person = files["known_answers_by_person.csv"].decode("utf-8-sig").splitlines()
    assert by_person[0].startswith("participant,state,stage,test,") and len(by_person) == 4
    assert "gold-0" in files["known_answers_by_item.csv"].decode()
    assert "gold-" not in files["items.csv"].decode() + files["judgements.csv"].decode()
    assert not any("known" in name for name in export_files(study.workspace, study.record.id, "hub"))

    gold.drop_gold(study.workspace, study.record.id, second, "the answer is wrong", by=study.owner)
    told = gold.known_answers(study.workspace, study.record.id)
    assert [each.asked for each in told.people] == [1, 1, 1]
    participants.withdraw(study.workspace, study.record.id, people[2].id)
    told = gold.known_answers(study.workspace, study.record.id)
    assert len(told.people) == 2 and [(each.asked, each.right) for each in told.items] == [(2, 2), (2, 2)]


@ON_A_FILE
def test_nobody_is_tested_or_checked_where_no_work_follows(studio_workspace: Workspace) -> None:
    test = {"questions": 2, "pass_mark": 0.5}
    stages = [{**VOTE, "answers": 1, "majority": 1, "qualification": test, "gold": {"every": 2}}]
    study = open_study(studio_workspace, stages)
    known(study, 4, test=True)
    known(study, 9)
    stage = get_stage(study.workspace, study.record.id, "verify")
    person, late = study.person(), study.person()
    assert study.nothing(person) == "none_left"
    assert progress.tasks_ahead(study.workspace, person) == [(stage, 0)]
    study.add("verify", [QUESTION] * 3)
    assert progress.own_progress(study.workspace, person, stage).left == 2
    assert study.work(late).item.test
    assert answer_all(study, person, RIGHT)[1] == "passed"
    keys, _ = answer_all(study, person, RIGHT)
    assert keys[-1] == "q2" and {"q0", "q1", "gold-0", "gold-1"} <= {*keys}
    assert study.work(late).item.test, "what is at hand stays"
    study.answer(late, RIGHT)
    assert study.nothing(late) == "none_left"
    for each in (person, late):
        assert progress.own_progress(study.workspace, each, stage).left == 0


@ON_A_FILE
def test_a_known_answer_that_most_people_contradict_is_to_be_looked_at(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "gold": {"every": 2}}])
    known(study, 1)
    # Six people may each be asked two others first, and nobody is asked a known one after the last other.
    study.add("verify", [QUESTION] * 7, population=None)
    doubtful = []
    for _ in range(6):
        person = study.person()
        while isinstance(work := next_work(study.workspace, person.id), Work):
            study.submit(person, work, WRONG)
            if work.item.check:
                break
        doubtful.append(gold.known_answers(study.workspace, study.record.id).items[0].is_doubtful)
    assert doubtful[0] is False and doubtful[-1] is True


@ON_A_FILE
def test_a_decided_item_becomes_a_question_of_known_answer_for_those_who_have_not_seen_it(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, [{**VOTE, "gold": {"every": 2}}])
    decided, still_open, _ = study.add("verify", [QUESTION] * 3)
    people = [study.person() for _ in range(3)]
    for person in people[:2]:
        study.answer(person, RIGHT)
    with pytest.raises(ConflictError, match="nothing is decided"):
        gold.make_gold(study.workspace, study.record.id, still_open)
    made = gold.make_gold(study.workspace, study.record.id, decided, by=study.owner)
    assert (made.key, made.check, made.parent_id, made.test) == ("gold-q0", RIGHT, decided, None)
    with pytest.raises(ConflictError, match="already"):
        gold.make_gold(study.workspace, study.record.id, decided)
    stage, item = (
        get_stage(study.workspace, study.record.id, "verify"),
        get_item(study.workspace, study.record.id, decided),
    )
    assert gold.known_answer_of(item, stage) == RIGHT
    lacking: list[dict[str, Any]] = [{"check": RIGHT}, {"state": ItemState.DROPPED}, {"result": None}]
    for lacks in lacking:
        assert gold.known_answer_of(replace(item, **lacks), stage) == {}, lacks
    with pytest.raises(NotFoundError):
        gold.make_gold(study.workspace, study.record.id + 1, decided)
    with pytest.raises(ConflictError, match="no known answer"):
        gold.drop_gold(study.workspace, study.record.id, decided, "because")
    # Whoever has not seen it goes first: its place may be after a question that is not known, of which one is left.
    keys = {person.id: answer_all(study, person, RIGHT)[0] for person in reversed(people)}
    assert "gold-q0" not in keys[people[0].id] + keys[people[1].id]
    assert "gold-q0" in keys[people[2].id]
    assert get_item(study.workspace, study.record.id, decided).state == "done", "the item stays data"


@ON_A_FILE
def test_no_number_of_a_page_tells_a_known_answer_from_another_question(studio_workspace: Workspace) -> None:
    """Done and left make up the same, whichever is at hand; and every known answer is asked of as many people
    as the others."""
    study = open_study(studio_workspace, [{**VOTE, "answers": 9, "majority": 9, "gold": {"share": 0.3}}])
    golds = known(study, 6)
    study.add("verify", [QUESTION] * 10)
    stage = get_stage(study.workspace, study.record.id, "verify")
    for _ in range(3):
        person, totals, kinds = study.person(), set(), []
        while isinstance(work := next_work(study.workspace, person.id), Work):
            mine = progress.own_progress(study.workspace, person, stage)
            assert mine.left is not None
            totals.add(mine.done + mine.left + 1)
            kinds.append(work.item.check is not None)
            study.submit(person, work, RIGHT)
        assert len(totals) == 1 and sum(kinds) in (4, 5) and len(kinds) == 10 + sum(kinds)
    asked = [len(judgements.list_judgements(study.workspace, study.record.id, number)) for number in golds]
    assert max(asked) - min(asked) <= 1


@ON_A_FILE
def test_a_known_answer_given_back_is_not_asked_again(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "check_every": 2}])
    known(study, 2)
    study.add("verify", [QUESTION] * 3)
    person, other = study.person(), study.person()
    study.answer(person, WRONG)
    back = study.work(person)
    assert back.item.key == "gold-0"
    leases.release(study.workspace, person.id, back.assignment.id, skip=True)
    assert study.work(person).item.key == "gold-1"
    study.answer(other, WRONG)
    assert study.work(other).assignment.id == back.assignment.id, "the slot is used again"


@ON_BOTH
def test_of_two_answers_sent_at_once_both_count(studio_workspace: Workspace) -> None:
    """Two windows of one person: whoever comes second sees what the first did."""
    study = open_study(studio_workspace, [{**VOTE, "qualification": {"questions": 2, "pass_mark": 1.0}}])
    known(study, 2, test=True)
    study.add("verify", [QUESTION])
    person = study.person()
    works = assignments.claim_batch(study.workspace, person.id, "verify", 5, seconds=600)
    assert isinstance(works, tuple) and len(works) == 2
    with ThreadPoolExecutor(2) as pool:
        sent: Sequence[str] = list(pool.map(lambda work: study.submit(person, work, RIGHT).then, works))
    assert sorted(sent) == ["", "passed"]


@ON_A_FILE
def test_a_test_that_is_made_shorter_ends_for_those_who_have_answered_enough(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, [{**VOTE, "qualification": TEST}])
    known(study, 4, test=True)
    study.add("verify", [QUESTION])
    person = study.person()
    answer_all(study, person, RIGHT, most=2)
    with study.workspace.write() as connection:
        stage = get_stage(study.workspace, study.record.id, "verify")
        config = {**stage.config, "qualification": {**stage.config["qualification"], "questions": 2}}
        connection.execute(schema.stages.update().filter_by(id=stage.id).values(config=config))
    assert study.work(person).item.key == "q0"
