"""What models suggest for items: from tables and by the service, checked as an answer is, once per model's
version."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa

from folkways_studio.database import schema
from folkways_studio.errors import SubmissionError
from folkways_studio.items.preannotations import (
    MOST_MODELS,
    NewPreAnnotation,
    add_suggestions,
    list_suggestions,
    suggestions_in,
)
from folkways_studio.items.reading import import_items
from folkways_studio.items.service import NewItem, add_items, list_items
from folkways_studio.items.table_files import RowsError
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.service import get_stage
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, stored

FORM = {
    "name": "judge",
    "kind": "form",
    "answers": 2,
    "show": [{"field": "story", "type": "text"}],
    "ask": [
        {"key": "fit", "type": "scale", "label": "How fitting?"},
        {"key": "tone", "type": "choice", "label": "Tone?", "options": ["warm", "cold"]},
        {"key": "why", "type": "text", "label": "Why?", "required": False},
    ],
}
STAGES = [
    {"name": "verify", "kind": "vote", "answers": 2, "majority": 2},
    FORM,
    {"name": "mark", "kind": "tag_spans"},
    {"name": "adapt", "kind": "adapt", "role": "reviewer"},
    {"name": "best", "kind": "choose_best"},
    {"name": "label", "kind": "label_item"},
    {"name": "write", "kind": "write_question"},
    {"name": "localise", "kind": "localise", "role": "reviewer"},
]
CELLS = {"question": QUESTION["question"], "options": json.dumps(QUESTION["options"])}
SENTENCE = "We spent Boxing Day at my aunt's."
MARKED = {"sentence": SENTENCE, "item": "Boxing Day"}


def suggested(study: StudyFixture, stage: str, content: dict[str, Any], answer: Any) -> Any:
    """What is stored of an answer that a model suggests for a new item."""
    key = f"i{len(list_items(study.workspace, study.record.id))}"
    (item,) = add_items(
        study.workspace,
        study.record.id,
        stage,
        [NewItem(key, content, suggestions=[NewPreAnnotation("m", answer)])],
    )
    (one,) = (each for each in list_suggestions(study.workspace, study.record.id) if each.item_id == item.id)
    return one.content


def test_a_table_brings_what_models_suggest(study: StudyFixture) -> None:
    several = [
        {"model": "small", "version": "2", "score": 0.25, "answer": {"choices": [1]}},
        {"model": "large", "answer": "c"},
    ]
    rows = [
        {"id": "a", **CELLS, "suggestions": json.dumps(several)},
        {
            "id": "b",
            **CELLS,
            "suggestion": '{"choices": [0, 2]}',
            "suggestion_model": " tiny ",
            "suggestion_version": "v1",
            "suggestion_score": "1",
        },
        {"id": "c", **CELLS},
    ]
    made = import_items(study.workspace, study.record.id, "verify", rows)
    assert [each.content for each in made] == [QUESTION] * 3, "no part of what is shown"
    said = [
        (each.item_id, each.model, each.version, each.score, each.content, each.source)
        for each in list_suggestions(study.workspace, study.record.id)
    ]
    assert said == [
        (made[0].id, "small", "2", 0.25, {"choices": [1]}, "file"),
        (made[0].id, "large", "", None, {"choices": [2]}, "file"),
        (made[1].id, "tiny", "v1", 1.0, {"choices": [0, 2]}, "file"),
    ]


@ON_A_FILE
@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"suggestion": "a"}, "suggestion, model: has to be a text of 1 to 256 characters, not ''"),
        ({"suggestion_model": "m"}, "suggestion: is empty, but suggestion_model is not"),
        ({"suggestion_score": "0.5"}, "suggestion: is empty, but suggestion_score is not"),
        ({"suggestion": "a", "suggestion_score": "high"}, "suggestion_score: has to be a number from 0 to 1"),
        ({"suggestion": "a", "suggestion_model": "m", "suggestion_score": "1.01"}, "suggestion, score: has"),
        ({"suggestion": "a", "suggestion_model": "m", "suggestion_score": "-0.01"}, "suggestion, score: has"),
        ({"suggestion": "a", "suggestion_model": "m", "suggestion_score": "nan"}, "suggestion, score: has"),
        ({"suggestion": "a", "suggestion_model": "m" * 257}, "suggestion, model: has"),
        ({"suggestion": "a", "suggestion_model": "m", "suggestion_version": "v" * 129}, "version: has"),
        ({"suggestion": '{"choices": [4]}', "suggestion_model": "m"}, "suggestion, answer.choices: "),
        (
            {"suggestion": '{"chosen": [1]}', "suggestion_model": "m"},
            "answer.chosen: is nothing that is asked",
        ),
        ({"suggestion": "{}", "suggestion_model": "m"}, "suggestion, answer: says nothing"),
        ({"suggestions": "[]", "suggestion_model": "m"}, "suggestions: either a list in this column, or"),
        ({"suggestions": "small: b"}, "suggestions: has to be a JSON list of objects with model, version"),
        ({"suggestions": '["b"]'}, "suggestions: has to be a JSON list of objects with model, version"),
        ({"suggestions": '[{"model": "m", "answer": "a", "by": 1}]'}, "entry 1: has no field 'by'"),
        ({"suggestions": '[{"model": "m"}]'}, "suggestions, entry 1: has no answer"),
        ({"suggestions": '[{"model": 7, "answer": "a"}]'}, "suggestion, model: has to be a text"),
        ({"suggestions": '[{"model": "m", "score": true, "answer": "a"}]'}, "suggestion, score: has to be"),
        (
            {"suggestions": json.dumps([{"model": "m", "answer": "a"}] * 2)},
            "suggestion 2, version: m has suggested something for this item already",
        ),
        (
            {"suggestions": json.dumps([{"model": f"m{n}", "answer": "a"} for n in range(MOST_MODELS + 1)])},
            f"suggestions: are more than {MOST_MODELS} of one item",
        ),
    ],
)
def test_a_row_with_a_wrong_suggestion_is_named_with_its_field(
    study: StudyFixture, cells: dict[str, str], words: str
) -> None:
    with pytest.raises(RowsError) as caught:
        import_items(study.workspace, study.record.id, "verify", [{"id": "z", **CELLS}, {**CELLS, **cells}])
    assert list(caught.value.problems) == [2] and words in caught.value.problems[2]
    assert not list_items(study.workspace, study.record.id), "nothing is added"


@ON_A_FILE
@pytest.mark.parametrize(
    ("stage", "content", "answer", "kept"),
    [
        ("judge", {"story": "S"}, {"fit": 3}, {"answers": {"fit": 3}}),
        ("judge", {"story": "S"}, {"answers": {"fit": 3, "tone": "cold"}}, {"answers": {"fit": 3, "tone": "cold"}}),
        (
            "judge",
            {"story": "S"},
            {"scale": {"fit": 3}, "choice": {"tone": "warm"}},
            {"answers": {"fit": 3, "tone": "warm"}},
        ),
        ("mark", MARKED, {"spans": [[9, 19]]}, {"spans": [[9, 19]]}),
        ("mark", MARKED, [[9, 19]], {"spans": [[9, 19]]}),
        (
            "best",
            {"item": "Boxing Day", "candidates": ["One.", "Two."]},
            "b",
            {"best": "b"},
        ),
        ("label", {"sentence": SENTENCE, "spans": [[9, 19]]}, {"level": "Visible"}, {"level": "Visible"}),
        ("localise", {"template": "What do people eat?", "category": "Food"}, "무엇을?", {"local": "무엇을?"}),
        (
            "adapt",
            {"sentence": SENTENCE, "spans": [[9, 19]]},
            {
                "strategies": ["neutral_term"],
                "intra": "We spent <CSI>a day</CSI> at my aunt's.",
                "inter": "우리는 <CSI>하루</CSI>를",
            },
            {
                "strategies": ["neutral_term"],
                "intra": "We spent a day at my aunt's.",
                "intra_spans": [[9, 14]],
                "inter": "우리는 하루를",
                "inter_spans": [[4, 6]],
            },
        ),
        ("adapt", {"sentence": SENTENCE, "spans": [[9, 19]]}, {"strategies": ["neutral_term"]}, {"strategies": ["neutral_term"]}),
    ],
)  # fmt: skip
def test_a_model_need_not_fill_in_every_field_and_each_kind_begins_with_its_own(
    study: StudyFixture, stage: str, content: dict[str, Any], answer: Any, kept: Any
) -> None:
    assert suggested(study, stage, content, answer) == kept


@ON_A_FILE
@pytest.mark.parametrize(
    ("stage", "content", "answer", "words"),
    [
        ("judge", {"story": "S"}, 3, "answer: has to be an object with some of: fit, tone, why; not 3"),
        ("judge", {"story": "S"}, {"fit": 9}, "answer.fit: "),
        ("judge", {"story": "S"}, {"pace": 1}, "answer.pace: is nothing that is asked here"),
        ("judge", {"story": "S"}, {}, "answer: says nothing"),
        ("mark", MARKED, {"spans": [[9, 99]]}, "answer.spans: "),
        ("label", {"sentence": SENTENCE, "spans": [[9, 19]]}, {"level": "Loud"}, "answer.level: "),
    ],
)
def test_what_nobody_could_answer_is_no_suggestion(
    study: StudyFixture, stage: str, content: dict[str, Any], answer: Any, words: str
) -> None:
    with pytest.raises(SubmissionError) as caught:
        suggested(study, stage, content, answer)
    assert words in str(caught.value)


@ON_A_FILE
def test_nothing_is_suggested_where_people_write_the_items(study: StudyFixture) -> None:
    (item,) = study.add("verify", [QUESTION])
    with study.workspace.write() as connection:
        write = get_stage(study.workspace, study.record.id, "write")
        connection.execute(sa.update(schema.items).values(stage_id=write.id))
    with pytest.raises(RowsError, match="people write the items of this stage themselves"):
        add(study, (item, NewPreAnnotation("m", {"question": "What is it?"})), stage="write")


def add(study: StudyFixture, *new: tuple[int | str, NewPreAnnotation], stage: str = "verify") -> Any:
    made = add_suggestions(study.workspace, study.record.id, stage, new, by=study.owner)
    return made.added, made.replaced, made.unchanged


def test_suggestions_come_later_too_and_another_of_the_version_takes_the_place_of_one_nobody_saw(
    study: StudyFixture,
) -> None:
    first, second = study.add("verify", [QUESTION] * 2)
    new = NewPreAnnotation("m", "a", "1", 0.5, "api")
    assert add(study, (first, new), ("q1", new)) == (2, 0, 0)
    assert add(study, (first, new), ("q1", NewPreAnnotation("m", "b", "1"))) == (0, 1, 1)
    assert add(study, (second, NewPreAnnotation("m", "b", "2"))) == (1, 0, 0)
    said = [
        (each.item_id, each.version, each.score, each.content["choices"], each.source)
        for each in list_suggestions(study.workspace, study.record.id, "verify", model="m")
    ]
    assert said == [(first, "1", 0.5, [0], "api"), (second, "1", None, [1], "file"), (second, "2", None, [1], "file")]  # fmt: skip
    assert list_suggestions(study.workspace, study.record.id, "judge") == ()
    assert list_suggestions(study.workspace, study.record.id, model="other") == ()
    events = stored(study.workspace, schema.events, kind="suggestions.added")
    assert [each["details"]["n"] for each in events] == [2, 1, 1]
    assert {each["account_id"] for each in events} == {study.owner}


def test_what_people_have_worked_with_stays_as_it_was(study: StudyFixture) -> None:
    first, second = study.add("verify", [QUESTION] * 2)
    new = NewPreAnnotation("m", "a")
    add(study, (first, new), (second, new))
    (one, _) = list_suggestions(study.workspace, study.record.id)
    row = {
        "item_id": first,
        "participant_id": study.person().id,
        "preannotation_id": one.id,
        "setting": "half",
        "shown": False,
        "created": 1.0,
    }
    with study.workspace.write() as connection:
        connection.execute(sa.insert(schema.exposures).values(row))
    other = NewPreAnnotation("m", "b")
    with pytest.raises(RowsError) as caught:
        add(study, (second, other), (first, other), ("q9", other))
    assert list(caught.value.problems) == [3]
    with pytest.raises(RowsError) as caught:
        add(study, (second, other), (first, other))
    assert caught.value.problems == {
        2: "people have worked with what m suggested before; give the model another version"
    }
    assert {each.content["choices"][0] for each in list_suggestions(study.workspace, study.record.id)} == {0}
    assert add(study, (second, other), (first, new)) == (0, 1, 1)


@ON_A_FILE
def test_each_wrong_one_is_named_by_its_number(study: StudyFixture) -> None:
    (number,) = study.add("verify", [QUESTION])
    study.add("mark", [MARKED, MARKED])
    good = NewPreAnnotation("m", "a")
    with pytest.raises(RowsError) as caught:
        add(study, ("q1", good), (number, good), ("q0", good), (number, NewPreAnnotation("m", "e")))
    assert caught.value.problems == {
        1: "there is no item 'q1' in verify",
        3: "repeats row 2: one answer of a model's version to an item",
        4: caught.value.problems[4],
    }
    assert caught.value.problems[4].startswith("answer.choices: ")


@ON_A_FILE
def test_suggestions_go_with_their_items(study: StudyFixture) -> None:
    from folkways_studio.database.deletion import delete_items

    suggested(study, "verify", dict(QUESTION), "a")
    delete_items(study.workspace, schema.items.c.study_id == study.record.id)
    assert stored(study.workspace, schema.preannotations) == []


def test_a_row_without_such_columns_suggests_nothing() -> None:
    assert suggestions_in({"question": "Q", "suggestion": " ", "suggestion_score": ""}) == ()


@ON_A_FILE
def test_what_is_wrong_with_an_answer_as_a_whole_is_no_field_that_a_model_left_out(
    study: StudyFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def validate(*_: Any) -> Any:
        raise SubmissionError({"": "these do not go together", "best": "Choose the best sentence."})

    monkeypatch.setattr(type(stage_kind("label_item")), "validate", validate)
    with pytest.raises(SubmissionError, match="these do not go together"):
        suggested(study, "label", {"sentence": SENTENCE, "spans": [[9, 19]]}, {"level": "Visible"})
