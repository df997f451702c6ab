"""Files of Label Studio, Argilla, spaCy and CoNLL become items, with what their people and models said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.errors import DataError
from folkways.workspace.database import Workspace
from folkways_studio.clients.local import LocalStudyClient
from folkways_studio.exports.archive import export_files
from folkways_studio.items.import_runner import run_import
from folkways_studio.items.imports import ImportState, begin, claim, get_import
from folkways_studio.items.peer_rows import ANNOTATIONS, Annotations
from folkways_studio.items.preannotations import list_suggestions
from folkways_studio.items.service import list_items
from folkways_studio.items.table_files import RowsError, read_rows
from folkways_studio.media.service import add_media
from folkways_studio.records import Item
from studio.tests.support.studies import QUESTION, StudyFixture, open_study

FOOD = {"key": "food", "type": "spans", "label": "Food?", "of": "text", "required": False}
PLACE = {**FOOD, "key": "place", "label": "Where?"}
SURE = {"key": "sure", "type": "choice", "label": "Sure?", "options": ["yes", "no"], "required": False}
STAGES: list[dict[str, Any]] = [
    {"name": "mark", "kind": "form", "answers": 2, "ask": [FOOD, PLACE, SURE]},
    {"name": "again", "kind": "form", "answers": 2, "ask": [FOOD, PLACE, SURE]},
    {"name": "vote", "kind": "vote", "answers": 1, "majority": 1},
    {"name": "tag", "kind": "tag_spans", "answers": 1},
]
TEXT = " 🍲🍲 injera in 서울"


@pytest.fixture
def study(workspace: Workspace) -> StudyFixture:
    return open_study(workspace, STAGES)


def bring(
    study: StudyFixture, path: Path, content: Any, stage: str = "mark", annotations: Annotations | None = None
) -> tuple[list[Item], tuple[str, ...]]:
    """The items that a file becomes, and what is said to be left out."""
    path.write_bytes(content if isinstance(content, bytes) else (
        content if isinstance(content, str) else json.dumps(content)
    ).encode())  # fmt: skip
    added, notes = LocalStudyClient(study.workspace).import_items(
        "test-study", stage, read_rows(path), "korea", path.name, lambda *_: None, annotations
    )
    items = list_items(study.workspace, study.record.id, stage)
    assert len(items) >= added
    return [*items], tuple(notes)


def suggested(study: StudyFixture) -> dict[str, Mapping[str, Any]]:
    """Model -> the answer that it suggests."""
    return {
        f"{each.model} {each.version}".strip(): each.content.get("answers", each.content)
        for each in list_suggestions(study.workspace, study.record.id)
    }


def task(*annotations: dict[str, Any]) -> dict[str, Any]:
    food = {"start": 4, "end": 10, "labels": ["Food"], "text": "injera"}
    result = [{"id": "a", "from_name": "label", "to_name": "text", "type": "labels", "value": food}]
    return {
        "id": 5,
        "data": {"text": TEXT, "source": "menu"},
        "annotations": [{"completed_by": 1, "result": result, **each} for each in annotations],
        "predictions": [{"model_version": "tagger-2", "score": 0.5, "result": result}],
    }


def test_a_task_with_a_prediction(study: StudyFixture, tmp_path: Path) -> None:
    (item,), notes = bring(study, tmp_path / "tasks.json", [task()])
    assert (item.key, item.content) == ("5", {"text": TEXT.strip(), "source": "menu"})
    assert suggested(study) == {"tagger-2": {"food": [[3, 9, "injera"]], "place": []}}
    (only,) = list_suggestions(study.workspace, study.record.id)
    assert only.score == 0.5
    assert not notes


def test_a_prediction_that_says_nothing(study: StudyFixture, tmp_path: Path) -> None:
    data = {"question": "What?", "options": ["a", "b"]}
    empty = {"id": 1, "data": data, "predictions": [{"model_version": "m", "result": []}]}
    _, notes = bring(study, tmp_path / "tasks.json", [empty], "vote")
    assert notes == ("left out: 1 × predictions that say nothing",)
    assert not suggested(study)


def test_somebody_has_to_say_what_becomes_of_people_s_answers(study: StudyFixture, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"tasks.json: has answers of people elsewhere.* say what becomes"):
        bring(study, tmp_path / "tasks.json", [task({})])
    assert not list_items(study.workspace, study.record.id, "mark")


@pytest.mark.parametrize("annotations", ANNOTATIONS)
def test_what_becomes_of_people_s_answers(
    study: StudyFixture, tmp_path: Path, annotations: Annotations
) -> None:
    (item,), notes = bring(study, tmp_path / "tasks.json", [task({})], annotations=annotations)
    marks = {"food": [[3, 9, "injera"]], "place": []}
    assert item.check == (marks if annotations in ("check", "qualification") else None)
    assert bool(item.test) == (annotations == "qualification")
    assert suggested(study).get("annotator 1") == (marks if annotations == "suggestions" else None)
    assert notes == (("left out: 1 × answers of people",) if annotations == "leave" else ())


def test_people_who_differ_give_no_known_answer_but_the_truth_does(
    study: StudyFixture, tmp_path: Path
) -> None:
    other = {"completed_by": 2, "result": []}
    with pytest.raises(RowsError, match="row 1: people's answers differ"):
        bring(study, tmp_path / "tasks.json", [task({}, other)], annotations="check")
    rows = [task({}, other, {"ground_truth": True})]
    (item,), _ = bring(study, tmp_path / "tasks.json", rows, annotations="check")
    assert item.check == {"food": [[3, 9, "injera"]], "place": []}


def test_tables_of_parquet_with_nested_columns(study: StudyFixture, tmp_path: Path) -> None:
    """What other programs write as Parquet fills every object up to the same fields, with nothing in them."""
    plain = {**task(), "id": 6, "data": {"text": "plain", "price": 3.5}, "predictions": []}
    rows = [task({}), plain]
    pl.DataFrame(rows, strict=False, infer_schema_length=None).write_parquet(tmp_path / "tasks.parquet")
    content = (tmp_path / "tasks.parquet").read_bytes()
    items, _ = bring(study, tmp_path / "tasks.parquet", content, annotations="check")
    assert [(item.key, item.content) for item in items] == [
        ("5", {"text": TEXT.strip(), "source": "menu"}), ("6", {"text": "plain", "price": "3.5"}),
    ]  # fmt: skip
    assert [item.check for item in items] == [{"food": [[3, 9, "injera"]], "place": []}, None]


def test_a_study_s_own_tables_are_the_same_in_parquet_and_json(study: StudyFixture, tmp_path: Path) -> None:
    study.add("vote", [{**QUESTION, "price": 3.5, "tags": ["a", "b"]}])
    study.answer(study.person(), {"choices": [0, 2], "abstain": None, "comment": "한"}, "vote")
    files = {form: export_files(study.workspace, study.record.id, form) for form in ("parquet", "jsonl")}
    for name in ("items", "judgements"):
        rows = [json.loads(line) for line in files["jsonl"][f"{name}.jsonl"].splitlines()]
        assert pl.read_parquet(files["parquet"][f"{name}.parquet"]).to_dicts() == rows
    contents = [json.loads(row) for row in pl.read_parquet(files["parquet"]["items.parquet"])["content"]]
    pl.DataFrame([{**each, "id": "again"} for each in contents]).write_parquet(tmp_path / "in.parquet")
    items, _ = bring(study, tmp_path / "in.parquet", (tmp_path / "in.parquet").read_bytes(), "vote")
    assert items[-1].content == {**contents[0], "price": "3.5"}, "a plain cell is text"


def test_two_of_one_name(study: StudyFixture, tmp_path: Path) -> None:
    bring(study, tmp_path / "tasks.json", [task({}, {"result": []})], annotations="suggestions")
    assert {*suggested(study)} == {"tagger-2", "annotator 1", "annotator 1 (2)"}


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_a_label_that_is_no_part_is_named_with_its_row(
    study: StudyFixture, tmp_path: Path, ending: str
) -> None:
    wrong = json.loads(json.dumps(task({})).replace("Food", "Drink"))
    rows = [task({}), wrong]
    content = json.dumps(rows) if ending == "json" else "\n".join(map(json.dumps, rows))
    with pytest.raises(RowsError, match=r"row 2: the label 'Drink' is no part .*; valid: food, place"):
        bring(study, tmp_path / f"tasks.{ending}", content, annotations="leave")


def test_a_row_that_is_written_otherwise(study: StudyFixture, tmp_path: Path) -> None:
    with pytest.raises(RowsError, match="row 2: is not written as the rows before it"):
        bring(study, tmp_path / "tasks.json", [task(), {"data": 3, "annotations": 4}])


def test_texts_with_entities(study: StudyFixture, tmp_path: Path) -> None:
    rows = [
        {
            "text": TEXT,
            "entities": [[4, 10, "FOOD"], {"start": 14, "end": 16, "label": "place"}],
            "cats": {"a": 1},
        }
    ]
    (item,), notes = bring(study, tmp_path / "train.json", rows, annotations="check")
    assert item.check == {"food": [[3, 9, "injera"]], "place": [[13, 15, "서울"]]}
    assert notes == ("left out: 1 × cats",)


def test_pairs_of_text_and_annotations(study: StudyFixture, tmp_path: Path) -> None:
    rows = [["soup in 서울", {"entities": [[0, 4, "FOOD"]]}], ["nothing", {"entities": []}]]
    items, _ = bring(study, tmp_path / "train.json", rows, annotations="suggestions")
    assert [item.content["text"] for item in items] == ["soup in 서울", "nothing"]
    assert [each.content["answers"] for each in list_suggestions(study.workspace, study.record.id)] == [
        {"food": [[0, 4, "soup"]], "place": []},
        {"food": [], "place": []},
    ]


def test_a_stage_with_a_field_of_another_name(study: StudyFixture, tmp_path: Path) -> None:
    rows = [{"text": "On Boxing Day", "item": "Boxing Day", "entities": [[3, 13, "SPANS"]]}]
    (item,), _ = bring(study, tmp_path / "train.json", rows, "tag", "check")
    assert item.content == {"sentence": "On Boxing Day", "item": "Boxing Day"}
    assert item.check == {"spans": [[3, 13]]}


def test_conll(study: StudyFixture, tmp_path: Path) -> None:
    content = "# sent_id = s1\n# text = 🍲  injera\n1\t🍲\tO\n2\tinjera\tB-FOOD\n\n1\t서울\tB-place\n"
    with pytest.raises(DataError, match=r"a.conllu: line 1: there is no column of tags"):
        bring(study, tmp_path / "a.conllu", "1\tx\ty\n")
    items, notes = bring(study, tmp_path / "a.iob2", content, annotations="check")
    assert [(item.key, item.content["text"]) for item in items] == [
        ("s1", "🍲  injera"),
        ("mark-row-2", "서울"),
    ]
    assert items[0].check == {"food": [[3, 9, "injera"]], "place": []}
    assert notes[0].startswith("left out: 2 × texts, which the file does not have")


def test_files_that_are_not_what_they_are_called(study: StudyFixture, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a.conll: is not UTF-8 \(byte 2\)"):
        bring(study, tmp_path / "a.conll", b"a \xff O\n")
    with pytest.raises(DataError, match=r"a.spacy: can be read where spaCy is installed"):
        bring(study, tmp_path / "a.spacy", b"x")


def test_a_stage_without_marks(study: StudyFixture, tmp_path: Path) -> None:
    with pytest.raises(RowsError, match="row 1: the stage asks for no marks"):
        bring(study, tmp_path / "train.json", [{"text": "a", "entities": []}], "vote", "leave")


def test_a_table_whose_columns_have_such_names_stays_one(study: StudyFixture, tmp_path: Path) -> None:
    (item,), notes = bring(study, tmp_path / "table.json", [{"text": "a", "data": {"x": 1}, "fields": "b"}])
    assert (item.content, notes) == ({"text": "a", "data": {"x": 1}, "fields": "b"}, ())


@pytest.mark.parametrize(
    ("format", "file"), [("label-studio", "mark.tasks.json"), ("argilla", "mark/records.json")]
)
def test_what_leaves_one_stage_comes_into_another(
    study: StudyFixture, tmp_path: Path, format: str, file: str
) -> None:
    study.add("mark", [{"text": TEXT.strip()}, {"text": "plain"}])
    answers = [
        {"food": [[3, 9]], "place": [[13, 15]], "sure": "yes"},
        {"food": [], "place": [], "sure": "no"},
    ]
    for _ in range(2):
        person = study.person()
        for _ in answers:
            work = study.work(person, "mark")
            study.submit(person, work, {"answers": answers[work.item.key == "q1"]})
    content = export_files(study.workspace, study.record.id, format)[file]
    items, _ = bring(study, tmp_path / "in.json", content, "again", "check")
    assert [(item.key, item.content["text"], item.check) for item in items] == [
        ("q0", TEXT.strip(), {"food": [[3, 9, "injera"]], "place": [[13, 15, "서울"]], "sure": "yes"}),
        ("q1", "plain", {"food": [], "place": [], "sure": "no"}),
    ]


@pytest.mark.parametrize(
    ("format", "file"), [("label-studio", "vote.tasks.json"), ("argilla", "vote/records.json")]
)
def test_options_of_an_item_and_what_can_be_known(
    study: StudyFixture, tmp_path: Path, format: str, file: str
) -> None:
    study.add("vote", [QUESTION])
    study.answer(study.person(), {"choices": [0, 2], "abstain": None, "comment": "so it is"}, "vote")
    content = json.loads(export_files(study.workspace, study.record.id, format)[file])
    content[0]["id"] = content[0].get("data", content[0])["id"] = "q9"
    items, _ = bring(study, tmp_path / "in.json", content, "vote", "check")
    assert items[-1].content == QUESTION
    assert items[-1].check == {"choices": [0, 2]}


def test_an_import_in_the_background_says_what_is_left_out(study: StudyFixture) -> None:
    content = json.dumps([{**task({}), "drafts": [{}]}]).encode()
    begin(study.workspace, study.record.id, "mark", "tasks.json", annotations="leave", content=content)
    claimed = claim(study.workspace)
    assert claimed is not None
    run_import(study.workspace, *claimed)
    job = get_import(study.workspace, study.record.id, claimed[0].id)
    assert (job.state, job.added, job.annotations) == (ImportState.DONE, 1, "leave")
    assert job.notes == ("left out: 1 × answers of people", "left out: 1 × drafts")


@pytest.mark.parametrize(
    ("format", "file"), [("label-studio", "mark.tasks.json"), ("argilla", "mark/records.json")]
)
@pytest.mark.parametrize("shown", [("door",), ("greeting",), ("door", "greeting"), ()], ids="+".join)
def test_pictures_and_recordings_come_back_with_their_words(
    workspace: Workspace, tmp_path: Path, format: str, file: str, shown: tuple[str, ...]
) -> None:
    show = [
        {"field": "text", "type": "text"},
        {"field": "door", "type": "image", "optional": True},
        {"field": "greeting", "type": "audio", "optional": True},
    ]
    stages = [{"name": "mark", "kind": "form", "show": show, "ask": [SURE]}]
    words = {"door": "door_alt", "greeting": "greeting_transcript"}
    content = (
        {"text": "A guest comes."} | {name: name for name in shown} | {words[name]: "Hi!" for name in shown}
    )
    there, here = (open_study(workspace, stages, name=name) for name in ("there", "test-study"))
    for study in (there, here):
        add_media(
            workspace, study.record.id, {"door": ("image/png", b"PNG"), "greeting": ("audio/ogg", b"Ogg")}
        )
    there.add("mark", [content])
    written = export_files(workspace, there.record.id, format)[file]
    (item,), notes = bring(here, tmp_path / "mark.json", written)
    assert {name: value for name, value in item.content.items() if value} == content
    assert notes == ()
