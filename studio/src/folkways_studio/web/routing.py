"""Routes with their permissions, and the way from a request to a response."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from anyio import create_task_group, sleep, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route as StarletteRoute

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import WorkspaceError
from folkways_studio.errors import DraftConflictError, Message, StudioError, SubmissionError
from folkways_studio.stages.parts.form_fields import without_nul
from folkways_studio.web.request_context import ANYBODY, Access, Handler, RequestContext, Studio
from folkways_studio.web.security.origin import FIELD, HEADER, from_own_page, tokens_match

MOST_FIELDS = 500
TASK_PAGE = "/work/{study}/tasks/{assignment}"
"""If this page cannot be shown, its task can still be given back."""

OUR_FAULT = Message("Something went wrong on our side. What you wrote is kept; try again in a moment.")
UNANSWERED = "the studio could not answer %s %s"
FILE_NAME = re.compile(r"[^:]{1,255}\.\w{1,8}:")
"""What an error begins with if it is about a file."""
LOG = logging.getLogger("folkways_studio")


@dataclass(frozen=True, slots=True)
class Route:
    """One route. upload: how many files its form may have. slow: whether it may wait for a model, for
    another server, or for a large file to be read. pause: seconds for which a request has to wait first.
    head: whether HEAD is answered too."""

    method: str
    path: str
    access: Access
    handler: Handler
    upload: int = 0
    slow: bool = False
    pause: Callable[[RequestContext], float] | None = None
    head: bool = False


@dataclass
class Routes:
    """The routes of one part of the studio, each with its access."""

    routes: list[Route] = field(default_factory=list)

    def get(self, path: str, access: Access, **options: Any) -> Callable[[Handler], Handler]:
        """A page. options: slow, pause and head of the Route."""
        return self._add("GET", path, access, **options)

    def post(self, path: str, access: Access, **options: Any) -> Callable[[Handler], Handler]:
        """A change. options: upload, slow and pause of the Route."""
        return self._add("POST", path, access, **options)

    def _add(self, method: str, path: str, access: Access, **options: Any) -> Callable[[Handler], Handler]:
        def add(handler: Handler) -> Handler:
            self.routes.append(Route(method, path, access, handler, **options))
            return handler

        return add


def starlette_route(studio: Studio, route: Route) -> StarletteRoute:
    """A route for the web framework: it reads the form, then works in a thread that may wait for the
    database."""

    async def serve(request: Request) -> Response:
        request.scope["route"] = route
        if route.upload:
            refused = await to_thread.run_sync(_refuse_early, RequestContext(studio, request, route.access))
            if refused is not None:
                return refused
        form = FormData()
        if request.method not in ("GET", "HEAD"):
            form = _without_nul(await request.form(max_files=route.upload, max_fields=MOST_FIELDS))
        context = RequestContext(studio, request, route.access, form)
        try:
            if route.pause is not None:
                await sleep(await to_thread.run_sync(_seconds, context, route.pause))
            # Requests that wait for a model have their own threads, so that they block no page or connection.
            if route.slow:
                return await _respond_slowly(context, route.handler)
            return await to_thread.run_sync(_respond_quickly, context, route.handler)
        finally:
            await form.close()

    result = StarletteRoute(route.path, serve, methods=[route.method])
    # HEAD where it is asked for only: it would use up pages that are shown once.
    result.methods = {route.method, "HEAD"} if route.head else {route.method}
    return result


def _refuse_early(context: RequestContext) -> Response | None:
    """The refusal of somebody unknown, before their files are read and take the space of everybody."""
    try:
        refused = _refuse_stranger(context)
    except WorkspaceError:  # which the handler meets as well
        return None
    return context.set_cookies(refused) if refused is not None else None


def _without_nul(form: FormData) -> FormData:
    """A form whose texts and names of files any database can hold."""
    for _, value in form.multi_items():
        if isinstance(value, UploadFile):
            value.filename = without_nul(value.filename or "")
    return FormData(
        [
            (name, without_nul(value) if isinstance(value, str) else value)
            for name, value in form.multi_items()
        ]
    )


def _seconds(context: RequestContext, pause: Callable[[RequestContext], float]) -> float:
    try:
        return pause(context)
    except WorkspaceError:  # which the handler meets as well
        return 0.0


async def _respond_slowly(context: RequestContext, handler: Handler) -> Response:
    """``respond`` for a request that may wait for a model; the context learns when the browser hangs up."""
    async with create_task_group() as group:
        group.start_soon(_watch, context)
        response = await to_thread.run_sync(respond, context, handler, limiter=context.studio.slow)
        group.cancel_scope.cancel()
    return response


async def _watch(context: RequestContext) -> None:
    while (await context.request.receive())["type"] != "http.disconnect":
        pass
    context.gone.set()


def _respond_quickly(context: RequestContext, handler: Handler) -> Response:
    """``respond`` for a request that waits for nothing, with one connection for all its reads."""
    with context.workspace.reading_together():
        return respond(context, handler)


def respond(context: RequestContext, handler: Handler) -> Response:
    """Check where the request came from and who may make it, handle it, and turn errors into messages."""

    def handle(context: RequestContext) -> Response:
        refused = _refuse_stranger(context) or _refuse_forgery(context)
        if refused is None:
            context.allow()
        return refused or handler(context)

    return _explain(context, handle)


def _explain(context: RequestContext, handler: Handler) -> Response:
    """The response of a handler, or the message for its error."""
    try:
        response = handler(context)
    except DraftConflictError as error:  # a script then asks what to do with the draft
        response = JSONResponse(
            {"message": str(error), "revision": error.current.revision}, status_code=error.status
        )
    except WorkspaceError as error:
        LOG.error(UNANSWERED + ": %s", *_route_of(context), error)
        context.forget_database()
        response = _say(context, 503, context.gettext(OUR_FAULT))
    except FolkwaysError as error:
        response = problem(context, error)
    except Exception:
        LOG.exception(UNANSWERED, *_route_of(context))
        response = _say(context, 500, context.gettext(OUR_FAULT))
    return context.set_cookies(response)


def _route_of(context: RequestContext) -> tuple[str, str]:
    """For the log: the route, as an address may be an invitation."""
    route = context.request.scope.get("route")
    return context.request.method, route.path if route is not None else "an unknown address"


async def respond_externally(studio: Studio, request: Request, status: int) -> Response:
    """The page for an address without a route, or a method that its route does not have."""

    def say(context: RequestContext) -> Response:
        unknown, unusable = (
            context.gettext("There is no such page."),
            context.gettext("This page cannot be used in this way."),
        )
        words = unknown if status == 404 else unusable
        return _say(context, status, words)

    return await run_in_threadpool(_explain, RequestContext(studio, request, ANYBODY), say)


async def respond_to_nobody(request: Request, error: Exception) -> Response:
    """The response if the browser hung up (error) before all of its request arrived."""
    return Response(status_code=400)


def _refuse_forgery(context: RequestContext) -> Response | None:
    if not context.is_change:
        return None
    token = context.text(FIELD) or context.request.headers.get(HEADER)
    if from_own_page(context.request, context.studio.settings.origin) and tokens_match(
        context.form_token, token
    ):
        return None
    if context.is_elsewhere:  # where no form can be sent, however often the page is loaded
        message = context.gettext(
            "The studio is at %(address)s. Open it there: nothing was changed.", address=context.origin
        )
    else:
        message = context.gettext(
            "This page is out of date. Go back, load it again, and send once more: nothing was changed."
        )
    return _say(context, 403, message)


def _refuse_stranger(context: RequestContext) -> Response | None:
    if not context.access.signed_in or context.account is not None:
        return None
    if context.is_change or context.wants_json:
        message = context.gettext(
            "You have been signed out. If you have a password, sign in again; if you came by an invitation, "
            "open its link again."
        )
        return _say(context, 401, message)
    return context.go(f"/signin?next={quote(context.here)}")


def problem(context: RequestContext, error: FolkwaysError) -> Response:
    """An error as a page or, for a script, as JSON."""
    status = error.status if isinstance(error, StudioError) else 400
    named = error.problems_in(context.gettext) if isinstance(error, SubmissionError) else {}
    problems = {name: sentence(words) for name, words in named.items()}
    words = error.words(context.gettext) if isinstance(error, StudioError) else str(error)
    return _say(context, status, sentence(words), problems)


def sentence(words: str) -> str:
    """An error's message as a sentence: with a capital letter, unless a file's name begins it, and a full
    stop."""
    first = words[:1] if FILE_NAME.match(words) else words[:1].upper()
    return first + words[1:] + ("" if words.endswith((".", "!", "?", "؟")) else ".")


def attachment(content: bytes | str, name: str, media_type: str) -> Response:
    """A file for the browser to save."""
    return Response(
        content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


def _say(
    context: RequestContext, status: int, message: str, problems: Mapping[str, str] | None = None
) -> Response:
    if context.wants_json:
        return JSONResponse(
            {"message": message, "problems": problems} if problems else {"message": message},
            status_code=status,
        )
    route = getattr(context.request.scope.get("route"), "path", "")
    held = context.path if route == TASK_PAGE and status not in (401, 403, 404, 429) else ""
    return context.page("problem.html.j2", status, message=message, problems=problems, code=status, held=held)
