"""What people are told of time and pay before they work, and where the pay is below the stated wage."""

from __future__ import annotations

from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.studies.offers import LowPay, low_pay, low_reward, offer_for, offers_of, wage_of
from folkways_studio.studies.progress import payments
from folkways_studio.work.assignments import NoWork
from folkways_studio.workflows.definition import DefinitionError, read_definition
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, described, next_work, open_study
from tests.support.frozen_time import at_time

VOTE: dict[str, Any] = {"name": "vote", "kind": "vote", "answers": 6, "cap": 10, "minutes": 2}
WAGE = {"per_hour": 15000, "currency": "KRW", "exchange": 0.001, "source": "Ministry, 2026"}
PAY = {"per_answer": 0.5, "currency": "EUR", "wages": [WAGE]}


def offered(workspace: Workspace, **changes: Any) -> StudyFixture:
    study = open_study(workspace, [{**VOTE, **changes.pop("stage", {})}], **{"pay": PAY, **changes})
    study.add("vote", [{**QUESTION, "question": f"Question {number}?"} for number in range(4)])
    return study


@ON_A_FILE
def test_an_offer_is_tasks_time_pay_and_the_stated_wage(studio_workspace: Workspace) -> None:
    study = offered(studio_workspace)
    offer = offer_for(studio_workspace, study.record, study.person(), "korea")
    (stage,) = offer.stages
    assert (stage.tasks, stage.seconds, stage.measured) == (4, 120, 0)
    assert stage.per_hour == 15  # 30 answers of two minutes at 0.50
    assert offer.pays(stage) == 2 and stage.hours == pytest.approx(8 / 60)
    assert offer.wage is not None
    assert (offer.wage.per_hour, offer.wage.in_pay, offer.wage.source) == (15000, 15, "Ministry, 2026")
    assert offer.share(stage) == 1
    assert low_pay(studio_workspace, study.record) == ()  # as much is not less


@ON_A_FILE
@pytest.mark.parametrize("questions", [0, 2], ids=["no test", "a test"])
@pytest.mark.parametrize("known", [0, 1, 3])
@pytest.mark.parametrize("cap", [10, 3])
def test_an_offer_has_every_task_that_is_then_given(
    studio_workspace: Workspace, cap: int, known: int, questions: int
) -> None:
    """Also questions of known answer, among the work and in the test before it, which are paid as well."""
    test = {"qualification": {"questions": questions, "pass_mark": 0.5}} if questions else {}
    study = offered(studio_workspace, stage={"cap": cap, "gold": {"every": 2}, **test})
    for number in range(known + questions):
        asked = {**QUESTION, "question": f"Known {number}?"}
        is_of_test = number >= known
        add_items(
            studio_workspace, study.record.id, "vote",
            [NewItem(f"known-{number}", asked, None, {"choices": [0]}, is_of_test)],
        )  # fmt: skip
    person = study.person()
    (stage,) = offer_for(studio_workspace, study.record, person, "korea").stages
    tasks = 0
    while not isinstance(next_work(studio_workspace, person.id), NoWork):
        study.answer(person, {"choices": [0]})
        tasks += 1
    assert stage.tasks == tasks
    assert (stage.test is not None and (stage.test.questions, stage.test.needed)) == (questions and (2, 1))
    payment = next(each for each in payments(studio_workspace, study.record.id) if each.answers)
    assert payment.answers == tasks


@ON_A_FILE
def test_pay_below_the_wage_is_named_by_stage_and_population(studio_workspace: Workspace) -> None:
    study = offered(studio_workspace, pay={**PAY, "per_answer": 0.49})
    (low,) = low_pay(studio_workspace, study.record)
    assert (low.stage, low.population, low.currency) == ("vote", "korea", "EUR")
    assert (low.per_hour, low.wage) == (pytest.approx(14.7), 15)


