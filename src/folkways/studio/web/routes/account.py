"""Signing in and out, the account's own page, the language of the interface."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from folkways.studio.errors import TooManyAttemptsError
from folkways.studio.services import accounts, sessions
from folkways.studio.web.i18n import LOCALES
from folkways.studio.web.routing import Routes
from folkways.studio.web.visits import ANYBODY, LOCALE_COOKIE, SESSION_COOKIE, SIGNED_IN, VISITOR_COOKIE, Visit

routes = Routes()


def own_address(text: str) -> str:
    """Where to go next, if it is a page of this server; the start page otherwise."""
    fine = text.startswith("/") and not text.startswith("//") and "\\" not in text and text.isprintable()
    return text if fine else "/"


def begin_session(visit: Visit, account_id: int) -> None:
    """Sign this browser in, out of whatever it was before: no token from before signing in is worth anything after."""
    if visit.token:
        sessions.revoke(visit.workspace, visit.token)
    visit.cookies[SESSION_COOKIE] = sessions.open_session(visit.workspace, account_id)
    visit.cookies[VISITOR_COOKIE] = None


@routes.get("/", ANYBODY)
def start(visit: Visit) -> Response:
    """On to where this person works."""
    if visit.account is None:
        return visit.go("/signin")
    return visit.go("/studies" if visit.is_staff else "/work")


@routes.get("/healthz", ANYBODY)
def health(visit: Visit) -> Response:
    """Whether the database can be read, for whoever watches the server."""
    with visit.workspace.read() as connection:
        connection.exec_driver_sql("SELECT 1")
    return JSONResponse({"ok": True})


@routes.get("/signin", ANYBODY)
def show_sign_in(visit: Visit) -> Response:
    """The form."""
    return visit.page("account/signin.html.j2", login="", problem="", next=own_address(visit.request.query_params.get("next", "/")))


@routes.post("/signin", ANYBODY, pause=lambda visit: accounts.sign_in_pause(visit.workspace, visit.text("login")))
def sign_in(visit: Visit) -> Response:
    """Check the password; what is wrong is not told apart."""
    visit.studio.rates.take("signin", visit.address)
    following = own_address(visit.text("next", "/"))
    try:
        account = accounts.verify_password(visit.workspace, visit.text("login"), visit.text("password"), key=visit.address)
    except TooManyAttemptsError as error:
        minutes = max(1, round(error.seconds / 60))
        words = visit.gettext("Too many attempts have failed. Try again in %(minutes)s minutes.", minutes=minutes)
        return visit.page("account/signin.html.j2", 429, login=visit.text("login"), problem=words, next=following)
    if account is None:
        words = visit.gettext("Name and password do not fit together.")
        return visit.page("account/signin.html.j2", 403, login=visit.text("login"), problem=words, next=following)
    begin_session(visit, account.id)
    return visit.go(following)


@routes.post("/signout", SIGNED_IN)
def sign_out(visit: Visit) -> Response:
    """End this browser's session."""
    sessions.revoke(visit.workspace, visit.token)
    visit.cookies[SESSION_COOKIE] = None
    return visit.go("/signin", "signed-out")


@routes.get("/account", SIGNED_IN)
def show_account(visit: Visit) -> Response:
    """The account's own page."""
    return visit.page("account/account.html.j2", problems={})


@routes.post("/account/password", SIGNED_IN)
def change_password(visit: Visit) -> Response:
    """Give the account a new password; every device has to sign in again."""
    visit.studio.rates.take("signin", visit.address)
    login = visit.me.login or ""
    if accounts.verify_password(visit.workspace, login, visit.text("current"), key=visit.address) is None:
        return visit.page("account/account.html.j2", 403, problems={"current": visit.gettext("This is not your present password.")})
    if len(visit.text("password")) < accounts.SHORTEST_PASSWORD:
        words = visit.gettext("At least %(count)s characters are needed.", count=accounts.SHORTEST_PASSWORD)
        return visit.page("account/account.html.j2", 422, problems={"password": words})
    accounts.set_password(visit.workspace, visit.me.id, visit.text("password"))
    visit.cookies[SESSION_COOKIE] = None
    return visit.go("/signin", "password-changed")


@routes.post("/account/signout-everywhere", SIGNED_IN)
def sign_out_everywhere(visit: Visit) -> Response:
    """End all other sessions of the account; this browser stays."""
    sessions.revoke_all(visit.workspace, visit.me.id)
    visit.cookies[SESSION_COOKIE] = sessions.open_session(visit.workspace, visit.me.id)
    return visit.go("/account", "signed-out-everywhere")


@routes.post("/language", ANYBODY)
def choose_language(visit: Visit) -> Response:
    """Remember the language of the interface, for this browser and for the account."""
    locale = visit.text("locale")
    if locale in LOCALES:
        visit.cookies[LOCALE_COOKIE] = locale
        if visit.account is not None:
            accounts.set_locale(visit.workspace, visit.account.id, locale)
    return visit.go(own_address(visit.text("next", "/")))
