"""A page that an earlier test has left shows a test nothing of it, and is not kept where that cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import Watched, at_work, axe_violations, kept_page

pytestmark = pytest.mark.browser

Pages = Callable[..., Watched]
STORED = (
    "[document.cookie, localStorage.length, sessionStorage.length, innerWidth, matchMedia('print').matches]"
)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "page.html"
    path.write_text("<!doctype html><html lang=en><title>A page</title><main><h1>A page</h1></main>", "utf-8")
    return path


@pytest.fixture
def kept(chromium: Any) -> Iterator[Callable[[], Iterator[Pages]]]:
    """A function that begins a test with pages of their own; at its end they rest."""
    resting: list[Watched] = []
    yield lambda: kept_page.__wrapped__(chromium, resting)  # type: ignore[attr-defined]
    with at_work(chromium):
        for watched in resting:
            watched.page.context.close()


def test_a_page_that_is_kept_has_nothing_of_the_test_before(
    kept: Callable[[], Iterator[Pages]], page_file: Path
) -> None:
    first = kept()
    watched = next(first)(color_scheme="dark")
    page = watched.open(page_file)
    page.context.add_cookies([{"name": "who", "value": "kim", "url": "http://127.0.0.1/"}])
    page.evaluate("() => { localStorage.a = sessionStorage.b = 'c'; console.error('wrong'); }")
    page.evaluate("document.addEventListener('visibilitychange', () => { localStorage.left = 'd'; })")
    page.set_viewport_size({"width": 400, "height": 600})
    page.emulate_media(media="print")
    errors = watched.errors
    assert errors == ["wrong"]
    assert next(first, None) is None

    second = kept()
    make = next(second)
    again, other = make(), make()
    assert again.page is page and other.page is not page
    assert (again.errors, again.requests, errors) == ([], [], ["wrong"])
    assert page.context.cookies() == []
    assert again.open(page_file).evaluate(STORED) == ["", 0, 0, 1280, False]
    assert page.evaluate("matchMedia('(prefers-color-scheme: light)').matches")
    assert next(second, None) is None


LEFT: dict[str, Callable[[Any], object]] = {
    "closed": lambda page: page.close(),
    "listened to": lambda page: page.on("dialog", lambda asked: asked.accept()),
    "answered for": lambda page: page.route("**/*", lambda route: route.abort()),
    "with another": lambda page: page.context.new_page(),
    "with axe-core": axe_violations,
}


@pytest.mark.parametrize("how", LEFT)
def test_a_page_of_which_something_may_be_left_is_not_kept(
    kept: Callable[[], Iterator[Pages]], page_file: Path, how: str
) -> None:
    first = kept()
    page = next(first)().open(page_file)
    LEFT[how](page)
    assert next(first, None) is None
    second = kept()
    assert next(second)().page is not page
    assert next(second, None) is None