@ON_A_FILE
def test_measured_times_take_the_place_of_expected_ones(studio_workspace: Workspace) -> None:
    study = offered(studio_workspace)
    for number, seconds in enumerate((60, 60, 60, 60, 3600)):  # the last held a break
        assert offers_of(studio_workspace, study.record)["korea"].stages[0].seconds == 120  # too few so far
        person, begin = study.person(), 1000.0 + 9000 * number
        work = at_time(begin, study.work, person)
        at_time(begin + seconds, study.submit, person, work, {"choices": [0]})
    stage = offers_of(studio_workspace, study.record)["korea"].stages[0]
    assert (stage.seconds, stage.measured, stage.per_hour) == (60, 5, 30)


@ON_A_FILE
def test_what_nobody_knows_is_not_said(studio_workspace: Workspace) -> None:
    study = offered(studio_workspace, stage={"minutes": None}, pay={**PAY, "per_answer": 0.01})
    offer = offers_of(studio_workspace, study.record)["korea"]
    (stage,) = offer.stages
    assert (stage.seconds, stage.per_hour, stage.tasks, offer.pays(stage)) == (None, None, None, None)
    assert offer.share(stage) is None and low_pay(studio_workspace, study.record) == ()


@ON_A_FILE
def test_an_hourly_pay_needs_no_time_to_be_compared(studio_workspace: Workspace) -> None:
    pay = {"per_hour": 12, "currency": "EUR", "wages": [{"per_hour": 13, "source": "Law"}]}
    study = offered(studio_workspace, stage={"minutes": None}, pay=pay)
    assert [(each.per_hour, each.wage) for each in low_pay(studio_workspace, study.record)] == [(12, 13)]
    assert low_pay(studio_workspace, open_study(studio_workspace, [VOTE], name="unpaid").record) == ()


def test_a_population_has_its_own_wage_before_that_of_everybody() -> None:
    wages = [{"per_hour": 10, "source": "Law"}, {"per_hour": 7, "source": "Union", "population": "wales"}]
    definition = {"pay": {"per_hour": 12, "currency": "GBP", "wages": wages}}
    assert [wage_of(definition, name).per_hour for name in ("wales", "england", None)] == [7, 10, 10]  # type: ignore[union-attr]
    assert wage_of({"pay": {"per_hour": 12, "currency": "GBP"}}, "wales") is None
    assert wage_of({}, "wales") is None


@pytest.mark.parametrize(
    ("wage", "problem"),
    [
        ({"per_hour": 9, "source": ""}, r"pay\.wages\[0\]\.source"),
        ({"source": "Law"}, r"pay\.wages\[0\]\.per_hour: is missing"),
        ({"per_hour": -1, "source": "Law"}, r"pay\.wages\[0\]\.per_hour: has to be a number above 0"),
        ({"per_hour": 9, "source": "Law", "currency": "KRW"}, r"exchange: is missing: how many EUR one KRW"),
        ({"per_hour": 9, "source": "Law", "currency": "won"}, "three capital letters"),
        ({"per_hour": 9, "source": "Law", "population": "mars"}, "'mars' is no population; valid: korea"),
        ({"per_hour": 9, "source": "Law", "place": "Seoul"}, "is no setting here; valid: population"),
    ],
)
def test_what_is_wrong_with_a_wage_is_said_with_its_place(wage: dict[str, Any], problem: str) -> None:
    with pytest.raises(DefinitionError, match=problem):
        read_definition(described([VOTE], pay={"per_hour": 1, "currency": "EUR", "wages": [wage]}))


def test_a_reward_is_compared_with_the_wage_of_its_population_by_the_hour() -> None:
    korean = {"population": "korea", "per_hour": 15000, "currency": "KRW", "exchange": 0.001, "source": "Law"}
    definition = {"pay": {**PAY, "wages": [korean, {"per_hour": 6, "source": "Law"}]}}
    assert low_reward(definition, "korea", 5, 20) is None
    assert low_reward(definition, "korea", 4.99, 20) == LowPay("", "korea", pytest.approx(14.97), 15, "EUR")
    assert low_reward(definition, "japan", 2, 20) is None
    assert low_reward({}, "korea", 0.01, 600) is None
