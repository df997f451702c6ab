"""From three sentences per item to a release in XCR-Bench's schema, with everybody's adaptations beside the
decided one."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from folkways.api import run
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.xcr.labels import RELEASED_LABEL
from folkways.benchmarks.xcr.release import adaptations, corpus, read_base
from folkways.workspace.database import Workspace
from folkways_studio.items import service as items
from folkways_studio.people import participants
from folkways_studio.records import Role
from folkways_studio.workflows.templates import template_text
from studio.tests.support.exports import export_study
from studio.tests.support.studies import StudyFixture, open_study, untrained

POPULATIONS = [
    {"name": "bangladesh", "culture": "BD", "language": "bn"},
    {"name": "china", "culture": "CN", "language": "zh"},
]
CANDIDATES = [
    {"text": f"We had a {kind} potluck at church.", "by": f"model-{kind}"} for kind in ("big", "small", "odd")
]
FACT = {
    "fact": "Everybody brings a dish.",
    "source": "https://example.org/1",
    "provenance": {"fact_id": "fact-1", "table_row": 7, "proposed_by": "model-odd"},
}
LABELS = {"category": "Social Tradition", "level": "Semi-visible", "element": "Food and Drink"}
VERSIONS: dict[str, tuple[str, str]] = {
    "bangladesh": (
        "We had a big <CSI>picnic</CSI> at the mosque.",
        "মসজিদে আমাদের একটি বড় <CSI>চড়ুইভাতি</CSI> ছিল।",
    ),
    "china": ("We had a big <CSI>dinner</CSI> at the temple.", "我们在寺庙里吃了一顿大<CSI>餐</CSI>。"),
}


def ratings(best: str) -> dict[str, Any]:
    return {
        each: dict.fromkeys(("accuracy", "fluency", "realism"), 5 if each == best else 2) for each in "abc"
    }


@pytest.fixture
def study(workspace: Workspace) -> StudyFixture:
    stages = yaml.safe_load(template_text("culture-specific-items"))["stages"]
    study = open_study(workspace, untrained(stages), populations=POPULATIONS)
    contents = [{"item": f"potluck {number}", **FACT, "candidates": CANDIDATES} for number in range(2)]
    study.add("choose", contents, population=None)
    return study


def judge(study: StudyFixture) -> None:
    """Both sentences are chosen, marked and labelled; the judges differ on the level of the second one, and
    the expert settles it.
    """
    judges, expert = [study.person(role=Role.REVIEWER) for _ in range(2)], study.person(role=Role.EXPERT)
    for place, person in enumerate(judges):
        for number in range(2):
            best = "a" if number == 0 else "ab"[place]
            study.answer(person, {"best": best, "ratings": ratings(best)}, "choose")
    work = study.work(expert, "choose-again")
    assert {each["payload"]["best"] for each in work.item.content["candidates"]} == {"a", "b"}
    study.submit(expert, work, {"best": "b", "ratings": ratings("b"), "reason": "more natural"})
    for person in judges:
        for _ in range(2):
            work = study.work(person, "mark")
            start = work.item.content["sentence"].index("potluck")
            study.submit(person, work, {"spans": [[start, start + 7]]})
    for place, person in enumerate(judges):
        for number in range(2):
            level = "Visible" if place == number == 1 else LABELS["level"]
            study.answer(person, {**LABELS, "level": level}, "label")
    study.answer(expert, LABELS, "label-again")


def adapt(study: StudyFixture) -> None:
    for name, (intra, inter) in VERSIONS.items():
        for number in range(2):
            person = study.person(name)
            for sentence in range(2):
                own = {
                    "strategies": ["functional_equivalent"],
                    "intra": intra.replace("big", "big" if number else "large"),
                    "inter": inter,
                }
                study.answer(person, own if sentence == 0 else {"strategies": ["non_transferable"]}, "adapt")


def decide(study: StudyFixture, number: int = 0) -> None:
    """The sentence without an equivalent needs no decision: all agree that there is none."""
    expert = study.person(role=Role.EXPERT)
    for _ in VERSIONS:
        work = study.work(expert, "decide")
        study.submit(
            expert, work, {**work.item.content["candidates"][number]["payload"], "reason": "as this one"}
        )


def test_the_release_is_read_like_the_published_one(study: StudyFixture, tmp_path: Path) -> None:
    judge(study)
    adapt(study)
    decide(study)
    export_study(study.workspace, study.record.id, tmp_path / "mine")
    release = open_release(tmp_path / "mine", "xcr")
    base = read_base(release)
    assert base["sentence"].to_list() == [
        "We had a big <CSI> potluck </CSI> at church.",
        "We had a small <CSI> potluck </CSI> at church.",
    ]
    assert set(base["csi_category"]) == {LABELS["category"]}
    assert set(base["hall_level"]) == {LABELS["level"]}
    assert set(base["csi_hall_mapping"]) == {LABELS["element"]}
    assert set(base["cultural_context"]) == {"Everybody brings a dish."}
    with (tmp_path / "mine" / "xcr_bench_base_corpus.csv").open(newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == corpus(release)["id"].to_list(), (
            "the ids are those that readers compute"
        )
    for culture, name in (("BD", "bangladesh"), ("CN", "china")):
        found = adaptations(release, culture)
        assert found["joined_by"].to_list() == ["exact", "exact"]
        assert not found["swapped"].any()
        assert found["inter"].to_list() == [
            VERSIONS[name][1].replace("<CSI>", "<CSI> ").replace("</CSI>", " </CSI>"),
            RELEASED_LABEL,
        ]
    with (tmp_path / "mine" / "adaptations_of_everybody.csv").open(newline="") as file:
        everybody = list(csv.DictReader(file))
    assert len(everybody) == 8
    assert {row["strategy"] for row in everybody} == {"functional_equivalent", "non_transferable"}
    decided = [row for row in everybody if row["chosen"] == "True" and row["strategy"] != "non_transferable"]
    chosen = [row["intra"].split()[3] for row in decided]
    assert chosen == ["large"] * 2, "as the first person said it"
    assert {row["participant"] for row in decided} < {row["participant"] for row in everybody}


def test_the_release_is_asked_of_a_model(study: StudyFixture, tmp_path: Path) -> None:
    judge(study)
    adapt(study)
    decide(study)
    export_study(study.workspace, study.record.id, tmp_path / "mine")
    asked = run(
        ["xcr"],
        models=["baseline/first"],
        workspace=tmp_path / "asking.db",
        releases={"xcr": str(tmp_path / "mine")},
    )
    scores = asked.scores().filter(pl.col("facet") == "all")
    most = dict(scores.group_by("task").agg(pl.col("questions").max()).iter_rows())
    assert most == dict.fromkeys(("xcr/identification", "xcr/prediction", "xcr/adaptation"), 2)
    asked.workspace.close()


def test_every_sentence_says_where_it_comes_from(study: StudyFixture, tmp_path: Path) -> None:
    judge(study)
    export_study(study.workspace, study.record.id, tmp_path / "mine")
    with (tmp_path / "mine" / "provenance.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == corpus(open_release(tmp_path / "mine", "xcr"))["id"].to_list()
    assert [row["item_id"] for row in rows] == ["q0", "q1"]
    assert [row["sentence_by"] for row in rows] == ["model-big", "model-small"]
    shared = (
        "fact",
        "source",
        "fact_id",
        "table_row",
        "proposed_by",
        "judges_of_sentence",
        "judges_of_labels",
    )
    for row in rows:
        assert tuple(row[name] for name in shared) == (
            *("Everybody brings a dish.", "https://example.org/1", "fact-1", "7", "model-odd", "2", "2"),
        )


def test_lineage_goes_back_to_the_imported_item(study: StudyFixture) -> None:
    judge(study)
    last = items.list_items(study.workspace, study.record.id, "adapt")[-1]
    stages = [item.key for item in items.lineage(study.workspace, study.record.id, last.id)]
    assert stages[0] in ("q0", "q1")
    assert stages[-1].endswith("@china")
    assert len(stages) == 6, "chosen, settled, marked, labelled, settled, adapted"


def test_what_the_expert_decided_is_released(study: StudyFixture, tmp_path: Path) -> None:
    judge(study)
    adapt(study)
    decide(study, 1)
    export_study(study.workspace, study.record.id, tmp_path / "mine")
    release = open_release(tmp_path / "mine", "xcr")
    intra = [adaptations(release, culture)["intra"][0] for culture in ("BD", "CN")]
    assert [" big " in text for text in intra] == [True, True], "not the first of the two, which has large"


def test_a_version_leaves_with_the_one_who_wrote_it(study: StudyFixture, tmp_path: Path) -> None:
    judge(study)
    adapt(study)
    decide(study)
    writer = next(
        each
        for each in participants.list_participants(study.workspace, study.record.id)
        if each.population_id is not None
    )
    participants.withdraw(study.workspace, study.record.id, writer.id)
    export_study(study.workspace, study.record.id, tmp_path / "mine")
    text = "".join(path.read_text() for path in (tmp_path / "mine").rglob("*.csv"))
    assert writer.pseudonym not in text
    assert "We had a large <CSI> picnic </CSI>" not in text
    assert "We had a big <CSI> picnic </CSI>" in text, "the other person's version takes its place"
