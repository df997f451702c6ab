"""Sign-in, sign-out, passwords, the account page and the language of the interface."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from folkways_studio.errors import SubmissionError, TooManyAttemptsError
from folkways_studio.people import accounts, password_links, sessions
from folkways_studio.web.rendering.i18n import LOCALES, checked, coverage
from folkways_studio.web.request_context import (
    ANYBODY,
    LOCALE_COOKIE,
    SESSION_COOKIE,
    SIGNED_IN,
    VISITOR_COOKIE,
    RequestContext,
)
from folkways_studio.web.routing import Routes

routes = Routes()


def own_address(text: str) -> str:
    """The address to go on to if it is a page of this server; otherwise the start page."""
    is_local = text.startswith("/") and not text.startswith("//") and "\\" not in text and text.isprintable()
    return text if is_local else "/"


def begin_session(context: RequestContext, account_id: int) -> None:
    """Sign this browser in. Its previous session is revoked, so that no earlier token stays valid."""
    if context.token:
        sessions.revoke(context.workspace, context.token)
    context.cookies[SESSION_COOKIE] = sessions.open_session(context.workspace, account_id)
    context.cookies[VISITOR_COOKIE] = None


@routes.get("/", ANYBODY)
def start(context: RequestContext) -> Response:
    """Redirect to the page where this person works."""
    if context.account is None:
        return context.go("/signin")
    return context.go("/studies" if context.is_staff else "/work")


@routes.get("/healthz", ANYBODY, head=True)
def health(context: RequestContext) -> Response:
    """Check that the database can be read and written, for monitoring."""
    accounts.any_login(context.workspace)
    context.studio.writing.check()
    return JSONResponse({"ok": True})


@routes.get("/signin", ANYBODY)
def show_sign_in(context: RequestContext) -> Response:
    """Show the sign-in form."""
    return sign_in_page(context, own_address(context.request.query_params.get("next", "/")))


def sign_in_page(context: RequestContext, following: str, problem: str = "", status: int = 200) -> Response:
    """The sign-in form in this context. following: where to go next. problem: what went wrong. status: of
    HTTP."""
    return context.page(
        "people/signin.html.j2", status, login=context.text("login"), problem=problem, next=following,
        is_empty=not accounts.any_login(context.workspace),
    )  # fmt: skip


@routes.post(
    "/signin", ANYBODY, pause=lambda context: accounts.sign_in_pause(context.workspace, context.text("login"))
)
def sign_in(context: RequestContext) -> Response:
    """Check the password. The answer does not say whether the name or the password was wrong."""
    context.need_passwords()
    context.studio.rates.take("signin", context.address)
    following = own_address(context.text("next", "/"))
    try:
        account = accounts.verify_password(
            context.workspace, context.text("login"), context.text("password"), key=context.address
        )
    except TooManyAttemptsError as error:
        minutes = max(1, round(error.seconds / 60))
        message = context.ngettext(
            "Too many attempts have failed. Try again in %(num)s minute.",
            "Too many attempts have failed. Try again in %(num)s minutes.", minutes,
        )  # fmt: skip
        return sign_in_page(context, following, message, 429)
    if account is None:
        return sign_in_page(
            context, following, context.gettext("Name and password do not fit together."), 403
        )
    begin_session(context, account.id)
    return context.go(following)


@routes.post("/signout", SIGNED_IN)
def sign_out(context: RequestContext) -> Response:
    """End this browser's session."""
    sessions.revoke(context.workspace, context.token)
    context.cookies[SESSION_COOKIE] = None
    return context.go("/signin", "signed-out")


@routes.get("/account", SIGNED_IN)
def show_account(context: RequestContext) -> Response:
    """Show the account page."""
    has_password = context.studio.settings.passwords and accounts.has_password(
        context.workspace, context.me.id
    )
    return context.page("people/account.html.j2", problems={}, has_password=has_password)


@routes.post("/account/password", SIGNED_IN)
def change_password(context: RequestContext) -> Response:
    """Set a new password; every device has to sign in again."""
    context.need_passwords()
    context.studio.rates.take("signin", context.address)
    login = context.me.login or ""
    if (
        accounts.verify_password(context.workspace, login, context.text("current"), key=context.address)
        is None
    ):
        problems = {"current": context.gettext("This is not your present password.")}
        return context.page("people/account.html.j2", 403, problems=problems, has_password=True)
    try:
        accounts.set_password(context.workspace, context.me.id, context.text("password"))
    except SubmissionError as error:
        problems = error.problems_in(context.gettext)
        return context.page("people/account.html.j2", 422, problems=problems, has_password=True)
    context.cookies[SESSION_COOKIE] = None
    return context.go("/signin", "password-changed")


@routes.post("/account/signout-everywhere", SIGNED_IN)
def sign_out_everywhere(context: RequestContext) -> Response:
    """End all other sessions of the account."""
    sessions.revoke_all(context.workspace, context.me.id)
    context.cookies[SESSION_COOKIE] = sessions.open_session(context.workspace, context.me.id)
    return context.go("/account", "signed-out-everywhere")


@routes.get("/languages", ANYBODY)
def show_languages(context: RequestContext) -> Response:
    """List the languages of the interface and how complete each translation is."""
    return context.page("people/languages.html.j2", coverage=coverage(), checked=checked())


@routes.post("/language", ANYBODY)
def choose_language(context: RequestContext) -> Response:
    """Remember the language of the interface for this browser and for the account."""
    locale = context.text("locale")
    if locale in LOCALES:
        context.cookies[LOCALE_COOKIE] = locale
        if context.account is not None:
            accounts.set_locale(context.workspace, context.account.id, locale)
    return context.go(own_address(context.text("next", "/")))


@routes.get("/password/{token}", ANYBODY)
def show_new_password(context: RequestContext) -> Response:
    """Show the form for a new password while the link works."""
    context.need_passwords()
    account = password_links.account_of_link(context.workspace, context.request.path_params["token"])
    return context.page("people/password.html.j2", login=account.login, problems={})


@routes.post("/password/{token}", ANYBODY)
def choose_new_password(context: RequestContext) -> Response:
    """Set the new password; every device has to sign in again."""
    context.need_passwords()
    context.studio.rates.take("signin", context.address)
    token = context.request.path_params["token"]
    try:
        password_links.use_link(context.workspace, token, context.text("password"))
    except SubmissionError as error:
        account = password_links.account_of_link(context.workspace, token)
        problems = error.problems_in(context.gettext)
        return context.page("people/password.html.j2", 422, login=account.login, problems=problems)
    context.cookies[SESSION_COOKIE] = None
    return context.go("/signin", "password-changed")
