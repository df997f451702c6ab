"""What the first page of an invitation weighs on a slow phone, and when something is to be seen: Chromium,
throttled.

python -m perf.studio.weight              # 400 kbit/s, 400 ms there and back
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from folkways_studio.people import invites
from folkways_studio.web.rendering.i18n import LOCALES
from studio.tests.support.studies import open_study
from studio.tests.support.studio_server import StudioServer
from tests.support.browser import ARGUMENTS, INSTALLER

BITS_PER_SECOND, ROUND_TRIP_MS = 400_000, 400
LATIN = ("en", "es", "id", "az", "su", "ha")
MOST_BYTES, MOST_BYTES_OF_OTHERS = 120_000, 250_000
MOST_SECONDS = 3.0
STAGES = [{"name": "verify", "kind": "vote", "title": "Check"}]
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


@dataclass(frozen=True, slots=True)
class Weight:
    """One page in one language of the interface. bytes: over the wire, headers included. painted: seconds;
    None if not measured."""

    locale: str
    bytes: int
    painted: float | None
    files: tuple[str, ...]

    @property
    def most(self) -> int:
        """What it may weigh."""
        return MOST_BYTES if self.locale in LATIN else MOST_BYTES_OF_OTHERS


def weigh(browser: Any, url: str, locale: str, *, throttled: bool = True) -> Callable[[], Weight]:
    """Begin to open a page as a phone does for the first time; what to call for its weight, which waits until
    all of it is there. Several may be on their way."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, extra_http_headers={"Accept-Language": locale}, is_mobile=True
    )
    context.add_cookies([{"name": "folkways_locale", "value": locale, "url": url}])
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    if throttled:
        rate = BITS_PER_SECOND / 8
        slow = {
            "offline": False,
            "latency": ROUND_TRIP_MS,
            "downloadThroughput": rate,
            "uploadThroughput": rate,
        }
        devtools.send("Network.emulateNetworkConditions", slow)
    sizes: list[float] = []
    files: list[str] = []
    devtools.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    devtools.on(
        "Network.responseReceived",
        lambda event: files.append(event["response"]["url"].rpartition("/")[2].partition("?")[0]),
    )
    page.goto(url, wait_until="commit", timeout=90_000)

    def arrived() -> Weight:
        page.wait_for_load_state("networkidle", timeout=90_000)
        page.evaluate("document.fonts.ready.then(() => true)")
        painted = page.evaluate(PAINTED)
        context.close()
        return Weight(locale, int(sum(sizes)), painted and painted / 1000, tuple(files))

    return arrived


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser of the tests."""
    from playwright.sync_api import sync_playwright

    place = subprocess.run(
        [sys.executable, str(INSTALLER), "--check"], capture_output=True, text=True, check=True
    ).stdout.strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, headless=True, args=list(ARGUMENTS))
        yield browser
        browser.close()


def main() -> int:
    """Print a table; 1 where a page is too heavy or too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locale", default=",".join(LOCALES), help="languages of the interface")
    options = parser.parse_args()
    failures = 0
    print("| language | kB | first paint (s) | fonts |\n|---|---|---|---|")
    with (
        tempfile.TemporaryDirectory() as folder,
        StudioServer(Path(folder) / "studio.db") as server,
        chromium() as browser,
    ):
        study = open_study(server.workspace, STAGES)
        for locale in options.locale.split(","):
            _, token = invites.create_invite(server.workspace, study.record.id, population="korea")
            found = weigh(browser, f"{server.url}/join/{token}", locale)()
            fonts = ", ".join(each.removesuffix(".woff2") for each in found.files if each.endswith(".woff2"))
            print(f"| {locale} | {found.bytes / 1000:.0f} | {found.painted:.1f} | {fonts} |", flush=True)
            failures += found.bytes > found.most or found.painted is None or found.painted > MOST_SECONDS
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
