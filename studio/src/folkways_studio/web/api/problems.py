"""Errors as ``application/problem+json`` (RFC 9457): what was wrong, where, and what to do."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import WorkspaceError
from folkways_studio.errors import StudioError, SubmissionError, TooManyAttemptsError
from folkways_studio.items.table_files import RowsError
from folkways_studio.media.reading import MediaError
from folkways_studio.web.routing import UNANSWERED, respond_to_nobody, sentence
from folkways_studio.workflows.definition import DefinitionError

MEDIA_TYPE = "application/problem+json"
MOST = 100
LOG = logging.getLogger("folkways_studio")


class ProblemLocation(BaseModel):
    """One thing that was wrong in a request."""

    where: str
    what: str


class Problem(BaseModel):
    """Why a request was refused. problems: each thing that was wrong and where, at most a hundred."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    problems: list[ProblemLocation] = []


def problem(
    status: int,
    detail: str,
    problems: Sequence[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """The response to a refused request. status, headers: of HTTP. detail: what was wrong. problems: where
    and what."""
    places = [ProblemLocation(where=where, what=what) for where, what in problems[:MOST]]
    body = Problem(title=HTTPStatus(status).phrase, status=status, detail=sentence(detail), problems=places)
    more = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else {}
    return JSONResponse(body.model_dump(), status, {**more, **(headers or {})}, MEDIA_TYPE)


def of_folkways(error: FolkwaysError) -> JSONResponse:
    """The response for one of our errors."""
    headers = (
        {"Retry-After": str(max(1, round(error.seconds)))}
        if isinstance(error, TooManyAttemptsError)
        else None
    )
    status = error.status if isinstance(error, StudioError) else 422
    detail, places = str(error), list[tuple[str, str]]()
    if isinstance(error, SubmissionError):
        places = [(str(where), str(what)) for where, what in error.problems.items()]
    elif isinstance(error, RowsError):
        detail = detail.splitlines()[0].rstrip(":")
        places = [(f"row {row}", what) for row, what in error.problems.items()]
    elif isinstance(error, MediaError):
        detail = detail.splitlines()[0].rstrip(":")
        places = [*error.problems.items()]
    elif isinstance(error, DefinitionError):
        detail = detail.splitlines()[0].rstrip(":")
        places = [("definition", what) for what in error.problems]
    return problem(status, detail, places, headers)


def add_handlers(app: FastAPI) -> None:
    """Answer every error of an application with a problem."""

    async def unavailable(request: Request, error: Exception) -> JSONResponse:
        LOG.error(UNANSWERED + ": %s", request.method, request.url.path, error)
        return unexpected_answer(503)

    async def ours(_: Request, error: Exception) -> JSONResponse:
        return of_folkways(error) if isinstance(error, FolkwaysError) else unexpected_answer()

    async def wrong(_: Request, error: Exception) -> JSONResponse:
        errors = error.errors() if isinstance(error, RequestValidationError) else []
        places = [(".".join(map(str, each["loc"])), str(each["msg"])) for each in errors]
        return problem(422, "what was sent cannot be used; each place is named below", places)

    async def unrouted(_: Request, error: Exception) -> JSONResponse:
        status = error.status_code if isinstance(error, HTTPException) else 400
        words = {
            404: "there is no such address; all of them are in openapi.json",
            405: "this address cannot be used in this way",
        }
        return problem(status, words.get(status, "this could not be read as JSON"))

    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        LOG.error(UNANSWERED, request.method, request.url.path, exc_info=error)
        return unexpected_answer()

    app.add_exception_handler(WorkspaceError, unavailable)
    app.add_exception_handler(FolkwaysError, ours)
    app.add_exception_handler(RequestValidationError, wrong)
    app.add_exception_handler(HTTPException, unrouted)
    app.add_exception_handler(ClientDisconnect, respond_to_nobody)
    app.add_exception_handler(Exception, unexpected)


def unexpected_answer(status: int = 500) -> JSONResponse:
    """The response to an unexpected error."""
    return problem(
        status,
        "something went wrong on our side; try again in a moment, and tell the people who run this server",
    )
