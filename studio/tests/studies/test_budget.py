"""What a study costs, by hand: so far, per answer, and by the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.evidence.samples import mean_of_units
from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import inserted_id
from folkways_studio.people import accounts, participants, sessions
from folkways_studio.records import Participant, Role, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.studies.budget import Budget, answers_ahead, budgets
from folkways_studio.web.app import create_app
from folkways_studio.workflows.definition import DefinitionError, read_definition
from folkways_studio.workflows.editing import Use, compare
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, described, open_study, stored
from tests.support.frozen_time import at_time

VOTE = {"name": "verify", "kind": "vote", "answers": 2, "majority": 2}
PAY = {"per_answer": 0.5, "currency": "EUR"}


def questions(count: int) -> list[dict[str, Any]]:
    return [{**QUESTION, "question": f"{number}?"} for number in range(count)]


def vote(study: StudyFixture, person: Participant, seconds: float, at: float = 1000.0) -> int:
    work = at_time(at, study.work, person)
    at_time(at + seconds, study.submit, person, work, {"choices": [0]})
    return work.item.id


def call(study: StudyFixture, person: int | None, item: int | None, usd: float | None) -> None:
    row = {
        "study_id": study.record.id, "item_id": item, "participant_id": person, "purpose": "suggester",
        "endpoint": "small", "run": "", "prompt": "?", "created": 1.0, "usd": usd,
    }  # fmt: skip
    with study.workspace.write() as connection:
        inserted_id(connection, schema.model_calls, row)


def only(study: StudyFixture) -> Budget:
    (budget,) = budgets(study.workspace, study.record)
    return budget


@ON_A_FILE
def test_pay_by_the_answer_is_known_to_the_end(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE], pay={**PAY, "budget": 4})
    assert only(study).per_answer is None and only(study).ahead == 0
    study.add("verify", questions(4))
    person = study.person()
    for number in range(3):
        vote(study, person, 60, 1000.0 * number)
    budget = only(study)
    assert (budget.of, budget.currency, budget.spent, budget.answers) == ("people", "EUR", 1.5, 3)
    assert (budget.per_answer, budget.ahead, budget.limit, budget.trouble) == (0.5, 5, 4, "")
    assert budget.total is not None
    assert (budget.total.low, budget.total.mean, budget.total.high) == (4, 4, 4)
    assert replace(budget, spent=4).trouble == "spent", "nothing is left"
    # Whoever withdraws is paid, and their answers are asked for again.
    participants.withdraw(studio_workspace, study.record.id, person.id)
    budget = only(study)
    assert (budget.spent, budget.ahead, budget.trouble) == (1.5, 8, "exceeds")
    assert budget.total is not None and budget.total.mean == 5.5
    researcher = study.person(role=Role.RESEARCHER)
    assert only(study).spent == 1.5, researcher
    studies.set_state(studio_workspace, study.record.id, StudyState.CLOSED)
    closed = studies.get_study(studio_workspace, study.record.id)
    (budget,) = budgets(studio_workspace, closed)
    assert (budget.ahead, budget.trouble) == (0, "") and budget.total is not None and budget.total.mean == 1.5


@ON_A_FILE
def test_pay_by_the_hour_is_forecast_from_how_long_answers_take_with_an_interval_over_people(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, [{**VOTE, "minutes": 3}], pay={"per_hour": 36, "currency": "EUR"})
    study.add("verify", questions(10))
    budget = only(study)
    assert budget.total is not None and not budget.total.has_interval
    assert budget.total.mean == pytest.approx(20 * 0.05 * 36), "as long as the study expects"
    fast, slow = study.person(), study.person()
    for number in range(4):
        vote(study, fast, 10, 1000.0 * number)

    assert not only(study).total.has_interval, "four answers are too few"  # type: ignore[union-attr]
    for number in range(4):
        vote(study, slow, 50, 1000.0 * number)
    budget = only(study)
    assert (budget.spent, budget.answers, budget.ahead) == (pytest.approx(2.4), 8, 12)
    assert budget.total is not None and budget.total.has_interval
    assert budget.total.mean == pytest.approx(2.4 + 12 * 0.3)
    hours = {1: [10 / 3600] * 4, 2: [50 / 3600] * 4}
    interval = mean_of_units(hours, (0.0, 150 / 3600)).interval()  # five times the median of 30 seconds
    assert (budget.total.low, budget.total.high) == pytest.approx(
        (2.4 + 12 * 36 * interval.low, 2.4 + 12 * 36 * interval.high)
    )
    assert budget.total.low < budget.total.mean < budget.total.high


@ON_A_FILE
def test_without_a_time_nobody_knows_what_hours_will_cost(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE], pay={"per_hour": 36, "currency": "EUR", "budget": 1})
    study.add("verify", questions(1))
    assert only(study).total is None and only(study).trouble == ""
    client = AppClient(create_app(studio_workspace))
    client.cookies.set("folkways_session", sessions.open_session(studio_workspace, study.owner))
    assert "How long one takes is not known yet." in client.get("/studies/test-study/time").text
    vote(study, study.person(), 110)
    assert only(study).trouble == "spent", "1.10 of 1"


@ON_A_FILE
def test_attention_checks_are_paid_as_well(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "check_every": 2}], pay=PAY)
    ids = study.add("verify", questions(6))
    person = study.person()
    items = schema.items
    with studio_workspace.write() as connection:
        connection.execute(sa.update(items).where(items.c.id == ids[0]).values(check={"choices": [0]}))
    for number in range(3):
        vote(study, person, 60, 1000.0 * number)
    budget = only(study)
    checks = 3 - budget.answers
    assert checks == 1 and budget.spent == 1.5
    assert budget.ahead == 8 and budget.total is not None
    assert budget.total.mean == pytest.approx(1.5 + 8 * 0.5 * 3 / 2), "half as many again"


@ON_A_FILE
@pytest.mark.parametrize("moved", [0, 1])
def test_items_that_move_on_are_counted_ahead_as_many_as_did_so_far(
    studio_workspace: Workspace, moved: int
) -> None:
    first = {**VOTE, "next": {"done": "look"}}
    stages = [first, {"name": "look", "kind": "vote", "answers": 3, "majority": 2}, {**VOTE, "name": "alone"}]
    study = open_study(studio_workspace, stages, pay=PAY)
    study.add("verify", questions(10))

    def ahead() -> list[float | None]:
        made = studies.stages(studio_workspace, study.record.id)
        return list(answers_ahead(studio_workspace, study.record, made).values())

    assert ahead() == [20, 30, 0]
    one, other = study.person(), study.person()

    def settle(said: list[tuple[int, int]]) -> None:
        for choices in said:
            for person, choice in zip((one, other), choices, strict=True):
                study.answer(person, {"choices": [choice]}, "verify")

    settle([(0, 1 - moved), (0, 1), (0, 1), (0, 1)])
    assert ahead() == [12, 3 * moved + 6 * 3, 0], "four are too few to tell: every item may move on"
    settle([(0, 1)])
    assert ahead() == [10, 3 * moved + 5 * 3 * moved / 5, 0], "one of five moved on, or none"


@ON_A_FILE
def test_who_writes_has_no_end_but_a_quota(studio_workspace: Workspace) -> None:
    write = {"name": "write", "kind": "collect_question", "next": {"done": "local"}}
    local = {"name": "local", "kind": "vote", "answers": 2, "majority": 2, "for_each_population": True}
    lands = [{"name": "korea", "culture": "KR"}, {"name": "japan", "culture": "JP"}]

    def ahead(stage: dict[str, Any], name: str) -> list[float | None]:
        study = open_study(studio_workspace, [stage, local], name=name, populations=lands, pay=PAY)
        made = studies.stages(studio_workspace, study.record.id)
        assert (only(study).ahead is None) == (name == "open-end")
        return list(answers_ahead(studio_workspace, study.record, made).values())

    assert ahead({**write, "quota": None}, "open-end") == [None, None]
    assert ahead({**write, "quota": 5}, "ends") == [10, 10 * 2 * 2]
    full = {"categories": ["food", "work"], "per_category": 3}
    assert ahead({**write, **full, "quota": None}, "by-category") == [12, 12 * 2 * 2]
    assert ahead({**write, **full, "quota": 5}, "by-quota") == [10, 10 * 2 * 2]
    assert ahead({**write, **full, "quota": 9}, "by-category-too") == [12, 12 * 2 * 2]


@ON_A_FILE
def test_models_cost_what_their_calls_did(studio_workspace: Workspace) -> None:
    adjust = {"name": "verify", "kind": "vote", "answers": 2, "majority": 2}
    study = open_study(studio_workspace, [adjust], models={"suggester": "small", "most_usd": 1.0})
    assert only(study).total is not None and (only(study).spent, only(study).of) == (0, "models")
    study.add("verify", questions(3))
    person = study.person()
    items = [vote(study, person, 60, 1000.0 * number) for number in range(2)]
    call(study, person.id, items[0], 0.2)
    call(study, person.id, items[1], 0.1)
    call(study, person.id, None, 0.06)
    call(study, person.id, items[1], None)
    budget = only(study)
    assert (budget.currency, budget.spent, budget.answers, budget.unpriced) == (
        "USD", pytest.approx(0.36), 2, 1,
    )  # fmt: skip
    assert budget.total is not None and not budget.total.has_interval, "one person tells nothing of others"
    assert (budget.ahead, budget.total.mean) == (4, pytest.approx(0.36 + 4 * 0.15))
    assert budget.trouble == ""
    call(study, None, items[1], 0.1)
    assert only(study).trouble == "exceeds"
    call(study, None, None, 0.6)
    assert only(study).trouble == "spent"


def multiply(study: StudyFixture, number: int) -> list[tuple[int, int]]:
    """The only answer of the study, given by ``number`` people in all: the participant and the item of each."""
    (judgement,) = stored(study.workspace, schema.judgements)
    (slot,) = stored(study.workspace, schema.assignments, id=judgement["assignment_id"])
    (person,) = stored(study.workspace, schema.participants)
    (account,) = stored(study.workspace, schema.accounts, id=person["account_id"])
    more = range(1000, 999 + number)
    with study.workspace.write() as connection:
        for table, row, own in (
            (schema.accounts, account, ("id",)),
            (schema.participants, person, ("id", "account_id", "pseudonym")),
            (schema.assignments, slot, ("id", "participant_id", "slot")),
            (schema.judgements, judgement, ("id", "participant_id", "assignment_id", "key")),
        ):
            rows = [
                row | {name: str(each) if name in ("pseudonym", "key") else each for name in own}
                for each in more
            ]
            connection.execute(sa.insert(table), rows)
    return [(each, judgement["item_id"]) for each in (person["id"], *more)]


@ON_A_FILE
@pytest.mark.parametrize(
    ("costs", "low", "high"),
    [
        # t of 59 degrees of freedom is 2.001, and the error 0.1 / √59
        ([0.1, 0.3] * 30, 0.2 - 2.001 * 0.1 / 59**0.5, 0.2 + 2.001 * 0.1 / 59**0.5),
        ([12.0, *[0.0] * 59], 0.0, None),  # not below 0
    ],
    ids=["even", "uneven"],
)
def test_what_models_will_cost_has_an_interval_over_people(
    studio_workspace: Workspace, costs: list[float], low: float, high: float | None
) -> None:
    """A call for nobody is spread over all answers, which makes each a quarter dearer than people's own calls."""
    study = open_study(studio_workspace, [VOTE], models={"suggester": "small"})
    study.add("verify", questions(3))
    vote(study, study.person(), 60)
    answers = multiply(study, 60)
    for cost, (person, item) in zip(costs, answers, strict=True):
        call(study, person, item, cost)
    call(study, None, answers[0][1], 3.0)
    budget = only(study)
    assert (budget.spent, budget.per_answer, budget.ahead) == (pytest.approx(15), pytest.approx(0.25), 5)
    assert budget.total is not None and budget.total.mean == pytest.approx(15 + 5 * 0.25)
    assert budget.total.low == pytest.approx(15 + 5 * 1.25 * low, abs=1e-4)
    assert high is None or budget.total.high == pytest.approx(15 + 5 * 1.25 * high, abs=1e-4)


