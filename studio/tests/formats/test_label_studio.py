"""Label Studio: tasks that are written are read back as they were, and those of others as their project meant
them."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given

from folkways_studio.formats.label_studio import is_task, labeling_config, read_task, tasks
from folkways_studio.formats.questions import AnnotatedStage, MismatchError
from studio.tests.support.annotated_stage import PARTS, stages

TEXT = "  🍲🍲 injera in 서울"
"""With white space before it, which items do not store."""

SPANS = [
    {"key": key, "type": "spans", "label": key, "of": "text", "required": False} for key in ("food", "place")
]
SENTIMENT = {"key": "sentiment", "type": "choice", "label": "?", "options": ["positive", "negative"]}


def region(kind: str, value: dict[str, Any], name: str = "label") -> dict[str, Any]:
    return {"id": "abc", "from_name": name, "to_name": "text", "type": kind, "value": value}


def marked(start: int, end: int, label: str = "FOOD", **more: Any) -> dict[str, Any]:
    return region("labels", {"start": start, "end": end, "labels": [label], **more})


def task(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    annotations = [{"id": 7, "completed_by": 3, "result": list(results)}] if results else []
    return {"id": 12, "data": {"text": TEXT}, "annotations": annotations, **more}


@given(stages())
def test_a_task_is_read_back_and_fits_its_text_and_its_configuration(stage: AnnotatedStage) -> None:
    """One test for three properties: to draw a stage costs more than to check it."""
    read_back_as_it_was(stage)
    offsets_are_code_points_of_the_text(stage)
    every_region_names_a_control_of_the_configuration(stage)


def read_back_as_it_was(stage: AnnotatedStage) -> None:
    (written,) = json.loads(json.dumps(tasks(stage)))
    item = stage.items[0]
    assert is_task(written)
    read = read_task(written, PARTS)
    assert {name: read.content[name] for name in item.content} == item.content
    assert (read.content["id"], read.content["population"]) == ("q 1", "korea")
    assert not read.notes
    people = {answer.by: answer.values for answer in read.answers}
    assert people == {"annotator p-1": item.answers[0].values, "annotator p-2": item.answers[1].values} | {
        None: item.decided.values if item.decided else {}
    }
    assert [(each.model, each.score, each.values) for each in read.suggestions] == [
        ("tagger 2", 0.75, item.suggestions[0].values),
        ("reader", None, item.suggestions[1].values),
    ]


def offsets_are_code_points_of_the_text(stage: AnnotatedStage) -> None:
    (written,) = tasks(stage)
    for annotation in written["annotations"]:
        for each in annotation["result"]:
            if each["type"] == "labels":
                value = each["value"]
                text = written["data"][each["to_name"]]
                assert text[value["start"] : value["end"]] == value["text"]


def every_region_names_a_control_of_the_configuration(stage: AnnotatedStage) -> None:
    view = ElementTree.fromstring(labeling_config(stage))
    controls = {each.get("name"): each for each in view if each.get("toName")}
    objects = {each.get("name"): each.get("value") for each in view if not each.get("toName")}
    (written,) = tasks(stage)
    assert {str(value)[1:] for name, value in objects.items() if name} <= set(written["data"])
    for annotation in (*written["annotations"], *written["predictions"]):
        for each in annotation["result"]:
            control = controls[each["from_name"]]
            assert control.tag.lower() == each["type"]
            assert control.get("toName") == each["to_name"]
            assert each["to_name"] in objects
    assert controls["fit"].get("maxRating") == "5"
    assert (controls["cold"].get("min"), controls["cold"].get("max")) == ("-2", "2")
    assert controls["from_zero"].tag == "Number"  # nobody can choose no star
    assert [each.attrib for each in controls["sure"]] == [
        {"value": "Yes, I am", "alias": "yes"},
        {"value": "No", "alias": "no"},
    ]


def test_another_project_s_regions_are_the_parts_of_those_names() -> None:
    read = read_task(
        task(
            marked(5, 11, "Food", text="injera"),
            marked(15, 17, "PLACE"),
            region("choices", {"choices": ["Positive"]}, "Sentiment"),
        ),
        [*SPANS, SENTIMENT],
    )
    assert read.content == {"text": TEXT.strip(), "id": 12}
    (answer,) = read.answers
    assert answer.by == "annotator 3"
    assert answer.values == {"food": [[3, 9]], "place": [[13, 15]], "sentiment": "positive"}


def test_offsets_of_older_versions_count_in_utf16() -> None:
    older = marked(7, 13, text="injera")
    assert read_task(task(older), SPANS).answers[0].values["food"] == [[3, 9]]


def test_a_region_whose_text_is_another_one_is_refused() -> None:
    with pytest.raises(MismatchError, match=r"region abc is 'teff', but the text has 'injera' there"):
        read_task(task(marked(5, 11, text="teff")), SPANS)


def test_a_column_id_without_a_value() -> None:
    """Of a file that is filled up to the same fields in every row."""
    row = task()
    row["data"]["id"] = None
    assert read_task(row, SPANS).content["id"] == 12


def test_line_breaks_of_a_region_s_text() -> None:
    row = task(marked(0, 5, text="a\\nb c"))
    row["data"]["text"] = "a\nb c"
    assert read_task(row, SPANS).answers[0].values["food"] == [[0, 5]]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (
            marked(5, 11, "drink"),
            r"the label 'drink' is no part in which words are marked; valid: food, place",
        ),
        (
            region("choices", {"choices": ["meh"]}, "sentiment"),
            r"'meh' is no option of sentiment; valid: positive",
        ),
        (
            region("choices", {"choices": ["positive"]}, "mood"),
            r"the stage has no part 'mood'; valid: sentiment",
        ),
        (region("rating", {"rating": 3}, "sentiment"), r"sentiment is no number, but choice"),
        (region("textarea", {"text": ["x"]}, "sentiment"), r"sentiment is no text, but choice"),
        (
            region("ranker", {"ranker": {"x": ["a"]}}, "sentiment"),
            r"sentiment is choice, which no such ranking",
        ),
        (
            region("labels", {"labels": ["food"], "start": "/p[1]", "end": 3}),
            r"region abc has no labels, or no",
        ),
    ],
)
def test_what_fits_no_part_is_named(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(MismatchError, match=problem):
        read_task(task(wrong), [*SPANS, SENTIMENT])


def test_a_name_that_may_mean_two_options_means_none() -> None:
    part = {**SENTIMENT, "options": ["good", "Good!"]}
    with pytest.raises(MismatchError, match="'GOOD' is no option"):
        read_task(task(region("choices", {"choices": ["GOOD"]}, "sentiment")), [part])
    read = read_task(task(region("choices", {"choices": ["Good!"]}, "sentiment")), [part])
    assert read.answers[0].values == {"sentiment": "Good!"}


def test_what_is_left_out_is_counted() -> None:
    read = read_task(
        {
            **task(marked(5, 11), region("rectanglelabels", {"x": 1}), {"type": "relation", "from_id": "a"}),
            "drafts": [{}, {}],
        }
        | {"predictions": [{"model_version": "m", "result": [marked(5, 11)]} for _ in range(2)]},
        SPANS,
    )
    assert read.notes == {"regions of type rectanglelabels": 1, "regions of type relation": 1, "drafts": 2}
    assert [(each.model, each.version) for each in read.suggestions] == [("m", ""), ("m", "2")]


def test_skipped_truth_and_nobody() -> None:
    row = task(marked(5, 11))
    row["annotations"] += [
        {"was_cancelled": True, "result": []},
        {"ground_truth": True, "completed_by": 4, "result": []},
        {"completed_by": {"id": 9, "email": "kim@example.org"}, "result": []},
        {"completed_by": "lee@example.org", "result": []},
    ]
    read = read_task(row, SPANS)
    assert [answer.by for answer in read.answers] == ["annotator 3", None, "annotator 9", "annotation 5"]
    assert read.answers[1].values == {"food": [], "place": []}
    assert read.notes == {"annotations that were skipped": 1}


def test_older_exports_and_pairs() -> None:
    pair = {"key": "better", "type": "pairwise", "label": "?", "between": ["first", "second"]}
    row = {"id": 1, "data": {"first": "a", "second": "b"}, "completions": [
        {"result": [region("pairwise", {"selected": "right"}, "better")]}
    ]}  # fmt: skip
    assert is_task(row)
    assert read_task(row, [pair]).answers[0].values == {"better": "second"}


def test_other_tables_are_no_tasks() -> None:
    assert not is_task({"data": {"a": 1}, "question": "?"})
    assert not is_task({"data": "text"})
    assert not is_task({"question": "?"})
