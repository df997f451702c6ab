"""From the fields of a page to a submission: never an exception, and a draft that is shown and read again is
the same draft."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from starlette.datastructures import FormData

from folkways_studio.errors import SubmissionError
from folkways_studio.stages.parts.form_fields import spans
from folkways_studio.stages.registry import STAGE_KINDS, stage_kind
from folkways_studio.web.rendering.pages import environment
from folkways_studio.workflows.definition import read_definition
from studio.tests.support.studies import described
from studio.tests.web.test_accessible import CONTENTS


@cache
def config_of(kind: str) -> Mapping[str, Any]:
    return read_definition(described([{"name": "stage", "kind": kind}])).stages[0].config


@cache
def content_of(kind: str) -> Mapping[str, Any]:
    if kind == "adjudicate":
        return {"kind": "vote", "rules": config_of("vote"), "content": content_of("vote"), "candidates": []}
    return stage_kind(kind).check_content(CONTENTS[kind], config_of(kind)) if kind in CONTENTS else {}


def fields(*pairs: tuple[str, str]) -> FormData:
    return FormData(list(pairs))


def test_every_kind_of_stage_has_a_form_and_help() -> None:
    for kind in STAGE_KINDS.values():
        assert environment("en").get_template(kind.form_template)
        assert environment("en").get_template(kind.help_template)


NAMES = [
    *(
        "choices",
        "abstain",
        "answers",
        "no_answer",
        "other",
        "place-0",
        "place-1",
        "en-0",
        "en-1",
        "decision",
        "reason",
        "question",
    ),
    *(
        "options",
        "template",
        "of",
        "local",
        "english",
        "best",
        "rate-a-accuracy",
        "spans",
        "category",
        "level",
        "element",
        "why",
    ),
    *(
        "strategy-0",
        "intra",
        "intra_spans",
        "inter",
        "inter_spans",
        "verdict",
        "flags",
        "comment",
        "scenario",
        "intended",
    ),
]
VALUES = st.one_of(
    st.sampled_from(
        ["0", "1", "7", "own", "invalid", "keep", "a", "3:9", "9:3", "1:2,2:3", "99999999", "-1", "²", ""]
    ),
    st.text(),
)


@given(pairs=st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=12))
def test_whatever_a_browser_sends_is_read_by_every_kind_and_what_is_missing_is_said(
    pairs: list[tuple[str, str]],
) -> None:
    for kind, form in STAGE_KINDS.items():
        note(kind)
        content, config = content_of(kind), config_of(kind)
        submission = form.read_form(FormData(pairs), content, config)
        try:
            form.validate(submission, content, config)
        except SubmissionError as error:
            assert error.problems and all(error.problems.values())
        form.form_values(content, config, submission)


@pytest.mark.parametrize("kind", [kind for kind in STAGE_KINDS if kind != "localise"])
def test_an_empty_form_is_not_sent(kind: str) -> None:
    form, content, config = STAGE_KINDS[kind], content_of(kind), config_of(kind)
    submission = form.read_form(FormData([]), content, config)
    with pytest.raises(SubmissionError):
        form.validate(submission, content, config)


GROUPED = {
    "local": "?",
    "english": "?",
    "answers": {"a": ["rice"], "b": ["Rice", "rice"], "c": ["tea"], "d": ["?!"], "e": ["rice"]},
}


def test_answers_that_say_the_same_follow_one_leader() -> None:
    form = stage_kind("group_answers")
    rows = form.form_values(GROUPED, {}, {})["rows"]
    assert [(row["text"], row["count"]) for row in rows] == [("rice", 3), ("Rice", 1), ("tea", 1), ("?!", 1)]
    read = form.read_form(
        fields(
            ("place-0", "own"),
            ("en-0", "rice; cooked rice "),
            ("place-1", "0"),
            ("en-2", "tea"),
            ("place-3", "invalid"),
        ),
        GROUPED,
        {},
    )
    assert read == {
        "groups": [
            {"answers": ["rice", "Rice"], "en_answers": ["rice", "cooked rice"]},
            {"answers": ["tea"], "en_answers": ["tea"]},
        ],
        "invalid": ["?!"],
    }


def test_a_chain_ends_at_its_leader_and_a_circle_at_its_first() -> None:
    form = stage_kind("group_answers")
    chain = form.read_form(fields(("place-1", "0"), ("place-2", "1"), ("place-3", "2")), GROUPED, {})
    assert chain["groups"][0]["answers"] == ["rice", "Rice", "tea", "?!"]
    circle = form.read_form(fields(("place-0", "2"), ("place-2", "0")), GROUPED, {})
    assert circle["groups"][0]["answers"] == ["rice", "tea"]
    dropped = form.read_form(fields(("place-0", "invalid"), ("place-1", "0")), GROUPED, {})
    assert dropped["invalid"] == ["rice", "Rice"]


@given(st.lists(st.sampled_from(["own", "invalid", "0", "1", "2", "3"]), min_size=4, max_size=4))
def test_every_answer_is_in_one_group_or_invalid_and_a_draft_is_shown_as_it_was_read(
    places: list[str],
) -> None:
    form = stage_kind("group_answers")
    sent = [
        *((f"place-{number}", place) for number, place in enumerate(places)),
        *((f"en-{number}", f"e{number}") for number in range(4)),
    ]
    draft = form.read_form(FormData(sent), GROUPED, {})
    placed = [answer for group in draft["groups"] for answer in group["answers"]] + draft["invalid"]
    assert sorted(placed) == sorted(["rice", "Rice", "tea", "?!"])
    rows = form.form_values(GROUPED, {}, draft)["rows"]
    again = [
        *((f"place-{number}", row["place"]) for number, row in enumerate(rows)),
        *((f"en-{number}", row["english"]) for number, row in enumerate(rows)),
    ]
    assert form.read_form(FormData(again), GROUPED, {}) == draft


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("3:13", [[3, 13]]),
        ("3:13,20:25", [[3, 13], [20, 25]]),
        ("", []),
        ("x:1,2,:,3:", []),
        ("-1:4", []),
        ("²:3", []),
    ],
)
def test_marks_are_pairs_of_whole_numbers(sent: str, read: list[list[int]]) -> None:
    assert spans(fields(("spans", sent)), "spans") == read
