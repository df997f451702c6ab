"""How far a study is, how people work, what they are owed and how far they agree: whole records, beside a
study like it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.stats.raters import agreement as measures
from folkways.stats.raters.agreement import Coefficient
from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.items import service as items
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import accounts, invites, participants
from folkways_studio.records import Adjudication, ItemState, Participant, Role, StudyState
from folkways_studio.studies import progress
from folkways_studio.studies import service as studies
from folkways_studio.studies.agreement import PLURAL, Agreement, agreement
from folkways_studio.studies.progress import OwnProgress, Payment, Progress, Quality
from folkways_studio.work import adjudications, assignments, judgements
from folkways_studio.workflows.definition import read_definition
from studio.tests.support.studies import (
    ON_A_FILE,
    QUESTION,
    StudyFixture,
    described,
    next_work,
    open_study,
    stored,
)
from tests.support.frozen_time import at_time

POPULATIONS = [{"name": "korea", "culture": "KR"}, {"name": "peru", "culture": "PE"}]
VOTE = {"name": "verify", "kind": "vote", "answers": 2, "majority": 2}
LABELS = {"category": "Social Tradition", "level": "Visible", "element": "Customs"}
SENTENCE = {"sentence": "We went to a potluck.", "spans": [[13, 20]]}
pytestmark = ON_A_FILE


def answer(
    study: StudyFixture, person: Participant, said: dict[str, Any], seconds: float, stage: str = "verify"
) -> None:
    """Take the next slot and answer after so many seconds."""
    work = at_time(1000.0, next_work, study.workspace, person.id, stage=stage)
    assert isinstance(work, assignments.Work), work
    at_time(
        1000.0 + seconds,
        judgements.submit,
        study.workspace,
        person.id,
        work.assignment.id,
        said,
        f"k{work.assignment.id}",
    )


@pytest.fixture
def study(studio_workspace: Workspace) -> StudyFixture:
    """A study after a neighbour with the same stages, items and answers."""
    stages = [
        {**VOTE, "check_every": 2},
        {**VOTE, "name": "again"},
        {"name": "write", "kind": "collect_question"},
    ]
    for name in ("neighbour", "study"):
        study = open_study(studio_workspace, stages, populations=POPULATIONS, name=name)
        add_items(
            study.workspace, study.record.id, "verify", [NewItem("c", QUESTION, "korea", {"choices": [1]})]
        )
        study.add("again", [QUESTION], population="peru")
        study.add("verify", [QUESTION] * 3, population="peru")
        added = add_items(
            study.workspace,
            study.record.id,
            "verify",
            [NewItem(f"k{number}", QUESTION, "korea") for number in range(3)],
        )
        add_items(study.workspace, study.record.id, "verify", [NewItem("all", QUESTION)])
        adjudications.adjudicate(
            study.workspace, study.record.id, added[2].id, study.owner, {}, "a reason", drop=True
        )
        kim, lee = study.person(), study.person()
        for person, seconds in ((kim, (4.0, 1.0, 8.0)), (lee, (6.0, 2.0))):
            for each in seconds:
                answer(study, person, {"choices": [0]}, each)
        assert isinstance(
            at_time(1000.0, next_work, study.workspace, lee.id, stage="verify"), assignments.Work
        )
        assert isinstance(
            at_time(1000.0, next_work, study.workspace, kim.id, stage="write"), assignments.Work
        )
    return study


def test_progress_of_every_stage_and_population(study: StudyFixture) -> None:
    """Of Korea's items one is done by two people, one answered by one and held by the other, and one was
    dropped."""
    assert progress.progress(study.workspace, study.record.id) == (
        Progress("verify", None, 0, 1, 0, 0, 2, 0, 0, None),
        Progress("verify", "korea", 0, 1, 1, 1, 0, 1, 3, 6.0),
        Progress("verify", "peru", 0, 3, 0, 0, 6, 0, 0, None),
        Progress("again", "peru", 0, 1, 0, 0, 2, 0, 0, None),
        Progress("write", "korea", 1, 0, 0, 0, 0, 1, 0, None),
    )
    empty = open_study(study.workspace, [VOTE], name="empty")
    assert progress.progress(study.workspace, empty.record.id) == (
        Progress("verify", None, 0, 0, 0, 0, 0, 0, 0, None),
    )


def test_what_one_person_did_and_has_left(study: StudyFixture) -> None:
    verify, again, write = studies.stages(study.workspace, study.record.id)
    kim, lee = study.people()
    assert progress.own_progress(study.workspace, kim, verify) == OwnProgress(3, 1, 4.0), (
        "half of 1, 4 and 8 seconds took longer than 4"
    )
    assert progress.own_progress(study.workspace, lee, verify) == OwnProgress(2, 1, 4.0)
    assert progress.own_progress(study.workspace, kim, again) == OwnProgress(0, 0, None)
    assert progress.own_progress(study.workspace, study.person("peru"), again) == OwnProgress(0, 1, None), (
        "nothing is kept back"
    )
    assert progress.own_progress(study.workspace, kim, write) == OwnProgress(0, None, None)
    with study.workspace.write() as connection:  # a cap leaves fewer than there are
        config = {**verify.config, "cap": 2}
        connection.execute(sa.update(schema.stages).filter_by(id=verify.id).values(config=config))
        connection.execute(
            sa.insert(schema.stages).values(
                study_id=study.record.id,
                position=9,
                name="x",
                title="",
                kind="vote",
                role="annotator",
                config=config,
            )
        )
    capped = studies.get_stage(study.workspace, study.record.id, "verify")
    assert progress.own_progress(study.workspace, kim, capped) == OwnProgress(3, 0, 0.0)
    assert progress.own_progress(study.workspace, kim, replace(write, config=config)) == OwnProgress(
        0, 1, None
    ), "they are at one"


def test_a_task_is_at_hand_in_its_own_stage_for_whoever_holds_it(study: StudyFixture) -> None:
    def at_hand(person: Participant) -> dict[str, bool]:
        rows = progress.own_progress_everywhere(study.workspace, person)
        return {stage.name: own.at_hand for stage, own in rows}

    kim, lee = study.people()
    assert at_hand(kim) == {"verify": False, "again": False, "write": True}
    assert at_hand(lee) == {"verify": True, "again": False, "write": False}
    assert at_hand(study.person()) == {"verify": False, "again": False, "write": False}


def test_an_answer_of_unknown_duration_is_an_answer(studio_workspace: Workspace) -> None:
    study = open_study(
        studio_workspace, [{**VOTE, "min_seconds": 5}, {"name": "write", "kind": "collect_question"}]
    )
    study.add("verify", [QUESTION] * 3)
    person = study.person()
    answer(study, person, {"choices": [0]}, 66.0)
    work = next_work(studio_workspace, person.id, stage="verify")
    assert isinstance(work, assignments.Work)
    with studio_workspace.write() as connection:
        connection.execute(sa.update(schema.assignments).filter_by(id=work.assignment.id).values(leased=None))
    study.submit(person, work, {"choices": [1]})
    verify, write = studies.stages(studio_workspace, study.record.id)
    assert progress.own_progress(studio_workspace, person, verify) == OwnProgress(2, 1, 66.0)
    assert progress.progress(studio_workspace, study.record.id)[0].median_seconds == 66.0
    (found,) = progress.quality(studio_workspace, study.record.id)
    assert found == Quality(person.id, person.pseudonym, "verify", 2, 66.0, 0.0, 0.0, 0, 0, ())
    (paid,) = progress.payments(studio_workspace, study.record.id)
    assert (paid.answers, paid.minutes) == (2, 1.1)
    answer(
        study, person, {"category": "Food", "question": "What is it?", "english": "What is it?"}, 9.0, "write"
    )
    assert progress.own_progress(studio_workspace, person, write) == OwnProgress(1, None, None)


@pytest.mark.parametrize(
    ("times", "said", "expected"),
    [
        # seconds of each answer; the options that are chosen; speeding, same, flags
        ([4.0, 5.0, 9.0, 9.0, 9.0], "01010", (0.2, 0.0, ("speeding",))),
        ([4.0] + [5.0] * 5, "010101", (1 / 6, 0.0, ())),
        ([6.0] * 10, "0" * 10, (0.0, 1.0, ("straight-lining",))),
        ([6.0] * 9, "0" * 9, (0.0, 1.0, ())),
        ([6.0] * 20, "0" * 10 + "12" * 5, (0.0, 0.5, ("straight-lining",))),
        ([6.0] * 21, "21" + "0" * 10 + "121212121", (0.0, 10 / 21, ())),
        ([6.0] * 5, "01100", (0.0, 0.4, ())),
    ],
)
def test_flags_at_their_bounds(
    studio_workspace: Workspace, times: list[float], said: str, expected: tuple[float, float, tuple[str, ...]]
) -> None:
    study = open_study(studio_workspace, [{**VOTE, "min_seconds": 5}, {**VOTE, "name": "again"}])
    study.add("verify", [QUESTION] * len(said))
    person = study.person()
    for seconds, option in zip(times, said, strict=True):
        answer(study, person, {"choices": [int(option)]}, seconds)
    median = (
        sorted(times)[len(times) // 2]
        if len(times) % 2
        else sum(sorted(times)[len(times) // 2 - 1 : len(times) // 2 + 1]) / 2
    )
    (found,) = progress.quality(studio_workspace, study.record.id)
    assert found == Quality(
        person.id, person.pseudonym, "verify", len(said), median, *expected[:2], 0, 0, expected[2]
    )


def test_quality_is_of_a_person_in_a_stage_with_checks_apart(studio_workspace: Workspace) -> None:
    """Whoever has answered nothing but a check has no speed; where no least time is set, nobody is too
    fast."""
    for name in ("neighbour", "study"):
        study = open_study(
            studio_workspace,
            [{**VOTE, "check_every": 1, "min_seconds": 5}, {**VOTE, "name": "again"}],
            name=name,
        )
        checks = [NewItem(f"c{number}", QUESTION, "korea", {"choices": [1]}) for number in range(3)]
        add_items(studio_workspace, study.record.id, "verify", checks)
        study.add("verify", [QUESTION] * 2)
        study.add("again", [QUESTION])
        kim, lee = study.person(), study.person()
        answer(study, lee, {"choices": [1]}, 3.0)
        answer(study, kim, {"choices": [0]}, 0.5, "again")
        for option, seconds in ((1, 1.0), (0, 1.0), (1, 1.0), (1, 6.0)):
            answer(study, kim, {"choices": [option]}, seconds)
    assert progress.quality(studio_workspace, study.record.id) == (
        Quality(kim.id, kim.pseudonym, "verify", 1, 6.0, 0.0, 0.0, 3, 1, ("attention",)),
        Quality(kim.id, kim.pseudonym, "again", 1, 0.5, None, 0.0, 0, 0, ()),
        Quality(lee.id, lee.pseudonym, "verify", 0, None, None, 0.0, 1, 0, ()),
    )


def test_answers_that_are_not_meant_to_agree_make_no_straight_line(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "adapt", "kind": "adapt", "for_each_population": False}])
    add_items(
        studio_workspace,
        study.record.id,
        "adapt",
        [NewItem(f"a{number}", SENTENCE, "korea") for number in range(2)],
    )
    person = study.person()
    for _ in range(2):
        answer(study, person, {"strategies": ["non_transferable"]}, 3.0, "adapt")
    (found,) = progress.quality(studio_workspace, study.record.id)
    assert found == Quality(person.id, person.pseudonym, "adapt", 2, 3.0, None, 0.0, 0, 0, ())


def test_payments_of_everybody_who_worked_or_was_screened_out(studio_workspace: Workspace) -> None:
    criteria = [{"name": "years", "ask": "Years?", "least": 5}]
    populations = [{"name": "korea", "culture": "KR", "criteria": criteria}]
    codes = {"completed": "C0FFEE", "screened_out": "TEA"}
    expected: list[Payment] = []
    for name in ("neighbour", "study"):
        study = open_study(studio_workspace, [VOTE], populations=populations, prolific=codes, name=name)
        study.add("verify", [QUESTION] * 2)
        _, token = invites.create_invite(studio_workspace, study.record.id, population="korea")
        expected = []
        for number, years, seconds in ((0, "5", [100.0, 41.0]), (1, "4", []), (2, "9", []), (3, "9", [30.0])):
            external = {"prolific_pid": f"p{number}", "prolific_session": "s"} if number != 3 else {}
            person = participants.join(studio_workspace, token, external=external)
            participants.consent(studio_workspace, person.id, study.record.consent_version)
            participants.answer_eligibility(studio_workspace, person.id, {"years": years})
            for each in seconds:
                answer(study, person, {"choices": [0]}, each)
            external_id, code = external.get("prolific_pid"), "TEA" if number == 1 else "C0FFEE"
            state = {1: "screened_out", 3: "withdrawn"}.get(number, "active")
            if number != 2:
                minutes = round(sum(seconds) / 60, 1)
                n = len(seconds)
                expected.append(Payment(person.pseudonym, external_id, state, n, minutes, code, {"": n}))
        participants.withdraw(studio_workspace, study.record.id, person.id)
        answer(study, add_researcher(study), {"choices": [0]}, 5.0)
    assert [each.minutes for each in expected] == [2.4, 0.0, 0.5]
    assert progress.payments(studio_workspace, study.record.id) == tuple(expected)
    plain = open_study(studio_workspace, [VOTE], name="plain")
    plain.add("verify", [QUESTION])
    person = plain.person()
    answer(plain, person, {"choices": [0]}, 60.0)
    assert progress.payments(studio_workspace, plain.record.id) == (
        Payment(person.pseudonym, None, "active", 1, 1.0, None, {"": 1}),
    )


def add_researcher(study: StudyFixture) -> Participant:
    """Somebody of the staff who may answer like everybody else."""
    account = accounts.create_account(study.workspace, f"staff of {study.record.name}", None)
    return participants.add_staff(study.workspace, study.record.id, account.id, Role.ANNOTATOR)


def test_agreement_of_every_stage_and_population_in_order(studio_workspace: Workspace) -> None:
    """The same measures as of the labels by hand; without checks, those who withdrew, and other studies."""
    stages = [
        {"name": "adapt", "kind": "adapt", "for_each_population": False, "answers": 2},
        {"name": "label", "kind": "label_item", "answers": 2},
        {**VOTE, "answers": 3, "check_every": 3},
    ]
    for name in ("neighbour", "study"):
        study = open_study(studio_workspace, stages, populations=POPULATIONS, name=name)
        add_items(studio_workspace, study.record.id, "verify", [NewItem("all", QUESTION)])
        study.add("verify", [QUESTION] * 2)
        add_items(
            studio_workspace, study.record.id, "verify", [NewItem("c", QUESTION, "korea", {"choices": [1]})]
        )
        add_items(studio_workspace, study.record.id, "verify", [NewItem("p", QUESTION, "peru")])
        study.add("label", [SENTENCE])
        study.add("adapt", [SENTENCE])
        kim, lee, gone = (study.person() for _ in range(3))
        for person, options in ((gone, "333"), (kim, "0122"), (lee, "0211")):
            for option in options:
                answer(study, person, {"choices": [int(option)]}, 5.0)
        participants.withdraw(studio_workspace, study.record.id, gone.id)
        for person in (kim, lee):
            level = "Visible" if person is kim else "Invisible"
            answer(study, person, {**LABELS, "level": level}, 5.0, "label")
            answer(study, person, {"strategies": ["non_transferable"]}, 5.0, "adapt")

    def row(
        stage: str, population: str | None, field: str, units: list[dict[str, Any]], sets: bool = False
    ) -> Agreement:
        masi = (
            measures.krippendorff(units, measures.masi)
            if sets
            else Coefficient(None, 0, 0, "the labels are no sets")
        )
        name = "MASI α" if sets else "nominal α"
        alpha = measures.krippendorff(units)
        return Agreement(
            stage,
            population,
            field,
            name,
            measures.percent_agreement(units),
            measures.majority_share(units),
            measures.mean_largest_vote(units),
            measures.cohen(units),
            measures.fleiss(units),
            alpha,
            masi,
            masi if sets else alpha,
        )

    def votes(first: int, second: int) -> dict[str, Any]:
        return {kim.pseudonym: frozenset([first]), lee.pseudonym: frozenset([second])}

    none = Coefficient(None, 1, 2, PLURAL)
    labels = [
        row("label", "korea", field, [{kim.pseudonym: value, lee.pseudonym: other}])
        for field, value, other in (
            ("category", "Social Tradition", "Social Tradition"), ("level", "Visible", "Invisible"),
            ("element", "Customs", "Customs"),
        )
    ]  # fmt: skip
    assert agreement(studio_workspace, study.record.id) == (
        Agreement("adapt", "korea", "", "", *[none] * 8),
        *labels,
        row("verify", None, "choices", [votes(0, 0)], sets=True),
        # The third that each was given is the check.
        row("verify", "korea", "choices", [votes(1, 2), votes(2, 1)], sets=True),
    )


STAGES = [{**VOTE, "next": {"done": "again"}}, {**VOTE, "name": "again"}]


def test_a_decision_by_hand_row_by_row(studio_workspace: Workspace) -> None:
    """It is laid over the result, sends the item on once, and closes what is open; a drop sends nothing
    on."""
    neighbour, study = (open_study(studio_workspace, STAGES, name=name) for name in ("neighbour", "study"))
    for each in (neighbour, study):
        first, second, third = each.add("verify", [QUESTION] * 3)
    workspace, expert = studio_workspace, accounts.create_account(studio_workspace, "expert", None).id
    for option in (0, 1):
        study.answer(study.person(), {"choices": [option]})
    counts = {"counts": [1, 1, 0, 0], "dont_know": 0, "cannot_answer": 0}
    found = at_time(
        50.0, adjudications.adjudicate, workspace, study.record.id, first, expert, {"gold": [0]}, " clear "
    )
    result = {**counts, "gold": [0], "adjudicated": True}
    assert (found.id, found.state, found.result, found.reason) == (first, "done", result, "clear")
    (child,) = items.list_items(workspace, study.record.id, "again")
    assert (child.parent_id, child.content, child.created) == (first, {**QUESTION, **result}, 50.0)
    at_time(51.0, adjudications.adjudicate, workspace, study.record.id, first, expert, {"gold": [1]}, "no")
    assert items.list_items(workspace, study.record.id, "again") == (child,)
    dropped = at_time(
        52.0,
        adjudications.adjudicate,
        workspace,
        study.record.id,
        second,
        expert,
        {"note": "x"},
        "no culture",
        drop=True,
    )
    assert (dropped.state, dropped.result, dropped.reason) == (
        "dropped",
        {"note": "x", "adjudicated": True},
        "no culture",
    )
    assert items.list_items(workspace, study.record.id, "again") == (child,)
    last = at_time(53.0, adjudications.adjudicate, workspace, study.record.id, child.id, expert, {}, "yes")
    assert last.state == ItemState.DONE, "where no stage follows, that is all"
    told = [
        Adjudication(1, first, expert, {"gold": [0]}, "clear", 50.0),
        Adjudication(2, first, expert, {"gold": [1]}, "no", 51.0),
        Adjudication(3, second, expert, {"note": "x"}, "no culture", 52.0),
        Adjudication(4, child.id, expert, {}, "yes", 53.0),
    ]
    assert adjudications.list_adjudications(workspace, study.record.id) == tuple(told)
    assert adjudications.list_adjudications(workspace, study.record.id, first) == tuple(told[:2])
    assert adjudications.list_adjudications(workspace, neighbour.record.id) == ()
    assert adjudications.list_adjudications(workspace, neighbour.record.id, first) == ()
    states = {row["id"]: row["state"] for row in stored(workspace, schema.items)}
    assert states == {
        1: "open",
        2: "open",
        3: "open",
        first: "done",
        second: "dropped",
        third: "open",
        child.id: "done",
    }
    slots = {
        number: [row["state"] for row in stored(workspace, schema.assignments, item_id=number)]
        for number in states
    }
    assert slots == {
        **{number: ["open"] * 2 for number in (1, 2, 3, third)}, first: ["done"] * 2, second: ["closed"] * 2,
        child.id: ["closed"] * 2,
    }  # fmt: skip
    for reason in ("", " "):
        with pytest.raises(SubmissionError) as error:
            adjudications.adjudicate(workspace, study.record.id, third, expert, {}, reason)
        assert set(error.value.problems) == {"reason"}
    with pytest.raises(NotFoundError):
        adjudications.adjudicate(workspace, neighbour.record.id, third, expert, {}, "a reason")


def test_a_study_as_it_is_written_down(studio_workspace: Workspace) -> None:
    workspace = studio_workspace
    owner = accounts.create_account(workspace, "owner", None).id
    criteria = [{"name": "years", "ask": "Years?", "least": 5}]
    populations = [
        {"name": "uk", "culture": "GB", "title": "The United Kingdom", "people": 9, "criteria": criteria},
        {"name": "wales", "culture": "GB", "language": "id", "part_of": "uk"},
    ]
    stages = [{**VOTE, "title": "Check", "role": "reviewer"}, {**VOTE, "name": "again"}]
    raw = described(stages, populations=populations)
    study = at_time(7.0, studies.create_study, workspace, read_definition(raw), owner=owner)
    assert stored(workspace, schema.studies) == [
        {
            "id": study.id,
            "name": "test-study",
            "title": "A study of the tests",
            "workflow": "own",
            "state": "draft",
            "definition": raw,
            "licence": "CC-BY-4.0",
            "consent_text": "You agree to be a test.",
            "consent_version": study.consent_version,
            "created": 7.0,
            "created_by": owner,
        }
    ]
    uk, wales = stored(workspace, schema.populations)
    assert uk == {
        "id": uk["id"],
        "study_id": study.id,
        "name": "uk",
        "title": "The United Kingdom",
        "culture": "GB",
        "language": "en",
        "parent_id": None,
        "people": 9,
        "criteria": criteria,
    }
    assert wales == {
        "id": wales["id"],
        "study_id": study.id,
        "name": "wales",
        "title": "wales",
        "culture": "GB",
        "language": "id",
        "parent_id": uk["id"],
        "people": None,
        "criteria": [],
    }
    rows = stored(workspace, schema.stages, "id", "config")
    common = {"study_id": study.id, "kind": "vote"}
    assert rows == [
        {**common, "position": 0, "name": "verify", "title": "Check", "role": "reviewer"},
        {**common, "position": 1, "name": "again", "title": "again", "role": "annotator"},
    ]
    other = studies.create_study(workspace, read_definition({**raw, "name": "other"}), owner=owner)
    assert studies.get_study(workspace, "other") == studies.get_study(workspace, other.id) == other
    assert studies.list_studies(workspace) == (other, study)
    somebody = accounts.create_account(workspace, "somebody", None).id
    accounts.give_role(workspace, study.id, somebody, Role.EXPERT)
    assert studies.list_studies(workspace, account_id=somebody) == (study,)
    assert studies.list_studies(workspace, account_id=owner) == (other, study)
    for missing, words in (("nothing", "no study 'nothing'"), (99, "no such study")):
        with pytest.raises(NotFoundError, match=words):
            studies.get_study(workspace, missing)
    assert [each.name for each in studies.populations(workspace, other.id)] == ["uk", "wales"]
    assert [each.study_id for each in studies.stages(workspace, other.id)] == [other.id] * 2
    moves = {
        "draft": {"open"},
        "open": {"paused", "closed"},
        "paused": {"open", "closed"},
        "closed": {"open"},
    }
    for state, valid in moves.items():
        for wanted in set(moves) - {state}:
            with workspace.write() as connection:
                connection.execute(sa.update(schema.studies).filter_by(id=other.id).values(state=state))
            if wanted in valid:
                assert studies.set_state(workspace, other.id, StudyState(wanted)).state == wanted
            else:
                with pytest.raises(ConflictError, match=f"{state} cannot become {wanted}"):
                    studies.set_state(workspace, other.id, StudyState(wanted))
    assert studies.get_study(workspace, study.id).state == "draft", "each is moved for itself"
