"""Routes with their permission beside them, and the one way from a request to a response."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from anyio import create_task_group, sleep, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from folkways.errors import FolkwaysError
from folkways.studio.errors import StudioError, SubmissionError
from folkways.studio.web.security.origin import FIELD, HEADER, from_own_page, tokens_match
from folkways.studio.web.visits import ANYBODY, Access, Handler, Studio, Visit

MOST_FIELDS = 500
LOG = logging.getLogger("folkways.studio")


@dataclass(frozen=True, slots=True)
class Route:
    """One thing that can be asked of the studio. upload: its form may carry a file. slow: it may wait for a model. pause: seconds
    for which a request is to wait before it is looked at.
    """

    method: str
    path: str
    access: Access
    handler: Handler
    upload: bool = False
    slow: bool = False
    pause: Callable[[Visit], float] | None = None


@dataclass
class Routes:
    """The routes of one part of the studio; none can be declared without saying who may use it."""

    routes: list[Route] = field(default_factory=list)

    def get(self, path: str, access: Access) -> Callable[[Handler], Handler]:
        """A page."""
        return self._add("GET", path, access)

    def post(self, path: str, access: Access, **options: Any) -> Callable[[Handler], Handler]:
        """Something that changes something. options: upload, slow and pause of the Route."""
        return self._add("POST", path, access, **options)

    def _add(self, method: str, path: str, access: Access, **options: Any) -> Callable[[Handler], Handler]:
        def add(handler: Handler) -> Handler:
            self.routes.append(Route(method, path, access, handler, **options))
            return handler

        return add


def endpoint(studio: Studio, route: Route) -> Callable[[Request], Awaitable[Response]]:
    """What the web framework calls: reads the form, then works in a thread, where the database may be waited for."""

    async def serve(request: Request) -> Response:
        form = FormData()
        if request.method not in ("GET", "HEAD"):
            try:
                form = await request.form(max_files=1 if route.upload else 0, max_fields=MOST_FIELDS)
            except MultiPartException as error:
                return JSONResponse({"message": str(error)}, status_code=400)
        visit = Visit(studio, request, route.access, form)
        try:
            if route.pause is not None:
                await sleep(await to_thread.run_sync(route.pause, visit))
            # Whoever waits for a model waits in a line of their own, and keeps nobody else from a page or a connection.
            if route.slow:
                return await _respond_slowly(visit, route.handler)
            return await to_thread.run_sync(_respond_quickly, visit, route.handler)
        finally:
            await form.close()

    return serve


async def _respond_slowly(visit: Visit, handler: Handler) -> Response:
    """``respond`` for a request that may wait for a model, which is told when the browser has hung up."""
    async with create_task_group() as group:
        group.start_soon(_watch, visit)
        response = await to_thread.run_sync(respond, visit, handler, limiter=visit.studio.slow)
        group.cancel_scope.cancel()
    return response


async def _watch(visit: Visit) -> None:
    while (await visit.request.receive())["type"] != "http.disconnect":
        pass
    visit.gone.set()


def _respond_quickly(visit: Visit, handler: Handler) -> Response:
    """``respond`` for a request that waits for nothing: all that it reads, it reads on one connection."""
    with visit.workspace.reading_together():
        return respond(visit, handler)


def respond(visit: Visit, handler: Handler) -> Response:
    """Check where the request came from and who may make it, handle it, and turn what goes wrong into words."""
    try:
        refused = _refuse_stranger(visit) or _refuse_forgery(visit)
        if refused is None:
            visit.allow()
        response = refused or handler(visit)
    except FolkwaysError as error:
        response = problem(visit, error)
    except Exception:
        LOG.exception("the studio could not answer %s %s", visit.request.method, visit.request.scope["route"].path)
        message = visit.gettext("Something went wrong on our side. What you wrote is kept; try again in a moment.")
        response = _say(visit, 500, message, {})
    return visit.set_cookies(response)


async def respond_elsewhere(studio: Studio, request: Request, status: int) -> Response:
    """The page for an address that is none of the routes, or a method that its route does not have."""
    visit = Visit(studio, request, ANYBODY)

    def say() -> Response:
        words = visit.gettext("There is no such page.") if status == 404 else visit.gettext("This page cannot be used in this way.")
        return visit.set_cookies(_say(visit, status, words, {}))

    return await run_in_threadpool(say)


def _refuse_forgery(visit: Visit) -> Response | None:
    if not visit.is_change:
        return None
    given = visit.text(FIELD) or visit.request.headers.get(HEADER)
    if from_own_page(visit.request, visit.studio.settings.origin) and tokens_match(visit.csrf, given):
        return None
    message = visit.gettext("This page is out of date. Go back, load it again, and send once more: nothing was changed.")
    return _say(visit, 403, message, {})


def _refuse_stranger(visit: Visit) -> Response | None:
    if not visit.access.signed_in or visit.account is not None:
        return None
    if visit.is_change or visit.wants_json:
        return _say(
            visit, 401, visit.gettext("You have been signed out. Sign in again; what you wrote is kept on this device."), {}
        )
    return RedirectResponse(f"/signin?next={quote(visit.path)}", status_code=303)


def problem(visit: Visit, error: FolkwaysError) -> Response:
    """An error as a page or, for a script, as JSON."""
    status = error.status if isinstance(error, StudioError) else 400
    problems = error.problems if isinstance(error, SubmissionError) else {}
    words = error.words(visit.gettext) if isinstance(error, StudioError) else str(error)
    return _say(visit, status, sentence(words), problems)


def sentence(words: str) -> str:
    """An error's words, which begin small and end without a full stop, as a page says them."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?", "؟")) else ".")


def _say(visit: Visit, status: int, message: str, problems: dict[str, str]) -> Response:
    if visit.wants_json:
        return JSONResponse({"message": message, "problems": problems} if problems else {"message": message}, status_code=status)
    return visit.page("problem.html.j2", status, message=message, problems=problems, code=status)
