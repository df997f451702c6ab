"""spaCy, Argilla and Label Studio's SDK read what the studio writes for them, with their own readers."""

from __future__ import annotations

import json
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from folkways_studio.items.peer_rows import table_rows
from folkways_studio.items.preannotations import NewPreAnnotation, add_suggestions
from folkways_studio.items.reading import import_items
from folkways_studio.items.service import list_items
from folkways_studio.items.table_files import read_rows
from folkways_studio.studies import service as studies
from studio.tests.support import annotation_tools
from studio.tests.support.annotated_stage import PARTS, SHOW
from studio.tests.support.exports import export_study
from studio.tests.support.studies import QUESTION, StudyFixture, new_workspace, open_study
from tests.support.other_programs import REPOSITORY, programs_of, run_program

TEXTS = {
    "🍲🍲 injera, in 서울": ("injera", "서울"),
    "እንጀራ በላን፡ ቡና": ("እንጀራ", "ቡና"),
    "أكلنا الكُشَري أمس": ("الكُشَري", "أمس"),
    "김치👩‍👩‍👧 떡국": ("김치", "떡국"),
    "我们吃饺子": ("饺子", "我们"),
    "cafe\u0301 noir <b> & 𠮷": ("cafe\u0301", "𠮷"),
    "우리가\n간다": ("우리", "간다"),
}
PLACES_OF_TEXTS = [
    [text, [[text.index(place), text.index(place) + len(place), "PLACES"]]]
    for text, (_, place) in TEXTS.items()
    if " " in text
]
ASKED = [part for part in PARTS if part["key"] != "place"]
"""What a form may ask: positions are for built-in kinds."""

SHOWN = [{"field": name, "type": kind} for name, kind in SHOW.items()]
STAGES: list[dict[str, Any]] = [
    {"name": "mark", "kind": "form", "answers": 2, "ask": ASKED, "show": SHOWN},
    {"name": "again", "kind": "form", "answers": 2, "ask": ASKED, "show": SHOWN},
    {"name": "vote", "kind": "vote", "answers": 1, "majority": 1},
    {"name": "tag", "kind": "tag_spans", "answers": 1},
]


def answer(text: str, sure: str) -> dict[str, Any]:
    def mark(word: str) -> list[list[int]]:
        return [[text.index(word), text.index(word) + len(word)]]

    word, place = TEXTS[text]
    return {
        "words": mark(word), "places": mark(place), "title_words": [], "sure": sure, "which": ["a & b", "<d>"],
        "own": "egg", "fit": 4, "cold": -1, "from_zero": 0, "count": 2.5, "why": "so & so",
        "names": ["one", "two"], "better": "tie", "rank": ["soup", "rice", "bread"], "rank_own": ["차", "egg"],
    }  # fmt: skip


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyFixture]:
    """Two people have answered everything about texts in six scripts, and a model has suggested marks."""
    workspace = new_workspace(tmp_path_factory.mktemp("studio") / "studio.db")
    study = open_study(workspace, STAGES)
    more = {"title": "title", "left one": "L", "right": "R", "things": ["egg", "차"]}
    study.add("mark", [{"text": text, **more} for text in TEXTS])
    for sure in ("yes", "no"):
        person = study.person()
        for _ in TEXTS:
            work = study.work(person, "mark")
            study.submit(person, work, {"answers": answer(work.item.content["text"], sure)})
    study.add("vote", [QUESTION])
    study.answer(study.person(), {"choices": [0, 2], "abstain": None, "comment": ""}, "vote")
    study.add("tag", [{"sentence": "🍲 On Boxing Day", "item": "Boxing Day"}])
    study.answer(study.person(), {"spans": [[5, 15]]}, "tag")
    new = [("q0", NewPreAnnotation("tagger", {"words": [[3, 9]], "which": ["c"]}, "2", 0.5))]
    add_suggestions(workspace, study.record.id, "mark", new)
    yield study
    workspace.close()


@dataclass(frozen=True)
class Reading:
    """A folder for every reader, and what each of them read there."""

    folder: Path
    by: dict[str, Any]


