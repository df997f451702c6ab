"""Where people are apart, by figures worked out by hand, by another implementation, and with nobody blamed
for a few answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.stats.intervals import wilson
from folkways.stats.raters.agreement import percent_agreement
from folkways.workspace.database import Workspace
from folkways_studio.people import participants
from folkways_studio.records import Participant
from folkways_studio.studies import disagreements
from folkways_studio.studies import service as studies
from folkways_studio.studies.agreement_over_time import (
    BOTTOM,
    HEIGHT,
    TOP,
    agreement_over_time,
    agreement_trends,
    chart_of,
)
from folkways_studio.studies.disagreements import (
    AnsweredItem,
    AnswerOfPerson,
    DisagreementReport,
    measured,
    read_answers,
)
from folkways_studio.studies.spread import spread
from folkways_studio.work import assignments, judgements
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, next_work, open_study
from tests.support.frozen_time import at_time

DAY = 86400.0
BEGIN = datetime(2026, 3, 2, tzinfo=UTC).timestamp()
"""A Monday."""

STAGES = [
    {"name": "verify", "kind": "vote", "answers": 3, "majority": 3},
    {"name": "write", "kind": "collect_question"},
]
LABELS = st.lists(
    st.dictionaries(st.sampled_from("ab"), st.integers(0, 2), min_size=1), min_size=1, max_size=6
)


def mean(shares: list[float]) -> float:
    return sum(shares) / len(shares) if shares else float("nan")


@given(st.lists(LABELS, max_size=4))
def test_many_items_at_once_are_what_each_comes_to_alone(items: list[list[dict[str, int]]]) -> None:
    found = spread(items)
    for number, labels in enumerate(items):
        units = [{str(who): each[name] for who, each in enumerate(labels) if name in each} for name in "ab"]
        outside = [1 - max(Counter(unit.values()).values()) / len(unit) for unit in units if len(unit) > 1]
        assert found.apart[number] == pytest.approx(mean(outside), nan_ok=True)
        shares = [value for unit in units if (value := percent_agreement([unit]).value) is not None]
        assert found.agree[number] == pytest.approx(mean(shares), nan_ok=True)


@given(st.lists(LABELS, max_size=4))
def test_somebody_differs_from_a_label_that_more_than_half_of_the_others_gave(
    items: list[list[dict[str, int]]],
) -> None:
    expected = []
    for labels in items:
        for person, own in enumerate(labels):
            others = labels[:person] + labels[person + 1 :]
            told = []
            for name, label in own.items():
                said = [each[name] for each in others if name in each]
                told += [
                    label != most for most in set(said) if 2 * sum(each == most for each in said) > len(said)
                ]
            expected.append((bool(told), any(told)))
    found = spread(items)
    assert list(zip(found.told.tolist(), found.differs.tolist(), strict=True)) == expected


def vote(study: StudyFixture, people: list[Participant], said: list[str], *, at: float = BEGIN) -> None:
    """Each item's answers as digits of the option that each person chooses, a day from item to item."""
    study.add(
        "verify",
        [{**QUESTION, "question": f"{QUESTION['question']} {number}"} for number in range(len(said))],
    )
    for number, choices in enumerate(said):
        for person, choice in zip(people, choices, strict=True):
            work = at_time(at + number * DAY, next_work, study.workspace, person.id, stage="verify")
            assert isinstance(work, assignments.Work)
            submission = {"choices": [int(choice)]}
            key = f"{person.id}-{work.item.id}"
            at_time(
                at + number * DAY + 60,
                judgements.submit,
                study.workspace,
                person.id,
                work.assignment.id,
                submission,
                key,
            )


def read(study: StudyFixture) -> DisagreementReport:
    return measured(read_answers(study.workspace, study.record.id))


@ON_A_FILE
def test_stages_items_and_people_by_hand(study: StudyFixture) -> None:
    people = [study.person() for _ in range(3)]
    kim, lee, park = people
    vote(study, people, ["111", "112", "113", "123", "111"])
    written = {"category": "Food", "question": "Who eats?", "english": "Who eats?"}
    study.answer(kim, written, "write")
    answered = read(study)
    (stage,) = disagreements.by_stage(study.workspace, study.record.id, answered)
    assert (stage.stage.name, stage.population, stage.items, stage.bands) == (
        "verify",
        "korea",
        5,
        (2, 0, 2, 1),
    )
    assert stage.mean == pytest.approx((1 / 3 + 1 / 3 + 2 / 3) / 5)
    disputed = [(each.item_id, share) for each, share in disagreements.most_disputed(answered, 2)]
    assert disputed == [
        (answered.answered[3].item_id, pytest.approx(2 / 3)),
        (answered.answered[1].item_id, pytest.approx(1 / 3)),
    ]
    found = {
        row.participant_id: row for row in disagreements.by_person(study.workspace, study.record.id, answered)
    }
    # Of the five items the others agree in: all for Park but the fourth, two for Kim and Lee.
    assert {who: (row.differ, row.n) for who, row in found.items()} == {
        kim.id: (0, 2),
        lee.id: (0, 2),
        park.id: (2, 4),
    }
    assert (found[park.id].usual, found[kim.id].usual) == (0.0, pytest.approx(2 / 6))
    interval = wilson(2, 4)
    assert (found[park.id].low, found[park.id].high, found[park.id].share) == (
        interval.low,
        interval.high,
        0.5,
    )
    assert not any(row.stands_out for row in found.values()), "four answers are few"
    participants.withdraw(study.workspace, study.record.id, park.id)
    assert park.id not in {
        row.participant_id for row in disagreements.by_person(study.workspace, study.record.id, read(study))
    }
    assert [
        each.share for each in disagreements.by_person(study.workspace, study.record.id, read(study))
    ] == [pytest.approx(1 / 5)] * 2, "of two, each differs"


