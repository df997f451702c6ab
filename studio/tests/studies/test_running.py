"""Running a study: its states, decisions by hand, progress, flags, payments, agreement and the audit
trail."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace, WorkspaceError
from folkways_studio.database import audit, schema
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.items import service as items
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import invites, participants, personal
from folkways_studio.people.participants import join
from folkways_studio.records import ItemState, Role, StudyState
from folkways_studio.studies import progress
from folkways_studio.studies import service as studies
from folkways_studio.studies.agreement import ALONE, PLURAL, agreement
from folkways_studio.work import adjudications, assignments, judgements
from folkways_studio.workflows.definition import read_definition
from studio.tests.support.studies import ON_BOTH, QUESTION, StudyFixture, described, next_work, open_study
from tests.support.frozen_time import at_time

VOTE = {"name": "verify", "kind": "vote"}
LABELS = {"category": "Social Tradition", "level": "Visible", "element": "Customs"}
SENTENCE = {"sentence": "We went to a potluck.", "spans": [[13, 20]]}


def test_a_study_moves_as_it_may(study: StudyFixture) -> None:
    for state in (StudyState.PAUSED, StudyState.OPEN, StudyState.CLOSED, StudyState.OPEN):
        assert studies.set_state(study.workspace, study.record.id, state).state == state
    with pytest.raises(ConflictError, match="open cannot become draft"):
        studies.set_state(study.workspace, study.record.id, StudyState.DRAFT)


@ON_BOTH
def test_two_studies_cannot_have_one_name(study: StudyFixture) -> None:
    with pytest.raises(ConflictError, match="there is a study test-study already"):
        studies.create_study(study.workspace, read_definition(described([VOTE])), owner=study.owner)


def test_items_of_other_studies_are_not_there(studio_workspace: Workspace, study: StudyFixture) -> None:
    other = open_study(studio_workspace, [VOTE], name="other")
    (item,) = other.add("verify", [QUESTION])
    for act in (
        lambda: items.get_item(study.workspace, study.record.id, item),
        lambda: items.lineage(study.workspace, study.record.id, item),
        lambda: items.revisions(study.workspace, study.record.id, item),
        lambda: adjudications.adjudicate(
            study.workspace, study.record.id, item, study.owner, {}, "because", drop=True
        ),
        lambda: adjudications.adjudicate(study.workspace, study.record.id, item, study.owner, {}, "because"),
    ):
        with pytest.raises(NotFoundError):
            act()
    assert judgements.list_judgements(study.workspace, study.record.id, item) == ()


def test_a_decision_by_hand_stands_over_the_rule_and_is_kept(studio_workspace: Workspace) -> None:
    stages = [
        {"name": "label", "kind": "label_item", "next": {"done": "adapt"}},
        {"name": "adapt", "kind": "adapt", "for_each_population": False},
    ]
    study = open_study(studio_workspace, stages)
    (item,) = study.add("label", [SENTENCE])
    for level in ("Visible", "Invisible"):
        study.answer(study.person(), {**LABELS, "level": level}, "label")
    found = items.get_item(study.workspace, study.record.id, item)
    assert found.result is not None
    assert found.result["disputed"] == ["level"]
    assert items.list_items(study.workspace, study.record.id, "adapt") == (), "nobody has settled it yet"
    with pytest.raises(SubmissionError):
        adjudications.adjudicate(study.workspace, study.record.id, item, study.owner, LABELS, " ")
    decided = adjudications.adjudicate(
        study.workspace, study.record.id, item, study.owner, LABELS, "as Hall has it"
    )
    assert decided.result is not None
    assert decided.result["level"] == "Visible"
    assert [
        each.content["level"] for each in items.list_items(study.workspace, study.record.id, "adapt")
    ] == ["Visible"]
    again = {**LABELS, "level": "Semi-visible"}
    adjudications.adjudicate(study.workspace, study.record.id, item, study.owner, again, "after all")
    told = [each.reason for each in adjudications.list_adjudications(study.workspace, study.record.id, item)]
    assert told == ["as Hall has it", "after all"]
    assert len(judgements.list_judgements(study.workspace, study.record.id, item)) == 2
    assert len(items.list_items(study.workspace, study.record.id, "adapt")) == 1


def test_what_is_dropped_by_hand_asks_nobody_any_more(study: StudyFixture) -> None:
    (item,) = study.add("verify", [QUESTION])
    with pytest.raises(SubmissionError):
        adjudications.adjudicate(study.workspace, study.record.id, item, study.owner, {}, "", drop=True)
    adjudications.adjudicate(
        study.workspace, study.record.id, item, study.owner, {}, "not about the culture", drop=True
    )
    assert items.get_item(study.workspace, study.record.id, item).state == ItemState.DROPPED
    assert study.nothing(study.person()) == "none_left"


def test_progress_counts_items_and_slots(study: StudyFixture) -> None:
    study.add("verify", [QUESTION] * 2)
    people = [study.person() for _ in range(5)]
    for person in people:
        study.answer(person, {"choices": [0]})
    study.work(people[0])
    (row,) = progress.progress(study.workspace, study.record.id)
    assert (row.stage, row.population) == ("verify", "korea")
    assert (row.done, row.open, row.dropped) == (1, 1, 0)
    assert (row.slots_done, row.slots_leased, row.slots_open) == (5, 1, 4)
    assert row.median_seconds is not None


def test_a_person_sees_what_is_left_for_them(study: StudyFixture) -> None:
    study.add("verify", [QUESTION] * 3)
    person = study.person()
    began = 1_000_000.0
    work = at_time(began, next_work, study.workspace, person.id)
    assert isinstance(work, assignments.Work)
    at_time(
        began + 20, judgements.submit, study.workspace, person.id, work.assignment.id, {"choices": [0]}, "k"
    )
    mine = progress.own_progress(
        study.workspace, person, studies.get_stage(study.workspace, person.study_id, "verify")
    )
    assert (mine.done, mine.left, mine.seconds_left) == (1, 2, 40.0)


def test_flags_are_raised_for_speed_for_straight_lines_and_for_failed_checks(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, [{**VOTE, "min_seconds": 5, "check_every": 6}])
    study.add("verify", [QUESTION] * 11)
    checks = [NewItem(f"check-{number}", QUESTION, "korea", {"choices": [3]}) for number in range(2)]
    add_items(study.workspace, study.record.id, "verify", checks)
    hasty, careful = study.person(), study.person()
    clock = 1_000_000.0
    for person, seconds in ((hasty, 1.0), (careful, 9.0)):
        for number in range(12):
            work = at_time(clock, next_work, study.workspace, person.id)
            assert isinstance(work, assignments.Work)
            choice = 0 if person is hasty else 3 if work.item.check else number % 3
            at_time(
                clock + seconds,
                judgements.submit,
                study.workspace,
                person.id,
                work.assignment.id,
                {"choices": [choice]},
                f"{person.id}-{number}",
            )
            clock += 60
    first, second = progress.quality(study.workspace, study.record.id)
    for each in (first, second):
        assert progress.quality(study.workspace, study.record.id, each.participant_id) == (each,)
    assert first.flags == ("speeding", "straight-lining", "attention")
    assert (first.speeding, first.same, first.checks, first.checks_failed) == (1.0, 1.0, 2, 2)
    assert second.flags == ()
    assert (second.speeding, second.checks, second.checks_failed, second.median_seconds) == (0.0, 2, 0, 9.0)


@pytest.mark.parametrize(
    ("values", "longest"), [("", 0), ("a", 0), ("abab", 0), ("aabbb", 3), ("aaabb", 3), ("abba", 2)]
)
def test_the_longest_run(values: str, longest: int) -> None:
    assert progress.longest_run([(("field", value),) for value in values]) == longest


def test_payments_are_for_work_and_name_the_completion_code(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE], prolific={"completed": "C0FFEE", "screened_out": "TEA"})
    study.add("verify", [QUESTION])
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    person = join(study.workspace, token, external={"prolific_pid": "5f0c"})
    participants.consent(study.workspace, person.id, study.record.consent_version)
    study.answer(person, {"choices": [0]})
    study.person()
    (row,) = progress.payments(study.workspace, study.record.id)
    assert (row.pseudonym, row.external, row.answers, row.code) == (person.pseudonym, "5f0c", 1, "C0FFEE")
    personal.delete_attributes(study.workspace, study.record.id, person.id)
    assert progress.payments(study.workspace, study.record.id)[0].external is None
    participants.withdraw(study.workspace, study.record.id, person.id)
    (row,) = progress.payments(study.workspace, study.record.id)
    assert (row.pseudonym, row.answers) == (person.pseudonym, 1), "who left is paid for what they did"


def test_agreement_by_hand_and_where_it_is_not_defined(studio_workspace: Workspace) -> None:
    stages = [
        {"name": "label", "kind": "label_item"},
        {"name": "adapt", "kind": "adapt", "for_each_population": False},
    ]
    study = open_study(studio_workspace, stages)
    study.add("label", [SENTENCE] * 4)
    add_items(study.workspace, study.record.id, "adapt", [NewItem("a", SENTENCE, "korea")])
    people = [study.person() for _ in range(2)]
    for place, person in enumerate(people):
        for number in range(4):
            level = ("Visible", "Invisible")[number % 2 if place == 0 or number != 3 else 0]
            study.answer(person, {**LABELS, "level": level}, "label")
        study.answer(person, {"strategies": ["non_transferable"]}, "adapt")
        adapted = [row for row in agreement(study.workspace, study.record.id) if row.stage == "adapt"]
        assert [row.alpha.reason for row in adapted] == [PLURAL if place else ALONE]
    rows = {(row.stage, row.field): row for row in agreement(study.workspace, study.record.id)}
    level = rows["label", "level"]
    assert level.percent.value == 0.75
    assert level.cohen.value == pytest.approx(0.5), "(0.75 - 0.5) / (1 - 0.5)"
    assert rows["label", "category"].cohen.value is None
    assert "no variation" in rows["label", "category"].cohen.reason


def test_agreement_leaves_out_who_withdrew(study: StudyFixture) -> None:
    study.add("verify", [QUESTION])
    people = [study.person() for _ in range(3)]
    for number, person in enumerate(people):
        study.answer(person, {"choices": [number // 2]})
    participants.withdraw(study.workspace, study.record.id, people[2].id)
    (row,) = agreement(study.workspace, study.record.id)
    assert (row.percent.value, row.percent.judgements) == (1.0, 2)


@ON_BOTH
def test_what_happened_can_be_read_and_not_changed(study: StudyFixture) -> None:
    (item,) = study.add("verify", [QUESTION])
    person = study.person()
    study.answer(person, {"choices": [0]})
    told = audit.events(study.workspace, study.record.id)
    assert {event.kind for event in told} >= {
        "study.created",
        "items.added",
        "participant.joined",
        "judgement.submitted",
    }
    newest = next(event for event in told if event.kind == "judgement.submitted")
    assert (newest.subject, newest.participant_id) == (f"item:{item}", person.id)
    assert audit.events(study.workspace, study.record.id, before=told[0].id, limit=1)[0].id < told[0].id
    for change in (
        sa.update(schema.events).values(kind="nothing"),
        sa.delete(schema.events),
        sa.update(schema.judgements).values(payload={}),
        sa.update(schema.judgements).values(seconds=1.0),
    ):
        with (
            pytest.raises(WorkspaceError, match="added but not changed"),
            study.workspace.write() as connection,
        ):
            connection.execute(change)


def test_staff_work_on_items_of_every_population(studio_workspace: Workspace) -> None:
    populations = [{"name": "korea", "culture": "KR"}, {"name": "indonesia", "culture": "ID"}]
    stage = {"name": "localise", "kind": "localise", "role": "reviewer", "for_each_population": False}
    study = open_study(studio_workspace, [stage], populations=populations)
    template = {"template": "What do people eat in your country?", "category": "Food"}
    add_items(
        study.workspace,
        study.record.id,
        "localise",
        [NewItem(name, template, name) for name in ("korea", "indonesia")],
    )
    reviewer = study.person(role=Role.REVIEWER)
    keys = {study.answer(reviewer, {"local": "???"}).item.key for _ in range(2)}
    assert keys == {"korea", "indonesia"}
    assert study.nothing(study.person("korea")) == "none_left", "the stage is not for annotators"
