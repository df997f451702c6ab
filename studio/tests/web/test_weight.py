"""What pages weigh for people on slow lines: compressed, with fonts of their own script alone."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from urllib.request import Request, urlopen

import pytest

from folkways_studio.web.rendering.i18n import LOCALES
from folkways_studio.web.rendering.pages import static
from perf.studio.weight import LATIN, weigh
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.conftest import ServedStudy
from studio.tests.web.http import Client

STAGES = [{"name": "verify", "kind": "vote", "title": "Check"}]
FONTS = {
    "ar": "naskh",
    "fa": "naskh",
    "am": "ethiopic",
    "as": "bengali",
    "bn": "bengali",
    "el": "greek",
    "ko": "-kr-",
    "zh": "-sc-",
}
"""Language -> part of the names of the fonts of its script."""

OFTEN = ("en", "ar", "ko")
"""Latin, another script, and one whose fonts come in slices by a style sheet of their own."""


@pytest.mark.browser
@pytest.mark.parametrize(
    "locales", [OFTEN, pytest.param(LOCALES, marks=pytest.mark.nightly)], ids=["often", "all"]
)
def test_the_first_page_has_fonts_of_its_own_script_alone(
    chromium: object, make_study: Callable[..., ServedStudy], locales: Sequence[str]
) -> None:
    study = make_study(STAGES)
    page = study.page()  # whose fixtures let the browser be used
    page.close()
    # All are on their way at once: that the last file has come is known half a second later.
    arriving = [
        weigh(chromium, study.server.url + study.link(), locale, throttled=False) for locale in locales
    ]
    for locale, arrived in zip(locales, arriving, strict=True):
        found = arrived()
        fonts = [each for each in found.files if each.endswith(".woff2")]
        script = FONTS.get(locale, "latin")
        others = [each for each in fonts if not any(part in each for part in ("latin-wght", "near", script))]
        assert fonts and not others, (locale, others)
        assert not any("latin-ext" in each for each in fonts), locale
        assert found.bytes <= found.most, (locale, found.bytes, found.files)
        assert ("han-hangul.css" in found.files) == (locale in ("ko", "zh")), locale
    assert set(LATIN) == {*LOCALES} - {*FONTS}


def fetch(url: str, accepted: str) -> tuple[bytes, str | None, str | None]:
    with urlopen(Request(url, headers={"Accept-Encoding": accepted})) as reply:
        return reply.read(), reply.headers["Content-Encoding"], reply.headers["Vary"]


@pytest.mark.parametrize(
    "path",
    [static("base.css"), static("js/page.js"), "/theme.css", "/signin", static("fonts/han-hangul.css")],
)
def test_texts_are_compressed_for_those_who_take_it(server: StudioServer, path: str) -> None:
    plain, none, vary = fetch(server.url + path, "identity")
    packed, coded, varies = fetch(server.url + path, "br;q=1.0, gzip;q=0.8")
    assert (none, coded, vary, varies) == (None, "gzip", "Accept-Encoding", "Accept-Encoding")
    assert len(packed) < len(plain) / 1.5
    unpacked = gzip.decompress(packed)
    assert unpacked == plain or path == "/signin"  # whose token is masked anew
    for accepted in ("gzip;q=0", "br", ""):
        assert fetch(server.url + path, accepted)[1] is None


@pytest.mark.parametrize("path", [static("fonts/noto-sans-latin-wght-normal.woff2")])
def test_fonts_are_compressed_already(server: StudioServer, path: str) -> None:
    assert fetch(server.url + path, "gzip")[1] is None


def test_the_token_of_a_page_looks_like_another_on_every_page(server: StudioServer) -> None:
    client = Client(server.url)
    tokens = {client.csrf() for _ in range(5)}
    assert len(tokens) == 5
    assert client.post("/language", {"locale": "ko", "next": "/"}, csrf=tokens.pop()).status == 303
    assert (
        client.post("/language", {"locale": "ko", "next": "/"}, csrf=tokens.pop()[:-8] + "AAAAAAA=").status
        == 403
    )


def test_a_file_that_was_kept_is_not_sent_again(server: StudioServer) -> None:
    client = Client(server.url)
    first = client.get(static("base.css"), **{"Accept-Encoding": "gzip"})
    kept = {"If-None-Match": first.headers["etag"], "Accept-Encoding": "gzip"}
    again = client.get(static("base.css"), **kept)
    assert (first.status, again.status, again.text) == (200, 304, "")
