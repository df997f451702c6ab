"""Who calls: the token of a request, the account behind it, and what that may do in the study of the address.

A route says who may use it by the type of its first argument: ``AccountCall``, ``StaffCall``,
``AdjudicatorCall``, ``OwnerCall``. Cookies are not looked at, so that no page of another site can act for
somebody who is signed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import Request

from folkways.sdk.workspace import Workspace
from folkways_studio.errors import NotAllowedError, NotFoundError, TokenError
from folkways_studio.people import accounts
from folkways_studio.programs import tokens
from folkways_studio.programs.records import ApiToken, Scope
from folkways_studio.records import Account, Role, Study
from folkways_studio.studies import service as studies
from folkways_studio.web.request_context import ADJUDICATORS, OWNER, STAFF, Access, Studio
from folkways_studio.web.security.origin import local_address

BEARER = HTTPBearer(
    auto_error=False,
    description="A token of a study, which its owner makes on the page API or with a command.",
)
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")

StudyName = Annotated[str, Path(description="The study's short name.", max_length=64, pattern="^[a-z0-9-]+$")]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]


@dataclass(frozen=True)
class Call:
    """A request with a token that is good."""

    studio: Studio
    request: Request
    token: ApiToken
    account: Account

    @property
    def workspace(self) -> Workspace:
        """The database."""
        return self.studio.workspace

    @property
    def origin(self) -> str:
        """The address under which people find this server."""
        return (self.studio.settings.origin or local_address(self.request)).rstrip("/")


@dataclass(frozen=True)
class StudyCall(Call):
    """A request about a study, by an account that has one of the roles that the route needs. roles: all that
    it has there."""

    study: Study
    roles: frozenset[Role]


def call(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)]) -> Call:
    """The request with its token. TokenError without one that is good; NotAllowedError where a token to read
    is to write."""
    studio: Studio = request.app.state.studio
    try:
        if given is None:
            raise TokenError("this needs a token: send the header Authorization: Bearer TOKEN")
        token = tokens.find_token(studio.workspace, given.credentials)
    except TokenError:
        studio.rates.take("api", request.client.host if request.client else "")
        raise
    studio.rates.take("api", f"token {token.id}")
    if request.method in UNSAFE and token.scope != Scope.WRITE:
        raise NotAllowedError("this token can only read; make one with the scope write")
    return Call(studio, request, token, accounts.get_account(studio.workspace, token.account_id))


def whole_account_call(made: Annotated[Call, Depends(call)]) -> Call:
    """A request with a token for every study of its account."""
    if made.token.study_id is not None:
        raise NotAllowedError(
            "this token is for one study; this needs one for every study of an account (folkways studio "
            "token)"
        )
    return made


def study_call(access: Access) -> Callable[..., StudyCall]:
    """A dependency that lets accounts with these roles in. A study that the token is not for is not told from
    one that is not."""

    def find(study: StudyName, made: Annotated[Call, Depends(call)]) -> StudyCall:
        try:
            found = studies.get_study(made.workspace, study)
        except NotFoundError:
            raise NotFoundError("there is no such study") from None
        if made.token.study_id not in (None, found.id):
            raise NotFoundError("there is no such study")
        roles = accounts.require(made.workspace, found.id, made.account.id, *sorted(access.roles or ()))
        return StudyCall(made.studio, made.request, made.token, made.account, found, roles)

    return find


AccountCall = Annotated[Call, Depends(call)]
WholeAccountCall = Annotated[Call, Depends(whole_account_call)]
StaffCall = Annotated[StudyCall, Depends(study_call(STAFF))]
AdjudicatorCall = Annotated[StudyCall, Depends(study_call(ADJUDICATORS))]
OwnerCall = Annotated[StudyCall, Depends(study_call(OWNER))]
