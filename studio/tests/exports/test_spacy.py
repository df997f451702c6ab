"""Marked spans leave as spaCy's training data, in code points."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from folkways.errors import FolkwaysError
from folkways.workspace.database import Workspace
from studio.tests.support.exports import export_study
from studio.tests.support.studies import open_study

WORDS = {"key": "words", "type": "spans", "label": "Which?", "of": "text", "required": False}
PLACES = {**WORDS, "key": "places", "if": {"key": "sure", "is": "yes"}}
SURE = {"key": "sure", "type": "choice", "label": "Sure?", "options": ["yes", "no"]}
STAGE = {"name": "mark", "kind": "form", "answers": 2, "ask": [SURE, WORDS, PLACES]}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("🍲🍲 injera", "injera"),
        ("እንጀራ በላን", "በላን"),
        ("أكلنا الكُشَري أمس", "الكُشَري"),
        ("김치👩‍👩‍👧 떡국", "떡국"),
        ("我们吃饺子", "饺子"),
        ("cafe\u0301 noir", "noir"),
    ],
)
def test_marks_of_each_person_and_what_was_decided(
    workspace: Workspace, tmp_path: Path, text: str, word: str
) -> None:
    desk = open_study(workspace, [STAGE])
    desk.add("mark", [{"text": text}])
    start = text.index(word)
    mark = [start, start + len(word)]
    for name in ("first", "second"):
        answers: dict[str, object] = {"words": [mark], "sure": "no"}
        if name == "first":
            answers |= {"places": [mark], "sure": "yes"}
        desk.answer(desk.person("korea"), {"answers": answers})
    files = {
        path.name: path.read_text("utf-8")
        for path in export_study(workspace, desk.study.id, tmp_path, "spacy")
    }
    record = json.loads(files.pop("study.json"))
    rows = {name: [json.loads(line) for line in content.splitlines()] for name, content in files.items()}
    assert sum(name.startswith("mark.words.") for name in rows) == 3
    assert "mark.words.decided.jsonl" in rows
    assert sum(name.startswith("mark.places.") for name in rows) == 1
    assert record["answers_without_marks"] == 1
    for name, (row,) in rows.items():
        ((begin, end, label),) = row["entities"]
        assert row["text"] == text
        assert row["text"][begin:end] == word
        assert label == name.split(".")[1]
        assert row["meta"] == {"item": "q0", "language": "ko"}


def test_no_mark_is_an_answer_without_entities(workspace: Workspace, tmp_path: Path) -> None:
    desk = open_study(workspace, [STAGE])
    desk.add("mark", [{"text": "soup"}])
    desk.answer(desk.person(), {"answers": {"words": [], "sure": "no"}})
    (row,) = [
        json.loads(path.read_text("utf-8"))
        for path in export_study(workspace, desk.study.id, tmp_path, "spacy")
        if path.name.startswith("mark.words.")
    ]
    assert (row["text"], row["entities"]) == ("soup", [])


def test_marks_of_the_shipped_kind(workspace: Workspace, tmp_path: Path) -> None:
    desk = open_study(workspace, [{"name": "tag", "kind": "tag_spans", "answers": 1}])
    desk.add("tag", [{"sentence": "🍲 On Boxing Day", "item": "Boxing Day"}])
    desk.answer(desk.person(), {"spans": [[5, 15]]})
    paths = export_study(workspace, desk.study.id, tmp_path, "spacy")
    rows = [json.loads(path.read_text("utf-8")) for path in paths if path.suffix == ".jsonl"]
    assert [row["entities"] for row in rows] == [[[5, 15, "spans"]]] * 2


def test_nothing_marked_is_said(workspace: Workspace, tmp_path: Path) -> None:
    desk = open_study(workspace, [STAGE])
    with pytest.raises(FolkwaysError, match="no marked spans"):
        export_study(workspace, desk.study.id, tmp_path, "spacy")
