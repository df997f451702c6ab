"""Studies leave in the formats of other projects: who said what, what was decided, what models suggested, and what
has no place there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from folkways.errors import FolkwaysError
from folkways.workspace.database import Workspace
from folkways_studio.exports.archive import export_files
from folkways_studio.formats.argilla import user_id
from folkways_studio.items.preannotations import NewPreAnnotation, add_suggestions
from folkways_studio.people import participants
from folkways_studio.records import Role
from studio.tests.support.exports import export_study
from studio.tests.support.studies import QUESTION, StudyFixture, open_study

WORDS = {"key": "words", "type": "spans", "label": "Which?", "of": "text", "required": False}
PLACES = {**WORDS, "key": "places"}
SURE = {"key": "sure", "type": "choice", "label": "Sure?", "options": ["yes", "no"]}
IF_SURE = {"if": {"key": "sure", "is": "yes"}}
GROUPS = {"key": "groups", "type": "grouping", "label": "Groups", "options": ["a", "b", "c"]}
STAGE: dict[str, Any] = {"name": "mark", "kind": "form", "answers": 2, "ask": [SURE, WORDS, PLACES]}
SCRIPTS = [
    ("🍲🍲 injera", "injera"),
    ("እንጀራ በላን", "በላን"),
    ("أكلنا الكُشَري أمس", "الكُشَري"),
    ("김치👩‍👩‍👧 떡국", "떡국"),
    ("我们吃饺子", "饺子"),
    ("cafe\u0301 noir", "noir"),
]


def marked(workspace: Workspace, text: str, word: str, ask: list[Any], *more: dict[str, Any]) -> StudyFixture:
    """Two people mark a word; ``more``: what else the first and the second say."""
    study = open_study(workspace, [{**STAGE, "ask": ask}])
    study.add("mark", [{"text": text}])
    start = text.index(word)
    for said in more:
        study.answer(
            study.person(), {"answers": {"words": [[start, start + len(word)]], "sure": "no", **said}}
        )
    return study


def files_of(study: StudyFixture, format: str) -> dict[str, str]:
    return {
        name: content.decode()
        for name, content in export_files(study.workspace, study.record.id, format).items()
    }


@pytest.mark.parametrize(("text", "word"), SCRIPTS)
def test_a_file_of_spacy_for_each_person_and_for_what_was_decided(
    workspace: Workspace, text: str, word: str
) -> None:
    study = marked(workspace, text, word, [SURE, WORDS, PLACES], {}, {})
    files = files_of(study, "spacy")
    record = json.loads(files.pop("study.json"))
    people = [each.pseudonym for each in study.people()]
    assert {*files} == {
        f"mark.text.{name}.{ending}" for name in (*people, "decided") for ending in ("jsonl", "json")
    }
    for name, content in files.items():
        if name.endswith(".jsonl"):
            row = json.loads(content)
            ((start, end, label),) = row["entities"]
            assert (row["text"], row["text"][start:end], label) == (text, word, "words")
            assert row["meta"] == {"item": "q0", "language": "ko"}
        else:
            (document,) = json.loads(content)
            (paragraph,) = document["paragraphs"]
            tokens = paragraph["sentences"][0]["tokens"]
            assert paragraph["raw"] == text
            assert "".join(each["orth"] for each in tokens if each["ner"] != "O") == word
    assert record["answers_without_marks"] == record["spans_within_words"] == 0


def test_parts_that_overlap_or_were_not_asked_of_everybody_have_files_of_their_own(
    workspace: Workspace,
) -> None:
    asked = [SURE, WORDS, {**PLACES, **IF_SURE}]
    study = marked(workspace, "in 서울", "서울", asked, {"sure": "yes", "places": [[3, 5]]}, {})
    files = files_of(study, "conll")
    record = json.loads(files["study.json"])
    first, second = (each.pseudonym for each in study.people())
    assert {name for name in files if name.endswith(".conll")} == {
        f"mark.words.{first}.conll", f"mark.words.{second}.conll", f"mark.places.{first}.conll",
        "mark.words.decided.conll",
    }  # fmt: skip
    assert files[f"mark.places.{first}.conll"] == (
        "-DOCSTART- -X- O O\n\nin -X- _ O\n서울 -X- _ B-places\n\n"
    )
    assert (record["answers_without_marks"], record["decisions_without_marks"]) == (1, 1)


def test_a_part_in_dispute_leaves_the_files_of_people_together(workspace: Workspace) -> None:
    study = marked(workspace, "in 서울", "서울", [SURE, WORDS, PLACES], {"places": [[0, 2]]}, {"places": []})
    files = files_of(study, "spacy")
    assert {name.split(".")[1] for name in files} == {"text", "json"}
    assert not [name for name in files if "decided" in name]
    assert json.loads(files["study.json"])["decisions_without_marks"] == 1


def test_overlapping_marks_of_one_person(workspace: Workspace) -> None:
    study = marked(workspace, "in 서울", "서울", [SURE, WORDS, PLACES], {"places": [[0, 5]]}, {"places": []})
    names = {name.split(".")[1] for name in files_of(study, "spacy")} - {"json"}
    assert names == {"words", "places"}


def test_no_mark_is_an_answer_without_entities(workspace: Workspace) -> None:
    study = open_study(workspace, [{**STAGE, "answers": 1}])
    study.add("mark", [{"text": "soup"}])
    study.answer(study.person(), {"answers": {"words": [], "sure": "no"}})
    (name,) = (name for name in files_of(study, "spacy") if name.endswith("decided.jsonl"))
    row = json.loads(files_of(study, "spacy")[name])
    assert (row["text"], row["entities"]) == ("soup", [])


def test_marks_within_a_word_are_listed(workspace: Workspace) -> None:
    study = marked(workspace, "우리가 간다", "우리", [SURE, WORDS], {}, {})
    record = json.loads(files_of(study, "spacy")["study.json"])
    assert record["spans_within_words"] == 3
    assert record["spans_within_words_listed"][0] == {
        "file": f"mark.words.{study.people()[0].pseudonym}", "item": "q0", "start": 0, "end": 2, "words": "우리",
    }  # fmt: skip


@pytest.mark.parametrize("format", ["spacy", "conll"])
def test_nothing_marked_is_said(workspace: Workspace, format: str) -> None:
    study = open_study(workspace, [STAGE])
    with pytest.raises(FolkwaysError, match=f"no marked spans, and the format {format} holds nothing else"):
        export_files(workspace, study.record.id, format)


@pytest.mark.parametrize("format", ["label-studio", "argilla"])
def test_no_item_is_said(workspace: Workspace, format: str) -> None:
    study = open_study(workspace, [STAGE])
    with pytest.raises(FolkwaysError, match="no items yet"):
        export_files(workspace, study.record.id, format)


def suggested(workspace: Workspace) -> StudyFixture:
    study = marked(
        workspace, "🍲 injera", "injera", [SURE, WORDS, GROUPS], *2 * [{"groups": [["a"], ["b", "c"]]}]
    )
    new = [
        ("q0", NewPreAnnotation("tagger", {"words": [[2, 8]]}, "2", 0.5)),
        ("q0", NewPreAnnotation("guesser", {"sure": "yes"})),
    ]
    add_suggestions(workspace, study.record.id, "mark", new)
    return study


def test_tasks_of_label_studio(workspace: Workspace) -> None:
    study = suggested(workspace)
    files = files_of(study, "label-studio")
    assert files["mark.tasks.json"].startswith("[\n  {\n") and files["mark.tasks.json"].endswith("\n]\n")
    (task,) = json.loads(files["mark.tasks.json"])
    record = json.loads(files["study.json"])
    first, second = (each.pseudonym for each in study.people())
    assert [(each.get("annotator"), each["ground_truth"]) for each in task["annotations"]] == [
        (first, False), (second, False), (None, True),
    ]  # fmt: skip
    assert "completed_by" not in task["annotations"][0]
    assert [(each["model_version"], each.get("score")) for each in task["predictions"]] == [
        ("tagger 2", 0.5), ("guesser", None),
    ]  # fmt: skip
    assert task["predictions"][0]["result"][0]["value"] == {
        "start": 2, "end": 8, "text": "injera", "labels": ["words"],
    }  # fmt: skip
    assert task["meta"]["population"] == "korea"
    assert '<Label value="words" />' in files["mark.config.xml"]
    assert record["answers_without_a_control"] == {"mark.groups": 2}


def test_a_data_set_of_argilla(workspace: Workspace) -> None:
    study = suggested(workspace)
    files = files_of(study, "argilla")
    (written,) = json.loads(files["mark/records.json"])
    record = json.loads(files["study.json"])
    first, second = (each.pseudonym for each in study.people())
    assert record["user_ids"] == {each: user_id("test-study", each) for each in (first, second)}
    assert [each["user_id"] for each in written["responses"]["sure"]] == [
        record["user_ids"][first], record["user_ids"][second],
    ]  # fmt: skip
    assert written["suggestions"]["sure"] == {
        "value": "no", "score": None, "agent": "decided", "type": "human",
    }  # fmt: skip
    assert record["suggestions_without_a_place"] == 2
    assert record["answers_without_a_control"] == {"mark.groups": 2}
    assert json.loads(files["mark/.argilla/dataset.json"])["name"] == "test-study-mark"
    questions = json.loads(files["mark/.argilla/settings.json"])["questions"]
    assert [each["name"] for each in questions] == ["text_spans", "sure"]


def test_fields_of_a_stage_of_its_own_kind_are_the_texts_that_people_see(workspace: Workspace) -> None:
    study = open_study(workspace, [{"name": "vote", "kind": "vote"}])
    more = {
        "photo_alt": "A bowl", "song_transcript": "La", "_order": "x", "alt": "a", "year": 2024, "note": "rare",
    }  # fmt: skip
    study.add("vote", [{**QUESTION, **more}])
    made = json.loads(files_of(study, "argilla")["vote/.argilla/settings.json"])
    titles = {each["title"] for each in made["fields"]}
    assert titles == {"question", "alt", "note", "options"}


def test_words_of_several_people_are_no_decision_unless_they_are_the_same(workspace: Workspace) -> None:
    ask: list[Any] = [
        {"key": "why", "type": "text", "label": "Why?"},
        {"key": "name", "type": "text", "label": "Name?", "agree": True},
        {"key": "names", "type": "texts", "label": "Names?"},
    ]
    study = open_study(workspace, [{**STAGE, "ask": ask}])
    study.add("mark", [{"text": "injera"}])
    for word in ("sour", "flat"):
        study.answer(study.person(), {"answers": {"why": word, "name": "injera", "names": [word]}})
    (task,) = json.loads(files_of(study, "label-studio")["mark.tasks.json"])
    decided = [each["result"] for each in task["annotations"] if each["ground_truth"]]
    assert [[region["value"] for region in result] for result in decided] == [[{"text": ["injera"]}]]


def test_two_names_that_are_one_in_argilla(workspace: Workspace) -> None:
    show = [{"field": name, "type": "text"} for name in ("text", "Left one", "left_one")]
    study = open_study(workspace, [{**STAGE, "show": show}])
    study.add("mark", [{"text": "a", "Left one": "b", "left_one": "c"}])
    with pytest.raises(FolkwaysError, match="have one name; rename one: Left one, left_one"):
        export_files(workspace, study.record.id, "argilla")


def test_options_of_an_item_and_positions(workspace: Workspace) -> None:
    study = open_study(workspace, [{"name": "vote", "kind": "vote", "answers": 1, "majority": 1}])
    study.add("vote", [QUESTION])
    study.answer(study.person(), {"choices": [0, 2], "abstain": None, "comment": ""})
    (task,) = json.loads(files_of(study, "label-studio")["vote.tasks.json"])
    for annotation in task["annotations"]:
        (region,) = annotation["result"]
        assert (region["from_name"], region["value"]) == ("choices", {"choices": ["soup", "fruit"]})
    assert task["data"]["options"] == [{"value": each} for each in ("soup", "rice", "fruit", "bread")]
    (written,) = json.loads(files_of(study, "argilla")["vote/records.json"])
    assert written["responses"]["choices"][0]["value"] == ["A", "C"]
    assert written["fields"]["options"] == "A. soup\nB. rice\nC. fruit\nD. bread"


@pytest.mark.parametrize("format", ["label-studio", "argilla", "spacy", "conll"])
def test_who_withdrew_is_in_no_file(workspace: Workspace, format: str) -> None:
    study = marked(workspace, "🍲 injera", "injera", [SURE, WORDS], {}, {})
    gone, stays = study.people()
    participants.withdraw(workspace, study.record.id, gone.id)
    files = files_of(study, format)
    assert gone.pseudonym not in "".join((*files, *files.values()))
    assert stays.pseudonym in "".join((*files, *files.values()))


@pytest.mark.parametrize("kind", ["form", "tag_spans"])
def test_an_expert_s_decision_leaves_as_an_answer_to_what_people_were_asked(
    workspace: Workspace, kind: str
) -> None:
    is_form = kind == "form"
    part = "words" if is_form else "spans"
    settings = {"ask": [SURE, {**WORDS, "required": True}]} if is_form else {}
    stages = [
        {"name": "mark", "kind": kind, "answers": 2, "next": {"disagree": "decide"}, **settings},
        {"name": "decide", "kind": "adjudicate", "role": "expert"},
    ]
    study = open_study(workspace, stages)
    study.add("mark", [{"text" if is_form else "sentence": "in 서울 today", "item": "서울"}])

    def said(start: int, end: int) -> dict[str, Any]:
        return {"answers": {"words": [[start, end]], "sure": "no"}} if is_form else {"spans": [[start, end]]}

    people = [study.person(), study.person()]
    for person, marks in zip(people, ([0, 2], [6, 11]), strict=True):
        study.answer(person, said(*marks))
    expert = study.person(role=Role.EXPERT)
    study.answer(expert, {**said(3, 5), "reason": "a city"}, "decide")

    (task,) = json.loads((tasks := files_of(study, "label-studio"))["decide.tasks.json"])
    for name in (each.pseudonym for each in people):
        assert name not in tasks["decide.tasks.json"], "what others said is in their own stage"
    for annotation in task["annotations"]:
        marks = [each["value"]["text"] for each in annotation["result"] if each["type"] == "labels"]
        assert marks == ["서울"]
    assert [each["ground_truth"] for each in task["annotations"]] == [False, True]
    (record,) = json.loads(files_of(study, "argilla")["decide/records.json"])
    (response,) = record["responses"]["text_spans" if is_form else "sentence_spans"]
    assert [(mark["start"], mark["end"]) for mark in response["value"]] == [(3, 5)]
    assert record["responses"]["reason"][0]["value"] == "a city"
    for layer in (expert.pseudonym, "decided"):
        row = json.loads(files_of(study, "spacy")[f"decide.{part}.{layer}.jsonl"])
        assert row["entities"] == [[3, 5, part]]
        assert "서울\tB-" in files_of(study, "conll")[f"decide.{part}.{layer}.iob2"]


def test_the_shipped_kind_of_marks(workspace: Workspace, tmp_path: Path) -> None:
    study = open_study(workspace, [{"name": "tag", "kind": "tag_spans", "answers": 1}])
    study.add("tag", [{"sentence": "🍲 On Boxing Day", "item": "Boxing Day"}])
    study.answer(study.person(), {"spans": [[5, 15]]})
    paths = export_study(workspace, study.record.id, tmp_path, "conll")
    texts = [path.read_text("utf-8") for path in paths if path.suffix == ".iob2"]
    assert texts == 2 * [
        "# sent_id = q0\n# text = 🍲 On Boxing Day\n1\t🍲\tO\t-\t-\n2\tOn\tO\t-\t-\n"
        "3\tBoxing\tB-spans\t-\t-\n4\tDay\tI-spans\t-\t-\n\n"
    ]