@ON_A_FILE
def test_stages_come_in_their_order_and_populations_within_them_after_items_of_everybody(
    studio_workspace: Workspace,
) -> None:
    """By the number of four who say something else, so many items each."""
    populations = [{"name": name, "culture": code} for name, code in (("peru", "PE"), ("korea", "KR"))]
    names = ("zeta", "alpha", "mid")
    stages = [{"name": name, "kind": "vote"} for name in names]
    study = open_study(studio_workspace, stages, populations=populations)
    about = studio_workspace, study.record.id
    stage_of = {stage.name: stage for stage in studies.stages(*about)}
    place_of = {None: None} | {each.name: each.id for each in studies.populations(*about)}

    def item(stage: str, place: str | None, *labels: int) -> AnsweredItem:
        said = [AnswerOfPerson(number, {"a": label}, 0.0) for number, label in enumerate(labels)]
        return AnsweredItem(0, place_of[place], stage_of[stage], said)

    answered = [
        item("alpha", "korea", 1, 1, 1, 2),
        item("zeta", "korea", 1, 1, 2, 2),
        item("alpha", None, 1, 2, 3, 4),
        item("zeta", "peru", 1),
        item("alpha", "peru", 1, 1, 1, 1),
        item("zeta", None, 1, 1, 1, 2),
        item("alpha", "korea", 1, 1, 2, 2),
        item("zeta", None, 1, 1, 2, 3),
        item("alpha", "korea", 1, 1, 1, 1),
        item("zeta", None, 2, 2, 2),
    ]
    rows = disagreements.by_stage(*about, measured(answered))
    assert [(each.stage.name, each.population, each.items, each.bands, each.mean) for each in rows] == [
        ("zeta", None, 3, (1, 1, 1, 0), 0.25),
        ("zeta", "korea", 1, (0, 0, 1, 0), 0.5),
        ("alpha", None, 1, (0, 0, 0, 1), 0.75),
        ("alpha", "peru", 1, (1, 0, 0, 0), 0.0),
        ("alpha", "korea", 3, (1, 1, 1, 0), 0.25),
    ]


@ON_A_FILE
def test_the_most_disputed_items_come_first_then_those_of_more_people_then_the_oldest(
    studio_workspace: Workspace,
) -> None:
    study = open_study(studio_workspace, STAGES)
    stage = studies.stages(studio_workspace, study.record.id)[0]
    answered = [
        AnsweredItem(
            number, None, stage, [AnswerOfPerson(who, {"a": label}, 0.0) for who, label in enumerate(labels)]
        )
        for number, labels in (
            (9, "12"),
            (3, "1122"),
            (4, "11"),
            (2, "12"),
            (5, "123"),
            (7, "1112"),
            (8, "1"),
        )
    ]
    report = measured(answered)
    expected = [(5, 2 / 3), (3, 0.5), (2, 0.5), (9, 0.5), (7, 0.25)]
    for most in (0, 1, 3, 5, 9):
        disputed = [(each.item_id, share) for each, share in disagreements.most_disputed(report, most)]
        assert disputed == [(number, pytest.approx(share)) for number, share in expected[:most]]


@ON_A_FILE
def test_somebody_stands_out_only_beyond_what_chance_does_to_so_many(study: StudyFixture) -> None:
    people = [study.person() for _ in range(3)]
    letters = {person.pseudonym: letter for person, letter in zip(people, "abc", strict=True)}
    vote(study, people, ["111"])
    (pattern,) = read(study).answered

    def told(*said: str) -> list[tuple[str, int, int, bool]]:
        answered = [
            replace(
                pattern,
                said=[
                    AnswerOfPerson(people[number].id, {"choices": choice}, BEGIN)
                    for number, choice in enumerate(choices)
                ],
            )
            for choices in said
        ]
        return [
            (letters[row.pseudonym], row.differ, row.n, row.stands_out)
            for row in disagreements.by_person(study.workspace, study.record.id, measured(answered))
        ]

    assert told(*["110"] * 30) == [("c", 30, 30, False)], (
        "the two others are divided by the third throughout: nothing to compare"
    )
    assert told("110", "000", "020") == [("b", 1, 2, False), ("c", 1, 2, False), ("a", 0, 1, False)]
    clear = told(*["110"] * 20, *["000"] * 9, "020")
    assert clear == [("c", 20, 29, True), ("b", 1, 10, False), ("a", 0, 9, False)]


