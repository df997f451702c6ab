"""A verification leaves as votes, of which Easy and Hard are built and asked without any conversion."""

from __future__ import annotations

import csv
import json
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

from folkways.api import run
from folkways.benchmarks.culturalbench.build.counting import MajorityRule, count
from folkways.benchmarks.culturalbench.build.from_votes import build_from_votes
from folkways.benchmarks.culturalbench.votes_files import read_votes
from folkways.workspace.database import Workspace
from folkways_studio.items import service as items
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import participants
from folkways_studio.records import ItemState
from folkways_studio.work import adjudications
from studio.tests.support.exports import export_study
from studio.tests.support.studies import StudyFixture, open_study

POPULATIONS = [
    {"name": "uk", "title": "United Kingdom", "culture": "GB"},
    {"name": "wales", "title": "Wales", "culture": "GB", "part_of": "uk"},
]
OPTIONS = ["none", "tea", "milk, cold", "soup"]
QUESTIONS = {
    "single": [[1]] * 4 + [[2]],
    "multi": [[0, 1]] * 4 + [[0]],
    "open": [[0], [1], [2], [3], [0]],
    "unknown": ["dont_know"] * 3 + [[0], [1]],
}
"""Key -> what five people say."""


@pytest.fixture
def study(workspace: Workspace) -> StudyFixture:
    """Everybody has voted; in the second round four of five people of Wales agree on the last option."""
    study = open_study(workspace, [{"name": "verify", "kind": "vote"}], populations=POPULATIONS)
    new = [NewItem(key, {"question": f"What about {key}?", "options": OPTIONS}, "uk") for key in QUESTIONS]
    add_items(workspace, study.record.id, "verify", new)
    for number in range(5):
        person = study.person("uk")
        for _ in QUESTIONS:
            work = study.work(person)
            said = QUESTIONS[work.item.key][number]
            study.submit(person, work, {"abstain": said} if isinstance(said, str) else {"choices": said})
    for number in range(5):
        person = study.person("wales")
        assert study.answer(person, {"choices": [3 if number else 0]}).item.round == 2
    return study


def test_what_the_studio_decides_is_what_the_build_decides(study: StudyFixture, tmp_path: Path) -> None:
    export_study(study.workspace, study.record.id, tmp_path / "votes")
    counted = count(read_votes([tmp_path / "votes"]), MajorityRule())
    found = {
        row["item"]: (row["round"], row["population"], row["gold"], row["dropped"])
        for row in counted.iter_rows(named=True)
    }
    assert found == {
        "single": (1, "", ["B"], None),
        "multi": (1, "", ["A", "B"], None),
        "open": (1, "", [], "no-majority"),
        "unknown": (2, "Wales", ["D"], None),
    }
    states = [
        (item.key, item.round, item.state) for item in items.list_items(study.workspace, study.record.id)
    ]
    assert states == [
        ("single", 1, ItemState.DONE),
        ("multi", 1, ItemState.DONE),
        ("open", 1, ItemState.DROPPED),
        ("unknown", 1, ItemState.DROPPED),
        ("unknown", 2, ItemState.DONE),
    ]


def test_easy_and_hard_are_built_and_asked(study: StudyFixture, tmp_path: Path) -> None:
    export_study(study.workspace, study.record.id, tmp_path / "votes")
    for config in ("easy", "hard"):
        build_from_votes(config, [tmp_path / "votes"], tmp_path / "mine")
    assert (tmp_path / "mine" / "eval.yaml").is_file(), "a benchmark where the hub looks"
    asked = run(
        ["culturalbench"],
        models=["baseline/first"],
        workspace=tmp_path / "asking.db",
        releases={"culturalbench": str(tmp_path / "mine")},
    )
    scores = asked.scores().filter(pl.col("facet") == "all")
    assert dict(scores.group_by("task").agg(pl.col("questions").max()).iter_rows()) == {
        "culturalbench/easy": 3,
        "culturalbench/hard": 3,
    }
    asked.workspace.close()


def test_votes_of_people_who_withdrew_are_gone(study: StudyFixture, tmp_path: Path) -> None:
    person = participants.list_participants(study.workspace, study.record.id)[0]
    participants.withdraw(study.workspace, study.record.id, person.id)
    export_study(study.workspace, study.record.id, tmp_path / "votes")
    votes = read_votes([tmp_path / "votes"])
    assert person.pseudonym not in set(votes.votes["annotator"])
    assert votes.votes.filter(pl.col("round") == 1).height == 16
    assert "too-few-votes" in set(count(votes, MajorityRule())["dropped"].drop_nulls())


def test_what_a_researcher_dropped_is_left_out(study: StudyFixture, tmp_path: Path) -> None:
    (single,) = (item for item in items.list_items(study.workspace, study.record.id) if item.key == "single")
    adjudications.adjudicate(
        study.workspace, study.record.id, single.id, study.owner, {}, "about no culture", drop=True
    )
    export_study(study.workspace, study.record.id, tmp_path / "votes")
    assert list(read_votes([tmp_path / "votes"]).items["item"]) == ["multi", "open", "unknown"]


def test_licence_and_consent_are_recorded(study: StudyFixture, tmp_path: Path) -> None:
    export_study(study.workspace, study.record.id, tmp_path / "votes")
    record = json.loads((tmp_path / "votes" / "study.json").read_text())
    assert record["licence"] == "CC-BY-4.0"
    text, version = "You agree to be a test.", study.record.consent_version
    told = {
        "language": None,
        "version": version,
        "sha256": sha256(text.encode()).hexdigest(),
        "people": 10,
        "text": text,
    }
    assert record["consent"] == {"version": version, "text": text, "texts": [told]}
    assert record["consented"] == {study.record.consent_version: 10}
    assert record["withdrawn"] == 0
    assert read_votes([tmp_path / "votes"]).meta.licence == "CC-BY-4.0"


def test_formulas_leave_as_text_and_come_back_as_they_were(workspace: Workspace, tmp_path: Path) -> None:
    written = {"question": '=HYPERLINK("http://example.org")', "options": ["+1 cup", "-5", "@home", "'=x"]}
    study = open_study(workspace, [{"name": "verify", "kind": "vote", "answers": 1, "majority": 1}])
    study.add("verify", [written])
    study.answer(study.person(), {"choices": [1]})
    export_study(study.workspace, study.record.id, tmp_path)
    with (tmp_path / "items.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    cells = [row["question"], *(row[f"option_{letter}"] for letter in "abcd")]
    assert cells == ['\'=HYPERLINK("http://example.org")', "'+1 cup", "-5", "'@home", "''=x"]
    (read,) = read_votes([tmp_path]).items.iter_rows(named=True)
    assert [read["question"], *(read[f"option_{letter}"] for letter in "abcd")] == [
        written["question"],
        *written["options"],
    ]
