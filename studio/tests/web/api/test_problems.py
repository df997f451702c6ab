"""What the API answers for each kind of error: its status, one sentence, and each place with what is wrong there."""

from __future__ import annotations

import json

import pytest

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import WorkspaceError
from folkways_studio.errors import (
    ConflictError,
    NotAllowedError,
    NotFoundError,
    SubmissionError,
    TokenError,
    TooManyAttemptsError,
)
from folkways_studio.items.table_files import RowsError
from folkways_studio.media.reading import MediaError
from folkways_studio.web.api.problems import MOST, of_folkways
from folkways_studio.workflows.definition import DefinitionError

CASES: list[tuple[FolkwaysError, int, str, list[tuple[str, str]]]] = [
    (FolkwaysError("there is nothing"), 422, "There is nothing.", []),
    (WorkspaceError("the workspace is busy; try again"), 503, "The workspace is busy; try again.", []),
    (ConflictError("is it open?"), 409, "Is it open?", []),
    (NotFoundError("no such item"), 404, "No such item.", []),
    (NotAllowedError("only owner"), 403, "Only owner.", []),
    (TokenError("no token"), 401, "No token.", []),
    (
        SubmissionError({"answers": "is empty", "": "say why"}),
        422,
        "Answers: is empty; say why.",
        [("answers", "is empty"), ("", "say why")],
    ),
    (
        RowsError({2: "has no text", 10: "is too long"}),
        422,
        "2 rows cannot be used; nothing was taken over.",
        [("row 2", "has no text"), ("row 10", "is too long")],
    ),
    (
        MediaError({"a.svg": "is no picture", "b.png": "is too large"}),
        422,
        "Nothing was taken over.",
        [("a.svg", "is no picture"), ("b.png", "is too large")],
    ),
    (
        DefinitionError(["name: is missing", "stages: is empty"]),
        422,
        "2 things are wrong in the description of the study.",
        [("definition", "name: is missing"), ("definition", "stages: is empty")],
    ),
]


@pytest.mark.parametrize(
    ("error", "status", "detail", "places"), CASES, ids=[type(case[0]).__name__ for case in CASES]
)
def test_an_error_is_answered_with_one_sentence_and_its_places(
    error: FolkwaysError, status: int, detail: str, places: list[tuple[str, str]]
) -> None:
    reply = of_folkways(error)
    body = json.loads(bytes(reply.body))
    assert (reply.status_code, reply.media_type, body["type"], body["status"], body["detail"]) == (
        status, "application/problem+json", "about:blank", status, detail,
    )  # fmt: skip
    assert [(each["where"], each["what"]) for each in body["problems"]] == places
    assert reply.headers.get("WWW-Authenticate") == ("Bearer" if status == 401 else None)
    assert "Retry-After" not in reply.headers


@pytest.mark.parametrize(
    ("seconds", "waited", "minutes"), [(0.2, "1", 1), (89.4, "89", 1), (100.6, "101", 2)]
)
def test_whoever_tries_too_often_is_told_when_to_try_again(seconds: float, waited: str, minutes: int) -> None:
    reply = of_folkways(TooManyAttemptsError(seconds))
    assert (reply.status_code, reply.headers["Retry-After"]) == (429, waited)
    assert f"wait {minutes} min" in json.loads(bytes(reply.body))["detail"]


def test_a_hundred_places_are_named() -> None:
    body = json.loads(bytes(of_folkways(RowsError(dict.fromkeys(range(1, 102), "is empty"))).body))
    assert MOST == 100
    assert [each["where"] for each in body["problems"]] == [f"row {row}" for row in range(1, 101)]
    assert body["detail"] == "101 rows cannot be used; nothing was taken over."
