"""Argilla: records that are written are read back as they were, and those of others by the names of questions."""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from folkways_studio.formats.argilla import (
    is_record,
    name_of,
    read_record,
    records,
    settings,
    suggestions_dropped,
    user_id,
)
from folkways_studio.formats.questions import AnnotatedItem, AnnotatedStage, Answer, MismatchError
from studio.tests.support.annotated_stage import PARTS, SHOW, stages

NAME = re.compile(r"(?=.*[a-z0-9])[a-z0-9_-]+")
SPANS = [
    {"key": key, "type": "spans", "label": key, "of": "text", "required": False} for key in ("food", "place")
]
MOOD = {"key": "mood", "type": "choice", "label": "?", "options": ["good", "bad"]}
RANK = {"key": "rank", "type": "ranking", "label": "?", "options": ["a", "b"]}


def record(
    responses: dict[str, Any], suggestions: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "id": "r1",
        "fields": {"text": " 🍲 soup"},
        "metadata": {},
        "responses": responses,
        "suggestions": suggestions or {},
        "vectors": {},
        "status": "pending",
        "_server_id": None,
        **more,
    }


@given(stages())
def test_a_record_is_read_back_and_such_as_it_takes_and_counts_what_it_cannot_hold(
    stage: AnnotatedStage,
) -> None:
    """One test for three properties: to draw a stage costs more than to check it."""
    read_back_as_it_was(stage)
    names_and_values_are_such_as_it_takes(stage)
    suggestions_without_a_place_are_counted(stage)


def read_back_as_it_was(stage: AnnotatedStage) -> None:
    (written,) = json.loads(json.dumps(records(stage, "study")))
    item = stage.items[0]
    assert is_record(written)
    read = read_record(written, PARTS, [*SHOW, "things"])
    assert {name: read.content[name] for name in item.content} == item.content
    assert (read.content["id"], read.content["population"]) == ("q 1", "korea")
    by = {answer.by: answer.values for answer in read.answers}
    assert by.pop(None) == (item.decided.values if item.decided else {})
    assert by == {f"user {user_id('study', each.by or '')}": each.values for each in item.answers}


def names_and_values_are_such_as_it_takes(stage: AnnotatedStage) -> None:
    (written,) = records(stage, "study")
    made = settings(stage)
    questions = {each["name"]: each["settings"] for each in made["questions"]}
    fields = {each["name"] for each in made["fields"]}
    assert all(NAME.fullmatch(name) for name in (*questions, *fields))
    assert fields >= {*written["fields"]}
    assert any(each["required"] for each in made["questions"])
    for name, entries in written["responses"].items():
        for each in entries:
            assert uuid.UUID(each["user_id"])
            labels = [option["value"] for option in questions[name].get("options", ())]
            value = each["value"]
            match questions[name]["type"]:
                case "span":
                    text = written["fields"][questions[name]["field"]]
                    assert all(0 <= mark["start"] < mark["end"] <= len(text) for mark in value)
                    assert {mark["label"] for mark in value} <= {*labels}
                case "multi_label_selection" | "ranking":
                    assert {*value} <= {*labels}
                case "text":
                    assert isinstance(value, str)
                case _:
                    assert value in labels


def suggestions_without_a_place_are_counted(stage: AnnotatedStage) -> None:
    """A record has one suggestion for each question: what was decided, else the surest model's."""
    (item,) = stage.items
    alone = AnnotatedStage("mark", "Mark", SHOW, PARTS, stage.labels, [replace(item, decided=None)])
    (written,) = records(alone, "study")
    agents = [each["agent"] for each in written["suggestions"].values()]
    asked_of_both = {*item.suggestions[0].values} & {*item.suggestions[1].values}
    marks = {"words", "places", "title_words"}
    assert suggestions_dropped(alone.items[0]) == len(asked_of_both - marks) + 2
    assert agents.count("tagger 2") == len({*item.suggestions[0].values} - marks) + 2
    (decided,) = records(stage, "study")
    kept = sum(each["type"] == "model" for each in decided["suggestions"].values())
    questions = [len({*each.values} - marks) + 2 for each in item.suggestions]
    assert suggestions_dropped(item) == sum(questions) - kept


def test_names() -> None:
    assert [name_of(each) for each in ("Left one", "ok-1", "__x__", "count")] == [
        "left_one", "ok-1", "x", "count_",
    ]  # fmt: skip
    assert NAME.fullmatch(name_of("음식"))
    assert name_of("음식") != name_of("질문")


