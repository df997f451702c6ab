"""A survey leaves as a release that the benchmark survey reads: counts, weights, and nobody's own answers."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.api import run
from folkways.benchmarks.studies import Vote, shown_in_reverse
from folkways.benchmarks.survey import BENCHMARK
from folkways.errors import FolkwaysError
from folkways.workspace.database import Workspace
from folkways_studio.errors import SubmissionError
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import participants
from folkways_studio.people.participants import answer_eligibility
from folkways_studio.records import Participant
from folkways_studio.stages.parts.base import shown_options
from folkways_studio.stages.registry import stage_kind
from folkways_studio.workflows.definition import DefinitionError, read_definition
from studio.tests.support.exports import export_study
from studio.tests.support.studies import QUESTION, StudyFixture, described, open_study
from tests.support.hub_benchmarks import release_over

GENDER = {
    "name": "gender",
    "ask": "Your gender?",
    "options": ["woman", "man"],
    "quota": {"woman": 8},
    "margins": {"woman": 1, "man": 3},
}
POPULATIONS = [
    {"name": "kenya", "title": "Kenya", "culture": "KE", "language": "en", "criteria": [GENDER]},
    {"name": "korea", "title": "Korea", "culture": "KR", "language": "ko"},
]
CALLS = {"text": "Guests call first.", "options": ["Agree", "Neither", "Disagree"], "ordered": "yes"}
KOREAN = {"text": "손님은 먼저 전화한다.", "options": ["찬성", "중간", "반대"], "ordered": "yes"}
GIFT = {"text": "What do you bring?", "options": ["Food", "Flowers"], "ordered": "no"}


def opened(workspace: Workspace, **settings: Any) -> StudyFixture:
    stage = {"name": "opinions", "kind": "survey_question", "answers": 8, **settings}
    return open_study(workspace, [stage], populations=POPULATIONS)


def person_of(study: StudyFixture, gender: str) -> Participant:
    """Somebody of Kenya, let in or not."""
    return answer_eligibility(study.workspace, study.person("kenya").id, {"gender": gender})


@pytest.fixture
def study(workspace: Workspace) -> StudyFixture:
    """Two women and six men of Kenya, eight people of Korea; women agree, men do not."""
    study = opened(workspace)
    add_items(
        workspace,
        study.record.id,
        "opinions",
        [NewItem("calls", CALLS, "kenya"), NewItem("gift", GIFT, "kenya")],
    )
    add_items(
        workspace,
        study.record.id,
        "opinions",
        [NewItem("calls-ko", {**KOREAN, "question": "calls"}, "korea")],
    )
    for number in range(8):
        person = person_of(study, "woman" if number < 2 else "man")
        study.answer(person, {"answer": 0 if number < 2 else 2})
        study.answer(person, {"no_answer": "dont_know"} if number == 7 else {"answer": number % 2})
    for number in range(8):
        said = {"answer": 1} if number else {"no_answer": "rather_not"}
        study.answer(study.person("korea"), said)
    return study


def counts_in(folder: Path) -> dict[tuple[str, str], list[tuple[int, float]]]:
    rows: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for row in csv.DictReader((folder / "counts.csv").open(encoding="utf-8")):
        key = row["question"], row["culture"]
        assert int(row["option"]) == len(rows.setdefault(key, []))
        rows[key].append((int(row["count"]), float(row["weighted"])))
    return rows


def test_counts_are_weighted_to_the_margins(study: StudyFixture, tmp_path: Path) -> None:
    export_study(study.workspace, study.record.id, tmp_path)
    rows = counts_in(tmp_path)
    assert set(rows) == {("calls", "KE"), ("gift", "KE"), ("calls", "KR")}
    # two women and six men are one in four and three in four: as the margins say, so that nobody weighs more
    assert rows["calls", "KE"] == [(2, 2), (0, 0), (6, 6), (0, 0), (0, 0)]
    assert rows["calls", "KR"] == [(0, 0), (7, 7), (0, 0), (0, 0), (1, 1)]
    assert [count for count, _ in rows["gift", "KE"]] == [4, 3, 1, 0]
    record = json.loads((tmp_path / "weights.json").read_text(encoding="utf-8"))
    assert record["populations"]["kenya"]["effective"] == 8 and set(record["populations"]) == {"kenya"}


def test_a_withdrawn_person_is_in_no_count_and_the_others_weigh_anew(
    study: StudyFixture, tmp_path: Path
) -> None:
    woman = participants.list_participants(study.workspace, study.record.id)[0]
    participants.withdraw(study.workspace, study.record.id, woman.id)
    export_study(study.workspace, study.record.id, tmp_path)
    (agree, _, disagree, *_) = counts_in(tmp_path)["calls", "KE"]
    assert (agree, disagree) == ((1, 1), (6, 6))  # what she weighs would tell who she is
    record = json.loads((tmp_path / "weights.json").read_text(encoding="utf-8"))["populations"]["kenya"]
    weights = [7 / 4, *[7 / 8] * 6]
    assert record["effective"] == pytest.approx(sum(weights) ** 2 / sum(one**2 for one in weights), abs=0.05)


@pytest.mark.parametrize(
    ("took", "weighted"),
    [
        (["wwwwww", "mmmmmm", ""], [3, 9, 0]),
        (["wwwwm", "wm", "wmmmm"], [5 * 5.5 / 7, 2 * 5.5 / 7, 6.5]),  # of two as large, the first
        (["m", "wwww", "wwmmmmm"], [0.7, 2.8, 8.5]),
        (["wwwm", "", "wwwmmmmm"], [4, 0, 8]),
        (["wwmm", "wwwm", "wmmm"], [4, 4, 4]),
        (["wwwwm", "m", "wwmmmm"], [25 / 6, 5 / 6, 7]),
    ],
)
def test_what_a_few_people_weigh_is_told_as_the_mean_of_five_or_more(
    workspace: Workspace, tmp_path: Path, took: list[str], weighted: list[float]
) -> None:
    """took: who took each option; each of six women weighs 0.5, and each of six men 1.5."""
    study = opened(workspace, answers=12)
    add_items(workspace, study.record.id, "opinions", [NewItem("calls", CALLS, "kenya")])
    for option, people in enumerate(took):
        for each in people:
            person = person_of(study, {"w": "woman", "m": "man"}[each])
            study.answer(person, {"answer": option})
    export_study(workspace, study.record.id, tmp_path)
    rows = counts_in(tmp_path)["calls", "KE"]
    assert [count for count, _ in rows] == [*map(len, took), 0, 0]
    assert [weight for _, weight in rows] == pytest.approx([*weighted, 0, 0], rel=0, abs=6e-7)


def test_people_of_unequal_weight_count_as_fewer_where_the_release_is_read(
    study: StudyFixture, tmp_path: Path
) -> None:
    """Without weights they are as many as there are; who has no opinion is not among them."""
    export_study(study.workspace, study.record.id, tmp_path / "equal")
    assert b"effective" not in (tmp_path / "equal/questions.jsonl").read_bytes()
    woman = participants.list_participants(study.workspace, study.record.id)[0]
    participants.withdraw(study.workspace, study.record.id, woman.id)
    export_study(study.workspace, study.record.id, tmp_path / "weighted")
    (task,) = BENCHMARK.tasks
    read: dict[str, dict[str, int]] = {}
    for name in ("equal", "weighted"):
        items = task.items(release_over(tmp_path / name, "survey"))
        read[name] = dict(items.select("item", "respondents").iter_rows())
    assert read["equal"] == {"calls/KE": 8, "calls/KR": 7, "gift/KE": 7}
    effective = {
        "calls": (2 + 6) ** 2 / (2**2 + 6),
        "gift": (2 + 5) ** 2 / (2**2 + 5),
    }  # one weighs twice as much
    lines = (tmp_path / "weighted/questions.jsonl").read_text(encoding="utf-8").splitlines()
    stated = {row["id"]: row.get("effective", {}) for row in map(json.loads, lines)}
    assert stated == {key: {"KE": pytest.approx(number, abs=0.01)} for key, number in effective.items()}
    assert read["weighted"] == {"calls/KE": 6, "calls/KR": 7, "gift/KE": 5}


def test_nobody_is_in_the_release(study: StudyFixture, tmp_path: Path) -> None:
    export_study(study.workspace, study.record.id, tmp_path)
    files = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"counts.csv", "questions.jsonl", "weights.json"} <= files.keys()
    people = participants.list_participants(study.workspace, study.record.id)
    assert len(people) == 16
    for name, content in files.items():
        assert not [each for each in people if each.pseudonym.encode() in content], name


@pytest.mark.parametrize("beside", [False, True])
def test_published_data_have_no_opinion_of_one_person(
    workspace: Workspace, tmp_path: Path, beside: bool
) -> None:
    """beside: the study has another stage, whose answers are published one by one."""
    stages = [{"name": "opinions", "kind": "survey_question", "answers": 6}]
    verify = {"name": "verify", "kind": "vote", "answers": 1, "majority": 1}
    study = open_study(workspace, [*stages, *([verify] if beside else [])], populations=POPULATIONS)
    add_items(workspace, study.record.id, "opinions", [NewItem("gift", GIFT, "korea")])
    if beside:
        add_items(workspace, study.record.id, "verify", [NewItem("asked", QUESTION, "korea")])
    for _ in range(6):
        study.answer(study.person("korea"), {"answer": 1}, "opinions")
    if beside:
        study.answer(study.person("korea"), {"choices": [0]}, "verify")
    export_study(workspace, study.record.id, tmp_path, "hub")
    tables = {path.parent.name: pl.read_parquet(path) for path in tmp_path.glob("*/*.parquet")}
    assert list(tables["items"].filter(stage="opinions")["result"]) == [None]
    stages_judged = list(tables["judgements"]["stage"]) if beside else []
    assert stages_judged == (["verify"] if beside else []) and ("judgements" in tables) is beside
    card, croissant = ((tmp_path / name).read_text() for name in ("README.md", "croissant.json"))
    for text in (card, croissant):
        assert "Of these stages counts alone are published: opinions." in text
        assert ("`judgements` is what one" in text or "The answers of each person are" in text) is beside
    assert counts_in(next(path.parent for path in tmp_path.rglob("counts.csv")))["gift", "KR"][1] == (6, 6)
    if beside:
        assert tables["items"].filter(stage="verify")["result"].null_count() == 0
    export_study(workspace, study.record.id, tmp_path / "own", "csv")
    with (tmp_path / "own/judgements.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert sum(row["stage"] == "opinions" for row in rows) == 6, "those who run the study have them"


def test_answers_of_fewer_than_five_people_stay(workspace: Workspace, tmp_path: Path) -> None:
    study = opened(workspace, answers=20)
    add_items(
        workspace,
        study.record.id,
        "opinions",
        [NewItem("calls-ko", {**KOREAN, "question": "calls"}, "korea"), NewItem("more", KOREAN, "korea")],
    )
    for number in range(5):
        person = study.person("korea")
        study.answer(person, {"answer": 0})
        if number < 4:
            study.answer(person, {"answer": 0})
    export_study(workspace, study.record.id, tmp_path)
    assert len(counts_in(tmp_path)) == 1
    (left,) = json.loads((tmp_path / "weights.json").read_text(encoding="utf-8"))["left_out"]
    assert left["people"] == 4


def test_the_release_is_asked_and_scored(study: StudyFixture, tmp_path: Path) -> None:
    export_study(study.workspace, study.record.id, tmp_path / "mine")
    (task,) = BENCHMARK.tasks
    items = {
        row["item"]: row
        for row in task.items(release_over(tmp_path / "mine", "survey")).iter_rows(named=True)
    }
    assert sorted(items) == ["calls/KE", "calls/KR", "gift/KE"]
    assert items["calls/KE"]["positions"] == [1, 2, 3] and items["gift/KE"]["positions"] is None
    assert items["calls/KR"]["languages_of_texts"] == ["ko"]
    assert items["calls/KR"]["options_of_texts"][0][:3] == ["찬성", "중간", "반대"]
    assert items["calls/KE"]["no_opinion"] == ["I don't know", "I would rather not say"]
    asked = run(
        ["survey"],
        models=["baseline/first"],
        workspace=tmp_path / "asking.db",
        releases={"survey": str(tmp_path / "mine")},
    )
    assert asked.scores().filter(metric="similarity", facet="all")["n"].to_list() == [3]
    asked.workspace.close()


@pytest.mark.parametrize(
    ("korean", "why"),
    [
        ({**KOREAN, "options": ["찬성", "반대"]}, "other options in korea than in kenya"),
        ({**KOREAN, "ordered": "no"}, "other options"),
    ],
)
def test_populations_with_other_options_cannot_share_a_question(
    workspace: Workspace, tmp_path: Path, korean: dict[str, Any], why: str
) -> None:
    study = opened(workspace)
    add_items(
        workspace,
        study.record.id,
        "opinions",
        [NewItem("calls", CALLS, "kenya"), NewItem("calls-ko", {**korean, "question": "calls"}, "korea")],
    )
    study.answer(person_of(study, "man"), {"answer": 0})
    study.answer(study.person("korea"), {"answer": 0})
    study.answer(person_of(study, "woman"), {"answer": 0})
    with pytest.raises(FolkwaysError, match=why):
        export_study(workspace, study.record.id, tmp_path)


def test_a_group_that_nobody_is_in_is_named(workspace: Workspace, tmp_path: Path) -> None:
    study = opened(workspace)
    add_items(workspace, study.record.id, "opinions", [NewItem("calls", CALLS, "kenya")])
    for _ in range(6):
        study.answer(person_of(study, "man"), {"answer": 0})
    export_study(workspace, study.record.id, tmp_path)
    record = json.loads((tmp_path / "weights.json").read_text(encoding="utf-8"))["populations"]["kenya"]
    assert record["without_people"] == {"gender": ["woman"]} and record["effective"] == 6
    assert counts_in(tmp_path)["calls", "KE"][0] == (6, 6)


def test_half_of_the_people_see_the_options_in_reverse(workspace: Workspace) -> None:
    kind = stage_kind("survey_question")
    content = kind.check_content(CALLS, {})
    turned = Counter()
    for number in range(400):
        shown = kind.presented(content, f"person {number}")
        (answer, _) = kind.asked(shown, {"reverse": True})
        assert answer["reversed"] is shown_in_reverse(f"person {number}", CALLS["text"])
        turned[answer["reversed"]] += 1
        assert kind.asked(shown, {"reverse": False})[0]["reversed"] is False
    assert 160 < turned[True] < 240


def test_a_full_quota_screens_out_and_only_its_answer(workspace: Workspace) -> None:
    study = opened(workspace)
    women = [person_of(study, "woman") for _ in range(9)]
    assert [each.state for each in women] == ["active"] * 8 + ["screened_out"]
    assert [person_of(study, "man").state for _ in range(9)] == ["active"] * 9
    participants.withdraw(workspace, study.record.id, women[0].id)
    assert [person_of(study, "woman").state for _ in range(2)] == ["active", "screened_out"]
    participants.finish(workspace, women[1].id)  # who has finished still counts
    assert person_of(study, "woman").state == "screened_out"


def test_a_quota_is_of_its_own_population(workspace: Workspace) -> None:
    few = {**GENDER, "quota": {"woman": 1}}
    populations = [
        {"name": name, "title": name, "culture": "KE", "criteria": [few]} for name in ("kenya", "coast")
    ]
    stage = {"name": "opinions", "kind": "survey_question"}
    study = open_study(workspace, [stage], populations=populations)
    states = [
        answer_eligibility(workspace, study.person(name).id, {"gender": "woman"}).state
        for name in ("kenya", "coast", "kenya", "coast")
    ]
    assert states == ["active", "active", "screened_out", "screened_out"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"quota": {"woman": 0}}, "whole numbers of people above 0"),
        ({"quota": {"woman": 2.5}}, "whole numbers of people above 0"),
        ({"quota": {"child": 2}}, "not among the options"),
        ({"quota": []}, "has to name answers"),
        ({"margins": {"woman": 1}}, "share of every option"),
        ({"margins": {"woman": 1, "man": -1}}, "shares above 0"),
        ({"margins": {"woman": 1, "man": True}}, "shares above 0"),
        ({"accept": ["woman"], "margins": {"woman": 1, "man": 1}}, "not among the options that are let in"),
    ],
)
def test_quotas_and_margins_are_of_options(change: dict[str, Any], problem: str) -> None:
    stages = [{"name": "opinions", "kind": "survey_question"}]
    criterion = {**{name: GENDER[name] for name in ("name", "ask", "options")}, **change}
    with pytest.raises(DefinitionError, match=problem):
        read_definition(described(stages, populations=[{**POPULATIONS[0], "criteria": [criterion]}]))


def test_one_answer_or_none_and_options_shown_in_reverse() -> None:
    kind = stage_kind("survey_question")
    content, config = kind.check_content(CALLS, {}), {"reverse": True, "answers": 3}
    for wrong in ({}, {"answer": 0, "no_answer": "dont_know"}):
        with pytest.raises(SubmissionError):
            kind.validate(wrong, content, config)
    votes = [Vote(name, kind.validate(said, content, config)) for name, said in (
        ("a", {"answer": 2}), ("b", {"answer": 2}), ("c", {"no_answer": "rather_not"}),
    )]  # fmt: skip
    assert kind.decide(votes, content, config).result == {
        "counts": [0, 0, 2],
        "dont_know": 0,
        "rather_not": 1,
    }
    (answer, _) = kind.asked(content, config)
    shown = [
        [value for _, value, _ in shown_options({**answer, "reversed": turned}, content)]
        for turned in (False, True)
    ]
    assert shown == [[0, 1, 2], [2, 1, 0]]
