"""Errors as problems of HTTP: the status, one sentence, and each thing that was wrong with its place."""

from __future__ import annotations

import json

import pytest

from folkways.errors import FolkwaysError
from folkways_studio.errors import ConflictError, SubmissionError, TooManyAttemptsError
from folkways_studio.items.table_files import RowsError
from folkways_studio.media.reading import MediaError
from folkways_studio.web.api.problems import of_folkways, problem
from folkways_studio.workflows.definition import DefinitionError


@pytest.mark.parametrize(
    ("error", "status", "detail", "places"),
    [
        (FolkwaysError("no such thing"), 422, "No such thing.", []),
        (ConflictError("this is over"), 409, "This is over.", []),
        (
            RowsError({2: "is empty", 7: "has no key"}, "a.csv"),
            422,
            "a.csv: 2 rows cannot be used; nothing was taken over.",
            [("row 2", "is empty"), ("row 7", "has no key")],
        ),
        (
            MediaError({"a.gif": "is too large", "b.gif": "is empty"}),
            422,
            "Nothing was taken over.",
            [("a.gif", "is too large"), ("b.gif", "is empty")],
        ),
        (
            DefinitionError(["stages[0].kind: is missing", "title: is missing"]),
            422,
            "2 things are wrong in the description of the study.",
            [("definition", "stages[0].kind: is missing"), ("definition", "title: is missing")],
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_an_error_is_one_sentence_and_what_was_wrong_in_each_place(
    error: FolkwaysError, status: int, detail: str, places: list[tuple[str, str]]
) -> None:
    response = of_folkways(error)
    body = json.loads(bytes(response.body))
    assert (response.status_code, body["status"], body["detail"]) == (status, status, detail)
    assert [(each["where"], each["what"]) for each in body["problems"]] == places
    assert "retry-after" not in response.headers


def test_fields_that_are_wrong_are_places() -> None:
    body = json.loads(bytes(of_folkways(SubmissionError({"choices": "choose one", "": "say why"})).body))
    assert [(each["where"], each["what"]) for each in body["problems"]] == [
        ("choices", "choose one"),
        ("", "say why"),
    ]


@pytest.mark.parametrize(
    ("seconds", "header", "minutes"), [(0.2, "1", 1), (1.6, "2", 1), (60, "60", 1), (3600, "3600", 60)]
)
def test_who_asks_too_often_is_told_when_to_ask_again(seconds: float, header: str, minutes: int) -> None:
    response = of_folkways(TooManyAttemptsError(seconds))
    assert (response.status_code, response.headers["retry-after"]) == (429, header)
    assert f"wait {minutes} min" in bytes(response.body).decode()


def test_a_hundred_places_are_named() -> None:
    body = json.loads(bytes(problem(422, "wrong", [(str(number), "x") for number in range(101)]).body))
    assert [each["where"] for each in body["problems"]] == [str(number) for number in range(100)]
