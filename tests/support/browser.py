"""A real headless Chromium for tests that open pages, driven by Playwright.

Ask for the fixture ``browser_page`` (a fresh page whose network requests and console errors are written down)
and mark the test ``browser``. Where tests leave nothing behind but what pages store, ``new_page`` is
``kept_page``: a page in a new context costs twice as much as one that was there before. Without a Chromium the
tests skip and say how to get one; where nothing may be skipped they fail instead.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
INSTALLER = REPOSITORY / "scripts" / "install_chromium.py"
AXE = REPOSITORY / ".tools" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
HOW = "run: python scripts/install_chromium.py && pip install playwright"
WITH_AXE: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""Pages that have axe-core already, with the session by which they are asked."""

RUN_AXE = "axe.run(document, {resultTypes: ['violations'], selectors: false}).then(r => r.violations)"
"""Without selectors, which take half of the time: a violation is reported with the HTML of its element."""

VIEWPORT = {"width": 1280, "height": 900}

CLEAR = """() => {
    const clear = () => { localStorage.clear(); sessionStorage.clear(); };
    clear();
    document.addEventListener("visibilitychange", clear);
}"""
"""Also what a page stores when it is left."""

LISTENED = {"close", "crash", "console", "pageerror", "request"}
"""Events of a page to which Playwright or ``Watched`` listens."""

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # The studio's pages leave the process of the blank page that a browser begins with: one of each context is
    # enough, and to start one costs as much as a page does.
    "--renderer-process-limit=1",
    "--in-process-gpu",
    "--enable-features=NetworkServiceInProcess2",
)


@dataclass
class Watched:
    """A page, and what it did that a report must not do."""

    page: Any
    requests: list[str] = field(default_factory=list)  # of a file that was opened: everything but itself
    errors: list[str] = field(default_factory=list)  # console errors, warnings of the policy, exceptions
    opened: bool = False

    def listen(self) -> None:
        def said(message: Any) -> None:
            if message.type in ("error", "warning"):
                self.errors.append(message.text)

        self.page.on("console", said)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, path: Path) -> Any:
        def requested(request: Any) -> None:
            if not request.is_navigation_request():
                self.requests.append(request.url)

        if not self.opened:
            self.page.on("request", requested)
            self.opened = True
        self.page.goto(path.as_uri())
        return self.page


def _absent(reason: str) -> None:
    pytest.skip(f"{reason}; {HOW}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, started once per worker: to start it costs more than most tests do."""
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        _absent("playwright is not installed")
    found = subprocess.run([sys.executable, str(INSTALLER), "--check"], capture_output=True, text=True)
    if found.returncode:
        _absent(found.stderr.partition("\n")[0])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found.stdout.strip(), headless=True, args=list(ARGUMENTS)
        )
        expect.set_options(timeout=30_000)  # ms; five seconds are little on a busy machine
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield browser
        asyncio._set_running_loop(loop)
        browser.close()


def opened(browser: Any, **options: Any) -> Watched:
    """A page in a context of its own, which has these options."""
    watched = Watched(browser.new_context(**{"viewport": VIEWPORT, **options}).new_page())
    watched.listen()
    return watched


@contextmanager
def at_work(browser: Any) -> Iterator[None]:
    """Playwright's event loop stands still between two calls to it and yet counts as this thread's running one,
    so that nothing else could use ``asyncio.run``: it counts as that only during the tests that have a page."""
    asyncio._set_running_loop(browser._loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)


@pytest.fixture
def fresh_page(chromium: Any) -> Iterator[Callable[..., Watched]]:
    """A function that opens a fresh ``Watched`` page; keywords go to the browser context (``viewport``,
    ``color_scheme``, ...)."""
    contexts = []

    def make(**options: Any) -> Watched:
        watched = opened(chromium, **options)
        contexts.append(watched.page.context)
        return watched

    with at_work(chromium):
        yield make
        for context in contexts:
            context.close()


@pytest.fixture(scope="session")
def resting_pages() -> list[Watched]:
    """Blank pages that tests have left, with nothing stored by what they showed."""
    return []


@pytest.fixture
def kept_page(chromium: Any, resting_pages: list[Watched]) -> Iterator[Callable[..., Watched]]:
    """As ``fresh_page``, but a page that an earlier test has left, if there is one and the keywords are no others
    than ``viewport`` and ``color_scheme``. Not for tests that cut a page off from the network or set its clock:
    that stays with it."""
    kept: list[Watched] = []
    contexts = []

    def make(viewport: Any = VIEWPORT, color_scheme: Any = "light", **options: Any) -> Watched:
        if not options and resting_pages:
            watched = resting_pages.pop()
            watched.requests, watched.errors = [], []
            watched.page.context.clear_cookies()
            watched.page.set_viewport_size(viewport)
            watched.page.emulate_media(media="null", color_scheme=color_scheme)
        else:
            watched = opened(chromium, viewport=viewport, color_scheme=color_scheme, **options)
        (contexts if options else kept).append(watched)
        return watched

    with at_work(chromium):
        yield make
        for watched in kept:
            resting = not watched.page.is_closed() and emptied(watched.page)
            (resting_pages if resting else contexts).append(watched)
        for watched in contexts:
            watched.page.context.close()


def emptied(page: Any) -> bool:
    """Leave what a page shows, and what that has stored. False if that cannot be, or if more may be left: other
    pages of its context, and what listens to it, answers its requests or runs in all of its documents."""
    from playwright.sync_api import Error

    inner = page._impl_obj
    if len(page.context.pages) > 1 or page in WITH_AXE or inner._routes or {*inner.event_names()} - LISTENED:
        return False
    try:
        if page.url != "about:blank":
            page.evaluate(CLEAR)
            page.goto("about:blank")
        page.mouse.move(0, 0)
    except Error:  # it is on its way to another page, or shows why there is none
        return False
    return True


@pytest.fixture
def new_page(fresh_page: Callable[..., Watched]) -> Callable[..., Watched]:
    """A function that gives a page of a browser of its own."""
    return fresh_page


@pytest.fixture
def browser_page(new_page: Any) -> Watched:
    """A fresh page of 1280 by 900 pixels."""
    page: Watched = new_page()
    return page


def axe_violations(page: Any) -> list[str]:
    """What axe-core finds wrong for people with disabilities, one line per rule and element. The page must be
    open already."""
    if page not in WITH_AXE:
        # Outside the page's own policy, which allows no further script. Of later documents the browser makes it
        # a part: to send half a megabyte each time costs a fifth of a look.
        session = WITH_AXE[page] = page.context.new_cdp_session(page)
        source = AXE.read_text(encoding="utf-8")
        session.send("Page.enable")
        session.send("Page.addScriptToEvaluateOnNewDocument", {"source": source})
        session.send("Runtime.evaluate", {"expression": source})
    session = WITH_AXE[page]
    answer = session.send(
        "Runtime.evaluate", {"expression": RUN_AXE, "awaitPromise": True, "returnByValue": True}
    )
    if "exceptionDetails" in answer:
        raise RuntimeError(str(answer["exceptionDetails"]))
    return [
        f"{violation['id']}: {node['html'][:160]} ({node.get('failureSummary', '')})"
        for violation in answer["result"]["value"]
        for node in violation["nodes"]
    ]
