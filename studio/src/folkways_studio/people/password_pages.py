"""Choosing a new password by a link, and making such a link for somebody of one's studies."""

from __future__ import annotations

from starlette.responses import Response

from folkways_studio.errors import NotFoundError, SubmissionError
from folkways_studio.people import accounts, password_links
from folkways_studio.people.pages import people_page
from folkways_studio.stages.parts.form_fields import whole
from folkways_studio.web.request_context import ANYBODY, OWNER, SESSION_COOKIE, RequestContext
from folkways_studio.web.routing import Routes

routes = Routes()


@routes.get("/password/{token}", ANYBODY)
def show_form(context: RequestContext) -> Response:
    """The form, for as long as the link works."""
    context.need_passwords()
    account = password_links.account_of_link(context.workspace, context.request.path_params["token"])
    return context.page("people/password.html.j2", login=account.login, problems={})


@routes.post("/password/{token}", ANYBODY)
def choose(context: RequestContext) -> Response:
    """Take the new password; every device has to sign in again."""
    context.need_passwords()
    context.studio.rates.take("signin", context.address)
    token = context.request.path_params["token"]
    try:
        password_links.use_link(context.workspace, token, context.text("password"))
    except SubmissionError:
        account = password_links.account_of_link(context.workspace, token)
        words = context.gettext("At least %(count)s characters are needed.", count=accounts.SHORTEST_PASSWORD)
        return context.page("people/password.html.j2", 422, login=account.login, problems={"password": words})
    context.cookies[SESSION_COOKIE] = None
    return context.go("/signin", "password-changed")


@routes.post("/studies/{study}/password-link", OWNER)
def make(context: RequestContext) -> Response:
    """A link for somebody of this study; it is shown once."""
    context.need_passwords()
    number = whole(context.text("account"))
    if number is None or not accounts.roles_of(context.workspace, context.study.id, number):
        raise NotFoundError(context.gettext("There is no such person."))
    token = password_links.make_link(context.workspace, number, by=context.me.id)
    return people_page(context, password_link=f"{context.origin}/password/{token}")