def test_another_project_s_questions_are_the_parts_of_those_names() -> None:
    read = read_record(
        record(
            {
                "Mood": [
                    {"value": "good", "user_id": "u1", "status": "submitted"},
                    {"value": "bad", "user_id": "u2", "status": "discarded"},
                    {"value": "bad", "user_id": "u3"},
                ],
                "entities": [{"value": [{"start": 3, "end": 7, "label": "FOOD"}], "user_id": "u1"}],
                "rank": [{"value": [{"value": "b", "rank": 1}, {"value": "a", "rank": 2}], "user_id": "u1"}],
            },
            {
                "mood": {"value": "bad", "score": 0.25, "agent": "m-1", "type": "model"},
                "entities": {
                    "value": [{"start": 3, "end": 7, "label": "food"}],
                    "score": [0.5],
                    "agent": "m-2",
                },
                "rank": {"value": ["a", "b"], "agent": "expert", "type": "human"},
            },
            vectors={"v": [0.1]},
            metadata={"source": "x", "item_id": 3},
        ),
        [*SPANS, MOOD, RANK],
        ["text"],
    )
    assert read.content == {"id": "r1", "source": "x", "text": "🍲 soup"}
    answers = {answer.by: answer.values for answer in read.answers}
    assert answers == {
        "user u1": {"food": [[2, 6]], "place": [], "mood": "good", "rank": ["b", "a"]},
        "user u3": {"food": [], "place": [], "mood": "bad"},
        "expert": {"food": [], "place": [], "rank": ["a", "b"]},
    }
    assert [(each.model, each.score, each.values) for each in read.suggestions] == [
        ("m-1", 0.25, {"mood": "bad"}),
        ("m-2", None, {"food": [[2, 6]]}),
    ]
    assert read.notes == {
        "responses that were drafts or discarded": 1,
        "scores of single spans or questions (a suggestion has one)": 1,
        "vectors": 1,
    }


@pytest.mark.parametrize(
    ("agent", "model"), [("m", "m"), ("", "Argilla suggestion"), (None, "Argilla suggestion")]
)
def test_a_suggestion_is_of_its_agent_or_of_argilla(agent: str | None, model: str) -> None:
    read = read_record(record({}, {"mood": {"value": "bad", "agent": agent}}), [MOOD], ["text"])
    assert [(each.model, each.values) for each in read.suggestions] == [(model, {"mood": "bad"})]


def test_a_row_of_its_data_set_on_the_hub() -> None:
    read = read_record(
        {
            "id": "r1", "status": "completed", "_server_id": None, "text": " soup", "source": None,
            "mood.responses": ["good", "bad", None], "mood.responses.users": ["u1", "u2", "u3"],
            "mood.responses.status": ["submitted", "discarded", "submitted"],
            "mood.suggestion": "bad", "mood.suggestion.agent": "m", "mood.suggestion.score": "0.25",
            "rank.suggestion": None, "rank.suggestion.agent": None, "rank.suggestion.score": None,
            "entities.responses": [[{"start": 1, "end": 5, "label": "food"}]], "entities.responses.users": ["u1"],
            "vector": [0.5, 1.0],
        },
        [*SPANS, MOOD, RANK],
        ["text"],
    )  # fmt: skip
    assert {name: value for name, value in read.content.items() if value} == {"id": "r1", "text": "soup"}
    (answer,) = read.answers
    assert (answer.by, answer.values) == ("user u1", {"mood": "good", "food": [[0, 4]], "place": []})
    assert [(each.model, each.score, each.values) for each in read.suggestions] == [
        ("m", 0.25, {"mood": "bad"})
    ]
    assert read.notes["vectors"] == 1


@pytest.mark.parametrize(
    ("row", "taken"),
    [
        ({"id": "r1", "fields": {"text": "soup"}, "responses": {}}, True),
        ({"id": "r1", "fields": "text", "responses": {}}, False),
        ({"id": "r1", "responses": {}}, False),
        ({"id": "r1", "fields": {"text": "soup"}, "culture": "KR"}, False),
        ({"text": "soup", "mood.responses": None}, True),
        ({"text": "soup", "mood.suggestion": "good"}, True),
        ({"text": "soup", "mood.suggestion.agent": "m", "responses": {}}, False),
    ],
)
def test_what_its_rows_are_known_by(row: dict[str, Any], taken: bool) -> None:
    assert is_record(row) == taken


@pytest.mark.parametrize("value", [3, 0.5, True, [], ["soup"], [0.5, "soup"], {"a": 1}, "soup", None])
def test_a_column_of_a_row_is_a_vector_only_with_numbers_in_it(value: object) -> None:
    read = read_record(
        {"id": "r1", "text": "soup", "more": value, "mood.suggestion": "bad"}, [MOOD], ["text"]
    )
    assert read.content["more"] == value
    assert "vectors" not in read.notes