@ON_A_FILE
@pytest.mark.parametrize("answered", [False, True])
def test_a_stage_in_which_no_model_was_asked_adds_nothing_to_what_models_will_cost(
    studio_workspace: Workspace, answered: bool
) -> None:
    """Before its first answer and after it."""
    stages = [VOTE, {**VOTE, "name": "more"}]
    study = open_study(studio_workspace, stages, models={"most_usd": 9})
    for stage in ("verify", "more"):
        study.add(stage, questions(3))
    if answered:
        vote(study, study.person(), 60)
    call(study, None, None, 0.5)
    budget = only(study)
    assert budget.ahead == 12 - answered and budget.total is not None
    assert (budget.total.low, budget.total.mean, budget.total.high) == (0.5, 0.5, 0.5)


@ON_A_FILE
def test_no_rate_and_no_model_cost_nothing(studio_workspace: Workspace) -> None:
    assert budgets(studio_workspace, open_study(studio_workspace, [VOTE]).record) == ()


def test_a_budget_and_limits_of_models_may_change_at_any_time() -> None:
    used = Use(agreed=True, asked=True)

    def edit(**changes: Any) -> tuple[list[str], list[str]]:
        before = {"pay": PAY, "models": {"helper": "small", "most_usd": 1, "most_calls": 3}}
        made = compare(
            read_definition(described([VOTE], **before)),
            read_definition(described([VOTE], **{**before, **changes})),
            used,
        )
        return made.changes, made.refused

    assert edit(pay={**PAY, "budget": 9}) == (["pay.budget: changed"], [])
    assert edit(models={"helper": "small", "most_usd": 5, "most_calls": 3}) == (
        ["models.most_usd: changed"],
        [],
    )
    assert edit(models={"helper": "small", "most_usd": 1}) == (["models.most_calls: changed"], [])
    assert edit(models={"helper": "large", "most_usd": 1, "most_calls": 3})[1]
    assert edit(pay={**PAY, "per_answer": 0.4})[1] and edit(pay={**PAY, "training": True})[1]
    with pytest.raises(DefinitionError, match=r"pay\.budget: has to be a number above 0, not -1"):
        read_definition(described([VOTE], pay={**PAY, "budget": -1}))


@ON_A_FILE
def test_pages_say_what_is_spent_and_what_to_do(studio_workspace: Workspace) -> None:
    client = AppClient(create_app(studio_workspace))
    study = open_study(studio_workspace, [VOTE], name="dear", pay={**PAY, "budget": 1.6})
    accounts.create_account(studio_workspace, "somebody@example.org", None)
    client.cookies.set("folkways_session", sessions.open_session(studio_workspace, study.owner))
    study.add("verify", questions(3))
    assert "People will cost more than the budget of" in client.get("/studies/dear").text
    assert "People will cost" not in client.get("/studies/dear", headers={"hx-request": "true"}).text
    one, other = study.person(), study.person()
    for person in (one, other):
        for number in range(2):
            vote(study, person, 60, 1000.0 * number)
    page = client.get("/studies/dear").text
    assert "has used up the budget" in page and "2.00 EUR" in page and "1.60 EUR" in page
    page = client.get("/studies/dear/time").text
    assert "Cost" in page and "3.00 EUR" in page and "0.50 EUR" in page
