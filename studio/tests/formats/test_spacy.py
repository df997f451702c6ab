"""spaCy's texts with entities, as rows of items."""

from __future__ import annotations

from typing import Any

import pytest

from folkways_studio.formats.questions import Answer, MismatchError
from folkways_studio.formats.spacy import is_example, read_example, row_of_pair

FOOD, PLACE = ({"key": key, "type": "spans", "label": key, "of": "text"} for key in ("food", "place"))
SEEN = {**PLACE, "key": "seen", "required": False}
ASIDE = {**PLACE, "key": "aside", "required": False, "if": {"key": "food", "is": "x"}}
TITLE = {**PLACE, "key": "title-place", "of": "title"}
MOOD = {"key": "mood", "type": "choice", "label": "?", "options": ["good", "bad"]}


@pytest.mark.parametrize(
    ("entry", "row"),
    [
        (["soup", {"entities": [[0, 4, "food"]]}], {"text": "soup", "entities": [[0, 4, "food"]]}),
        (["soup", {}], {"text": "soup"}),
        (["soup", {"text": "its own"}], {"text": "its own"}),
        (["soup", [0, 4]], ["soup", [0, 4]]),
        (["soup", {}, 1], ["soup", {}, 1]),
        ([4, {}], [4, {}]),
        (["soup"], ["soup"]),
        ("so", "so"),
        ({"text": "soup"}, {"text": "soup"}),
    ],
)
def test_a_pair_of_a_text_and_its_annotations_is_a_row_and_nothing_else(entry: object, row: object) -> None:
    assert row_of_pair(entry) == row


@pytest.mark.parametrize(
    ("row", "taken"),
    [
        ({"text": "soup", "entities": []}, True),
        ({"text": "soup", "entities": [[0, 4, "food"]]}, True),
        ({"text": "soup", "entities": [[0, 4, "food", "kb-1"]]}, True),
        ({"text": "soup", "entities": [{"start": 0, "end": 4, "label": "food"}]}, True),
        ({"text": "soup", "entities": [{"start": 0, "end": 4}]}, False),
        ({"text": "soup", "entities": [[0, 4]]}, False),
        ({"text": "soup", "entities": [[0, 4, 1]]}, False),
        ({"text": "soup", "entities": [["0", 4, "food"]]}, False),
        ({"text": "soup", "entities": [[0, 4.0, "food"]]}, False),
        ({"text": "soup", "entities": [[0, 4, "food"], "food"]}, False),
        ({"text": "soup", "entities": "food"}, False),
        ({"text": "soup"}, False),
        ({"text": 1, "entities": []}, False),
        ({"entities": []}, False),
    ],
)
def test_what_its_rows_are_known_by(row: dict[str, Any], taken: bool) -> None:
    assert is_example(row) is taken


def test_marks_are_counted_in_the_text_as_items_store_it() -> None:
    row = {"text": "  hot soup \n", "entities": [[6, 10, "food"], {"start": 2, "end": 5, "label": "FOOD"}]}
    read = read_example(row, [MOOD, FOOD, SEEN, ASIDE])
    assert read.content == {"text": "hot soup"}
    assert read.answers == [Answer(None, {"food": [[4, 8], [0, 3]], "seen": []})]
    assert not read.notes and not read.suggestions


def test_the_text_is_the_field_that_is_marked() -> None:
    row = {"text": " Seoul", "entities": [[1, 6, "title-place"]], "more": 3}
    read = read_example(row, [TITLE])
    assert (read.content, read.answers) == (
        {"title": "Seoul", "more": 3},
        [Answer(None, {"title-place": [[0, 5]]})],
    )
    named = read_example({**row, "title": "At home", "entities": [[0, 2, "title-place"]]}, [TITLE])
    assert named.content == {"text": "Seoul", "title": "At home", "more": 3}
    assert named.answers == [Answer(None, {"title-place": [[0, 2]]})]


def test_of_two_fields_the_one_that_is_called_text_is_meant() -> None:
    both = [{**FOOD, "key": "where"}, {**TITLE, "key": "where"}]
    read = read_example({"text": "Seoul", "title": "Busan", "entities": [[0, 5, "where"]]}, both)
    assert read.answers == [Answer(None, {"where": [[0, 5]]})]


@pytest.mark.parametrize(
    ("meta", "key"),
    [({"item": "dish-1"}, "dish-1"), ({"item": 1}, None), ({}, None), ("dish-1", None), (None, None)],
)
def test_the_key_of_an_item_stands_in_its_meta(meta: object, key: str | None) -> None:
    row = {"text": "soup", "entities": [], "meta": meta}
    assert read_example(row, [FOOD]).content.get("id") == key
    assert read_example({**row, "id": "own"}, [FOOD]).content["id"] == "own"


@pytest.mark.parametrize(
    ("fields", "notes"),
    [
        ({"cats": {"a": 1}}, ["cats"]),
        ({"links": {"a": 1}, "cats": {}}, ["links"]),
        ({"links": {}, "cats": None, "joined": False}, []),
        (
            {"joined": True},
            ["texts, which the file does not have: they are its tokens with a space between them"],
        ),
    ],
)
def test_what_is_left_out_is_counted(fields: dict[str, Any], notes: list[str]) -> None:
    read = read_example({"text": "soup", "entities": [], **fields}, [FOOD])
    assert read.notes == dict.fromkeys(notes, 1)
    assert read.content == {"text": "soup"}


@pytest.mark.parametrize(
    ("entities", "parts", "words"),
    [
        ([[0, 4, "drink"]], [FOOD, PLACE], "the label 'drink' is no part .*; valid: food, place"),
        ([[0, 4, "food"]], [MOOD], r"valid: \(the stage asks for no marks\)"),
        ([], [MOOD], "the stage asks for no marks, and a text with entities has nothing else"),
    ],
)
def test_a_label_that_no_part_has_is_named(entities: list[Any], parts: list[Any], words: str) -> None:
    with pytest.raises(MismatchError, match=words):
        read_example({"text": "soup", "entities": entities}, parts)