@ON_A_FILE
def test_agreement_over_time_by_week_and_by_hundred_answers(study: StudyFixture) -> None:
    people = [study.person() for _ in range(3)]
    vote(study, people, ["111", "112"] * 4)  # Monday to Monday
    (course,) = agreement_over_time(read(study))
    assert [(point.name, point.items) for point in course.points] == [("2026-03-02", 7), ("2026-03-09", 1)]
    first, second = course.points
    assert (first.share, second.share) == (pytest.approx((4 + 3 / 3) / 7), pytest.approx(1 / 3))
    interval = wilson(5, 7)
    assert (first.low, first.high) == (pytest.approx(interval.low), pytest.approx(interval.high))
    (course,) = agreement_over_time(read(study), "hundred")
    assert [(point.name, point.items) for point in course.points] == [("1–100", 8)]
    drawn = chart_of([first, second])
    assert [mark["name"] for mark in drawn["marks"]] == ["2026-03-02", "2026-03-09"]
    for mark, point in zip(drawn["marks"], (first, second), strict=True):
        assert TOP <= mark["high"] <= mark["y"] <= mark["low"] <= HEIGHT - BOTTOM
        assert mark["y"] == pytest.approx(HEIGHT - BOTTOM - point.share * (HEIGHT - TOP - BOTTOM), abs=0.1)
    heights = [(HEIGHT - BOTTOM, "0 %"), ((TOP + HEIGHT - BOTTOM) / 2, "50 %"), (TOP, "100 %")]
    assert drawn["lines"] == [(pytest.approx(height, abs=0.1), label) for height, label in heights]
    assert chart_of([])["marks"] == []
    assert all(one["x"] < other["x"] for one, other in combinations(drawn["marks"], 2))


@ON_A_FILE
def test_disagreement_that_grows_is_told_by_stage_and_nothing_else_is(study: StudyFixture) -> None:
    vote(study, [study.person() for _ in range(3)], ["111"])
    (pattern,) = read(study).answered

    def items(
        *said: str, stage: int = 0, place: int = 1, late: float = 0.0
    ) -> list[disagreements.AnsweredItem]:
        of = replace(pattern.stage, id=pattern.stage.id + stage, name=f"stage {stage}", position=stage)
        return [
            disagreements.AnsweredItem(
                100 * stage + number, place, of,
                [
                    AnswerOfPerson(who, {"choices": digit}, BEGIN + late + number * DAY + who)
                    for who, digit in enumerate(choices)
                ],
            )
            for number, choices in enumerate(said)
        ]  # fmt: skip

    def told(answered: list[disagreements.AnsweredItem]) -> list[tuple[str, float, float, bool]]:
        return [
            (each.stage.name, each.course.earlier, each.course.later, each.grows_apart)
            for each in agreement_trends(answered)
        ]

    falling = items(*["111"] * 30, *["123"] * 30)
    assert told(falling) == [("stage 0", 1.0, 0.0, True)]
    assert told(falling[::-1]) == told(falling), "by moment, not by number"
    assert told(items(*["123"] * 30, *["111"] * 30)) == [("stage 0", 0.0, 1.0, False)]
    assert told(items(*["111"] * 9, *["123"] * 10)) == [], "too few"
    # A population that comes late and agrees less from the start.
    late = items(*["111"] * 30) + items(*["123"] * 30, place=2, late=99 * DAY)
    assert told(late) == [("stage 0", 0.5, 0.5, False)]
    # The answers of whoever is asked because three were apart do not count.
    assert told(items(*["111"] * 30, *["1112222222"] * 30)) == [("stage 0", 1.0, 1.0, False)]
    # Items whose second answer came late are late, whatever their number; one answer is none.
    slow = [
        replace(
            each,
            said=[each.said[0], *(one._replace(created=one.created + 999 * DAY) for one in each.said[1:])],
        )
        for each in items(*["123"] * 30)
    ]
    assert told([*slow, *items(*["111"] * 30, *["1"] * 9)]) == [("stage 0", 1.0, 0.0, True)]
    # Beyond chance among all stages: what is clear alone is not among twenty.
    border = [*["111"] * 20, *["111"] * 11, *["123"] * 9]
    assert told(items(*border))[0][3]
    many = [items(*["111"] * 40, stage=stage) for stage in range(1, 40)]
    assert not told([*items(*border), *(each for stage in many for each in stage)])[0][3]
    assert [name for name, *_ in told([*many[3], *many[1], *items(*border)])] == [
        "stage 0",
        "stage 2",
        "stage 4",
    ]
