"""How long people worked, by hand: a lunch is no work, and what is owed follows from the study's rate."""

from __future__ import annotations

from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.items.table_files import read_workbook
from folkways_studio.people import participants
from folkways_studio.people.quality_status import save_quality_status
from folkways_studio.records import QualificationStatus
from folkways_studio.studies.service import get_stage
from folkways_studio.studies.working_time import WorkingTime, rate_of, without_breaks, working_times
from folkways_studio.work import assignments, judgements
from folkways_studio.work.offline import export_workbook, import_workbook
from folkways_studio.workflows.definition import DefinitionError, read_definition
from studio.tests.support.studies import ON_A_FILE, QUESTION, described, next_work, open_study
from tests.support.frozen_time import at_time

MORNING = 1_700_000_000.0
STAGES = [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2, "lease_minutes": 600}]


@pytest.mark.parametrize(
    ("seconds", "usual", "cleaned"),
    [
        ([10, 20, 30, 40, 50, 9000], 25, [10, 20, 30, 40, 50, 30]),  # five of one's own: their median
        ([10, 9000], 25, [10, 25]),  # else the stage's
        ([119, 120, 121], 10, [119, 120, 10]),  # nobody takes a break in less than two minutes
        ([500, 501], 100, [500, 100]),
    ],
)
def test_a_break_counts_as_long_as_somebody_usually_takes(
    seconds: list[float], usual: float, cleaned: list[float]
) -> None:
    assert without_breaks(seconds, usual) == cleaned


@ON_A_FILE
def test_time_and_pay_of_everybody_who_worked(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, STAGES, pay={"per_hour": 12, "per_answer": 0.5, "currency": "EUR"})
    study.add("verify", [QUESTION] * 3)
    kim, lee, _ = (study.person() for _ in range(3))
    for person, times in ((kim, (30.0, 50.0, 7200.0)), (lee, (40.0,))):
        for number, seconds in enumerate(times):
            begin = 1000.0 + 9000 * number
            work = at_time(begin, next_work, study.workspace, person.id)
            assert isinstance(work, assignments.Work)
            at_time(
                begin + seconds,
                judgements.submit,
                study.workspace,
                person.id,
                work.assignment.id,
                {"choices": [1]},
                f"{person.id}-{number}",
            )
    participants.withdraw(study.workspace, study.record.id, lee.id)
    worked = 30 + 50 + 45  # half of 30, 40, 50 and 7200 took longer than 45 seconds
    assert working_times(study.workspace, study.record.id) == (
        WorkingTime(
            kim.id, kim.pseudonym, "active", 3, 45.0, worked / 3600, 1, round(12 * worked / 3600 + 1.5, 2)
        ),
        WorkingTime(
            lee.id, lee.pseudonym, "withdrawn", 1, 40.0, 40 / 3600, 0, round(12 * 40 / 3600 + 0.5, 2)
        ),
    )
    plain = open_study(studio_workspace, STAGES, name="plain")
    assert rate_of(plain.record.definition) is None and working_times(studio_workspace, plain.record.id) == ()


@pytest.mark.parametrize(
    ("minutes", "own_times", "times_of_another", "off_line"),
    [
        (3, (), (20.0, 40.0, 60.0), 40.0),  # what is usual in the stage
        (3, (10.0, 11.0, 12.0, 13.0, 90.0), (20.0, 40.0, 60.0), 12.0),  # of five of one's own, their median
        (3, (), (), 180.0),  # what the study expects
        (None, (), (), None),
    ],
)
@ON_A_FILE
def test_an_answer_from_a_workbook_counts_as_long_as_one_usually_takes(
    studio_workspace: Workspace,
    minutes: float | None,
    own_times: tuple[float, ...],
    times_of_another: tuple[float, ...],
    off_line: float | None,
) -> None:
    expected = {} if minutes is None else {"minutes": minutes}
    study = open_study(studio_workspace, [{**STAGES[0], **expected}], pay={"per_hour": 12, "currency": "EUR"})
    study.add("verify", [QUESTION] * 8)
    kim, lee = study.person(), study.person()
    for person, times in ((kim, own_times), (lee, times_of_another)):
        for number, seconds in enumerate(times):
            begin = MORNING + 1000 * number
            work = at_time(begin, next_work, study.workspace, person.id)
            assert isinstance(work, assignments.Work)
            answer = (
                study.workspace,
                person.id,
                work.assignment.id,
                {"choices": [1]},
                f"{person.id}-{number}",
            )
            at_time(begin + seconds, judgements.submit, *answer)
    content = at_time(MORNING + 9000, export_workbook, study.workspace, kim.id, "verify", 2)
    filled = [{**row, "choices": "A"} for row in read_workbook(content)]
    at_time(MORNING + 99000, import_workbook, study.workspace, kim.id, filled)
    times = {each.pseudonym: each for each in working_times(study.workspace, study.record.id)}
    assert times[kim.pseudonym].answers == len(own_times) + 2
    assert times[kim.pseudonym].hours * 3600 == pytest.approx(sum(own_times) + 2 * (off_line or 0.0))
    assert times[kim.pseudonym].breaks == 0


@pytest.mark.parametrize(
    ("pay", "problem"),
    [
        ({"currency": "EUR"}, "pay: needs per_hour, per_answer or both"),
        ({"per_hour": "12", "currency": "EUR"}, "pay.per_hour: has to be a number above 0, not '12'"),
        (
            {"per_answer": float("inf"), "currency": "EUR"},
            "pay.per_answer: has to be a number above 0, not inf",
        ),
        ({"per_hour": 12}, "pay.currency: has to be three capital letters, such as EUR, not None"),
        ({"per_hour": 12, "currency": "EUR", "per_day": 1}, "pay.per_day: is no setting here"),
        ("12 EUR", "pay: has to be a mapping, not '12 EUR'"),
    ],
)
def test_a_rate_that_cannot_be_is_named_with_its_place(pay: Any, problem: str) -> None:
    with pytest.raises(DefinitionError, match=problem):
        read_definition(described(STAGES, pay=pay))


@pytest.mark.parametrize("paid", [False, True])
def test_a_training_is_paid_only_where_the_study_says_so(studio_workspace: Workspace, paid: bool) -> None:
    pay = {"per_hour": 36, "per_answer": 1, "currency": "EUR", "training": paid}
    study = open_study(studio_workspace, [{"name": "vote", "kind": "vote"}], pay=pay)
    person = study.person()
    stage = get_stage(studio_workspace, study.record.id, "vote")
    with studio_workspace.write() as connection:
        progress = {"answered": 2, "right": 1, "since": None, "seconds": 100.0, "done": True}
        save_quality_status(connection, QualificationStatus(person.id, stage.id, training=progress))
    rows = working_times(studio_workspace, study.record.id)
    assert [each.pay for each in rows] == ([3.0] if paid else [])  # 100 s at 36 an hour, and two cases
    assert [each.answers for each in rows] == ([0] if paid else [])
