"""The caller of the API: the token of a request, its account, and its rights in the study of the address.

The token is looked at before the body is read (``TokenRoute``), so that nobody unknown may send a large one,
and JSON is parsed in a thread.

The type of a route's first argument says who may use it: ``AccountCall``, ``StaffCall``, ``AdjudicatorCall``,
``OwnerCall``. Cookies are ignored, so that pages of other sites cannot act for somebody who is signed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Path
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from folkways.sdk.workspace import Workspace
from folkways_studio.errors import NotAllowedError, NotFoundError, TokenError
from folkways_studio.people import accounts
from folkways_studio.programs import tokens
from folkways_studio.programs.records import ApiToken, Scope
from folkways_studio.records import Account, Role, Study
from folkways_studio.studies import service as studies
from folkways_studio.web.api.bodies import read_json
from folkways_studio.web.request_context import ADJUDICATORS, OWNER, STAFF, Access, Studio
from folkways_studio.web.security.origin import local_address
from folkways_studio.web.security.rates import limited_address

BEARER = HTTPBearer(
    auto_error=False,
    description="A token of a study, which its owner makes on the page API or with a command.",
)
JSON = re.compile(r"\s*application/([^;]*\+)?json\s*(;|$)", re.IGNORECASE)
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")

StudyName = Annotated[str, Path(description="The study's short name.", max_length=64, pattern="^[a-z0-9-]+$")]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]


@dataclass(frozen=True)
class Call:
    """A request with a valid token."""

    studio: Studio
    request: Request
    token: ApiToken
    account: Account

    @property
    def workspace(self) -> Workspace:
        return self.studio.workspace

    @property
    def origin(self) -> str:
        """The address under which people find this server."""
        return self.studio.settings.origin or local_address(self.request)


@dataclass(frozen=True)
class StudyCall(Call):
    """A request about a study, by an account with a role that the route needs. roles: all that it has
    there."""

    study: Study
    roles: frozenset[Role]


class JsonRequest(Request):
    """A request with its parsed JSON."""

    parsed: Any

    async def json(self) -> Any:
        """What was parsed."""
        return self.parsed


class TokenRoute(APIRoute):
    """A route for requests with a valid token."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of a request, once its token is known to be good."""
        handle = super().get_route_handler()

        async def handle_known(request: Request) -> Response:
            request.state.call = await run_in_threadpool(_call, request, await BEARER(request))
            if JSON.match(request.headers.get("content-type", "")):
                request = JsonRequest(request.scope, request.receive)
                if content := await request.body():
                    request.parsed = await run_in_threadpool(read_json, content)
            return await handle(request)

        return handle_known


def _call(request: Request, given: HTTPAuthorizationCredentials | None) -> Call:
    """The request with its token. TokenError without a valid one; NotAllowedError if a read token is used to
    write."""
    studio: Studio = request.app.state.studio
    try:
        if given is None:
            raise TokenError("this needs a token: send the header Authorization: Bearer TOKEN")
        token = tokens.find_token(studio.workspace, given.credentials)
    except TokenError:
        studio.rates.take("api", limited_address(request))
        raise
    studio.rates.take("api", f"token {token.id}")
    if request.method in UNSAFE and token.scope != Scope.WRITE:
        raise NotAllowedError("this token can only read; make one with the scope write")
    return Call(studio, request, token, accounts.get_account(studio.workspace, token.account_id))


async def call(request: Request, _: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)]) -> Call:
    """The request with its token, which its route has looked at."""
    made: Call = request.state.call
    return made


def whole_account_call(made: Annotated[Call, Depends(call)]) -> Call:
    """A request with a token for all studies of its account; NotAllowedError for one of a single study."""
    if made.token.study_id is not None:
        raise NotAllowedError(
            "this needs a token for all studies of an account (folkways studio token); this one is "
            "for one study"
        )
    return made


def study_call(access: Access) -> Callable[..., StudyCall]:
    """A dependency that admits accounts with these roles. A study that the token is not for looks like one
    that does not exist."""

    def find(study: StudyName, made: Annotated[Call, Depends(call)]) -> StudyCall:
        try:
            study_record = studies.get_study(made.workspace, study)
        except NotFoundError:
            raise NotFoundError("there is no such study") from None
        if made.token.study_id not in (None, study_record.id):
            raise NotFoundError("there is no such study")
        roles = accounts.require(
            made.workspace, study_record.id, made.account.id, *sorted(access.roles or ())
        )
        return StudyCall(made.studio, made.request, made.token, made.account, study_record, roles)

    return find


AccountCall = Annotated[Call, Depends(call)]
WholeAccountCall = Annotated[Call, Depends(whole_account_call)]
StaffCall = Annotated[StudyCall, Depends(study_call(STAFF))]
AdjudicatorCall = Annotated[StudyCall, Depends(study_call(ADJUDICATORS))]
OwnerCall = Annotated[StudyCall, Depends(study_call(OWNER))]
