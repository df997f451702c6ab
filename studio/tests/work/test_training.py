"""The training before a stage: who has to go through it, and that nothing of it becomes data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows
from folkways_studio.errors import ConflictError
from folkways_studio.exports.archive import export_files
from folkways_studio.people.quality_status import quality_status
from folkways_studio.records import Participant, Role
from folkways_studio.studies import agreement
from folkways_studio.studies.progress import payments
from folkways_studio.studies.service import get_stage
from folkways_studio.studies.working_time import working_times
from folkways_studio.work import assignments, judgements, training
from folkways_studio.work.assignments import NoWork
from folkways_studio.workflows.manuals import cases_of
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, open_study, stored

MANUAL = """Choose what is right.

## training
### The first case
- [x] Rice
  Most people say so.
- [ ] Stone
  Nobody eats it.
### The second case
- [x] Tea
  Usual.
- [x] Coffee
  Usual as well.
- [ ] Sand
  Nobody drinks it.
"""
VOTE: Mapping[str, Any] = {
    "name": "verify", "kind": "vote", "answers": 2, "majority": 2, "manual": MANUAL, "cap": 3,
}  # fmt: skip
CASES = list(cases_of(MANUAL))


def go_through(study: StudyFixture, person: Participant, stage: str = "verify") -> training.TrainingProgress:
    """Answer every case, the second wrongly."""
    of = get_stage(study.workspace, study.record.id, stage)
    training.answer_case(study.workspace, person.id, of, 1, [0], CASES)
    return training.answer_case(study.workspace, person.id, of, 2, [0], CASES)


def trained(study: StudyFixture, person: Participant) -> training.TrainingProgress:
    stage = get_stage(study.workspace, study.record.id, "verify")
    with study.workspace.read() as connection:
        return training.training_progress(quality_status(connection, person.id, stage.id))


def test_nobody_is_given_work_of_a_stage_before_its_training(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE])
    study.add("verify", [QUESTION])
    person = study.person()
    for batch in (False, True):
        claimed = (
            assignments.claim_batch(study.workspace, person.id, "verify", 3, seconds=60)
            if batch
            else assignments.claim_slot(study.workspace, person.id)
        )
        assert claimed == NoWork("training", "verify")
    stage = get_stage(study.workspace, study.record.id, "verify")
    training.answer_case(study.workspace, person.id, stage, 1, [1], CASES)
    assert study.nothing(person) == "training"  # half of it is not enough
    assert training.answer_case(study.workspace, person.id, stage, 2, [0, 1], CASES).done
    assert study.work(person).item.key == "q0"


@ON_A_FILE
def test_an_answer_of_somebody_untrained_is_refused(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "training": False}])
    study.add("verify", [QUESTION])
    person = study.person()
    held = study.work(person)
    stage = get_stage(study.workspace, study.record.id, "verify")
    with study.workspace.write() as connection:  # the study is given a training while the task is at hand
        change_rows(connection, schema.stages, {"id": stage.id}, config={**stage.config, "training": True})
    with pytest.raises(ConflictError, match="begins with a training"):
        judgements.submit(study.workspace, person.id, held.assignment.id, {"choices": [0]}, "key")
    assert stored(study.workspace, schema.judgements) == []
    assert study.nothing(person) == "training"
    go_through(study, person)
    assert study.answer(person, {"choices": [0]}).assignment.id == held.assignment.id


@ON_A_FILE
def test_who_has_answered_before_there_was_a_training_goes_on(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "training": False}])
    study.add("verify", [QUESTION, {**QUESTION, "question": "And then?"}])
    person = study.person()
    study.answer(person, {"choices": [0]})
    stage = get_stage(study.workspace, study.record.id, "verify")
    with study.workspace.write() as connection:
        change_rows(connection, schema.stages, {"id": stage.id}, config={**stage.config, "training": True})
    assert study.work(person).item.key == "q1"
    assert study.nothing(study.person()) == "training"


@ON_A_FILE
def test_cases_come_in_order_and_count_once(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE])
    person = study.person()
    stage = get_stage(study.workspace, study.record.id, "verify")
    with pytest.raises(ConflictError, match="not the next"):
        training.answer_case(study.workspace, person.id, stage, 2, [0, 1], CASES)
    training.answer_case(study.workspace, person.id, stage, 1, [0], CASES)
    again = training.answer_case(study.workspace, person.id, stage, 1, [1], CASES)  # another tab
    assert (again.answered, again.right, again.done) == (1, 1, False)
    after = training.answer_case(study.workspace, person.id, stage, 2, [0], CASES)
    assert (after.answered, after.right, after.done) == (2, 1, True)  # one of two right answers is not right
    with pytest.raises(ConflictError, match="not the next"):
        training.answer_case(study.workspace, person.id, stage, 3, [0], CASES)
    assert trained(study, person) == after


@ON_A_FILE
def test_nothing_of_a_training_is_data(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE])
    study.add("verify", [QUESTION])
    people = [study.person(), study.person()]
    for person in people:
        go_through(study, person)
    assert stored(study.workspace, schema.judgements) == [] and stored(
        study.workspace, schema.assignments, "id"
    )
    before = export_files(study.workspace, study.record.id, "csv", discussion=False)
    assert not any(
        b"Stone" in content or b"Rice" in content for name, content in before.items() if "study" not in name
    )
    for person in people:
        study.answer(person, {"choices": [2]})
    (item,) = stored(study.workspace, schema.items)
    assert item["result"]["gold"] == [2]  # the right answers of the cases are positions 0 and 0, 1
    assert len(stored(study.workspace, schema.judgements)) == 2
    untrained = open_study(studio_workspace, [{**VOTE, "training": False}], name="no-training")
    untrained.add("verify", [QUESTION])
    for _ in people:
        untrained.answer(untrained.person(), {"choices": [2]})
    assert agreement.agreement(study.workspace, study.record.id) == agreement.agreement(
        study.workspace, untrained.record.id
    )


@ON_A_FILE
def test_the_same_training_is_gone_through_once(studio_workspace: Workspace) -> None:
    stages = [{**VOTE, "role": "expert"}, {**VOTE, "name": "again", "role": "expert"}]
    study = open_study(studio_workspace, stages)
    study.add("again", [QUESTION], None)
    expert = study.person(role=Role.EXPERT)
    assert study.nothing(expert, "again") == "training"
    go_through(study, expert)  # of verify
    assert study.work(expert, "again")


@ON_A_FILE
def test_a_stage_without_work_asks_for_no_training(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE, {**VOTE, "name": "second"}])
    study.add("second", [QUESTION])
    person = study.person()
    claimed = assignments.claim_slot(study.workspace, person.id)
    assert claimed == NoWork("training", "second")


@ON_A_FILE
def test_the_log_tells_how_many_were_right_and_no_answer(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE])
    go_through(study, study.person())
    with study.workspace.read() as connection:
        details = connection.scalars(
            sa.select(schema.events.c.details).where(schema.events.c.kind == "participant.trained")
        ).all()
    assert details == [{"stage": "verify", "right": 1, "asked": 2}]


def test_those_who_run_a_study_see_who_is_in_training_and_who_is_through(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE, {**VOTE, "name": "again"}])
    other = open_study(studio_workspace, [VOTE], name="other")
    done, begun, looking, absent = (study.person() for _ in range(4))
    go_through(study, done)
    of = get_stage(study.workspace, study.record.id, "verify")
    training.answer_case(study.workspace, begun.id, of, 1, [0], CASES)
    training.show_case(study.workspace, looking.id, get_stage(study.workspace, study.record.id, "again"))
    go_through(other, other.person())
    people = training.trainings(studio_workspace, study.record.id)
    assert {
        person: [
            (one.stage, one.progress.answered, one.progress.right, one.cases, one.progress.done)
            for one in all_of
        ]
        for person, all_of in people.items()
    } == {
        done.id: [("verify", 2, 1, 2, True)],
        begun.id: [("verify", 1, 1, 2, False)],
        looking.id: [("again", 0, 0, 2, False)],
    }
    assert absent.id not in people


@ON_A_FILE
@pytest.mark.parametrize("paid", [True, False])
def test_who_is_owed_for_training_alone_is_among_the_payments(
    studio_workspace: Workspace, paid: bool
) -> None:
    """Without the code for work that is done; "Time and pay" and "Payments (CSV)" are of the same people."""
    pay = {"per_answer": 0.5, "currency": "EUR", "training": paid}
    study = open_study(studio_workspace, [VOTE], pay=pay, prolific={"completed": "DONE"})
    study.add("verify", [QUESTION])
    came, trained_only, worker = (study.person() for _ in range(3))
    training.show_case(study.workspace, came.id, get_stage(study.workspace, study.record.id, "verify"))
    go_through(study, trained_only)
    go_through(study, worker)
    study.answer(worker, {"choices": [0]})
    owed = {each.pseudonym: each.pay for each in working_times(study.workspace, study.record.id)}
    assert owed == ({trained_only.pseudonym: 1.0, worker.pseudonym: 1.5} if paid else {worker.pseudonym: 0.5})
    rows = {each.pseudonym: (each.answers, each.code) for each in payments(study.workspace, study.record.id)}
    assert rows == {**({trained_only.pseudonym: (0, None)} if paid else {}), worker.pseudonym: (1, "DONE")}