@pytest.fixture(scope="module")
def reading(study: StudyFixture, tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """The study in every format, read in one process: to import all that their readers need takes seconds."""
    python = programs_of("annotation-tools") / "python"
    folder = tmp_path_factory.mktemp("reading")
    for format in ("label-studio", "argilla", "spacy", "conll"):
        export_study(study.workspace, study.record.id, folder / format, format)
    (folder / "docs").mkdir()
    (folder / "docs" / "docs.json").write_text(json.dumps(PLACES_OF_TEXTS), "utf-8")
    packages = (REPOSITORY / "studio" / "src", sysconfig.get_paths()["purelib"])
    output = run_program(python, annotation_tools.__file__, folder, *packages, cwd=folder)
    return Reading(folder, json.loads(output.splitlines()[-1]))


def test_label_studio_s_sdk(reading: Reading) -> None:
    read = reading.by["label-studio"]
    assert {*read} == {"mark", "vote", "tag"}
    assert [each["errors"] for each in read.values()] == [[], [], []]
    assert read["mark"]["labels"]["text-labels"] == ["places", "words"]
    assert read["mark"]["labels"]["sure"] == ["no", "yes"]
    first = read["mark"]["converted"][0]
    assert first["text"] == next(iter(TEXTS))
    label = first["text-labels"][0]
    assert first["text"][label["start"] : label["end"]] == "injera"
    assert first["which"] == {"choices": ["a & b", "<d>"]}


def test_argilla(study: StudyFixture, reading: Reading, tmp_path: Path) -> None:
    read = reading.by["argilla"]
    assert read["mark"]["questions"]["text_spans"] == "SpanQuestion"
    written = json.loads((reading.folder / "argilla" / "mark" / "records.json").read_text("utf-8"))
    for ours, theirs in zip(written, read["mark"]["records"], strict=True):
        assert {name: theirs[name] for name in ("id", "fields", "metadata")} == {
            name: ours[name] for name in ("id", "fields", "metadata")
        }
        for question, entries in ours["responses"].items():
            assert [each["value"] for each in theirs["responses"][question]] == [
                each["value"] for each in entries
            ]
            assert [each["user_id"] for each in theirs["responses"][question]] == [
                each["user_id"] for each in entries
            ]
        assert {*theirs["responses"], *theirs["suggestions"]} <= {*read["mark"]["questions"]}
        assert {*theirs["fields"]} <= {*read["mark"]["fields"]}
    stage = studies.get_stage(study.workspace, study.record.id, "again")
    tables = []
    for rows in (read["mark"]["records"], read["mark"]["flat"]):
        (tmp_path / "in.json").write_text(json.dumps(rows), "utf-8")
        tables.append(table_rows(read_rows(tmp_path / "in.json"), stage, "suggestions").rows)
    for nested, flat in zip(*tables, strict=True):
        assert {name: flat[name] for name in nested} == nested
    brought_back(study, tmp_path, read["mark"]["records"])


def brought_back(study: StudyFixture, folder: Path, rows: list[Any]) -> None:
    """What another program gives out comes into another stage with what was decided."""
    (folder / "in.json").write_text(json.dumps(rows), "utf-8")
    stage = studies.get_stage(study.workspace, study.record.id, "again")
    import_items(
        study.workspace,
        study.record.id,
        "again",
        table_rows(read_rows(folder / "in.json"), stage, "check").rows,
    )
    items = {item.content["text"]: item for item in list_items(study.workspace, study.record.id, "again")}
    assert [*items] == [*TEXTS]
    for text, item in items.items():
        assert item.check is not None
        assert [words for _, _, words in item.check["words"]] == [TEXTS[text][0]]
        assert item.check["rank_own"] == ["차", "egg"]


@pytest.mark.parametrize("format", ["spacy", "conll"])
def test_spacy(reading: Reading, format: str) -> None:
    record = json.loads((reading.folder / format / "study.json").read_text("utf-8"))
    read = reading.by[format]
    files = [name for name in read if name.startswith("mark.text.")]
    assert len(files) == 3
    for name in files:
        docs = read[name]["docs"] if format == "spacy" else read[name]
        assert len(docs) == len(TEXTS)
        for doc, (text, words) in zip(docs, TEXTS.items(), strict=True):
            marks = {label: doc["text"][start:end] for start, end, label in doc["entities"]}
            tokens_apart = {word: " ".join(word) if word in ("饺子", "我们") else word for word in words}
            word, place = tokens_apart.values() if format == "conll" else words
            assert marks == {"words": word, "places": place}
            assert doc["text"] == text or format == "conll"
        if format == "spacy":
            misaligned = read[name]["misaligned"]
            listed = [each for each in record["spans_within_words_listed"] if each["file"] == name]
            assert {each["words"] for each in listed} == {"우리"}
            assert all([each["start"], each["end"], "words"] in misaligned for each in listed)


def test_a_file_that_spacy_wrote(reading: Reading) -> None:
    rows = reading.by["docs"]
    assert [[row["text"], json.loads(row["entities"])] for row in rows] == PLACES_OF_TEXTS
    assert [row.get("cats") for row in rows] == [*[None] * (len(rows) - 1), '{"food":1.0}']
