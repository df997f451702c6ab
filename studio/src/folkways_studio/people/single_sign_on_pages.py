"""Sign-in through the single sign-on provider."""

from __future__ import annotations

from urllib.parse import quote, unquote

from starlette.responses import RedirectResponse, Response

from folkways_studio.database import audit
from folkways_studio.errors import InviteError, NotAllowedError, NotFoundError
from folkways_studio.people import accounts, invites, participants
from folkways_studio.people.account_pages import begin_session, own_address, sign_in_page
from folkways_studio.people.openid import Identity, OpenIdProvider, PendingSignIn
from folkways_studio.records import Account, Role
from folkways_studio.studies import service as studies
from folkways_studio.web.request_context import ANYBODY, SIGN_ON_COOKIE, RequestContext
from folkways_studio.web.routing import Routes, sentence
from folkways_studio.web.security.origin import tokens_match

routes = Routes()

LONGEST_NEXT = 500
"""Characters of the address to go on to, which is kept in a cookie."""


def _provider(context: RequestContext) -> OpenIdProvider:
    if context.studio.provider is None:
        raise NotFoundError(context.gettext("There is no such page."))
    return context.studio.provider


def _back(context: RequestContext) -> str:
    """The address to which the provider sends people; it must be registered there."""
    return f"{context.origin}/signin/sso/callback"


@routes.get("/signin/sso", ANYBODY, slow=True)
def begin(context: RequestContext) -> Response:
    """Send the browser to the provider. The secrets that prove the reply belongs to this sign-in stay in the
    browser."""
    provider = _provider(context)
    context.studio.rates.take("signin", context.address)
    begun = PendingSignIn.new()
    following = own_address(context.request.query_params.get("next", "/"))
    following = following if len(following) <= LONGEST_NEXT else "/"
    try:
        address = provider.begin(begun, _back(context))
    except NotAllowedError as error:
        return _refused(context, error, following)
    context.cookies[SIGN_ON_COOKIE] = ".".join(
        (begun.state, begun.nonce, begun.verifier, quote(following, safe=""))
    )
    return RedirectResponse(address, status_code=303)


@routes.get("/signin/sso/callback", ANYBODY, slow=True)
def come_back(context: RequestContext) -> Response:
    """Accept the person that the provider sends back: once, in the browser that began the sign-in."""
    provider = _provider(context)
    context.studio.rates.take("signin", context.address)
    answer = context.request.query_params
    parts = context.cookie(SIGN_ON_COOKIE).split(".", 3)
    state, nonce, verifier, following = parts if len(parts) == 4 else ("", "", "", "/")
    following = own_address(unquote(following))
    context.cookies[SIGN_ON_COOKIE] = None
    try:
        if not state or not tokens_match(state, answer.get("state")):
            raise NotAllowedError("this sign-in took too long, or was begun in another window; begin again")
        identity = provider.finish(PendingSignIn(state, nonce, verifier), _back(context), answer)
        account, following = _account(context, identity, provider, following)
    except (NotAllowedError, InviteError) as error:
        audit.record_event_now(context.workspace, "account.sign_in_failed")
        return _refused(context, error, following)
    begin_session(context, account.id)
    return context.go(following)


def _account(
    context: RequestContext, identity: Identity, provider: OpenIdProvider, following: str
) -> tuple[Account, str]:
    """The account of the person, and where they go on. An invitation for staff makes a new account."""
    new = provider.described.new_accounts
    account = accounts.account_of_identity(context.workspace, identity, create=new, locale=context.locale)
    token = following.removeprefix("/join/")
    if (
        account is None
        and token != following
        and invites.find_invite(context.workspace, token).role != Role.ANNOTATOR
    ):
        make = accounts.prepare_account_of_identity(identity, locale=context.locale)
        person = participants.join(context.workspace, token, make_account=make, locale=context.locale)
        account = accounts.get_account(context.workspace, person.account_id)
        following = f"/work/{studies.get_study(context.workspace, person.study_id).name}"
    if account is None:
        raise NotAllowedError(
            "nobody here has the address %(email)s; ask whoever runs the study for an invitation",
            email=identity.email,
        )
    return account, following


def _refused(context: RequestContext, error: NotAllowedError | InviteError, following: str) -> Response:
    """The sign-in page, with what went wrong."""
    return sign_in_page(context, following, sentence(error.words(context.gettext)), error.status)
