"""Two studies side by side: what is compared, what is paired, what is left out and why, and who may look."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.evidence.samples import Rows, SampleDifference, compare_samples
from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import inserted_id
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import accounts, invites, participants, sessions
from folkways_studio.records import Participant, Role
from folkways_studio.studies.comparison import (
    ComparedMeasure,
    ComparedStage,
    StudyComparison,
    compare_studies,
)
from folkways_studio.web.app import create_app
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, open_study
from tests.support.frozen_time import at_time

VOTE = {"name": "verify", "title": "Check", "kind": "vote", "answers": 2, "majority": 2}
LOOK = {**VOTE, "name": "look", "title": "Look"}
FIT = {"key": "fit", "type": "choice", "label": "Fitting?", "options": ["yes", "no", "idk"]}
FORM = {
    "name": "judge",
    "kind": "form",
    "answers": 2,
    "show": [{"field": "story", "type": "text"}],
    "ask": [FIT],
}
EUR = {"per_answer": 0.5, "currency": "EUR"}


def question(number: int) -> dict[str, Any]:
    return {**QUESTION, "question": f"{number}?"}


def join(
    study: StudyFixture, account: int | None = None, external: Mapping[str, str] | None = None
) -> Participant:
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    joined = participants.join(study.workspace, token, account_id=account, external=external, signed=True)
    return participants.consent(study.workspace, joined.id, study.record.consent_version)


def answer(
    study: StudyFixture,
    people: Sequence[Participant],
    said: Sequence[str],
    seconds: Sequence[float] = (60, 60),
) -> None:
    """Items in order; a digit is the option that each person chooses, a hyphen for who does not know."""
    for number, choices in enumerate(said):
        for person, choice, took in zip(people, choices, seconds, strict=False):
            work = at_time(1000.0 * number, study.work, person)
            sent = {"choices": [], "abstain": "dont_know"} if choice == "-" else {"choices": [int(choice)]}
            at_time(1000.0 * number + took, study.submit, person, work, sent)


def compared(first: StudyFixture, second: StudyFixture) -> StudyComparison:
    return compare_studies(first.workspace, first.record, second.record)


def add(study: StudyFixture, place: str | None, number: int) -> None:
    add_items(
        study.workspace, study.record.id, "verify", [NewItem(f"{place}-{number}", question(number), place)]
    )


def part_of(comparison: StudyComparison, stage: str | None) -> ComparedStage:
    (part,) = (each for each in comparison.stages if (each.stage.name if each.stage else None) == stage)
    return part


def measures(comparison: StudyComparison, stage: str | None = "verify") -> dict[str, ComparedMeasure]:
    return {each.measure: each for each in part_of(comparison, stage).measures}


def left_out(comparison: StudyComparison) -> set[tuple[str, str, str | None, str]]:
    return {(each.stage, each.population, each.measure, each.reason) for each in comparison.not_compared}


def same(found: SampleDifference, first: Rows, second: Rows, most: float | None = 1.0) -> bool:
    expected = compare_samples(first, second, None if most is None else (0.0, most))
    ends = [each.low for each in (found, expected)], [each.high for each in (found, expected)]
    return (found.first, found.second, found.paired, found.units) == (
        pytest.approx(expected.first), pytest.approx(expected.second), expected.paired, expected.units,
    ) and all(one == pytest.approx(other, nan_ok=True) for one, other in ends)  # fmt: skip


@ON_A_FILE
def test_only_shared_items_count_and_are_paired(studio_workspace: Workspace) -> None:
    one = open_study(studio_workspace, [VOTE], name="one")
    other = open_study(
        studio_workspace, [{**VOTE, "guidelines": "Think.", "next": {"done": "look"}}, LOOK], name="other"
    )
    one.add("verify", [question(number) for number in (*range(6), 90, 91, 92)])
    other.add("verify", [question(number) for number in (80, 81, *range(6))])
    answer(
        one, [one.person(), one.person()], ["11", "12", "11", "11", "1-", "11", "12", "12", "--"], (10, 30)
    )
    answer(
        other, [other.person(), other.person()], ["--", "--", "11", "12", "12", "12", "--", "12"], (20, 60)
    )
    comparison = compared(one, other)
    part, rows = part_of(comparison, "verify"), measures(comparison)
    assert (part.items, part.fields, part.settings) == (6, (), ("guidelines",))
    agree = [
        dict(enumerate([[float(each)] for each in shares]))
        for shares in ([1, 0, 1, 1, 0, 1], [1, 0, 0, 0, 1, 0])
    ]
    assert rows["agreement"].over == "items"
    assert same(rows["agreement"].difference, agree[0], agree[1])
    assert rows["agreement"].difference.paired == 6
    assert rows["agreement"].difference.difference == pytest.approx(4 / 6 - 2 / 6)
    unknown = (
        {"a": [0.0] * 6, "b": [0, 0, 0, 0, 1.0, 0]},
        {"c": [0, 0, 0, 0, 1.0, 0], "d": [0, 0, 0, 0, 1.0, 0]},
    )
    assert rows["not_known"].over == "people" and same(rows["not_known"].difference, *unknown)
    times = {"a": [10.0] * 6, "b": [30.0] * 6}, {"c": [20.0] * 6, "d": [60.0] * 6}
    # Five times the longer median: of 20, 20, 60, 60 seconds; the mean of the middle ones is 40.
    assert same(rows["time"].difference, *times, most=200.0)
    assert (rows["time"].difference.first, rows["time"].difference.second) == (20, 40)
    assert {*rows} == {"agreement", "not_known", "time"}
    assert left_out(comparison) == {("Look", "", None, "second")}
    mirrored = measures(compared(other, one))
    assert mirrored["agreement"].difference.low == pytest.approx(-rows["agreement"].difference.high)


@ON_A_FILE
def test_few_shared_items_leave_all_in_and_other_words_are_other_items(studio_workspace: Workspace) -> None:
    one, other = (open_study(studio_workspace, [VOTE], name=name) for name in ("one", "other"))
    one.add("verify", [question(number) for number in range(7)])
    other.add("verify", [{**question(number), "options": ["soup", "rice"]} for number in range(2)] + [
        question(number) for number in range(2, 7)
    ])  # fmt: skip
    for study in (one, other):
        answer(study, [study.person(), study.person()], ["11"] * 7)
    comparison = compared(one, other)
    assert part_of(comparison, "verify").items == 0, "five are too few"
    assert (
        measures(comparison)["agreement"].difference.units,
        measures(comparison)["agreement"].difference.paired,
    ) == ((7, 7), 0)


@ON_A_FILE
def test_people_of_both_studies_are_paired_whatever_way_they_came(studio_workspace: Workspace) -> None:
    one, other = (open_study(studio_workspace, [VOTE], name=name, pay=EUR) for name in ("one", "other"))
    for study, first in ((one, 0), (other, 50)):
        study.add("verify", [question(first + number) for number in range(4)])
    few = [join(one, external={"prolific_pid": f"pid-{number}"}) for number in range(3)]
    few += [join(one) for _ in range(4)]
    again = [join(other, external={"prolific_pid": f"pid-{number}"}) for number in range(3)]
    again += [join(other, person.account_id) for person in few[3:6]] + [join(other)]
    assert len({person.account_id for person in (*few, *again)}) == 11
    for people, study, took in ((few, one, 30.0), (again, other, 20.0)):
        for number, person in enumerate(people):
            work = at_time(0.0, study.work, person)
            at_time(took + number, study.submit, person, work, {"choices": [1]})
    _, token = invites.create_invite(studio_workspace, other.record.id, population="korea")
    for _ in range(3):  # who never agreed has not begun, and cannot stop
        gone = participants.join(studio_workspace, token)
        participants.withdraw(studio_workspace, other.record.id, gone.id)
    other.person(role=Role.RESEARCHER)
    participants.withdraw(studio_workspace, one.record.id, few[6].id)
    participants.withdraw(studio_workspace, other.record.id, again[0].id)
    comparison = compared(one, other)
    time = measures(comparison)["time"].difference
    # One of both has withdrawn from the second, who was only in the first from that: five are too few to pair.
    assert (time.paired, time.units) == (0, (6, 6))
    away = measures(comparison, None)["withdrew"].difference
    assert (away.paired, away.units) == (6, (7, 7))
    assert (away.first, away.second) == (0, pytest.approx(1 / 6)), "of those in both"
    with studio_workspace.write() as connection:
        people = schema.participants
        connection.execute(sa.update(people).where(people.c.id == again[0].id).values(state="active"))
    time = measures(compared(one, other))["time"].difference
    assert (time.paired, time.first, time.second) == (6, 32.5, 22.5)


@ON_A_FILE
def test_an_answer_that_counts_costs_what_all_answers_did(studio_workspace: Workspace) -> None:
    one = open_study(studio_workspace, [VOTE], name="one", pay={"per_hour": 36, "currency": "EUR"})
    other = open_study(studio_workspace, [VOTE], name="other", pay=EUR)
    for study, first in ((one, 0), (other, 50)):
        study.add("verify", [question(first + number) for number in range(4)])
        people = [study.person(), study.person()]
        answer(study, people, ["11", "12", "11"], (100, 50))
        if study is one:
            call = {
                "study_id": study.record.id, "participant_id": people[0].id, "purpose": "suggester", "endpoint": "m",
                "run": "", "prompt": "?", "created": 1.0,
            }  # fmt: skip
            with studio_workspace.read() as connection:
                item = connection.scalar(sa.select(schema.judgements.c.item_id))
            with studio_workspace.write() as connection:
                for usd in (0.25, 0.05, None):
                    inserted_id(connection, schema.model_calls, {**call, "item_id": item, "usd": usd})
                inserted_id(connection, schema.model_calls, {**call, "item_id": None, "usd": 9.0})
    rows = measures(compared(one, other))
    assert (rows["pay"].currency, rows["models"].currency) == ("EUR", "USD")
    # 100 and 50 seconds at a cent a second.
    assert (rows["pay"].difference.first, rows["pay"].difference.second) == pytest.approx((0.75, 0.5))
    assert same(
        rows["pay"].difference, {"a": [1.0] * 3, "b": [0.5] * 3}, {"c": [0.5] * 3, "d": [0.5] * 3}, None
    )
    assert (rows["models"].difference.first, rows["models"].difference.second) == pytest.approx((0.3 / 6, 0))
    participants.withdraw(studio_workspace, one.record.id, one.people()[1].id)
    rows = measures(compared(one, other))
    assert rows["pay"].difference.first == pytest.approx(1.5), "three answers for the pay of six"
    assert rows["models"].difference.first == pytest.approx(0.1)
    assert rows["time"].difference.first == 100


@ON_A_FILE
def test_what_cannot_be_compared_is_named_with_the_reason(studio_workspace: Workspace) -> None:
    def made_study(name: str, stages: list[dict[str, Any]], **changes: Any) -> StudyFixture:
        return open_study(studio_workspace, stages, name=name, **changes)

    def form(name: str, fit: dict[str, Any], **changes: Any) -> StudyFixture:
        study = made_study(name, [{**FORM, "ask": [fit]}], **changes)
        study.add("judge", [{"story": "A door."}])
        for _ in range(2):
            study.answer(study.person(), {"answers": {"fit": "yes"}})
        return study

    one = made_study(
        "one", [VOTE, {**VOTE, "name": "more", "title": "More"}, {**VOTE, "name": "mixed", "title": "Mixed"}]
    )
    two = made_study(
        "two",
        [VOTE, {"name": "mixed", "kind": "review", "title": "M"}, {**VOTE, "name": "new", "title": "New"}],
    )
    one.add("verify", [question(1)])
    answer(one, [one.person()], ["1"])
    assert left_out(compared(one, two)) == {
        ("More", "", None, "first"), ("New", "", None, "second"), ("Mixed", "", None, "kind"),
        ("Check", "korea", None, "answers"), ("", "korea", "withdrew", "answers"),
    }  # fmt: skip
    assert compared(one, two).stages == ()
    two.add("verify", [question(1)])
    answer(two, [two.person()], ["1"])
    assert ("Check", "korea", "agreement", "pairs") in left_out(compared(one, two))
    plain = form("plain", FIT, pay=EUR)
    assert "not_known" in measures(compared(plain, plain), "judge")
    no_idk = form("no-idk", {**FIT, "options": ["yes", "no"]}, pay={**EUR, "currency": "USD"})
    assert left_out(compared(plain, no_idk)) == {("judge", "korea", None, "asks")}
    assert left_out(compared(no_idk, form("free", {**FIT, "options": ["yes", "no"]}))) == {
        ("judge", "korea", "not_known", "no_not_known"), ("judge", "korea", "pay", "rate"),
    }  # fmt: skip
    dollars = form("dollars", FIT, pay={**EUR, "currency": "USD"})
    assert left_out(compared(plain, dollars)) == {("judge", "korea", "pay", "currency")}


@ON_A_FILE
def test_forms_that_differ_are_compared_by_what_both_ask_alike(studio_workspace: Workspace) -> None:
    rude = {"key": "rude", "type": "choice", "label": "Rude?", "options": ["yes", "no"]}
    two_studies = [
        open_study(studio_workspace, [{**FORM, "ask": [FIT, each]}], name=name, pay=EUR)
        for name, each in (("one", rude), ("two", {**rude, "label": "Impolite?"}))
    ]
    for study, second in zip(two_studies, ("yes", "no"), strict=True):
        study.add("judge", [{"story": "A door."}, {"story": study.record.name}])
        for fit, is_rude in (("yes", "no"), (second, "yes")):
            person = study.person()
            for _ in range(2):
                study.answer(person, {"answers": {"fit": fit, "rude": is_rude}})
    comparison = compared(*two_studies)
    assert part_of(comparison, "judge").fields == ("fit",)
    rows = measures(comparison, "judge")
    assert {*rows} == {"agreement", "not_known"}
    assert (rows["agreement"].difference.first, rows["agreement"].difference.second) == (1, 0), (
        "rude is no part"
    )
    assert rows["agreement"].difference.units == (2, 2)
    assert left_out(comparison) == {("judge", "korea", "time", "asks"), ("judge", "korea", "pay", "asks")}


@ON_A_FILE
def test_populations_are_those_of_one_culture_and_language(studio_workspace: Workspace) -> None:
    seoul, busan = ({"name": name, "title": name.title(), "culture": "KR"} for name in ("seoul", "busan"))
    japan = {"name": "japan", "title": "Japan", "culture": "JP"}
    one = open_study(studio_workspace, [VOTE], name="one", populations=[seoul, busan])
    two = open_study(studio_workspace, [VOTE], name="two", populations=[{**seoul, "title": "S."}, japan])
    three = open_study(
        studio_workspace, [VOTE], name="three", populations=[{"name": "k", "culture": "KR"}, japan]
    )
    for study, places in ((one, ("seoul", "busan")), (two, ("seoul", "japan")), (three, ("k", "japan"))):
        for place in places:
            add(study, place, 1)
            for _ in range(2):
                work = study.work(person := study.person(place))
                study.submit(person, work, {"choices": [1]})

    def places(first: StudyFixture, second: StudyFixture) -> list[str | None]:
        return [
            each.population and each.population.title for each in compared(first, second).stages if each.stage
        ]

    assert places(one, two) == ["Seoul"]
    assert left_out(compared(one, two)) == {("", "Busan", None, "first"), ("", "Japan", None, "second")}
    assert left_out(compared(two, one)) == {("", "Busan", None, "second"), ("", "Japan", None, "first")}
    assert places(two, three) == ["S.", "Japan"]
    assert left_out(compared(two, three)) == set()
    assert places(one, three) == [] and len(left_out(compared(one, three))) == 4
    for study in (two, three):
        add(study, None, 2)
        for place in ("japan", "japan"):
            study.answer(study.person(place), {"choices": [1]})
    add(one, None, 2)
    one.answer(one.person("seoul"), {"choices": [1]})
    assert places(two, three)[-1] is None and len(places(two, three)) == 3
    assert ("", "", None, "population") in left_out(compared(one, two))


@ON_A_FILE
def test_more_or_less_is_said_only_beyond_chance_among_all_rows(studio_workspace: Workspace) -> None:
    stages = [VOTE, *({**VOTE, "name": f"n{number}", "title": "N"} for number in range(3))]

    def pair(*stages: dict[str, Any], name: str) -> StudyComparison:
        two_studies = [open_study(studio_workspace, stages, name=f"{name}-{side}") for side in "ab"]
        for study, said in zip(two_studies, (["11"] * 9, ["12"] * 6 + ["11"] * 3), strict=True):
            study.add("verify", [question(number) for number in range(9)])
            people = [study.person(), study.person()]
            answer(study, people, said)
            for stage in stages[1:]:
                study.add(str(stage["name"]), [question(100)])
                for person in people:
                    study.answer(person, {"choices": [1]}, str(stage["name"]))
        return compared(*two_studies)

    alone, many = (
        measures(pair(*given, name=name))["agreement"] for name, given in (("x", stages[:1]), ("y", stages))
    )
    assert alone.difference == many.difference and alone.difference.low > 0
    looks = 4, 4 + 3 * 3
    clear = [compare_samples(*rows_of(), confidence=1 - 0.05 / each).low > 0 for each in looks]
    assert [alone.clear, many.clear] == clear == [True, False]


def rows_of() -> tuple[Rows, Rows]:
    return {n: [1.0] for n in range(9)}, {n: [float(n > 5)] for n in range(9)}


@ON_A_FILE
def test_only_who_runs_both_studies_sees_them_side_by_side(studio_workspace: Workspace) -> None:
    mine = open_study(studio_workspace, [VOTE], name="mine", title="<b>Mine</b>", pay=EUR)
    theirs = open_study(studio_workspace, [VOTE], name="theirs", title="<i>Theirs</i>", pay=EUR)
    for study in (mine, theirs):
        study.add("verify", [question(number) for number in range(6)])
        answer(study, [study.person(), study.person()], ["12"] * 6)
    client = AppClient(create_app(studio_workspace))
    client.cookies.set("folkways_session", sessions.open_session(studio_workspace, mine.owner))
    page = client.get("/studies/mine/compare")
    assert page.status_code == 200 and "You run no other study." in page.text
    for role in (None, Role.REVIEWER, Role.ANNOTATOR):
        if role is not None:
            with studio_workspace.write() as connection:
                accounts.grant(connection, theirs.record.id, mine.owner, role, by=None)
        assert "Theirs" not in client.get("/studies/mine/compare").text
        refused, nowhere = (
            client.get(f"/studies/mine/compare?other={name}") for name in ("theirs", "thairs")
        )
        assert refused.status_code == nowhere.status_code == 404
        said = [re.findall("There is no [^.]*", each.text) for each in (refused, nowhere)]
        assert [each.replace("theirs", "thairs") for each in said[0]] == said[1] != []
    with studio_workspace.write() as connection:
        accounts.grant(connection, theirs.record.id, mine.owner, Role.RESEARCHER, by=None)
    page = client.get("/studies/mine/compare").text
    assert '<option value="theirs">&lt;i&gt;Theirs&lt;/i&gt;</option>' in page and 'value="mine"' not in page
    page = client.get("/studies/mine/compare?other=theirs").text
    assert "items in both: 6" in page and "cannot be told apart" in page and "<i>Theirs" not in page
    assert "pairs that agree" in page and "What is not compared" not in page
    assert client.get("/studies/mine/compare?other=mine").status_code == 404
    assert "/studies/mine/compare" in client.get("/studies/mine").text


@ON_A_FILE
def test_an_item_is_the_same_where_people_see_the_same_of_it(studio_workspace: Workspace) -> None:
    lists = {"categories": ["Food"], "levels": ["Visible"], "elements": ["Art"]}
    label = {"name": "label", "kind": "label_item", "answers": 2, **lists}
    one, other = (open_study(studio_workspace, [label], name=name) for name in ("one", "other"))
    for study, writer in ((one, "p-1"), (other, "p-2")):
        texts = [f"We ate kimchi {number} times." for number in range(6)]
        study.add("label", [{"sentence": text, "spans": [[7, 13]], "by": writer} for text in texts])
        person, second = study.person(), study.person()
        for _ in texts:
            for each in (person, second):
                study.answer(each, {"category": "Food", "level": "Visible", "element": "Art"})
    assert part_of(compared(one, other), "label").items == 6


@pytest.mark.parametrize(
    ("said", "unit"),
    [
        (["----"] * 4 + ["1111"] * 4, "items"),  # nobody knows four of the items, and all know the others
        (["--11"] * 8, "people"),  # two people know nothing, and two know all
    ],
)
def test_not_known_is_over_what_leaves_most_open(
    studio_workspace: Workspace, said: list[str], unit: str
) -> None:
    """Fewer people than items: were items that nobody knows asked in one study alone, people would differ in nothing."""
    two_studies = [
        open_study(studio_workspace, [{**VOTE, "answers": 4, "majority": 3}], name=name)
        for name in ("one", "other")
    ]
    for first, study in enumerate(two_studies):
        study.add("verify", [question(10 * first + number) for number in range(8)])
        answer(study, [study.person() for _ in range(4)], said, (60, 60, 60, 60))
    found = measures(compared(*two_studies))["not_known"]
    assert found.over == unit
    rows = [
        [float(choice == "-") for choice in each]
        for each in (said if unit == "items" else zip(*said, strict=True))
    ]
    sides = [{(study, number): values for number, values in enumerate(rows)} for study in range(2)]
    assert same(found.difference, *sides)