def test_nothing_marked_says_so_of_every_part_of_the_field_and_of_no_other() -> None:
    parts = [*SPANS, {**SPANS[0], "key": "title_words", "of": "title"}, MOOD]
    nothing = {"text_spans": {"value": [], "agent": "m"}, "other_spans": {"value": [], "agent": "m-2"}}
    read = read_record(record({}, nothing), parts, ["text", "title"])
    assert [(each.model, each.values) for each in read.suggestions] == [
        ("m", {part["key"]: [] for part in SPANS}),
        ("m-2", {}),
    ]


def test_what_a_record_leaves_open_is_no_answer_and_what_its_export_dropped_is_known_again() -> None:
    read = read_record(
        record(
            {
                "mood": [
                    {"value": "good", "user_id": "u1", "status": "submitted"},
                    {"value": None, "user_id": "u2", "status": "submitted"},
                    {"value": "good", "user_id": "u3", "status": "draft"},
                ],
                "rank": [{"value": ["a", "b"], "user_id": "u1", "status": "draft"}],
            },
            {"mood": {"value": "bad", "agent": "decided"}, "rank": None},
            metadata={"round": 1, "source": None, "place": "Seoul"},
        ),
        [MOOD, RANK],
        ["text"],
    )
    assert read.content == {"id": "r1", "place": "Seoul", "text": "🍲 soup"}
    assert [(answer.by, answer.values) for answer in read.answers] == [
        ("user u1", {"mood": "good"}),
        (None, {"mood": "bad"}),
    ]
    assert read.notes["responses that were drafts or discarded"] == 2, "u1 has answered something"
    assert read_record({"text": "soup", "mood.responses": None}, [MOOD], ["text"]).answers == []


@pytest.mark.parametrize("named_by", [["B", "A"], ["rice", "soup"], ["Rice", " soup"]])
def test_options_of_an_item_are_named_by_their_letters_or_words(named_by: list[str]) -> None:
    part = {"key": "rank", "type": "ranking", "label": "?", "options_from": "things"}
    one = record({"rank": [{"value": named_by, "user_id": "u"}]}, fields={"things": "A. soup\nB. rice"})
    assert [answer.values for answer in read_record(one, [part], ["things"]).answers] == [
        {"rank": ["rice", "soup"]}
    ]


@pytest.mark.parametrize(
    ("least", "most", "kind"),
    [
        (0, 10, "rating"),
        (1, 5, "rating"),
        (-1, 5, "label_selection"),
        (0, 11, "label_selection"),
        (10, 11, "label_selection"),
    ],
)
def test_a_scale_is_a_rating_from_0_to_10_and_labels_beyond(least: int, most: int, kind: str) -> None:
    part = {"key": "fit", "type": "scale", "label": "Fit", "least": least, "most": most}
    decided = Answer(None, {"fit": least})
    items = [
        AnnotatedItem("q1", {"text": "soup"}, [part], [], decided, [], {}),
        AnnotatedItem("q2", {"text": "tea"}, [part], [], None, [], {}),
    ]
    stage = AnnotatedStage("mark", "Mark", SHOW, [part], {"fit": "Fit"}, items)
    (question,) = settings(stage)["questions"]
    assert question["settings"]["type"] == kind
    labels = [str(each["value"]) for each in question["settings"]["options"]]
    assert labels == [str(each) for each in range(least, most + 1)]
    done, open_one = records(stage, "study")
    assert [done["status"], open_one["status"]] == ["completed", "pending"]
    value = done["suggestions"]["fit"]["value"]
    assert value == (least if kind == "rating" else str(least))


def test_one_model_with_two_scores_has_none() -> None:
    suggestions = {
        "mood": {"value": "bad", "score": 0.25, "agent": "m"},
        "rank": {"value": ["a", "b"], "score": 0.5, "agent": "m"},
    }
    (only,) = read_record(record({}, suggestions), [MOOD, RANK], []).suggestions
    assert (only.score, only.values) == (None, {"mood": "bad", "rank": ["a", "b"]})


@pytest.mark.parametrize(
    ("responses", "problem"),
    [
        ({"feeling": "good"}, "the stage has no part 'feeling'; valid: food, place, mood"),
        ({"mood": "meh"}, "'meh' is no option of mood; valid: good, bad"),
        ({"s": [{"start": 0, "end": 1, "label": "drink"}]}, "the label 'drink' is no part"),
    ],
)
def test_what_fits_no_part_is_named(responses: dict[str, Any], problem: str) -> None:
    entries = {name: [{"value": value, "user_id": "u"}] for name, value in responses.items()}
    with pytest.raises(MismatchError, match=re.escape(problem)):
        read_record(record(entries), [*SPANS, MOOD], ["text"])
