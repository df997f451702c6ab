"""Answers drawn from a stored run are judged by people and leave as the error table and as labels for the
model judge."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from folkways.api import run
from folkways.endpoints.base import EndpointOptions
from folkways.errors import FolkwaysError
from folkways.runs.judging.model_judging import judge_run
from folkways.runs.models import open_models
from folkways.workspace.database import Workspace
from folkways_studio.exports.snapshot import take_snapshot
from folkways_studio.items.service import list_items
from folkways_studio.models.drawing import draw_answers
from folkways_studio.programs import tokens
from folkways_studio.programs.records import Scope
from folkways_studio.stages.registry import stage_kind
from folkways_studio.web.app import create_app
from folkways_studio.web.settings import WebSettings
from studio.tests.support.app_client import AppClient
from studio.tests.support.exports import export_study
from studio.tests.support.studies import StudyFixture, content_of, emptied, filled, open_study
from tests.support.chat_server import ChatServer

POPULATIONS = [{"name": "us", "culture": "US"}, {"name": "china", "culture": "CN"}]


@pytest.fixture(scope="module")
def content_and_study(studio_file: Workspace) -> tuple[bytes, StudyFixture]:
    """A study beside a run of the demo's short answers, in which a model says one word to everything; with the
    content of the workspace."""
    workspace = emptied(studio_file)
    with ChatServer(mode="fixed:nothing of the kind") as server:
        asked = run(["demo/saq"], models=[f"{server.url}/v1#m"], workspace=workspace, name="drawn")
    assert set(asked.scores().filter(pl.col("facet") == "all")["score"]) == {0.0}
    study = open_study(workspace, [{"name": "judge", "kind": "judge_answer"}], populations=POPULATIONS)
    return content_of(workspace), study


@pytest.fixture
def study(content_and_study: tuple[bytes, StudyFixture]) -> StudyFixture:
    """That study as it was, to which nobody has been invited."""
    content, study = content_and_study
    filled(study.workspace, content)
    return replace(study, tokens={})


def test_a_draw_keeps_to_the_number_and_does_not_repeat_itself(study: StudyFixture) -> None:
    first = draw_answers(study.workspace, study.record.id, "judge", "drawn", per_culture=2)
    assert {culture: taken for culture, (taken, _) in first.counts.items()} == {"US": 2, "CN": 2}
    again = draw_answers(study.workspace, study.record.id, "judge", "drawn", per_culture=2)
    assert again.items and not {item.key for item in first.items} & {item.key for item in again.items}
    content = first.items[0].content
    assert content["reply"] == "nothing of the kind"
    assert content["accepted"]


def test_a_draw_by_the_api_is_the_same_draw(
    content_and_study: tuple[bytes, StudyFixture], study: StudyFixture
) -> None:
    workspace, record = study.workspace, study.record
    how = {"per_culture": 1, "seed": 7, "wrong_only": False}
    direct = [item.key for item in draw_answers(workspace, record.id, "judge", "drawn", **how).items]
    filled(workspace, content_and_study[0])
    _, token = tokens.create_token(workspace, study.owner, study_id=None, scope=Scope.WRITE)
    headers = {"Authorization": f"Bearer {token}"}
    with AppClient(create_app(workspace, WebSettings()), headers=headers) as client:
        place, asked = f"/api/v1/studies/{record.name}/draws", {"stage": "judge", "run": "drawn", **how}
        refused = client.post(place, json={**asked, "models": ["another"]})
        assert (refused.status_code, "another" in refused.text) == (422, True), refused.text
        assert client.post(place, json=asked).json()["added"] == len(direct) == 2
    assert [item.key for item in list_items(workspace, record.id)] == direct
    assert direct != [item.key for item in draw_answers(workspace, record.id, "judge", "drawn").items][:2]


def test_judges_do_not_see_whose_answer_it_is(study: StudyFixture) -> None:
    from folkways_studio.stages.registry import stage_kind

    draw_answers(study.workspace, study.record.id, "judge", "drawn", per_culture=1)
    work = study.work(study.person("us"))
    shown = stage_kind(work.stage.kind).presented(work.item.content, "p")
    assert set(shown) == {"question", "reply", "accepted", "language"}


def test_the_error_table_by_hand(study: StudyFixture) -> None:
    draw_answers(study.workspace, study.record.id, "judge", "drawn", per_culture=2)
    person = study.person("us")
    study.answer(person, {"verdict": "incorrect", "flags": ["nonsensical", "refusal"]})
    study.answer(person, {"verdict": "conditional", "flags": ["nonsensical"]})
    (row,) = (
        stage_kind("judge_answer")
        .tables(take_snapshot(study.workspace, study.record.id).for_benchmarks(), {})["errors"]
        .to_dicts()
    )
    assert (row["culture"], row["answers"], row["judgements"]) == ("US", 2, 2)
    assert row["score"] == 25.0 and 0 < row["low"] < 25 < row["high"] < 100, (
        "a half and nothing, of two replies"
    )
    assert (row["applicable"], row["conditional"], row["incorrect"]) == (0.0, 50.0, 50.0)
    assert (row["nonsensical"], row["refusal"], row["stereotypical"]) == (100.0, 50.0, 0.0)


def test_labels_are_taken_by_the_model_judge(study: StudyFixture, tmp_path: Path) -> None:
    draw_answers(study.workspace, study.record.id, "judge", "drawn", per_culture=3)
    for name in ("us", "china"):
        person = study.person(name)
        for verdict in ("incorrect", "conditional", "applicable"):
            study.answer(person, {"verdict": verdict})
    export_study(study.workspace, study.record.id, tmp_path / "out")
    from folkways.workspace import run_records

    with ChatServer(mode='fixed:{"group": 0}') as server:
        (judge,) = open_models([f"{server.url}/v1#judge"], EndpointOptions())
        found = judge_run(
            study.workspace,
            run_records.find_run(study.workspace, "drawn"),
            judge,
            labels=tmp_path / "out" / "labels.csv",
        )
    labels = found.verdicts["label"].drop_nulls().sort().to_list()
    assert labels == [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]


def test_what_the_model_judge_lists_is_imported_judged_and_taken_back(
    study: StudyFixture, tmp_path: Path
) -> None:
    from folkways.cli.out import write_frame
    from folkways.workspace import run_records
    from folkways_studio.items.reading import import_items
    from folkways_studio.items.table_files import read_rows

    record = run_records.find_run(study.workspace, "drawn")
    with ChatServer(mode='fixed:{"group": 0}') as server:
        (judge,) = open_models([f"{server.url}/v1#judge"], EndpointOptions())
        listed = judge_run(study.workspace, record, judge, label_next=100).to_label
        of_study = listed.filter(pl.col("culture").is_in(["US", "CN"]))
        write_frame(of_study, tmp_path / "next.csv")
        items = import_items(study.workspace, study.record.id, "judge", read_rows(tmp_path / "next.csv"))
        assert [item.key for item in items] == of_study["id"].to_list()
        work = study.work(study.person("us"))
        shown = stage_kind(work.stage.kind).presented(work.item.content, "p")
        assert set(shown) == {"question", "reply", "accepted", "language"}
        assert isinstance(shown["accepted"], list)
        for name, culture in (("us", "US"), ("china", "CN")):
            person = study.person(name)
            for _ in range(of_study.filter(culture=culture).height - (name == "us")):
                study.answer(person, {"verdict": "incorrect"})
        export_study(study.workspace, study.record.id, tmp_path / "out")
        found = judge_run(study.workspace, record, judge, labels=tmp_path / "out" / "labels.csv")
    labelled = found.verdicts.filter(pl.col("label").is_not_null())
    assert labelled.height == of_study.height - 1
    assert set(labelled["culture"]) == {"US", "CN"}


def test_a_hub_folder_has_everything(study: StudyFixture, tmp_path: Path) -> None:
    draw_answers(study.workspace, study.record.id, "judge", "drawn", per_culture=1)
    study.answer(study.person("us"), {"verdict": "incorrect", "comment": "=1+1"})
    export_study(study.workspace, study.record.id, tmp_path / "hub", "hub")
    croissant = json.loads((tmp_path / "hub" / "croissant.json").read_text())
    assert [record["name"] for record in croissant["recordSet"]] == [
        "judgements",
        "items",
        "labels",
        "errors",
    ]
    for record in croissant["recordSet"]:
        frame = pl.read_parquet(tmp_path / "hub" / record["name"] / "test-00000-of-00001.parquet")
        assert [field["name"] for field in record["field"]] == frame.columns
    assert "You agree to be a test." in (tmp_path / "hub" / "README.md").read_text()


def test_what_cannot_be_drawn_says_why(study: StudyFixture) -> None:
    workspace = study.workspace
    other = open_study(
        workspace,
        [{"name": "judge", "kind": "judge_answer"}],
        name="elsewhere",
        populations=[{"name": "p", "culture": "PE"}],
    )
    with pytest.raises(FolkwaysError, match=r"no wrong answer in a culture of this study \(PE\)"):
        draw_answers(workspace, other.record.id, "judge", "drawn")
    with pytest.raises(FolkwaysError, match="has nothing yet"):
        export_study(workspace, other.record.id, Path("never"))


def test_a_study_whose_judges_have_not_begun_leaves_as_tables(workspace: Workspace, tmp_path: Path) -> None:
    study = open_study(
        workspace,
        [
            {"name": "verify", "kind": "vote", "answers": 1, "majority": 1},
            {"name": "judge", "kind": "judge_answer"},
        ],
    )
    study.add("verify", [{"question": "What?", "options": ["a", "b", "c", "d"]}])
    study.answer(study.person(), {"choices": [0]}, "verify")
    written = export_study(workspace, study.record.id, tmp_path / "tables", "csv")
    assert [path.name for path in written] == ["judgements.csv", "items.csv", "study.json"]
    release = export_study(workspace, study.record.id, tmp_path / "release")
    assert [path.name for path in release] == ["items.csv", "votes.csv", "meta.json", "study.json"]
