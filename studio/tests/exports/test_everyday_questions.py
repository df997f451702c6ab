"""From collected questions to a release in BLEnD's schema that is checked, read and asked like the published
one, for cultures that the paper has and for others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.api import run
from folkways.benchmarks.blend.data import check, read_annotations, read_questions
from folkways.benchmarks.released_data import open_release
from folkways.errors import FolkwaysError
from folkways.workspace.database import Workspace
from folkways_studio.items import service as items
from folkways_studio.people import participants
from folkways_studio.records import ItemState, Role
from folkways_studio.workflows.definition import read_definition
from folkways_studio.workflows.templates import template_text
from studio.tests.support.exports import export_study
from studio.tests.support.studies import StudyFixture, open_study, untrained

POPULATIONS = [
    {"name": "korea", "culture": "KR", "language": "ko"},
    {"name": "kenya", "culture": "KE", "language": "sw"},
]
ANSWERS: dict[str, list[Any]] = {
    "korea": [["떡국"], ["떡국", "만두"], "idk", ["떡 국"], "not_applicable", ["만두"]],
    "kenya": [["pilau"], ["pilau"], ["chapati"], ["xxx"], ["chapati", "pilau"]],
}
"""Population -> what its people say, in order of arrival; the one "I don't know" is replaced."""

GROUPS = {
    "korea": {
        "groups": [
            {"answers": ["떡국", "떡 국"], "en_answers": ["rice cake soup"]},
            {"answers": ["만두"], "en_answers": ["dumplings"]},
        ]
    },
    "kenya": {
        "groups": [
            {"answers": ["pilau"], "en_answers": ["pilau rice"]},
            {"answers": ["chapati"], "en_answers": ["flatbread"]},
        ],
        "invalid": ["xxx"],
    },
}
LOCAL = {
    "korea": "한국에서는 설날에 무엇을 먹나요?",
    "kenya": "Ni nini huliwa Siku ya Mwaka Mpya nchini Kenya?",
}


@pytest.fixture
def study(workspace: Workspace) -> StudyFixture:
    """One question went all the way in both cultures; another was dropped as a duplicate."""
    import yaml

    stages = yaml.safe_load(template_text("everyday-questions"))["stages"]
    study = open_study(workspace, untrained(stages), populations=POPULATIONS, licence="CC-BY-SA-4.0")
    native, researcher, reviewer = (
        study.person("korea"),
        study.person(role=Role.RESEARCHER),
        study.person(role=Role.REVIEWER),
    )
    for english in ("What do people eat on New Year's Day in Korea?", "What is eaten at New Year in Korea?"):
        study.answer(
            native, {"category": "Food", "question": "무엇을 먹나요?", "english": english}, "collect"
        )
    template = "What do people eat on New Year's Day in your country?"
    study.answer(researcher, {"decision": "keep", "template": template}, "curate")
    study.answer(researcher, {"decision": "duplicate", "of": "collect-1"}, "curate")
    for _ in POPULATIONS:
        work = study.work(reviewer, "localise")
        study.submit(reviewer, work, {"local": LOCAL[work.item.key.split("@")[1]]})
    for name, said in ANSWERS.items():
        for answer in said:
            submission = {"no_answer": answer} if isinstance(answer, str) else {"answers": answer}
            study.answer(study.person(name), submission, "answer")
    for _ in POPULATIONS:
        work = study.work(reviewer, "review")
        study.submit(reviewer, work, GROUPS[work.item.key.split("@")[1]])
    return study


def test_only_i_dont_know_was_replaced(study: StudyFixture) -> None:
    found = {
        item.key.split("@")[1]: item.result
        for item in items.list_items(study.workspace, study.record.id, "answer")
    }
    assert found == {"korea": {"valid": 5, "idk": 1}, "kenya": {"valid": 5, "idk": 0}}
    dropped = items.list_items(study.workspace, study.record.id, "curate", state=ItemState.DROPPED)
    assert [item.reason for item in dropped] == ["a duplicate of collect-1"]


def test_the_release_is_read_like_the_published_one(study: StudyFixture, tmp_path: Path) -> None:
    export_study(study.workspace, study.record.id, tmp_path / "mine")
    release = open_release(tmp_path / "mine", "blend")
    rows = {row["culture"]: row for row in read_annotations(release).iter_rows(named=True)}
    korea, kenya = rows["KR"], rows["KE"]
    assert [(group["answers"], group["en_answers"], group["count"]) for group in korea["groups"]] == [
        (["떡국", "떡 국"], ["rice cake soup"], 3),
        (["만두"], ["dumplings"], 2),
    ]
    assert {each["kind"]: each["count"] for each in korea["idks"]} == {
        "idk": 1,
        "no-answer": 0,
        "not-applicable": 1,
    }
    assert len(korea["raw"]) == 6
    assert all(each["annotator"].startswith("p-") for each in korea["raw"])
    assert {each["answer"]: each["count"] for each in kenya["votes"]} == {"pilau": 3, "chapati": 2}
    assert [group["count"] for group in kenya["groups"]] == [3, 2]
    questions = {row["culture"]: row for row in read_questions(release).iter_rows(named=True)}
    assert questions["KR"]["local"] == LOCAL["korea"]
    assert questions["KR"]["topic"] == "Food"
    assert questions["KE"]["source"] == "ko"
    assert {issue.kind for issue in check(release)} <= {"missing-file", "short-answer"}


def test_the_release_is_asked_of_a_model(study: StudyFixture, tmp_path: Path) -> None:
    export_study(study.workspace, study.record.id, tmp_path / "mine")
    asked = run(
        ["blend/saq"],
        models=["baseline/first"],
        workspace=tmp_path / "asking.db",
        releases={"blend": str(tmp_path / "mine")},
    )
    scores = asked.scores().filter(pl.col("facet") == "culture")
    assert set(scores["value"]) == {"KR", "KE"}
    asked.workspace.close()


def test_what_somebody_alone_wrote_leaves_with_them(study: StudyFixture, tmp_path: Path) -> None:
    """The one who wrote 떡 국 takes the variant along; the one who collected the question takes everything
    along."""
    people = participants.list_participants(study.workspace, study.record.id)
    alone = next(each for each in people if each.population_id is not None and each.id == people[6].id)
    participants.withdraw(study.workspace, study.record.id, alone.id)
    export_study(study.workspace, study.record.id, tmp_path / "mine")
    table = json.loads((tmp_path / "mine" / "annotations" / "South_Korea_data.json").read_text())
    (entry,) = table.values()
    assert alone.pseudonym not in entry["raw_annotations"]
    assert [(group["answers"], group["count"]) for group in entry["aggregated_answers"]] == [
        (["떡국"], 2),
        (["만두"], 2),
    ]
    participants.withdraw(study.workspace, study.record.id, people[0].id)
    with pytest.raises(FolkwaysError, match="nothing yet"):
        export_study(study.workspace, study.record.id, tmp_path / "empty")
    assert not (tmp_path / "empty").exists()


def test_the_template_is_a_study(tmp_path: Path) -> None:
    import yaml

    assert len(read_definition(yaml.safe_load(template_text("everyday-questions"))).stages) == 5
